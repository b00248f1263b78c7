"""Base classes of significance tests and of corrections for multiple comparisons; clusters of topics, such as the tasks of one family."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Self, TypedDict, Unpack

import numpy as np

from inexmetrics.common import errors, messages
from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.means import check_finite, deviations, mean_differences, means, student_margins
from inexmetrics.terms import Number, Term, parameter, terms_within

__all__ = ["LEVEL_ROUNDING", "Correction", "Grouping", "SignificanceTest", "clusters_asked_for", "generator", "grouping_of"]


UNEVEN: Final = 0.04
"""Value of `Grouping.unevenness` above which a test that treats clusters alike gives a warning.

In simulations with 2 to 60 clusters, t rejected at a level of .05 for equally good runs on at most 9 % of the leaderboards below this value,
on 8 to 15 % from .07 to .1, and on 20 to 80 % above .2. The rate hardly depends on how much of the variance is between clusters.
"""


@dataclass(frozen=True, slots=True)
class Grouping:
    """Clusters of topics.

    Attributes:
        codes: Cluster of each topic, counted from 0.
    """

    codes: tuple[int, ...]

    @property
    def sizes(self) -> IntArray:
        """Number of topics in each cluster."""
        return np.bincount(np.array(self.codes, dtype=np.int64))

    @property
    def unevenness(self) -> float:
        """Sum of the squared differences between each cluster's share of the topics and an equal share; 0 if all sizes are equal.

        Examples:
            >>> Grouping((0, 0, 0, 1)).unevenness
            0.125
        """
        sizes = self.sizes
        return float(np.square(sizes / max(len(self.codes), 1) - 1 / max(len(sizes), 1)).sum())

    def sums(self, scores: FloatArray) -> FloatArray:
        """Returns, for each run, the sums of its scores over the topics of each cluster, added in topic order, shape (runs, clusters)."""
        sums = np.zeros((len(scores), len(self.sizes)))
        for topic, cluster in enumerate(self.codes):
            sums[:, cluster] += scores[:, topic]
        return sums

    def values(self, scores: FloatArray) -> FloatArray:
        """Returns one value per run and cluster, shape (runs, clusters); the t test of these values is the t test on clusters.

        The mean of the values of a run is the mean score of the run over topics. If the standard error of the difference between two runs
        is computed from these values, it equals the clustered standard error of the mean difference over topics, for clusters of any size.
        If all clusters have the same size, each value is the mean score of the run over the topics of the cluster.

        Formula:
            value_c = mean(X) + (S_c - m_c mean(X)) C / n
            where
                X: the run's scores by topic
                S_c: the sum of X in cluster c
                m_c: the number of topics in cluster c
                C: the number of clusters
                n: the number of topics

        Examples:
            >>> Grouping((0, 0, 1)).values(np.array([[0.5, 0.0, 0.1]])).round(4).tolist()
            [[0.2667, 0.1333]]
        """
        sums, sizes, topics = self.sums(scores), self.sizes, len(self.codes)
        mean = means(scores)[:, None]
        values: FloatArray = mean + (sums - sizes * mean) * (len(sizes) / max(topics, 1))
        return values


def grouping_of(test: str, column: str, clusters: Mapping[str, tuple[str, ...]]) -> Grouping:
    """Returns the clusters of topics that a column contains; `test` is the name of the test in error messages.

    Raises:
        CollectionError: The scores do not have a column with this name.
    """
    if column not in clusters:
        there = messages.enumerate_names(list(clusters)) or "none"
        hint = messages.did_you_mean(column, clusters)
        text = f"{test}: expected a column named {column} next to the scores, with the cluster of each topic, found {there}"
        raise errors.CollectionError(messages.with_hint(text, hint))
    _, codes = np.unique(np.array(clusters[column], dtype=np.str_), return_inverse=True)
    return Grouping(tuple(codes.tolist()))


LEVEL_ROUNDING: Final = 1 + 1e-12
"""Factor by which alpha is multiplied in comparisons, so that an adjusted p-value that exceeds alpha only by a rounding error is
significant."""


class SignificanceTest(Term, ABC):
    """Paired significance test: tests whether one run is better than another run, given their scores for the same topics.

    Examples:
        >>> from inexmetrics import SignificanceTest, parse
        >>> parse("bootstrap(b=2000)", SignificanceTest)
        bootstrap(b=2000)
    """

    __slots__ = ()

    category: ClassVar[str] = "significance test"
    counts_ties: ClassVar[bool] = False
    """Whether ties and zero differences affect the test, as they do in rank tests and sign tests."""
    not_means: ClassVar[str] = ""
    """What the test compares instead of means; empty for a test of means."""
    changes_signs: ClassVar[bool] = False
    """Whether the test changes the signs of differences at random, and therefore assumes that differences are symmetric."""

    @property
    def two_tailed(self) -> bool:
        """Whether each hypothesis is two-sided (two runs differ) instead of directional (a given run is better)."""
        return False

    @property
    def simultaneous(self) -> bool:
        """Whether the test compares all runs of a family at once, so that its p-values are already corrected."""
        return False

    @property
    def clusters(self) -> str | None:
        """Name of the column with the cluster of each topic; None if the test treats topics as independent."""
        return None

    @property
    def grouping(self) -> Grouping | None:
        """Clusters of the tested topics, set by `on_clusters`; None if the test does not use clusters."""
        return None

    @property
    def resolution(self) -> float:
        """Value that a correction uses instead of a p-value of 0: the smallest positive p-value that the test can compute."""
        return 0.0

    def on_clusters(self, clusters: Mapping[str, tuple[str, ...]]) -> Self:
        """Returns the test with the cluster of each topic, from the test's column of clusters; a test without clusters is unchanged."""
        if self.clusters is None:
            return self
        changes: Mapping[str, object] = {"grouping": grouping_of(str(self), self.clusters, clusters)}
        return replace(self, **changes)

    def units(self, scores: FloatArray) -> FloatArray:
        """Returns the scores of the independent units of the test: scores for topics, or sums over the topics of each cluster."""
        return scores if self.grouping is None else self.grouping.sums(scores)

    def bounds_means(self, topics: int) -> bool:
        """Returns whether a finding may say how many differences of means on this number of topics are true.

        It is false if the hypotheses are not about means, and if the test rejects too often with few topics or with the sizes of the clusters.
        """
        return self.changes_signs or not self._uneven

    def cautions(self, scores: FloatArray, better: IntArray, worse: IntArray, p_values: FloatArray) -> tuple[str, ...]:
        """Returns warnings if the p-values, before correction, may be unreliable for these scores, shape (runs, topics).

        The default is a warning if clusters have very different sizes: their sums then have very different variances, so that the clustered
        standard error is too small. Changing the signs of whole clusters is valid for any sizes.
        """
        if self.grouping is None or not self._uneven:
            return ()
        sizes = self.grouping.sizes
        found = f"{self}: the {len(sizes)} clusters have very different sizes ({sizes.min()} to {sizes.max()} topics)"
        if self.changes_signs:
            return (f"{found}; this does not affect p-values, but intervals are too narrow, and p_differs is too small",)
        rejects = "the test, also that of a margin, rejects too often, and its intervals are too narrow"
        return (f"{found}; {rejects}; write {self._of_signs} without margin, whose p-values hold",)

    def few_units(self, scores: FloatArray, enough: int, correction: str = "", at: str = "") -> tuple[str, ...]:
        """Returns a warning if there are fewer topics or clusters than the test needs.

        Args:
            scores: Scores, shape (runs, topics).
            enough: The number of topics or clusters that the test needs.
            correction: A text that stands after the recommended test.
            at: The level at which the test needs them, in words; empty for usual levels.
        """
        count, noun, advised = self.units(scores).shape[1], "topic", "t"
        if self.clusters is not None:
            noun, advised = "cluster", self._of_signs if self._uneven else f"t(clusters={messages.canonical(self.clusters)})"
        if not 2 <= count < enough:
            return ()
        there = f"{self}: found {messages.plural(count, noun)}; {at}with fewer than {enough} {noun}s the test rejects too often"
        return (f"{there}; write {advised}{correction}",)

    @property
    def _uneven(self) -> bool:
        """Whether the test uses clusters of very different sizes."""
        return self.grouping is not None and self.grouping.unevenness > UNEVEN

    @property
    def _of_signs(self) -> str:
        """The test that recommendations name for clusters of very different sizes."""
        return f"randomisation({'' if self.two_tailed else 'tails=1, '}clusters={messages.canonical(self.clusters)})"

    @abstractmethod
    def p_values(self, scores: FloatArray, better: IntArray, worse: IntArray, setting: RunOptions) -> FloatArray:
        """Returns the p-value for each pair of runs, given by their row indices.

        The hypothesis is that run `better` is better than run `worse`; in a two-tailed test, that the two runs differ. Scores are finite,
        with shape (runs, topics). The p-value is 1 if the runs have equal scores on all topics, or if there are fewer than 2 topics.
        """

    def intervals(
        self,
        scores: FloatArray,
        better: IntArray,
        worse: IntArray,
        interval: float,
        setting: RunOptions,
        *,
        deviation: FloatArray | None = None,
    ) -> tuple[FloatArray, FloatArray]:
        """Returns the lower and upper ends of two-sided confidence intervals for the mean differences; NaN with fewer than 2 topics.

        The default is Student's interval ``mean(D) -+ t_{(1+c)/2, n-1} * sd(D) / sqrt(n)``, where c is the confidence level `interval`. If
        topics are clustered, D contains one value per cluster (`Grouping.values`), and n is the number of clusters. `deviation` is the
        standard deviation of each pair's differences over topics, if it is known; it never changes the intervals.
        """
        check_finite(scores)
        rows = scores if self.grouping is None else self.grouping.values(scores)
        if deviation is None or self.grouping is not None:
            deviation = deviations(rows, better, worse, setting)
        margin = student_margins(self.spreads(rows, better, worse, deviation), rows.shape[1], interval)
        difference = mean_differences(scores, better, worse)
        return difference - margin, difference + margin

    def spreads(self, units: FloatArray, first: IntArray, second: IntArray, deviation: FloatArray) -> FloatArray:
        """Returns the spread of each pair's differences over units, from which Student's intervals are computed.

        The default is the standard deviation of the differences over units, `deviation`.
        """
        del units, first, second
        return deviation

    @abstractmethod
    def statistics(self, scores: FloatArray, better: IntArray, worse: IntArray) -> FloatArray:
        """Returns the test statistic for each directed hypothesis; NaN if the statistic is undefined."""

    @abstractmethod
    def smallest_p_value(self, units: int) -> float:
        """Returns the smallest possible p-value for `units` topics or clusters; for random resamples, the smallest expected p-value."""

    def enough(self, units: int, level: float) -> int | None:
        """Returns the smallest number of resamples with which a p-value can be at most `level`; None if no number suffices."""
        return None


