"""What the sample is drawn by: laws made of additions, multiplications and comparisons, which round alike everywhere.

Logarithms, powers and matrix products do not.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.simulations.random_stream import UNIT, Stream

__all__ = ["Draws"]

ROOT_OF_3: Final = 1.7320508075688772


class Draws(Stream):
    """A stream of random numbers, and draws by it."""

    __slots__ = ()

    def number(self) -> float:
        """A number from 0 to below 1, as `numbers` has them."""
        return (int(self._bits.random_raw()) >> 11) * UNIT

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
