"""Random draws that come out alike on every machine and under every version of numpy.

Only the bits of PCG64 are used, which numpy promises to keep; its laws may change. All laws here are made of additions,
multiplications and comparisons, which round alike everywhere; logarithms, powers and matrix products do not.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray

__all__ = ["Stream"]

UNIT: Final = 1.0 / (1 << 53)
ROOT_OF_3: Final = 1.7320508075688772


class Stream:
    """The stream of random numbers of one part of a simulation; streams of different keys are independent.

    Args:
        seed: The seed of the simulation.
        key: Numbers that name the part.

    Examples:
        >>> Stream(2006, 1).whole(1, 6), Stream(2006, 1).whole(1, 6), Stream(2006, 2).whole(1, 6)
        (6, 6, 5)
    """

    __slots__ = ("_bits",)

    def __init__(self, seed: int, *key: int) -> None:
        self._bits = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key))

    def number(self) -> float:
        """A number from 0 to below 1, all multiples of 2^-53 equally likely."""
        return (int(self._bits.random_raw()) >> 11) * UNIT

    def numbers(self, n: int) -> FloatArray:
        """So many numbers from 0 to below 1."""
        raw = np.asarray(self._bits.random_raw(n), dtype=np.uint64)
        return (raw >> np.uint64(11)).astype(np.float64) * UNIT

    def skip(self, n: int) -> None:
        """Passes over so many numbers, in no time."""
        self._bits.advance(n)

    def chance(self, probability: float) -> bool:
        """True with a probability."""
        return self.number() < probability

    def uniform(self, low: float, high: float) -> float:
        """A number from low to high, all equally likely."""
        return low + (high - low) * self.number()

    def whole(self, low: int, high: int) -> int:
        """An integer from low to high, both included, all equally likely."""
        return low + int(self.number() * (high - low + 1))

    def bell(self) -> float:
        """A number of mean 0 and variance 1, bell-shaped and within 3.5."""
        return float(self.bells(1)[0])

    def bells(self, n: int) -> FloatArray:
        """So many numbers of mean 0 and variance 1: centred sums of four uniform ones."""
        first, second, third, fourth = self.numbers(4 * n).reshape(4, n)
        return (((first + second) + (third + fourth)) - 2.0) * ROOT_OF_3

    def chosen(self, among: int, n: int) -> IntArray:
        """Numbers below `among`, n of them without repetition (all, where there are fewer), in random order."""
        return np.argsort(self.numbers(among), kind="stable")[:n].astype(np.int64)
