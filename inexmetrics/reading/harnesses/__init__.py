"""Scores in the folders that evaluation harnesses write, as long tables."""
