"""Significance tests, and corrections for multiple comparisons."""
