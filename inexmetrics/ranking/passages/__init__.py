"""The text of results: highlighted text, repeated text, and text read in context."""
