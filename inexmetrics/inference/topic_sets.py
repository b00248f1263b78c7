"""Variation of statistics that compare two conditions, computed from their values on simulated or resampled topic sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.base import Correction, SignificanceTest, generator
from inexmetrics.inference.conclusions import Overlap, claimed, conclude, overlap
from inexmetrics.inference.means import means, sample_deviations, student_margins

__all__ = [
    "FEW_SETS",
    "UNDEFINED",
    "Ends",
    "Outcome",
    "PairOfMatrices",
    "Statistics",
    "TopicSets",
    "of_few_sets",
    "ratios",
    "statistics_on_topic_sets",
]

TASK: Final = 20
"""Maximum number of topic sets in one task; each set has its own random numbers."""
WORK: Final = 2**24
"""Approximate number of differences (pairs x topics) in a task: large enough that computing takes longer than sending the task."""
DRAWN: Final = 256
"""Maximum number of topics of a simulated set that are drawn at once."""
NORMAL_BITS: Final = 20
"""Normal random numbers are rounded to multiples of 2^-20."""
LARGEST_BITS: Final = 3
"""Normal random numbers are assumed to be below 2^3 in absolute value."""
EXACT_BITS: Final = 52
"""Sums of integers are exact in float64 if they are below 2^52."""
FEW_SETS: Final = 200
"""Number of topic sets from which on the half-width of an interval, with 95 % probability, is within a tenth of that from many sets.

