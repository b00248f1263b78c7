"""Declared columns: their types and valid values, and how the values of a table are converted to these types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

from inexmetrics.collection.schemas import FURTHEST
from inexmetrics.common.arrays import BLOCK, one_of_each
from inexmetrics.common.errors import CollectionError

__all__ = [
    "EXACT",
    "WHITE",
    "WORDS_READ",
    "YES_OR_NO",
    "Column",
    "has_blanks",
    "only_words",
    "read_values",
    "rounded_values",
    "with_shared_categories",
]

WHITE: Final = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
"""Unicode white space that polars removes in strip_chars; Python's strip also removes the characters 0x1c to 0x1f."""
BEYOND: Final = 2 * FURTHEST
"""Maximum absolute value of numbers that are converted to integers. Larger numbers are clipped, so that the conversion does not
overflow."""
DIGITS: Final = {"Float16": 11, "Float32": 24, "Float64": 53}
"""Number of bits of precision of each type of float; a float represents every integer with at most this number of bits exactly."""
EXACT: Final = f"a whole number below {FURTHEST} in absolute value (larger numbers are rounded, and different scores would tie)"
"""Description of the expected values, for error messages about whole numbers that a float cannot represent exactly."""
WHOLE: Final = r"^[+-]?[0-9]+(\.0*)?$"
"""Regular expression for a whole number."""
NOT_ZERO: Final = "^[^eE]*[1-9]"
"""Regular expression for a number other than 0."""
YES_OR_NO: Final = {"yes": "1", "true": "1", "relevant": "1", "no": "0", "false": "0", "irrelevant": "0"}
"""Words in lower case that are read as numbers in columns of judgements."""
WORDS_READ: Final = "yes, true or relevant read as 1, no, false or irrelevant as 0"
"""What results say about grades in words."""
SMALLER: Final = frozenset({pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32})
"""Integer types whose values all fit into a signed 64-bit integer."""


@dataclass(frozen=True, slots=True)
class Column:
    """The declaration of a column: name, type and valid values.

    Attributes:
        name: The name of the column.
        dtype: The type of the values: text, integers or floats.
        expected: A description of the valid values, for error messages.
        holds: An expression that is true for valid values; values for which the expression is null are also valid.
        needed: Whether the column is required, with a value in every row; an optional column may be missing, or have missing values.
        gaps: Whether NaN is treated as a missing value, as in pandas; otherwise NaN is treated as a number that is not finite.
        exact: Whether whole numbers that a float cannot represent exactly are errors.
        codes: Whether to keep the type of a Categorical or Enum column; if false, its values are converted to text.
        bare: Whether white space around text is removed.
        words: Whether the words of `YES_OR_NO`, in any case, are read as 1 and 0 in a column without other numbers.
    """

    name: str
    dtype: pl.DataType
    expected: str
    holds: pl.Expr | None = None
    needed: bool = False
    gaps: bool = True
    exact: bool = False
    codes: bool = False
    bare: bool = False
    words: bool = False


def only_words(values: pl.Series) -> bool:
    """Returns whether a column of text contains words that mean 1 or 0, and no number but 1 and 0; other words are invalid themselves.

    Examples:
        >>> [
        ...     only_words(pl.Series(values))
        ...     for values in (["Yes", None, "0", "unsure"], ["yes", "2"], ["1", "0"])
        ... ]
        [True, False, False]
    """
    if values.dtype != pl.String:
        return False
    written = values.str.strip_chars().replace("", None).drop_nulls().str.to_lowercase()
    numbers = written.cast(pl.Float64, strict=False).drop_nulls()
    return bool(written.is_in([*YES_OR_NO]).any() and numbers.is_in([0.0, 1.0]).all())


def with_shared_categories(frame: pl.DataFrame) -> pl.DataFrame:
    """Returns a table with text in place of columns that have categories of their own.

    Codes of such categories have no meaning in other columns, and polars does not compare the categories with text.
    """
    own = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.Categorical) and dtype != pl.Categorical()]
    return frame.with_columns(pl.col(own).cast(pl.String)) if own else frame


