"""Two one-sided t tests, which show that two runs are equivalent, or that one is not inferior to the other."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.means import TOLERANCE, check_finite, deviations, mean_differences
from inexmetrics.inference.paired_t import PairedT
from inexmetrics.inference.student import student_tail

__all__ = ["OneSided", "one_sided_tests"]


class OneSided(NamedTuple):
    """The p-values of both one-sided tests for each pair of runs. D is the mean difference, the first run minus the second.

    Attributes:
        not_below: p-value of the hypothesis D <= -margin; its rejection shows that the first run is non-inferior to the second.
        not_above: p-value of the hypothesis D >= margin; its rejection shows that the second run is non-inferior to the first.
    """

    not_below: FloatArray
    not_above: FloatArray

    @property
    def p_values(self) -> FloatArray:
        """Returns the p-value of equivalence for each pair: the larger of the two p-values, because both hypotheses must be rejected."""
        larger: FloatArray = np.maximum(self.not_below, self.not_above)
        return larger


def one_sided_tests(
    test: PairedT, scores: FloatArray, first: IntArray, second: IntArray, *, margin: float, setting: RunOptions
) -> OneSided:
    """Returns the p-values of both one-sided t tests against a margin, for pairs of runs given by their row indices.

    The standard errors and the degrees of freedom are those of `test`. If the standard error is 0, the p-value is 0 if the mean difference
    contradicts the null hypothesis, and 1 otherwise. With fewer than two topics, the p-value is 1.

    Formula:
        p_not_below = P(T >= (D + m) / se)
        p_not_above = P(T >= (m - D) / se)
        where
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
        return OneSided(np.ones(len(first)), np.ones(len(first)))
    errors = test.spreads(units, first, second, deviations(units, first, second, setting)) / math.sqrt(degrees + 1)
    difference = mean_differences(scores, first, second)

    def p_values(room: FloatArray) -> FloatArray:
        found = np.where(room > TOLERANCE, 0.0, 1.0)  # a NaN difference is never within a margin, so its p-value is 1
        some = errors > 0.0
        found[some] = student_tail(degrees, room[some] / errors[some])
        return found

    return OneSided(p_values(difference + margin), p_values(margin - difference))
