"""Text of a document that is read until a number of irrelevant characters has been read, character by character."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

from inexmetrics.collection.derived_judgements import LONGEST
from inexmetrics.ranking import batches
from inexmetrics.ranking.passages.contexts import read_until
from tests.at_random import stretches
from tests.highlighted import Highlighted, shown
from tests.reference.in_context import UNPLACED, Document


def found(
    assessed: dict[str, Document], parts: dict[str, list[tuple[int, int]]], lengths: dict[str, int | None], tolerance: int
) -> list[list[int]]:
    """Returns the highlighted characters and all characters read of each document of a ranking."""
    listed = [result for doc, of_doc in parts.items() for result in shown(doc, *of_doc)]
    (evidence,) = batches(Highlighted({"1": assessed}, {"run": {"1": listed}}, lengths).collection())
    known = np.array([lengths[doc] for doc in parts if assessed[doc].relchars])
    return [read.tolist() for read in read_until(evidence.contexts, known, tolerance)]


def read_by_character(parts: Sequence[tuple[int, int]], highlighted: set[int], length: int, tolerance: int) -> tuple[int, int]:
    shown_first = [character for start, count in sorted(parts) if (start, count) != UNPLACED for character in range(start, start + count)]
    relevant = irrelevant = 0
    for character in [*shown_first, *(character for character in range(length) if character not in shown_first)]:
        if irrelevant == tolerance:
            break
        relevant += character in highlighted
        irrelevant += character not in highlighted
    return relevant, relevant + irrelevant


@pytest.mark.parametrize("tolerance", [1, 2, 5, 12, 1000])
def test_as_a_reader_goes_on(tolerance: int) -> None:
    """A hundred documents with disjoint retrieved parts, some empty, some after the document's end."""
    draw = random.Random(tolerance)
    assessed: dict[str, Document] = {}
    parts: dict[str, list[tuple[int, int]]] = {}
    lengths: dict[str, int | None] = {}
    expected: list[tuple[int, int]] = []
    for doc in (f"d{number:03d}" for number in range(100)):
        length = draw.randint(3, 25)
        passages = [stretch for stretch in stretches(draw, length) if stretch[1]]
        of_doc = stretches(draw, length + 5)
        if draw.random() < 0.3:
            of_doc.append(UNPLACED)
        if draw.random() < 0.3:
            of_doc.append((draw.randint(0, length), 0))
        draw.shuffle(of_doc)
        assessed[doc], parts[doc], lengths[doc] = Document(sum(size for _, size in passages), None, tuple(passages)), of_doc, length
        if passages:
            highlighted = {character for start, size in passages for character in range(start, start + size)}
            expected.append(read_by_character(of_doc, highlighted, length, tolerance))
    assert found(assessed, parts, lengths, tolerance) == [list(column) for column in zip(*expected, strict=True)]


def test_the_last_character_of_the_longest_document_is_read_by_whoever_tolerates_all() -> None:
    last = {"a": Document(1, None, ((LONGEST - 1, 1),))}
    for tolerance, expected in ((2**62, [[1], [LONGEST]]), (LONGEST - 1, [[0], [LONGEST - 1]])):
        assert found(last, {"a": [(0, 5)]}, {"a": LONGEST}, tolerance) == expected


def test_a_part_without_characters_shows_nothing_though_it_stands_in_another() -> None:
    # Read are characters 0 to 9, 20 to 29, then the rest. After 15 irrelevant ones, at character 24, 29 is not reached.
    documents = {doc: Document(1, None, ((29, 1),)) for doc in "abc"}
    parts = {doc: [(0, 10), (20, 10), (5, 0)] for doc in documents}
    assert found(documents, parts, dict.fromkeys(documents, 40), 15) == [[0, 0, 0], [15, 15, 15]]
