"""Synthetic assessment sets: what would have been assessed, had each document gone to one of several assessors by chance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
import polars as pl

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.simulations.random_stream import Stream

__all__ = ["BLOCK", "AssessorJudgements", "SetProbabilities", "baselines"]

BLOCK: Final = 500
"""Sets that share one stream of random numbers: block b draws from the seed's spawn key (b,), whoever draws it."""


@dataclass(frozen=True, slots=True, eq=False)
class SetProbabilities:
    """How likely each document is to be given each worth in a synthetic set. T topics, D documents, L worths above 0.

    Attributes:
        firsts: Number of each topic's first document, T + 1; the last entry is D.
        levels: The worths above 0, L, increasing.
        shares: Share of the document's assessors who find it worth at least as much, D x L; 0 where nobody was asked.
        places: Number of each topic's first document among all that were assessed, those of topics left out included, T.
    """

    firsts: IntArray
    levels: FloatArray
    shares: FloatArray
    places: IntArray

    def drawn(self, seed: int, block: int) -> Iterator[FloatArray]:
        """One block of sets, topic by topic: the worths of the topic's documents in each set, documents x `BLOCK`.

        For each document of each set a number u is drawn from [0, 1); the document is worth the highest level that a share
        of more than u of its assessors give it. Every document takes its numbers, however its assessors agree and
        whether or not its topic is left out, so that sets of equal seeds are the same opinions for every measure.
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
    """What assessors say of documents, and what one of them, the baseline, says.

    Attributes:
        documents: The documents that anybody assessed: topic_id and doc_id, both in string order.
        topics: Their topics, T.
        chances: What becomes of them in synthetic sets.
        baseline: Worth of each document by the baseline, D; 0 where the baseline did not assess it.
        unasked: Documents without an assessor to draw, as the baseline is left out and nobody else assessed them.
    """

    documents: pl.DataFrame
    topics: tuple[str, ...]
    chances: SetProbabilities
    baseline: FloatArray
    unasked: int

    @classmethod
    def of(cls, judgements: pl.DataFrame, chosen: pl.DataFrame, include_baseline: bool = True) -> Self:
        """The opinions of the topics that have a baseline (topic_id and assessor), and in which anybody finds anything of worth.

        Judgements are topic_id, assessor, doc_id and grade, which is what the document is worth, at least 0; of all topics, for what is
        drawn of one does not depend on which others are left out. The baseline is drawn as the others are, or they alone.

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
        """The most that each document may be worth, in a set or to the baseline, D."""
        likely = np.where(self.chances.shares > 0.0, self.chances.levels, 0.0)
        greatest: FloatArray = np.maximum(np.max(likely, axis=1, initial=0.0), self.baseline)
        return greatest

    @property
    def disputed(self) -> int:
        """Documents that sets may differ in."""
        return int(np.count_nonzero(((self.chances.shares > 0.0) & (self.chances.shares < 1.0)).any(axis=1)))


def baselines(judgements: pl.DataFrame, named: str | None = None) -> pl.DataFrame:
    """The baseline of each topic, topic_id and assessor: the one named, or the first who assessed it as the rows stand."""
    asked = judgements if named is None else judgements.filter(pl.col("assessor") == named)
    return asked.group_by("topic_id", maintain_order=True).agg(pl.col("assessor").first())
