"""Tables as text: aligned, Markdown, LaTeX and JSON."""
