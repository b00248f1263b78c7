"""The Poisson-binomial law: how many of several independent events happen, each with a chance of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from inexmetrics.foundation.arrays import FloatArray

__all__ = ["survivals"]


def survivals(chances: FloatArray, sizes: Sequence[int], most: int) -> Iterator[FloatArray]:
    """The chances that at least 1, 2 .. `most` of the first events happen, for several numbers of first events.

    By the recurrence that adds one event after the other, S[j] = (1 - p) S[j] + p S[j-1] with S[0] = 1: exact but for
    rounding, since nothing is subtracted. It takes n * most / 2 steps on all cases at once.

    Args:
        chances: The chance of each event in each case, n x C.
        sizes: How many of the events, the first ones, each law is wanted for; increasing.
        most: The greatest number of events that anybody asks for, at least 1.

    Yields:
        For each size, P(at least j of its events) for j = 1 .. min(size, most), by case. The array is one that the next
        step overwrites.

    Source: equation 7 of Piwowarski & Dupret (2006).

    Examples:
        >>> [law.tolist() for law in survivals(np.array([[0.5], [0.5]]), [1, 2], most=2)]
        [[[0.5]], [[0.75], [0.25]]]
    """
    stays = 1.0 - chances
    law = np.zeros((min(len(chances), most) + 1, chances.shape[1]))
    law[0] = 1.0
    moved = np.empty_like(law)
    done = 0
    for size in sizes:
        for event in range(done, size):
            rows = min(event + 1, most)
            np.multiply(law[:rows], chances[event], out=moved[:rows])
            law[1 : rows + 1] *= stays[event]
            law[1 : rows + 1] += moved[:rows]
        done = max(done, size)
        yield law[1 : min(size, most) + 1]
