"""Readers of tables in memory and of tables in text files."""
