"""What a quantisation is: a map from an element's assessment to one gain."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, TypeAlias

import polars as pl

from inexmetrics.terms import Term

__all__ = ["ANY_SCALE", "Quantisation", "Scale"]

Scale: TypeAlias = Literal["inex2004", "inex2005"]
ANY_SCALE: Final[frozenset[Scale]] = frozenset(("inex2004", "inex2005"))


@dataclass(frozen=True, slots=True, repr=False)
class Quantisation(Term, ABC):
    """A map from exhaustivity and specificity to a gain; it says what an element is worth to a reader."""

    sort: ClassVar[str] = "quantisation"

    @abstractmethod
    def gain(self, e: pl.Expr, s: pl.Expr, size: pl.Expr) -> pl.Expr:
        """The gain as an expression over assessed elements.

        Args:
            e: Exhaustivity as a number, 0 to 3; null where it is "too small" (`?`), which is never a number, and
                where assessors were not asked for it.
            s: Specificity, from 0 to 1; on the INEX 2004 scale thirds.
            size: Characters in the element.
        """

    @property
    @abstractmethod
    def scales(self) -> frozenset[Scale]:
        """The assessment scales it is defined on."""

    @property
    @abstractmethod
    def needs_exhaustivity(self) -> bool:
        """Whether assessments without exhaustivity (highlighting alone) cannot be quantised by it."""

    @property
    @abstractmethod
    def needs_size(self) -> bool:
        """Whether assessments without element sizes cannot be quantised by it."""

    @property
    def assessor(self) -> str | None:
        """The assessor whose judgements alone are read, or None for all there are."""
        return None
