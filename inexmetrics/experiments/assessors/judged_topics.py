"""What several assessors say of one topic, and what is counted of it: disputed documents, what they share, pairs of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.inference.kappa import cohen_kappa, fleiss_kappa, pairwise_agreement

__all__ = ["JudgedTopic", "disagreements", "disagreements_overall", "overlap", "overlap_overall", "pairs", "pairs_overall"]

SHARES: Final = dict.fromkeys(("agreement", "pairwise_agreement", "kappa"), pl.Float64())
OVERLAP: Final[dict[str, pl.DataType]] = {
    "documents": pl.Int64(),
    "intersection": pl.Int64(),
    "union": pl.Int64(),
    "mean_intersection": pl.Float64(),
    "mean_union": pl.Float64(),
}
PAIRS: Final[dict[str, pl.DataType]] = {
    "first": pl.String(),
    "second": pl.String(),
    "documents": pl.Int64(),
    "both": pl.Int64(),
    "first_only": pl.Int64(),
    "second_only": pl.Int64(),
    "neither": pl.Int64(),
    "agreement": pl.Float64(),
    "kappa": pl.Float64(),
}


@dataclass(frozen=True, slots=True, eq=False)
class JudgedTopic:
    """What the assessors say of one topic's documents. A assessors, D documents.

    Attributes:
        topic_id: The topic.
        assessors: The assessors, in the order of the file.
        assessed: Who assessed what, A x D.
        finds: Who finds what relevant, A x D.
    """

    topic_id: str
    assessors: tuple[str, ...]
    assessed: BoolArray
    finds: BoolArray

    @classmethod
    def of(cls, topic_id: object, rows: pl.DataFrame, rel: float) -> JudgedTopic:
        assessors = rows["assessor"].unique(maintain_order=True)
        documents = rows["doc_id"].unique(maintain_order=True)
        places = tuple(
            rows[name].cast(pl.Enum(known)).to_physical().to_numpy() for name, known in (("assessor", assessors), ("doc_id", documents))
        )
        assessed, finds = np.zeros((2, len(assessors), len(documents)), dtype=np.bool_)
        assessed[places] = True
        finds[places] = (rows["grade"] >= rel).to_numpy()
        return cls(str(topic_id), tuple(assessors), assessed, finds)

    @property
    def asked(self) -> IntArray:
        """Assessors of each document, D."""
        asked: IntArray = self.assessed.sum(axis=0, dtype=np.int64)
        return asked

    @property
    def relevant(self) -> IntArray:
        """How many of them find it relevant, D."""
        relevant: IntArray = self.finds.sum(axis=0, dtype=np.int64)
        return relevant


def _disagreement(asked: IntArray, relevant: IntArray, assessors: int) -> dict[str, object]:
    """The columns of table ``disagreement`` for some documents."""
    disputed = int(np.count_nonzero((relevant > 0) & (relevant < asked)))
    return {
        "documents": len(asked),
        "assessors": assessors,
        "disagreements": disputed,
        "agreement": (len(asked) - disputed) / len(asked),
        "pairwise_agreement": pairwise_agreement(asked, relevant),
        "kappa": fleiss_kappa(asked, relevant),
    }


def disagreements(topics: Sequence[JudgedTopic]) -> pl.DataFrame:
    """Table ``disagreement``: topic by topic."""
    rows = [{"topic_id": topic.topic_id, **_disagreement(topic.asked, topic.relevant, len(topic.assessors))} for topic in topics]
    return pl.DataFrame(rows, schema_overrides=SHARES)


def disagreements_overall(topics: Sequence[JudgedTopic]) -> pl.DataFrame:
    """Table ``disagreement_overall``: all documents of all topics."""
    asked, relevant = (np.concatenate(parts) for parts in ([topic.asked for topic in topics], [topic.relevant for topic in topics]))
    found = _disagreement(asked, relevant, sum(len(topic.assessors) for topic in topics))
    counts = {"topics": len(topics), "documents": found.pop("documents"), "mean_documents": len(asked) / len(topics)}
    return pl.DataFrame([{**counts, **found}], schema_overrides=SHARES)


def overlap(topics: Sequence[JudgedTopic]) -> pl.DataFrame:
    """Table ``overlap``: topic by topic, assessor by assessor."""
    return pl.concat([_overlap(topic) for topic in topics])


def _overlap(topic: JudgedTopic) -> pl.DataFrame:
    """What the first assessors of a topic have in common, and what they have together; and the same over all orders."""
    added = np.arange(1, len(topic.assessors) + 1)
    averages = _averaged(topic.relevant, len(topic.assessors))
    counts = {
        "documents": np.logical_or.accumulate(topic.assessed).sum(axis=1),
        "intersection": np.logical_and.accumulate(topic.finds).sum(axis=1),
        "union": np.logical_or.accumulate(topic.finds).sum(axis=1),
        "mean_intersection": averages[0],
        "mean_union": averages[1],
    }
    columns = {"topic_id": topic.topic_id, "asked": added, "assessor": topic.assessors, **counts}
    return pl.DataFrame(columns, schema_overrides={"asked": pl.Int64(), **OVERLAP})


def overlap_overall(by_topic: pl.DataFrame) -> pl.DataFrame:
    """The topics' rows added up by the number of assessors asked."""
    rows = []
    for (asked,), of_topics in by_topic.sort("asked", maintain_order=True).group_by("asked", maintain_order=True):
        sums = {name: math.fsum(of_topics[name]) if dtype == pl.Float64 else of_topics[name].sum() for name, dtype in OVERLAP.items()}
        rows.append({"asked": asked, "topics": of_topics.height, **sums})
    return pl.DataFrame(rows, schema={"asked": pl.Int64(), "topics": pl.Int64(), **OVERLAP})


