"""A test collection: assessments, the runs they judge, and the structure of the documents; all immutable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import polars as pl

from inexmetrics.errors import Problem
from inexmetrics.quantisations.base import Scale

__all__ = ["Assessments", "Collection", "Order", "Runs", "Structure"]

Order: TypeAlias = Literal["file", "rank", "score"]


@dataclass(frozen=True, slots=True, eq=False)
class Assessments:
    """Judgements of one or several kinds; a kind that was not read is None. Columns are those of `columns`.

    Attributes:
        elements: Assessed elements (`ELEMENTS`): INEX 2004 and 2005.
        documents: Assessed documents with their highlighted characters (`DOCUMENTS`): FOL assessments.
        passages: Highlighted passages (`PASSAGES`); a document of `documents` may have none.
        grades: Graded documents (`GRADES`): TREC qrels.
        assessors: Graded documents by assessor (`ASSESSORS`): multi-assessor qrels.
        scale: Scale of the elements' exhaustivity, None without elements.
        topics: Assessed topics in string order: those named by any judgement, or by an assessment file without one.
        notices: Warnings met in reading.
    """

    elements: pl.DataFrame | None = None
    documents: pl.DataFrame | None = None
    passages: pl.DataFrame | None = None
    grades: pl.DataFrame | None = None
    assessors: pl.DataFrame | None = None
    scale: Scale | None = None
    topics: tuple[str, ...] = ()
    notices: tuple[Problem, ...] = ()

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of judgements there are: of elements, passages, documents, assessors."""
        held = (("elements", self.elements), ("passages", self.documents), ("documents", self.grades), ("assessors", self.assessors))
        return tuple(name for name, frame in held if frame is not None)


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """What systems retrieved.

    Attributes:
        results: One row a result (`run_id`, `topic_id` and `RESULTS`): grouped by run_id, within it by topic_id, both
            in string order; within a topic in the order taken, best first. `run_id` and `topic_id` are Enum columns
            whose categories are in string order.
        orders: For each run_id, what its order was taken from.
        prepared: The preparations applied, as they are written, in order.
        notices: Warnings met in reading.
    """

    results: pl.DataFrame
    orders: Mapping[str, Order]
    prepared: tuple[str, ...] = ()
    notices: tuple[Problem, ...] = ()

    @property
    def run_ids(self) -> tuple[str, ...]:
        """The runs, in string order."""
        return tuple(sorted(self.orders))


@dataclass(frozen=True, slots=True, eq=False)
class Structure:
    """Where each element of each document stands: doc_id, path, start, length, in characters."""

    elements: pl.DataFrame


@dataclass(frozen=True, slots=True, eq=False)
class Collection:
    """What experiments run on: assessments, and the runs and document structure that fit them.

    Args:
        assessments: The judgements.
        runs: The runs judged; experiments on simulated runs need none.
        structure: Places of elements in documents; needed to bring paths and passages together.
    """

    assessments: Assessments
    runs: Runs | None = None
    structure: Structure | None = None
    notices: tuple[Problem, ...] = field(default=(), init=False)

    @property
    def topics(self) -> tuple[str, ...]:
        """The assessed topics, in string order."""
        return self.assessments.topics
