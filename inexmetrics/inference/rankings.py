"""Differences between rankings of the same runs: rank correlations with one of them, and how often one run is above another."""

from __future__ import annotations

import math

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.inference.means import TOLERANCE, ranking
from inexmetrics.inference.ranks import average_ranks

__all__ = ["spearman_with", "tau_ap", "top_shared", "wins"]


def tau_ap(predicted: FloatArray, truth: FloatArray) -> float | None:
    """Returns the rank correlation tau_AP of a predicted ranking with the true one, in which errors near the top have more weight; None for a single run.

    tau_AP = 2 / (R - 1) * sum over i = 2..R of C(i) / (i - 1), minus 1, where i runs down the predicted ranking and C(i) is the
    number of runs above the i-th that the truth also has above it. The coefficient is not symmetric.

    Source: Yilmaz, Aslam & Robertson (2008), equation 3.

    Examples:
        >>> predicted = np.array([0.9, 0.5, 0.1])
        >>> tau_ap(predicted, np.array([0.7, 0.8, 0.1]))  # C(2) = 0, C(3) = 2: 2/2 * (0/1 + 2/2) - 1
        0.0
        >>> tau_ap(predicted, np.array([0.9, 0.2, 0.4]))  # C(2) = 1, C(3) = 1: 2/2 * (1/1 + 1/2) - 1
        0.5
    """
    runs = len(predicted)
    if runs < 2:
        return None
    ranks = np.argsort(ranking(truth))[ranking(predicted)]
    above = np.tril(ranks[None, :] < ranks[:, None], -1).sum(axis=1)[1:]
    return 2 / (runs - 1) * math.fsum((above / np.arange(1, runs)).tolist()) - 1


def top_shared(predicted: FloatArray, truth: FloatArray, top: int) -> float:
    """Returns the share of the truth's best runs (a given number, or all) that are among the predicted best; both are ranked by means as in `ranking`.

    Examples:
        Of the best two, runs 0 and 1 are predicted, and runs 0 and 2 true:

        >>> top_shared(np.array([0.9, 0.5, 0.1]), np.array([0.7, 0.2, 0.4]), 2)
        0.5
    """
    best = min(top, len(truth))
    return len(np.intersect1d(ranking(predicted)[:best], ranking(truth)[:best])) / best


def spearman_with(reference: FloatArray, scores: FloatArray) -> FloatArray:
    """Returns Spearman's rho between the scores of R runs and each of S others, S x R; NaN if one of the two ties all runs.

    rho is Pearson's r of the ranks, where ties share the mean of their ranks; scores closer than 1e-12 are tied. Ranks
    are multiples of 1/2, so all sums are exact, and no quotient rounds to more than 1.

    Examples:
        >>> others = np.array([[0.9, 0.5, 0.1], [0.1, 0.2, 0.3], [0.5, 0.5, 0.5]])
        >>> spearman_with(np.array([0.4, 0.3, 0.2]), others).tolist()
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
    return rho


def wins(scores: FloatArray) -> IntArray:
    """Counts, in runs x sets, how often run i scores more than 1e-12 above run j, R x R.

    Examples:
        >>> wins(np.array([[0.3, 0.2, 0.1], [0.1, 0.2, 0.2]])).tolist()
        [[0, 1], [1, 0]]
    """
    return np.stack([np.count_nonzero(score - scores > TOLERANCE, axis=1) for score in scores])
