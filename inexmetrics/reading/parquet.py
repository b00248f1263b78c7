"""Reads tables in Parquet files, whose row groups are read only when needed."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import get_args

import numpy as np
import polars as pl
import polars.selectors as cs

from inexmetrics.collection.runs import ORDERS, Order
from inexmetrics.common.errors import CollectionError
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.findings import most_unpacked, shown
from inexmetrics.reading.stated_columns import under_our_names
from inexmetrics.reading.tabular import with_paths

__all__ = ["ParquetTable", "parquet_columns"]

CELL = 8
"""Minimum number of bytes that a value occupies in memory."""
# Some damaged files cause polars to panic; PanicException is not a subclass of Exception.
_BROKEN = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, OverflowError, MemoryError)


def parquet_columns(raw: bytes, columns: Collection[str] = ()) -> list[str]:
    """Returns the column names of a Parquet file, and the paths among `columns` that lead into its records; empty for a damaged file."""
    try:
        return with_paths(pl.scan_parquet(raw), columns).collect_schema().names()
    except _BROKEN:
        return []


@dataclass(frozen=True, slots=True, eq=False)
class ParquetTable:
    """The table in a Parquet file; columns of lists and structs are ignored, except the stated paths into them.

    Attributes:
        raw: The content of the file, as bytes.
        file: The name of the file.
        stated: For each column name that the caller stated, the name in this package.
        paths: Further paths that are read under their own names.
        rows: The rows, under our names of the stated columns; they are read when needed.
        called: The names of these columns in the file.
    """

    raw: bytes
    file: str
    stated: Mapping[str, str] = field(default_factory=dict)
    paths: Collection[str] = ()
    rows: pl.LazyFrame = field(init=False)
    called: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        """Reads the schema; raises `CollectionError` if the file is damaged, or is too large when it is unpacked."""
        with self._readable() as (most, too_large):
            there = pl.scan_parquet(self.raw)
            if there.select(pl.len()).collect().item() * len(there.collect_schema()) * CELL > most:
                raise too_large
            rows = with_paths(there, [*self.stated, *self.paths]).select(~cs.nested())
            named = under_our_names(rows, self.stated, self.file)
            for name, value in zip(("rows", "called"), named, strict=True):
                object.__setattr__(self, name, value)

    @contextmanager
    def _readable(self) -> Iterator[tuple[int, CollectionError]]:
        """Yields the largest size of the unpacked table, and the error about a larger one; errors of polars become `CollectionError`."""
        try:
            yield most_unpacked(len(self.raw), self.file, "a table that unpacks to")
        except _BROKEN as error:
            reason = next(iter(str(error).splitlines()), type(error).__name__)
            raise CollectionError(f"expected a readable Parquet file, found: {shown(reason)}", file=self.file) from error

    def judgements(self) -> Unchecked:
        """Returns the whole table as one of judgements."""
        return Unchecked(self.read(), self.file, called=self.called, role="assessments")

    def columns(self) -> Unchecked:
        """Returns the columns of the table without rows, with an example of a value for each unknown column."""
        head = Unchecked(self.read(lambda rows: rows.limit(0)), self.file, called=self.called, role="runs")
        others = [name for name in head.passed_over if not {"score", "rank"} & head.own.keys()]
        values = self.read(lambda rows: rows.select(pl.col(others).drop_nulls().first())).to_dicts() if others else [{}]
        records = pl.scan_parquet(self.raw).select(cs.struct()).head(1).collect().to_dicts()
        return replace(head, elsewhere=values[0] | (records[0] if records else {}))

    def orders(self) -> Mapping[str, Order]:
        """Returns the column that determined the ranking of each run, if `write_runs` recorded it in the file; otherwise empty."""
        try:
            written = json.loads(pl.read_parquet_metadata(io.BytesIO(self.raw)).get(ORDERS, "{}"))
        except (ValueError, *_BROKEN):
            return {}
        known = get_args(Order)
        return written if isinstance(written, dict) and all(order in known for order in written.values()) else {}

    def read(self, query: Callable[[pl.LazyFrame], pl.LazyFrame] = lambda table: table) -> pl.DataFrame:
        """Returns the result of a query on the table.

        Raises:
            CollectionError: The file is damaged, or its decompressed size exceeds the limits of `inexmetrics.reading.findings`.
        """
        with self._readable() as (most, too_large):
            found = query(self.rows).collect()
            # Polars stores a repeated string once when it reads a column, but may store a copy for each row when the column is used.
            if sum(map(_size, found)) > most:
                raise too_large
        return found


def _size(column: pl.Series) -> int:
    """Returns the number of bytes of all texts in a column, each text counted in every row; 0 for a column of numbers."""
    if column.dtype == pl.String:
        lengths = column.str.len_bytes()
    elif isinstance(column.dtype, pl.Enum):  # polars 1.32 cannot measure texts whose codes have 8 or 16 bits
        codes = column.drop_nulls().to_physical().to_numpy()
        categories = column.dtype.categories.str.len_bytes().to_numpy()
        return int(np.bincount(codes, minlength=len(categories)) @ categories)
    elif isinstance(column.dtype, pl.Categorical):
        lengths = column.cat.len_bytes()
    else:
        return 0
    mean = lengths.mean()  # the sum of 32-bit lengths may overflow
    return round(mean * lengths.count()) if isinstance(mean, float) else 0
