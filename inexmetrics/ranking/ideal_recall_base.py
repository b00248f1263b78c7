"""Ideal recall bases: relevant elements without overlap, which are the best result of a focused run."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray
from inexmetrics.ranking.trees import NEVER, Trees

__all__ = ["Ideal", "alike", "ideal_recall_base"]

Ideal: TypeAlias = Literal["paths", "greedy"]
"""The method by which the elements of an ideal recall base are chosen."""
ROUNDING: Final = 1e-14
"""Relative rounding error within which gains are equal: (1 + 1) * .3 / 3 and (2 + 1) * .2 / 3 are .2, but not the same float."""


def ideal_recall_base(trees: Trees, gains: FloatArray, ideal: Ideal) -> BoolArray:
    """Returns the elements of the ideal recall base, which are relevant and never nested.

    A relevant path leads from a whole document to a relevant element without relevant descendants. With ``"paths"``, the winner of a path
    is its element with the highest gain, and among ties the outermost element. The ideal elements are all winners that are not nested in
    another winner. With ``"greedy"``, elements are chosen by decreasing gain, among ties the outermost first; an element is chosen if it
    does not overlap elements already chosen.

    Args:
        trees: The trees of I assessed elements.
        gains: The gains of the assessed elements, shape (I,).
        ideal: The method by which elements are chosen.

    Returns:
        Whether each assessed element is ideal, shape (I,).

    Source: INEX 2005's ideal recall base, as Ogilvie & Lalmas (2006), section 2.6, use it for the focused task.

    Examples:
        >>> import polars as pl
        >>> items = pl.DataFrame({"topic": 0, "doc_id": "d", "path": ["/a[1]", "/a[1]/s[1]", "/a[1]/s[2]"]})
        >>> gains = np.array([0.5, 0.9, 0.3])
        >>> ideal_recall_base(Trees.of(items), gains, "paths").tolist()
        [True, False, False]
        >>> ideal_recall_base(Trees.of(items), gains, "greedy").tolist()
        [False, True, True]
    """
    by_node = trees.of_items(alike(gains))
    chosen = _winners_of_paths(trees, by_node) if ideal == "paths" else _choose_greedily(trees, by_node)
    return chosen[trees.nodes]


def alike(gains: FloatArray) -> FloatArray:
    """Returns the gains after replacing gains that are equal within rounding by the lowest gain of their group."""
    order = np.argsort(gains, kind="stable")
    ordered = gains[order]
    begins = np.diff(ordered, prepend=-1.0) > ROUNDING * ordered
    alike = np.empty_like(gains)
    alike[order] = ordered[begins][np.cumsum(begins) - 1]
    return alike


def _winners_of_paths(trees: Trees, gains: FloatArray) -> BoolArray:
    """Returns whether each node is the winner of a relevant path and not nested in another winner."""
    best = np.arange(len(trees))
    for level in trees.levels[1:]:
        above = best[trees.parents[level]]
        best[level] = np.where(gains[level] > gains[above], level, above)
    relevant = gains > 0.0
    innermost = relevant & (trees.counted(relevant) == 1)
    winner = np.zeros(len(trees), dtype=np.bool_)
    winner[best[innermost]] = True
    return winner & ~_within(trees, winner)


def _choose_greedily(trees: Trees, gains: FloatArray) -> BoolArray:
    """Returns whether each node is chosen: by decreasing gain, among ties the outermost first, unless it overlaps an earlier choice."""
    relevant = np.flatnonzero(gains > 0.0)
    turns = np.full(len(trees), NEVER, dtype=np.int64)
    turns[relevant[np.argsort(-gains[relevant], kind="stable")]] = np.arange(len(relevant))  # ancestors precede their descendants
    none = np.full(len(trees), NEVER, dtype=np.int64)
    taken = np.zeros(len(trees), dtype=np.bool_)
    while (turns < NEVER).any():
        # A node is chosen next if it precedes all remaining nodes that overlap it.
        now = (turns == trees.least_around(turns)) & (turns < trees.least_inside(turns, none))
        taken |= now
        turns[now | _within(trees, now) | (trees.counted(now) > 0)] = NEVER
    return taken


def _within(trees: Trees, marked: BoolArray) -> BoolArray:
    """Returns whether each node is nested in a marked node other than itself."""
    holders = trees.holders(marked)
    return np.asarray((trees.parents != np.arange(len(trees))) & (holders[trees.parents] >= 0))
