"""Disturbed ideal runs: each element of the ideal lists moves up or down the tree of its document, or is replaced by a sibling.

Every element of every topic has its own random numbers, which do not depend on the probability of moving. With a higher probability of
moving, each element moves at least as far along the same path. Runs for different probabilities therefore differ only in how far elements
move.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection import Runs, Structure
from inexmetrics.collection.schemas import RESULTS
from inexmetrics.common import elementary, errors, messages
from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.elements import WHOLE, parent, place, steps
from inexmetrics.ranking.recall_base import alike

__all__ = ["DocumentTrees", "disturbed", "replaced_by_siblings", "wandered"]

NONE: Final = -1
"""Parent index of a root element."""


@dataclass(frozen=True, slots=True, eq=False)
class DocumentTrees:
    """The trees of documents in a structure, including elements without text. V elements.

    Attributes:
        elements: The elements (columns `STRUCTURE` and ``place``) by doc_id, then in document order, one row per element.
        parents: Index of each element's parent, shape (V,); -1 for a root.
        children: Indices of all elements that have a parent, grouped by parent, in document order.
        firsts: The index in `children` of each element's first child, shape (V,).
        counts: The number of children of each element, shape (V,).
        depth: Length of the longest path from an element to a descendant, in steps.
    """

    elements: pl.DataFrame
    parents: IntArray
    children: IntArray
    firsts: IntArray
    counts: IntArray
    depth: int

    @classmethod
    def of(cls, structure: Structure, doc_ids: pl.Series) -> DocumentTrees:
        """Builds the trees of the given documents."""
        listed = structure.elements.filter(pl.col("doc_id").is_in(doc_ids.unique().to_list())).with_columns(
            place(pl.col("path")).alias("place")
        )
        # If two elements have equal starts, the longer element is the ancestor; if the lengths are also equal, the element with the shorter
        # path is the ancestor.
        order = ["doc_id", "start", pl.col("length") * -1, steps(pl.col("place")), "place"]
        elements = listed.sort(order).unique(["doc_id", "place"], keep="first", maintain_order=True)
        parents = _parents(elements)
        held = np.flatnonzero(parents != NONE)
        children = held[np.argsort(parents[held], kind="stable")]
        counts = np.bincount(parents[held], minlength=len(parents))
        deepest = elements.select(steps(pl.col("place")).max()).item()
        return cls(elements, parents, children, np.cumsum(counts) - counts, counts, max(int(deepest or 1) - 1, 0))

    def nodes(self, elements: pl.DataFrame) -> IntArray:
        """Returns the indices of elements, given by doc_id and path; the index is -1 if the structure lacks the element."""
        keys = self.elements.select("doc_id", "place", pl.int_range(pl.len(), dtype=pl.Int64).alias("node"))
        wanted = elements.select("doc_id", place(pl.col("path")).alias("place"))
        found = wanted.join(keys, on=["doc_id", "place"], how="left", maintain_order="left")["node"]
        return found.fill_null(NONE).to_numpy()


def disturbed(ideals: pl.DataFrame, structure: Structure, moves: Sequence[float], seed: int, *, siblings: bool = False) -> Runs:
    """Returns one run for each probability m of moving: the ideal list of each topic, with its elements moved. The run is named after m.

    An ideal list contains the ideal elements (topic_id, doc_id, path and gain) by decreasing gain. Elements with equal gains (within
    rounding) are ordered by doc_id, then in document order. Each element moves either up or down, with probability 1/2 each. Before each
    step, the movement ends with probability 1 - m. A step up moves the element to its parent. A step down moves the element to one of its
    children; all children are equally likely. The movement also ends if the element cannot move any further. With `siblings` each element
    is replaced by one of its siblings with probability m, as in `replaced_by_siblings`. If two elements move to the same element, the run
    contains this element twice. The random numbers of a topic depend only on the seed and the topic's name, not on other topics or
    probabilities. Elements without text are included. Raises `CollectionError` if the structure lacks an ideal element.

    Source: Piwowarski & Dupret (2006), section 7.
    """
    trees = DocumentTrees.of(structure, ideals["doc_id"])
    nodes = trees.nodes(ideals)
    lost = ideals.filter(pl.Series(nodes == NONE))
    if not lost.is_empty():
        topic_id, doc_id, path = lost.select("topic_id", "doc_id", "path").row(0)
        where = doc_id if path is None else f"{doc_id} {path}"
        message = f"expected all ideal elements in the structure, found {lost.height} of {ideals.height} missing, such as {where}"
        raise errors.CollectionError(errors.Problem(message, topic_id=topic_id))
    placed = ideals.select("topic_id", pl.Series("gain", alike(ideals["gain"].to_numpy())), pl.Series("node", nodes))
    lists = placed.sort("topic_id", -pl.col("gain"), "node")
    topic_ids, starts = lists["topic_id"].to_list(), lists["node"].to_numpy()
    # The first row of random numbers determines the direction, and each step adds two rows, so that more steps do not change earlier rows.
    rows = 1 + 2 * trees.depth
    numbers: list[FloatArray] = []
    for topic_id, members in groupby(topic_ids):
        key = int.from_bytes(hashlib.sha256(topic_id.encode()).digest()[:8], "little")
        count = len(list(members))
        numbers.append(elementary.Stream(seed, key).numbers(rows * count).reshape(rows, count))
    draws = np.concatenate(numbers, axis=1)
    moved = replaced_by_siblings if siblings else wandered
    by_name = {messages.canonical(move): moved(trees, starts, draws, move) for move in moves}
    run_ids, topics = sorted(by_name), sorted(set(topic_ids))
    found = trees.elements[np.concatenate([by_name[run_id] for run_id in run_ids])]
    results = found.select(
        pl.Series("run_id", np.repeat(run_ids, len(starts)).tolist(), dtype=pl.Enum(run_ids)),
        pl.Series("topic_id", topic_ids * len(run_ids), dtype=pl.Enum(topics)),
        *(pl.col(name) if name in found.columns else pl.lit(None, dtype).alias(name) for name, dtype in RESULTS.items()),
    )
    return Runs.of(results, dict.fromkeys(run_ids, "file"))


def wandered(trees: DocumentTrees, starts: IntArray, draws: FloatArray, move: float) -> IntArray:
    """Returns the final nodes of N elements that move independently through the trees of their documents.

    Args:
        trees: The trees.
        starts: The node at which each element starts, shape (N,).
        draws: Random numbers in [0, 1), one column per element, shape (1 + 2 * steps, N). An element moves up if its random number in row 0
            is below 1/2, and otherwise down. Step i uses rows 2i - 1 and 2i: an element moves if its random number in row 2i - 1 is below
            `move`, and its random number in row 2i selects the child.
        move: The probability of a step.
    """
    nodes, up = starts.copy(), draws[0] < 0.5
    going: BoolArray = np.ones(len(starts), dtype=np.bool_)
    for goes, chooses in zip(draws[1::2], draws[2::2], strict=True):
        possible = np.where(up, trees.parents[nodes] != NONE, trees.counts[nodes] > 0)
        going &= (goes < move) & possible
        if not going.any():
            break
        rising, falling = going & up, going & ~up
        nodes[rising] = trees.parents[nodes[rising]]
        above = nodes[falling]
        nodes[falling] = trees.children[trees.firsts[above] + (chooses[falling] * trees.counts[above]).astype(np.int64)]
    return nodes


def replaced_by_siblings(trees: DocumentTrees, starts: IntArray, draws: FloatArray, move: float) -> IntArray:
    """Returns N elements, each of which is kept or replaced by a sibling; all siblings are equally likely.

    Args:
        trees: The trees.
        starts: The node at which each element starts, shape (N,). An element without siblings is kept.
        draws: Random numbers in [0, 1), one column per element, shape (1 + 2 * steps, N), as in `wandered`. An element is replaced if its
            random number in row 1 is below `move`. Its random number in row 2 selects the sibling that replaces the element.
        move: The probability that an element is replaced.
    """
    nodes = starts.copy()
    if len(draws) < 3:  # no document has elements below the root
        return nodes
    replaced = np.flatnonzero((draws[1] < move) & (trees.parents[starts] != NONE))
    parents = trees.parents[starts[replaced]]
    replaced, parents = replaced[trees.counts[parents] > 1], parents[trees.counts[parents] > 1]
    number_of = np.empty(len(trees.parents), dtype=np.int64)
    number_of[trees.children] = np.arange(len(trees.children))
    own = number_of[starts[replaced]] - trees.firsts[parents]
    chosen = (draws[2][replaced] * (trees.counts[parents] - 1)).astype(np.int64)
    nodes[replaced] = trees.children[trees.firsts[parents] + chosen + (chosen >= own)]
    return nodes


def _parents(elements: pl.DataFrame) -> IntArray:
    """Returns the parent of each element, or the nearest ancestor in the structure if the structure lacks the parent."""
    nodes = elements.select("doc_id", "place", pl.int_range(pl.len(), dtype=pl.Int64).alias("node"))
    parents = np.full(nodes.height, NONE, dtype=np.int64)
    above = nodes.rename({"place": "above", "node": "holder"})
    searched = nodes.filter(pl.col("place") != WHOLE).select("doc_id", "node", above=parent(pl.col("place")))
    while not searched.is_empty():
        met = searched.join(above, on=["doc_id", "above"], how="left", maintain_order="left")
        there = met.filter(pl.col("holder").is_not_null())
        parents[there["node"].to_numpy()] = there["holder"].to_numpy()
        lost = met.filter(pl.col("holder").is_null() & (pl.col("above") != WHOLE))
        searched = lost.select("doc_id", "node", above=parent(pl.col("above")))
    return parents
