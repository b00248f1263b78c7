"""Calibration: how often tests reject a hypothesis on score matrices without any true difference, which are made from real scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Literal, TypeAlias

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.base import Correction, SignificanceTest, generator
from inexmetrics.inference.conclusions import conclude
from inexmetrics.inference.means import means

__all__ = ["Null", "boards_with_findings", "null_board", "wilson"]

Null: TypeAlias = Literal["runs", "means"]
"""The null hypothesis of the simulated score matrices: "runs" if all runs are equal, "means" if only their means are equal."""


def wilson(found: int, tries: int, interval: float = 0.95) -> tuple[float, float]:
    """Returns Wilson's confidence interval for a proportion, without a continuity correction.

    Formula:
        (p + z^2 / (2 n) -+ z sqrt(p (1 - p) / n + z^2 / (4 n^2))) / (1 + z^2 / n)
        where
            p: the observed proportion
            n: the number of trials
            z: the (1 + c) / 2 quantile of the standard normal distribution, for the confidence level c

    Source: Wilson (1927).

    Examples:
        >>> [round(end, 4) for end in wilson(10, 200)]
        [0.0274, 0.0896]
    """
    from scipy.special import ndtri  # takes 0.3 s to import

    z = float(ndtri((1 + interval) / 2))
    share, spread = found / tries, z * z / tries
    centre = share + spread / 2
    half = z * math.sqrt(share * (1 - share) / tries + spread / (4 * tries))
    low, high = (centre - half) / (1 + spread), (centre + half) / (1 + spread)
    return (0.0 if found == 0 else max(low, 0.0)), (1.0 if found == tries else min(high, 1.0))


def null_board(scores: FloatArray, clusters: Sequence[int] | None, seed: int, board: int, null: Null = "runs") -> FloatArray:
    """Returns a score matrix without true differences, made from the given scores, shape (runs, topics).

    With null="runs", the scores for each topic are permuted among the runs. Topics are permuted independently; topics of one cluster share
    a permutation. With null="means", the mean of each run is subtracted from its scores, and the same number of topics is drawn with
    replacement. Each matrix has its own random numbers, derived from the seed and the number of the matrix.

    Args:
        scores: Scores, shape (runs, topics).
        clusters: Cluster of each topic, counted from 0; None for independent topics, and with null="means".
        seed: Seed of the random numbers of all matrices.
        board: Number of the matrix, from 0.
        null: "runs" for equal runs, "means" for equal means only.

    Examples:
        >>> scores = np.array([[0.1, 0.2, 0.3], [0.5, 0.6, 0.7]])
        >>> null_board(scores, None, seed=0, board=2).tolist()
        [[0.5, 0.2, 0.3], [0.1, 0.6, 0.7]]
        >>> null_board(scores, (0, 0, 0), seed=0, board=2).tolist()
        [[0.5, 0.6, 0.7], [0.1, 0.2, 0.3]]
        >>> null_board(np.array([[0.1, 0.2, 0.6]]), None, seed=0, board=2, null="means").round(1).tolist()
        [[-0.1, 0.3, -0.1]]
    """
    runs, topics = scores.shape
    random = generator(seed, board)
    if null == "means":
        return (scores - means(scores)[:, None])[:, random.integers(0, max(topics, 1), topics)]
    units = np.arange(topics) if clusters is None else np.asarray(clusters, dtype=np.int64)
    orders = random.permuted(np.tile(np.arange(runs), (int(units.max(initial=-1)) + 1, 1)), axis=1)
    permuted: FloatArray = scores[orders[units].T, np.arange(topics)]
    return permuted


def boards_with_findings(
    scores: FloatArray,
    rules: Sequence[tuple[SignificanceTest, Correction]],
    boards: int,
    seed: int,
    *,
    null: Null = "runs",
    setting: RunOptions,
) -> IntArray:
    """Returns, for each test with its correction, the number of null score matrices on which the test rejects at least one hypothesis.

    All tests use the same matrices, except tests on clusters: in their matrices, the topics of a cluster share a permutation. Each matrix
    is one task.

    Args:
        scores: Finite scores, shape (runs, topics).
        rules: Tests with their corrections; a test on clusters already contains the cluster of each topic.
        boards: Number of matrices.
        seed: Seed of the matrices.
        null: "runs" for equal runs, "means" for equal means only.
        setting: Run options (executor, threads).
    """
    found = setting.map("boards", partial(_rejects_any, scores, tuple(rules), null, seed), range(boards))
    counts = np.zeros(len(rules), dtype=np.int64)
    for rejected in found:
        counts += rejected
    return counts


def _rejects_any(scores: FloatArray, rules: Sequence[tuple[SignificanceTest, Correction]], null: Null, seed: int, board: int) -> BoolArray:
    """Returns, for each test, whether it rejects at least one hypothesis on one null score matrix."""
    made: dict[tuple[int, ...] | None, FloatArray] = {}
    found = np.empty(len(rules), dtype=np.bool_)
    for place, (test, correction) in enumerate(rules):
        clusters = None if test.grouping is None else test.grouping.codes
        if clusters not in made:
            made[clusters] = null_board(scores, clusters, seed, board, null)
        found[place] = conclude(made[clusters], test, correction, RunOptions()).rejected.any()
    return found
