"""One entry point per document, for runs of the Best in Context task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias, overload

import numpy as np

from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.runs import Runs
from inexmetrics.collection.structure import Structure, extents
from inexmetrics.common.errors import Problem
from inexmetrics.preparation.base import Preparation, made_or_applied
from inexmetrics.preparation.overlap import in_groups
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Choice
from inexmetrics.terms.term import required

__all__ = ["BestEntry", "best_entry"]

Entry: TypeAlias = Literal["best", "first"]
LAST: Final = np.iinfo(np.int64).max
"""Offset of a result whose position is unknown: larger than all known offsets."""


@word("best_entry")
@dataclass(frozen=True, slots=True, repr=False)
class BestEntry(Preparation):
    """Keeps one result for each document: the result at which a user should begin to read.

    Documents are ordered by the ranks of their highest-ranked results. Ranks and scores of the remaining results do not change. The Best in
    Context task requires runs with one result per document; ``MAgP(score="bep")`` evaluates them by the distance from the start of each
    result to the best entry point of its document. Without runs, as in ``best_entry("first")``, the function returns a preparation that can
    be applied to runs later. With runs, as in ``best_entry(runs, "first")``, the function returns the prepared runs.

    Args:
        choice: ``"best"`` keeps the highest-ranked result for each document. ``"first"`` keeps the result with the lowest offset; if
            several results have the lowest offset, the highest-ranked of these results is kept. A whole document has offset 0. A result
            whose position is unknown is kept only if there are no other results for the document.

    Raises:
        CollectionError: The choice is ``"first"`` and results have paths, but there is no structure that contains the offsets of elements.

    Source: Cherukuri (2010), section 2.2, on the Best in Context task.

    Examples:
        >>> import polars as pl
        >>> from inexmetrics import best_entry, from_frames
        >>> passages = [("1", "a", 40, 5, 3.0), ("1", "b", 0, 5, 2.0), ("1", "a", 9, 5, 1.0)]
        >>> found = pl.DataFrame(
        ...     passages, schema=["topic_id", "doc_id", "start", "length", "score"], orient="row"
        ... )
        >>> runs = from_frames({"1": {"a": 1}}, found).runs
        >>> best_entry(runs, "best").results.select("doc_id", "start").rows()
        [('a', 40), ('b', 0)]
        >>> best_entry(runs, "first").results.select("doc_id", "start").rows()
        [('a', 9), ('b', 0)]
    """

    choice: Entry = field(metadata=required(Choice(("best", "first"))))

    def prepared(self, runs: Runs, structure: Structure | None) -> tuple[Runs, Sequence[Problem]]:
        rows, sizes = in_groups(runs)
        firsts = np.cumsum(sizes) - sizes
        kept = rows[firsts]
        if self.choice == "first":
            # For each document, the row with the lowest offset is kept; if offsets are equal, the highest-ranked row is kept.
            starts = extents(runs.results, Assessments(), structure)["start"].to_numpy()
            offsets = np.where(starts < 0, LAST, starts)[rows]
            kept = rows[np.lexsort((rows, offsets, np.repeat(np.arange(len(sizes)), sizes)))][firsts]
        in_order = kept[np.argsort(rows[firsts])]
        table = runs.packed.rechunk()[in_order]
        every = np.zeros(runs.packed.height, dtype=np.bool_)
        every[rows[firsts]] = True  # keeps one result for each document in a ranking
        return replace(runs, packed=table, lists=runs.lists.kept(every)), ()


@overload
def best_entry(choice: Entry) -> BestEntry: ...
@overload
def best_entry(runs: Runs, /, choice: Entry, *, structure: Structure | None = None) -> Runs: ...
def best_entry(*arguments: object, **options: object) -> BestEntry | Runs:
    """Returns prepared runs if runs are given; otherwise returns the preparation `BestEntry`, which can be applied to runs later."""
    return made_or_applied(BestEntry, arguments, options)
