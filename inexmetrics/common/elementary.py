"""Logarithms, exponentials and random numbers that have the same bits on every machine.

The last bits of the results of numpy and of the C library differ between processors and versions. The functions here use only additions,
multiplications and divisions, which IEEE 754 rounds in the same way on every machine. Intermediate results are pairs of floats whose sum
has a precision of about 100 bits. For almost all arguments, the result is the float nearest to the exact value. For fewer than one
argument in a million, the result is the float just below or just above the nearest float.

Only the bits of PCG64 are used, because numpy guarantees that these bits do not change between versions. The output of numpy's
distributions may change between versions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final, TypeAlias

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray, IntArray

__all__ = ["Stream", "exp", "exp2", "half_power", "ln", "log2", "log2_of_ranks", "powers"]

Pair: TypeAlias = tuple[FloatArray, FloatArray]
"""A number stored as the sum of two floats; the second float is at most half a unit in the last place of the first float."""

BLOCK: Final = 1 << 13
"""Number of values that are processed at once; a block of this size fits into the processor's cache."""
RANKS: Final = 1 << 10
"""Number of ranks, from 0, in the first table of logarithms; a larger table is computed for lower ranks."""
SPLIT: Final = 134217729.0
"""The constant 2^27 + 1, which splits a float into two parts of 26 bits whose products are exact."""
LN_2: Final[Pair] = (np.asarray(0.6931471805599453), np.asarray(2.3190468138462996e-17))
PER_LN_2: Final[Pair] = (np.asarray(1.4426950408889634), np.asarray(2.0355273740931033e-17))
ROOT_HALF: Final = 0.7071067811865476
LN_TERMS: Final = 19
"""Number of terms in the power series of the logarithm, for arguments of at most .1716."""
EXP_TERMS: Final = 13
"""Number of terms in the power series of the exponential, for arguments of at most .0217."""
HALVINGS: Final = 4
"""Number of times that the argument is halved before the exponential series is summed; the sum is then squared the same number of times."""


def ln(x: FloatArray | IntArray | IndexArray) -> FloatArray:
    """Returns the natural logarithms of positive numbers.

    Examples:
        >>> ln(np.array([1.0, 2.0, 10.0])).tolist()
        [0.0, 0.6931471805599453, 2.302585092994046]
    """

    def ln_of_block(block: FloatArray) -> FloatArray:
        exponent, pair = _parts_of_ln(block)
        return _sum(_product((exponent, np.zeros_like(exponent)), LN_2), pair)[0]

    return _apply_in_blocks(ln_of_block, x)


def log2(x: FloatArray | IntArray | IndexArray) -> FloatArray:
    """Returns the base-2 logarithms of positive numbers.

    Examples:
        >>> log2(np.array([1, 2, 3, 1024])).tolist()
        [0.0, 1.0, 1.584962500721156, 10.0]
    """

    def log2_of_block(block: FloatArray) -> FloatArray:
        exponent, pair = _parts_of_ln(block)
        return _sum((exponent, np.zeros_like(exponent)), _product(pair, PER_LN_2))[0]

    return _apply_in_blocks(log2_of_block, x)


def exp(x: FloatArray) -> FloatArray:
    """Returns e raised to the given exponents. The result is 0 for exponents below -708, and infinity for exponents above 709.

    Examples:
        >>> exp(np.array([0.0, 1.0, -2.0, -1000.0])).tolist()
        [1.0, 2.718281828459045, 0.1353352832366127, 0.0]
    """
    return _apply_in_blocks(lambda part: _exp((part, np.zeros_like(part))), x)


def exp2(x: FloatArray) -> FloatArray:
    """Returns 2 raised to the given exponents.

    Examples:
        >>> exp2(np.array([0.0, 3.0, 0.5])).tolist()
        [1.0, 8.0, 1.4142135623730951]
    """
    values = np.asarray(x, dtype=np.float64)
    if ((np.rint(values) == values) & (np.abs(values) <= 1000)).all():
        return np.ldexp(1.0, values.astype(np.int32))
    return _apply_in_blocks(lambda part: _exp(_product((part, np.zeros_like(part)), LN_2)), values)


