"""Correlation of two series of values, with its p-value."""

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
"""The names of the coefficients."""
EXACT_PAIRS = 33
"""The largest number of pairs of values without ties for which Kendall's tau has its exact distribution."""


class Coefficient(NamedTuple):
    """A coefficient of correlation.

    Attributes:
        n: Pairs of values.
        coefficient: Between -1 and 1; None if undefined: fewer than two pairs, or a constant series.
        p_value: Two-sided; None if undefined: without a coefficient, or, if it is computed from t, with two pairs.
    """

    n: int
    coefficient: float | None
    p_value: float | None


def correlate(x: FloatArray, y: FloatArray, method: CorrelationMethod) -> Coefficient:
    """Correlates two series of paired finite values.

    Pearson's r; Spearman's rho, which is r of the ranks, where ties share the mean of their ranks; Kendall's tau-b. The
    two-sided p-values of r and rho come from t = r sqrt((n-2) / (1-r^2)) with n-2 degrees of freedom, that of tau from its exact
    distribution for up to 33 pairs without ties, otherwise from the normal distribution. Values closer than 1e-12 are tied.

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
    """Returns the `count` highest pairs of values by the sum of their ranks in the two series, equal sums in the given order.

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
    """Returns deviations from the mean in a unit, a power of two that prevents overflow and underflow of squares."""
    apart = values - math.fsum(values.tolist()) / len(values)
    scaled: FloatArray = apart / np.ldexp(1.0, np.frexp(np.abs(apart).max())[1])
    return scaled
