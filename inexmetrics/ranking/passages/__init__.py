"""Results as passages: their highlighted text, repeated text, and text read in context."""
