"""Prediction-powered inference: means of many cheap scores, corrected by a few good scores of the same kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.inference.means import CELLS, TOLERANCE, differences, means, sample_deviations
from inexmetrics.inference.student import student_quantile, student_tail

__all__ = ["PredictionPowered", "Quantiles", "prediction_powered", "prediction_powered_differences"]

Quantiles: TypeAlias = Literal["t", "normal"]
"""The distribution whose quantiles are used for confidence intervals and p-values: Student's, or normal."""


@dataclass(frozen=True, slots=True, eq=False)
class PredictionPowered:
    """Prediction-powered means of rows of scores, where a row is a run or a difference between two runs.

    Attributes:
        mean: Prediction-powered mean of each row.
        error: Standard error of each mean, for normal quantiles: its variances divide by the number of topics.
        error_t: Standard error of each mean, for Student's quantiles: its variances divide by the number of topics minus one.
        weight: Weight lambda of the cheap scores in the mean of each row, from 0 to 1.
        good: Number n of topics with good scores.
    """

    mean: FloatArray
    error: FloatArray
    error_t: FloatArray
    weight: FloatArray
    good: int

    def errors(self, quantiles: Quantiles) -> FloatArray:
        """Returns the standard errors that belong to the quantiles."""
        return self.error_t if quantiles == "t" else self.error

    def margins(self, interval: float, quantiles: Quantiles) -> FloatArray:
        """Returns the half-widths of two-sided confidence intervals; Student's quantiles have n-1 degrees of freedom."""
        share = (1 + interval) / 2
        if quantiles == "t":
            return self.errors(quantiles) * student_quantile(self.good - 1, share)
        from scipy.special import ndtri  # takes 0.3 s to import

        return self.errors(quantiles) * ndtri(share)

    def p_values(self, quantiles: Quantiles) -> FloatArray:
        """Returns two-tailed p-values of the hypotheses that the true means are 0.

        If the standard error of a mean is 0, the p-value is 1 for a mean of 0, and 0 for any other mean.
        """
        error = self.errors(quantiles)
        sure = error == 0.0
        ratio = np.divide(np.abs(self.mean), error, out=np.zeros(len(self.mean)), where=~sure)
        ratio[sure & (np.abs(self.mean) > TOLERANCE)] = np.inf
        if quantiles == "t":
            return 2.0 * student_tail(self.good - 1, ratio)
        from scipy.special import ndtr  # takes 0.3 s to import

        return 2.0 * ndtr(-ratio)


def prediction_powered(good: FloatArray, cheap: FloatArray, more: FloatArray) -> PredictionPowered:
    """Combines many cheap scores and a few good scores into prediction-powered means with standard errors.

    The mean is ``lambda mean(F) + mean(Y - lambda f)``. The squared standard error of the mean is ``lambda^2 var0(F) / N + var0(Y - lambda
    f) / n``. The weight lambda is ``cov0(Y, f) / ((1 + n / N) var1(f and F))``, clipped to [0, 1]. The weight is 0 if N is 0, or if the
    denominator of the weight is 0. var1(f and F) is the variance of all n + N cheap scores of a row. var0 and cov0 divide by the number of
    topics, and var1 by the number of topics minus one. For Student's quantiles, the standard error uses var1 in place of var0.

    Args:
        good: Accurate scores Y on n topics, n >= 2, shape (rows, n).
        cheap: Cheap, less accurate scores f on the same n topics, shape (rows, n).
        more: Cheap, less accurate scores F on N other topics, where N may be 0, shape (rows, N).

    Source: Angelopoulos, Duchi & Zrnic (2023).

    Examples:
        >>> good, cheap = np.array([[0.2, 0.4, 0.6]]), np.array([[0.3, 0.5, 0.7]])
        >>> found = prediction_powered(good, cheap, np.array([[0.3, 0.5, 0.7, 0.3, 0.5, 0.7]]))
        >>> found.weight.round(4).tolist(), found.mean.round(4).tolist()
        ([0.5926], [0.4])
        >>> found.errors("normal").round(4).tolist(), found.errors("t").round(4).tolist()
        ([0.0551], [0.0639])
    """
    n, others = good.shape[1], more.shape[1]
    weight = np.zeros(len(good))
    if others:
        spread = sample_deviations(np.concatenate([cheap, more], axis=1))
        # Covariance of the good scores and the cheap scores in each row, with the number of topics in the denominator; 0 if the good scores
        # or the cheap scores do not vary
        products = (good - means(good)[:, None]) * (cheap - means(cheap)[:, None])
        vary = (np.ptp(good, axis=1) > TOLERANCE) & (np.ptp(cheap, axis=1) > TOLERANCE)
        np.divide(np.where(vary, means(products), 0.0), (1 + n / others) * np.square(spread), out=weight, where=spread > 0.0)
        np.clip(weight, 0.0, 1.0, out=weight)
    rest = good - weight[:, None] * cheap
    mean, variance, unbiased = means(rest), _variances(rest) / n, _variances(rest) / (n - 1)
    if others:
        mean += weight * means(more)
        variance += np.square(weight) * _variances(more) / others
        unbiased += np.square(weight) * _variances(more) / max(others - 1, 1)  # a single topic has a variance of 0
    return PredictionPowered(mean, np.sqrt(variance), np.sqrt(unbiased), weight, n)


def prediction_powered_differences(
    good: FloatArray, cheap: FloatArray, more: FloatArray, better: IntArray, worse: IntArray
) -> PredictionPowered:
    """Returns the prediction-powered mean difference for each pair of runs, from scores as in `prediction_powered`."""
    step = max(1, CELLS // (good.shape[1] + more.shape[1]))
    pairs = [(better[start : start + step], worse[start : start + step]) for start in range(0, len(better), step)]
    parts = [prediction_powered(*(differences(scores, *pair) for scores in (good, cheap, more))) for pair in pairs]
    columns = [np.empty((4, 0)), *(np.stack([part.mean, part.error, part.error_t, part.weight]) for part in parts)]
    mean, error, error_t, weight = np.concatenate(columns, axis=1)
    return PredictionPowered(mean, error, error_t, weight, good.shape[1])


def _variances(values: FloatArray) -> FloatArray:
    """Returns variances over the last axis, with n in the denominator; 0 if all values of a row are within 1e-12 of each other."""
    n = values.shape[1]
    if n == 1:
        return np.zeros(len(values))
    variances: FloatArray = np.square(sample_deviations(values)) * ((n - 1) / n)
    return variances
