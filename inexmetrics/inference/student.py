"""Quantiles and probabilities of Student's distribution, without importing scipy, and with the same bits on every machine."""

from __future__ import annotations

import math
from functools import cache, lru_cache
from itertools import chain
from typing import Final

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray
from inexmetrics.common.elementary import exp, half_power, ln

__all__ = ["student_quantile", "student_tail"]

MANY: Final = 400
"""Degrees of freedom from which the constant of the density is computed by its asymptotic series, with a relative error below 1e-17."""
NEAR: Final = 3.0
"""The square of a normal deviate, below which 1 - P(|T| < t) loses little precision, and above which the continued fraction is short."""
AT_ONCE: Final = 4
"""Number of terms of the power series that are added before it is asked whether they change its sum."""
MOST: Final = 50
"""Number of pairs of terms of the continued fraction; even for a normal distribution, more terms do not change its value."""
LARGE: Final = 1e140
"""Value whose square can be computed without an overflow."""
CLOSE: Final = 1e-9
"""Relative size of a step of Newton's method after which the error of the next value is below the precision of a float."""


@lru_cache(maxsize=1024)
def student_quantile(degrees: int, share: float) -> float:
    """Returns the value that Student's T is below with a probability `share`, which is at least one half.

    The degrees of freedom are a positive integer. The relative error is below 1e-14. Importing `scipy.special` for this value alone would take longer than most commands.

    Formula:
        2 (1 - share) = I_x(n / 2, 1 / 2)
        x = n / (n + t^2)
        where
            t: the quantile
            n: the degrees of freedom
            I_x: the regularised incomplete beta function

    Examples:
        >>> round(student_quantile(33, 0.975), 6), student_quantile(1, 0.5)
        (2.034515, 0.0)
    """
    outside, inside = 2 * (1 - share), 2 * share - 1  # both are exact
    if not outside or not inside:
        return math.inf if not outside else 0.0
    t, step = np.array([_first_guess(degrees, outside, inside)]), 1.0
    while abs(step) > CLOSE:
        density = _density(degrees, t)
        if _is_near(degrees, t)[0]:  # no precision is lost in 1 - P(|T| < t)
            around = _inside(degrees, t)
            step = -float((around * _log_near_one(density * around / inside))[0])
        else:
            beyond = _outside(degrees, t)
            step = float((beyond * _log_near_one(density * beyond / outside))[0])
        t *= (2 + step) / (2 - step)  # is near e^step
    return float(t[0])


def student_tail(degrees: int, t: FloatArray) -> FloatArray:
    """Returns P(T > t), where T has Student's distribution; the relative error is below 1e-14. NaN without degrees of freedom.

    Formula:
        P(T > t) = I_x(n / 2, 1 / 2) / 2 "if t is at least 0"
        P(T > t) = 1 - P(T > -t) "if t is below 0"
        x = n / (n + t^2)
        where
            n: the degrees of freedom, an integer
            I_x: the regularised incomplete beta function

    Examples:
        >>> student_tail(33, np.array([0.0, 2.034515297449338, -math.inf])).round(6).tolist()
        [0.5, 0.025, 1.0]
    """
    if degrees < 1:
        return np.full(t.shape, np.nan)
    size = np.minimum(np.abs(t), LARGE)
    near = _is_near(degrees, size)
    half = 0.5 * _density(degrees, size)
    tail = np.empty_like(size)
    tail[near] = 0.5 - half[near] * _inside(degrees, size[near])
    tail[~near] = half[~near] * _outside(degrees, size[~near])
    if (np.abs(t) > LARGE).any():
        tail *= (LARGE / np.maximum(np.abs(t), LARGE)) ** degrees  # beyond, the probability falls as a power of t
    return np.where(t < 0.0, 1.0 - tail, tail)


def _log_near_one(x: FloatArray) -> FloatArray:
    """Returns the logarithm of a number near 1, with an error of the third order."""
    return 2 * (x - 1) / (x + 1)


