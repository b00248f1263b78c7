"""Literal implementations of measures of documents in context: one ranking at a time, text as sets of characters, in plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

UNPLACED = (-1, -1)
"""Start and length of a result with an unknown position."""
ENDLESS = 10_000
"""A number of characters greater than the length of any document."""


class RefusedError(ValueError):
    """A ranking that is not in context, or that lacks data which a score needs."""


@dataclass(frozen=True)
class Document:
    """Assessments of a document.

    Attributes:
        relchars: Number of highlighted characters.
        bep: Best entry point.
        passages: Start and length of highlighted passages; may be missing, although `relchars` gives their number of characters.
    """

    relchars: int
    bep: int | None = None
    passages: Sequence[tuple[int, int]] = ()

    @property
    def highlighted(self) -> set[int]:
        return {character for start, length in self.passages for character in range(start, start + length)}


NOTHING = Document(0)


@dataclass(frozen=True)
class Result:
    """A result; without a position, the whole document."""

    doc: str
    place: tuple[int, int] | None

    def characters(self, length: int | None) -> set[int]:
        """Returns the characters that the result shows of a document of this length."""
        if self.place == UNPLACED:
            return set()
        start, count = (0, ENDLESS if length is None else length) if self.place is None else self.place
        return set(range(start, start + count))


@dataclass(frozen=True)
class Score:
    """How a document is scored."""

    score: str = "f"
    beta: float = 1.0
    n: int = 500
    a: float | None = None
    tolerance: int = 300


@dataclass(frozen=True)
class Topic:
    """Assessments of a topic, and the lengths of all documents, if known."""

    documents: dict[str, Document]
    lengths: dict[str, int | None]
    mean_length: float = 1.0

    def of(self, doc: str) -> Document:
        return self.documents.get(doc, NOTHING)

    def relevant(self, doc: str) -> bool:
        return self.of(doc).relchars > 0

    @property
    def relevant_documents(self) -> int:
        return sum(document.relchars > 0 for document in self.documents.values())

    @property
    def relevant_characters(self) -> int:
        return sum(document.relchars for document in self.documents.values())


def grouped(results: Sequence[Result], topic: Topic, compat: bool) -> list[tuple[str, list[Result]]]:
    """The documents of a list in its order, each with its results."""
    groups: list[tuple[str, list[Result]]] = []
    for result in results:
        if groups and groups[-1][0] == result.doc:
            groups[-1][1].append(result)
        elif result.doc in [doc for doc, _ in groups]:
            raise RefusedError
        else:
            groups.append((result.doc, [result]))
    for doc, parts in groups:
        for number, part in enumerate(parts):
            shown = part.characters(topic.lengths[doc])
            for earlier in parts[:number]:
                above = earlier.characters(topic.lengths[doc])
                inside = part.place is not None and part.place != UNPLACED and part.place[1] == 0 and part.place[0] in above
                if shown & above or (compat and inside):
                    raise RefusedError
    return groups


def scored(doc: str, parts: Sequence[Result], topic: Topic, how: Score, compat: bool) -> float:
    """S of a document."""
    if how.score == "bep" and len(parts) > 1:
        raise RefusedError
    if not topic.relevant(doc):
        return 0.0
    document, length = topic.of(doc), topic.lengths[doc]
    if length is None and (how.score == "t2i" or (how.score == "f" and any(part.place is None for part in parts))):
        raise RefusedError
    if how.score == "f":
        return f_score(parts, document, length, how.beta)
    if how.score == "t2i":
        assert length is not None
        return read_until(parts, document, length, how.tolerance)
    entry = 0 if parts[0].place is None else parts[0].place[0]
    if parts[0].place == UNPLACED or document.bep is None or (compat and not document.passages):
        return 0.0
    distance = abs(entry - document.bep)
    if how.a is not None:
        return how.a * topic.mean_length / (how.a * topic.mean_length + distance)
    return (how.n - distance) / how.n if distance <= how.n else 0.0


def f_score(parts: Sequence[Result], document: Document, length: int | None, beta: float) -> float:
    size = sum(18 if part.place == UNPLACED else len(part.characters(length)) for part in parts)
    found = sum(len(part.characters(length) & document.highlighted) for part in parts)
    if found == 0:
        return 0.0
    precision, recall = found / size, found / document.relchars
    return (1 + beta * beta) * precision * recall / (beta * beta * precision + recall)


def read_until(parts: Sequence[Result], document: Document, length: int, tolerance: int) -> float:
    order = sorted(character for part in parts for character in part.characters(length))
    order += sorted(set(range(length)) - set(order))
    relevant = irrelevant = 0
    for character in order:
        if irrelevant == tolerance:
            break
        if character in document.highlighted:
            relevant += 1
        else:
            irrelevant += 1
    return relevant / (relevant + irrelevant) if relevant + irrelevant else 0.0


@dataclass(frozen=True)
class Ranked:
    """A ranking of documents in context, with the assessments of its topic."""

    results: Sequence[Result]
    topic: Topic
    compat: bool
    known: dict[Score, list[float]] = field(default_factory=dict)

    @cached_property
    def groups(self) -> list[tuple[str, list[Result]]]:
        return grouped(self.results, self.topic, self.compat)

    @property
    def documents(self) -> list[str]:
        return [doc for doc, _ in self.groups]

    def scores(self, how: Score) -> list[float]:
        """S of each document, computed once."""
        if how not in self.known:
            self.known[how] = [scored(doc, parts, self.topic, how, self.compat) for doc, parts in self.groups]
        return self.known[how]

    def gp(self, r: int, how: Score) -> float | None:
        scores = self.scores(how)
        if self.compat:
            r = max(min(r, len(scores)), 1)
        elif not self.topic.relevant_documents:
            return None
        return sum(scores[:r]) / r

    def gr(self, r: int) -> float | None:
        found = sum(self.topic.relevant(doc) for doc in self.documents[:r])
        return found / self.topic.relevant_documents if self.topic.relevant_documents else None

    def gr_size(self, r: int) -> float | None:
        found = sum(self.topic.of(doc).relchars for doc in self.documents[:r])
        return found / self.topic.relevant_characters if self.topic.relevant_documents else None

    def at_relevant(self, how: Score) -> list[tuple[int, float]]:
        """Highlighted characters of each retrieved relevant document, and gP at its rank."""
        scores = self.scores(how)
        return [
            (self.topic.of(doc).relchars, sum(scores[:rank]) / rank)
            for rank, doc in enumerate(self.documents, start=1)
            if self.topic.relevant(doc)
        ]

    def agp(self, how: Score) -> float | None:
        found = self.at_relevant(how)
        return sum(gp for _, gp in found) / self.topic.relevant_documents if self.topic.relevant_documents else None

    def agp_size(self, how: Score) -> float | None:
        found = self.at_relevant(how)
        return sum(size / self.topic.relevant_characters * gp for size, gp in found) if self.topic.relevant_documents else None

    def agp_size_11(self, how: Score) -> float | None:
        found = self.at_relevant(how)
        recall = self.gr_size(len(self.documents))
        if recall is None:
            return None
        return recall * sum(gp for _, gp in found) / len(found) if found else 0.0

    def igp(self, tenths: int, how: Score) -> float | None:
        """iGP at a recall of a number of tenths, compared in whole documents."""
        count, scores, documents = self.topic.relevant_documents, self.scores(how), self.documents
        if not count:
            return 0.0 if self.compat else None
        reached = [
            sum(scores[:rank]) / rank
            for rank in range(1, len(scores) + 1)
            if 10 * sum(self.topic.relevant(doc) for doc in documents[:rank]) >= tenths * count
        ]
        return max(reached, default=0.0)
