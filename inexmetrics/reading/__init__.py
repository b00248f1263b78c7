"""Readers of assessments, runs, structures and score matrices, from files and frames."""
