"""Preparations of runs before evaluation: terms that are functions from runs to runs, and that the prepared runs record."""
