"""Agreement between assessors: shares of agreeing judgements, kappa, and intersections and unions of relevant documents."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from inexmetrics.collection import Assessments, Collection, judgements_by_assessor
from inexmetrics.common import errors, messages
from inexmetrics.common.arrays import BoolArray, IntArray
from inexmetrics.common.frozen import Frozen
from inexmetrics.common.tables import text_table
from inexmetrics.experiments.tables import TOPIC_ID, Column, Table
from inexmetrics.inference.correlations import cohen_kappa, fleiss_kappa, pairwise_agreement
from inexmetrics.report.text import ROWS
from inexmetrics.terms import Number

if TYPE_CHECKING:
    from pandera.typing.polars import DataFrame

__all__ = [
    "AssessorAgreement", "Disagreement", "DisagreementOverall", "Overlap", "OverlapOverall", "Pairs", "PairsOverall", "assessor_agreement",
]  # fmt: skip

DISPUTED: Final = Column.count("the number of documents that some of their assessors find relevant and others do not", unit="documents")
AGREEMENT: Final = Column.share("the share of documents that are not disputed")
PAIRWISE: Final = Column.share(
    "the share of agreeing pairs among the pairs of assessors of a document, averaged over documents (Fleiss' P)",
    "if no document has two assessors",
)
KAPPA: Final = Column(float, "Fleiss' kappa", "if kappa is undefined", at_most=1)
ASKED: Final = Column.count("the number of assessors that are included, in file order", at_least=1)


def _documents(meaning: str) -> Column:
    return Column.count(meaning, unit="documents")


class Disagreement(Table):
    """The disagreement between the assessors of each topic."""

    topic_id = TOPIC_ID
    documents = _documents("the number of documents that at least one assessor assessed")
    assessors = Column.count("the number of assessors", at_least=1)
    disagreements = DISPUTED
    agreement = AGREEMENT
    pairwise_agreement = PAIRWISE
    kappa = KAPPA


class DisagreementOverall(Table):
    """The disagreement between assessors over all documents of all topics, in one row."""

    topics = Column.count("the number of topics", at_least=1)
    documents = _documents("the number of documents that at least one assessor assessed, over all topics")
    mean_documents = Column(float, "the mean number of assessed documents per topic", unit="documents", at_least=0)
    assessors = Column.count("the number of assessors per topic, summed over topics", at_least=1)
    disagreements = DISPUTED
    agreement = AGREEMENT
    pairwise_agreement = PAIRWISE
    kappa = KAPPA


class Overlap(Table):
    """Sizes of the intersection and union of the sets of documents that the first k assessors of a topic, in file order, find relevant."""

    topic_id = TOPIC_ID
    asked = ASKED
    assessor = Column(str, "the assessor who is added last")
    documents = _documents("the number of documents that at least one of the included assessors assessed")
    intersection = _documents("the number of documents that all included assessors find relevant")
    union = _documents("the number of documents that at least one of the included assessors finds relevant")
    mean_intersection = Column(
        float, "the size of the intersection, averaged over all orders in which the assessors can be added", unit="documents", at_least=0
    )
    mean_union = Column(
        float, "the size of the union, averaged over all orders in which the assessors can be added", unit="documents", at_least=0
    )


class OverlapOverall(Table):
    """Sizes of the intersection and union of the sets of documents that the first k assessors find relevant, summed over topics.

    Topics with fewer than k assessors are excluded from the sums for k.
    """

    asked = ASKED
    topics = Column.count("the number of topics with at least this many assessors", at_least=1)
    documents = Overlap.documents
    intersection = Overlap.intersection
    union = Overlap.union
    mean_intersection = Overlap.mean_intersection
    mean_union = Overlap.mean_union


class PairsOverall(Table):
    """The agreement of each pair of assessors over all topics that both assessed, in order of first occurrence."""

    first = Column(str, "an assessor")
    second = Column(str, "another assessor of the same topic")
    documents = _documents("the number of documents that both assessors assessed")
    both = _documents("the number of documents that both assessors find relevant")
    first_only = _documents("the number of documents that only the first assessor finds relevant")
    second_only = _documents("the number of documents that only the second assessor finds relevant")
    neither = _documents("the number of documents that neither assessor finds relevant")
    agreement = Column.share("the share of the documents on which both assessors agree", "if the two assessors share no document")
    kappa = Column.coefficient("Cohen's kappa", "if kappa is undefined")


class OfTopic(Table):
    """A table with one or more rows for each topic."""

    topic_id = TOPIC_ID


class Pairs(PairsOverall, OfTopic):
    """The agreement of each pair of assessors on each topic."""


@dataclass(frozen=True, slots=True, eq=False)
class _JudgedTopic:
    """The judgements of A assessors on the D documents of one topic.

    Attributes:
        topic_id: The topic's id.
        assessors: The assessors, in file order.
        assessed: Whether each assessor assessed each document, shape (A, D).
        finds: Whether each assessor finds each document relevant, shape (A, D).
    """

    topic_id: str
    assessors: tuple[str, ...]
    assessed: BoolArray
    finds: BoolArray

    @classmethod
    def of(cls, topic_id: object, rows: pl.DataFrame, rel: float) -> _JudgedTopic:
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
        """The number of assessors who assessed each document, shape (D,)."""
        asked: IntArray = self.assessed.sum(axis=0, dtype=np.int64)
        return asked

    @property
    def relevant(self) -> IntArray:
        """The number of assessors who find each document relevant, shape (D,)."""
        relevant: IntArray = self.finds.sum(axis=0, dtype=np.int64)
        return relevant


def _disagreement(asked: IntArray, relevant: IntArray) -> tuple[int, float, float | None, float | None]:
    """Returns the number of disputed documents, agreement, pairwise agreement and Fleiss' kappa."""
    disputed = int(np.count_nonzero((relevant > 0) & (relevant < asked)))
    return disputed, (len(asked) - disputed) / len(asked), pairwise_agreement(asked, relevant), fleiss_kappa(asked, relevant)