def _first_guess(n: int, outside: float, inside: float) -> float:
    """Returns an approximation: near 0 by the density there, else the normal quantile z, transformed as Wallace (1959) does.

    z is formula 26.2.23 of Abramowitz & Stegun (1964).
    """
    if inside < 0.5:
        return inside * math.sqrt(n) / _constant(n)
    root = math.sqrt(-2 * _ln(outside / 2))
    above, below = (0.010328 * root + 0.802853) * root + 2.515517, ((0.001308 * root + 0.189269) * root + 1.432788) * root + 1
    z = (root - above / below) * (8 * n + 3) / (8 * n + 1)
    return math.sqrt(n * (_exp(z * z / n) - 1))


@cache
def _constant(n: int) -> float:
    """Returns 2 / B(n / 2, 1 / 2), where B is the beta function."""
    k, odd = divmod(n, 2)
    if n < MANY:
        power = 1 << (2 * k)
        # ratios of integers, which Python rounds correctly
        return 2 * (power / math.comb(2 * k, k) / math.pi if odd else k * math.comb(2 * k, k) / power)
    a = n / 2
    series = 0.0
    for coefficient in (-399 / 262144, -21 / 32768, 5 / 1024, 1 / 128, -1 / 8, 1.0):
        series = coefficient + series / a
    return 2 * math.sqrt(a / math.pi) * series


def _density(n: int, t: FloatArray) -> FloatArray:
    """Returns t times the density of |T|."""
    return _constant(n) * half_power(n, t) * (t / np.sqrt(n + t * t))


def _is_near(n: int, t: FloatArray) -> BoolArray:
    """Returns whether P(|T| < t) is computed, by a series of few terms; otherwise, P(|T| > t) is computed."""
    return t * t * (n + 2) < NEAR * n


def _inside(n: int, t: FloatArray) -> FloatArray:
    """Returns P(|T| < t) divided by t times the density of |T|, by the power series of the incomplete beta function."""
    y = t * t / (n + t * t)
    total, longer, term, k = np.zeros_like(t), np.ones_like(t), np.ones_like(t), 0
    while (longer > total).any():
        total = longer
        for place in range(k, k + AT_ONCE):  # the terms fall: after one that changes nothing, no other does
            term *= (n + 1 + 2 * place) / (3 + 2 * place) * y
            longer = longer + term
        k += AT_ONCE
    return total


def _outside(n: int, t: FloatArray) -> FloatArray:
    """Returns P(|T| > t) divided by t times the density of |T|, by the continued fraction of Gauss.

    The fraction is that of the hypergeometric function F(1/2, 1; n/2 + 1; -n/t^2). Its terms are positive. The terms that are left out are
    replaced with the limit of a fraction whose terms are all equal to the last one.
    """
    square = t * t
    ratio = n / square
    terms = _terms(n)
    fraction, scaled = 0.5 + np.sqrt(0.25 + terms[-1] * ratio), np.empty_like(ratio)
    for term in reversed(terms):
        np.multiply(ratio, term, out=scaled)
        np.divide(scaled, fraction, out=fraction)
        fraction += 1.0
    return (n + square) / square / n / fraction


@cache
def _terms(n: int) -> tuple[float, ...]:
    """Returns the coefficients of the continued fraction; more of them do not change the fraction for any t that is not near."""
    half, count = n / 2, min(MOST, 12 + 2 * math.isqrt(n))
    pairs = (
        (
            (j + 0.5) * (half + j) / ((half + 2 * j) * (half + 2 * j + 1)),
            (j + 1) * (half + j + 0.5) / ((half + 2 * j + 1) * (half + 2 * j + 2)),
        )
        for j in range(count)
    )
    return tuple(chain.from_iterable(pairs))


def _ln(x: float) -> float:
    return float(ln(np.array([x]))[0])


def _exp(x: float) -> float:
    return float(exp(np.array([x]))[0])
