"""Random draws of the sample, computed only by additions, multiplications and comparisons, which round in the same way on every machine.

Logarithms, powers and matrix products do not round in the same way.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.common.elementary import UNIT, Stream

__all__ = ["Draws"]

ROOT_OF_3: Final = 1.7320508075688772


class Draws(Stream):
    """A stream of random numbers, with draws from several distributions."""

    __slots__ = ()

    def number(self) -> float:
        """Returns a number in [0, 1), as `numbers` does."""
        return (int(self._bits.random_raw()) >> 11) * UNIT

    def chance(self, probability: float) -> bool:
        """Returns True with this probability."""
        return self.number() < probability

    def uniform(self, low: float, high: float) -> float:
        """Returns a uniform random number from low to high."""
        return low + (high - low) * self.number()

    def whole(self, low: int, high: int) -> int:
        """Returns a uniform random integer from low to high, both included."""
        return low + int(self.number() * (high - low + 1))

    def bell(self) -> float:
        """Returns a number from an approximately normal distribution with mean 0 and variance 1, between -3.5 and 3.5."""
        return float(self.bells(1)[0])

    def bells(self, n: int) -> FloatArray:
        """Returns this number of draws with mean 0 and variance 1: centred sums of four uniform numbers."""
        first, second, third, fourth = self.numbers(4 * n).reshape(4, n)
        return (((first + second) + (third + fourth)) - 2.0) * ROOT_OF_3

    def chosen(self, among: int, n: int) -> IntArray:
        """Returns n distinct numbers below `among` (all numbers, if there are fewer), in random order."""
        return np.argsort(self.numbers(among), kind="stable")[:n].astype(np.int64)
