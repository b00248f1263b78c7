"""Readers of files with one row per line: run files and qrels."""
