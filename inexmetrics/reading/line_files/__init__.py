"""Readers of text files in which each line is a row: runs, qrels, and the output of evaluation tools."""
