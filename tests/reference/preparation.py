"""Literal implementations of preparations for one topic's ranking: every result is compared with every other result, characters as sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Result:
    """A result: an element by its path, a passage by start and length, or, without either, a whole document."""

    doc: str
    path: str | None = None
    start: int | None = None
    length: int | None = None
    score: float | None = None

    @property
    def is_placed(self) -> bool:
        return self.start is None or (self.start >= 0 and self.length != 0)

    @property
    def steps(self) -> list[str]:
        """The steps below the root, none for the whole document."""
        return [] if self.path is None else self.path.strip("/").split("/")[1:]

    @property
    def is_whole(self) -> bool:
        return self.start is None and not self.steps

    @property
    def characters(self) -> set[int]:
        assert self.start is not None
        assert self.length is not None
        return set(range(self.start, self.start + self.length))


def contains(one: Result, other: Result) -> bool:
    """Returns whether one result contains the other; true in both directions if their places are equal."""
    if one.doc != other.doc or not (one.is_placed and other.is_placed):
        return False
    if one.is_whole or other.is_whole:
        return one.is_whole
    if one.start is None:
        return other.start is None and other.steps[: len(one.steps)] == one.steps
    return other.start is not None and one.characters >= other.characters


def overlap(one: Result, other: Result) -> bool:
    if contains(one, other) or contains(other, one):
        return True
    both = one.doc == other.doc and one.start is not None and other.start is not None and one.is_placed and other.is_placed
    return both and bool(one.characters & other.characters)


def without_overlap(results: Sequence[Result], strategy: str) -> list[int]:
    """Returns the positions of the kept results, in their order."""
    candidates = list(range(len(results)))
    if strategy == "section":
        last = {place: (results[place].path or "").rpartition("/")[2].partition("[")[0] for place in candidates}
        candidates = [place for place in candidates if last[place] not in {"article", "bdy", "body"}]
    if strategy == "child":
        candidates = [
            place
            for place in candidates
            if not any(contains(results[place], other) and not contains(other, results[place]) for other in results)
        ]
    scores = [result.score for result in results]
    if not any(score is None for score in scores):
        candidates.sort(key=lambda place: -(scores[place] or 0.0))
    kept: list[int] = []
    for place in candidates:
        if not any(overlap(results[place], results[other]) for other in kept):
            kept.append(place)
    return sorted(kept)


def in_document_order(results: Sequence[Result]) -> list[int]:
    """Returns the positions of the results, document by document.

    A document begins with results that are the whole document; then by offset, the longer of two first; last what has no known place.
    """
    docs = list(dict.fromkeys(result.doc for result in results))

    def key(place: int) -> tuple[int, float, float, int]:
        result = results[place]
        if result.start is None:
            return docs.index(result.doc), 0.0, -math.inf, place
        known = result.start >= 0
        return docs.index(result.doc), result.start if known else math.inf, -(result.length or 0) if known else 0.0, place

    return sorted(range(len(results)), key=key)


def by_document(results: Sequence[Result]) -> list[int]:
    """Returns the positions of the results, document by document."""
    documents = list(dict.fromkeys(result.doc for result in results))
    return [place for document in documents for place, result in enumerate(results) if result.doc == document]


def first_characters(results: Sequence[Result], n: int) -> list[Result]:
    """Returns the results that a user reads who reads n characters, one after the other, from the top of the ranking."""
    read: list[Result] = []
    for result in results:
        assert result.start is not None
        assert result.length is not None
        for position in range(result.length):
            if n == 0:
                break
            n -= 1
            if position == 0:
                read.append(result)
            read[-1] = replace(result, length=position + 1)
    return read