class CorrectionParameters(TypedDict, total=False):
    """Keyword argument of a correction."""

    alpha: float


@dataclass(frozen=True, slots=True, repr=False)
class Correction(Term, ABC):
    """Correction for multiple comparisons: determines which hypotheses of a family are rejected, given their p-values.

    Args:
        alpha: Level at which errors are controlled; greater than 0 and less than 1.

    Examples:
        Holm multiplies the smallest of two p-values by 2 and the other by 1:

        >>> import numpy as np
        >>> from inexmetrics import Holm
        >>> Holm.adjusted(np.array([0.01, 0.04])).tolist(), Holm.rejected(np.array([0.01, 0.06])).tolist()
        ([0.02, 0.04], [True, False])
    """

    category: ClassVar[str] = "correction"
    familywise: ClassVar[bool] = False
    """Whether alpha bounds the probability of at least one wrong rejection."""
    alpha: float = parameter(0.05, Number(above=0.0, below=1.0))

    def __call__(self, **changes: Unpack[CorrectionParameters]) -> Self:
        return self._changed(changes)

    @abstractmethod
    def adjusted(self, p_values: FloatArray) -> FloatArray:
        """Returns the adjusted p-values of one family: the smallest alpha at which each hypothesis would be rejected, at most 1."""

    def rejects(self, adjusted: FloatArray) -> BoolArray:
        """Returns which hypotheses are rejected: those whose adjusted p-value is at most alpha."""
        return adjusted <= self.alpha * LEVEL_ROUNDING

    def rejected(self, p_values: FloatArray) -> BoolArray:
        """Returns which hypotheses of one family are rejected, given all p-values of the family."""
        return self.rejects(self.adjusted(p_values))

    @abstractmethod
    def first_step(self, hypotheses: int) -> float:
        """Returns the largest p-value at which one hypothesis is rejected if the p-values of all others of its family are 1."""


def generator(seed: int, number: int) -> np.random.Generator:
    """Returns the random number generator of one part of a computation, such as a topic set, given the number of the part.

    Each part has its own random numbers. Results therefore do not depend on the order of the parts or on the executor.
    """
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(number,))))


def clusters_asked_for(*experiments: Term | None) -> tuple[str, ...]:
    """Returns the names of the cluster columns in the attributes `clusters` of experiments and of their tests."""
    columns = [getattr(term, "clusters", None) for term in terms_within(*experiments)]
    return tuple(dict.fromkeys(column for column in columns if column is not None))
