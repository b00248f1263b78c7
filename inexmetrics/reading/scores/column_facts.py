"""Facts about the values of columns and of rows of scores, which doubts and errors are based on."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.common.arrays import FloatArray

__all__ = [
    "SMALL",
    "counts",
    "distinguishing",
    "floats",
    "fraction",
    "fractional",
    "half_units",
    "identifiers",
    "may_name",
    "only_fractions",
    "reordered",
]

IDENTIFIED: Final = 1000
"""Maximum number of columns that are searched for identifiers of topics; wider tables have runs in columns."""
SMALL: Final = 1e15
"""Larger numbers do not have decimals."""
_ADDRESS: Final = r"^\s*(https?://|www\.)"


def may_name(column: pl.Series) -> bool:
    """Returns whether a column of text may name the rows: its values are different, and are not addresses."""
    words = column.cast(pl.String)
    return bool(not words.null_count() and words.is_unique().all() and not words.str.contains(_ADDRESS).any())


def counts(column: pl.Series, *, again: bool = False) -> bool:
    """Returns whether a column numbers the rows from 0 or from 1; if `again`, the numbers may begin again, as those of joined tables do.

    Examples:
        >>> [counts(pl.Series(numbers)) for numbers in ([0, 1, 2], [1, 2, 3], [2, 3], [0, 1, 2, 0, 1])]
        [True, True, False, False]
        >>> [counts(pl.Series(numbers), again=True) for numbers in ([0, 1, 2, 0, 1], [0, 2])]
        [True, False]
    """
    numbers = column.cast(pl.String).str.strip_chars().cast(pl.Int64, strict=False)
    if numbers.null_count() or (len(numbers) and numbers[0] not in (0, 1)):
        return False
    follows = numbers.diff() == 1
    return bool((follows | (numbers == numbers[0]) if again else follows).slice(1).all())


def distinguishing(frame: pl.DataFrame, columns: Iterable[str], keys: Sequence[str]) -> list[str]:
    """Returns the columns that distinguish rows whose keys are equal.

    Examples:
        >>> rows = pl.DataFrame({"topic": [1, 1, 2], "judge": ["a", "b", "a"], "note": ["x", "x", "y"]})
        >>> distinguishing(rows, ["judge", "note"], ["topic"])
        ['judge']
    """
    return [name for name in columns if not frame.select(*keys, pl.col(name).alias("\n")).is_duplicated().any()]


def reordered(columns: Mapping[str, Sequence[pl.Series]]) -> str | None:
    """Returns the column of which several tables contain the same different names, mostly in other rows; None if there is none.

    A column that contains the same names in the same rows states that the tables have one order.

    Args:
        columns: For each column of text, its cells in each table.

    Examples:
        >>> ask, answer, other = (
        ...     pl.Series(["who", "why", "how"]),
        ...     pl.Series(["I", "so", "no"]),
        ...     pl.Series(["how", "who", "why"]),
        ... )
        >>> (
        ...     reordered({"ask": [ask, other]}),
        ...     reordered({"ask": [ask, ask], "b": [ask, other]}),
        ...     reordered({"ask": [ask, answer]}),
        ... )
        ('ask', None, None)
    """
    found = None
    for name, cells in columns.items():
        if len(cells) > 1 and all(each.is_unique().all() and not each.null_count() for each in cells):
            rows = pl.concat([each.cast(pl.String).alias("name").to_frame().with_row_index("row") for each in cells])
            shared = rows.group_by("name").agg(pl.len().alias("times"), pl.col("row").n_unique()).filter(pl.col("times") > 1)
            moved, most = int((shared["row"] > 1).sum()), 5 * len(shared) >= 4 * len(cells[0])
            if most and not moved:
                return None
            found = name if found is None and most and 2 * moved > len(shared) else found
    return found


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


def identifiers(frame: pl.DataFrame, columns: Sequence[str], kept: Collection[str]) -> list[str]:
    """Returns columns of different whole numbers, which are not only 0 and 1, next to columns with fractions: topics are numbered so."""
    if frame.height < 2 or len(columns) > IDENTIFIED:
        return []
    numbers = {name: floats(frame[name]) for name in columns if not fractional(frame[name])}
    if len(numbers) == len(columns):
        return []
    different = {name for name, values in numbers.items() if not values.null_count() and values.is_unique().all()}
    return [name for name in numbers if name in different and name not in kept and not numbers[name].is_in([0.0, 1.0]).all()]


def only_fractions(column: pl.Series) -> bool:
    """Returns whether all values of a column are numbers from 0 to 1, and one has a fractional part."""
    numbers = floats(column)
    return fractional(column) and not numbers.null_count() and numbers.is_between(0, 1).all()


def half_units(there: FloatArray) -> FloatArray:
    """Returns half of a unit of the last decimal of each row's scores; 0 if there are more than nine decimals.

    Examples:
        >>> half_units(np.array([[0.25, 0.5], [3, 10], [12.5, 7], [0, 5e-7]])).tolist()
        [0.005, 0.5, 0.05, 5e-08]
    """
    found = np.zeros(len(there))
    left = np.ones(len(there), dtype=np.bool_)
    small = np.where(np.abs(there) < SMALL, there, np.nan)
    for decimals in range(10):
        scaled = small[left] * 10.0**decimals
        # 1e-16 beside a whole number is an error of floats, but 5e-7 is no whole number.
        error = np.abs(scaled - np.round(scaled)) - np.minimum(1e-6, 1e-11 * np.abs(scaled))
        whole = ~(error > 0.0).any(axis=1)
        places = np.flatnonzero(left)[whole]
        found[places] = 0.5 * 10.0**-decimals
        left[places] = False
        if not left.any():
            break
    return found
