"""Base classes of the terms that follow ``~`` in a formula: quantisations, which map assessments to gains, and selections of judgements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.elements import ANY_SCALE, Scale
from inexmetrics.common.errors import CollectionError, FormulaError, Problem
from inexmetrics.common.messages import with_article
from inexmetrics.terms import Term, TermOf

__all__ = ["Criterion", "DocumentQuantisation", "OfElements", "Quantisation", "numbered", "quantising"]


class Criterion(Term, ABC):
    """The judgements by which results are scored: a quantisation of elements, a selection of judgements, or both."""

    __slots__ = ()

    category: ClassVar[str] = "quantisation or a selection of judgements"
    names: ClassVar[str] = ""
    """Text in the error about a missing quantisation that describes a selection of judgements, such as "only selects topics"."""

    @property
    @abstractmethod
    def parts(self) -> tuple[Criterion | None, Quantisation | None]:
        """The selection of judgements (None for all judgements), and the quantisation of elements (None without a quantisation)."""

    @property
    def estimates(self) -> bool:
        """Whether values estimated from a sample of judgements stand for the gains of documents."""
        return False

    def redrawn(self, draw: int) -> Criterion:
        """Returns the criterion with another random sample of judgements: `draw` is added to the seed of the sample."""
        return self

    @property
    def on_all_topics(self) -> Criterion | None:
        """The criterion without its selection of topics; None if the criterion selects only topics."""
        return self

    def quantised_by(self, quantisation: str) -> str:
        """Returns the text of the criterion combined with a quantisation, for hints in error messages."""
        return quantisation


class Quantisation(Criterion, ABC):
    """A function that maps the exhaustivity and specificity of an element to a gain, which is the element's value to a user.

    Examples:
        >>> from inexmetrics import BinExh, Gen5, Quantisation, parse
        >>> parse("Gen5", Quantisation) == Gen5, isinstance(BinExh, Quantisation)
        (True, True)
    """

    __slots__ = ()

    category: ClassVar[str] = "quantisation"

    @abstractmethod
    def gain(self, e: pl.Expr, s: pl.Expr, size: pl.Expr) -> pl.Expr:
        """Returns the gain as an expression that is evaluated on assessed elements.

        Args:
            e: Exhaustivity as a number from 0 to 3; null if the element was judged "too small" (`?`), or if exhaustivity was not judged.
            s: Specificity from 0 to 1; on the INEX 2004 scale, a multiple of 1/3.
            size: Number of characters in the element.
        """

    @property
    @abstractmethod
    def scales(self) -> frozenset[Scale]:
        """Assessment scales on which the quantisation is defined."""

    @property
    def needs_exhaustivity(self) -> bool:
        """Whether the quantisation needs exhaustivity, and therefore cannot be used with assessments by highlighting."""
        return True

    @property
    def needs_size(self) -> bool:
        """Whether the quantisation needs the sizes of elements."""
        return False

    @property
    def documents(self) -> DocumentQuantisation | None:
        """Quantisation of whole documents that determines the gains; None if elements are quantised."""
        return None

    @property
    def parts(self) -> tuple[Criterion | None, Quantisation | None]:
        return None, self

    def gains(self, elements: pl.DataFrame) -> FloatArray:
        """Returns the gain of each assessed element, in row order. The columns of `elements` are those of `schemas.ELEMENTS`.

        Raises `CollectionError` if a gain is negative, infinite or NaN, which only custom quantisations can cause. Elements
        that are already `numbered` are also accepted.
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


class DocumentQuantisation(Quantisation, ABC):
    """A function that maps the judgements of a document to a gain, which is the share of users for whom the document is ideal."""

    __slots__ = ()

    scales: ClassVar[frozenset[Scale]] = ANY_SCALE
    needs_exhaustivity: ClassVar[bool] = False
    several: ClassVar[bool] = False
    """Whether the quantisation uses the judgements of all assessors instead of one grade for each document."""

    @abstractmethod
    def ideal_to(self, judged: pl.DataFrame) -> pl.DataFrame:
        """Returns the share of users for whom each judged document is ideal.

        Args:
            judged: Judgements with the columns topic_id, doc_id and grade; if `several` is True, also assessor.

        Returns:
            Table with the columns topic_id, doc_id and share, one row for each judged document.

        Raises:
            CollectionError: The share is not defined for one of the grades.
        """

    @property
    def documents(self) -> DocumentQuantisation:
        return self

    def gain(self, e: pl.Expr, s: pl.Expr, size: pl.Expr) -> pl.Expr:
        """Returns the specificity `s`; for a document, the specificity is the share of users for whom the document is ideal."""
        return s


def numbered(elements: pl.DataFrame) -> pl.DataFrame:
    """Returns assessed elements with exhaustivity as a number; null if exhaustivity is "too small" (`?`) or was not judged.

    Examples:
        >>> numbered(pl.DataFrame({"exhaustivity": ["2", "?", None]}))["exhaustivity"].to_list()
        [2.0, None, None]
    """
    if elements.schema["exhaustivity"] == pl.Float64():
        return elements
    return elements.with_columns(pl.col("exhaustivity").cast(pl.String).cast(pl.Float64, strict=False))


def quantising(criterion: Criterion) -> Quantisation:
    """Returns the quantisation part of a term after ``~``. Raises `FormulaError` if the term only selects judgements."""
    quantisation = criterion.parts[1]
    if quantisation is None:
        raise FormulaError(
            f"expected a quantisation of elements, found {criterion}, which {criterion.names}",
            hint=f"write {criterion.quantised_by('Gen5')}",
        )
    return quantisation


@dataclass(frozen=True, slots=True, init=False)
class OfElements(TermOf[Criterion]):
    """Type of a parameter whose value contains a quantisation of elements, and may also select judgements."""

    def expects(self) -> str:
        return with_article(Quantisation.category)

    def accept(self, value: object) -> Criterion:
        criterion = TermOf.accept(self, value)
        quantising(criterion)
        return criterion
