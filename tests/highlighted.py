"""Small collections of highlighted text, written in a test or generated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

import polars as pl
from hypothesis import strategies as st

from inexmetrics import Assessments, Collection, Runs
from inexmetrics.collection.schemas import DOCUMENTS, PASSAGES, RESULTS
from tests.by_hand import collected
from tests.reference.in_context import UNPLACED, Document, Ranked, Result, Topic


@dataclass(frozen=True)
class Highlighted:
    """A collection as written in a test.

    Attributes:
        assessed: The assessed documents, by topic.
        runs: The ranking of each run, by topic.
        lengths: Number of characters of each document; a missing document, or None, has an unknown length.
    """

    assessed: Mapping[str, Mapping[str, Document]]
    runs: Mapping[str, Mapping[str, Sequence[Result]]]
    lengths: Mapping[str, int | None] = field(default_factory=dict)

    @cached_property
    def _lengths_and_mean(self) -> tuple[dict[str, int | None], float]:
        """The lengths of all documents, and the mean of the assessed ones that are known."""
        known = {doc: self.lengths.get(doc) for doc in {doc for documents in self.assessed.values() for doc in documents}}
        retrieved = {result.doc for lists in self.runs.values() for results in lists.values() for result in results}
        told = [length for length in known.values() if length is not None]
        return {**dict.fromkeys(retrieved), **known}, sum(told) / len(told) if told else 0.0

    def topic(self, topic: str) -> Topic:
        lengths, mean = self._lengths_and_mean
        return Topic(dict(self.assessed[topic]), dict(lengths), mean)

    def ranked(self, run: str, topic: str, compat: bool = False) -> Ranked:
        return Ranked(self.runs[run].get(topic, ()), self.topic(topic), compat)

    @property
    def assessments(self) -> Assessments:
        items = [(topic, doc, document) for topic, documents in self.assessed.items() for doc, document in documents.items()]
        documents = [(topic, doc, document.relchars, self.lengths.get(doc), document.bep) for topic, doc, document in items]
        passages = [(topic, doc, *passage) for topic, doc, document in items for passage in document.passages]
        return Assessments(
            documents=pl.DataFrame(documents, schema=DOCUMENTS, orient="row"),
            passages=pl.DataFrame(passages, schema=PASSAGES, orient="row"),
            topics=tuple(sorted(self.assessed)),
        )

    def collection(self) -> Collection:
        rows = [
            (run, topic, result.doc, None, *(result.place or (None, None)), None, None)
            for run in sorted(self.runs)
            for topic in sorted(self.runs[run])
            for result in self.runs[run][topic]
        ]
        topics = sorted({topic for lists in self.runs.values() for topic in lists})
        schema = {"run_id": pl.Enum(sorted(self.runs)), "topic_id": pl.Enum(topics), **RESULTS}
        runs = Runs.of(pl.DataFrame(rows, schema=schema, orient="row"), dict.fromkeys(sorted(self.runs), "file"))
        return collected(self.assessments, runs)


def shown(doc: str, *places: tuple[int, int]) -> Iterator[Result]:
    """Returns a document's results, by start and length; the whole document if there are none."""
    yield from [Result(doc, place) for place in places] or [Result(doc, None)]


DOCS = [f"d{number}" for number in range(6)]
# Hypothesis validates each strategy once: what is drawn often is made once.
LENGTHS = st.integers(0, 40)
TOPICS = st.lists(st.sampled_from(["1", "10", "2"]), min_size=1, max_size=3, unique=True)
RUNS = st.lists(st.sampled_from(["a", "B", "c"]), min_size=1, max_size=2, unique=True)
ASSESSED = st.lists(st.sampled_from(DOCS), unique=True)
RETRIEVED = {tidy: st.lists(st.sampled_from([*DOCS, "x"]), min_size=1, unique=tidy, max_size=8) for tidy in (True, False)}
NONE: st.SearchStrategy[list[tuple[int, int]]] = st.just([])


@cache
def integers(highest: int) -> st.SearchStrategy[int]:
    return st.integers(0, highest)


@cache
def stretches_of(longest: int) -> st.SearchStrategy[list[tuple[int, int]]]:
    return st.lists(st.tuples(integers(longest), integers(8)), min_size=1, max_size=3)


@cache
def bounds_of(longest: int) -> st.SearchStrategy[list[int]]:
    return st.lists(integers(longest), min_size=2, max_size=6)


@cache
def placed_in(longest: int, apart: bool) -> st.SearchStrategy[list[tuple[int, int]] | None]:
    """Returns no places, an unknown place, or stretches that an unknown place may follow."""
    unplaced = st.just([UNPLACED])
    some = st.tuples(places(longest, apart=apart), unplaced | NONE).map(lambda both: [*both[0], *both[1]])
    return st.none() | unplaced | some


@cache
def passages_of(length: int) -> st.SearchStrategy[list[tuple[int, int]]]:
    return places(length, apart=True) | NONE


@st.composite
def places(draw: st.DrawFn, longest: int, apart: bool) -> list[tuple[int, int]]:
    """Returns stretches of a document in any order, some of them empty; disjoint if `apart`."""
    if not apart:
        return draw(stretches_of(longest))
    bounds = sorted(draw(bounds_of(longest)))
    return draw(st.permutations([(start, end - start) for start, end in zip(bounds[::2], bounds[1::2], strict=False)]))


@st.composite
def documents(draw: st.DrawFn, length: int) -> Document:
    """Returns an assessed document, sometimes only with the number of highlighted characters."""
    passages = sorted(draw(passages_of(length)))
    passages = [(start, count) for start, count in passages if count]
    relchars = sum(count for _, count in passages)
    if draw(integers(5)) == 0:
        passages, relchars = [], draw(integers(length))
    return Document(relchars, draw(st.none() | integers(length)), tuple(passages))


documents_of = cache(documents)


@st.composite
def highlighted(draw: st.DrawFn, entries: bool = False, tidy: bool = True) -> Highlighted:
    """Collections of a few topics and runs.

    Args:
        entries: One result per document.
        tidy: Rankings are grouped by document, results of a document do not overlap and lengths are known; otherwise rankings may
            violate these conditions.
    """
    lengths = {doc: draw(LENGTHS) for doc in DOCS}
    topics = draw(TOPICS)
    assessed = {topic: {doc: draw(documents_of(lengths[doc])) for doc in draw(ASSESSED)} for topic in topics}
    answered = st.lists(st.sampled_from(topics), min_size=1, unique=True)
    runs = {}
    for run in draw(RUNS):
        lists = {}
        for topic in draw(answered):
            results: list[Result] = []
            for doc in draw(RETRIEVED[tidy]):
                found = list(shown(doc, *(draw(placed_in(lengths.get(doc, 40) + 5, tidy or draw(st.booleans()))) or ())))
                results += found[:1] if entries else found
            lists[topic] = results
        runs[run] = lists
    told = {doc: None if not tidy and draw(integers(3)) == 0 else length for doc, length in lengths.items()}
    return Highlighted(assessed, runs, told)
