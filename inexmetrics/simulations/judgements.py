"""Simulated judgements of one topic: what is highlighted, how exhaustive each element is, and what other assessors say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from inexmetrics.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.simulations.documents import Documents
from inexmetrics.simulations.draws import bell, chosen, stream, uniform, whole
from inexmetrics.simulations.highlighting import RICHEST, Highlighting, highlight

__all__ = ["Judgements", "judgements"]

TOO_SMALL, SOMEWHAT, HIGHLY = 1, 2, 3
"""Codes of exhaustivity `?`, 1 and 2; 0 is not relevant."""

OTHER_ASSESSORS: Final = 3
"""Assessors who judge the same documents after the one who highlights."""


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """Judgements of one topic. D documents assessed, E elements in all documents.

    Attributes:
        pool: Numbers of the assessed documents, ascending, D.
        passages: Highlighted passages.
        decoys: Passages that look relevant and are not; they tell nothing to a reader, but mislead systems.
        highlighted: Highlighted characters of each element, E.
        decoyed: Characters of decoys in each element, E.
        substance: What the highlighted text of each element says, from 0 to below 1, E.
        exhaustivity: Code of each element's exhaustivity, E.
        entry: Best entry point of each assessed document, -1 where nothing is highlighted, D.
        relevant: Whether each assessor finds each assessed document relevant, the one who highlighted first, 4 x D.
    """

    pool: IntArray
    passages: Highlighting
    decoys: Highlighting
    highlighted: IntArray
    decoyed: IntArray
    substance: FloatArray
    exhaustivity: IntArray
    entry: IntArray
    relevant: BoolArray


def judgements(documents: Documents, seed: int, topic: int, density: int = 1) -> Judgements:
    """Simulates the judgements of a topic.

    Args:
        documents: All documents.
        seed: The seed; equal seeds give equal judgements.
        topic: Number of the topic, which gives it its own random numbers.
        density: How many times as many documents as usual are assessed; at most all of them.
    """
    source = stream(seed, 1, topic)
    drawn = float(source.random())
    relevant = density * (8 + int(26.0 * drawn * drawn))  # some topics have many relevant documents, most have few
    misleading = density * whole(source, 14, 30)
    others = density * whole(source, 20, 45)
    order = chosen(source, len(documents.doc_ids), relevant + misleading + others)
    passages = highlight(documents, order[:relevant], source)
    decoys = highlight(documents, order[relevant : relevant + misleading], source)
    elements = np.arange(len(documents.path), dtype=np.int64)
    highlighted, said = passages.within(documents, elements)
    decoyed, pretended = decoys.within(documents, elements)
    richest = float((passages.length * passages.richness).max()) / RICHEST
    enough = uniform(source, 0.3, 0.8) * richest  # highly exhaustive is what compares with the best that was seen
    pool = np.sort(order)
    return Judgements(
        pool=pool,
        passages=passages,
        decoys=decoys,
        highlighted=highlighted,
        decoyed=decoyed,
        substance=_saturated(said, enough),
        exhaustivity=_exhaustivity(documents, highlighted, said / RICHEST, enough, source),
        entry=_entries(documents, pool, passages, source),
        relevant=_opinions(highlighted, said, pretended, documents.first[pool], source),
    )


def _saturated(said: IntArray, enough: float) -> FloatArray:
    amount = said / RICHEST
    return amount / (amount + enough)


def _exhaustivity(
    documents: Documents, highlighted: IntArray, said: FloatArray, enough: float, source: np.random.Generator
) -> IntArray:
    """How exhaustive each element is found: the more, the more its text says; never less than a part of it."""
    found = np.flatnonzero(highlighted)
    small = uniform(source, 30.0, 110.0)
    codes = np.zeros(len(highlighted), dtype=np.int64)
    wavering = 1.0 + 0.3 * bell(source, len(found))
    codes[found] = np.where(said[found] > enough * wavering, HIGHLY, np.where(highlighted[found] < small * wavering, TOO_SMALL, SOMEWHAT))
    _spread(documents, codes, found)
    for document in np.unique(documents.document[found]).tolist():
        if float(source.random()) < 0.15:  # the assessor calls the rest of the document too small, and goes on to the next
            below = whole(source, 2, 3)
            rest = found[(documents.document[found] == document) & (documents.depth[found] > below)]
            codes[rest] = TOO_SMALL
    return codes


def _spread(documents: Documents, codes: IntArray, found: IntArray) -> None:
    """Gives every ancestor at least the exhaustivity of its descendants, from the deepest elements up."""
    for depth in range(int(documents.depth.max()), 0, -1):
        level = found[documents.depth[found] == depth]
        np.maximum.at(codes, documents.parent[level], codes[level])


def _entries(documents: Documents, pool: IntArray, passages: Highlighting, source: np.random.Generator) -> IntArray:
    """Where a reader should begin: most often at the first passage, else at the longest."""
    entries = np.full(len(pool), -1, dtype=np.int64)
    for place, document in enumerate(pool.tolist()):
        mine = np.flatnonzero(passages.document == document)
        if len(mine):
            first = float(source.random()) < 0.75
            entries[place] = passages.start[mine[0] if first else mine[np.argmax(passages.length[mine])]]
    return entries


def _opinions(highlighted: IntArray, said: IntArray, pretended: IntArray, roots: IntArray, source: np.random.Generator) -> BoolArray:
    """Which documents each assessor finds relevant; all but the first may miss a little text, or be taken in."""
    first = highlighted[roots] > 0
    strength = 0.38 + 0.62 * _saturated(said[roots], 300.0)
    doubt = 0.10 + 0.38 * _saturated(pretended[roots], 300.0)
    seeming = np.where(first, strength, doubt)
    others = [seeming + 0.17 * bell(source, len(roots)) > uniform(source, 0.36, 0.56) for _ in range(OTHER_ASSESSORS)]
    return np.stack([first, *others])
