"""Cells of text tables: formatting of values, widths of texts, and line breaks.

Numbers are shown with four decimals, or with more if all numbers of a column are small, booleans as yes and no, and missing values as a dash.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from types import MappingProxyType
from typing import Final

import polars as pl

from inexmetrics.common.messages import canonical, printable

__all__ = [
    "MISSING",
    "P_VALUES",
    "UNBOUNDED",
    "FormattedColumn",
    "columns_of",
    "decimal",
    "decimals_of",
    "heading_pieces",
    "in_few_decimals",
    "intervals",
    "p_value",
    "pieces",
    "plus_minus",
    "three_digits",
    "width_of",
    "wrapped",
]

DECIMALS: Final = 4
ALWAYS: Final[Iterable[int]] = repeat(DECIMALS)
"""The usual number of decimals in every row; never exhausted."""
MISSING: Final = "-"
LEVELS: Final = frozenset({"level", "move", "lower", "upper", "judge_grade", "truth_grade"})
"""Names of columns with round numbers, such as assessors' grades, which are shown with as few decimals as possible."""
ASKED: Final = frozenset({"difference", "power", "move"})
"""Names of columns that contain numbers, and are therefore right-aligned even if their type is text."""
VARIANCES: Final = "var_"
"""Prefix of the names of variance columns. Variances are shown with three significant digits."""
SCORES: Final = frozenset({
    "score", "value", "mean", "low", "high", "difference", "opponent_mean", "mean_judge", "mean_truth", "low_truth", "high_truth",
    "low_prediction", "high_prediction", "difference_predictor", "difference_judge", "difference_truth",
})  # fmt: skip
"""Names of columns of one table whose numbers have the same unit, and are therefore shown with the same number of decimals."""
SHARES: Final = frozenset({"share", "wrong_direction", "precision", "recall", "f1", "power", "error_rate"})
"""Names of columns with shares, which have four decimals however small they are, as have the ends of their intervals."""
DIGITS: Final = 3
"""Minimum number of significant digits of the largest number of a column."""
MOST_DECIMALS: Final = 7
"""Maximum number of decimals; smaller numbers are shown with an exponent."""
NOISE: Final = 1e-12
"""Numbers below are rounding errors of zeros, and get no further decimals."""
P_VALUES: Final = frozenset({"p_value", "p_adjusted", "p_predictor", "p_judge", "p_truth", "p_differs", "p_equivalent"})
UNBOUNDED: Final[Mapping[str, float]] = MappingProxyType({})
"""Empty default of the parameter `smallest_p`: the smallest possible p-value is unknown for every column."""


@dataclass(frozen=True, slots=True)
class FormattedColumn:
    """Formatted column of a table: the column's name, the texts of its cells, and whether the cells are right-aligned."""

    name: str
    cells: tuple[str, ...]
    numeric: bool


def columns_of(
    frame: pl.DataFrame, smallest_p: Mapping[str, float], right: Collection[str] = (), decimals: Mapping[str, Sequence[int]] | None = None
) -> list[FormattedColumn]:
    """Formats the columns of a table.

    Args:
        frame: Table.
        smallest_p: Smallest p-value that a test can compute, by column name. A p-value of 0 is shown as ``<`` followed by the smallest
            p-value.
        right: Names of text columns that are right-aligned.
        decimals: Number of decimals in each row, by column name; None for those of `decimals_of`.
    """
    decimals = decimals_of(frame) if decimals is None else decimals
    return [
        FormattedColumn(
            printable(column.name),
            tuple(_cells(column, smallest_p, decimals)),
            column.dtype.is_numeric() or column.name in {*right, *ASKED},
        )
        for column in frame.iter_columns()
    ]


