"""Literal implementations of statistics of two conditions on simulated and resampled topic sets: one topic at a time, without blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray

__all__ = ["interval_ends", "resampled_topics", "simulated_scores"]


def generator(seed: int, number: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(number,))))


def simulated_scores(
    predictor: FloatArray, truth: FloatArray, seed: int, number: int, among: BoolArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return simulated scores under both conditions: mu + D z / sqrt(n - 1) for each of n topics, from the topics that both define.

    Random numbers are drawn for the topics of `among`, by default for those that both define.
    """
    both = [topic for topic in range(predictor.shape[1]) if not (math.isnan(predictor[0, topic]) or math.isnan(truth[0, topic]))]
    scores = np.vstack([predictor[:, both], truth[:, both]])
    n = len(both)
    mu = [math.fsum(row) / n for row in scores.tolist()]
    random = generator(seed, number)
    numbered = both if among is None else np.flatnonzero(among).tolist()
    columns = []
    for _ in range(n):
        z = random.standard_normal(len(numbered))[np.isin(numbered, both)]
        columns.append([m + math.fsum((row - m) * z) / math.sqrt(n - 1) for m, row in zip(mu, scores, strict=True)])
    drawn = np.array(columns).T
    return np.ascontiguousarray(drawn[: len(predictor)]), np.ascontiguousarray(drawn[len(predictor) :])


def resampled_topics(
    matrices: Sequence[FloatArray], seed: int, number: int, clusters: Sequence[int] | None = None
) -> list[tuple[list[int], list[int]]]:
    """Return the topics drawn with replacement that each condition defines, and the number of the draw of each topic."""
    known = [topic for topic in range(matrices[0].shape[1]) if any(not math.isnan(matrix[0, topic]) for matrix in matrices)]
    members = [[topic] for topic in known]
    if clusters is not None:
        members = [[topic for topic in known if clusters[topic] == cluster] for cluster in sorted({clusters[topic] for topic in known})]
    drawn = generator(seed, number).integers(0, len(members), size=len(members)).tolist()
    topics = [(topic, draw) for draw, unit in enumerate(drawn) for topic in members[unit]]
    found = []
    for matrix in matrices:
        there = [(topic, draw) for topic, draw in topics if not math.isnan(matrix[0, topic])]
        found.append(([topic for topic, _ in there], [draw for _, draw in there]))
    return found


def interval_ends(value: float, drawn: Sequence[float | None], quantile: float, smallest: float) -> tuple[float, float, float, float]:
    """Return low, high, next_low and next_high: value -+ t sd and value -+ t sqrt(2) sd, cut to the range of the statistic."""
    defined = [each for each in drawn if each is not None]
    mean = sum(defined) / len(defined)
    sd = math.sqrt(sum((each - mean) ** 2 for each in defined) / (len(defined) - 1))
    margin, further = quantile * sd, quantile * math.sqrt(2) * sd
    return max(value - margin, smallest), min(value + margin, 1.0), max(value - further, smallest), min(value + further, 1.0)
