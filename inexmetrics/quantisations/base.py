"""What a quantisation is: a map from an element's assessment to one gain."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
import polars as pl

from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.errors import CollectionError, FormulaError, Problem
from inexmetrics.common.messages import canonical
from inexmetrics.common.scales import Scale
from inexmetrics.terms.term import Term, TermOf

__all__ = ["OF_ELEMENTS", "Quantisation"]


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

    @property
    def quantises(self) -> bool:
        """Whether it gives elements a gain; one that only names an assessor leaves judgements as they were made."""
        return True

    def gains(self, elements: pl.DataFrame) -> FloatArray:
        """The gain of each assessed element, in the order of the rows.

        Args:
            elements: Assessed elements, with the columns of `columns.ELEMENTS`.

        Raises:
            CollectionError: A gain is negative, infinite or no number; only a user's own quantisation gives such.
        """
        e = pl.col("exhaustivity").cast(pl.String).cast(pl.Float64, strict=False)  # "?" is no number: null
        gain = self.gain(e, pl.col("specificity"), pl.col("size")).cast(pl.Float64).fill_null(0.0)
        gains = elements.select(gain.alias("gain"))["gain"].to_numpy()
        wrong = np.flatnonzero(~((gains >= 0.0) & (gains < np.inf)))
        if wrong.size:
            element = elements.row(int(wrong[0]), named=True)
            place = element["doc_id"] if element["path"] is None else f"{element['doc_id']} {element['path']}"
            found = f"found {gains[wrong[0]]} for {place}"
            raise CollectionError(Problem(f"{self}: expected gains that are finite and at least 0, {found}", topic_id=element["topic_id"]))
        return gains


@dataclass(frozen=True, slots=True)
class _OfElements(TermOf[Quantisation]):
    """A quantisation of elements: one that only names an assessor gives them no gains to change."""

    def accept(self, value: object) -> Quantisation:
        if isinstance(value, Quantisation) and not value.quantises:
            raise FormulaError(
                f"expected a quantisation of elements, found {value}, which names an assessor alone",
                hint=f"write assessor({canonical(value.assessor)}, Gen5)",
            )
        return TermOf.accept(self, value)


OF_ELEMENTS: Final = _OfElements(Quantisation)
