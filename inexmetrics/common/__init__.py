"""Shared by all packages: errors and warnings, messages, tables as text, array types, options of a run."""