def log2_of_ranks(ranks: FloatArray | IndexArray | IntArray) -> FloatArray:
    """Returns log2(rank + 1), the discount of the gain at each rank, for ranks from 1; reads the values from a cached table.

    Examples:
        >>> log2_of_ranks(np.array([[1, 3], [7, 1]])).tolist()
        [[1.0, 2.0], [3.0, 1.0]]
    """
    places = ranks.astype(np.intp, copy=False)
    try:
        return _discounts(RANKS).take(places)
    except IndexError:  # a rank is not in the table
        return _discounts(1 << int(places.max()).bit_length()).take(places)


def powers(base: float, exponents: FloatArray | IndexArray | IntArray) -> FloatArray:
    """Returns integer powers of a number between 0 and 1; computes each power from the previous power by one multiplication.

    Examples:
        >>> powers(0.5, np.array([0, 3, 1])).tolist()
        [1.0, 0.125, 0.5]
    """
    places = np.asarray(exponents).astype(np.intp, copy=False)
    table = np.full(int(places.max(initial=0)) + 1, base)
    table[0] = 1.0
    return np.multiply.accumulate(table)[places]


def half_power(n: int, t: FloatArray) -> FloatArray:
    """Returns (n / (n + t^2))^(n / 2) for a positive integer n and for |t| up to 1e140, by repeated squaring.

    Examples:
        >>> half_power(3, np.array([0.0, 1.0, 3.0])).tolist()
        [1.0, 0.649519052838329, 0.125]
    """
    whole, none = np.full_like(t, n), np.zeros_like(t)
    base = _quotient((whole, none), _sum((whole, none), _square((t, none))))
    root = np.sqrt(base[0]) if n % 2 else None
    power: Pair | None = None
    left = n // 2
    while left:
        if left % 2:
            power = base if power is None else _product(power, base)
        left //= 2
        base = _square(base) if left else base
    found = np.ones_like(t) if power is None else power[0]
    return found if root is None else root * found


@cache
def _discounts(most: int) -> FloatArray:
    table = log2(np.arange(1, most + 1))
    table.setflags(write=False)
    return table


def _apply_in_blocks(function: Callable[[FloatArray], FloatArray], x: FloatArray | IntArray | IndexArray) -> FloatArray:
    values = np.asarray(x, dtype=np.float64)
    flat = values.reshape(-1)
    result = np.empty_like(flat)
    for start in range(0, len(flat), BLOCK):
        result[start : start + BLOCK] = function(flat[start : start + BLOCK])
    return result.reshape(values.shape)


def _parts_of_ln(x: FloatArray) -> tuple[FloatArray, Pair]:
    """Returns e and ln m for x = m 2^e with m near 1. The series is ln m = 2 (s + s^3/3 + s^5/5 + ...) with s = (m - 1)/(m + 1)."""
    m, e = np.frexp(x)
    small = m < ROOT_HALF
    m, exponent = np.where(small, 2.0 * m, m), (e - small).astype(np.float64)
    above = m - 1.0  # exact
    below = _exact_sum(m, np.ones_like(m))
    s = _quotient((above, np.zeros_like(m)), below)
    square = _product(s, s)
    series = _reciprocal(2 * LN_TERMS + 1)
    for term in range(LN_TERMS - 1, -1, -1):
        series = _sum(_product(series, square), _reciprocal(2 * term + 1))
    high, low = _product(s, series)
    return exponent, (2.0 * high, 2.0 * low)


