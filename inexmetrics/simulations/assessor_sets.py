"""Synthetic assessment sets, in which the judgement of each document is that of a randomly chosen assessor of the document or of its topic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, Protocol, Self, TypeAlias

import numpy as np
import polars as pl

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.common.elementary import Stream

__all__ = ["BLOCK", "AssessorJudgements", "AssessorsOfTopics", "DrawnFor", "SetDraws", "SetProbabilities", "SharedTask", "baselines"]

DrawnFor: TypeAlias = Literal["document", "topic"]

BLOCK: Final = 500
"""Number of sets in a block, which share one stream of random numbers. The stream of block b has the spawn key (b,)."""


class SetDraws(Protocol):
    """The distribution of synthetic sets of judgements."""

    @property
    def firsts(self) -> IntArray:
        """Index of each topic's first document, shape (T + 1,); the last entry is the number of documents."""

    def drawn(self, seed: int, block: int) -> Iterator[FloatArray]:
        """Yields, for each topic, the grades of its documents (rows) in each set of a block (columns), shape (documents, `BLOCK`)."""


@dataclass(frozen=True, slots=True, eq=False)
class SetProbabilities:
    """The distribution of each document's grade in a synthetic set. T topics, D documents, L grades above 0.

    Attributes:
        firsts: Index of each topic's first document, shape (T + 1,); the last entry is D.
        levels: The grades above 0 in increasing order, shape (L,).
        shares: Share of each document's assessors who gave at least each grade of `levels`, shape (D, L); 0 if the document has no
            assessors.
        places: Index of each topic's first document in the concatenated assessed documents of all topics, including excluded topics, shape
            (T,).
    """

    firsts: IntArray
    levels: FloatArray
    shares: FloatArray
    places: IntArray

    def drawn(self, seed: int, block: int) -> Iterator[FloatArray]:
        """Yields, for each topic, the grades of its documents (rows) in each set of a block (columns), shape (documents, `BLOCK`).

        For each document in each set, a number u is drawn from [0, 1). The document's grade is the highest grade g such that more than a
        share u of the document's assessors gave at least g. The number u does not depend on the assessors' grades or on excluded topics, so
        that equal seeds give the same judgements under every measure.
        """
        stream, taken = Stream(seed, block), 0
        for place, first, stop in zip(self.places.tolist(), self.firsts[:-1].tolist(), self.firsts[1:].tolist(), strict=True):
            stream.skip((place - taken) * BLOCK)
            taken = place + stop - first
            u = stream.numbers((stop - first) * BLOCK).reshape(stop - first, BLOCK)
            worths = np.zeros_like(u)
            for level, share in zip(self.levels.tolist(), self.shares[first:stop].T, strict=True):
                worths[u < share[:, None]] = level
            yield worths


@dataclass(frozen=True, slots=True, eq=False)
class AssessorsOfTopics:
    """The assessors of each topic, one of whom is drawn for the whole topic in each synthetic set.

    Attributes:
        firsts: Index of each topic's first document, shape (T + 1,).
        grades: For each topic, the grade that each of its assessors (columns) gave to each of its documents (rows); 0 if not judged.
        places: Index of each topic among all topics, including excluded topics, shape (T,).
    """

    firsts: IntArray
    grades: tuple[FloatArray, ...]
    places: IntArray

    def drawn(self, seed: int, block: int) -> Iterator[FloatArray]:
        """Yields, for each topic, the grades of its documents (rows) in each set of a block (columns), shape (documents, `BLOCK`).

        For each topic in each set, a number u is drawn from [0, 1). Of N assessors, the assessor with index floor(u N) is selected.
        """
        stream, taken = Stream(seed, block), 0
        for place, grades in zip(self.places.tolist(), self.grades, strict=True):
            stream.skip((place - taken) * BLOCK)
            taken = place + 1
            yield grades[:, (stream.numbers(BLOCK) * grades.shape[1]).astype(np.int64)]


