"""Judgements of a random sample of the judged documents, to show the effect of fewer judgements."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.runs import Runs
from inexmetrics.common.frozen import cached_by_identity
from inexmetrics.common.messages import canonical
from inexmetrics.judgements.base import INSIDE, OfDocuments
from inexmetrics.quantisations.base import Criterion
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Integer, Number
from inexmetrics.terms.term import parameter, required

__all__ = ["Sampled", "sampled"]

ROUNDING: Final = 1e-9
"""Tolerance for rounding errors when a number of documents is rounded up, so that a share of .3 draws 3 of 10 documents."""


@word("sampled")
@dataclass(frozen=True, slots=True, repr=False)
class Sampled(OfDocuments):
    """Uses only the judgements of a random sample of each topic's judged documents.

    From a topic with J judged documents, ceil(share * J) documents are drawn without replacement. A document is judged if any assessor
    judged any part of the document. All judgements of a drawn document are kept, including its elements, its passages, and the judgements
    of every assessor. Judgements of other documents are dropped. A topic for which no relevant items remain is undefined, and a warning
    reports the number of undefined topics. The same seed draws the same documents for all runs.

    Args:
        share: The share of each topic's judged documents that is drawn, above 0 and at most 1.
        quantisation: The quantisation of elements, or a choice of judgements that is applied first, such as an assessor or a pool; omitted
            if the measure does not need a quantisation.
        seed: The seed of the random number generator. The draws of a topic do not depend on the judgements of other topics: the i-th
            assessed topic, in lexicographic order and counted from 0, draws from ``PCG64(SeedSequence(seed, spawn_key=(i,)))``.

    Raises:
        FormulaError: The share is not a number above 0 and at most 1.

    Examples:
        >>> from inexmetrics import MAP, MAep, Gen5, from_frames, run, sampled, scores
        >>> scores(MAep, sampled(0.5, Gen5, seed=3))
        scores(MAep ~ sampled(0.5, Gen5, seed=3))
        >>> found = {"x": {"1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}}
        >>> judged = from_frames({"1": {"a": 1, "b": 0, "c": 1, "d": 1}}, found)
        >>> found = run(scores(MAP, tuple(sampled(0.5, seed=seed) for seed in range(4))), judged).table
        >>> found["mean"].round(4).to_list()
        [0.4167, 0.8333, 0.75, 0.3333]
    """

    share: float = field(metadata=required(Number(above=0.0, at_most=1.0), "0.1"))
    quantisation: Criterion | None = parameter(None, INSIDE)
    seed: int = parameter(0, Integer(0))

    @property
    def manner(self) -> str:
        return f"in a sample of {canonical(self.share)}"

    def kept(self, assessments: Assessments, runs: Runs | None) -> pl.DataFrame:
        return _drawn(assessments, self.share, self.seed)


@cached_by_identity
def _drawn(assessments: Assessments, share: float, seed: int) -> pl.DataFrame:
    """Returns the drawn documents: columns topic_id and doc_id."""
    judged = assessments.judged
    firsts = judged["topic_id"].search_sorted(pl.Series(assessments.topics, dtype=pl.String), "left").cast(pl.Int64).to_numpy()
    counts = np.diff(firsts, append=judged.height)
    drawn = []
    for place, (first, count) in enumerate(zip(firsts.tolist(), counts.tolist(), strict=True)):
        generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(place,))))
        drawn.append(first + generator.choice(count, math.ceil(share * count - ROUNDING), replace=False))
    return judged[np.concatenate(drawn)]


sampled: Final = Sampled