def decimals_of(frame: pl.DataFrame) -> dict[str, list[int]]:
    """Returns the number of decimals in each row of the columns with numbers: four, or more if all numbers would otherwise lose their digits.

    The columns `SCORES` of a measure share a number of decimals. If it is above `MOST_DECIMALS`, `decimal` writes an exponent.

    Examples:
        >>> frame = pl.DataFrame(
        ...     {"measure": ["MAP", "cost"], "mean": [0.5, 0.00002], "high": [0.00001, 0.00025]}
        ... )
        >>> decimals_of(frame)
        {'mean': [4, 6], 'high': [4, 6]}
    """
    names = [name for name, dtype in frame.schema.items() if dtype.is_float()]
    usual = LEVELS | P_VALUES | SHARES | (frozenset() if SHARES.isdisjoint(names) else SCORES)
    numbers = [name for name in names if name not in usual]
    scores = [name for name in numbers if name in SCORES]

    def largest(name: str) -> pl.Expr:
        sizes = [pl.when(pl.col(each).is_finite()).then(pl.col(each).abs()) for each in (scores if name in SCORES else [name])]
        size = pl.max_horizontal(sizes).max()
        return size.over("measure" if name in SCORES and "measure" in frame.columns else pl.lit(1)).alias(name)

    found = frame.select(map(largest, numbers)) if numbers else frame.clear()
    return {name: [_decimals(size) for size in found[name]] if name in numbers else [DECIMALS] * frame.height for name in names}


def _decimals(largest: float | None) -> int:
    return DECIMALS if largest is None or largest < NOISE else max(DECIMALS, DIGITS - 1 - math.floor(math.log10(largest)))


def _cells(column: pl.Series, smallest_p: Mapping[str, float], decimals: Mapping[str, Sequence[int]]) -> Iterator[str]:
    asked: dict[float, str] = {}
    if column.dtype.is_float() and column.name in LEVELS:
        known = [value for value in column.unique().to_list() if value is not None and math.isfinite(value)]
        asked = dict(zip(known, in_few_decimals(known), strict=True))
    for row, value in enumerate(column):
        if value is None or (isinstance(value, float) and math.isnan(value)):
            yield MISSING
        elif isinstance(value, bool):
            yield "yes" if value else "no"
        elif isinstance(value, float):
            if value in asked:
                yield asked[value]
            elif column.name in P_VALUES:
                yield p_value(value, smallest_p.get(column.name))
            else:
                yield three_digits(value) if column.name.startswith(VARIANCES) else decimal(value, decimals[column.name][row])
        else:
            yield printable(str(value))


def three_digits(value: float) -> str:
    """Formats a number with three significant digits. Only numbers below 1e-9 and numbers of at least 1e9 have an exponent.

    Examples:
        >>> (
        ...     three_digits(0.0000795),
        ...     three_digits(0.000247),
        ...     three_digits(0.5),
        ...     three_digits(1234.5),
        ...     three_digits(0.0),
        ... )
        ('0.0000795', '0.000247', '0.500', '1230', '0')
    """
    if value == 0.0 or not 1e-9 <= abs(value) < 1e9:
        return f"{value:.3g}"
    digits = 2 - math.floor(math.log10(abs(value)))
    return f"{round(value, digits):.{max(digits, 0)}f}"


def in_few_decimals(values: Sequence[float], *, exact: bool = False) -> list[str]:
    """Formats numbers such as grades with a common number of decimals: as few as possible, and at most four.

    If rounding to four decimals would make different numbers equal or make a nonzero number 0, all numbers are formatted in full precision.
    If `exact` is True and any number has more than four decimals, all numbers are formatted in full precision.

    Examples:
        >>> in_few_decimals([0.0, 0.1, 1.0]), in_few_decimals([0.0, 2.0]), in_few_decimals([0.5, 0.00001])
        (['0.0', '0.1', '1.0'], ['0', '2'], ['0.5', '1e-05'])
    """
    places = next((places for places in range(DECIMALS) if all(round(value, places) == value for value in values)), DECIMALS)
    cells = [decimal(value, places) for value in values]
    if exact and [float(cell) for cell in cells] != [*values]:
        return [canonical(value) for value in values]
    return cells if len({0.0, *map(float, cells)}) == len({0.0, *values}) else [canonical(value) for value in values]


def decimal(value: float | None, decimals: int = DECIMALS) -> str:
    """Formats a number with the given number of decimals, or with an exponent; a missing value is formatted as a dash.

    Examples:
        >>> decimal(0.00025), decimal(0.00025, 6), decimal(0.0000069, 8), decimal(0.0, 8)
        ('0.0003', '0.000250', '6.90e-06', '0')
    """
    if value is None or math.isnan(value):
        return MISSING
    if decimals > MOST_DECIMALS:
        return "0" if abs(value) < NOISE else f"{value:.{DIGITS - 1}e}"
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0.0 else text


