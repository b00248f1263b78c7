"""The gains of judged items: elements by their gains under a quantisation, documents by their grades.

An ideal recall base contains relevant elements that do not overlap; a focused run is ideal if it returns these elements.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, Protocol, TypeAlias

import numpy as np
import polars as pl

from inexmetrics.collection import Collection, assessed_documents, assessed_elements
from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.runs import Runs
from inexmetrics.collection.schemas import RESULTS
from inexmetrics.collection.structure import UNKNOWN, Structure, extents, mean_document_length
from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.errors import CollectionError
from inexmetrics.quantisations.base import Quantisation, numbered
from inexmetrics.ranking.focused import NEVER, Trees
from inexmetrics.ranking.gains import Pool
from inexmetrics.ranking.ideal_gains import IdealGains
from inexmetrics.ranking.index import JudgementIndex
from inexmetrics.ranking.passages.texts import Highlights

__all__ = ["Gains", "Ideal", "JudgedItems", "ReadsJudgements", "alike", "check_quantisation", "ideal_recall_base"]

Ideal: TypeAlias = Literal["paths", "greedy"]
"""How the elements of an ideal recall base are chosen."""
ROUNDING: Final = 1e-14
"""Gains that differ by at most this relative rounding error are treated as equal: (1 + 1) * .3 / 3 and (2 + 1) * .2 / 3 are both .2, but
differ as floats."""


def ideal_recall_base(trees: Trees, gains: FloatArray, ideal: Ideal) -> BoolArray:
    """Returns the elements of the ideal recall base, which are relevant and never nested.

    A relevant path leads from a whole document to a relevant element without relevant descendants. With ``"paths"``, the best element of
    each relevant path is found: the element with the highest gain or, if gains are equal, the outermost of these elements. The ideal
    elements are the best elements that are not nested in another best element. With ``"greedy"``, elements are considered by decreasing
    gain; among elements with equal gains, the outermost comes first. A relevant element is chosen unless it overlaps an element that was
    chosen before.

    Args:
        trees: The trees that contain the I assessed elements.
        gains: The gains of the assessed elements, shape (I,).
        ideal: How the ideal elements are chosen.

    Returns:
        Whether each assessed element is ideal, shape (I,).

    Source: the ideal recall base of INEX 2005, as used for the focused task by Ogilvie & Lalmas (2006), section 2.6.

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
    """Groups gains that differ only by rounding, and returns the gains with each gain replaced by the lowest gain of its group."""
    order = np.argsort(gains, kind="stable")
    ordered = gains[order]
    begins = np.diff(ordered, prepend=-1.0) > ROUNDING * ordered
    alike = np.empty_like(gains)
    alike[order] = ordered[begins][np.cumsum(begins) - 1]
    return alike


def _winners_of_paths(trees: Trees, gains: FloatArray) -> BoolArray:
    """Returns whether each node is an ideal element under the method ``"paths"`` of `ideal_recall_base`."""
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
    """Returns whether each node is an ideal element under the method ``"greedy"`` of `ideal_recall_base`.

    Nodes are considered by decreasing gain; among nodes with equal gains, the outermost comes first. Nodes that overlap an already chosen
    node are skipped.
    """
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


SCALES = {"inex2004": "INEX 2004", "inex2005": "INEX 2005"}


