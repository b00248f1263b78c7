"""Readers of tables in memory, which also read the tables in files."""
