"""Simulated articles: trees of XML elements with the number of characters of each element, but without words.

An article has front matter (title, authors, abstract), a body of sections, subsections, paragraphs, lists and figures,
and back matter (acknowledgements, references, biographies), like the journal articles of INEX 2002-2005. White space
surrounds the children of every element without its own text.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from benchmarks.sample.draws import Draws
from inexmetrics.common.arrays import IntArray

__all__ = ["Documents", "documents"]

JOURNALS: Final = ("an", "cg", "co", "cs", "dt", "ex", "ic", "it", "mi", "mu", "pd", "so", "tc", "td", "tg", "tk", "tp", "ts")


@dataclass(frozen=True, slots=True, eq=False)
class Documents:
    """Documents as trees; elements are numbered across all documents, in document order. D documents, E elements.

    Attributes:
        doc_ids: Identifiers in string order, shape (D,).
        first: Number of each document's root, then the total number of elements, shape (D + 1,).
        document: Number of each element's document, shape (E,).
        parent: Number of each element's parent, or of the root itself, shape (E,).
        depth: Number of steps from the root, shape (E,).
        tag: Element name, shape (E,).
        path: Path from the root, such as ``/article[1]/bdy[1]/sec[2]``, shape (E,).
        start: Number of characters of the document before each element, shape (E,).
        length: Number of characters in each element, shape (E,).
    """

    doc_ids: tuple[str, ...]
    first: IntArray
    document: IntArray
    parent: IntArray
    depth: IntArray
    tag: tuple[str, ...]
    path: tuple[str, ...]
    start: IntArray
    length: IntArray

    def within(self, chosen: IntArray) -> IntArray:
        """Returns the numbers of all elements of the chosen documents, document by document."""
        begins, counts = self.first[chosen], self.first[chosen + 1] - self.first[chosen]
        shifts = np.repeat(begins - (np.cumsum(counts) - counts), counts)
        numbers: IntArray = np.arange(len(shifts), dtype=np.int64) + shifts
        return numbers

    def frame(self) -> pl.DataFrame:
        """Returns one row per element: document (its number), path, start, length."""
        return pl.DataFrame({"document": self.document, "path": self.path, "start": self.start, "length": self.length})


class Typesetter:
    """Adds the elements of documents one after another, and records the start and the path of each element."""

    def __init__(self, source: Draws) -> None:
        self.source = source
        self.at = 0
        self.open: list[int] = []
        self.siblings: list[dict[str, int]] = [{}]
        self.parent: list[int] = []
        self.depth: list[int] = []
        self.tag: list[str] = []
        self.path: list[str] = []
        self.start: list[int] = []
        self.length: list[int] = []

    @contextmanager
    def element(self, tag: str) -> Iterator[None]:
        """Adds an element with text; everything that is added inside the `with` block is its content."""
        number = len(self.tag)
        place = self.siblings[-1][tag] = self.siblings[-1].get(tag, 0) + 1
        parent = self.open[-1] if self.open else number
        self.parent.append(parent)
        self.depth.append(len(self.open))
        self.tag.append(tag)
        self.path.append(f"{self.path[parent] if self.open else ''}/{tag}[{place}]")
        self.start.append(self.at)
        self.length.append(0)
        self.open.append(number)
        self.siblings.append({})
        yield
        self.siblings.pop()
        self.open.pop()
        self.length[number] = self.at - self.start[number]

    @contextmanager
    def container(self, tag: str) -> Iterator[None]:
        """Adds an element with child elements; white space follows its start tag and its end tag."""
        with self.element(tag):
            self.at += 1
            yield
        self.at += 1 if self.open else 0

    def times(self, low: int, high: int) -> range:
        return range(self.source.whole(low, high))

    def text(self, low: int, high: int) -> None:
        """Adds this number of characters."""
        self.at += self.source.whole(low, high)

    def line(self, tag: str, low: int, high: int) -> None:
        """Adds an element of plain text, on a separate line."""
        with self.element(tag):
            self.text(low, high)
        self.at += 1

    def paragraph(self) -> None:
        """Adds sentences, with occasional emphasised words and references."""
        with self.element("p"):
            for _ in self.times(1, 4):
                self.text(50, 230)
                if self.source.chance(0.14):
                    with self.element("it" if self.source.chance(0.6) else "ref"):
                        self.text(3, 26)
            self.text(1, 120)
        self.at += 1

    def paragraphs(self, low: int, high: int) -> None:
        for _ in self.times(low, high):
            self.paragraph()

    def front(self) -> None:
        with self.container("fm"):
            with self.container("tig"):
                self.line("atl", 20, 90)
            for _ in self.times(1, 3):
                with self.container("au"):
                    self.line("fnm", 2, 9)
                    self.line("snm", 3, 13)
            if self.source.chance(0.7):
                with self.container("abs"):
                    self.paragraph()

    def section(self) -> None:
        with self.container("sec"):
            self.line("st", 8, 50)
            self.paragraphs(1, 5)
            if self.source.chance(0.15):
                with self.container("list"):
                    for _ in self.times(2, 4):
                        self.line("item", 40, 200)
            if self.source.chance(0.2):
                with self.container("fig"):
                    self.line("fgc", 30, 180)
            if self.source.chance(0.4):
                for _ in self.times(2, 3):
                    with self.container("ss1"):
                        self.line("st", 8, 40)
                        self.paragraphs(1, 4)

    def back(self) -> None:
        with self.container("bm"):
            if self.source.chance(0.3):
                with self.container("ack"):
                    self.line("p", 60, 240)
            with self.container("bib"):
                for _ in self.times(2, 10):
                    self.line("bb", 70, 190)
            for _ in self.times(0, 2):
                with self.container("vt"):
                    self.line("p", 120, 500)

    def article(self) -> None:
        with self.container("article"):
            self.front()
            with self.container("bdy"):
                for _ in self.times(2, 8):
                    self.section()
            self.back()


def documents(seed: int, n: int) -> Documents:
    """Simulates documents.

    Args:
        seed: The seed; equal seeds give equal documents.
        n: Number of documents, at most 180,000.
    """
    setter = Typesetter(Draws(seed, 0))
    first = [0]
    for _ in range(n):
        setter.at = 0
        setter.siblings = [{}]
        setter.article()
        first.append(len(setter.tag))
    boundaries = np.array(first, dtype=np.int64)
    return Documents(
        doc_ids=identifiers(n),
        first=boundaries,
        document=np.repeat(np.arange(n, dtype=np.int64), np.diff(boundaries)),
        parent=np.array(setter.parent, dtype=np.int64),
        depth=np.array(setter.depth, dtype=np.int64),
        tag=tuple(setter.tag),
        path=tuple(setter.path),
        start=np.array(setter.start, dtype=np.int64),
        length=np.array(setter.length, dtype=np.int64),
    )


def identifiers(n: int) -> tuple[str, ...]:
    """Returns identifiers of this number of documents, as ``journal/year/article``, in string order."""
    per_journal = -(-n // len(JOURNALS))
    per_year = -(-per_journal // 10)
    places = ((number // per_journal, number % per_journal) for number in range(n))
    return tuple(f"{JOURNALS[journal]}/{1995 + place // per_year}/a{1001 + 7 * (place % per_year):04d}" for journal, place in places)
