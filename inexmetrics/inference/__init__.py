"""Significance tests, and corrections for many comparisons."""
