"""What an experiment and its result are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.score_matrices import Scores
from inexmetrics.setting import Compat, Setting
from inexmetrics.terms import Term

__all__ = ["Experiment", "Origin", "Result"]

R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True, slots=True, repr=False)
class Experiment(Term, ABC, Generic[R_co]):
    """A question asked of runs and judgements."""

    sort: ClassVar[str] = "experiment"

    @abstractmethod
    def answer(self, source: Collection | Scores, setting: Setting) -> R_co:
        """The experiment's result; raises `CollectionError` where the data cannot answer it."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What a result was computed from.

    Attributes:
        topics: Assessed topics.
        runs: Runs evaluated.
        assessments: Kinds of assessments there were.
        fingerprint: A digest of the data, equal for equal data.
        order: What the order of results was taken from.
        prepare: Preparations applied to the runs.
    """

    topics: int
    runs: int
    assessments: tuple[str, ...]
    fingerprint: str
    order: str
    prepare: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """The answer to an experiment.

    Attributes:
        experiment: The experiment that made it; printed, the formula that makes it again.
        tables: All its tables, by name.
        origin: The data it was computed from.
        compat: The evaluator whose departures were followed, or None.
        warnings: What a reader should know of the data, with counts.
    """

    experiment: Experiment[Result]
    tables: Mapping[str, pl.DataFrame]
    origin: Origin
    compat: Compat | None
    warnings: tuple[str, ...]

    @property
    def table(self) -> pl.DataFrame:
        """The first table."""
        return next(iter(self.tables.values()))
