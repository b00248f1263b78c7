"""Random draws that come out alike on every machine and under every version of numpy.

Only PCG64 and its doubles are used: their bits are promised. Every law is made from them by additions, multiplications
and comparisons, which round alike everywhere; logarithms, powers and matrix products do not.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from inexmetrics.arrays import FloatArray, IntArray

__all__ = ["bell", "chosen", "stream", "uniform", "whole"]

ROOT_OF_3: Final = 1.7320508075688772


def stream(seed: int, *key: int) -> np.random.Generator:
    """The stream of random numbers of one part of a simulation; streams of different keys are independent."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


def uniform(source: np.random.Generator, low: float, high: float) -> float:
    """A number from low to high, all equally likely."""
    return low + (high - low) * float(source.random())


def whole(source: np.random.Generator, low: int, high: int) -> int:
    """An integer from low to high, both included, all equally likely."""
    return low + int(float(source.random()) * (high - low + 1))


def bell(source: np.random.Generator, n: int) -> FloatArray:
    """Numbers of mean 0 and variance 1, bell-shaped and within 3.5: centred sums of four uniform numbers."""
    first, second, third, fourth = source.random(4 * n).reshape(4, n)
    return (((first + second) + (third + fourth)) - 2.0) * ROOT_OF_3


def chosen(source: np.random.Generator, among: int, n: int) -> IntArray:
    """Numbers below `among`, n of them without repetition (all, where there are fewer), in random order."""
    return np.argsort(source.random(among), kind="stable")[:n].astype(np.int64)
