"""Grouping of results by document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection.runs import Runs
from inexmetrics.collection.structure import Structure
from inexmetrics.common.arrays import IntArray, changes
from inexmetrics.common.errors import Problem
from inexmetrics.preparation.base import Preparation
from inexmetrics.terms.lexicon import word

__all__ = ["GroupByDocument", "group_by_document", "in_groups", "list_numbers"]


@word("group_by_document")
@dataclass(frozen=True, slots=True, repr=False)
class GroupByDocument(Preparation):
    """Groups the results of each ranking by document, as measures in context require.

    The documents in a ranking are ordered by their first results, and the results for a document remain in their original order. Ranks and
    scores do not change. ``group_by_document(runs)`` returns the prepared runs.

    Examples:
        >>> import polars as pl
        >>> from inexmetrics import from_frames, group_by_document
        >>> passages = [("1", "a", 0, 5, 3.0), ("1", "b", 0, 5, 2.0), ("1", "a", 9, 5, 1.0)]
        >>> found = pl.DataFrame(
        ...     passages, schema=["topic_id", "doc_id", "start", "length", "score"], orient="row"
        ... )
        >>> runs = group_by_document(from_frames({"1": {"a": 1}}, found).runs)
        >>> runs.results["doc_id"].to_list(), runs.prepared
        (['a', 'a', 'b'], ('group_by_document',))
    """

    def prepared(self, runs: Runs, structure: Structure | None) -> tuple[Runs, Sequence[Problem]]:
        del structure
        rows, sizes = in_groups(runs)
        met = np.empty(len(rows), dtype=np.int64)
        met[rows] = np.repeat(rows[np.cumsum(sizes) - sizes], sizes)
        if (met[1:] >= met[:-1]).all():
            return runs, ()
        return replace(runs, packed=runs.packed.rechunk()[np.argsort(met, kind="stable")]), ()


group_by_document: Final = GroupByDocument()


def in_groups(runs: Runs) -> tuple[IntArray, IntArray]:
    """Returns the row numbers of results, sorted by ranking, document and row number, shape (N,), and the size of each group."""
    documents = runs.packed["doc_id"].cast(pl.Categorical).to_physical().to_numpy().astype(np.int64)
    groups = list_numbers(runs) * (int(documents.max(initial=0)) + 1) + documents
    count = len(groups)
    if (int(groups.max(initial=0)) + 1) * count < 2**62:
        # Sorting integers that contain both group and row is several times as fast as sorting the rows by group.
        packed = np.sort(groups * count + np.arange(count))
        rows = packed % max(count, 1)
    else:
        rows = np.argsort(groups, kind="stable")
    firsts = np.flatnonzero(changes(groups[rows]))
    return rows, np.diff(firsts, append=count)


def list_numbers(runs: Runs) -> IntArray:
    """Returns the index of the ranking of each result, shape (N,)."""
    lengths = runs.lists.lengths
    return np.repeat(np.arange(len(lengths)), lengths)
