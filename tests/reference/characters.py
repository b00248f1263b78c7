"""Character measures as their definitions read: one list after the other, text as sets of characters, in plain Python.

``compat`` selects the official evaluator; each of its departures from the published definitions is a separate line of code.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tests.reference.in_context import UNPLACED, RefusedError, Result, Topic

UNPLACED_SIZE = 18
LEVELS = 101


@dataclass(frozen=True)
class Listed:
    """A ranking of results.

    Attributes:
        results: The results, best first.
        topic: The assessments of the topic.
        overlap: Treatment of text that is shown again: ``"refuse"``, ``"unseen"`` or, for measures with `repeated`,
            ``"once"`` or ``"counts"``.
        compat: Whether the official evaluator's departures are followed.
        budget: Number of characters read of the ranking; None for all.
    """

    results: Sequence[Result]
    topic: Topic
    overlap: str
    compat: bool = False
    budget: int | None = None

    def characters(self, result: Result) -> set[int]:
        if result.place is None and self.topic.lengths[result.doc] is None:
            raise RefusedError
        return result.characters(self.topic.lengths[result.doc])

    @property
    def overlapping(self) -> tuple[int, int] | None:
        """The first result that overlaps a better result, and the best of these results; counted from 1."""
        for number, result in enumerate(self.results):
            for above, earlier in enumerate(self.results[:number]):
                if earlier.doc == result.doc and self.characters(earlier) & self.characters(result):
                    return above + 1, number + 1
        return None

    @property
    def standing_in(self) -> tuple[int, int] | None:
        """The first result without characters that is inside an earlier result, and this earlier result."""
        for number, result in enumerate(self.results):
            for above, earlier in enumerate(self.results[:number]):
                if result.place is None or result.place[1] != 0 or earlier.doc != result.doc:
                    continue
                if result.place[0] in self.characters(earlier):
                    return above + 1, number + 1
        return None

    @property
    def thorough(self) -> bool:
        """Whether the evaluator's option -t applies, or -f, which evaluates rankings that it does not reject."""
        overlaps = self.overlapping is not None or self.standing_in is not None
        return self.overlap == "unseen" or (self.overlap == "once" and overlaps)

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """For each result, the counted characters, and the highlighted characters among them."""
        for result in self.results:
            self.characters(result)
        if self.overlap == "refuse" and (self.overlapping or (self.compat and self.standing_in)):
            raise RefusedError
        sizes = []
        seen: dict[str, set[int]] = {}
        for result in self.results:
            shown, relevant = self.characters(result), self.topic.relevant(result.doc)
            unseen = shown - seen.get(result.doc, set())
            size = len(unseen)
            if result.place == UNPLACED:
                size = UNPLACED_SIZE
            if self.compat and self.thorough and result.place == UNPLACED and relevant:
                size = 0
            if self.compat and self.thorough and result.place != UNPLACED and not relevant:
                size = len(shown)
            sizes.append((size, len(unseen & self.topic.of(result.doc).highlighted)))
            seen[result.doc] = seen.get(result.doc, set()) | shown
        return sizes

    @property
    def curve(self) -> list[tuple[int, int]]:
        """Characters, and highlighted characters, down to each rank."""
        sizes = self.sizes
        return [(sum(size for size, _ in sizes[:rank]), sum(found for _, found in sizes[:rank])) for rank in range(1, len(sizes) + 1)]


def interpolated(listed: Listed, at: str) -> float:
    """iP at a recall level, written as a decimal."""
    curve, trel = listed.curve, listed.topic.relevant_characters
    if trel == 0:
        return 0.0 if listed.compat else math.nan
    best = 0.0
    for size, found in curve:
        reached = Fraction(found, trel) >= Fraction(at)
        if listed.compat and (Fraction(at) * 100).denominator == 1:
            reached = math.floor(100 * (found / trel)) >= Fraction(at) * 100
        if reached and size > 0:
            best = max(best, found / size)
    return best


def average_interpolated(listed: Listed) -> float:
    """AiP."""
    total = 0.0
    for level in range(LEVELS):
        total += interpolated(listed, f"{level // 100}.{level % 100:02d}")
    return total / LEVELS


def precision(listed: Listed) -> float:
    size, found = whole(listed)
    if listed.topic.relevant_characters == 0 and not listed.compat:
        return math.nan
    return found / size if size else 0.0


def recall(listed: Listed) -> float:
    _, found = whole(listed)
    return found / listed.topic.relevant_characters if listed.topic.relevant_characters else math.nan


def f1(listed: Listed) -> float:
    if listed.topic.relevant_characters == 0:
        return precision(listed)
    p, r = precision(listed), recall(listed)
    return 2.0 * p * r / (p + r) if p else 0.0


def iou(listed: Listed) -> float:
    if listed.topic.relevant_characters == 0:
        return precision(listed)
    size, found = whole(listed)
    return found / (size + listed.topic.relevant_characters - found)


def whole(listed: Listed) -> tuple[int, int]:
    """Returns the characters that are read of the ranking, and the highlighted characters, one character after the other."""
    for result in listed.results:
        listed.characters(result)
    evaluated = listed.compat and listed.thorough
    read = found = 0
    seen: set[tuple[str, int]] = set()
    for result in listed.results:
        document = listed.topic.of(result.doc)
        relevant = listed.topic.relevant(result.doc)
        again = listed.overlap == "counts" or (evaluated and not relevant)
        if result.place == UNPLACED:
            size = 0 if evaluated and relevant else UNPLACED_SIZE
            read += size if listed.budget is None else min(size, listed.budget - read)
            continue
        for character in sorted(listed.characters(result)):
            if read == listed.budget:
                break
            new = (result.doc, character) not in seen
            seen.add((result.doc, character))
            read += new or again
            found += new and character in document.highlighted
    return read, found
