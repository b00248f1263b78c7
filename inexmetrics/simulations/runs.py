"""Simulated runs: groups of systems of graded quality, each group with a taste for some kinds of elements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from inexmetrics.arrays import FloatArray, IntArray
from inexmetrics.simulations.documents import Documents
from inexmetrics.simulations.draws import bell, chosen, stream, uniform
from inexmetrics.simulations.judgements import Judgements

__all__ = ["GROUPS", "Group", "Retrieved", "retrieved"]

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
"""Kinds of elements that a group may favour; everything else, mostly front and back matter, is of kind 5."""


@dataclass(frozen=True, slots=True)
class Group:
    """The systems of one group of researchers.

    Attributes:
        quality: From 0, led by what misleads, to 1, led by what is relevant.
        taste: What it adds to the score of articles, bodies, sections, paragraphs, small elements and all others.
        focus: How much it looks for elements that are about the topic and nothing else.
        substance: How much it looks for elements that say much of the topic.
    """

    quality: float
    taste: tuple[float, float, float, float, float, float]
    focus: float
    substance: float


GROUPS: Final = (
    Group(0.53, (0.5, 0.3, 0.2, 0.1, -0.2, -0.4), 0.7, 0.6),
    Group(0.31, (0.5, 0.4, 0.2, 0.0, -0.2, -0.4), 0.5, 0.7),
    Group(0.70, (0.0, 0.2, 0.2, 0.2, -0.2, -0.4), 0.8, 0.6),
    Group(0.40, (0.0, 0.0, 0.2, 0.3, 0.1, -0.2), 0.8, 0.5),
    Group(0.62, (0.5, 0.4, 0.2, 0.0, -0.2, -0.4), 0.6, 0.8),
    Group(0.21, (0.2, 0.2, 0.2, 0.2, 0.0, -0.2), 0.6, 0.6),
    Group(0.75, (0.2, 0.2, 0.2, 0.2, 0.0, -0.4), 0.8, 0.7),
    Group(0.47, (-0.2, -0.2, 0.0, 0.2, 0.3, -0.2), 0.9, 0.4),
    Group(0.37, (0.2, 0.2, 0.4, 0.2, -0.2, -0.2), 0.7, 0.6),
    Group(0.56, (-0.2, -0.2, 0.0, 0.4, 0.2, -0.4), 0.9, 0.5),
)
"""The groups of the simulation, in the order of their numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class Retrieved:
    """What the runs of one topic retrieved. R runs, K results.

    Attributes:
        element: Numbers of the elements retrieved, best first, no two alike, R x K.
        score: Ten-thousandths of retrieval status values, decreasing, R x K.
    """

    element: IntArray
    score: IntArray


def retrieved(documents: Documents, judged: Judgements, seed: int, topic: int, systems: int, results: int) -> Retrieved:
    """Simulates what every run retrieves for a topic.

    Args:
        documents: All documents.
        judged: The topic's judgements.
        seed: The seed; equal seeds give equal runs.
        topic: Number of the topic, which gives it its own random numbers.
        systems: Runs of each group.
        results: Results of each run.
    """
    source = stream(seed, 2, topic)
    elements = documents.within(_candidates(documents, judged, source))
    kinds = np.array([KINDS.get(tag, 5) for tag in documents.tag], dtype=np.int64)[elements]
    length = np.maximum(documents.length[elements], 1)
    focus = judged.highlighted[elements] / length
    false_focus = judged.decoyed[elements] / length
    substance = judged.highlighted[elements] / (judged.highlighted[elements] + 1000.0)
    false_substance = judged.decoyed[elements] / (judged.decoyed[elements] + 1000.0)
    places = documents.document[elements]
    roots = documents.first[places]
    evidence = judged.highlighted[roots] / (judged.highlighted[roots] + 1000.0)
    false_evidence = judged.decoyed[roots] / (judged.decoyed[roots] + 1000.0)
    hardness = bell(source, 1)[0]
    lists: list[tuple[IntArray, IntArray]] = []
    for group in GROUPS:
        quality = group.quality + 0.15 * float(bell(source, 1)[0]) - 0.05 * hardness
        taste = np.array(group.taste)[kinds]
        common = bell(source, len(documents.doc_ids))[places]
        habits = bell(source, len(elements))
        for _ in range(systems):
            skill = min(1.0, max(0.0, quality + 0.05 * float(bell(source, 1)[0])))
            blur = 1.0 - skill
            score = (
                group.focus * (skill * focus + blur * false_focus)
                + group.substance * (skill * substance + blur * false_substance)
                + 0.8 * (skill * evidence + blur * false_evidence)
                + taste * uniform(source, 0.8, 1.2)
                + (0.4 + blur) * (0.5 * common + 0.45 * habits + 0.25 * bell(source, len(elements)))
            )
            lists.append(_best(elements, score, results))
    return Retrieved(np.stack([element for element, _ in lists]), np.stack([score for _, score in lists]))


def _candidates(documents: Documents, judged: Judgements, source: np.random.Generator) -> IntArray:
    """The documents that any system considers: those assessed and as many others, ascending."""
    order = chosen(source, len(documents.doc_ids), 4 * len(judged.pool))
    return np.union1d(judged.pool, order).astype(np.int64)


def _best(elements: IntArray, score: FloatArray, results: int) -> tuple[IntArray, IntArray]:
    """The elements of the highest scores, in ten-thousandths; equal scores stay in document order."""
    rounded = np.floor(10_000.0 * score + 0.5).astype(np.int64)
    order = np.argsort(-rounded, kind="stable")[:results]
    return elements[order], rounded[order]
