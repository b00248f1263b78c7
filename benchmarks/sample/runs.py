"""Simulated runs: groups of systems of different quality, each group with a preference for some kinds of elements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from benchmarks.sample.documents import Documents
from benchmarks.sample.draws import Draws
from benchmarks.sample.judgements import Judgements, saturated
from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.simulations.sample import SCORE_UNIT

__all__ = ["GROUPS", "Group", "Retrieved", "in_context", "pooled", "retrieved"]

KINDS: Final[dict[str, int]] = {
    "article": 0,
    "bdy": 1,
    "sec": 2,
    "ss1": 2,
    "p": 3,
    "list": 3,
    "abs": 3,
    "fig": 3,
    "st": 4,
    "item": 4,
    "it": 4,
    "fgc": 4,
    "atl": 4,
}
"""Kinds of elements that a group may prefer; all other elements, mostly front and back matter, are of kind 5."""


@dataclass(frozen=True, slots=True)
class Group:
    """The systems of one group of researchers.

    Attributes:
        quality: From 0 (follows misleading text) to 1 (follows relevant text).
        taste: Amounts added to the scores of articles, bodies, sections, paragraphs, small elements and all other elements.
        focus: Weight of specificity: preference for elements that are only about the topic.
        substance: Weight of exhaustivity: preference for elements that contain much text about the topic.
    """

    quality: float
    taste: tuple[float, float, float, float, float, float]
    focus: float
    substance: float


GROUPS: Final = (
    Group(0.75, (0.18, 0.12, 0.06, 0.03, -0.06, -0.15), 0.7, 0.6),
    Group(0.65, (0.25, 0.2, 0.1, 0.0, -0.1, -0.25), 0.4, 0.7),
    Group(0.82, (0.0, 0.06, 0.06, 0.06, -0.06, -0.15), 0.8, 0.6),
    Group(0.7, (0.0, 0.0, 0.06, 0.12, 0.03, -0.06), 0.8, 0.5),
    Group(0.78, (0.3, 0.2, 0.1, 0.0, -0.1, -0.25), 0.6, 0.8),
    Group(0.65, (0.06, 0.06, 0.06, 0.06, 0.0, -0.06), 0.6, 0.6),
    Group(0.88, (0.06, 0.06, 0.06, 0.06, 0.0, -0.15), 0.8, 0.7),
    Group(0.72, (-0.06, -0.06, 0.0, 0.06, 0.12, -0.06), 0.9, 0.4),
    Group(0.67, (0.06, 0.06, 0.15, 0.06, -0.06, -0.06), 0.7, 0.6),
    Group(0.82, (-0.06, -0.06, 0.0, 0.15, 0.06, -0.15), 1.0, 0.5),
)
"""The groups of the simulation, in the order of their numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class Retrieved:
    """Results of all runs for one topic. R runs, K results.

    Attributes:
        element: Numbers of the retrieved elements, all distinct, shape (R, K); -1 after the end of a ranking.
        score: Retrieval status values in units of 1 / `SCORE_UNIT`, shape (R, K); 0 after the end of a ranking.
    """

    element: IntArray
    score: IntArray


def retrieved(documents: Documents, judged: Judgements, *, seed: int, topic: int, systems: int, results: int) -> Retrieved:
    """Simulates the results of every run for a topic, best first; results may overlap.

    Args:
        documents: All documents.
        judged: The topic's judgements.
        seed: The seed; equal seeds give equal runs.
        topic: Number of the topic, which determines its random numbers.
        systems: Number of runs in each group.
        results: Number of results of each run.
    """
    source = Draws(seed, 3, topic)
    elements = documents.within(_considered(documents, judged, results, source))
    kinds = np.array([KINDS.get(tag, 5) for tag in documents.tag], dtype=np.int64)[elements]
    places = documents.document[elements]
    roots = documents.first[places]
    found, decoyed = judged.highlighted, judged.decoyed
    focus, false_focus = found[elements] / documents.length[elements], decoyed[elements] / documents.length[elements]
    substance, false_substance = saturated(found[elements], 1000.0), saturated(decoyed[elements], 1000.0)
    evidence, false_evidence = saturated(found[roots], 1000.0), saturated(decoyed[roots], 1000.0)
    hardness = source.bell()
    lists: list[tuple[IntArray, IntArray]] = []
    for group in GROUPS:
        quality = group.quality - 0.1 * hardness + 0.05 * source.bell()
        taste = np.array(group.taste)[kinds]
        beliefs = source.bells(len(documents.doc_ids))[places]
        habits = source.bells(len(elements))
        for _ in range(systems):
            skill = min(1.0, max(0.0, quality + 0.05 * source.bell()))
            blur = 1.0 - skill
            score = (
                group.focus * (skill * focus + blur * false_focus)
                + group.substance * (skill * substance + blur * false_substance)
                + 0.8 * (skill * evidence + blur * false_evidence)
                + source.uniform(0.8, 1.2) * taste
                + (0.6 + blur) * (0.5 * beliefs + 0.45 * habits + 0.25 * source.bells(len(elements)))
            )
            lists.append(_best(elements, score, results))
    return Retrieved(np.stack([element for element, _ in lists]), np.stack([score for _, score in lists]))


