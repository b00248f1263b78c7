"""Selections of judgements under which values stand for the gains of documents, so that scores are estimated from a sample."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final, Self

import numpy as np
import polars as pl

from inexmetrics.collection import Assessments, Runs
from inexmetrics.common import errors, messages
from inexmetrics.common.arrays import BoolArray, FloatArray
from inexmetrics.common.frozen import cached_by_identity
from inexmetrics.judgements.base import Judgements, OfDocuments
from inexmetrics.judgements.weighted_samples import Pool, Weights, values
from inexmetrics.quantisations.base import Criterion

__all__ = ["Bound", "Estimating", "Sample", "sampling_warnings"]

SMALL: Final = 0.02
"""Probability below which a drawn document changes a score by more than 50 times its weight; warned of."""


NORMALISED: Final = (
    "each topic is divided by the ideal list that is known before the sample, so that estimates may exceed 1, and their means cannot be "
    "compared with means under all judgements; expected differences keep their signs on each topic, but topics get other weights, so that a "
    "difference of means may change its sign; DCG@k is not divided"
)
"""Warning about estimates of nDCG."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A sample of a pool of n documents.

    Attributes:
        pool: The documents.
        gains: The gain of each document; 0 for documents that are not judged, shape (n,).
        judged: Whether each document is judged, shape (n,).
        probabilities: The probability with which each document was drawn; 1 for certain documents, shape (n,).
        expected: The expected gain of each document, from the certain gains, shape (n,).
        unjudged: Number of documents of the pool without a judgement, which count as judged not relevant.
        doubts: Warnings about the sheet, its plan and the cheap judge.
    """

    pool: Pool
    gains: FloatArray
    judged: BoolArray
    probabilities: FloatArray
    expected: FloatArray
    unjudged: int = 0
    doubts: tuple[str, ...] = ()

    def warnings(self) -> Iterator[str]:
        """Yields the warnings about samples of few documents."""
        yield from sampling_warnings(self.pool.documents["topic_id"], self.probabilities, self.judged)

    @property
    def expected_gains(self) -> bool:
        """Whether scores on most topics are expected gains, so that no difference can be called true."""
        return _few_draws(self.pool.documents["topic_id"], self.probabilities, self.judged) is not None

    def estimates(self) -> pl.DataFrame:
        """Returns the columns topic_id, doc_id, value, and expected: the value known before the second stage."""
        certain = self.judged & (self.probabilities >= 1.0)
        value = values(self.gains, self.expected, self.probabilities, self.judged)
        known = np.where(certain, self.gains, self.expected)
        return self.pool.documents.with_columns(value=pl.Series(value), expected=pl.Series(known))


class Estimating(OfDocuments, ABC):
    """Base class of selections of judgements under which values stand for the gains of documents; the values depend on the measure."""

    __slots__ = ()

    estimates: ClassVar[bool] = True

    def under(self, weights: Weights) -> Judgements:
        return Bound(self, weights)

    @abstractmethod
    def sample(self, assessments: Assessments, runs: Runs, weights: Weights) -> Sample | None:
        """Returns the sample for a measure; None if all judgements are known, so that nothing is estimated."""

    @abstractmethod
    def warnings(self, sample: Sample) -> Iterator[str]:
        """Yields the warnings about a sample."""


@dataclass(frozen=True, slots=True, repr=False)
class Bound(OfDocuments):
    """A selection of judgements that estimates, together with the measure whose scores are estimated."""

    choice: Estimating
    weights: Weights

    def __post_init__(self) -> None:
        """Does nothing: both values were checked when they were made."""

    @property
    def quantisation(self) -> Criterion | None:
        return self.choice.quantisation

    @property
    def parts(self) -> tuple[Self, None]:
        return self, None

    @property
    def label(self) -> str:
        return self.choice.label

    @property
    def manner(self) -> str:
        return self.choice.manner

    def read(self, assessments: Assessments, runs: Runs | None) -> Assessments:
        sample = self._sample(assessments, runs)
        if sample is None:
            return self.choice.read(assessments, runs)
        estimates = sample.estimates()
        grades = estimates.select("topic_id", "doc_id", grade=pl.col("value").clip(0.0))
        return Assessments(grades=grades, estimates=estimates, topics=assessments.topics, source=assessments.source, read=assessments.read)

    def cautions(self, assessments: Assessments, runs: Runs | None) -> tuple[str, ...]:
        sample = None if runs is None else self._sample(assessments, runs)
        if sample is None:
            return self.choice.cautions(assessments, runs)
        found = [*self.choice.warnings(sample), *([NORMALISED] if self.weights.normalised else [])]
        return (*self.choice.cautions(assessments, runs), *(f"{self.choice}: {text}" for text in found))

    def expected_gains(self, assessments: Assessments, runs: Runs | None) -> bool:
        sample = self._sample(assessments, runs)
        return sample is not None and sample.expected_gains

    def __str__(self) -> str:
        return str(self.choice)

    def _sample(self, assessments: Assessments, runs: Runs | None) -> Sample | None:
        if runs is None:
            raise errors.CollectionError(
                f"{self.choice}: expected runs, whose differences decide which documents are judged, found only assessments"
            )
        with self.naming():
            return _sampled(assessments, self.choice, runs, self.weights)


@cached_by_identity
def _sampled(assessments: Assessments, choice: Estimating, runs: Runs, weights: Weights) -> Sample | None:
    return choice.sample(assessments, runs, weights)


def _few_draws(topics: pl.Series, probabilities: FloatArray, judged: BoolArray) -> tuple[int, int] | None:
    """Returns the numbers of draws and of topics that need some, if there are fewer draws than topics; for the arguments, see `sampling_warnings`."""
    drawn = judged & (probabilities < 1.0)
    count, concerned = int(drawn.sum()), topics.filter(pl.Series(~judged | drawn)).n_unique()
    return None if judged.all() or count >= concerned else (count, concerned)


def sampling_warnings(topics: pl.Series, probabilities: FloatArray, judged: BoolArray) -> Iterator[str]:
    """Yields warnings about samples whose estimates rest on too few documents.

    With fewer draws than topics, the scores of most topics are expected gains, which differ between runs as the judge prefers: under 12
    equally good runs, 50 topics and a judge that prefers six of them, `t` with Holm's correction claims differences on 28 % of the boards
    with 25 drawn documents, and on 2 % with 50.

    Args:
        topics: The topic of each document of the pool.
        probabilities: The probability with which each document was drawn; 1 for certain documents, shape (n,).
        judged: Whether each document is judged or to be judged, shape (n,).
    """
    if few_draws := _few_draws(topics, probabilities, judged):
        count, concerned = few_draws
        yield (
            f"{messages.plural(count, 'document', 'was', 'were')} drawn with a probability below 1 for {messages.plural(concerned, 'topic')}: on most topics, scores "
            f"are expected gains, and tests find differences that full judging would not; judge at least {concerned - count} more"
        )
    smallest = float(probabilities[judged].min(initial=1.0))
    if few := int((probabilities[judged] < SMALL).sum()):
        yield (
            f"{messages.plural(few, 'document', 'was', 'were')} drawn with a probability below {messages.canonical(SMALL)} (the smallest is {smallest:.2g}), so that a "
            "single document may decide a score; judge more documents"
        )
