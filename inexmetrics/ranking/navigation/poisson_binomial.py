"""The Poisson-binomial law: how many of several independent events happen, each with a chance of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from inexmetrics.common.arrays import FloatArray

__all__ = ["laws", "survivals"]


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
    law = np.zeros((min(len(chances), most) + 1, chances.shape[1]))
    law[0] = 1.0
    done = 0
    for size in sizes:
        _add(law, chances[done:size], done + 1)
        done = max(done, size)
        yield law[1 : min(size, most) + 1]


def laws(chances: FloatArray) -> FloatArray:
    """The chances that exactly 0, 1 .. n of the events happen, by case, (n + 1) x C.

    By the same recurrence, P[j] = (1 - p) P[j] + p P[j-1], with P[-1] = 0.

    Args:
        chances: The chance of each event in each case, n x C.

    Examples:
        >>> laws(np.array([[0.5], [0.5]])).ravel().tolist()
        [0.25, 0.5, 0.25]
    """
    law = np.zeros((len(chances) + 2, chances.shape[1]))
    law[1] = 1.0
    _add(law, chances, 2)
    return law[1:]


def _add(law: FloatArray, chances: FloatArray, first: int) -> None:
    """Adds events to a law, by case, whose first row does not change: L[j] = (1 - p) L[j] + p L[j-1].

    Args:
        law: The law, overwritten.
        chances: The chance of each event, by case.
        first: The last row that the first event reaches; each further one reaches one more, as far as there are rows.
    """
    stays = 1.0 - chances
    moved = np.empty_like(law[1:])
    for event, chance in enumerate(chances):
        rows = min(first + event, len(moved))
        np.multiply(law[:rows], chance, out=moved[:rows])
        law[1 : rows + 1] *= stays[event]
        law[1 : rows + 1] += moved[:rows]
