"""Loads the libraries that every experiment needs, and reads the given tables: ``python -m benchmarks.peers.loading [TABLE…]``."""

from __future__ import annotations

import sys

import numpy  # noqa: F401
import polars as pl

if __name__ == "__main__":
    for path in sys.argv[1:]:
        pl.read_csv(path, separator="," if path.endswith(".csv") else " ", has_header=path.endswith(".csv"))
