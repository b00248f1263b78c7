"""Conclusions: which runs are significantly better than which other runs, and the agreement between two sets of conclusions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.means import TOLERANCE, directed_pairs, observed_pairs

__all__ = [
    "Conclusions",
    "Overlap",
    "Pairs",
    "above_zero",
    "claimed",
    "conclude",
    "corrected",
    "hypotheses",
    "hypotheses_of",
    "overlap",
    "unconfirmed",
    "verdicts",
]

Pairs: TypeAlias = Literal["directed", "observed"]
"""The hypotheses of a one-tailed test for each pair of runs: both directions, or only the direction of the higher mean."""


@dataclass(frozen=True, slots=True, eq=False)
class Conclusions:
    """Test results for all pairs of runs; entry ``[i, j]`` belongs to the hypothesis *run i is better than run j*, and is NaN if untested.

    Attributes:
        hypotheses: Number of hypotheses that were tested and corrected together.
        p_values: p-values before correction, shape (runs, runs).
        adjusted: p-values after correction, shape (runs, runs).
        rejected: Whether the null hypothesis was rejected, so that run i is significantly better than run j, shape (runs, runs).
    """

    hypotheses: int
    p_values: FloatArray
    adjusted: FloatArray
    rejected: BoolArray


def hypotheses(scores: FloatArray, test: SignificanceTest, pairs: Pairs = "directed") -> tuple[IntArray, IntArray]:
    """Returns the hypotheses for all pairs of runs in lexicographic order, as the row indices of the better and the worse run of each.

    A one-tailed test has two hypotheses for each pair or, with pairs="observed", only the hypothesis that the run with the higher mean is
    better. A two-tailed test has one hypothesis for each pair: that the runs differ. For this hypothesis, the run with the higher mean is
    returned as the better run.

    Examples:
        >>> from inexmetrics.inference.paired_t import t
        >>> scores = np.array([[0.1, 0.2], [0.4, 0.3]])
        >>> [indices.tolist() for indices in hypotheses(scores, t(tails=1))]
        [[0, 1], [1, 0]]
        >>> [indices.tolist() for indices in hypotheses(scores, t)]
        [[1], [0]]
    """
    return observed_pairs(scores) if test.two_tailed or pairs == "observed" else directed_pairs(len(scores))


def hypotheses_of(pairs: int, test: SignificanceTest) -> int:
    """Returns the number of hypotheses that are tested for `pairs` pairs of runs; a one-tailed test has two hypotheses for each pair.

    Examples:
        >>> from inexmetrics.inference.paired_t import t
        >>> hypotheses_of(3, t(tails=1)), hypotheses_of(3, t)
        (6, 3)
    """
    return pairs if test.two_tailed else 2 * pairs


def conclude(
    scores: FloatArray, test: SignificanceTest, correction: Correction, setting: RunOptions, pairs: Pairs = "directed"
) -> Conclusions:
    """Tests all pairs of runs, in lexicographic order, and corrects the p-values of all tested hypotheses together.

    ``pairs="directed"`` tests both directions of every pair, which gives R(R-1) hypotheses. ``"observed"`` tests only the direction of the
    higher mean, which gives half as many hypotheses; if the means of two runs are equal, the hypothesis is that the run with the lower
    index is better. A two-tailed test has R(R-1)/2 hypotheses, regardless of `pairs`.

    Source: Ogilvie & Lalmas (2006), sections 3.3 and 3.4.

    Examples:
        >>> from inexmetrics.inference.paired_t import t
        >>> from inexmetrics.inference.corrections import BY
        >>> scores = np.array([[0.4, 0.6, 0.5, 0.7], [0.1, 0.2, 0.3, 0.4], [0.2, 0.2, 0.2, 0.5]])
        >>> conclude(scores, t, BY, RunOptions()).rejected.tolist()
        [[False, True, True], [False, False, False], [False, False, False]]
    """
    runs = len(scores)
    better, worse = hypotheses(scores, test, pairs)
    tested = test.p_values(scores, better, worse, setting)
    p_values, adjusted = np.full((2, runs, runs), np.nan)
    p_values[better, worse] = tested
    adjusted[better, worse] = corrected(tested, test, correction)
    return Conclusions(len(better), p_values, adjusted, correction.rejects(adjusted))


def corrected(p_values: FloatArray, test: SignificanceTest, correction: Correction) -> FloatArray:
    """Returns the adjusted p-values of one family of hypotheses; a p-value of 0 is treated as the smallest positive p-value of the test.

    Examples:
        >>> from inexmetrics.inference.bootstrap import bootstrap
        >>> from inexmetrics.inference.corrections import Bonferroni
        >>> corrected(np.array([0.0, 0.5]), bootstrap(b=100), Bonferroni).tolist()
        [0.02, 1.0]
    """
    return correction.adjusted(above_zero(p_values, test))


def above_zero(p_values: FloatArray, test: SignificanceTest) -> FloatArray:
    """Returns the p-values; a p-value of 0 is replaced by the smallest positive p-value of the test, which is 0 for a test without one."""
    return np.where(p_values == 0.0, test.resolution, p_values)


@dataclass(frozen=True, slots=True)
class Overlap:
    """Agreement between two sets of directed rejections.

    Attributes:
        n_predictor: Number of rejections of the predictor.
        n_truth: Number of rejections of the truth.
        n_both: Number of rejections of both.
        n_opposite: Number of rejections of the predictor for which the truth rejects the opposite hypothesis.
        n_overstated: Number of rejections of the predictor alone that the truth's scores speak against (see `unconfirmed`); None if this is
            unknown, because the differences under the two conditions cannot be compared.
        n_same_direction: Number of open rejections (see `n_open`) for which the better run also has the higher mean under the truth.
    """

    n_predictor: int
    n_truth: int
    n_both: int
    n_opposite: int = 0
    n_overstated: int | None = 0
    n_same_direction: int = 0

    @property
    def n_open(self) -> int:
        """Number of rejections of the predictor that the truth neither confirms nor is known to speak against."""
        return self.n_predictor - self.n_both - self.n_opposite - (self.n_overstated or 0)

    @property
    def precision(self) -> float | None:
        """Share of the predictor's rejections that the truth also has; None if only the truth has rejections."""
        return self._ratio(self.n_both, self.n_predictor)

    @property
    def precision_high(self) -> float | None:
        """Share of the predictor's rejections that the truth confirms or leaves open.

        The value is None if only the truth has rejections, or if `n_overstated` is None.
        """
        return None if self.n_overstated is None else self._ratio(self.n_both + self.n_open, self.n_predictor)

    @property
    def recall(self) -> float | None:
        """Share of the truth's rejections that the predictor also has; None if only the predictor has rejections."""
        return self._ratio(self.n_both, self.n_truth)

    @property
    def f1(self) -> float:
        """F1 = 2PR / (P + R) of precision P and recall R: 1 if both sets are empty, 0 if only one is empty or they share no rejection."""
        if self.n_predictor == self.n_truth == 0:
            return 1.0
        # The result equals 2PR / (P + R) with P = both/predictor and R = both/truth, but P and R are not rounded.
        return 2 * self.n_both / (self.n_predictor + self.n_truth)

    def __add__(self, other: Overlap) -> Overlap:
        """Adds the counts of two agreements, such as the agreements on two sets of topics."""
        return Overlap(
            self.n_predictor + other.n_predictor,
            self.n_truth + other.n_truth,
            self.n_both + other.n_both,
            self.n_opposite + other.n_opposite,
            None if self.n_overstated is None or other.n_overstated is None else self.n_overstated + other.n_overstated,
            self.n_same_direction + other.n_same_direction,
        )

    def _ratio(self, part: int, size: int) -> float | None:
        if self.n_predictor == self.n_truth == 0:
            return 1.0
        return part / size if size else None


