"""Simulated judgements of one topic: highlighted text, the exhaustivity of each element, and judgements of other assessors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.sample.documents import Documents
from benchmarks.sample.draws import Draws
from benchmarks.sample.highlighting import Highlighting, highlight
from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.simulations.sample import ASSESSOR_NAMES

__all__ = ["HIGHLY", "SOMEWHAT", "TOO_SMALL", "Judgements", "judgements", "opinions"]

TOO_SMALL, SOMEWHAT, HIGHLY = 1, 2, 3
"""Codes of exhaustivity `?`, 1 and 2; code 0 is not relevant."""


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """Judgements of one topic's assessor on all documents; E elements.

    Attributes:
        passages: Highlighted passages.
        decoys: Passages that look relevant but are not; they mislead systems, and occasionally other assessors.
        highlighted: Number of highlighted characters in each element, shape (E,).
        decoyed: Number of characters of decoys in each element, shape (E,).
        exhaustivity: Code of each element's exhaustivity, shape (E,).
        entries: Best entry point of each document with highlighted passages, by the document's number.
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
        topic: Number of the topic, which determines its random numbers.
        density: Factor on the number of relevant documents (8 to 33) and of misleading documents (14 to 30).
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
    """Returns the documents that each assessor finds relevant; assessors after the first may overlook short passages or be misled by decoys.

    Args:
        judged: Judgements of the first assessor.
        roots: Numbers of the documents' roots, shape (D,).
        seed: The seed; equal seeds give equal opinions.
        topic: Number of the topic, which determines its random numbers.

    Returns:
        Whether each assessor finds each document relevant, shape (assessors, D); the first assessor is the one who highlighted.
    """
    source = Draws(seed, 2, topic)
    found, pretended = judged.highlighted[roots], judged.decoyed[roots]
    seeming = np.where(found > 0, 0.4 + 0.6 * saturated(found, 500.0), 0.15 + 0.4 * saturated(pretended, 500.0))
    others = [seeming + 0.28 * source.bells(len(roots)) > source.uniform(0.45, 0.6) for _ in ASSESSOR_NAMES[1:]]
    return np.stack([found > 0, *others])


def saturated(amount: IntArray, half: float) -> FloatArray:
    """Maps an amount of text to a number in [0, 1), which is one half for the given number of characters."""
    return amount / (amount + half)


def _exhaustivity(documents: Documents, passages: Highlighting, highlighted: IntArray, said: IntArray, source: Draws) -> IntArray:
    """Returns the exhaustivity of each element, which increases with its relevant text and is never below that of its child elements."""
    found = np.flatnonzero(highlighted)
    enough = source.uniform(0.12, 0.45) * float(
        (passages.length * passages.richness).max()
    )  # a share of the amount of text in the best passage
    small = source.uniform(30.0, 110.0)
    wavering = 1.0 + 0.3 * source.bells(len(found))
    codes = np.zeros(len(highlighted), dtype=np.int64)
    codes[found] = np.where(said[found] > enough * wavering, HIGHLY, np.where(highlighted[found] < small * wavering, TOO_SMALL, SOMEWHAT))
    for depth in range(int(documents.depth.max()), 0, -1):
        level = found[documents.depth[found] == depth]
        np.maximum.at(codes, documents.parent[level], codes[level])
    for document in np.unique(documents.document[found]).tolist():
        if source.chance(0.15):  # the assessor judges all other elements of the document too small
            judged = source.whole(2, 3)
            codes[found[(documents.document[found] == document) & (documents.depth[found] > judged)]] = TOO_SMALL
    return codes


def _entries(passages: Highlighting, source: Draws) -> dict[int, int]:
    """Returns the best entry points: usually the first passage, otherwise the longest passage."""
    entries: dict[int, int] = {}
    for document in np.unique(passages.document).tolist():
        mine = np.flatnonzero(passages.document == document)
        best = mine[0] if source.chance(0.75) else mine[np.argmax(passages.length[mine])]
        entries[document] = int(passages.start[best])
    return entries
