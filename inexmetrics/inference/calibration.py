"""Calibration: how often tests find a difference on boards without any, made from scores by permuting the runs of each topic."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.conclusions import conclude

__all__ = ["boards_with_findings", "null_board"]


def null_board(scores: FloatArray, clusters: Sequence[int] | None, seed: int, board: int) -> FloatArray:
    """Returns the scores with the runs of each topic permuted, so that no run is better than another.

    Topics are permuted independently; topics of one cluster share a permutation. Each board has its own random numbers, derived from
    the seed and the board's number.

    Args:
        scores: Runs x topics.
        clusters: The cluster of each topic, counted from 0; None for independent topics.
        seed: The seed of all boards.
        board: The number of the board, from 0.

    Examples:
        >>> scores = np.array([[0.1, 0.2, 0.3], [0.5, 0.6, 0.7]])
        >>> null_board(scores, None, seed=0, board=2).tolist()
        [[0.5, 0.2, 0.3], [0.1, 0.6, 0.7]]
        >>> null_board(scores, (0, 0, 0), seed=0, board=2).tolist()
        [[0.5, 0.6, 0.7], [0.1, 0.2, 0.3]]
    """
    runs, topics = scores.shape
    units = np.arange(topics) if clusters is None else np.asarray(clusters, dtype=np.int64)
    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(board,))))
    orders = random.permuted(np.tile(np.arange(runs), (int(units.max(initial=-1)) + 1, 1)), axis=1)
    permuted: FloatArray = scores[orders[units].T, np.arange(topics)]
    return permuted


def boards_with_findings(
    scores: FloatArray, rules: Sequence[tuple[SignificanceTest, Correction]], boards: int, seed: int, setting: RunOptions
) -> IntArray:
    """Returns, for each test with its correction, the number of null boards on which it rejects any hypothesis.

    All tests see the same boards, except tests of clusters, whose boards keep clusters together. One board is one task.

    Args:
        scores: Finite scores, runs x topics.
        rules: Tests and corrections; tests of clusters know the cluster of each topic.
        boards: The number of boards.
        seed: The seed of the boards.
        setting: Where the work runs.
    """
    found = setting.map("boards", partial(_any_rejected, scores, tuple(rules), seed), range(boards))
    counts = np.zeros(len(rules), dtype=np.int64)
    for rejected in found:
        counts += rejected
    return counts


def _any_rejected(scores: FloatArray, rules: Sequence[tuple[SignificanceTest, Correction]], seed: int, board: int) -> BoolArray:
    """Returns whether each of the tests rejects any hypothesis on one board."""
    made: dict[tuple[int, ...] | None, FloatArray] = {}
    found = np.empty(len(rules), dtype=np.bool_)
    for place, (test, correction) in enumerate(rules):
        clusters = None if test.grouping is None else test.grouping.codes
        if clusters not in made:
            made[clusters] = null_board(scores, clusters, seed, board)
        found[place] = conclude(made[clusters], test, correction, RunOptions()).rejected.any()
    return found
