"""Readers of files with one row a line: run files and qrels."""
