"""The Poisson-binomial distribution: the number of successes in independent trials with different probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from inexmetrics.common.arrays import FloatArray

__all__ = ["laws", "survivals"]


def survivals(chances: FloatArray, sizes: Sequence[int], most: int) -> Iterator[FloatArray]:
    """Yields the probabilities of at least 1, 2 .. `most` successes in the first trials, for several numbers of trials.

    The recurrence adds one trial at a time: S[j] = (1 - p) S[j] + p S[j-1] with S[0] = 1. The recurrence is exact except for rounding,
    because nothing is subtracted. All cases together need n * most / 2 steps.

    Args:
        chances: The probability of success of each trial in each case, shape (n, C).
        sizes: The numbers of first trials for which the distribution is requested, increasing.
        most: The largest number of successes that is requested, at least 1.

    Yields:
        For each size, P(at least j successes) for j = 1 .. min(size, most), by case. The next step overwrites
        the array.

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
    """Returns the probabilities of exactly 0, 1 .. n successes by case, shape (n + 1, C).

    The recurrence is P[j] = (1 - p) P[j] + p P[j-1] with P[-1] = 0.

    Args:
        chances: The probability of success of each trial in each case, shape (n, C).

    Examples:
        >>> laws(np.array([[0.5], [0.5]])).ravel().tolist()
        [0.25, 0.5, 0.25]
    """
    law = np.zeros((len(chances) + 2, chances.shape[1]))
    law[1] = 1.0
    _add(law, chances, 2)
    return law[1:]


def _add(law: FloatArray, chances: FloatArray, first: int) -> None:
    """Adds trials to a distribution by case: L[j] = (1 - p) L[j] + p L[j-1]; the first row does not change.

    Args:
        law: The distribution, which is overwritten.
        chances: The probability of success of each trial, by case.
        first: Number of rows that the first trial changes; each further trial changes one more row, up to the number of rows.
    """
    stays = 1.0 - chances
    moved = np.empty_like(law[1:])
    for event, chance in enumerate(chances):
        rows = min(first + event, len(moved))
        np.multiply(law[:rows], chance, out=moved[:rows])
        law[1 : rows + 1] *= stays[event]
        law[1 : rows + 1] += moved[:rows]
