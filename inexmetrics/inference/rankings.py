"""How rankings of the same runs differ: their rank correlations with one of them, and who stands above whom how often."""

from __future__ import annotations

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.inference.pairs import TOLERANCE
from inexmetrics.inference.ranks import average_ranks

__all__ = ["spearman_with", "wins"]


def spearman_with(reference: FloatArray, scores: FloatArray) -> FloatArray:
    """Spearman's rho between one ranking of runs and each of many others.

    rho is Pearson's r of the ranks, tied scores sharing the mean of theirs; scores closer than 1e-12 are tied. Ranks
    are multiples of 1/2, so that all sums are exact.

    Args:
        reference: Scores of the runs, R.
        scores: Other scores of the same runs, S x R.

    Returns:
        The coefficients, S; NaN where one of the two puts all runs on one rank.

    Examples:
        >>> spearman_with(np.array([0.4, 0.3, 0.2]), np.array([[0.9, 0.5, 0.1], [0.1, 0.2, 0.3], [0.5, 0.5, 0.5]])).tolist()
        [1.0, -1.0, nan]
    """
    runs = len(reference)
    middle = (runs + 1) / 2
    of_reference, reference_ties = average_ranks(reference)
    of_others, ties = average_ranks(scores)
    product = np.sum((of_others - middle) * (of_reference - middle), axis=1)
    whole = runs**3 - runs
    with np.errstate(invalid="ignore", divide="ignore"):
        rho: FloatArray = product / np.sqrt((whole - ties) / 12 * ((whole - reference_ties) / 12))
    return np.clip(rho, -1.0, 1.0)


def wins(scores: FloatArray) -> IntArray:
    """How often each run stands above each other one.

    Args:
        scores: Scores, runs x sets.

    Returns:
        In how many sets run i scores more than 1e-12 above run j, R x R.

    Examples:
        >>> wins(np.array([[0.3, 0.2, 0.1], [0.1, 0.2, 0.2]])).tolist()
        [[0, 1], [1, 0]]
    """
    return np.stack([np.count_nonzero(score - scores > TOLERANCE, axis=1) for score in scores])
