"""Readers of files in which each line is a row: run files, qrels, and the output of evaluation tools."""
