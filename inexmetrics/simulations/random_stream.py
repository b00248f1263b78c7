"""Random numbers that are the same on every machine and under every version of numpy.

Only the bits of PCG64 are used, because numpy guarantees that these bits do not change between versions. The output of numpy's
distributions may change between versions.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from inexmetrics.common.arrays import FloatArray

__all__ = ["Stream"]

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
