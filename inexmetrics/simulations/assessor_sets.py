"""Synthetic assessment sets, in which the judgement of each document is that of a randomly chosen assessor of the document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
import polars as pl

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.common.elementary import Stream

__all__ = ["BLOCK", "AssessorJudgements", "SetProbabilities", "baselines"]

BLOCK: Final = 500
"""Number of sets in a block, which share one stream of random numbers. The stream of block b has the spawn key (b,)."""


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
class AssessorJudgements:
    """The judgements of documents by all assessors and by the baseline assessor.

    Attributes:
        documents: The documents that any assessor judged: topic_id and doc_id, both in lexicographic order.
        topics: The topics of the assessed documents, length T.
        chances: The distribution of the documents' grades in synthetic sets.
        baseline: Grade that the baseline assessor gave to each document, shape (D,); 0 if the baseline assessor did not judge the document.
        unasked: Number of documents for which no assessor can be drawn, because only the excluded baseline assessor judged the document.
    """

    documents: pl.DataFrame
    topics: tuple[str, ...]
    chances: SetProbabilities
    baseline: FloatArray
    unasked: int

    @classmethod
    def of(cls, judgements: pl.DataFrame, chosen: pl.DataFrame, include_baseline: bool = True) -> Self:
        """Builds the judgements of the topics that have a baseline (topic_id and assessor) and at least one relevant document.

        Judgements have the columns topic_id, assessor, doc_id and grade, which is at least 0. The judgements must include all topics, so
        that the random draws for a topic do not depend on which other topics are excluded. If `include_baseline` is True, the baseline
        assessor can also be drawn.

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
        document, grade = document[drawn], grade[drawn]
        assessors = np.bincount(document, minlength=documents.height)
        levels = np.unique(grade[grade > 0.0])
        shares = np.zeros((documents.height, len(levels)))
        for column, level in enumerate(levels.tolist()):
            agreeing = np.bincount(document[grade >= level], minlength=documents.height)
            np.divide(agreeing, assessors, out=shares[:, column], where=assessors > 0)
        sizes = documents.group_by("topic_id", maintain_order=True).len()
        firsts = np.concatenate(([0], np.cumsum(sizes["len"].to_numpy()))).astype(np.int64)
        chances = SetProbabilities(firsts, levels, shares, placed["place"].to_numpy().astype(np.int64)[firsts[:-1]])
        return cls(documents, tuple(sizes["topic_id"]), chances, baseline, int(np.count_nonzero(assessors == 0)))

    @property
    def greatest(self) -> FloatArray:
        """The highest grade that each document can have, in a synthetic set or from the baseline assessor, shape (D,)."""
        likely = np.where(self.chances.shares > 0.0, self.chances.levels, 0.0)
        greatest: FloatArray = np.maximum(np.max(likely, axis=1, initial=0.0), self.baseline)
        return greatest

    @property
    def disputed(self) -> int:
        """Number of documents whose grades may differ between synthetic sets of assessments."""
        return int(np.count_nonzero(((self.chances.shares > 0.0) & (self.chances.shares < 1.0)).any(axis=1)))


def baselines(judgements: pl.DataFrame, named: str | None = None) -> pl.DataFrame:
    """Returns the baseline assessor of each topic (columns topic_id and assessor): the named assessor, or the first in row order."""
    asked = judgements if named is None else judgements.filter(pl.col("assessor") == named)
    return asked.group_by("topic_id", maintain_order=True).agg(pl.col("assessor").first())
