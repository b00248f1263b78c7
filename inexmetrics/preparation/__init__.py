"""Preparations of runs before evaluation. Prepared runs record the preparations that were applied."""