def check_quantisation(quantisation: Quantisation, assessments: Assessments, structure: Structure | None = None) -> None:
    """Checks that the assessments can be quantised.

    Raises:
        CollectionError: The quantisation is defined on the scale of another year, or needs an exhaustivity or size that is unknown for some
            elements.
    """
    exhaustivity = pl.col("exhaustivity")
    relevant = assessed_elements(assessments, structure).filter(
        (exhaustivity.is_null() | (exhaustivity.cast(pl.String) != "0")) & (pl.col("specificity") > 0)
    )
    unexhausted, unsized = relevant["exhaustivity"].null_count(), relevant["size"].null_count()
    # Assessments of highlighted passages do not state a scale. The scale of 2005 applies, because INEX introduced it together with
    # highlighting.
    scale = "inex2005" if assessments.scale is None else assessments.scale
    judged = "elements were" if assessments.elements is not None else "highlighted passages were"
    if scale not in quantisation.scales:
        known = " or ".join(SCALES[name] for name in sorted(quantisation.scales))
        raise CollectionError(
            f"{quantisation} is defined on the scale of {known}, but the {judged} assessed on the scale of {SCALES[scale]}"
        )
    if quantisation.needs_exhaustivity and unexhausted:
        what = (
            "highlighted passages have none"
            if assessments.elements is None
            else f"{unexhausted} of {relevant.height} relevant elements have none"
        )
        raise CollectionError(f"{quantisation} needs the exhaustivity of elements, but {what}")
    if quantisation.needs_size and unsized:
        hint = "; a structure can supply the size" if structure is None else ""
        raise CollectionError(
            f"{quantisation} needs the size of elements, but {unsized} of {relevant.height} relevant elements have none{hint}"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Gains:
    """The gains of n judged items.

    Attributes:
        gains: Gain of each item, shape (n + 1,); the last entry, 0, is the gain of unjudged items.
        ideal: The ideal list for each topic.
        pool: The judged items of the pool.
    """

    gains: FloatArray
    ideal: IdealGains
    pool: Pool

    @classmethod
    def of(cls, worths: FloatArray, judged: JudgementIndex, topics: int) -> Gains:
        """Builds the gains of items; a negative value, which marks an unjudged item, becomes a gain of 0."""
        gainful = np.flatnonzero(worths > 0.0)
        ideal = IdealGains.of(worths.take(gainful), judged.topics.take(gainful), topics)
        there = worths >= 0.0
        counts, sizes = (np.bincount(of_items, minlength=topics) for of_items in (judged.topics[there], judged.topics))
        return cls(np.append(np.maximum(worths, 0.0), 0.0), ideal, Pool(there, counts, sizes))

    def part(self, topics: slice) -> tuple[IdealGains, Pool]:
        """Returns the ideal lists and the pool of some topics.

        If all topics are requested, the original objects are returned, together with the values that they have cached.
        """
        ideal, pool = self.ideal, self.pool
        if topics == slice(0, len(ideal.counts)):
            return ideal, pool
        return IdealGains(ideal.gains[topics], ideal.counts[topics]), Pool(pool.judged, pool.counts[topics], pool.sizes[topics])


class ReadsJudgements(Hashable, Protocol):
    """A selection of judgements, such as the judgements of one assessor."""

    @property
    def as_wholes(self) -> bool:
        """Whether each judged document is treated as one element, and each result is replaced by the whole document that contains it."""

    def read(self, assessments: Assessments, runs: Runs | None) -> Assessments: ...


class JudgedItems:
    """The judged items of a collection and their gains, shared by all batches of the collection."""

    def __init__(self, collection: Collection) -> None:
        self.assessments, self.structure = collection.assessments, collection.structure
        self.topics = collection.assessments.topics
        self._worths: dict[Quantisation, Gains] = {}
        self._recall_bases: dict[tuple[Quantisation, Ideal], Gains] = {}
        self._collection = collection
        self._by: dict[ReadsJudgements, JudgedItems] = {}

    def by(self, judgements: ReadsJudgements | None) -> JudgedItems:
        """Returns the items under a selection of judgements (None: all). Raises `CollectionError` if these judgements are missing."""
        if judgements is None:
            return self
        if judgements not in self._by:
            chosen = judgements.read(self.assessments, self._collection.runs)
            self._by[judgements] = JudgedItems(self._collection.assessed_as(chosen))
        return self._by[judgements]

    @cached_property
    def elements(self) -> JudgementIndex:
        """The assessed elements, with exhaustivity as a number."""
        return JudgementIndex.of(numbered(assessed_elements(self.assessments, self.structure)), self.topics)

    @cached_property
    def documents(self) -> JudgementIndex:
        return JudgementIndex.of(assessed_documents(self.assessments), self.topics)

    def gains(self, quantisation: Quantisation) -> Gains:
        """Returns the gains of elements under a quantisation. Raises `CollectionError` if the elements cannot be quantised."""
        if quantisation not in self._worths:
            check_quantisation(quantisation, self.assessments, self.structure)
            gains = quantisation.gains(self.elements.items)
            self._worths[quantisation] = Gains.of(gains, self.elements, len(self.topics))
        return self._worths[quantisation]

    @cached_property
    def highlights(self) -> Highlights:
        """The highlighted text. Raises `CollectionError` if the assessments lack highlighted text."""
        return Highlights.of(self.assessments, self.topics)

    @cached_property
    def document_lengths(self) -> IntArray:
        """Length of each document of `highlights`; -1 if unknown.

        If the assessments for a topic do not contain a length, the length is taken from the structure or from other topics.
        """
        lengths = self.highlights.docchars
        if (lengths != UNKNOWN).all():
            return lengths
        nowhere = {name: pl.lit(None, dtype) for name, dtype in RESULTS.items() if name in ("path", "start", "length")}
        whole = self.highlights.judged.items.select("doc_id", **nowhere)
        return np.where(lengths == UNKNOWN, extents(whole, self.assessments, self.structure)["length"].to_numpy(), lengths)

    @cached_property
    def mean_document_length(self) -> float:
        """Mean length of documents in characters. Raises `CollectionError` if no length is known."""
        return mean_document_length(self.assessments, self.structure)

    @cached_property
    def trees(self) -> Trees:
        """The trees of assessed elements."""
        return Trees.of(self.elements.items)

    def recall_base(self, quantisation: Quantisation, ideal: Ideal) -> Gains:
        """Returns the gains of the elements of the ideal recall base; 0 for all other elements."""
        if (quantisation, ideal) not in self._recall_bases:
            gains = self.gains(quantisation).gains[:-1]
            worth = Gains.of(np.where(ideal_recall_base(self.trees, gains, ideal), gains, 0.0), self.elements, len(self.topics))
            self._recall_bases[quantisation, ideal] = worth
        return self._recall_bases[quantisation, ideal]

    def ideal_elements(self, quantisation: Quantisation, ideal: Ideal) -> pl.DataFrame:
        """Returns the elements of the ideal recall base: topic_id, doc_id, path (null for a whole document) and gain."""
        gains = pl.Series("gain", self.recall_base(quantisation, ideal).gains[:-1])
        return self.elements.items.select("topic_id", "doc_id", "path", gains).filter(pl.col("gain") > 0.0)

    @cached_property
    def sizes(self) -> IntArray:
        """Number of characters in each element; -1 if unknown."""
        return self.elements.items["size"].fill_null(-1).to_numpy()

    @cached_property
    def grades(self) -> Gains:
        """The documents' grades as gains, with 0 for negative grades."""
        return Gains.of(self.documents.items["grade"].to_numpy(), self.documents, len(self.topics))

    @cached_property
    def estimates(self) -> tuple[FloatArray, FloatArray] | None:
        """The value that stands for the gain of each document, and the value known before the sample; None unless gains are estimated."""
        if self.assessments.estimates is None:
            return None
        pairs = self.documents.items.select("topic_id", "doc_id")
        found = pairs.join(self.assessments.estimates, on=["topic_id", "doc_id"], how="left", maintain_order="left")
        return found["value"].to_numpy(), found["expected"].to_numpy()

    @cached_property
    def highlighted(self) -> Gains:
        """The documents with highlighted text, each with gain 1. Raises `CollectionError` if the assessments lack highlighted text."""
        highlights = self.highlights
        return Gains.of((highlights.relchars > 0).astype(np.float64), highlights.judged, len(self.topics))
