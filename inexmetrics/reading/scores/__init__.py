"""Readers of score tables: matrices, long tables, tables of measures, and their joining."""
