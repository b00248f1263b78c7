"""The experiments: each answers one question about runs and judgements."""
