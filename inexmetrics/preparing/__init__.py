"""Runs made fit for a measure: pure functions from runs to runs, each of which the runs then record."""
