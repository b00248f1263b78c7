"""Quantiles of Student's distribution, without importing scipy, and with the same bits on every machine."""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import Final

import numpy as np

from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.elementary import exp, ln

__all__ = ["student_quantile"]

MANY: Final = 400
"""Degrees of freedom from which the constant of the density is computed by its asymptotic series, with a relative error below 1e-17."""
FIRST, LAST, STEP = -4.0, 41.0, 1 / 10
"""Range and step of the nodes of the trapezoidal rule; the parts of the integral outside the range are below the precision of a float."""
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
    constant = _constant(degrees)
    t, step = _first_guess(degrees, constant, outside, inside), 1.0
    while abs(step) > CLOSE:
        density = constant * _decline(degrees, t) * t / math.sqrt(degrees + t * t)  # t times the density of |T|
        if t * t * (degrees + 2) < 3 * degrees:  # the series has few terms, and no precision is lost in 1 - P(|T| < t)
            around = _inside(degrees, t)
            step = -around * _log_near_one(density * around / inside)
        else:
            beyond = _outside(degrees, t)
            step = beyond * _log_near_one(density * beyond / outside)
        t *= (2 + step) / (2 - step)  # is near e^step
    return t


def _log_near_one(x: float) -> float:
    """Returns the logarithm of a number near 1, with an error of the third order."""
    return 2 * (x - 1) / (x + 1)


def _first_guess(n: int, constant: float, outside: float, inside: float) -> float:
    """Returns an approximation: near 0 by the density there, else the normal quantile z, transformed as Wallace (1959) does.

    z is formula 26.2.23 of Abramowitz & Stegun (1964).
    """
    if inside < 0.5:
        return inside * math.sqrt(n) / constant
    root = math.sqrt(-2 * _ln(outside / 2))
    above, below = (0.010328 * root + 0.802853) * root + 2.515517, ((0.001308 * root + 0.189269) * root + 1.432788) * root + 1
    z = (root - above / below) * (8 * n + 3) / (8 * n + 1)
    return math.sqrt(n * (_exp(z * z / n) - 1))


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


def _decline(n: int, t: float) -> float:
    """Returns (1 + t^2 / n)^(-n / 2)."""
    return float(exp(-n / 2 * _ln_above_one(np.array([t * t / n])))[0])


def _inside(n: int, t: float) -> float:
    """Returns P(|T| < t) divided by t times the density of |T|, by the power series of the incomplete beta function."""
    y = t * t / (n + t * t)
    total, term, k = 0.0, 1.0, 0
    while total + term > total:  # the terms fall
        total += term
        term *= (n + 1 + 2 * k) / (3 + 2 * k) * y
        k += 1
    return total


def _outside(n: int, t: float) -> float:
    """Returns P(|T| > t) divided by t times the density of |T|: the integral of the density beyond t, by the trapezoidal rule.

    The distance from t is written as a double exponential function, so that the error of the rule falls exponentially with the step.
    """
    distances, weights = _nodes()
    width = (n + t * t) / ((n + 1) * t)  # the density falls as exp(-distance / width) at first
    beyond = distances * width
    ratios = exp(-(n + 1) / 2 * _ln_above_one(beyond * (2 * t + beyond) / (n + t * t)))
    return float(np.add.accumulate(ratios * weights)[-1]) * width / t


@cache
def _nodes() -> tuple[FloatArray, FloatArray]:
    """Returns the nodes of the trapezoidal rule for integrals from 0 to infinity, and their weights."""
    at = np.arange(FIRST, LAST, STEP)
    inverse = exp(-at)
    nodes = exp(at - inverse)
    return nodes, STEP * nodes * (1 + inverse)


def _ln_above_one(x: FloatArray) -> FloatArray:
    """Returns ln(1 + x) for numbers of at least 0; the logarithm of the rounded sum is corrected for the rounding (Kahan)."""
    whole = 1 + x
    rounded = np.where(whole > 1, whole - 1, 1.0)
    return np.where(whole > 1, ln(whole) * (x / rounded), x)


def _ln(x: float) -> float:
    return float(ln(np.array([x]))[0])


def _exp(x: float) -> float:
    return float(exp(np.array([x]))[0])
