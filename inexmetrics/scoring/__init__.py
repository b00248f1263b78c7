"""Computes scores and curves from conditions and data."""
