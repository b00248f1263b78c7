"""What is done to runs before they are evaluated: terms that are functions from runs to runs, each of which the runs record."""