@dataclass(frozen=True, slots=True, eq=False)
class AssessorJudgements:
    """The judgements of documents by all assessors and by the baseline assessor.

    Attributes:
        documents: The documents that any assessor judged: topic_id and doc_id, both in lexicographic order.
        topics: The topics of the assessed documents, length T.
        chances: The distribution of the documents' grades in synthetic sets.
        baseline: Grade that the baseline assessor gave to each document, shape (D,); 0 if the baseline assessor did not judge the document.
        greatest: The highest grade that each document can have, in a synthetic set or from the baseline assessor, shape (D,).
        disputed: Number of documents whose grades may differ between synthetic sets of assessments.
        unasked: Number of documents for which no assessor can be drawn, because only the excluded baseline assessor judged the document.
    """

    documents: pl.DataFrame
    topics: tuple[str, ...]
    chances: SetDraws
    baseline: FloatArray
    greatest: FloatArray
    disputed: int
    unasked: int

    @classmethod
    def of(cls, judgements: pl.DataFrame, chosen: pl.DataFrame, include_baseline: bool = True, drawn_for: DrawnFor = "document") -> Self:
        """Builds the judgements of the topics that have a baseline (topic_id and assessor) and at least one relevant document.

        Judgements have the columns topic_id, assessor, doc_id and grade, which is at least 0. The judgements must include all topics, so
        that the random draws for a topic do not depend on which other topics are excluded. If `include_baseline` is True, the baseline
        assessor can also be drawn. One assessor is drawn for each document, or one for each topic.

        Examples:
            >>> said = [
            ...     ("1", "ann", "a", 1.0),
            ...     ("1", "ann", "b", 0.0),
            ...     ("1", "bob", "a", 1.0),
            ...     ("1", "bob", "b", 1.0),
            ... ]
            >>> judgements = pl.DataFrame(said, ["topic_id", "assessor", "doc_id", "grade"], orient="row")
            >>> opinions = AssessorJudgements.of(judgements, baselines(judgements))
            >>> opinions.chances.shares.tolist(), opinions.baseline.tolist()
            ([[1.0], [0.5]], [1.0, 0.0])
        """
        everything = judgements.select("topic_id", "doc_id").unique().sort("topic_id", "doc_id").with_row_index("place")
        gainful = judgements.filter(pl.col("grade") > 0.0)["topic_id"].unique()
        asked = judgements.filter(pl.col("topic_id").is_in(gainful.to_list()))
        asked = asked.join(chosen.select("topic_id", by="assessor"), on="topic_id", how="inner", maintain_order="left")
        placed = everything.join(asked, on="topic_id", how="semi", maintain_order="left")
        documents = placed.select("topic_id", "doc_id")
        numbered = documents.with_row_index("document")
        graded = asked.join(numbered, on=["topic_id", "doc_id"], how="left", maintain_order="left")
        of_baseline = (graded["assessor"] == graded["by"]).to_numpy()
        document, grade = graded["document"].to_numpy().astype(np.int64), graded["grade"].to_numpy()
        baseline = np.zeros(documents.height)
        baseline[document[of_baseline]] = grade[of_baseline]
        drawn = np.ones_like(of_baseline) if include_baseline else ~of_baseline
        codes = {name: code for code, name in enumerate(graded["assessor"].unique(maintain_order=True).to_list())}
        assessor = np.array([codes[name] for name in graded["assessor"].to_list()], dtype=np.int64)[drawn]
        document, grade = document[drawn], grade[drawn]
        assessors = np.bincount(document, minlength=documents.height)
        sizes = documents.group_by("topic_id", maintain_order=True).len()
        firsts = np.concatenate(([0], np.cumsum(sizes["len"].to_numpy()))).astype(np.int64)
        topics = tuple(sizes["topic_id"])
        lowest, greatest = np.full(documents.height, np.inf), baseline.copy()
        chances: SetDraws
        if drawn_for == "topic":
            numbers = {topic_id: number for number, topic_id in enumerate(everything["topic_id"].unique().sort().to_list())}
            grades = tuple(
                _by_assessor(assessor[within], document[within] - first, grade[within], last - first)
                for first, last in zip(firsts[:-1].tolist(), firsts[1:].tolist(), strict=True)
                for within in [(document >= first) & (document < last)]
            )
            chances = AssessorsOfTopics(firsts, grades, np.array([numbers[topic_id] for topic_id in topics], dtype=np.int64))
            lowest, highest = (np.concatenate([bound(of_topic, axis=1) for of_topic in grades] or [baseline]) for bound in (np.min, np.max))
        else:
            levels = np.unique(grade[grade > 0.0])
            shares = np.zeros((documents.height, len(levels)))
            for column, level in enumerate(levels.tolist()):
                agreeing = np.bincount(document[grade >= level], minlength=documents.height)
                np.divide(agreeing, assessors, out=shares[:, column], where=assessors > 0)
            chances = SetProbabilities(firsts, levels, shares, placed["place"].to_numpy().astype(np.int64)[firsts[:-1]])
            highest = np.max(np.where(shares > 0.0, levels, 0.0), axis=1, initial=0.0)
            np.minimum.at(lowest, document, grade)
            lowest[assessors == 0] = 0.0
        np.maximum(greatest, highest, out=greatest)
        disputed = int(np.count_nonzero(highest > lowest))
        return cls(documents, topics, chances, baseline, greatest, disputed, int(np.count_nonzero(assessors == 0)))


