"""Facts about the values of columns in score tables, for doubts and messages: text, numbers of rows, and identifiers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import polars as pl

from inexmetrics.reading.scores.stated import Stated

__all__ = ["TRUE_OR_FALSE", "counts", "floats", "fraction", "fractional", "identifiers", "may_name", "only_fractions", "texts"]

TRUE_OR_FALSE: Final = {"true": "1", "false": "0"}
IDENTIFIED: Final = 1000
"""Maximum number of columns that are searched for identifiers of topics; wider tables have runs in columns."""
_ADDRESS: Final = r"^\s*(https?://|www\.)"


def texts(frame: pl.DataFrame, columns: Sequence[str]) -> list[str]:
    """Returns the columns that contain text but not a single number, true or false."""
    schema = frame.schema
    names = [name for name in columns if isinstance(schema[name], pl.String | pl.Enum | pl.Categorical)]
    words = pl.col(names).cast(pl.String).str.strip_chars().str.to_lowercase()
    numbers = words.replace(TRUE_OR_FALSE).cast(pl.Float64, strict=False)
    if not names:
        return []
    filled, number = frame.select((words != "").any()).row(0), frame.select(numbers.is_not_null().any()).row(0)
    return [name for name, some, numeric in zip(names, filled, number, strict=True) if some and not numeric]


def may_name(column: pl.Series) -> bool:
    """Returns whether a column of text may name the rows: its values are different, and are not addresses."""
    words = column.cast(pl.String)
    return bool(not words.null_count() and words.is_unique().all() and not words.str.contains(_ADDRESS).any())


def counts(column: pl.Series) -> bool:
    """Returns whether a column numbers the rows from 0 or from 1."""
    numbers = column.cast(pl.String).str.strip_chars().cast(pl.Int64, strict=False)
    return any(numbers.equals(pl.int_range(start, start + len(numbers), eager=True), check_names=False) for start in (0, 1))


def fraction(heading: str) -> bool:
    """Returns whether a heading is a number with a fractional part."""
    return re.fullmatch(r"[-+]?\d*\.\d+(e[-+]?\d+)?", heading.strip(), re.IGNORECASE) is not None


def floats(column: pl.Series) -> pl.Series:
    """Returns the numbers in a column; other values are null."""
    if column.dtype.is_nested() or column.dtype.is_object():
        return pl.Series([None] * len(column), dtype=pl.Float64)
    return (column.cast(pl.String).str.strip_chars() if not column.dtype.is_numeric() else column).cast(pl.Float64, strict=False)


def fractional(column: pl.Series) -> bool:
    """Returns whether a column contains a number with a fractional part."""
    numbers = floats(column).drop_nulls()
    return bool((numbers != numbers.round()).any())


def identifiers(frame: pl.DataFrame, columns: Sequence[str], stated: Stated) -> list[str]:
    """Returns columns of different whole numbers next to columns with fractions, in a table in which no column names the rows."""
    if frame.height < 2 or len(columns) > IDENTIFIED:
        return []
    numbers = {name: floats(frame[name]) for name in columns if not fractional(frame[name])}
    if len(numbers) == len(columns):
        return []
    return [
        name
        for name, values in numbers.items()
        if name not in stated.kept and not values.null_count() and values.is_unique().all() and not values.is_in([0.0, 1.0]).all()
    ]


def only_fractions(column: pl.Series) -> bool:
    """Returns whether all values of a column are numbers from 0 to 1, and one has a fractional part."""
    if not (column.dtype == pl.String or column.dtype.is_float()):
        return False
    numbers = (column.str.strip_chars() if column.dtype == pl.String else column).cast(pl.Float64, strict=False)
    return not numbers.null_count() and bool(numbers.is_between(0, 1).all() and (numbers != numbers.round()).any())
