"""Readers of scores in the output folders of evaluation harnesses."""
