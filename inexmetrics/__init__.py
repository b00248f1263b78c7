"""Evaluation of focused retrieval, and of the conclusions drawn from it."""
