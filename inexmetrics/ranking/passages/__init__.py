"""Results as stretches of text: what is highlighted in them, seen before, or read in context."""
