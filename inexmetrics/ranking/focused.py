"""Trees of assessed elements, and the focused task, in which a result's gain counts only text that earlier results did not show.

There is one tree for each topic and document with assessed elements. The nodes of a tree are the assessed elements and
all their ancestors, up to the whole document. Other elements are not nodes, and are located below their nearest ancestor among the nodes.
Nodes are in preorder: an element directly precedes its descendants.

The seen part of an element depends on all earlier results of a run, relevant or not. Each ideal element (`recall_base`) has a remaining
gain, from which the gains of all results that overlap the ideal element are subtracted. The gain of a result is at most the remaining gain
of an ideal element that overlaps the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from inexmetrics.common.arrays import BoolArray, FloatArray, IndexArray, IntArray, changes, in_ranges
from inexmetrics.common.elements import WHOLE, parent, place, steps
from inexmetrics.common.errors import CollectionError

__all__ = ["NEVER", "Seen", "Trees", "credited_gains"]

NEVER: Final = np.iinfo(np.int32).max
"""Rank assigned to items that are not retrieved; it is larger than the rank of any result."""

S = TypeVar("S", np.int32, np.int64)


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees of elements, one for each topic and document with assessed elements. V nodes, I assessed elements.

    Attributes:
        keys: The key of each node (topic, doc_id and canonical path), in node order.
        items: Index of the assessed element of each node, shape (V,); -1 if the node was not assessed.
        trees: Index of the tree of each node, in increasing order, shape (V,).
        parents: Index of the parent of each node, shape (V,); a whole document is its own parent.
        ends: Index after the last descendant of each node, shape (V,).
        levels: Nodes by depth, beginning with the whole documents.
    """

    keys: pl.DataFrame
    items: IntArray
    trees: IntArray
    parents: IntArray
    ends: IntArray
    levels: tuple[IntArray, ...]

    @classmethod
    def of(cls, items: pl.DataFrame) -> Trees:
        """Builds the trees of distinct assessed elements.

        Args:
            items: topic (a number), doc_id and path of each assessed element; a null path is the whole document.
        """
        on = ["topic", "doc_id", "place"]
        placed = items.select("topic", "doc_id", place(pl.col("path")).alias("place"))
        generations = [placed.select(on).unique()]
        while not generations[-1].is_empty():
            inner = generations[-1].filter(pl.col("place") != WHOLE)
            generations.append(inner.with_columns(parent(pl.col("place"))).unique())
        # A path that ends with a slash is a prefix of the paths of its descendants, and sorts before them.
        sorted_by = pl.when(pl.col("place") == WHOLE).then(pl.lit("")).otherwise(pl.col("place") + "/")
        nodes = pl.concat(generations).unique().sort("topic", "doc_id", sorted_by)
        found = nodes.join(placed.with_row_index("item"), on=on, how="left", maintain_order="left")
        depths = nodes.select(steps(pl.col("place"))).to_series().to_numpy()
        levels = tuple(np.flatnonzero(depths == depth) for depth in range(1, int(depths.max(initial=0)) + 1))
        every = np.arange(nodes.height)
        parents, ends = every.copy(), np.full(nodes.height, nodes.height)
        for upper, lower in pairwise(levels):
            parents[lower] = upper[np.searchsorted(upper, lower) - 1]
        for level in levels:
            # The descendants of a node end at the next node of its level, or where the descendants of its parent end.
            following = np.append(level[1:], nodes.height)
            ends[level] = np.where(parents[level] == level, following, np.minimum(following, ends[parents[level]]))
        return cls(
            keys=nodes,
            items=found["item"].cast(pl.Int64).fill_null(-1).to_numpy(),
            trees=np.cumsum(parents == every) - 1,
            parents=parents,
            ends=ends,
            levels=levels,
        )

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def nodes(self) -> IntArray:
        """Index of the node of each assessed element, shape (I,)."""
        assessed = np.flatnonzero(self.items >= 0)
        return assessed[np.argsort(self.items[assessed])]

    def of_items(self, values: FloatArray) -> FloatArray:
        """Returns the value of each node, shape (V,): the value of the assessed element, or 0 if the node was not assessed."""
        by_node = np.zeros(len(self))
        by_node[self.nodes] = values
        return by_node

    def holders(self, marked: BoolArray) -> IntArray:
        """Returns the innermost marked node that equals or contains each node, shape (V,); -1 if there is no marked node."""
        holders = np.where(marked, np.arange(len(self)), -1)
        for level in self.levels[1:]:
            holders[level] = np.where(marked[level], level, holders[self.parents[level]])
        return holders

    def counted(self, marked: BoolArray) -> IntArray:
        """Returns the number of marked nodes inside each node, including the node itself, shape (V,)."""
        before = np.concatenate(([0], np.cumsum(marked)))
        return before[self.ends] - before[:-1]

    def least_around(self, values: NDArray[S]) -> NDArray[S]:
        """Returns, for each node, the smallest value among the node and all its ancestors, in the shape of `values`: (V,) or (V, R)."""
        least = values.copy()
        for level in self.levels[1:]:
            least[level] = np.minimum(least[level], least[self.parents[level]])
        return least

    def least_inside(self, values: NDArray[S], inside: NDArray[S]) -> NDArray[S]:
        """Returns, for each node, the smallest value among all its descendants.

        Args:
            values: Values of nodes, shape (V,) or (V, R).
            inside: For each node, the smallest value of the elements that are not nodes and have this node as their nearest ancestor. The
                array has the same shape as `values`.
        """
        least = inside.copy()
        for level in reversed(self.levels[1:]):
            above = self.parents[level]
            firsts = np.flatnonzero(changes(above))
            of_children = np.minimum.reduceat(np.minimum(values[level], least[level]), firsts, axis=0)
            least[above[firsts]] = np.minimum(least[above[firsts]], of_children)
        return least

    def place(self, results: pl.DataFrame) -> tuple[IntArray, IntArray, BoolArray]:
        """Locates results in the trees; returns the rows of the located results, their nodes, and whether each result is the node itself.

        If a result is not a node itself, its nearest ancestor that is a node is returned. Passages, and results in documents without a
        tree, are omitted.

        Args:
            results: topic, doc_id, path and start of each result.
        """
        element = pl.col("path").is_not_null() | pl.col("start").is_null()
        nodes = self.keys.with_columns(pl.Series("tree", self.trees), pl.Series("node", np.arange(len(self))))
        roots = nodes.filter(pl.col("place") == WHOLE).select("topic", "doc_id", "tree")
        of_tree = nodes.select("tree", "place", "node")
        inside = (
            results.select("topic", "doc_id", "path", "start")
            .with_row_index("row")
            .filter(element)
            .join(roots, on=["topic", "doc_id"], how="inner")
        )
        inside = inside.select("row", "tree", place(pl.col("path")).alias("place")).join(of_tree, on=["tree", "place"], how="left")
        outside = inside.filter(pl.col("node").is_null()).select("row", "tree", "place")
        # An element that is not a node is located below the nearest ancestor that is a node.
        searched = outside.select("tree", "place").unique().with_columns(pl.col("place").alias("above"))
        met = [of_tree.clear()]
        while not searched.is_empty():
            up = searched.with_columns(parent(pl.col("above"))).join(of_tree.rename({"place": "above"}), on=["tree", "above"], how="left")
            met.append(up.filter(pl.col("node").is_not_null()).select("tree", "place", "node"))
            searched = up.filter(pl.col("node").is_null()).drop("node")
        below = outside.join(pl.concat(met), on=["tree", "place"], how="inner")
        there = inside.filter(pl.col("node").is_not_null())
        rows = np.concatenate((there["row"].to_numpy(), below["row"].to_numpy())).astype(np.int64)
        found = np.concatenate((there["node"].to_numpy(), below["node"].to_numpy())).astype(np.int64)
        order = np.argsort(rows)
        return rows[order], found[order], (np.arange(len(rows)) < there.height)[order]


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
