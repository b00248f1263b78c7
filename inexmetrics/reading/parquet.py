"""Reads tables in Parquet files, whose row groups are read only when needed."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import get_args

import numpy as np
import polars as pl

from inexmetrics.collection.runs import ORDERS, Order
from inexmetrics.common.errors import CollectionError
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.findings import most_unpacked, shown
from inexmetrics.reading.names import understood
from inexmetrics.reading.stated_columns import columns_of_frame, joined_names, length_of_text, renaming

__all__ = ["ParquetTable", "parquet_columns"]

CELL = 8
"""Minimum number of bytes that a value occupies in memory."""
# Some damaged files cause polars to panic; PanicException is not a subclass of Exception.
_BROKEN = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, OverflowError, MemoryError)


def parquet_columns(raw: bytes, columns: Collection[str] = ()) -> list[str]:
    """Returns the column names of a Parquet file, and the paths among `columns` that lead into its structs; empty for a damaged file."""
    return [*_types(raw, columns)]


def _types(raw: bytes, columns: Collection[str]) -> dict[str, pl.DataType]:
    """Returns the types of the columns of a Parquet file, and of the paths among `columns` that lead into its structs."""
    try:
        there = pl.scan_parquet(io.BytesIO(raw))
        return dict(there.with_columns(*columns_of_frame(there.collect_schema(), columns).values()).collect_schema())
    except _BROKEN:
        return {}


@dataclass(frozen=True, slots=True, eq=False)
class ParquetTable:
    """The table in a Parquet file; columns of lists and structs are ignored, except the stated paths into structs.

    Attributes:
        raw: The content of the file, as bytes.
        file: The name of the file.
        stated: For each column name that the caller stated, the name in this package.
        types: The types of the columns, and of the stated paths into structs; empty for a damaged file.
    """

    raw: bytes
    file: str
    stated: Mapping[str, str] = field(default_factory=dict)
    types: dict[str, pl.DataType] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "types", _types(self.raw, self.stated))

    def called(self) -> dict[str, str]:
        """Returns the name in the file of each column that is read under a stated name."""
        stated, header = self._joined()[0], self._header()
        found = {ours: theirs for theirs, ours in stated.items() if theirs in header}
        own = understood([stated.get(name, name) for name in header])
        if length_of_text(own) is not None:
            found["length"] = f"the length of {found.get('text', own['text'])}"
        return found

    def _joined(self) -> tuple[dict[str, str], dict[str, pl.Expr], list[str]]:
        return joined_names(self.stated, self.types, self.file)

    def _header(self) -> list[str]:
        """Returns the columns after columns are joined."""
        _, joined, parts = self._joined()
        return [*(name for name in self.types if name not in parts), *joined]

    def _names(self) -> dict[str, str]:
        return renaming(self._joined()[0], self._header(), self.file)

    def judgements(self) -> Unchecked:
        """Returns the whole table as one of judgements."""
        return Unchecked(self.read(), self.file, called=self.called(), role="assessments")

    def columns(self) -> Unchecked:
        """Returns the columns of the table without rows, with an example of a value for each unknown column."""
        head = Unchecked(self.read(lambda rows: rows.limit(0)), self.file, called=self.called(), role="runs")
        others = [name for name in head.passed_over if not {"score", "rank"} & head.own.keys()]
        values = self.read(lambda rows: rows.select(pl.col(others).drop_nulls().first())).to_dicts() if others else [{}]
        there = pl.scan_parquet(io.BytesIO(self.raw))
        nested = [name for name, dtype in there.collect_schema().items() if isinstance(dtype, pl.Struct)]
        records = there.select(nested).head(1).collect().to_dicts() if nested else []
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
        most, too_large = most_unpacked(len(self.raw), self.file, "a table that unpacks to")
        try:
            there = pl.scan_parquet(io.BytesIO(self.raw))
            columns = there.collect_schema()
            if there.select(pl.len()).collect().item() * len(columns) * CELL > most:
                raise too_large
            paths = columns_of_frame(columns, self.stated)
            rows = there.select(*(name for name, dtype in columns.items() if not dtype.is_nested()), *paths.values())
            _, joined, parts = self._joined()
            rows = rows.with_columns(**joined).drop(parts)
            names, header = self._names(), self._header()
            replaced = [ours for ours in names.values() if ours in header and ours not in names]
            rows = rows.drop(replaced).rename(names) if names else rows
            length = length_of_text(understood([names.get(name, name) for name in header if name not in replaced]))
            found = query(rows if length is None else rows.with_columns(length)).collect()
        except _BROKEN as error:
            reason = next(iter(str(error).splitlines()), type(error).__name__)
            raise CollectionError(f"expected a readable Parquet file, found: {shown(reason)}", file=self.file) from error
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
