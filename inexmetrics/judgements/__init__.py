"""Whose and which judgements a measure reads."""
