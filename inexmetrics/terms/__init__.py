"""Terms of the formula language: their parameters, their names, and terms added by users."""
