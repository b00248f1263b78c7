"""Simulated highlighting: an assessor reads a document and highlights exactly the passages that are on the topic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from benchmarks.sample.documents import Documents
from benchmarks.sample.draws import Draws
from inexmetrics.common.arrays import IntArray

__all__ = ["RICHEST", "Highlighting", "highlight"]

SENTENCE: Final = 110
"""Approximate number of characters in a sentence; passages begin and end between sentences."""

RICHEST: Final = 8
"""Highest richness of a passage, by length; the lowest richness is 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Highlighting:
    """Highlighted passages of one topic, disjoint, in document order. N passages.

    Attributes:
        document: Number of each passage's document, shape (N,).
        start: Number of characters of the document before each passage, shape (N,).
        length: Number of characters in each passage, shape (N,).
        richness: Amount of relevant content in each passage, from 1 to 8, shape (N,).
    """

    document: IntArray
    start: IntArray
    length: IntArray
    richness: IntArray

    def within(self, documents: Documents) -> tuple[IntArray, IntArray]:
        """Returns the number of highlighted characters in each element, and the same number weighted by the richness of the passages."""
        bounds = np.concatenate([[0], np.cumsum(documents.length[documents.first[:-1]])])  # all documents on one line
        starts = bounds[self.document] + self.start
        begin = bounds[documents.document] + documents.start

        def up_to(position: IntArray, weight: IntArray) -> IntArray:
            """Returns the weighted number of highlighted characters before each position."""
            total = np.concatenate([[0], np.cumsum(self.length * weight)])
            last = np.maximum(np.searchsorted(starts, position, side="right") - 1, 0)
            inside = np.clip(position - starts[last], 0, self.length[last])
            characters: IntArray = total[last] + inside * weight[last]
            return characters

        end = begin + documents.length
        plain = np.ones_like(self.richness)
        return up_to(end, plain) - up_to(begin, plain), up_to(end, self.richness) - up_to(begin, self.richness)


def highlight(documents: Documents, chosen: IntArray, source: Draws) -> Highlighting:
    """Highlights passages in each of the chosen documents.

    Some articles have several sections on the topic, some have one section, and most have a few separate paragraphs.

    Args:
        documents: All documents.
        chosen: Numbers of the documents with text on the topic.
        source: Source of random numbers.
    """
    rows: list[tuple[int, int, int, int]] = []
    for document in np.sort(chosen).tolist():
        passages = _joined(_marked(documents, document, source))
        rows += [(document, begin, end - begin, source.whole(1, RICHEST)) for begin, end in passages]
    document, start, length, richness = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return Highlighting(document, start, length, richness)


def _marked(documents: Documents, document: int, source: Draws) -> list[tuple[int, int]]:
    """Returns starts and ends of the highlighted stretches in one document, in any order; stretches may overlap."""
    elements = range(int(documents.first[document]), int(documents.first[document + 1]))
    body = [element for element in elements if documents.path[element].startswith("/article[1]/bdy[1]/")]
    sections = [element for element in body if documents.tag[element] in ("sec", "ss1")]
    blocks = [element for element in body if documents.tag[element] in ("st", "p", "item", "fgc")]

    def whole_section() -> tuple[int, int]:
        section = sections[source.whole(0, len(sections) - 1)]
        begin = int(documents.start[section])
        return begin, begin + int(documents.length[section])

    def stretch() -> tuple[int, int]:
        first = source.whole(0, len(blocks) - 1)
        drawn = source.number()
        last = min(first + int(4.0 * drawn * drawn), len(blocks) - 1)
        begin, end = int(documents.start[blocks[first]]), int(documents.start[blocks[last]] + documents.length[blocks[last]])
        if source.chance(0.25):
            begin += SENTENCE * source.whole(0, max(0, int(documents.length[blocks[first]]) // SENTENCE - 2))
        if source.chance(0.25):
            end -= SENTENCE * source.whole(0, max(0, int(documents.length[blocks[last]]) // SENTENCE - 2))
        return (begin, end) if begin + SENTENCE // 4 < end else (int(documents.start[blocks[first]]), end)

    kind = source.number()
    if kind < 0.15:
        return [whole_section() if source.chance(0.7) else stretch() for _ in range(source.whole(2, 4))]
    if kind < 0.45:
        return [whole_section(), *(stretch() for _ in range(source.whole(0, 1)))]
    return [stretch() for _ in range(source.whole(1, 3))]


def _joined(stretches: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merges overlapping and touching stretches into disjoint passages in document order."""
    joined: list[tuple[int, int]] = []
    for begin, end in sorted(stretches):
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((begin, end))
    return joined
