"""Results as text, files, charts and HTML."""
