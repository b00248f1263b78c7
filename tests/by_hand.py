"""Small collections written in a test: assessments, results, and both as plain lists of one topic."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import polars as pl
from hypothesis import strategies as st

from inexmetrics import Assessments, Collection, CollectionWarning, Runs, Scores, Structure
from inexmetrics.collection.condition_names import UNNAMED
from inexmetrics.collection.schemas import ELEMENTS, GRADES, RESULTS
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.messages import alternatives
from inexmetrics.reading.names import suggested

SIZE = 100
"""Number of characters in every element."""

Listed = Sequence[tuple[str, float | None]]
"""A ranking: items with their scores, best first. An item is `doc` or `doc:/path`."""


def offered(column: str, *, own: bool = True) -> str:
    """Returns the names of a column that messages offer, as a message has them; without its own name if several others remain."""
    names = suggested(column)
    return alternatives(names if own or len(names) < 3 else names[1:])


@dataclass(frozen=True)
class Written:
    """A collection as written in a test.

    Attributes:
        assessed: The gain of each assessed item, by topic.
        runs: The ranking of each run, by topic.
    """

    assessed: Mapping[str, Mapping[str, float]]
    runs: Mapping[str, Mapping[str, Listed]]

    def gains(self, run: str, topic: str) -> list[float]:
        return [self.assessed[topic].get(item, 0.0) for item, _ in self.runs[run].get(topic, ())]

    def scores(self, run: str, topic: str) -> list[float | None]:
        return [score for _, score in self.runs[run].get(topic, ())]

    def ideal(self, topic: str) -> list[float]:
        return sorted((gain for gain in self.assessed[topic].values() if gain > 0), reverse=True)

    def collection(self) -> Collection:
        """Returns the collection, with gains of at most 1 as specificities (the gains under BinExh), and gains as grades."""
        items = [(topic, *split(item), gain) for topic, items in self.assessed.items() for item, gain in items.items()]
        elements = {
            "topic_id": [topic for topic, *_ in items],
            "doc_id": [doc for _, doc, *_ in items],
            "path": [path for _, _, path, _ in items],
            "exhaustivity": ["2" if gain > 0 else "0" for *_, gain in items],
            "specificity": [min(max(gain, 0.0), 1.0) for *_, gain in items],
            "size": [SIZE] * len(items),
        }
        grades = {"topic_id": elements["topic_id"], "doc_id": elements["doc_id"], "grade": [gain for *_, gain in items]}
        whole = all(path is None for _, _, path, _ in items)
        assessments = Assessments(
            elements=pl.DataFrame(elements, schema=ELEMENTS),
            grades=pl.DataFrame(grades, schema=GRADES) if whole else None,
            topics=tuple(sorted(self.assessed)),
        )
        return collected(assessments, runs_of(self.runs))


def split(item: str) -> tuple[str, str | None]:
    doc, _, path = item.partition(":")
    return doc, path or None


def runs_of(runs: Mapping[str, Mapping[str, Listed]]) -> Runs:
    topics = sorted({topic for lists in runs.values() for topic in lists})
    rows = [
        (run, topic, *split(item), None, None, None, score)
        for run in sorted(runs)
        for topic in sorted(runs[run])
        for item, score in runs[run][topic]
    ]
    schema = {"run_id": pl.Enum(sorted(runs)), "topic_id": pl.Enum(topics), **RESULTS}
    return Runs.of(pl.DataFrame(rows, schema=schema, orient="row"), dict.fromkeys(sorted(runs), "file"))


def collected(assessments: Assessments, runs: Runs, structure: Structure | None = None) -> Collection:
    """Returns a collection, without emitting its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        return Collection(assessments, runs, structure)


GAINS = st.sampled_from([0.0, 1.0, 0.5, 0.25, 0.1, 0.9, 1 / 3, 0.7, 1e-12])


def board_of(rows: FloatArray) -> Scores:
    """Returns scores, runs x topics, as `scores_from` reads the array topics x runs, without the checks of reading."""
    runs, topics = (sorted(str(number + 1) for number in range(count)) for count in rows.shape)
    places = [[int(name) - 1 for name in names] for names in (runs, topics)]
    return Scores(tuple(runs), tuple(topics), {UNNAMED: rows[np.ix_(*places)]})


DOCS = [f"d{number}" for number in range(10)]
# Hypothesis validates each strategy once: what is drawn often is made once.
ITEMS = {
    False: st.sampled_from(DOCS),
    True: st.sampled_from([*DOCS, *(f"d{number}:/a[1]/s[{part}]" for number in range(4) for part in (1, 2))]),
}
"""Documents, or documents and paths."""
RETRIEVED = {paths: st.lists(items, min_size=1, max_size=12, unique=True) for paths, items in ITEMS.items()}
TOPICS = st.lists(st.sampled_from(["1", "10", "2", "x"]), min_size=1, max_size=4, unique=True)
RUNS = st.lists(st.sampled_from(["a", "B", "c"]), min_size=1, max_size=3, unique=True)


@cache
def scores_of(count: int) -> st.SearchStrategy[list[None] | list[float]]:
    """Returns no scores, falling scores, or scores in any order."""
    scored = st.lists(st.sampled_from([3.0, 2.0, 1.0]), min_size=count, max_size=count)
    return st.just([None] * count) | scored.map(lambda values: sorted(values, reverse=True)) | scored


@st.composite
def written(draw: st.DrawFn, paths: bool = False, gains: st.SearchStrategy[float] = GAINS) -> Written:
    """Returns collections of a few topics and runs: rankings with and without scores, with ties, with unjudged items, and missing rankings."""
    items = ITEMS[paths]
    topics = draw(TOPICS)
    assessed = {topic: draw(st.dictionaries(items, gains, max_size=8)) for topic in topics}
    answered, retrieved_of = st.lists(st.sampled_from(topics), min_size=1, unique=True), RETRIEVED[paths]
    runs = {}
    for run in draw(RUNS):
        lists = {}
        for topic in draw(answered):
            retrieved = draw(retrieved_of)
            lists[topic] = list(zip(retrieved, draw(scores_of(len(retrieved))), strict=True))
        runs[run] = lists
    return Written(assessed, runs)
