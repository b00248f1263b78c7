"""What a navigation model is: how likely a user, led to a place, is to find the way from there to an ideal element."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from inexmetrics.common.arrays import FloatArray
from inexmetrics.ranking.navigation.routes import IdealElements, Meetings, Routes
from inexmetrics.terms.term import Term

__all__ = ["Navigation", "WithinDocuments"]


@dataclass(frozen=True, slots=True, repr=False)
class Navigation(Term, ABC):
    """How likely users are to reach an ideal element from where a list leads them: P(k~>x)."""

    category: ClassVar[str] = "navigation model"

    @property
    @abstractmethod
    def direct(self) -> bool:
        """Whether no list shows more ideal elements sooner than these themselves, by decreasing ideality."""

    @abstractmethod
    def routes(self, points: pl.DataFrame, ideals: IdealElements) -> Routes:
        """The ways that lead from places (topic, doc_id, path, start and length) to ideal elements of their topic.

        Raises `CollectionError` where something that the model needs to know of a place or an ideal element is not known.
        """

    @property
    @abstractmethod
    def reads_characters(self) -> bool:
        """Whether it leads from passages, which are no elements, by where they stand in the text."""

    @property
    def sources(self) -> pl.DataFrame:
        """Places outside of the documents of ideal elements that may lead to them: doc_id and place."""
        return pl.DataFrame(schema={"doc_id": pl.String(), "place": pl.String()})


@dataclass(frozen=True, slots=True, repr=False)
class WithinDocuments(Navigation, ABC):
    """A model of users who do not leave the document that a list leads them to."""

    reads_characters: ClassVar[bool] = True

    @property
    def direct(self) -> bool:
        return False

    def routes(self, points: pl.DataFrame, ideals: IdealElements) -> Routes:
        met = ideals.meetings(points)
        return met.routes(self.chances(met))

    @abstractmethod
    def chances(self, met: Meetings) -> FloatArray:
        """The chance of each pair of a place and an ideal element of its document."""
