"""Conversion and checks of tables in memory, which are also applied to tables that were read from files."""
