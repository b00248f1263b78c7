"""What stands after ``~``: a quantisation, which maps an element's assessment to one gain, or whose judgements are read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.errors import CollectionError, FormulaError, Problem
from inexmetrics.common.messages import with_article
from inexmetrics.common.scales import ANY_SCALE, Scale
from inexmetrics.terms.term import Term, TermOf

__all__ = ["Criterion", "DocumentQuantisation", "OfElements", "Quantisation", "numbered", "quantising"]


@dataclass(frozen=True, slots=True, repr=False)
class Criterion(Term, ABC):
    """By what results are judged: a quantisation of elements, a choice of judgements, or one with the other."""

    category: ClassVar[str] = "quantisation or a choice of judgements"
    names: ClassVar[str] = ""
    """What a choice of judgements without a quantisation does, for error messages."""

    @property
    @abstractmethod
    def parts(self) -> tuple[Criterion | None, Quantisation | None]:
        """Whose and which judgements are read (None: all there are), and what quantises elements, if anything does."""

    @property
    def on_all_topics(self) -> Criterion | None:
        """The same without a choice of topics; None if nothing else is left."""
        return self

    def quantised_by(self, quantisation: str) -> str:
        """The same with a quantisation of this text, for hints."""
        return quantisation


@dataclass(frozen=True, slots=True, repr=False)
class Quantisation(Criterion, ABC):
    """A map from exhaustivity and specificity to a gain: how useful an element is to a user."""

    category: ClassVar[str] = "quantisation"

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
    def needs_exhaustivity(self) -> bool:
        """Whether assessments without exhaustivity (highlighting alone) cannot be quantised by it."""
        return True

    @property
    def needs_size(self) -> bool:
        """Whether assessments without element sizes cannot be quantised by it."""
        return False

    @property
    def documents(self) -> DocumentQuantisation | None:
        """The quantisation of whole documents that the gains come from; None if elements are quantised."""
        return None

    @property
    def parts(self) -> tuple[Criterion | None, Quantisation | None]:
        return None, self

    def gains(self, elements: pl.DataFrame) -> FloatArray:
        """The gain of each assessed element (`schemas.ELEMENTS`, exhaustivity perhaps `numbered` already), in the order of the rows.

        Raises `CollectionError` where one is negative, infinite or no number; only a user's own quantisation gives such.
        """
        gain = self.gain(pl.col("exhaustivity"), pl.col("specificity"), pl.col("size")).cast(pl.Float64)
        gains = numbered(elements).select(gain.alias("gain"))["gain"].to_numpy()
        wrong = np.flatnonzero(~((gains >= 0.0) & (gains < np.inf)))
        if wrong.size:
            element = elements.row(int(wrong[0]), named=True)
            place = element["doc_id"] if element["path"] is None else f"{element['doc_id']} {element['path']}"
            found = f"found {gains[wrong[0]]} for {place}"
            raise CollectionError(Problem(f"{self}: expected gains that are finite and at least 0, {found}", topic_id=element["topic_id"]))
        return gains


@dataclass(frozen=True, slots=True, repr=False)
class DocumentQuantisation(Quantisation, ABC):
    """A map from the judgements of a whole document to a gain, the share of users to whom the document is ideal."""

    scales: ClassVar[frozenset[Scale]] = ANY_SCALE
    needs_exhaustivity: ClassVar[bool] = False
    several: ClassVar[bool] = False
    """Whether it reads the judgements of all assessors, in place of one grade for each document."""

    @abstractmethod
    def ideal_to(self, judged: pl.DataFrame) -> pl.DataFrame:
        """Return the share of users to whom each judged document is ideal.

        Args:
            judged: topic_id, doc_id and grade; with `several` also assessor.

        Returns:
            topic_id, doc_id and share, one row for each judged document.

        Raises:
            CollectionError: A grade has no share.
        """

    @property
    def documents(self) -> DocumentQuantisation:
        return self

    def gain(self, e: pl.Expr, s: pl.Expr, size: pl.Expr) -> pl.Expr:
        """The share of users, which is the specificity of the whole document."""
        return s


def numbered(elements: pl.DataFrame) -> pl.DataFrame:
    """Assessed elements whose exhaustivity is a number; null where it is "too small" (`?`), or was not asked for.

    Examples:
        >>> numbered(pl.DataFrame({"exhaustivity": ["2", "?", None]}))["exhaustivity"].to_list()
        [2.0, None, None]
    """
    if elements.schema["exhaustivity"] == pl.Float64():
        return elements
    return elements.with_columns(pl.col("exhaustivity").cast(pl.String).cast(pl.Float64, strict=False))


def quantising(criterion: Criterion) -> Quantisation:
    """What quantises elements; raises `FormulaError` where only judgements are chosen, which gives elements no gains to change."""
    quantisation = criterion.parts[1]
    if quantisation is None:
        raise FormulaError(
            f"expected a quantisation of elements, found {criterion}, which {criterion.names}",
            hint=f"write {criterion.quantised_by('Gen5')}",
        )
    return quantisation


@dataclass(frozen=True, slots=True, init=False)
class OfElements(TermOf[Criterion]):
    """A criterion with a quantisation of elements."""

    def expects(self) -> str:
        return with_article(Quantisation.category)

    def accept(self, value: object) -> Criterion:
        criterion = TermOf.accept(self, value)
        quantising(criterion)
        return criterion
