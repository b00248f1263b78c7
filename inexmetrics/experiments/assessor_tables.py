"""Whether assessors agree: how often they do, what they have in common as more are asked, and agreement beyond chance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import combinations

import numpy as np
import polars as pl

from inexmetrics.collection import Assessments, Collection, opinions
from inexmetrics.foundation.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.foundation.errors import CollectionError, FormulaError
from inexmetrics.foundation.wording import described
from inexmetrics.inference.kappa import cohen_kappa, fleiss_kappa, pairwise_agreement
from inexmetrics.language.kinds import Number
from inexmetrics.text.formats import text_table

__all__ = ["AssessorAgreement", "assessor_agreement"]

OVERLAP = {
    "documents": pl.Int64(),
    "intersection": pl.Int64(),
    "union": pl.Int64(),
    "mean_intersection": pl.Float64(),
    "mean_union": pl.Float64(),
}
PAIRS = {
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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AssessorAgreement:
    """How several assessors of the same topics agree.

    *disagreements* are documents that some of their assessors find relevant and others do not; *agreement* is the share
    of the other documents. *pairwise_agreement* is the share of agreeing pairs among the pairs of assessors of a
    document, averaged over documents with at least two (Fleiss' P); *kappa* is Fleiss' kappa. Each is null where it is
    undefined.

    Attributes:
        disagreement: By topic: topic_id, documents, assessors, disagreements, agreement, pairwise_agreement, kappa.
        disagreement_overall: Over all topics, one row: topics, documents, mean_documents, assessors (those of each topic,
            added up), disagreements, agreement, pairwise_agreement, kappa.
        overlap: By topic, as assessors are added one by one: topic_id, asked, assessor (the one added, in the order of
            the file), documents (that any of those asked so far assessed), intersection (that all of them find relevant),
            union (that any of them does); and mean_intersection and mean_union, the same averaged over all orders in which
            the topic's assessors may be added. Who did not assess a document does not find it relevant.
        overlap_overall: The same added up over the topics that have so many assessors: asked, topics, documents, ....
        pairs: By topic and pair of assessors: topic_id, first, second, documents (that both assessed), both (that both find
            relevant), first_only, second_only, neither, agreement (the share of documents of which they say the same), and
            kappa (Cohen's).
        pairs_overall: The same over all topics that both assessed: first, second, ....

    References:
        Trotman & Jenkinson (2007), Table 1; Trotman, Pharo & Jenkinson (2007).
    """

    disagreement: pl.DataFrame
    disagreement_overall: pl.DataFrame
    overlap: pl.DataFrame
    overlap_overall: pl.DataFrame
    pairs: pl.DataFrame
    pairs_overall: pl.DataFrame

    @property
    def tables(self) -> Mapping[str, pl.DataFrame]:
        """All tables, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __repr__(self) -> str:
        return "\n\n".join(f"{name}\n\n{text_table(table)}" for name, table in self.tables.items() if "pairs" not in name)


def assessor_agreement(assessments: Assessments | Collection, *, rel: float = 1.0) -> AssessorAgreement:
    """How the assessors of each topic agree on what is relevant, and what becomes of it as assessors are added.

    Args:
        assessments: Judgements by several assessors, or a collection that has them.
        rel: The lowest grade that is relevant.

    Returns:
        Tables by topic and over all topics, topics in string order, assessors in the order of the file.

    Raises:
        CollectionError: There are no judgements by assessors.
        FormulaError: `rel` is not a number above 0.

    Examples:
        >>> from inexmetrics import assessor_agreement, sample
        >>> found = assessor_agreement(sample())
        >>> found.disagreement.columns
        ['topic_id', 'documents', 'assessors', 'disagreements', 'agreement', 'pairwise_agreement', 'kappa']
    """
    if not isinstance(assessments, Assessments | Collection):
        raise CollectionError(f"assessor_agreement: expected assessments or a collection, found {described(assessments)}")
    try:
        least = Number(above=0.0).accept(rel)
    except FormulaError as error:
        raise FormulaError(f"assessor_agreement: rel: {error.message}") from None
    judged = opinions(assessments.assessments if isinstance(assessments, Collection) else assessments)
    topics = [_Topic.of(topic_id, rows, least) for (topic_id,), rows in judged.group_by("topic_id", maintain_order=True)]
    topics.sort(key=lambda topic: topic.topic_id)
    overlap = pl.concat([_overlap(topic) for topic in topics])
    return AssessorAgreement(
        disagreement=pl.DataFrame(
            [{"topic_id": topic.topic_id, **_disagreement(topic.asked, topic.relevant, len(topic.assessors))} for topic in topics],
            schema_overrides=dict.fromkeys(("agreement", "pairwise_agreement", "kappa"), pl.Float64()),
        ),
        disagreement_overall=_overall_disagreement(topics),
        overlap=overlap,
        overlap_overall=_overall_overlap(overlap),
        pairs=pl.concat([_pairs(topic) for topic in topics]),
        pairs_overall=_overall_pairs(topics),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Topic:
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
    def of(cls, topic_id: object, rows: pl.DataFrame, rel: float) -> _Topic:
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


def _overall_disagreement(topics: list[_Topic]) -> pl.DataFrame:
    asked, relevant = (np.concatenate(parts) for parts in ([topic.asked for topic in topics], [topic.relevant for topic in topics]))
    found = _disagreement(asked, relevant, sum(len(topic.assessors) for topic in topics))
    counts = {"topics": len(topics), "documents": found.pop("documents"), "mean_documents": len(asked) / len(topics)}
    return pl.DataFrame([{**counts, **found}], schema_overrides=dict.fromkeys(("agreement", "pairwise_agreement", "kappa"), pl.Float64()))


def _overlap(topic: _Topic) -> pl.DataFrame:
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


def _overall_overlap(overlap: pl.DataFrame) -> pl.DataFrame:
    """The topics' rows added up by the number of assessors asked."""
    rows = []
    for (asked,), of_topics in overlap.sort("asked", maintain_order=True).group_by("asked", maintain_order=True):
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


def _counted(topic: _Topic) -> Iterator[tuple[str, str, IntArray]]:
    """For each pair of a topic's assessors: documents that both find relevant, only the first, only the second, and none."""
    for first, second in combinations(range(len(topic.assessors)), 2):
        shared = topic.assessed[first] & topic.assessed[second]
        answers = np.bincount(2 * topic.finds[first, shared] + topic.finds[second, shared], minlength=4)
        yield topic.assessors[first], topic.assessors[second], answers[::-1]


def _pairs(topic: _Topic) -> pl.DataFrame:
    rows = [{"topic_id": topic.topic_id, **_pair(*counted)} for counted in _counted(topic)]
    return pl.DataFrame(rows, schema={"topic_id": pl.String(), **PAIRS})


def _overall_pairs(topics: list[_Topic]) -> pl.DataFrame:
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