def claimed(rejected: BoolArray, means: FloatArray, at_least: float | None) -> BoolArray:
    """Returns the rejections for those pairs of runs whose means differ by at least `at_least`; all rejections if `at_least` is None.

    A mean difference that is smaller than `at_least` by at most 1e-12 is treated as equal to `at_least`.

    Examples:
        >>> rejected = np.array([[False, True, True], [False, False, True], [False, False, False]])
        >>> claimed(rejected, np.array([0.5, 0.25, 0.0]), 0.3).tolist()
        [[False, False, True], [False, False, False], [False, False, False]]
    """
    if at_least is None:
        return rejected
    return rejected & (np.abs(means[:, None] - means) >= at_least - TOLERANCE)


def overlap(predictor: BoolArray, truth: BoolArray) -> Overlap:
    """Compares the directed rejections (`Conclusions.rejected`) of the predictor with those of the truth; both are about the same runs.

    Source: Ogilvie & Lalmas (2006), section 3.4.

    Examples:
        >>> found = overlap(
        ...     np.array([[False, True], [True, False]]), np.array([[False, True], [False, False]])
        ... )
        >>> found.precision, found.recall, round(found.f1, 4)
        (0.5, 1.0, 0.6667)
    """
    return Overlap(int(np.count_nonzero(predictor)), int(np.count_nonzero(truth)), int(np.count_nonzero(predictor & truth)))


