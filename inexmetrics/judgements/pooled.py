"""Judgements restricted to documents at the top of runs, which simulates a shallower pool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import overload

import numpy as np
import polars as pl

from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.runs import Runs, pooled_by_rounds
from inexmetrics.common.arrays import in_ranges
from inexmetrics.common.errors import CollectionError, FormulaError
from inexmetrics.common.frozen import cached_by_identity
from inexmetrics.judgements.base import INSIDE, OfDocuments
from inexmetrics.quantisations.base import Criterion
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Integer, Optional
from inexmetrics.terms.term import parameter

__all__ = ["Pooled", "pooled"]


@dataclass(frozen=True, slots=True, repr=False)
class Pooled(OfDocuments):
    """Uses only the judgements of documents in a pool, which consists of the first results of each run.

    ``pooled(depth)`` pools by rank: a document is in a topic's pool if the document, or a part of it, is among the first ``depth`` results
    of at least one run. ``pooled(documents=n)`` pools by size: each round takes the next result of every run, with runs in lexicographic
    order. The pool of a topic is the first n documents in the output of `pool`. The pool is formed from the runs of the collection, after
    their preparation if they were prepared; ``--only-runs`` restricts the pooled runs. All judgements of a pooled document are kept,
    including its elements, its passages, and the judgements of every assessor. Judgements of other documents are dropped. A topic for which
    no relevant items remain is undefined, and a warning reports the number of undefined topics.

    Args:
        depth: The number of results from the top of each run that are pooled, at least 1.
        quantisation: The quantisation of elements, or a choice of judgements that is applied first, such as an assessor or a sample;
            omitted if the measure does not need a quantisation.
        documents: The number of documents in each topic's pool, at least 1. Exactly one of depth and documents is given.

    Raises:
        FormulaError: Neither depth nor documents is given, both are given, or the given number is not an integer of at least 1.
        CollectionError: The collection lacks runs.

    Source: Zobel (1998); Trotman & Jenkinson (2007), section 2, on pools of 100 and of 500 documents.

    Examples:
        >>> from inexmetrics import MAP, from_frames, pooled, run, scores
        >>> scores(MAP, pooled(10))
        scores(MAP ~ pooled(10))
        >>> found = {"x": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, "y": {"1": {"c": 3.0, "b": 2.0, "a": 1.0}}}
        >>> judged = from_frames({"1": {"a": 1, "b": 1, "c": 0}}, found)
        >>> found = run(scores(MAP, (None, pooled(1))), judged).table.filter(run_id="x")
        >>> found["mean"].to_list()  # b is not among the first results
        [1.0, 1.0]
        >>> run(scores(MAP, (None, pooled(1))), judged).table.filter(run_id="y")["mean"].round(4).to_list()
        [0.5833, 0.3333]
        >>> run(scores(MAP, (None, pooled(documents=2))), judged).table.filter(run_id="y")["mean"].round(
        ...     4
        ... ).to_list()  # a and c
        [0.5833, 0.3333]
    """

    depth: int | None = parameter(None, Optional(Integer(at_least=1)))
    quantisation: Criterion | None = parameter(None, INSIDE)
    documents: int | None = parameter(None, Optional(Integer(at_least=1)))

    def __post_init__(self) -> None:
        OfDocuments.__post_init__(self)
        if (self.depth is None) == (self.documents is None):
            found = "neither" if self.depth is None else "both"
            raise FormulaError(
                f"{self.word}: expected a depth or a number of documents, found {found}", hint="write pooled(10) or pooled(documents=100)"
            )

    @property
    def manner(self) -> str:
        return f"in the pool of {self.documents} documents" if self.depth is None else f"in the pool of depth {self.depth}"

    def kept(self, assessments: Assessments, runs: Runs | None) -> pl.DataFrame:
        if runs is None:
            raise CollectionError(f"{self}: expected runs to pool, found assessments alone")
        return _pooled_documents(runs, self.depth, self.documents)


@cached_by_identity
def _pooled_documents(runs: Runs, depth: int | None, documents: int | None) -> pl.DataFrame:
    """Returns the documents in each topic's pool of a given depth or number of documents: columns topic_id and doc_id, unique rows."""
    if depth is None:
        in_rounds = pooled_by_rounds(runs, documents or 1)
        return in_rounds.group_by("topic_id", maintain_order=True).head(documents or 1).select("topic_id", "doc_id")
    there = runs.lists
    rows = in_ranges(there.firsts, np.minimum(there.lengths, depth))
    return runs.at(rows).select("topic_id", "doc_id").unique().cast(pl.String)


@overload
def pooled(depth: int, quantisation: Criterion | None = ...) -> Pooled: ...
@overload
def pooled(*, quantisation: Criterion | None = ..., documents: int) -> Pooled: ...
@word("pooled", Pooled)
def pooled(depth: int | None = None, quantisation: Criterion | None = None, documents: int | None = None) -> Pooled:
    """Uses only the judgements of documents in a pool, which consists of the first results of each run.

    Args:
        depth: The number of results from the top of each run that are pooled, at least 1.
        quantisation: The quantisation of elements, or a choice of judgements that is applied first.
        documents: The number of documents in each topic's pool, at least 1, instead of a depth.

    Examples:
        >>> from inexmetrics import MAP, scores
        >>> scores(MAP, (pooled(10), pooled(documents=100)))
        scores(MAP ~ pooled(10) + pooled(documents=100))
    """
    return Pooled(depth, quantisation, documents)
