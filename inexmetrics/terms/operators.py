"""Operators of formulas, which raise an error between terms in Python; the error shows how to write the formula in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, NoReturn

from inexmetrics.common.messages import canonical, shortened

__all__ = ["FormulaOperators"]

STAGES: Final = {"significance test": "test", "correction": "correction"}
"""Name of the Python argument that corresponds to each kind of term after ``|`` in a formula."""
JOINED: Final = {"measure", "family of measures", "quantisation"}
"""Kinds of terms that can be joined by ``+`` in formulas."""


class FormulaOperators:
    """Base class of terms, in which every operator of formulas raises an error. Measures that need a cutoff override ``@``."""

    __slots__ = ()
    category: ClassVar[str]

    if not TYPE_CHECKING:  # hidden from type checkers, so that they report these operators as errors

        def __add__(self, other: object) -> object:
            return _joined(self, other)

        def __radd__(self, other: object) -> object:
            return _joined(other, self)

        def __or__(self, other: object) -> object:
            return _staged(self, other)

        def __ror__(self, other: object) -> object:
            return _staged(other, self)

        def __invert__(self) -> NoReturn:
            raise TypeError(f"'~' is for formulas; in Python {self} is the second argument, as in scores(MAep, Gen5)")

        def __matmul__(self, at: object) -> object:
            if self.category != "measure" or not isinstance(at, int | float):
                return NotImplemented
            if hasattr(self, "budget"):
                raise TypeError(
                    f"{self.word} has no cutoff; to read the first {at} characters of each list, write {self.word}(budget={at})"
                )
            if hasattr(self, "at"):
                raise TypeError(f"{self} has a cutoff already; write {self.family} @ {at}")
            raise TypeError(f"{self} does not accept a cutoff; keep_first(runs, {at}) truncates the runs")


def _joined(first: object, second: object) -> object:
    items = [item for side in (first, second) for item in (side if isinstance(side, tuple) else (side,))]
    if not all(isinstance(item, FormulaOperators) and item.category in JOINED for item in items):
        return NotImplemented
    raise TypeError(f"'+' is for formulas; in Python, write ({', '.join(map(_text, items))})")


def _staged(first: object, second: object) -> object:
    stages = [side for side in (first, second) if isinstance(side, FormulaOperators) and side.category in STAGES]
    if not stages:
        return NotImplemented
    written = ", ".join(f"{STAGES[stage.category]}={_text(stage)}" for stage in stages)
    measure = _text(first) if isinstance(first, FormulaOperators) and first.category == "measure" else "MAP"
    raise TypeError(f"'|' is for formulas; in Python, write {written}, as in significance({measure}, {written})")


def _text(term: object) -> str:
    """Formats a term as Python code."""
    text = f"{term.family} @ {canonical(term.at)}" if hasattr(term, "family") and hasattr(term, "at") else canonical(term)
    return shortened(text)
