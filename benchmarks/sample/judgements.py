"""Simulated judgements of one topic: what is highlighted, how exhaustive each element is, and what other assessors say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.sample.documents import Documents
from benchmarks.sample.draws import Draws
from benchmarks.sample.highlighting import Highlighting, highlight
from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.simulations.sample_tables import ASSESSOR_NAMES

__all__ = ["HIGHLY", "SOMEWHAT", "TOO_SMALL", "Judgements", "judgements", "opinions"]

TOO_SMALL, SOMEWHAT, HIGHLY = 1, 2, 3
"""Codes of exhaustivity `?`, 1 and 2; 0 is not relevant."""


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """What the assessor of one topic finds in all documents; E elements.

    Attributes:
        passages: Highlighted passages.
        decoys: Passages that look relevant and are not: they mislead systems, and other assessors now and then.
        highlighted: Highlighted characters of each element, E.
        decoyed: Characters of decoys in each element, E.
        exhaustivity: Code of each element's exhaustivity, E.
        entries: Best entry point of each document that has highlighted passages, by the document's number.
    """

    passages: Highlighting
    decoys: Highlighting
    highlighted: IntArray
    decoyed: IntArray
    exhaustivity: IntArray
    entries: dict[int, int]


def judgements(documents: Documents, seed: int, topic: int, density: int) -> Judgements:
    """Simulates the judgements of a topic.

    Args:
        documents: All documents.
        seed: The seed; equal seeds give equal judgements.
        topic: Number of the topic, which gives it its own random numbers.
        density: How many times 8 to 33 documents are relevant, and 14 to 30 misleading.
    """
    source = Draws(seed, 1, topic)
    drawn = source.number()
    relevant = density * (8 + int(26.0 * drawn * drawn))  # few topics have many relevant documents
    misleading = density * source.whole(14, 30)
    order = source.chosen(len(documents.doc_ids), relevant + misleading)
    passages = highlight(documents, order[:relevant], source)
    decoys = highlight(documents, order[relevant:], source)
    highlighted, said = passages.within(documents)
    decoyed, _ = decoys.within(documents)
    return Judgements(
        passages=passages,
        decoys=decoys,
        highlighted=highlighted,
        decoyed=decoyed,
        exhaustivity=_exhaustivity(documents, passages, highlighted, said, source),
        entries=_entries(passages, source),
    )


def opinions(judged: Judgements, roots: IntArray, seed: int, topic: int) -> BoolArray:
    """Which documents each assessor finds relevant; all but the first may miss a little text, or be taken in.

    Args:
        judged: What the first assessor found.
        roots: Numbers of the documents' roots, D.
        seed: The seed; equal seeds give equal opinions.
        topic: Number of the topic, which gives it its own random numbers.

    Returns:
        Assessors x D, the one who highlighted first.
    """
    source = Draws(seed, 2, topic)
    found, pretended = judged.highlighted[roots], judged.decoyed[roots]
    seeming = np.where(found > 0, 0.4 + 0.6 * saturated(found, 500.0), 0.15 + 0.4 * saturated(pretended, 500.0))
    others = [seeming + 0.28 * source.bells(len(roots)) > source.uniform(0.45, 0.6) for _ in ASSESSOR_NAMES[1:]]
    return np.stack([found > 0, *others])


def saturated(amount: IntArray, half: float) -> FloatArray:
    """An amount of text as a number from 0 to below 1; one half for so many characters."""
    return amount / (amount + half)


def _exhaustivity(documents: Documents, passages: Highlighting, highlighted: IntArray, said: IntArray, source: Draws) -> IntArray:
    """How exhaustive each element is found: the more, the more its text says; never less than a part of it."""
    found = np.flatnonzero(highlighted)
    enough = source.uniform(0.4, 0.9) * float((passages.length * passages.richness).max())  # what compares with the best passage
    small = source.uniform(30.0, 110.0)
    wavering = 1.0 + 0.3 * source.bells(len(found))
    codes = np.zeros(len(highlighted), dtype=np.int64)
    codes[found] = np.where(said[found] > enough * wavering, HIGHLY, np.where(highlighted[found] < small * wavering, TOO_SMALL, SOMEWHAT))
    for depth in range(int(documents.depth.max()), 0, -1):
        level = found[documents.depth[found] == depth]
        np.maximum.at(codes, documents.parent[level], codes[level])
    for document in np.unique(documents.document[found]).tolist():
        if source.chance(0.15):  # the assessor calls the rest of the document too small, and goes on to the next
            judged = source.whole(2, 3)
            codes[found[(documents.document[found] == document) & (documents.depth[found] > judged)]] = TOO_SMALL
    return codes


def _entries(passages: Highlighting, source: Draws) -> dict[int, int]:
    """Where a reader should begin: most often at the first passage, else at the longest."""
    entries: dict[int, int] = {}
    for document in np.unique(passages.document).tolist():
        mine = np.flatnonzero(passages.document == document)
        best = mine[0] if source.chance(0.75) else mine[np.argmax(passages.length[mine])]
        entries[document] = int(passages.start[best])
    return entries
