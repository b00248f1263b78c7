"""Trees of elements: the nesting of assessed elements, and operations on values of their nodes.

There is one tree for each topic and document with assessed elements. The nodes of a tree are the assessed elements and
all their ancestors, up to the whole document. Other elements are not nodes, and are located below their nearest ancestor among the nodes.
Nodes are in preorder: an element directly precedes its descendants.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray, changes
from inexmetrics.common.elements import WHOLE, parent, place, steps

__all__ = ["NEVER", "Trees"]

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
