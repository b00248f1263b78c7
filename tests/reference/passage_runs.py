"""Slow implementation of the simulated runs: documents as sets of characters; every element is compared with every passage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Range = tuple[int, int]
"""Index of the first character, and index after the last character."""


@dataclass(frozen=True)
class Document:
    """A document: its characters, and the ranges of its elements by path."""

    length: int
    elements: Mapping[str, Range]


def characters(place: Range) -> frozenset[int]:
    return frozenset(range(*place))


def parts(chosen: str, passages: Sequence[Range], document: Document) -> list[Range]:
    """Returns the parts of a relevant document that a set of parts retrieves, in document order."""
    match chosen:
        case "S":
            found = list(passages)
        case "SLD":
            found = [(0, document.length)]
        case "SL":
            found = without_inner([smallest_around(passage, document) for passage in passages if around(passage, document)])
        case "SS":
            found = [place for passage in passages for place in largest(inside(passage, document))]
        case "SST":
            found = [document.elements[path] for passage in passages for path in childless(inside_by_path(passage, document), document)]
        case _:
            raise AssertionError(chosen)
    return sorted(found) or [(0, 0)]


def around(passage: Range, document: Document) -> list[Range]:
    return [place for place in document.elements.values() if characters(passage) <= characters(place)]


def smallest_around(passage: Range, document: Document) -> Range:
    return min(around(passage, document), key=lambda place: len(characters(place)))


def without_inner(places: Sequence[Range]) -> list[Range]:
    """Returns distinct ranges, without ranges inside another range."""
    return [place for place in set(places) if not any(characters(place) < characters(other) for other in places)]


def inside_by_path(passage: Range, document: Document) -> list[str]:
    """The elements inside a passage that hold text."""
    return [path for path, place in document.elements.items() if characters(place) and characters(place) <= characters(passage)]


def inside(passage: Range, document: Document) -> list[Range]:
    return [document.elements[path] for path in inside_by_path(passage, document)]


def largest(places: Sequence[Range]) -> list[Range]:
    """Takes ranges by decreasing length if they do not overlap ranges taken before."""
    taken: list[Range] = []
    for place in sorted(places, key=lambda place: -len(characters(place))):
        if not any(characters(place) & characters(other) for other in taken):
            taken.append(place)
    return taken


def childless(paths: Sequence[str], document: Document) -> list[str]:
    return [path for path in paths if not any(other.rpartition("/")[0] == path for other in document.elements)]


def ranked(ranking: str, passages: Mapping[str, Sequence[Range]], documents: Mapping[str, Document]) -> list[str | None]:
    """Returns the documents of a topic's ranking, from the passages highlighted in each; None for an empty document.

    Ties are broken by length, then by the passages (start and length), and by name only between documents that were judged in the same way.
    """
    counts = {doc: sum(end - start for start, end in of_doc) for doc, of_doc in passages.items()}

    def judged(doc: str) -> tuple[int, int, list[tuple[int, int]], str]:
        return -counts[doc], documents[doc].length, sorted((start, end - start) for start, end in passages[doc]), doc

    relevant = sorted((doc for doc, count in counts.items() if count), key=judged)
    if ranking in {"RS", "RSI"}:
        relevant[:2] = relevant[:2][::-1]
    others = sorted((doc for doc, count in counts.items() if not count), key=lambda doc: (documents[doc].length, doc))
    return [*([others[(len(others) - 1) // 2] if others else None] if ranking in {"RI", "RSI"} else []), *relevant]
