"""Base classes of significance tests and of corrections for many comparisons."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Self, TypedDict, Unpack

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.clusters import Grouping, grouping_of
from inexmetrics.inference.means import student_margins
from inexmetrics.inference.pairs import check_finite, deviations, mean_differences
from inexmetrics.terms.parameter_types import Number
from inexmetrics.terms.term import Term, parameter, terms_within

__all__ = ["LEVEL_ROUNDING", "Correction", "SignificanceTest", "clusters_asked_for"]

LEVEL_ROUNDING: Final = 1 + 1e-12
"""The relative tolerance of a level: adjusted p-values are rounded, and those of resampling often equal a level exactly."""


@dataclass(frozen=True, slots=True, repr=False)
class SignificanceTest(Term, ABC):
    """A paired test over topics of whether one run is better than another."""

    category: ClassVar[str] = "significance test"
    counts_ties: ClassVar[bool] = False
    """Whether ties and zero differences affect the test, as in tests of ranks or signs."""
    symmetric: ClassVar[bool] = False
    """Whether the test compares means and expects the differences of equal runs to be symmetric around 0."""

    @property
    def two_tailed(self) -> bool:
        """Whether the test asks if two runs differ (one hypothesis per pair) instead of which is better."""
        return False

    @property
    def simultaneous(self) -> bool:
        """Whether the test compares all runs of a family at once, so that its p-values are already corrected."""
        return False

    @property
    def clusters(self) -> str | None:
        """The column that names each topic's cluster, if the test uses clusters."""
        return None

    @property
    def grouping(self) -> Grouping | None:
        """The clusters of the tested topics, if the test uses clusters and `on_clusters` has found them."""
        return None

    @property
    def resolution(self) -> float:
        """The value of a p-value of 0 in a correction: the smallest positive p-value that the test can give."""
        return 0.0

    def on_clusters(self, clusters: Mapping[str, tuple[str, ...]]) -> Self:
        """Returns the test on topics of the given clusters, given by columns; the test itself if it does not use clusters."""
        if self.clusters is None:
            return self
        changes: Mapping[str, object] = {"grouping": grouping_of(str(self), self.clusters, clusters)}
        return replace(self, **changes)

    def units(self, scores: FloatArray) -> FloatArray:
        """Returns the scores of the test's independent draws: topics, or sums of clusters."""
        return scores if self.grouping is None else self.grouping.sums(scores)

    def cautions(self, scores: FloatArray) -> tuple[str, ...]:
        """Returns warnings if the test may break its promise on scores like these, runs x topics."""
        return ()

    @abstractmethod
    def p_values(self, scores: FloatArray, better: IntArray, worse: IntArray, setting: RunOptions) -> FloatArray:
        """Returns the p-values of hypotheses "run `better` is better than run `worse`", given by their rows; of a two-tailed test, "they differ".

        Scores are finite, runs x topics. The p-value is 1 if the runs differ on no topic, or there are fewer than 2 topics.
        """

    def intervals(
        self, scores: FloatArray, better: IntArray, worse: IntArray, interval: float, setting: RunOptions
    ) -> tuple[FloatArray, FloatArray]:
        """Returns two-sided confidence intervals of the mean differences, their lower and upper ends; NaN with fewer than 2 topics.

        They are Student's, unless a test has its own: ``mean(D) -+ t_{(1+c)/2, n-1} * sd(D) / sqrt(n)``, with c the confidence `interval`. For topics
        in clusters D are the values of clusters (`Grouping.values`), and n is their number.
        """
        check_finite(scores)
        rows = scores if self.grouping is None else self.grouping.values(scores)
        margin = student_margins(deviations(rows, better, worse, setting), rows.shape[1], interval)
        difference = mean_differences(scores, better, worse)
        return difference - margin, difference + margin

    @abstractmethod
    def statistics(self, scores: FloatArray, better: IntArray, worse: IntArray) -> FloatArray:
        """Returns the test's statistic for each directed hypothesis; NaN where it is undefined."""

    @abstractmethod
    def smallest_p_value(self, units: int) -> float:
        """Returns the smallest possible p-value for this number of topics or clusters; for random resamples, the smallest expected one."""

    def enough(self, units: int, level: float) -> int | None:
        """Returns the number of resamples for which the smallest p-value is at most a level; None if no number is enough."""
        return None


class CorrectionParameters(TypedDict, total=False):
    """The parameter of a correction."""

    alpha: float


@dataclass(frozen=True, slots=True, repr=False)
class Correction(Term, ABC):
    """A rule that decides which of many hypotheses to reject, from all their p-values.

    Args:
        alpha: The level at which errors are controlled, above 0 and below 1.
    """

    category: ClassVar[str] = "correction"
    familywise: ClassVar[bool] = False
    """Whether alpha bounds the probability of any wrong rejection."""
    alpha: float = parameter(0.05, Number(above=0.0, below=1.0))

    def __call__(self, **changes: Unpack[CorrectionParameters]) -> Self:
        return self._changed(changes)

    @abstractmethod
    def adjusted(self, p_values: FloatArray) -> FloatArray:
        """Returns the adjusted p-values of one family of hypotheses: the smallest alpha at which each would be rejected, at most 1."""

    def rejects(self, adjusted: FloatArray) -> BoolArray:
        """Returns which hypotheses are rejected, from their adjusted p-values: those of at most alpha."""
        return adjusted <= self.alpha * LEVEL_ROUNDING

    def rejected(self, p_values: FloatArray) -> BoolArray:
        """Returns which hypotheses are rejected, from all p-values of one family."""
        return self.rejects(self.adjusted(p_values))

    @abstractmethod
    def first_step(self, hypotheses: int) -> float:
        """Returns the level at which the smallest p-value of a family of this size is rejected on its own."""


def clusters_asked_for(*experiments: Term | None) -> tuple[str, ...]:
    """Returns the columns of clusters that experiments and their tests use: the attribute `clusters` of each."""
    columns = [getattr(term, "clusters", None) for term in terms_within(*experiments)]
    return tuple(dict.fromkeys(column for column in columns if column is not None))
