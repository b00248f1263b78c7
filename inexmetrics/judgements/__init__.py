"""Choices of the judgements that a measure reads: by assessor, pool, sample or topics."""
