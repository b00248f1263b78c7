"""Cells of tables: the text of a value, its width, and where a line may break.

Numbers are shown at four decimals, booleans as yes and no, what is missing as a dash.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import polars as pl

from inexmetrics.common.messages import printable

__all__ = ["MISSING", "P_VALUES", "UNBOUNDED", "Column", "columns_of", "pieces", "width_of", "wrapped"]

DECIMALS: Final = 4
MISSING: Final = "-"
LEVELS: Final = frozenset({"level", "move", "lower", "upper"})
"""Columns of round numbers chosen by the experiment, written with as few decimals as they need."""
P_VALUES: Final = frozenset({"p_value", "p_adjusted", "p_predictor", "p_truth"})
UNBOUNDED: Final[Mapping[str, float]] = MappingProxyType({})
"""No column has a bound for its p-values of 0."""


@dataclass(frozen=True, slots=True)
class Column:
    """A formatted column: its name, its cells, and whether they are numbers."""

    name: str
    cells: tuple[str, ...]
    numeric: bool


def columns_of(frame: pl.DataFrame, smallest_p: Mapping[str, float]) -> list[Column]:
    """The formatted columns of a table; `smallest_p` is the bound below which a p-value of 0 lies, by column."""
    return [Column(column.name, tuple(_cells(column, smallest_p)), column.dtype.is_numeric()) for column in frame.iter_columns()]


def _cells(column: pl.Series, smallest_p: Mapping[str, float]) -> Iterator[str]:
    decimals = DECIMALS
    if column.dtype.is_float() and column.name in LEVELS:
        decimals = _places(column)
    for value in column:
        if value is None or (isinstance(value, float) and math.isnan(value)):
            yield MISSING
        elif isinstance(value, bool):
            yield "yes" if value else "no"
        elif isinstance(value, float):
            yield _p_value(value, smallest_p.get(column.name)) if column.name in P_VALUES else _decimal(value, decimals)
        else:
            yield printable(str(value))


def _places(column: pl.Series) -> int:
    """The fewest decimals, at most four, that write every value of the column exactly."""
    values = [value for value in column.drop_nulls().drop_nans().to_list() if math.isfinite(value)]
    return next((places for places in range(1, DECIMALS) if all(round(value, places) == value for value in values)), DECIMALS)


def _decimal(value: float, decimals: int = DECIMALS) -> str:
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0.0 else text


def _p_value(value: float, smallest: float | None) -> str:
    """A p-value; one that rounds to 0, or that its test cannot distinguish from 0, as less than the next number shown."""
    shown = 10**-DECIMALS
    bound = shown if value > 0.0 or smallest is None else max(math.ceil(smallest / shown - 1e-6), 1) * shown
    return f"<{bound:.{DECIMALS}f}" if value < shown / 2 else _decimal(value)


def pieces(text: str) -> list[str]:
    """The parts of a text between which a line may end: words, and the words of a term."""
    return [piece for piece in re.split(r"(?<=[_,+/~-])(?=\S)|(?<=\.)(?=\D)|(?<=\s)|(?=[(\[])", text) if piece] or [""]


def wrapped(text: str, size: int) -> list[str]:
    """The text in lines no wider than `size`."""
    if width_of(text) <= size:
        return [text]
    lines = [""]
    for piece in pieces(text):
        if lines[-1] and width_of(lines[-1] + piece.rstrip()) > size:
            lines.append("")
        lines[-1] += piece
        while width_of(lines[-1].rstrip()) > size:
            fitting = _fitting(lines[-1], size)
            lines[-1:] = [lines[-1][:fitting], lines[-1][fitting:]]
    return [line.rstrip() for line in lines]


def _fitting(text: str, size: int) -> int:
    """Number of characters that fit in the given width, at least one."""
    return next((count for count in range(len(text), 1, -1) if width_of(text[:count]) <= size), 1)


def width_of(text: str) -> int:
    """Columns that the text takes in a terminal."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)
