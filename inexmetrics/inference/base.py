"""What a significance test and a correction for many comparisons are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Self

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.clusters import Grouping, grouping_of
from inexmetrics.inference.means import student_margins
from inexmetrics.inference.pairs import check_finite, deviations, mean_differences
from inexmetrics.terms.parameter_types import Number
from inexmetrics.terms.term import Term, parameter, terms_within

__all__ = ["LEVEL_ROUNDING", "Correction", "SignificanceTest", "clusters_asked_for"]

LEVEL_ROUNDING: Final = 1 + 1e-12
"""Adjusted p-values are rounded, and those of resampling often meet a level exactly: within a relative 1e-12 they are on it."""


@dataclass(frozen=True, slots=True, repr=False)
class SignificanceTest(Term, ABC):
    """A paired test of whether one run is better than another, over topics."""

    category: ClassVar[str] = "significance test"
    counts_ties: ClassVar[bool] = False
    """Whether equal and zero differences take part in the test, as in one of ranks or signs."""

    @property
    def two_tailed(self) -> bool:
        """Whether the test asks if two runs differ, which is one hypothesis a pair, and not if one is better than the other."""
        return False

    @property
    def simultaneous(self) -> bool:
        """Whether the test compares all runs of a family at once, so that its p-values are corrected already."""
        return False

    @property
    def clusters(self) -> str | None:
        """The column that names each topic's cluster, if the test asks for clusters."""
        return None

    @property
    def grouping(self) -> Grouping | None:
        """The clusters of the topics that are tested, if the test asks for clusters and `on_clusters` has found them."""
        return None

    @property
    def resolution(self) -> float:
        """What a p-value of 0 counts as in a correction: the smallest p-value above 0 that the test could show."""
        return 0.0

    def on_clusters(self, clusters: Mapping[str, tuple[str, ...]]) -> Self:
        """Return the test on topics of these clusters, given by columns; the test itself if it does not ask for clusters."""
        if self.clusters is None:
            return self
        changes: Mapping[str, object] = {"grouping": grouping_of(str(self), self.clusters, clusters)}
        return replace(self, **changes)

    def units(self, scores: FloatArray) -> FloatArray:
        """Return the scores of what the test takes as independent draws: topics, or the sums of clusters."""
        return scores if self.grouping is None else self.grouping.sums(scores)

    def cautions(self, scores: FloatArray) -> tuple[str, ...]:
        """Return warnings where the test promises more than it keeps on scores like these, runs x topics."""
        return ()

    @abstractmethod
    def p_values(self, scores: FloatArray, better: IntArray, worse: IntArray, setting: RunOptions) -> FloatArray:
        """The p-values of hypotheses "run `better` is better than run `worse`", given by their rows; of a two-tailed test, "they differ".

        Scores are finite, runs x topics. It is 1 where the runs do not differ on any topic, or there are fewer than 2 topics.
        """

    def intervals(
        self, scores: FloatArray, better: IntArray, worse: IntArray, interval: float, setting: RunOptions
    ) -> tuple[FloatArray, FloatArray]:
        """Two-sided confidence intervals of the mean differences, their lower and upper ends; NaN with fewer than 2 topics.

        Student's, unless a test has its own: ``mean(D) -+ t_{(1+c)/2, n-1} * sd(D) / sqrt(n)``, with c the confidence `interval`. For topics
        in clusters D are the values of clusters (`Grouping.values`), and n is their number.
        """
        check_finite(scores)
        rows = scores if self.grouping is None else self.grouping.values(scores)
        margin = student_margins(deviations(rows, better, worse, setting), rows.shape[1], interval)
        difference = mean_differences(scores, better, worse)
        return difference - margin, difference + margin

    @abstractmethod
    def statistics(self, scores: FloatArray, better: IntArray, worse: IntArray) -> FloatArray:
        """The test's statistic for each directed hypothesis; NaN where it is undefined."""

    @abstractmethod
    def smallest_p_value(self, units: int) -> float:
        """Return the smallest p-value that the test can give over so many topics or clusters; of random numbers, the smallest to be expected."""

    def enough(self, units: int, level: float) -> int | None:
        """Return how many samples would make the smallest p-value at most a level; None where no number would."""
        return None


@dataclass(frozen=True, slots=True, repr=False)
class Correction(Term, ABC):
    """A rule that says which of many hypotheses to reject, from all their p-values.

    Args:
        alpha: The level at which errors are controlled, above 0 and below 1.
    """

    category: ClassVar[str] = "correction"
    familywise: ClassVar[bool] = False
    """Whether rejections bound the chance of any wrong one by alpha."""
    alpha: float = parameter(0.05, Number(above=0.0, below=1.0))

    @abstractmethod
    def adjusted(self, p_values: FloatArray) -> FloatArray:
        """Adjusted p-values of one family of hypotheses: the smallest alpha at which each would be rejected, at most 1."""

    def rejects(self, adjusted: FloatArray) -> BoolArray:
        """Which hypotheses are rejected, by their adjusted p-values: those of at most alpha."""
        return adjusted <= self.alpha * LEVEL_ROUNDING

    def rejected(self, p_values: FloatArray) -> BoolArray:
        """Which hypotheses are rejected, of all p-values of one family."""
        return self.rejects(self.adjusted(p_values))

    @abstractmethod
    def first_step(self, hypotheses: int) -> float:
        """The level that the smallest of so many p-values must not exceed to be rejected on its own."""


def clusters_asked_for(*experiments: Term | None) -> tuple[str, ...]:
    """Return the columns of clusters that the tests in experiments ask for: the parameter `clusters` of each."""
    tests = [term for term in terms_within(*experiments) if isinstance(term, SignificanceTest)]
    return tuple(dict.fromkeys(test.clusters for test in tests if test.clusters is not None))
