"""Charts of results, a family of figures a file."""
