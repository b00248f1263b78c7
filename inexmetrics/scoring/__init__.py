"""Computation of scores and curves from conditions and data."""
