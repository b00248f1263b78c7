"""The power of the paired t test, the number of topics that a given power requires, and the plans that no other plan dominates."""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import cache
from typing import Final

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray

__all__ = ["deviation_ends", "effect_size", "log_constant", "power_of_t", "topics_needed", "unbeaten"]

MOST_TOPICS: Final = 2**53
"""Maximum number of topics in a search; larger integers cannot be represented exactly as floats."""
NODES: Final = 200
TAIL: Final = 1e-18
"""Tail probability that the numerical integration ignores at each end of a distribution."""


def effect_size(difference: float, sd: float) -> float:
    """Returns a difference of means divided by the standard deviation of the differences; infinity if the standard deviation is 0."""
    return difference / sd if sd else math.inf


def deviation_ends(sd: float, topics: int, interval: float = 0.95) -> tuple[float, float]:
    """Returns the ends of the confidence interval of a standard deviation over n >= 2 topics, if the values are normally distributed.

    Formula:
        low, high = sd sqrt((n - 1) / chi_((1 +- c) / 2))
        where
            chi_(q): the q-quantile of the chi-square distribution with n - 1 degrees of freedom
            c: the confidence level

    Examples:
        >>> [round(end, 3) for end in deviation_ends(0.1, 10)]
        [0.069, 0.183]
    """
    from scipy.special import gammaincinv  # takes 0.3 s to import

    half = (topics - 1) / 2
    low, high = (sd * math.sqrt(half / float(gammaincinv(half, share))) for share in ((1 + interval) / 2, (1 - interval) / 2))
    return low, high


def power_of_t(effect: float, topics: float, alpha: float, tails: int) -> float:
    """Returns the power of the paired t test at level alpha on n >= 2 topics, if the differences are normal with this effect size.

    The effect size is the true mean difference divided by the standard deviation of the differences, d / sd. The test statistic T has the
    noncentral t distribution with n-1 degrees of freedom and noncentrality ``delta = effect * sqrt(n)``. The test rejects if T > t
    (two-tailed: |T| > t), where t is the 1 - alpha/tails quantile of Student's distribution. T equals (Z + delta)/s, where Z is standard
    normal and s is the square root of a chi-squared variable divided by its n-1 degrees of freedom. Therefore P(T > t) is the mean of
    Phi(delta - t s) over s.

    Source: Cohen (1988), chapter 2; Sakai (2018), chapter 6.

    Examples:
        >>> round(power_of_t(0.5, 34, 0.05, 2), 6)
        0.807778
    """
    from scipy.special import stdtrit  # takes 0.3 s to import

    df = topics - 1
    if math.isinf(effect):
        return 1.0
    delta = effect * math.sqrt(topics)
    critical = float(stdtrit(df, 1 - alpha / tails))
    return min(1.0, _above(critical, delta, df) + (_above(critical, -delta, df) if tails == 2 else 0.0))


def _above(critical: float, delta: float, df: float) -> float:
    """Returns P(T > critical) for noncentral t; scipy's function sometimes returns NaN, for example if df = 9 and delta = 40."""
    from scipy.special import gammainc, gammainccinv, gammaincinv, ndtr

    half = df / 2
    # The integration below requires critical > 0. In a one-tailed test, critical is at most 0 if alpha is at least one half. In this case,
    # P(T > critical) = 1 - P(-T > -critical) is used, where -T has noncentrality -delta.
    if critical <= 0:
        return 1.0 - _above(-critical, -delta, df) if critical < 0 else float(ndtr(delta))
    # As s increases from `low` to `high`, Phi(delta - critical * s) falls from Phi(9) to Phi(-9). This value is treated as 1 if s is below
    # `low`, and as 0 if s is above `high`.
    low, high = (delta - 9.0) / critical, (delta + 9.0) / critical
    first, last = math.sqrt(gammaincinv(half, TAIL) / half), math.sqrt(gammainccinv(half, TAIL) / half)
    low, high = max(low, first), min(high, last)
    if low >= high:
        return 1.0 if low >= last else 0.0
    below = float(gammainc(half, half * low * low)) if low > first else 0.0
    nodes, weights = _gauss_legendre()
    s = low + (high - low) * (nodes + 1) / 2
    # the density of s, 2 (df/2)^(df/2) / Gamma(df/2) * s^(df-1) * exp(-s^2 df/2), computed without subtracting large numbers
    density = np.exp(log_constant(half) - half * ((s - 1) * (s + 1) - 2 * np.log(s))) / s
    inside = float(np.sum(weights * density * ndtr(delta - critical * s))) * (high - low) / 2
    return min(1.0, below + inside)


@cache
def _gauss_legendre() -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return nodes, weights


def log_constant(half: float) -> float:
    """Returns log(2 x^x e^-x / Gamma(x)), for large x by Stirling's series."""
    from scipy.special import gammaln

    if half < 20:
        return math.log(2) + half * math.log(half) - half - float(gammaln(half))
    series = 1 / (12 * half) - 1 / (360 * half**3) + 1 / (1260 * half**5) - 1 / (1680 * half**7)
    return math.log(2) + 0.5 * math.log(half / (2 * math.pi)) - series


def topics_needed(effect: float, power: float, alpha: float, tails: int) -> int | None:
    """Returns the smallest number of topics, at least 2, with which the paired t test has a given power; None if the number exceeds 2^53.

    The effect size is positive and defined as in `power_of_t`; it is infinity if the differences do not vary.

    Examples:
        >>> topics_needed(0.5, 0.8, 0.05, 2)
        34
    """
    most = 2
    while power_of_t(effect, most, alpha, tails) < power:
        most *= 2
        if most > MOST_TOPICS:
            return None
    return bisect_left(range(most + 1), power, lo=max(2, most // 2), key=lambda topics: power_of_t(effect, topics, alpha, tails))


def unbeaten(costs: FloatArray, values: FloatArray) -> BoolArray:
    """Returns, for each plan, whether it is not dominated by any other plan.

    A plan dominates another plan if its cost is not higher and its value is not lower, and at least one of the two differs. A plan whose
    value is NaN is treated as dominated.

    Examples:
        >>> unbeaten(np.array([1.0, 2.0, 3.0, 3.0]), np.array([0.5, 0.4, 0.9, 0.9])).tolist()
        [True, False, True, True]
    """
    no_dearer, no_worse = costs[:, None] <= costs, values[:, None] >= values
    better = (costs[:, None] < costs) | (values[:, None] > values)
    return ~(no_dearer & no_worse & better).any(axis=0) & ~np.isnan(values)
