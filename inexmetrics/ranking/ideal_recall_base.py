"""Ideal recall bases: relevant elements that do not overlap, chosen as the best a focused run could return."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray
from inexmetrics.ranking.trees import NEVER, Trees

__all__ = ["Ideal", "alike", "ideal_recall_base"]

Ideal: TypeAlias = Literal["paths", "greedy"]
"""How the elements of an ideal recall base are chosen."""
ROUNDING: Final = 1e-14
"""Gains within this share of each other are equal: (1 + 1) * .3 / 3 and (2 + 1) * .2 / 3 are .2, although they are not the same float."""


def ideal_recall_base(trees: Trees, gains: FloatArray, ideal: Ideal) -> BoolArray:
    """The elements of the ideal recall base: relevant, and none within another.

    A relevant path leads from a whole document to a relevant element that holds no other. With ``"paths"``, the winner
    of a path is the element on it with the highest gain, of equal ones the outermost; the winners are the ideal
    elements, but for those that stand in another winner. With ``"greedy"``, elements are taken by decreasing gain, of
    equal ones the outermost first, each if it overlaps none taken before.

    Args:
        trees: The trees of I assessed elements.
        gains: Their gains, I.
        ideal: How the elements are chosen.

    Returns:
        Which assessed elements are ideal, I.

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
    chosen = _winners_of_paths(trees, by_node) if ideal == "paths" else _greedily_chosen(trees, by_node)
    return chosen[trees.nodes]


def alike(gains: FloatArray) -> FloatArray:
    """The gains, those that are equal but for rounding by the lowest of them."""
    order = np.argsort(gains, kind="stable")
    ordered = gains[order]
    begins = np.diff(ordered, prepend=-1.0) > ROUNDING * ordered
    alike = np.empty_like(gains)
    alike[order] = ordered[begins][np.cumsum(begins) - 1]
    return alike


def _winners_of_paths(trees: Trees, gains: FloatArray) -> BoolArray:
    """Which nodes win a relevant path, and stand in no other winner."""
    best = np.arange(len(trees))
    for level in trees.levels[1:]:
        above = best[trees.parents[level]]
        best[level] = np.where(gains[level] > gains[above], level, above)
    relevant = gains > 0.0
    innermost = relevant & (trees.counted(relevant) == 1)
    winner = np.zeros(len(trees), dtype=np.bool_)
    winner[best[innermost]] = True
    return winner & ~_within(trees, winner)


def _greedily_chosen(trees: Trees, gains: FloatArray) -> BoolArray:
    """Which nodes are taken by decreasing gain, of equal ones the outermost first, if they overlap none taken before."""
    relevant = np.flatnonzero(gains > 0.0)
    turns = np.full(len(trees), NEVER, dtype=np.int64)
    turns[relevant[np.argsort(-gains[relevant], kind="stable")]] = np.arange(len(relevant))  # what holds a node stands before it
    none = np.full(len(trees), NEVER, dtype=np.int64)
    taken = np.zeros(len(trees), dtype=np.bool_)
    while (turns < NEVER).any():
        # Whatever comes before all that overlap it, of those that still wait, is sure to be taken.
        now = (turns == trees.least_around(turns)) & (turns < trees.least_inside(turns, none))
        taken |= now
        turns[now | _within(trees, now) | (trees.counted(now) > 0)] = NEVER
    return taken


def _within(trees: Trees, marked: BoolArray) -> BoolArray:
    """Which nodes stand in a marked one, other than themselves."""
    holders = trees.holders(marked)
    return np.asarray((trees.parents != np.arange(len(trees))) & (holders[trees.parents] >= 0))
