"""Lists read up to a budget of characters: the part that each result contributes."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from inexmetrics.common.arrays import IntArray
from inexmetrics.common.cached import cached_by_identity
from inexmetrics.common.options import Compat
from inexmetrics.ranking.passages.clusters import clusters
from inexmetrics.ranking.passages.spans import Spans, segments, spans
from inexmetrics.ranking.passages.texts import Texts

__all__ = ["Repeated", "read"]

Repeated: TypeAlias = Literal["once", "counts"]
"""The counting of repeated text in results of a list: once, or each time."""


@cached_by_identity
def read(texts: Texts, repeated: Repeated, budget: int | None, compat: Compat | None) -> Spans:
    """Returns the text that each result adds to the text read from its list, computed once for a batch.

    The result in which the budget ends is read from its start to that point; later results are not read.

    Args:
        texts: The results as passages.
        repeated: Whether characters count once or each time that a result shows them; highlighted characters count once.
        budget: Number of characters of each list, counted in this way, that are read; None for all.
        compat: The evaluator whose departures are followed, or None.

    Raises:
        CollectionError: The same errors as in `spans`.
    """
    shown = spans(texts, repeated, compat)
    if budget is None:
        return shown
    before = np.cumsum(shown.sizes) - shown.sizes
    left = np.clip(budget - (before - before[np.searchsorted(texts.lists, texts.lists)]), 0, shown.sizes)
    highlighted = np.where(left == shown.sizes, shown.highlighted, 0)
    cut = np.flatnonzero((left > 0) & (left < shown.sizes) & texts.relevant & ~texts.unresolved)
    results, starts, lengths = _first_shown(texts, cut)
    if repeated == "once":
        passed = np.cumsum(lengths) - lengths
        ends = starts + left[results] - (passed - passed[np.searchsorted(results, results)])
    else:
        ends = texts.starts[results] + left[results]
    found = texts.highlights.within(texts.judged[results].astype(np.int64), starts, np.clip(ends - starts, 0, lengths))
    np.add.at(highlighted, results, found)
    return Spans(left, highlighted)


def _first_shown(texts: Texts, results: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Returns the text of some results, with characters and known positions, that no better result of their list shows.

    Returns:
        Result, start and length of each passage, by result, then start.
    """
    placed = clusters(texts)
    clusters_of = np.zeros(len(texts.lists), dtype=np.int64)
    clusters_of[placed.order] = placed.numbers
    near = placed.only(np.isin(clusters_of, clusters_of[results]))
    shared, alone = segments(texts, near), near.order[~near.meets]
    kept = np.isin(shared.results, results)
    found = np.concatenate((shared.results[kept], alone))
    order = np.argsort(found, kind="stable")
    starts = np.concatenate((shared.starts[kept], texts.starts[alone]))
    lengths = np.concatenate((shared.lengths[kept], texts.lengths[alone]))
    return found[order], starts[order], lengths[order]
