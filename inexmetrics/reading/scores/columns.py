"""Facts about the values of columns in score tables, for doubts and messages: text, numbers of rows, and identifiers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import polars as pl

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import describe
from inexmetrics.common.options import Direction
from inexmetrics.reading.scores.stated import Stated
from inexmetrics.terms.lexicon import measure_here

__all__ = [
    "DIRECTED",
    "TRUE_OR_FALSE",
    "counts",
    "directions_in",
    "floats",
    "fraction",
    "fractional",
    "identifiers",
    "may_name",
    "numbers_rows",
    "only_fractions",
    "texts",
]

TRUE_OR_FALSE: Final = {"true": "1", "false": "0"}
DIRECTED: Final = "higher_is_better"
"""Heading, in lower case, of a column that states the direction of the measure of each score."""
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


def directions_in(measures: pl.Series, stated: pl.Series, what: str) -> dict[str, Direction]:
    """Returns the direction of each measure that a column of true and false states; the key of unnamed measures is empty.

    Args:
        measures: The measure of each score.
        stated: For each score, whether higher scores are better; a missing value states nothing.
        what: The name of the table in messages.

    Raises:
        CollectionError: A value is neither true nor false, or a measure has two directions.

    Examples:
        >>> directions_in(pl.Series(["wer", "f1"]), pl.Series([False, True]), "scores")
        {'wer': 'lower', 'f1': 'higher'}
    """
    words = stated.cast(pl.String).str.strip_chars().str.to_lowercase()
    found: dict[str, Direction] = {}
    named = pl.DataFrame([measures.fill_null("").alias("measure"), words.replace(TRUE_OR_FALSE).alias("higher")]).unique(
        maintain_order=True
    )
    for measure, higher in named.drop_nulls().filter(pl.col("higher") != "").iter_rows():
        if higher not in TRUE_OR_FALSE.values():
            raise CollectionError(Problem(f"{stated.name}: expected true or false, found {describe(higher)}", file=what))
        direction: Direction = "higher" if higher == "1" else "lower"
        if found.setdefault(measure_here(measure), direction) != direction:
            of = f" for {measure}" if measure else ""
            raise CollectionError(Problem(f"{stated.name}: expected one direction{of}, found true and false", file=what))
    return found


def may_name(column: pl.Series) -> bool:
    """Returns whether a column of text may name the rows: its values are different, and are not addresses."""
    words = column.cast(pl.String)
    return bool(not words.null_count() and words.is_unique().all() and not words.str.contains(_ADDRESS).any())


def counts(column: pl.Series) -> bool:
    """Returns whether a column numbers the rows from 0 or from 1."""
    numbers = column.cast(pl.String).str.strip_chars().cast(pl.Int64, strict=False)
    return any(numbers.equals(pl.int_range(start, start + len(numbers), eager=True), check_names=False) for start in (0, 1))


def numbers_rows(column: pl.Series) -> bool:
    """Returns whether a column numbers the rows from 0 or from 1; the numbers may begin again, as those of joined tables do.

    Examples:
        >>> [numbers_rows(pl.Series(numbers)) for numbers in ([0, 1, 2, 0, 1], [1, 2, 3], [2, 3], [0, 2])]
        [True, True, False, False]
    """
    numbers = column.cast(pl.String).str.strip_chars().cast(pl.Int64, strict=False)
    if numbers.null_count() or numbers.first() not in (0, 1):
        return False
    follows = (numbers == numbers.shift() + 1) | (numbers == numbers[0])
    return bool(follows.slice(1).all())


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
