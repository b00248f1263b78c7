"""Correlation coefficients of two series of paired values, with their p-values."""

from __future__ import annotations

import math
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray
from inexmetrics.inference.means import TOLERANCE
from inexmetrics.inference.ranks import average_ranks

__all__ = ["COEFFICIENTS", "Coefficient", "CorrelationMethod", "correlate", "highest"]

CorrelationMethod: TypeAlias = Literal["pearson", "spearman", "kendall"]

COEFFICIENTS: Final = {"pearson": "Pearson's r", "spearman": "Spearman's rho", "kendall": "Kendall's tau", "tau_ap": "tau_AP"}
"""Names of the correlation coefficients."""
EXACT_PAIRS = 33
"""Maximum number of pairs of values for which the p-value of Kendall's tau is exact, if there are no ties."""


class Coefficient(NamedTuple):
    """Correlation coefficient of two series, with its p-value.

    Attributes:
        n: Number of pairs of values.
        coefficient: Correlation coefficient, between -1 and 1; None if undefined, because there are fewer than two pairs or a series is
            constant.
        p_value: Two-sided p-value; None if the coefficient is undefined, or if the p-value is computed from t and there are only two pairs.
    """

    n: int
    coefficient: float | None
    p_value: float | None


def correlate(x: FloatArray, y: FloatArray, method: CorrelationMethod) -> Coefficient:
    """Computes the correlation of two series of paired finite values.

    Spearman's rho is Pearson's r of the ranks, where ties share the mean of their ranks; Kendall's tau is tau-b. The two-sided p-values of
    r and rho are computed from t = r sqrt((n-2) / (1-r^2)) with n-2 degrees of freedom. The p-value of tau is exact for up to 33 pairs
    without ties, otherwise it is computed from the normal approximation. Values closer than 1e-12 are tied.

    Examples:
        >>> x, y = np.array([[1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0]])
        >>> n, rho, p_value = correlate(x, y, "spearman")
        >>> n, round(rho, 6), round(p_value, 6)
        (4, 0.8, 0.2)
    """
    n = len(x)
    if n < 2 or np.ptp(x) <= TOLERANCE or np.ptp(y) <= TOLERANCE:
        return Coefficient(n, None, None)
    if method == "pearson":
        return _pearson(x, y)
    x_ranks, x_ties = average_ranks(x)
    y_ranks, y_ties = average_ranks(y)
    if method == "spearman":
        return _pearson(x_ranks, y_ranks)
    from scipy.stats import kendalltau  # takes 1.6 s to import

    exact = n <= EXACT_PAIRS and x_ties == 0 and y_ties == 0
    tau, p_value = kendalltau(x_ranks, y_ranks, method="exact" if exact else "asymptotic")
    return Coefficient(n, float(tau), float(p_value))


def highest(x: FloatArray, y: FloatArray, count: int) -> BoolArray:
    """Returns which pairs of values have the `count` highest sums of ranks in the two series; among equal sums, earlier pairs are chosen.

    Examples:
        >>> highest(np.array([0.1, 0.4, 0.3]), np.array([20.0, 10.0, 30.0]), 1).tolist()
        [False, False, True]
    """
    sums = average_ranks(x)[0] + average_ranks(y)[0]
    found = np.zeros(len(x), dtype=np.bool_)
    found[np.argsort(-sums, kind="stable")[:count]] = True
    return found


def _pearson(x: FloatArray, y: FloatArray) -> Coefficient:
    n = len(x)
    x_deviations, y_deviations = _deviations(x), _deviations(y)
    product, x_square, y_square = (
        math.fsum((a * b).tolist()) for a, b in ((x_deviations, y_deviations), (x_deviations, x_deviations), (y_deviations, y_deviations))
    )
    r = min(1.0, max(-1.0, product / (math.sqrt(x_square * y_square))))
    if n == 2:
        return Coefficient(n, r, None)
    from scipy.special import stdtr  # takes 0.3 s to import

    t = math.inf if abs(r) == 1.0 else abs(r) * math.sqrt((n - 2) / ((1 - r) * (1 + r)))
    return Coefficient(n, r, 2.0 * float(stdtr(n - 2, -t)))


def _deviations(values: FloatArray) -> FloatArray:
    """Returns deviations from the mean, divided by a power of two, so that their squares neither overflow nor underflow."""
    apart = values - math.fsum(values.tolist()) / len(values)
    scaled: FloatArray = apart / np.ldexp(1.0, np.frexp(np.abs(apart).max())[1])
    return scaled
