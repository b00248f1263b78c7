"""Navigation models: the probability that a user reaches an ideal element from a result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import polars as pl

from inexmetrics.common.arrays import FloatArray
from inexmetrics.ranking.navigation.routes import IdealElements, Meetings, Routes
from inexmetrics.terms import Term

__all__ = ["Navigation", "WithinDocuments"]


class Navigation(Term, ABC):
    """A model of the probability that users reach an ideal element from a result of a list: P(k~>x).

    Examples:
        >>> from inexmetrics import Navigation, hierarchy, parse
        >>> parse("hierarchy", Navigation) == hierarchy
        True
    """

    __slots__ = ()

    category: ClassVar[str] = "navigation model"

    @property
    @abstractmethod
    def direct(self) -> bool:
        """Whether the ideal elements in decreasing order of ideality are the best possible list."""

    @abstractmethod
    def routes(self, points: pl.DataFrame, ideals: IdealElements) -> Routes:
        """Returns the routes of users from items (columns topic, doc_id, path, start and length) to ideal elements of the same topic.

        Raises `CollectionError` if the model needs an unknown property of an item or of an ideal element.
        """

    @property
    @abstractmethod
    def reads_characters(self) -> bool:
        """Whether the model uses offsets. With offsets, users can reach ideal elements from passages too."""

    @property
    def sources(self) -> pl.DataFrame:
        """Items from which users may reach ideal elements of other documents: doc_id and canonical path."""
        return pl.DataFrame(schema={"doc_id": pl.String(), "place": pl.String()})


class WithinDocuments(Navigation, ABC):
    """A model of users who do not leave the document of a result."""

    __slots__ = ()

    reads_characters: ClassVar[bool] = True

    @property
    def direct(self) -> bool:
        return False

    def routes(self, points: pl.DataFrame, ideals: IdealElements) -> Routes:
        met = ideals.meetings(points)
        return met.routes(self.chances(met))

    @abstractmethod
    def chances(self, met: Meetings) -> FloatArray:
        """Returns the probability of reaching the ideal element, for each pair of an item and an ideal element of its document."""
