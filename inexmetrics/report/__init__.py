"""Results as text, files, charts and pages."""