def unconfirmed(claims: BoolArray, truth: BoolArray, means_of_truth: FloatArray, overstated: BoolArray | None = None) -> Overlap:
    """Compares the predictor's rejections with those of the truth, and divides the rejections that the truth does not confirm.

    A rejection that the truth does not confirm is *opposite* if the truth rejects the opposite hypothesis. Otherwise, the rejection is
    *overstated* if the truth's scores speak against the claimed difference, and *open* if they do not. If the differences cannot be
    compared, the number of overstated rejections is unknown, unless none are left.

    Args:
        claims: Directed rejections of the predictor, shape (R, R).
        truth: Directed rejections of the truth, shape (R, R).
        means_of_truth: Means of the runs under the truth, shape (R,); NaN without topics.
        overstated: Whether the predictor's difference between each two runs is significantly higher than the truth's, shape (R, R); None if
            the two differences cannot be compared.

    Examples:
        >>> claims = np.array([[False, True, True], [False, False, True], [False, False, False]])
        >>> truth = np.array([[False, True, False], [False, False, False], [False, True, False]])
        >>> found = unconfirmed(claims, truth, np.array([0.4, 0.2, 0.3]))
        >>> found.n_both, found.n_opposite, found.n_overstated, found.n_open, found.n_same_direction
        (1, 1, None, 1, 1)
    """
    opposite = claims & truth.T
    left = claims & ~truth & ~opposite
    against = np.zeros_like(left) if overstated is None else left & overstated
    same = means_of_truth[:, None] - means_of_truth > TOLERANCE
    unknown = overstated is None and bool(left.any())
    return replace(
        overlap(claims, truth),
        n_opposite=int(np.count_nonzero(opposite)),
        n_overstated=None if unknown else int(np.count_nonzero(against)),
        n_same_direction=int(np.count_nonzero(left & ~against & same)),
    )


def verdicts(predictor: BoolArray, truth: BoolArray) -> NDArray[np.str_]:
    """Compares two sets of directed rejections and returns one verdict for each pair of runs, in the order of `numpy.triu_indices`.

    The verdict is ``both`` if predictor and truth reject the hypothesis in the same direction, ``opposite`` if they reject it in opposite
    directions, ``predictor`` if only the predictor rejects the hypothesis, ``truth`` if only the truth does, and ``neither`` if neither
    does.

    Examples:
        >>> predictor = np.array([[False, True], [False, False]])
        >>> verdicts(predictor, predictor.T).tolist()
        ['opposite']
    """
    pairs = np.triu_indices(len(predictor), 1)
    shared, predicted, true = ((found | found.T)[pairs] for found in (predictor & truth, predictor, truth))
    return np.select([shared, predicted & true, predicted, true], ["both", "opposite", "predictor", "truth"], "neither")
