"""Random-effects meta-analysis of mean differences on several datasets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from inexmetrics.common.arrays import FloatArray
from inexmetrics.inference.means import TOLERANCE, column_sums
from inexmetrics.inference.student import student_quantile, student_tail

__all__ = ["RandomEffects", "random_effects"]

SMALLEST: Final = TOLERANCE**2
"""Minimum variance; it replaces smaller variances, so that the formulas yield their limits for variances that tend to 0."""


@dataclass(frozen=True, slots=True, eq=False)
class RandomEffects:
    """Combined results of several datasets for each of P pairs of runs.

    Attributes:
        datasets: Number of datasets, J.
        difference: Mean difference over all datasets, shape (P,).
        variance: Variance of the mean difference, shape (P,).
        tau2: Variance of the true differences between datasets, shape (P,).
        i2: Share of the variance between datasets that sampling error does not explain, shape (P,).
    """

    datasets: int
    difference: FloatArray
    variance: FloatArray
    tau2: FloatArray
    i2: FloatArray

    def margins(self, interval: float) -> FloatArray:
        """Returns the half-widths of the confidence intervals for the differences."""
        return student_quantile(self.datasets - 1, (1 + interval) / 2) * np.sqrt(self.variance)

    def prediction_margins(self, interval: float) -> FloatArray:
        """Returns the half-widths of the prediction intervals for the difference on one more dataset; NaN with fewer than 3 datasets."""
        if self.datasets < 3:
            return np.full(self.difference.shape, np.nan)
        return student_quantile(self.datasets - 2, (1 + interval) / 2) * np.sqrt(self.tau2 + self.variance)

    def p_values(self) -> FloatArray:
        """Returns two-tailed p-values of the hypotheses that the differences are 0.

        The p-value is 1 if the absolute difference is at most 1e-12. For larger differences, it is 0 if the variance is 0.
        """
        size = np.abs(self.difference)
        found = np.where(size > TOLERANCE, 0.0, 1.0)
        some = (self.variance > 0.0) & (size > TOLERANCE)
        found[some] = 2.0 * student_tail(self.datasets - 1, size[some] / np.sqrt(self.variance[some]))
        return found


def random_effects(differences: FloatArray, variances: FloatArray) -> RandomEffects:
    """Computes random-effects means of differences over datasets, from the differences and their variances, shape (datasets, pairs).

    At least 2 datasets are required. The variance is that of Hartung and Knapp, but at least 1 / sum(w), the variance of the mean for known
    weights w. Without this bound, the interval would often be narrower than the interval that ignores the variation between datasets. If variances are 0, the limits of the formulas are
    used. Datasets with variance 0 receive the weights in the limit of small variances: the largest weights or, if tau2 is 0, the entire
    weight.

    Source: DerSimonian & Laird (1986); Hartung & Knapp (2001); Knapp & Hartung (2003); Sidik & Jonkman (2002); Higgins, Thompson &
        Spiegelhalter (2009).

    Examples:
        Both weights are 1/.01 = 100, so that Q = 100 (.1^2 + .1^2) = 2, tau2 = (2 - 1) / 100 and var = .1^2:

        >>> found = random_effects(np.array([[0.1], [0.3]]), np.array([[0.01], [0.01]]))
        >>> found.difference.round(4).tolist(), found.tau2.round(4).tolist(), found.i2.round(4).tolist()
        ([0.2], [0.01], [0.5])
        >>> found.variance.round(4).tolist(), found.p_values().round(4).tolist()
        ([0.01], [0.2952])
    """
    count = len(differences)
    unit = np.ldexp(1.0, np.maximum(np.frexp(np.sqrt(variances.max(axis=0)))[1], 0))  # scaled so that products of weights do not underflow
    differences, variances = differences / unit, np.maximum(variances / unit / unit, SMALLEST)
    weights = 1.0 / variances
    _, distances = _weighted_means(differences, weights)
    excess = np.maximum(distances - (count - 1), 0.0)
    # spread is sum w - sum w^2 / sum w, computed from products of different weights to avoid cancellation
    above, below = np.zeros_like(weights), np.zeros_like(weights)
    above[1:] = np.add.accumulate(weights[:-1], axis=0)
    below[:-1] = np.add.accumulate(weights[:0:-1], axis=0)[::-1]
    spread = column_sums(weights * (above + below)) / column_sums(weights)
    tau2 = excess / spread
    i2 = np.divide(excess, distances, out=np.zeros_like(excess), where=excess > 0.0)
    final = 1.0 / (variances + tau2)
    difference, around = _weighted_means(differences, final)
    difference[np.abs(difference) <= TOLERANCE] = 0.0
    least = 1.0 / column_sums(final)
    least[least <= TOLERANCE**2] = 0.0  # only datasets without variation have such weights
    variance = np.maximum(around / (count - 1) / column_sums(final), least)
    return RandomEffects(count, difference * unit, variance * unit * unit, tau2 * unit * unit, i2)


def _weighted_means(values: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Returns the weighted mean of each column, and the weighted sum of squared deviations from the mean."""
    mean = column_sums(weights * values) / column_sums(weights)
    apart = values - mean
    apart[np.abs(apart) <= TOLERANCE] = 0.0
    return mean, column_sums(weights * np.square(apart))
