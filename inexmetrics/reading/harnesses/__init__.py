"""Readers of scores in the output folders of evaluation harnesses: MTEB, lm-evaluation-harness and Inspect."""
