"""The focused task: the gain of a result counts only text that earlier results did not show, up to a maximum.

The seen part of an element depends on all earlier results of a run, relevant or not. Each ideal element (`recall_base`) has a remaining
gain, from which the gains of all results that overlap the ideal element are subtracted. The gain of a result is at most the remaining gain
of an ideal element that overlaps the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.common.arrays import BoolArray, FloatArray, IndexArray, IntArray, changes, in_ranges
from inexmetrics.common.errors import CollectionError
from inexmetrics.ranking.trees import NEVER, Trees

__all__ = ["Seen", "credited_gains"]

PAIRS: Final = 1 << 21
"""Approximate number of pairs of an element and a descendant that are processed together, which bounds memory."""


@dataclass(frozen=True, slots=True, eq=False)
class Returned:
    """The tree nodes that runs return, in order of rank within each run and topic. H results.

    Attributes:
        rows: For each node, the position in the batch of the result that returns the node, shape (H,). In each list, results are in rank
            order.
        runs: Index of the run that returns each node, shape (H,).
        nodes: Index of each node, shape (H,).
    """

    rows: IntArray
    runs: IntArray
    nodes: IntArray

    def __getitem__(self, chosen: IntArray | BoolArray) -> Returned:
        return Returned(self.rows[chosen], self.runs[chosen], self.nodes[chosen])


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """For each tree, the parts that each run shows, and the first result that shows each part. R runs, V nodes.

    Attributes:
        trees: The trees of assessed elements.
        results: Number of results of the batch.
        returned: For each run and node, the first result that returns the node. Nodes are omitted if the run has already returned one of
            their ancestors.
        around: For each node and run, the index of the first result that is the node or one of its ancestors, shape (V, R); `NEVER` if
            there is none.
        inside: For each node and run, the index of the first result that is an element below the node, shape (V, R); `NEVER` if there is
            none. The element does not need to be in the tree.
    """

    trees: Trees
    results: int
    returned: Returned
    around: IndexArray
    inside: IndexArray

    @classmethod
    def of(cls, trees: Trees, results: pl.DataFrame, runs: IntArray, count: int) -> Seen:
        """Finds the parts of the trees that each run of a batch shows.

        Args:
            trees: The trees of assessed elements.
            results: topic (as in the trees), doc_id, path and start of each result, assessed or not, sorted by run, topic and rank.
            runs: Index of the run of each result, from 0.
            count: Number of runs.
        """
        rows, nodes, is_node = trees.place(results)
        placed = Returned(rows, runs[rows], nodes)
        shown = np.full((2, len(trees), count), NEVER, dtype=np.int32)
        for values, some in zip(shown, (placed[is_node], placed[~is_node]), strict=True):
            np.minimum.at(values, (some.nodes, some.runs), some.rows.astype(np.int32))
        around, inside = trees.least_around(shown[0]), trees.least_inside(shown[0], shown[1])
        first = is_node & (around[placed.nodes, placed.runs] == placed.rows)
        return cls(trees, results.height, placed[first], around, inside)


@dataclass(frozen=True, eq=False)
class _Relevant:
    """The gain and size of each node of the trees; nodes with a gain above 0 are relevant. N relevant nodes, V nodes.

    Attributes:
        trees: The trees.
        gains: Gain of each node, shape (V,).
        sizes: Number of characters in each node, shape (V,); a value below 1 means that the size is unknown.
    """

    trees: Trees
    gains: FloatArray
    sizes: FloatArray

    @cached_property
    def nodes(self) -> IntArray:
        """Indices of the relevant nodes, shape (N,), in increasing order."""
        return np.flatnonzero(self.gains > 0.0)

    @cached_property
    def is_child(self) -> BoolArray:
        """Whether each node is relevant and has a relevant parent, shape (V,)."""
        relevant = self.gains > 0.0
        return np.asarray(relevant & relevant[self.trees.parents] & (self.trees.parents != np.arange(len(self.trees))))

    @cached_property
    def families(self) -> IntArray:
        """The outermost node from which a path of relevant children leads to each node, shape (V,)."""
        return self.trees.holders(~self.is_child)

    def check_sizes(self) -> None:
        """Raises `CollectionError` if a relevant element has an unknown size and a relevant parent or child."""
        shared = self.is_child.copy()
        shared[self.trees.parents[self.is_child]] = True
        unknown = np.flatnonzero(shared & (self.sizes <= 0))
        if unknown.size:
            _, doc_id, place = self.trees.keys.row(int(unknown[0]))
            raise CollectionError(
                "the focused task needs the size of nested relevant elements, "
                f"but {unknown.size} of {int(shared.sum())} have none, such as {doc_id} {place or '(the document)'}"
                "; a structure with these elements can supply the size"
            )

    def unseen_gains(self, seen: Seen, partly: Returned) -> FloatArray:
        """Returns the gains of partly seen elements.

        The nested sums of g(m)|m|/|c| over children in the definition equal one sum of f(m)|m|/|c|, over the outermost elements m
        that are completely unseen.
        """
        amounts = self.gains * self.sizes
        begins = np.searchsorted(self.nodes, partly.nodes, side="right")
        counts = np.searchsorted(self.nodes, self.trees.ends[partly.nodes]) - begins
        sums = np.zeros(len(partly.nodes))
        for part in np.split(np.arange(len(counts)), np.flatnonzero(np.diff(np.cumsum(counts) // PAIRS)) + 1):
            case, place = _ranges(begins[part], counts[part])
            inner, runs, rows = self.nodes[place], partly.runs[part][case], partly.rows[part][case]
            unseen = self.is_child[inner] & (self.families[inner] == self.families[partly.nodes[part]][case])
            unseen &= (seen.around[inner, runs] >= rows) & (seen.inside[inner, runs] >= rows)
            unseen &= seen.inside[self.trees.parents[inner], runs] < rows
            sums[part] = np.bincount(case[unseen], weights=amounts[inner[unseen]], minlength=len(part))
        return sums / np.maximum(self.sizes[partly.nodes], 1.0)


def credited_gains(seen: Seen, gains: FloatArray, sizes: IntArray, base: BoolArray) -> FloatArray:
    """Returns the gain of each result for a user who gains nothing from text that earlier results showed.

    A completely unseen element c has the gain f(c). An element has no gain if the element or one of its ancestors was already returned. The
    gain of a partly seen element c is the sum of g(m)|m|/|c| over its relevant children m. Here g(m) is the gain of m by the same rules,
    and |c| is the number of characters in c. The credit of an element is at most the remaining gain of the ideal element that overlaps it;
    if several ideal elements overlap it, at most the largest of their remaining gains. The credit is subtracted from the remaining gains of
    all overlapping ideal elements.

    Args:
        seen: The parts of documents that the runs show.
        gains: The gain f of each assessed element of the trees, shape (I,).
        sizes: Number of characters in each assessed element, shape (I,); a value below 1 means that the size is unknown.
        base: Whether each assessed element is in the ideal recall base, shape (I,).

    Returns:
        One gain per result, in the order of the batch; 0 for a result that is not relevant.

    Raises:
        CollectionError: The size of a relevant element is unknown, and its parent or a child is also relevant.

    Source: extended cumulated gain of INEX 2005, for a user who does not tolerate overlap (alpha = 1).

    Examples:
        A run returns one half of a section (gain .5), then the whole section. The section then has the gain of the other half, .8 * 60 /
        120 = .4. Because the section is ideal and its remaining gain is .6 - .5 = .1, the credit is .1:

        >>> items = pl.DataFrame(
        ...     {"topic": 0, "doc_id": "d", "path": ["/a[1]/s[1]", "/a[1]/s[1]/p[1]", "/a[1]/s[1]/p[2]"]}
        ... )
        >>> gains, sizes, base = (
        ...     np.array([0.6, 0.5, 0.8]),
        ...     np.array([120, 60, 60]),
        ...     np.array([True, False, False]),
        ... )
        >>> results = items[[1, 0]].with_columns(start=pl.lit(None, pl.Int64))
        >>> seen = Seen.of(Trees.of(items), results, runs=np.array([0, 0]), count=1)
        >>> credited_gains(seen, gains, sizes, base).round(12).tolist()
        [0.5, 0.1]
    """
    trees = seen.trees
    relevant = _Relevant(trees, trees.of_items(gains), trees.of_items(sizes.astype(np.float64)))
    relevant.check_sizes()
    gainful = seen.returned[relevant.gains[seen.returned.nodes] > 0.0]
    worth = relevant.gains[gainful.nodes]
    partly = seen.inside[gainful.nodes, gainful.runs] < gainful.rows
    worth[partly] = relevant.unseen_gains(seen, gainful[partly])
    credited = np.zeros(seen.results)
    credited[gainful.rows] = _cap_credit(relevant, base, gainful, worth)
    return credited


def _cap_credit(relevant: _Relevant, base: BoolArray, returned: Returned, worth: FloatArray) -> FloatArray:
    """Returns the gain of each result, capped at the largest remaining gain of the ideal elements that overlap the result."""
    trees, nodes = relevant.trees, returned.nodes
    ideals = np.sort(trees.nodes[base])
    # Ideal elements do not overlap, so only the last ideal element that starts at or before a node can contain the node.
    last = np.searchsorted(ideals, nodes, side="right") - 1
    held = (last >= 0) & (trees.ends[ideals[last]] > nodes)
    begins = np.where(held, last, last + 1)
    counts = np.where(held, 1, np.searchsorted(ideals, trees.ends[nodes]) - begins)
    spent = np.zeros((len(ideals), int(returned.runs.max(initial=0)) + 1))
    credited = np.zeros(len(worth))
    # Results are credited in rounds: in each tree, first every run's first result, then every run's second result, and so on.
    order = np.lexsort((trees.trees[nodes], returned.runs))
    firsts = np.flatnonzero(changes(returned.runs[order]) | changes(trees.trees[nodes][order]))
    turns = np.arange(len(order)) - np.repeat(firsts, np.diff(firsts, append=len(order)))
    by_turn = order[np.argsort(turns, kind="stable")]
    for turn in np.split(by_turn, np.cumsum(np.bincount(turns)))[:-1]:
        case, place = _ranges(begins[turn], counts[turn])
        runs = returned.runs[turn][case]
        left = np.maximum.reduceat(relevant.gains[ideals[place]] - spent[place, runs], np.cumsum(counts[turn]) - counts[turn])
        credited[turn] = np.maximum(np.minimum(worth[turn], left), 0.0)
        spent[place, runs] += credited[turn][case]
    return credited


def _ranges(begins: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """Concatenates ranges of integers; returns the index of the range of each integer, and the concatenated integers."""
    return np.repeat(np.arange(len(counts)), counts), in_ranges(begins, counts)