def p_value(value: float, smallest: float | None = None) -> str:
    """Formats a p-value. A value that rounds to 0 is formatted as ``<`` and a bound, such as ``<0.0001``."""
    shown = 10**-DECIMALS
    bound = shown if value > 0.0 or smallest is None else max(math.ceil(smallest / shown - 1e-6), 1) * shown
    return f"<{bound:.{DECIMALS}f}" if value < shown / 2 else decimal(value)


def intervals(lows: Iterable[float | None], highs: Iterable[float | None], decimals: Iterable[int] = ALWAYS) -> list[str]:
    """Formats intervals as aligned cells of a table, such as ``[0.1000, 0.2500]``.

    Examples:
        >>> intervals([0.1, -0.2, None], [0.25, 0.125, None])
        ['[ 0.1000, 0.2500]', '[-0.2000, 0.1250]', '-']
    """
    ends = [
        None if low is None or high is None else (decimal(low, places), decimal(high, places))
        for low, high, places in zip(lows, highs, decimals, strict=False)
    ]
    wide = [max((len(pair[side]) for pair in ends if pair), default=0) for side in (0, 1)]
    return [MISSING if pair is None else f"[{pair[0]:>{wide[0]}}, {pair[1]:>{wide[1]}}]" for pair in ends]


def plus_minus(values: Iterable[float | None], margins: Iterable[float | None], decimals: Iterable[int] = ALWAYS) -> list[str]:
    """Formats values and their margins of error as aligned cells of a table; if a margin is missing, only the value is shown.

    Examples:
        >>> plus_minus([0.5, 0.25], [0.1, 0.0625])
        ['0.5000 ± 0.1000', '0.2500 ± 0.0625']
    """
    return [
        decimal(value, places) + ("" if margin is None or math.isnan(margin) else f" ± {decimal(margin, places)}")
        for value, margin, places in zip(values, margins, decimals, strict=False)
    ]


def with_intervals(
    values: Iterable[float | None], lows: Iterable[float | None], highs: Iterable[float | None], decimals: Iterable[int] = ALWAYS
) -> list[str]:
    """Formats values and their intervals as cells of a table; if an interval is missing, only the value is shown.

    Examples:
        >>> with_intervals([0.5, 0.25], [0.25, None], [1.0, None])
        ['0.5000 [0.2500, 1.0000]', '0.2500                 ']
    """
    ends = ("" if end == MISSING else end for end in intervals(lows, highs, decimals))
    cells = [(decimal(value, places), end) for value, end, places in zip(values, ends, decimals, strict=False)]
    widest = max((len(end) for _, end in cells), default=0)
    return [f"{value} {end:<{widest}}" if widest else value for value, end in cells]


def pieces(text: str) -> list[str]:
    """Splits a text wherever a line may be broken: after spaces and operators, and before parentheses."""
    return [piece for piece in re.split(r"(?<=[_,+/~-])(?=\S)|(?<=\.)(?=\D)|(?<=\s)|(?=[(\[])", text) if piece] or [""]


def heading_pieces(text: str) -> list[str]:
    """Splits a heading wherever a line may be broken: after underscores and spaces.

    Examples:
        >>> heading_pieces("opponent_mean"), heading_pieces("nxCG@25 ~ Gen5")
        (['opponent_', 'mean'], ['nxCG@25 ', '~ ', 'Gen5'])
    """
    return [piece for piece in re.split(r"(?<=_)(?=[^_])|(?<=\s)(?=\S)", text) if piece] or [""]


def wrapped(text: str, size: int, parts: Callable[[str], Sequence[str]] = pieces) -> list[str]:
    """Wraps a text into lines that are at most `size` wide. Lines are broken between the `parts` of the text if possible."""
    if width_of(text) <= size:
        return [text]
    lines = [""]
    for piece in parts(text):
        if lines[-1] and width_of(lines[-1] + piece.rstrip()) > size:
            lines.append("")
        lines[-1] += piece
        while width_of(lines[-1].rstrip()) > size:
            line = lines.pop()
            # the number of characters that fit into the width, at least 1
            fitting = next((count for count in range(len(line), 1, -1) if width_of(line[:count]) <= size), 1)
            lines += [line[:fitting], line[fitting:]]
    return [line.rstrip() for line in lines]


def width_of(text: str) -> int:
    """Returns the width of a text in a terminal, in character cells."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)