def in_context(documents: Documents, found: Retrieved, results: int) -> Retrieved:
    """Returns the same rankings without overlap and grouped by document, which every task accepts.

    Among nested elements, the best element is kept; documents are ordered by their best element.

    Args:
        documents: All documents.
        found: Results of the runs, best first.
        results: Maximum number of remaining results in each ranking.
    """
    ends = _ends(documents)
    element = np.full((len(found.element), results), -1)
    score = np.zeros_like(element)
    for run, listed in enumerate(found.element):
        kept = _apart(listed, documents.parent, ends)
        _, first, document = np.unique(documents.document[listed[kept]], return_index=True, return_inverse=True)
        left = kept[np.argsort(first[document], kind="stable")][:results]
        element[run, : len(left)], score[run, : len(left)] = listed[left], found.score[run, left]
    return Retrieved(element, score)


def _ends(documents: Documents) -> IntArray:
    """Returns, for each element, the number of the first element after it and its descendants."""
    ends = np.arange(1, len(documents.parent) + 1)
    for element in range(len(ends) - 1, -1, -1):
        parent = documents.parent[element]
        ends[parent] = max(ends[parent], ends[element])
    return ends


def _apart(listed: IntArray, parents: IntArray, ends: IntArray) -> IntArray:
    """Returns the positions of the elements of a ranking that neither contain nor are inside an element kept before them."""
    taken = np.zeros(len(parents), dtype=np.bool_)
    kept = []
    for place, element in enumerate(listed.tolist()):
        if taken[element]:
            continue
        kept.append(place)
        taken[element : ends[element]] = True
        while parents[element] != element:
            element = int(parents[element])  # noqa: PLW2901  # climbs to the root
            taken[element] = True
    return np.array(kept, dtype=np.int64)


def pooled(documents: Documents, retrieved: Retrieved, n: int) -> IntArray:
    """Returns the numbers of the documents that are found first when all runs are read rank by rank.

    Args:
        documents: All documents.
        retrieved: Results of the runs.
        n: Number of documents to find; the rank at which this number is reached is read completely.
    """
    by_rank = documents.document[retrieved.element].T
    met, first = np.unique(by_rank, return_index=True)
    rank = first // by_rank.shape[1]
    last = np.sort(rank)[min(n, len(rank)) - 1]
    pool: IntArray = met[rank <= last]
    return pool


def _considered(documents: Documents, judged: Judgements, results: int, source: Draws) -> IntArray:
    """Returns the documents that systems consider, in ascending order: relevant documents, misleading documents and others."""
    others = source.chosen(len(documents.doc_ids), 200 + results // 5)
    return np.unique(np.concatenate([judged.passages.document, judged.decoys.document, others])).astype(np.int64)


def _best(elements: IntArray, score: FloatArray, results: int) -> tuple[IntArray, IntArray]:
    """Returns the elements with the highest scores, and these scores as integers; equal scores are in document order."""
    rounded = np.floor(SCORE_UNIT * score + 0.5).astype(np.int64)
    enough = min(results, len(rounded))
    best = np.flatnonzero(rounded >= np.partition(rounded, -enough)[-enough])
    order = best[np.argsort(-rounded[best], kind="stable")[:enough]]
    return elements[order], rounded[order]