def read_values(own: pl.Series, column: Column, called: str, file: str) -> tuple[pl.Expr, pl.Expr | None, str]:
    """Returns a column's typed values, a mask of the values that cannot be converted (None if all can), and the expected values.

    Args:
        own: The column of the table.
        column: The declaration of the column.
        called: The name of the column in messages.
        file: The name of the table in messages.

    Raises:
        CollectionError: The column has a type that cannot be converted to the declared type.
    """
    values, dtype = pl.col(own.name), own.dtype
    if isinstance(dtype, pl.Enum | pl.Categorical):
        if column.codes and not (column.bare and has_blanks(own)):
            return pl.when(values != "").then(values) if (own == "").any() else values, None, column.expected
        values, own, dtype = values.cast(pl.String), own.cast(pl.String), pl.String()
    if isinstance(column.dtype, pl.String):
        if dtype.is_integer() or dtype in (pl.String, pl.Null):
            texts = values.cast(pl.String)
            # Comparisons are much faster than replacements.
            blanks = column.bare and has_blanks(own)
            texts = texts.str.strip_chars() if blanks else texts
            return texts.replace("", None) if blanks or (dtype == pl.String and (own == "").any()) else texts, None, column.expected
        if not dtype.is_float():
            raise CollectionError(f"{called}: expected text or integers, found a column of type {dtype}", file=file)
        # pandas converts integers with missing values to floats. Floats with a fraction cannot be names, and large floats may have lost
        # digits; both are errors.
        numbers = values.fill_nan(None)
        exact = 2 ** DIGITS[str(dtype)]
        whole = pl.when(numbers.abs() < exact).then(numbers.round()).cast(pl.Int64)
        wrong = (numbers != whole).fill_null(value=False) | (whole.is_null() & numbers.is_not_null())
        return whole.cast(pl.String), wrong, "text or an integer"
    unreadable = None
    if dtype == pl.String:
        written = values.str.strip_chars().replace("", None)
        if column.words and only_words(own):
            written = written.str.to_lowercase().replace(YES_OR_NO)
        numbers = written.cast(pl.Float64, strict=False)
        unreadable = numbers.is_null() & written.is_not_null()
    elif isinstance(column.dtype, pl.Int64) and dtype in SMALLER:
        return values.cast(pl.Int64), None, column.expected
    elif dtype.is_numeric() or dtype == pl.Null or (dtype == pl.Boolean and not isinstance(column.dtype, pl.Int64)):
        written, numbers = values, values.cast(pl.Float64)
        numbers = numbers.fill_nan(None) if column.gaps and not column.needed else numbers
    else:
        found = "true and false" if dtype == pl.Boolean else f"a column of type {dtype}"
        raise CollectionError(f"{called}: expected numbers, found {found}", file=file)
    if isinstance(column.dtype, pl.Int64):
        near = numbers.clip(-BEYOND, BEYOND)  # BEYOND is larger than all valid integers
        whole = pl.when(near == near.round()).then(near).cast(pl.Int64, strict=False)
        if not dtype.is_float():  # floats represent integers exactly up to 2^53
            whole = pl.coalesce(written.cast(pl.Int64, strict=False), whole)
        fraction = whole.is_null() & numbers.is_not_null()
        # A float represents 1e-400 as 0.
        tiny = dtype == pl.String and own.str.contains_any(["e-"], ascii_case_insensitive=True).any()
        fraction = fraction | ((numbers == 0) & written.str.contains(NOT_ZERO)) if tiny else fraction
        return whole, fraction if unreadable is None else unreadable | fraction, column.expected
    return numbers, unreadable, column.expected


def has_blanks(own: pl.Series) -> bool:
    """Returns whether a text or category in a column begins or ends with white space."""
    if isinstance(own.dtype, pl.Enum | pl.Categorical):
        own = own.drop_nulls()
        places = one_of_each(own.to_physical().to_numpy())
        return any(has_blanks(own.gather(places[first : first + BLOCK]).cast(pl.String)) for first in range(0, len(places), BLOCK))
    return own.dtype == pl.String and bool((own.str.strip_chars() != own).any())


def rounded_values(own: pl.Series) -> pl.Expr | None:
    """Returns an expression that is true for whole numbers that a float cannot represent exactly; None for a column of floats."""
    values, dtype = pl.col(own.name), own.dtype
    if dtype == pl.String:
        written = values.str.strip_chars()
        return written.str.contains(WHOLE) & (written.cast(pl.Float64, strict=False).abs() >= FURTHEST)
    return values.cast(pl.Float64).abs() >= FURTHEST if dtype.is_integer() or dtype.is_decimal() else None
