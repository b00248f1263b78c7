"""Report of INEX's official evaluator, reproduced to the last digit."""