def _averaged(relevant: IntArray, assessors: int) -> tuple[FloatArray, FloatArray]:
    """Mean intersection and union of m assessors, for m = 1 ..: of the C(n, m) ways to ask m of n, those that hold a document.

    A document that r of n find relevant is in the intersection of m in C(r, m) ways, and outside their union in C(n-r, m).
    """
    ways = [[math.comb(r, m) for r in range(assessors + 1)] for m in range(1, assessors + 1)]
    counts = np.bincount(relevant, minlength=assessors + 1).tolist()  # Python's integers do not overflow
    whole = [row[-1] for row in ways]
    within = [sum(count * row[r] for r, count in enumerate(counts)) / all_ways for row, all_ways in zip(ways, whole, strict=True)]
    outside = [sum(count * row[assessors - r] for r, count in enumerate(counts)) for row in ways]
    some = [(len(relevant) * all_ways - none) / all_ways for none, all_ways in zip(outside, whole, strict=True)]
    return np.array(within), np.array(some)


def _counted(topic: JudgedTopic) -> Iterator[tuple[str, str, IntArray]]:
    """For each pair of a topic's assessors: documents that both find relevant, only the first, only the second, and none."""
    for first, second in combinations(range(len(topic.assessors)), 2):
        shared = topic.assessed[first] & topic.assessed[second]
        answers = np.bincount(2 * topic.finds[first, shared] + topic.finds[second, shared], minlength=4)
        yield topic.assessors[first], topic.assessors[second], answers[::-1]


def pairs(topics: Sequence[JudgedTopic]) -> pl.DataFrame:
    """Table ``pairs``: topic by topic, each two of its assessors."""
    return pl.concat([_pairs(topic) for topic in topics])


def _pairs(topic: JudgedTopic) -> pl.DataFrame:
    rows = [{"topic_id": topic.topic_id, **_pair(*counted)} for counted in _counted(topic)]
    return pl.DataFrame(rows, schema={"topic_id": pl.String(), **PAIRS})


def pairs_overall(topics: Sequence[JudgedTopic]) -> pl.DataFrame:
    """Pairs in the order in which they are first met; whoever is met first is the first of a pair."""
    order: dict[str, int] = {}
    totals: dict[tuple[str, str], IntArray] = {}
    for topic in topics:
        for assessor in topic.assessors:
            order.setdefault(assessor, len(order))
    for topic in topics:
        for first, second, counts in _counted(topic):
            turned = order[first] > order[second]
            pair = (second, first) if turned else (first, second)
            totals[pair] = totals.get(pair, np.zeros(4, dtype=np.int64)) + (counts[[0, 2, 1, 3]] if turned else counts)
    return pl.DataFrame([_pair(*pair, counts) for pair, counts in totals.items()], schema=PAIRS)


def _pair(first: str, second: str, counts: IntArray) -> dict[str, object]:
    both, first_only, second_only, neither = counts.tolist()
    documents = both + first_only + second_only + neither
    return {
        "first": first,
        "second": second,
        "documents": documents,
        "both": both,
        "first_only": first_only,
        "second_only": second_only,
        "neither": neither,
        "agreement": (both + neither) / documents if documents else None,
        "kappa": cohen_kappa(both, first_only, second_only, neither),
    }
