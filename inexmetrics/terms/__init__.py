"""Terms of the formula language: their parameters, their words, and words added by users."""
