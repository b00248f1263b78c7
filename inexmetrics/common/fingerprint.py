"""Digests of tables and arrays. Equal content has equal digests, even if it is divided into different chunks in memory."""

from __future__ import annotations

import hashlib

import numpy as np
import polars as pl

from inexmetrics.common.arrays import FloatArray

__all__ = ["Fingerprint"]

BLOCK = 250_000
"""Number of rows whose strings are joined at once. This number limits memory use and does not affect the digest."""
NO_INTEGER = -(2**63)


class Fingerprint:
    """SHA-256 digest of strings, tables and arrays, which are added one by one, each under a name."""

    def __init__(self, of: str) -> None:
        self._digest = hashlib.sha256(f"inexmetrics 1 {of}".encode())

    def texts(self, name: str, values: pl.Series) -> None:
        """Adds a column of strings or categories. A missing value and an empty string have different digests."""
        self._name(name, len(values))
        lengths = []
        for first in range(0, len(values), BLOCK):
            block = values.slice(first, BLOCK).cast(pl.String)
            self._digest.update(block.fill_null("").str.join("").cast(pl.Binary).item())
            lengths.append(block.str.len_bytes().cast(pl.Int64).fill_null(-1).to_numpy())
        # The lengths are part of the digest, because the joined strings do not show where one string ends and the next string begins.
        for of_block in lengths:
            self._digest.update(of_block.astype("<i8", copy=False).data)

    def numbers(self, name: str, values: FloatArray) -> None:
        """Adds an array of numbers and its shape; -0.0 is treated as 0.0."""
        self._name(name, *values.shape)
        self._digest.update((np.ascontiguousarray(values) + 0.0).astype("<f8", copy=False).data)

    def table(self, name: str, frame: pl.DataFrame) -> None:
        """Adds a table to the digest, with the columns sorted by name and the rows in their original order."""
        self._name(name, frame.height)
        for column in sorted(frame.columns):
            values = frame.select(column).to_series()  # does not expand a column that is stored as one repeated value
            if values.dtype.is_float():
                self.numbers(column, values.cast(pl.Float64).fill_null(float("nan")).to_numpy())
            elif values.dtype.is_integer():
                self._name(column, len(values))
                self._digest.update(values.cast(pl.Int64).fill_null(NO_INTEGER).to_numpy().astype("<i8", copy=False).data)
            else:
                self.texts(column, values)

    def unordered(self, name: str, frame: pl.DataFrame) -> None:
        """Adds a table whose row order is irrelevant: sorts the rows first."""
        columns = sorted(frame.columns)
        texts = frame.select(pl.col(column).cast(pl.String) if frame.schema[column].is_(pl.Enum) else column for column in columns)
        self.table(name, texts.sort(columns, nulls_last=False))

    def __str__(self) -> str:
        return self._digest.hexdigest()

    def _name(self, name: str, *shape: int) -> None:
        self._digest.update(f"\n{name} {shape}\n".encode())
