"""The formula language: from text to terms."""
