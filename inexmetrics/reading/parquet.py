"""Tables in Parquet files."""

from __future__ import annotations

import io

import polars as pl

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.reading.findings import shown
from inexmetrics.reading.limits import most_unpacked

__all__ = ["is_parquet", "parquet_columns", "parquet_table"]

CELL = 8
"""Bytes that a cell takes at least, once it is read."""
# Polars panics on some damaged files, which is no Exception; KeyboardInterrupt and SystemExit pass.
_BROKEN = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, OverflowError, MemoryError)


def is_parquet(raw: bytes) -> bool:
    """Whether a file starts as Parquet does."""
    return raw.startswith(b"PAR1")


def parquet_columns(raw: bytes) -> list[str]:
    """The names of the columns of a Parquet file; none of a damaged one."""
    try:
        return list(pl.scan_parquet(io.BytesIO(raw)).collect_schema())
    except _BROKEN:
        return []


def parquet_table(raw: bytes, file: str) -> pl.DataFrame:
    """The table in a Parquet file, without columns of lists and structs, which no table has.

    Raises:
        CollectionError: The file is damaged, or a small one stands for a table of enormous size, or for enormous texts.
    """
    most, too_large = most_unpacked(len(raw), file, "a table that unpacks to")
    try:
        there = pl.scan_parquet(io.BytesIO(raw))
        columns = there.collect_schema()
        if there.select(pl.len()).collect().item() * len(columns) * CELL > most:
            raise too_large
        table = pl.read_parquet(io.BytesIO(raw), columns=[name for name, dtype in columns.items() if not dtype.is_nested()])
        if sum(map(_bytes_of_text, table)) > most:  # a text that many rows repeat is held once, until something is made of it
            raise too_large
        return table
    except _BROKEN as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise CollectionError(Problem(f"expected a readable Parquet file, found: {shown(reason)}", file=file)) from error


def _bytes_of_text(column: pl.Series) -> int:
    """The bytes of a column's texts, each counted as often as it stands there."""
    if column.dtype == pl.String:
        sizes = column.str.len_bytes()
    elif isinstance(column.dtype, pl.Categorical | pl.Enum):
        sizes = column.cat.len_bytes()
    else:
        return 0
    return int(sizes.cast(pl.Int64).sum())