def _overlap(topic: _JudgedTopic) -> DataFrame[Overlap]:
    """Returns intersection and union for the first m assessors of a topic, and their averages over all orders of the assessors."""
    # Suppose that r of n assessors find a document relevant. There are C(n, m) sets of m assessors: C(r, m) of them contain only these r
    # assessors, and C(n - r, m) contain only other assessors. At index r, the list `counts` contains the number of documents that r
    # assessors find relevant. Its items are Python integers, because these cannot overflow.
    n, documents = len(topic.assessors), len(topic.relevant)
    counts = np.bincount(topic.relevant, minlength=n + 1).tolist()
    mean_intersection, mean_union = [], []
    for m in range(1, n + 1):
        sets = math.comb(n, m)
        mean_intersection.append(sum(count * math.comb(r, m) for r, count in enumerate(counts)) / sets)
        outside = sum(count * math.comb(n - r, m) for r, count in enumerate(counts))
        mean_union.append((documents * sets - outside) / sets)
    return Overlap.frame(
        topic_id=topic.topic_id,
        asked=np.arange(1, len(topic.assessors) + 1),
        assessor=topic.assessors,
        documents=np.logical_or.accumulate(topic.assessed).sum(axis=1),
        intersection=np.logical_and.accumulate(topic.finds).sum(axis=1),
        union=np.logical_or.accumulate(topic.finds).sum(axis=1),
        mean_intersection=mean_intersection,
        mean_union=mean_union,
    )


def _count_agreements(topic: _JudgedTopic) -> Iterator[tuple[str, str, IntArray]]:
    """Yields each pair of a topic's assessors with four numbers of documents.

    The numbers count the documents that both assessors find relevant, that only the first does, that only the second does, and that neither
    does. Only documents that both assessors assessed are counted.
    """
    for first, second in combinations(range(len(topic.assessors)), 2):
        shared = topic.assessed[first] & topic.assessed[second]
        answers = np.bincount(2 * topic.finds[first, shared] + topic.finds[second, shared], minlength=4)
        yield topic.assessors[first], topic.assessors[second], answers[::-1]


def _pairs_overall(topics: Sequence[_JudgedTopic]) -> DataFrame[PairsOverall]:
    """Returns pairs of assessors in order of first occurrence; in each pair, the assessor who occurs first in the data is first."""
    order: dict[str, int] = {}
    totals: dict[tuple[str, str], IntArray] = {}
    for topic in topics:
        for assessor in topic.assessors:
            order.setdefault(assessor, len(order))
    for topic in topics:
        for first, second, counts in _count_agreements(topic):
            turned = order[first] > order[second]
            pair = (second, first) if turned else (first, second)
            totals[pair] = totals.get(pair, np.zeros(4, dtype=np.int64)) + (counts[[0, 2, 1, 3]] if turned else counts)
    return PairsOverall.of_rows(_pair(*pair, counts) for pair, counts in totals.items())