def _exp(x: Pair) -> FloatArray:
    """Returns e^x as 2^k e^r, where |r| is at most ln 2 / 2, and e^r = (1 + u + u^2/2! + ...)^16 with u = r/16."""
    kept = np.clip(x[0], -745.0, 709.0)
    k = np.rint(kept * PER_LN_2[0])
    rest = _sum((kept, np.where(kept == x[0], x[1], 0.0)), _product((-k, np.zeros_like(k)), LN_2))
    scale = 2.0**-HALVINGS
    u = (rest[0] * scale, rest[1] * scale)
    series: Pair = (np.ones_like(k), np.zeros_like(k))
    for term in range(EXP_TERMS, 0, -1):
        series = _sum(_product(_product(series, u), _reciprocal(term)), (np.ones_like(k), np.zeros_like(k)))
    for _ in range(HALVINGS):
        series = _product(series, series)
    powers_of_e: FloatArray = np.ldexp(series[0], k.astype(np.int32))
    return np.where(x[0] < -708.0, 0.0, np.where(x[0] > 709.0, np.inf, powers_of_e))


@cache
def _reciprocal(number: float) -> Pair:
    """Returns 1 / number as a pair of floats."""
    zero = np.zeros(())
    return _quotient((np.asarray(1.0), zero), (np.asarray(number), zero))


def _exact_sum(a: FloatArray, b: FloatArray) -> Pair:
    """Returns the exact sum of a and b as a pair of floats (Knuth's algorithm)."""
    high = a + b
    part = high - a
    return high, (a - (high - part)) + (b - part)


def _halves(a: FloatArray) -> Pair:
    shifted = SPLIT * a
    high = shifted - (shifted - a)
    return high, a - high


def _renormalise(high: FloatArray, low: FloatArray) -> Pair:
    """Returns a pair of floats with the same sum as `high` and `low`. The first float of the pair is the float nearest to the sum."""
    nearest = high + low
    return nearest, low - (nearest - high)


def _sum(a: Pair, b: Pair) -> Pair:
    high, low = _exact_sum(a[0], b[0])
    tail_high, tail_low = _exact_sum(a[1], b[1])
    high, low = _renormalise(high, low + tail_high)
    return _renormalise(high, low + tail_low)


def _product(a: Pair, b: Pair) -> Pair:
    # high + low equals the exact product of a[0] and b[0] (Dekker's algorithm).
    high = a[0] * b[0]
    a_high, a_low = _halves(a[0])
    b_high, b_low = _halves(b[0])
    low = ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low
    return _renormalise(high, low + (a[0] * b[1] + a[1] * b[0]))


def _square(a: Pair) -> Pair:
    """Returns the product of a number with itself, with the bits of `_product`."""
    square = a[0] * a[0]
    high, low = _halves(a[0])
    mixed, cross = high * low, a[0] * a[1]
    return _renormalise(square, ((high * high - square) + mixed + mixed) + low * low + (cross + cross))


def _quotient(a: Pair, b: Pair) -> Pair:
    first = a[0] / b[0]
    high, low = _product((first, np.zeros_like(first)), b)
    return _renormalise(first, _sum(a, (-high, -low))[0] / b[0])


UNIT: Final = 1.0 / (1 << 53)


class Stream:
    """The stream of random numbers for one part of a simulation, identified by a key; streams with different keys are independent.

    Examples:
        >>> [float(Stream(2006, key).numbers(1)[0].round(4)) for key in (1, 1, 2)]
        [0.9856, 0.9856, 0.7833]
    """

    __slots__ = ("_bits",)

    def __init__(self, seed: int, *key: int) -> None:
        self._bits = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key))

    def numbers(self, n: int) -> FloatArray:
        """Returns `n` random numbers that are uniformly distributed over the multiples of 2^-53 in [0, 1)."""
        raw = np.asarray(self._bits.random_raw(n), dtype=np.uint64)
        return (raw >> np.uint64(11)).astype(np.float64) * UNIT

    def skip(self, n: int) -> None:
        """Skips `n` numbers in constant time."""
        self._bits.advance(n)
