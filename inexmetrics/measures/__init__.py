"""The measures; each measure scores every run for every topic."""