def _by_assessor(assessor: IntArray, document: IntArray, grade: FloatArray, count: int) -> FloatArray:
    """Returns the grade that each assessor of a topic (columns, in file order) gave to each of its documents (rows); 0 if not judged."""
    column = {code: number for number, code in enumerate(dict.fromkeys(assessor.tolist()))}
    grades = np.zeros((count, max(len(column), 1)))
    grades[document, [column[code] for code in assessor.tolist()]] = grade
    return grades


@dataclass(frozen=True, slots=True, eq=False)
class SharedTask:
    """The judgements of the documents that all assessors of a topic judged, without assessors who judged a small part of the topic.

    Attributes:
        judgements: The judgements that are kept.
        remaining: The judgements of the assessors that are kept, including those of documents that not all of them judged.
        idle: The assessors that are excluded from a topic: topic_id, assessor, judged (number of documents) and documents (of the topic).
        partly: The documents that some, but not all, of the remaining assessors of their topic judged: topic_id and doc_id.
        documents: Number of documents that anybody judged, over all topics.
    """

    judgements: pl.DataFrame
    remaining: pl.DataFrame
    idle: pl.DataFrame
    partly: pl.DataFrame
    documents: int

    @classmethod
    def of(cls, judgements: pl.DataFrame, at_least: float) -> Self:
        """Excludes, for each topic, assessors who judged less than a share of its documents, then documents that not all others judged.

        Examples:
            >>> said = [
            ...     ("1", name, doc, 1.0)
            ...     for name, docs in {"ann": "abcd", "bob": "abc", "cid": "d"}.items()
            ...     for doc in docs
            ... ]
            >>> task = SharedTask.of(
            ...     pl.DataFrame(said, ["topic_id", "assessor", "doc_id", "grade"], orient="row"), 0.5
            ... )
            >>> task.idle.rows(), task.partly.rows(), task.judgements.height
            ([('1', 'cid', 1, 4)], [('1', 'd')], 6)
        """
        topic, document = ["topic_id"], ["topic_id", "doc_id"]
        sizes = judgements.group_by("topic_id").agg(documents=pl.col("doc_id").n_unique())
        shares = judgements.group_by("topic_id", "assessor", maintain_order=True).agg(judged=pl.len()).join(sizes, on="topic_id")
        idle = shares.filter(pl.col("judged") < pl.col("documents") * at_least - ROUNDING).sort("topic_id", maintain_order=True)
        remaining = judgements.join(idle, on=["topic_id", "assessor"], how="anti", maintain_order="left")
        asked = remaining.group_by("topic_id").agg(asked=pl.col("assessor").n_unique())
        by_document = remaining.group_by(document).agg(judged=pl.len()).join(asked, on=topic)
        partly = by_document.filter(pl.col("judged") < pl.col("asked")).select(document).sort(document)
        kept = remaining.join(partly, on=document, how="anti", maintain_order="left")
        return cls(kept, remaining, idle, partly, int(sizes["documents"].sum()))


ROUNDING: Final = 1e-9
"""Tolerance for rounding errors of a share of documents: a share of .3 of 10 documents is 3 documents."""


def baselines(judgements: pl.DataFrame, named: str | None = None) -> pl.DataFrame:
    """Returns the baseline assessor of each topic (columns topic_id and assessor): the named assessor, or the first in row order."""
    asked = judgements if named is None else judgements.filter(pl.col("assessor") == named)
    return asked.group_by("topic_id", maintain_order=True).agg(pl.col("assessor").first())
