"""The report of INEX's official evaluator, to the last digit."""
