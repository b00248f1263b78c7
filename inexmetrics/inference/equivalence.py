"""Two one-sided t tests, which show that two runs are equivalent, or that one is not inferior to the other."""

from __future__ import annotations

import math
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.means import TOLERANCE, check_finite, deviations, differences_in_parts, mean_differences, of_pairs
from inexmetrics.inference.paired_t import PairedT
from inexmetrics.inference.student import student_tail

__all__ = ["OneSided", "one_sided_tests", "topics_without_difference"]

SAME: Final = 5
"""Differences are checked for unseen differences if all but a fifth are equal. If fewer than this number of them differ from the others, the
largest difference is not known, and the range of the scores takes its place."""


class OneSided(NamedTuple):
    """The p-values of both one-sided tests for each pair of runs. D is the mean difference, the first run minus the second.

    Attributes:
        not_below: p-value of the hypothesis D <= -margin; its rejection shows that the first run is non-inferior to the second.
        not_above: p-value of the hypothesis D >= margin; its rejection shows that the second run is non-inferior to the first.
        unseen_below: Probability of so few differences below the median one if D = -margin, shape (2, pairs). The first row is 0 unless
            most differences are equal, the second unless most are within the margin.
        unseen_above: The same above the median one, if D = margin.
    """

    not_below: FloatArray
    not_above: FloatArray
    unseen_below: FloatArray
    unseen_above: FloatArray

    @property
    def non_inferior(self) -> FloatArray:
        """Returns p-values of non-inferiority of the first run: of the t test, for claims, and for claims without doubt; shape (3, pairs)."""
        larger: FloatArray = np.maximum.accumulate(np.vstack([self.not_below, self.unseen_below]))
        return larger

    @property
    def equivalent(self) -> FloatArray:
        """Returns the same p-values of equivalence: the larger of two p-values each, because both hypotheses must be rejected."""
        larger: FloatArray = np.maximum(self.non_inferior, np.maximum.accumulate(np.vstack([self.not_above, self.unseen_above])))
        return larger


def one_sided_tests(
    test: PairedT, scores: FloatArray, first: IntArray, second: IntArray, *, margin: float, setting: RunOptions
) -> OneSided:
    """Returns the p-values of both one-sided t tests against a margin, for pairs of runs given by their row indices.

    The standard errors and the degrees of freedom are those of `test`. If the standard error is 0, the p-value is 0 if the mean difference
    contradicts the null hypothesis, and 1 otherwise. With fewer than two topics, the p-value is 1.

    If at least four fifths of the differences are equal, the standard error does not show how large rare differences are. The probability
    of so few of them is then computed as if all were of the largest size: that of the range of all scores and 0, or, if five or more
    differences are not equal to the others, the largest distance from the most common difference. If at least four fifths are within the
    margin, the probability is also computed with the range: it raises a doubt, and prevents no claim.

    Formula:
        p_not_below = P(T >= (D + m) / se)
        p_not_above = P(T >= (m - D) / se)
        unseen_below = P(B <= L / J) "with" B "binomial with n draws of probability" (v + G / n + m) / J
        where
            v: the median difference (the most common one, if most are equal)
            L: the sum of the distances of smaller differences from v
            G: the sum of the distances of larger differences from v
            J: the largest size of a rare difference
            n: the number of topics or clusters
            T: Student's t with the test's degrees of freedom
            D: the mean difference between the two runs
            m: the margin
            se: the standard error of the mean difference

    Source: Schuirmann (1987).

    Examples:
        >>> from inexmetrics import t
        >>> scores = np.array([[0.4, 0.6, 0.5], [0.1, 0.2, 0.3]])
        >>> found = one_sided_tests(
        ...     t, scores, np.array([0]), np.array([1]), margin=0.5, setting=RunOptions()
        ... )
        >>> found.not_below.round(4).tolist(), found.not_above.round(4).tolist()
        ([0.0026], [0.0371])
    """
    check_finite(scores)
    units = test.units(scores)
    degrees = units.shape[1] - 1
    if degrees < 1:
        none = np.ones((2, len(first)))
        return OneSided(none[0], none[0], none, none)
    errors = test.spreads(units, first, second, deviations(units, first, second, setting)) / math.sqrt(degrees + 1)
    difference = mean_differences(scores, first, second)

    def p_values(room: FloatArray) -> FloatArray:
        found = np.where(room > TOLERANCE, 0.0, 1.0)  # a NaN difference is never within a margin, so its p-value is 1
        some = errors > 0.0
        found[some] = student_tail(degrees, room[some] / errors[some])
        return found

    observed = scores if test.grouping is None else test.grouping.sums(scores) / test.grouping.sizes
    below, above = of_pairs("margins", partial(_unseen, margin, _span(scores)), observed, (first, second), setting, each=(2, 2))
    return OneSided(p_values(difference + margin), p_values(margin - difference), below, above)


def topics_without_difference(scores: FloatArray, margin: float, level: float) -> int | None:
    """Returns how many topics without a difference show equivalence at a level; None if the scores do not show how large differences are.

    Examples:
        >>> topics_without_difference(np.array([[0.0, 1.0, 1.0]]), 0.05, 0.05)
        59
    """
    size = _span(scores)
    return max(2, math.ceil(math.log(level) / math.log1p(-margin / size) - 1e-9)) if size > margin else None


def _span(scores: FloatArray) -> float:
    """Returns the range of all scores and 0, which is the largest difference to be expected."""
    return max(float(scores.max()), 0.0) - min(float(scores.min()), 0.0)


def _unseen(margin: float, span: float, task: tuple[FloatArray, IndexArray, IndexArray]) -> FloatArray:
    """Returns, for each pair, the probabilities of so few differences below and above the median one, shape (2, 2, pairs).

    The first row of each is 0 unless most differences are equal; the second is 0 unless most are within the margin.
    """
    scores, first, second = task
    found, n = np.zeros((2, 2, len(first))), scores.shape[1]
    for some, difference in differences_in_parts(scores, first, second):
        middle = np.median(difference, axis=1)  # is the most common difference if more than half are equal
        apart = difference - middle[:, None]
        apart[np.abs(apart) <= TOLERANCE] = 0.0
        count, far = (np.count_nonzero(each, axis=1) for each in (apart, np.abs(difference) > margin + TOLERANCE))
        smaller, larger = np.maximum(-apart, 0.0).sum(axis=1), np.maximum(apart, 0.0).sum(axis=1)
        largest = np.where(count < SAME, span, np.abs(apart).max(axis=1))
        for row, (outside, size) in enumerate(((count, largest), (far, np.full_like(largest, span)))):
            held = np.flatnonzero(5 * outside <= n)
            for side, (most, below, above) in enumerate(((middle, smaller, larger), (-middle, larger, smaller))):
                needed = most[held] + above[held] / n + margin
                found[side, row, some.start + held] = _chance_of_so_few(below[held], needed, size[held], n)
    return found


def _chance_of_so_few(below: FloatArray, needed: FloatArray, size: FloatArray, n: int) -> FloatArray:
    """Returns the probability of a sum of at most `below` of n differences of 0 or `size`, if their mean is `needed`."""
    from scipy.special import betainc  # takes 0.3 s to import

    with np.errstate(divide="ignore", invalid="ignore"):
        rate, few = np.clip(needed / size, 0.0, 1.0), np.minimum(below / size, n)
        unseen = betainc(n - few, few + 1.0, 1.0 - rate)
    # If all scores are 0, their range is unknown. If few is n, or the rate is 0, the differences contradict nothing.
    chance: FloatArray = np.where((size > 0.0) & (few < n) & (rate > 0.0), unseen, 1.0)
    return chance