The standard error of a standard deviation over s sets is about sd / sqrt(2 s), and 1.96 / sqrt(2 * 200) is 0.098.
"""


class Ends(NamedTuple):
    """Confidence interval and prediction interval of a statistic; their ends are None if the interval is undefined.

    Attributes:
        low: Lower end of the confidence interval for the expected value of the statistic on a topic set.
        high: Upper end of the confidence interval.
        next_low: Lower end of the prediction interval for the value of the statistic on another similar topic set.
        next_high: Upper end of the prediction interval.
    """

    low: float | None
    high: float | None
    next_low: float | None
    next_high: float | None


UNDEFINED: Final = Ends(None, None, None, None)


@dataclass(frozen=True, slots=True)
class TopicSets:
    """Number of topic sets, seed with which the sets are drawn, and confidence level of intervals."""

    resamples: int
    seed: int
    interval: float

    def ends(self, value: float | None, drawn: FloatArray, topics: int, smallest: float = 0.0) -> Ends:
        """Returns the intervals of a statistic from its values on topic sets; undefined values are NaN and are ignored.

        The confidence interval is ``value -+ t sd``, where sd is the standard deviation over the sets, and t is the (1 + interval) / 2
        quantile of Student's distribution with ``topics - 1`` degrees of freedom. The prediction interval uses sqrt(2) sd instead of sd.
        Both intervals are clipped to the range of the statistic, from `smallest` to 1.

        Examples:
            >>> found = TopicSets(3, 0, 0.95).ends(0.7, np.array([0.6, np.nan, 0.7, 0.8]), topics=25)
            >>> [round(end, 4) for end in found]
            [0.4936, 0.9064, 0.4081, 0.9919]
        """
        defined = drawn[~np.isnan(drawn)]
        if value is None or len(defined) < 2 or topics < 2:
            return UNDEFINED
        margin = float(student_margins(sample_deviations(defined[None, :]) * np.sqrt(topics), topics, self.interval)[0])
        further = float(np.sqrt(2.0)) * margin
        return Ends(max(value - margin, smallest), min(value + margin, 1.0), max(value - further, smallest), min(value + further, 1.0))


def of_few_sets(experiment: str, resamples: int) -> tuple[str, ...]:
    """Returns a warning if the intervals of an experiment are computed from few topic sets."""
    text = (
        f"{experiment}: resamples={resamples}: with fewer than {FEW_SETS}, the intervals depend strongly on the seed; write resamples=1000"
    )
    return (text,) if resamples < FEW_SETS else ()


class Outcome(NamedTuple):
    """Result under one condition on one topic set: the mean of each run, and which hypotheses are rejected."""

    means: FloatArray
    rejected: BoolArray


Statistics: TypeAlias = Callable[[Sequence[tuple[Outcome, Outcome]]], Sequence[float | None]]
"""Function that computes statistics which compare two conditions, from all draws; the first condition predicts the second."""


def ratios(draws: Sequence[tuple[Outcome, Outcome]], at_least: float | None = None) -> tuple[float | None, ...]:
    """Returns precision, recall and F1 of the predictor's rejections, which are summed over all draws.

    Rejections with mean differences below `at_least` are ignored.
    """
    counts = [overlap(claimed(predictor.rejected, predictor.means, at_least), truth.rejected) for predictor, truth in draws]
    found = sum(counts, Overlap(0, 0, 0))
    return found.precision, found.recall, found.f1


@dataclass(frozen=True, slots=True, eq=False)
class PairOfMatrices:
    """Scores of R runs on T topics under two conditions.

    Attributes:
        predictor: Scores under the predicting condition, shape (R, T); NaN in the columns of undefined topics.
        truth: Scores under the predicted condition, shape (R, T); NaN in the columns of undefined topics.
        clusters: Cluster of each topic, shape (T,); None if topics are independent.
    """

    predictor: FloatArray
    truth: FloatArray
    clusters: IntArray | None = None

    def topics(self, *, resampled: bool) -> BoolArray:
        """Returns whether each topic can be drawn for a set, shape (T,)."""
        predictor, truth = ~np.isnan(self.predictor[0]), ~np.isnan(self.truth[0])
        known: BoolArray = predictor | truth if resampled else predictor & truth
        return known


@dataclass(frozen=True, slots=True)
class _Key:
    """Topics of a board, as byte strings, so that boards with the same topics are drawn together.

    Attributes:
        topics: Whether each topic is used, shape (T,).
        among: Whether each topic is used in any draw of the same pair of conditions, shape (T,). All draws share their random numbers.
        clusters: Cluster of each topic, shape (T,); empty without clusters.
    """

    topics: bytes
    among: bytes
    clusters: bytes

    @classmethod
    def of(cls, draws: Sequence[PairOfMatrices], *, resampled: bool) -> list[_Key]:
        """Returns the topics of each draw of a pair of conditions. Resampled topics that are undefined in one draw are excluded later."""
        known = [draw.topics(resampled=resampled) for draw in draws]
        among = np.any(known, axis=0)
        clusters = b"" if draws[0].clusters is None else draws[0].clusters.tobytes()
        return [cls((among if resampled else topics).tobytes(), among.tobytes(), clusters) for topics in known]


def statistics_on_topic_sets(
    pairs: Sequence[Sequence[PairOfMatrices]],
    rule: tuple[SignificanceTest, Correction],
    statistics: Statistics,
    sets: TopicSets,
    setting: RunOptions,
) -> list[tuple[FloatArray, int]]:
    """Returns, for each pair of conditions, the statistics on topic sets, shape (sets, statistics), and the size of a set.

    Undefined statistics are NaN. The size of a set is a number of topics, or of clusters if the topics are clustered. If documents are
    drawn several times, all draws of a pair have the same random numbers for each set, so that its topics are the same, and the size is
    that of the draw with the fewest topics.

    A simulated set has n topics, where n is the number of topics with defined scores under both conditions. The 2R scores for a simulated
    topic are drawn from a normal distribution with the means and covariances of the scores over these topics. Simulated topics are all
    different, because repeated topics make p-values smaller.

    If the test uses ranks, signs or clusters, sets are resampled instead of simulated, because simulated scores have no ties, zero
    differences or clusters. Topics (or clusters of topics) are drawn with replacement from those that are defined under at least one of the
    two conditions.

    Formula:
        s = m + D z / sqrt(n - 1)
        where
            s: the 2R scores of a simulated topic
            m: the means of the 2R rows
            D: the scores minus these means, 2R x n
            z: n independent standard normal numbers
            n: the topics that are defined under both conditions; a set has n topics

    Args:
        pairs: Scores under the two conditions of each pair, for each draw of documents.
        rule: Significance test and correction.
        statistics: Function that computes the statistics of a pair; it can be pickled.
        sets: Number of topic sets, and the seed of the random numbers.
        setting: Run options. A task computes at most 20 topic sets, or fewer if each topic set requires much computation.
    """
    resampled = rule[0].counts_ties or rule[0].clusters is not None
    # Score matrices with the same topics and clusters share their topic sets, so that each matrix is resampled (or simulated) only once.
    keys = [_Key.of(draws, resampled=resampled) for draws in pairs]
    keyed = [*zip((key for of_pair in keys for key in of_pair), (draw for draws in pairs for draw in draws), strict=True)]
    matrices: dict[_Key, dict[int, FloatArray]] = {}
    for key, draw in keyed:
        matrices.setdefault(key, {}).update({id(matrix): matrix for matrix in (draw.predictor, draw.truth)})
    order = {of: place for place, of in enumerate((key, matrix) for key, drawn in matrices.items() for matrix in drawn)}
    places = [
        [(order[key, id(draw.predictor)], order[key, id(draw.truth)]) for key, draw in zip(of_pair, draws, strict=True)]
        for of_pair, draws in zip(keys, pairs, strict=True)
    ]
    kind = _Resampled if resampled else _Simulated
    boards = {key: kind.of([*drawn.values()], key) for key, drawn in matrices.items()}
    each = sum(len(draw.predictor) * draw.predictor.size for _, draw in keyed)
    size = max(1, min(TASK, WORK // max(each, 1)))
    tasks = [range(start, min(start + size, sets.resamples)) for start in range(0, sets.resamples, size)]
    parts = list(setting.map("resamples", _OnSets(list(boards.values()), places, rule, statistics, sets), tasks))
    found = np.concatenate(parts)
    return [(found[:, place], min(boards[key].units for key in of_pair)) for place, of_pair in enumerate(keys)]


@dataclass(frozen=True, slots=True, eq=False)
class _Simulated:
    """Scores of R runs on n topics under S conditions, used to simulate topic sets.

    Attributes:
        means: Mean of each row of scores, shape (S, R).
        deviations: Scores minus means, as integer multiples of a unit, shape (SR, n). Sums of products with integers are exact in any
            order.
        bits: The unit of `deviations` is 2^-bits, such as 2^-20 for 20 bits.
        columns: Which of the U topics that any draw uses are the n topics, shape (U,).
    """

    means: FloatArray
    deviations: FloatArray
    bits: int
    columns: BoolArray

    @classmethod
    def of(cls, matrices: Sequence[FloatArray], key: _Key) -> _Simulated:
        """Builds the simulation data from the scores for the topics that have defined scores under every condition."""
        topics, among = (np.frombuffer(of, dtype=np.bool_) for of in (key.topics, key.among))
        scores = np.stack([matrix[:, topics] for matrix in matrices])
        mean = means(scores)
        apart = (scores - mean[..., None]).reshape(mean.size, scores.shape[-1])
        _, exponent = np.frexp(np.abs(apart).max(initial=0.0))
        bits = EXACT_BITS - NORMAL_BITS - LARGEST_BITS - apart.shape[1].bit_length() - int(exponent)
        return cls(mean, np.rint(np.ldexp(apart, bits)), bits, topics[among])

    @property
    def units(self) -> int:
        """Number of topics in a set."""
        topics: int = self.deviations.shape[1]
        return topics

    def drawn(self, random: np.random.Generator) -> list[tuple[FloatArray, None]]:
        """Returns, for each condition, the scores on one simulated topic set, shape (R, n), and None instead of clusters."""
        n = self.units
        sums = np.empty(self.deviations.shape)
        for start in range(0, n, DRAWN):
            normal = np.rint(np.ldexp(random.standard_normal((min(DRAWN, n - start), len(self.columns))), NORMAL_BITS))
            sums[:, start : start + DRAWN] = self.deviations @ normal[:, self.columns].T
        scores = np.ldexp(sums, -self.bits - NORMAL_BITS) / np.sqrt(max(n - 1, 1))
        return [(scores_under, None) for scores_under in self.means[..., None] + scores.reshape(*self.means.shape, n)]


@dataclass(frozen=True, slots=True, eq=False)
class _Resampled:
    """Scores of R runs under S conditions, used to resample topic sets; the n topics are in C clusters.

    Attributes:
        matrices: Scores under each condition, NaN for topics that are undefined, shape (R, n).
        clusters: Cluster of each topic, counted from 0, shape (n,); each independent topic is a cluster of its own.
        units: Number of clusters.
        clustered: Whether topics are clustered.
    """

    matrices: tuple[FloatArray, ...]
    clusters: IntArray
    units: int
    clustered: bool

    @classmethod
    def of(cls, matrices: Sequence[FloatArray], key: _Key) -> _Resampled:
        """Builds the resampling data from the scores and clusters of the topics that have defined scores under at least one condition."""
        known = np.frombuffer(key.topics, dtype=np.bool_)
        named = np.frombuffer(key.clusters, dtype=np.int64)[known] if key.clusters else np.arange(known.sum())
        there, codes = np.unique(named, return_inverse=True)
        return cls(tuple(np.ascontiguousarray(matrix[:, known]) for matrix in matrices), codes, len(there), bool(key.clusters))

    def drawn(self, random: np.random.Generator) -> list[tuple[FloatArray, IntArray | None]]:
        """Returns, for each condition, the scores on one resampled topic set, and the cluster of each topic (None without clusters).

        A cluster that is drawn twice counts as two clusters.
        """
        chosen = random.integers(0, self.units, size=self.units)
        members = [np.flatnonzero(self.clusters == cluster) for cluster in chosen] if self.clustered else chosen[:, None]
        topics = np.concatenate(members)
        clusters = np.repeat(np.arange(self.units), list(map(len, members)))
        boards: list[tuple[FloatArray, IntArray | None]] = []
        for matrix in self.matrices:
            defined = ~np.isnan(matrix[0, topics])
            boards.append((np.ascontiguousarray(matrix[:, topics[defined]]), clusters[defined] if self.clustered else None))
        return boards


@dataclass(frozen=True, slots=True, eq=False)
class _OnSets:
    """Picklable function that computes the statistics on topic sets.

    Attributes:
        boards: Groups of score matrices from which topic sets are drawn.
        places: For each draw of each pair, the indices of its two conditions; all groups' conditions form one list.
        rule: Significance test and correction.
        statistics: Function that computes the statistics of a pair.
        sets: Options of the topic sets; only the seed is used.
    """

    boards: Sequence[_Simulated | _Resampled]
    places: Sequence[Sequence[tuple[int, int]]]
    rule: tuple[SignificanceTest, Correction]
    statistics: Statistics
    sets: TopicSets

    def __call__(self, numbers: range) -> FloatArray:
        """Returns the statistics for each of the numbered topic sets and each pair of conditions, shape (sets, pairs, statistics)."""
        test, correction = self.rule
        found = []
        for number in numbers:
            outcomes = []
            for scores, clusters in (drawn for board in self.boards for drawn in board.drawn(generator(self.sets.seed, number))):
                on_topics = test
                if test.clusters is not None and clusters is not None:
                    on_topics = test.on_clusters({test.clusters: tuple(map(str, clusters.tolist()))})
                outcomes.append(Outcome(means(scores), conclude(scores, on_topics, correction, RunOptions()).rejected))
            found.append([self.statistics([(outcomes[predictor], outcomes[truth]) for predictor, truth in draws]) for draws in self.places])
        return np.array(found, dtype=np.float64)
