"""A table taken up column by column: names and their aliases, types, and every wrong cell with its row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from inexmetrics.collection.score_matrices import BOUNDED_SCORE, LARGEST_SCORE
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import describe, did_you_mean, enumerate_names
from inexmetrics.reading.checker import ALIASES
from inexmetrics.reading.in_memory.tabular import tabular
from inexmetrics.reading.places import Places

__all__ = ["Sheet"]


class Sheet:
    """A table whose columns are asked for by name; what is wrong with a cell is noted, with its row, and told at the end.

    Args:
        table: A frame, or rows with named values.
        what: What the table holds, as error messages name it; the file's name where it stands in a file.
        lines: Line of each row in that file.
        called: What error messages call a column; None is its own name.
    """

    def __init__(self, table: object, what: str, lines: Sequence[int] | None = None, called: str | None = None) -> None:
        self.what = what
        self.places = Places(what, lines)
        self._called = called
        self._frame = tabular(table, what)
        self._own: dict[str, str] = {}
        for name, aliases in ALIASES.items():
            for alias in (name, *aliases):
                if alias in self._frame.columns:
                    self._own.setdefault(name, alias)
        self._bad = np.zeros(self._frame.height, dtype=np.bool_)
        self._found: list[tuple[int, Problem]] = []

    @property
    def height(self) -> int:
        """The number of rows."""
        return self._frame.height

    def has(self, name: str) -> bool:
        """Whether there is such a column, under any of its names."""
        return name in self._own

    @property
    def found(self) -> list[Problem]:
        """The wrong rows noted so far, in the order of the rows."""
        return [problem for _, problem in sorted(self._found, key=lambda noted: noted[0])]

    def ids(self, name: str) -> pl.Series:
        """The column as identifiers, which are text; integers are written out. None may be missing."""
        values = self._ids(name)
        self.refuse(name, values.is_null() | (values == ""), "an identifier")
        return values

    def texts(self, name: str) -> pl.Series:
        """The column as text, null where it is missing or empty; all null where there is no such column."""
        if not self.has(name):
            return pl.Series(name, [None], dtype=pl.String).new_from_index(0, self.height)
        return self._ids(name).replace("", None)

    def numbers(
        self, name: str, at_least: float | None = None, at_most: float | None = None, *, missing: bool = False, gaps: bool = True
    ) -> pl.Series:
        """The column as finite numbers within bounds.

        Args:
            name: Name of the column.
            at_least: Lower bound.
            at_most: Upper bound.
            missing: Whether a number, or the whole column, may be missing: null.
            gaps: Whether NaN, as pandas writes what is missing, is missing too; otherwise it is a wrong number.
        """
        if missing and not self.has(name):
            return pl.Series(name, [None], dtype=pl.Float64).new_from_index(0, self.height)
        expected = "a finite number" if at_least is None else f"a number of at least {at_least:g}"
        return self._within(name, self._numeric(name, missing=missing and gaps), at_least, at_most, expected, missing=missing)

    def scores(self, *, missing: bool, gaps: bool = True) -> pl.Series:
        """The column of scores, as `numbers`, of a size whose sums are finite."""
        scores = self.numbers("score", missing=missing, gaps=gaps)
        if self.has("score"):
            self.refuse("score", scores.abs() > LARGEST_SCORE, BOUNDED_SCORE)
        return scores

    def refuse(self, name: str, wrong: pl.Series, expected: str) -> None:
        """Notes the rows where a column does not hold what is expected; each row is told of once."""
        rows = np.flatnonzero(wrong.fill_null(value=False).to_numpy() & ~self._bad)
        own = self._own[name]
        for row, value in zip(rows.tolist(), self._frame[own].gather(rows).to_list(), strict=True):
            self._note(row, f"{self._called or own}: expected {expected}, found {describe(value)}")

    def need(self, *names: str) -> None:
        """Makes sure that there are columns of these names.

        Raises:
            CollectionError: One is missing; it tells what there is.
        """
        problems = []
        unknown = [own for own in self._frame.columns if own not in self._own.values()]
        for name in names:
            if not self.has(name):
                known = (name, *ALIASES[name])
                found = f"found {enumerate_names(self._frame.columns)}" if self._frame.columns else "found none"
                hint = next((f"; {hint[:-1]} for {own}?" for own in unknown if (hint := did_you_mean(own, known))), "")
                problems.append(Problem(f"{self.what}: expected a column {' or '.join(known)}, {found}{hint}"))
        if problems:
            raise CollectionError(problems)

    def rows(self, columns: Mapping[str, pl.Series]) -> pl.DataFrame:
        """The rows found right so far, of columns made from the sheet's, with their numbers as ``row``."""
        frame = pl.DataFrame([values.alias(name) for name, values in columns.items()]).with_row_index("row")
        return frame if not self._bad.any() else frame.filter(~pl.Series(self._bad))

    def check(self) -> None:
        """Makes sure that no row was noted.

        Raises:
            CollectionError: Every wrong row.
        """
        if self._found:
            raise CollectionError(self.found)

    def _note(self, row: int, text: str) -> None:
        self._bad[row] = True
        self._found.append((row, self.places.problem(row, text)))

    def _ids(self, name: str) -> pl.Series:
        self.need(name)
        values = self._frame[self._own[name]].rename(name)
        if values.dtype.is_float():
            # A column of integers with gaps becomes one of floats in pandas; other floats name nothing.
            whole = values.fill_nan(None)
            self.refuse(name, whole != whole.round(), "text or an integer")
            return whole.round().cast(pl.Int64, strict=False).cast(pl.String)
        if values.dtype.is_integer() or values.dtype in (pl.String, pl.Enum, pl.Categorical, pl.Null):
            return values.cast(pl.String)
        raise CollectionError(f"{self.what}: {self._own[name]}: expected text or integers, found a column of type {values.dtype}")

    def _numeric(self, name: str, *, missing: bool) -> pl.Series:
        """The column as floats: NaN for what is no number, null for what is missing."""
        self.need(name)
        values = self._frame[self._own[name]].rename(name)
        if values.dtype.is_numeric() or values.dtype in (pl.Boolean, pl.Null):
            numbers = values.cast(pl.Float64)
            # pandas writes NaN for what is missing.
            return numbers.fill_nan(None) if missing else numbers
        if values.dtype in (pl.String, pl.Enum, pl.Categorical):
            texts = values.cast(pl.String).str.strip_chars().replace("", None)
            numbers = texts.cast(pl.Float64, strict=False)
            return numbers.set(numbers.is_null() & texts.is_not_null(), float("nan"))
        raise CollectionError(f"{self.what}: {self._own[name]}: expected numbers, found a column of type {values.dtype}")

    def _within(
        self, name: str, numbers: pl.Series, at_least: float | None, at_most: float | None, expected: str, *, missing: bool
    ) -> pl.Series:
        wrong = ~numbers.is_finite()
        if at_least is not None:
            wrong |= numbers < at_least
        if at_most is not None:
            wrong |= numbers > at_most
            expected += f" and at most {at_most:g}" if at_most < 2**53 else ""
        if not missing:
            wrong = wrong.fill_null(value=True)
        self.refuse(name, wrong, expected)
        return numbers.set(wrong.fill_null(value=True), None)
