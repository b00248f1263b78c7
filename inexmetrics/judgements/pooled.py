"""Judgements of the documents that runs retrieve near the top: what a shallower pool would have had."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.runs import Runs
from inexmetrics.common.cached import cached_by_identity
from inexmetrics.common.errors import CollectionError
from inexmetrics.judgements.base import INSIDE, OfDocuments
from inexmetrics.quantisations.base import Criterion
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Integer
from inexmetrics.terms.term import parameter, required

__all__ = ["Pooled", "pooled"]


@word("pooled")
@dataclass(frozen=True, slots=True, repr=False)
class Pooled(OfDocuments):
    """By the judgements of the documents alone that a pool of the runs' first results would have held.

    A document of a topic is in the pool if it, or a part of it, is among the first results of at least one run of the
    collection, as many as the pool is deep; runs are taken as they were given and prepared (``--only-runs`` narrows the pool).
    All judgements of such a document stay: its elements, its passages, those of every assessor. All others are dropped, as if
    they had not been made. A topic of which nothing relevant is left is undefined, and counted in a warning.

    Args:
        depth: How many results of each run are looked at, at least 1.
        quantisation: What elements are worth, or judgements chosen before: an assessor's, or a sample. Left out where the
            measure needs no quantisation.

    Raises:
        FormulaError: The depth is no integer of at least 1.
        CollectionError: There are no runs to pool.

    Source: Zobel (1998).

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
    """

    depth: int = field(metadata=required(Integer(at_least=1)))
    quantisation: Criterion | None = parameter(None, INSIDE)

    @property
    def manner(self) -> str:
        return f"in the pool of depth {self.depth}"

    def documents(self, assessments: Assessments, runs: Runs | None) -> pl.DataFrame:
        if runs is None:
            raise CollectionError(f"{self}: expected runs to pool, found assessments alone")
        return _first_documents(runs, self.depth)


@cached_by_identity
def _first_documents(runs: Runs, depth: int) -> pl.DataFrame:
    """The documents among the first results of any run: topic_id and doc_id, each pair once."""
    there = runs.lists
    lengths = np.minimum(there.lengths, depth)
    begins = np.cumsum(lengths) - lengths
    rows = np.repeat(there.firsts - begins, lengths) + np.arange(int(lengths.sum()))
    return runs.at(rows).select("topic_id", "doc_id").unique().cast(pl.String)


pooled: Final = Pooled
