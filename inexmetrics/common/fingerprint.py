"""Digests of tables and arrays. Equal content has equal digests, even if it is divided into different chunks in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

import numpy as np
import polars as pl

from inexmetrics.common.arrays import FloatArray

__all__ = ["Fingerprint"]

BLOCK = 250_000
"""Number of rows that are read at once. This number limits memory use and does not affect the digest."""
NO_INTEGER = -(2**63)


class Fingerprint:
    """SHA-256 digest of strings, tables and arrays, which are added one by one, each under a name."""

    def __init__(self, of: str) -> None:
        self._digest = hashlib.sha256(f"inexmetrics 1 {of}".encode())

    def texts(self, name: str, values: pl.Series) -> None:
        """Adds a column of strings or categories. A missing value and an empty string have different digests."""
        self.text_blocks(name, len(values), lambda: _blocks(values))

    def text_blocks(self, name: str, count: int, blocks: Callable[[], Iterable[pl.Series]]) -> None:
        """Adds a column of strings or categories, as `texts` does; `blocks` is called twice and returns the column in blocks."""
        self._name(name, count)
        for block in blocks():
            text = block.cast(pl.String).fill_null("").slice(0, len(block))  # unless it is sliced, polars 1 cannot join one repeated name
            self._digest.update(text.str.join("").cast(pl.Binary).item())
        # The lengths are part of the digest, because the joined strings do not show where one string ends and the next string begins.
        for block in blocks():
            self._integers(block.cast(pl.String).str.len_bytes().cast(pl.Int64).fill_null(-1))

    def numbers(self, name: str, values: FloatArray) -> None:
        """Adds an array of numbers and its shape; -0.0 is treated as 0.0."""
        self._name(name, *values.shape)
        self._floats(values)

    def table(self, name: str, frame: pl.DataFrame) -> None:
        """Adds a table to the digest, with the columns sorted by name and the rows in their original order."""
        # Selecting a column does not expand a column that is stored as one repeated value.
        self.table_blocks(name, frame.height, frame.schema, lambda column: _blocks(frame.select(column).to_series()))

    def table_blocks(self, name: str, height: int, schema: Mapping[str, pl.DataType], blocks: Callable[[str], Iterable[pl.Series]]) -> None:
        """Adds a table, as `table` does; `blocks` returns the column of this name in blocks, and may be called twice for a column."""
        self._name(name, height)
        for column in sorted(schema):
            if schema[column].is_float():
                self._name(column, height)
                for block in blocks(column):
                    self._floats(block.cast(pl.Float64).fill_null(float("nan")).to_numpy())
            elif schema[column].is_integer():
                self._name(column, height)
                for block in blocks(column):
                    self._integers(block.cast(pl.Int64).fill_null(NO_INTEGER))
            else:
                self.text_blocks(column, height, partial(blocks, column))

    def unordered(self, name: str, frame: pl.DataFrame) -> None:
        """Adds a table whose row order is irrelevant: sorts the rows first."""
        columns = sorted(frame.columns)
        texts = frame.select(pl.col(column).cast(pl.String) if frame.schema[column].is_(pl.Enum) else column for column in columns)
        self.table(name, texts.sort(columns, nulls_last=False))

    def __str__(self) -> str:
        return self._digest.hexdigest()

    def _floats(self, values: FloatArray) -> None:
        self._digest.update((np.ascontiguousarray(values) + 0.0).astype("<f8", copy=False).data)

    def _integers(self, values: pl.Series) -> None:
        self._digest.update(values.to_numpy().astype("<i8", copy=False).data)

    def _name(self, name: str, *shape: int) -> None:
        self._digest.update(f"\n{name} {shape}\n".encode())


def _blocks(values: pl.Series) -> Iterator[pl.Series]:
    return (values.slice(first, BLOCK) for first in range(0, len(values), BLOCK))
