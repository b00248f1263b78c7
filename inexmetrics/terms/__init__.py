"""What a term of the formula language is: its parameters' kinds, its word, and words of the user's own."""