def _pair(first: str, second: str, counts: IntArray) -> tuple[str, str, int, int, int, int, int, float | None, float | None]:
    """Returns the table row of a pair of assessors, computed from the pair's 2 x 2 table of document counts."""
    both, first_only, second_only, neither = counts.tolist()
    documents = both + first_only + second_only + neither
    agreement = (both + neither) / documents if documents else None
    kappa = cohen_kappa(np.array([[both, first_only], [second_only, neither]]))
    return first, second, documents, both, first_only, second_only, neither, agreement, kappa


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AssessorAgreement(Frozen):
    """The agreement between several assessors of the same topics.

    A document is disputed if some of its assessors find it relevant and others do not.

    Attributes:
        disagreement: How often the assessors of each topic disagree, with Fleiss' kappa.
        disagreement_overall: How often assessors disagree over all topics, with Fleiss' kappa, in one row.
        overlap: For the first k assessors of each topic, the number of documents that all k find relevant, and the number that at least one
            finds relevant.
        overlap_overall: The numbers in table ``overlap``, summed over topics. The sums for the first k assessors include the topics with at
            least k assessors.
        pairs: Numbers of documents that each pair of assessors of a topic finds relevant, with Cohen's kappa.
        pairs_overall: Numbers of documents that each pair of assessors finds relevant over all topics, with Cohen's kappa.

    Source: Trotman & Jenkinson (2007), Table 1; Trotman, Pharo & Jenkinson (2007).
    """

    disagreement: DataFrame[Disagreement]
    disagreement_overall: DataFrame[DisagreementOverall]
    overlap: DataFrame[Overlap]
    overlap_overall: DataFrame[OverlapOverall]
    pairs: DataFrame[Pairs]
    pairs_overall: DataFrame[PairsOverall]

    @property
    def tables(self) -> Mapping[str, pl.DataFrame]:
        """All tables of agreement between assessors, by table name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __repr__(self) -> str:
        return "\n\n".join(f"{name}\n\n{text_table(table, limit=ROWS)}" for name, table in self.tables.items() if "pairs" not in name)


def assessor_agreement(assessments: Assessments | Collection, *, rel: float = 1.0) -> AssessorAgreement:
    """Returns the agreement between the assessors of each topic, and how the relevant documents change as assessors are added.

    Args:
        assessments: Judgements by several assessors, or a collection with judgements by several assessors.
        rel: The lowest grade that counts as relevant.

    Returns:
        Tables by topic and over all topics. Topics are in lexicographic order, and assessors in file order.

    Raises:
        CollectionError: The assessments do not contain judgements by named assessors.
        FormulaError: `rel` is not a number above 0.

    Notes:
        * Agreement: A document is disputed if some of the assessors who judged it find it relevant and others do not. The column
          agreement counts documents with a single assessor as not disputed, and a warning counts these documents. Fleiss' kappa
          uses all documents with at least two assessors, even if their numbers of assessors differ. In unions and intersections of
          more and more assessors, an assessor who did not judge a document does not find it relevant. The mean over all orders of
          assessors equals the mean over all subsets.

    Examples:
        >>> from inexmetrics import assessor_agreement, sample
        >>> found = assessor_agreement(sample())
        >>> found.disagreement.columns
        ['topic_id', 'documents', 'assessors', 'disagreements', 'agreement', 'pairwise_agreement', 'kappa']
    """
    if not isinstance(assessments, Assessments | Collection):
        raise errors.CollectionError(f"assessor_agreement: expected assessments or a collection, found {messages.describe(assessments)}")
    least = Number(above=0.0).accept_as("assessor_agreement: rel", rel)
    judged = judgements_by_assessor(assessments.assessments if isinstance(assessments, Collection) else assessments)
    if judged.is_empty():
        raise errors.CollectionError("assessor_agreement: expected judgements by named assessors, found none")
    asked = judged.group_by("topic_id", "doc_id").len()["len"]
    if alone := int((asked == 1).sum()):
        errors.emit_warnings(
            [
                f"assessor_agreement: {alone:,} of {messages.plural(len(asked), 'document')} were judged by one assessor only, and cannot be disputed; the column "
                "agreement counts them, pairwise_agreement and kappa do not"
            ]
        )
    return agreement_of(judged, least)


def agreement_of(judged: pl.DataFrame, least: float) -> AssessorAgreement:
    """Returns the agreement of the assessors of a table with the columns topic_id, assessor, doc_id and grade; `least` is the lowest relevant grade."""
    topics = [_JudgedTopic.of(topic_id, rows, least) for (topic_id,), rows in judged.group_by("topic_id", maintain_order=True)]
    topics.sort(key=lambda topic: topic.topic_id)
    shared = Overlap.concat(map(_overlap, topics))
    by_number = shared.sort("asked", maintain_order=True).group_by("asked", maintain_order=True)
    summed = list(OverlapOverall.columns().items())[2:]
    assessors = sum(len(topic.assessors) for topic in topics)
    asked, relevant = np.concatenate([topic.asked for topic in topics]), np.concatenate([topic.relevant for topic in topics])
    overall = _disagreement(asked, relevant)
    return AssessorAgreement(
        disagreement=Disagreement.of_rows(
            (topic.topic_id, len(topic.asked), len(topic.assessors), *_disagreement(topic.asked, topic.relevant)) for topic in topics
        ),
        disagreement_overall=DisagreementOverall.of_rows([(len(topics), len(asked), len(asked) / len(topics), assessors, *overall)]),
        overlap=shared,
        overlap_overall=OverlapOverall.of_rows(
            (number, rows.height, *(math.fsum(rows[name]) if column.type is float else rows[name].sum() for name, column in summed))
            for (number,), rows in by_number
        ),
        pairs=Pairs.of_rows((topic.topic_id, *_pair(*counted)) for topic in topics for counted in _count_agreements(topic)),
        pairs_overall=_pairs_overall(topics),
    )
