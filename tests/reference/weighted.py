"""Weighted samples of documents, written out document by document."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import combinations, pairwise

import numpy as np

__all__ = ["estimated", "mean_over_u", "weights_of"]

Pair = tuple[str, str]
"""A topic and a document."""
Runs = Mapping[str, Mapping[str, list[str]]]
"""The documents of each run, by topic, best first; no document twice."""


def weights_of(runs: Runs, weight: Callable[[int], float]) -> dict[Pair, dict[str, float]]:
    """Returns the weight of every pooled document under every run that has it."""
    found: dict[Pair, dict[str, float]] = {}
    for run in sorted(runs):
        for topic, documents in runs[run].items():
            for rank, document in enumerate(documents, start=1):
                if weight(rank) > 0:
                    found.setdefault((topic, document), {})[run] = weight(rank)
    return dict(sorted(found.items()))


def factor(sizes: Mapping[Pair, float], number: int) -> dict[Pair, float]:
    """Returns min(1, lambda a) with the sum `number`; lambda is found by making the largest document certain until none exceeds 1."""
    certain: set[Pair] = set()
    while len(certain) < len(sizes):
        scale = (number - len(certain)) / sum(size for pair, size in sizes.items() if pair not in certain)
        above = [pair for pair, size in sizes.items() if pair not in certain and scale * size > 1]
        if not above:
            return {pair: 1.0 if pair in certain else scale * size for pair, size in sizes.items()}
        certain.add(max(above, key=lambda pair: sizes[pair]))
    return dict.fromkeys(sizes, 1.0)


def estimated(
    runs: Runs,
    weight: Callable[[int], float],
    gains: Mapping[Pair, float],
    *,
    judge: Mapping[Pair, float] | None,
    highest: Callable[[list[Pair]], float],
    share: float,
    seed: int,
    u: float | None = None,
) -> tuple[dict[Pair, float], dict[Pair, float]]:
    """Returns the value of every pooled document, and the probability with which each document was drawn.

    Args:
        runs: The runs.
        weight: The weight of a document at a rank.
        gains: The gain of every judged document; others have gain 0.
        judge: The grade that the judge gave; None without a judge.
        highest: The highest gain, from the certain documents.
        share: The share of the pool.
        seed: The seed.
        u: The start of the systematic sample; None takes it from the generator.
    """
    pooled = weights_of(runs, weight)
    pairs = [*pooled]
    budget = math.ceil(share * len(pairs) - 1e-9)
    generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    first = min(math.ceil(0.15 * budget - 1e-9), budget - 1)
    certain = [pairs[place] for place in generator.choice(len(pairs), first, replace=False)]
    start = generator.random() if u is None else u
    top = highest(certain)
    known = {pair: gains.get(pair, 0.0) / top for pair in certain}
    mu = (sum(known.values()) + 1) / (len(known) + 2)
    expected = {}
    for pair in pairs:
        alike = [gain for other, gain in known.items() if judge is None or judge.get(other) == judge.get(pair)]
        expected[pair] = (sum(alike) + 4 * mu) / (len(alike) + 4)
    sizes = {}
    for pair in pairs:
        if pair not in known:
            by_run = [pooled[pair].get(run, 0.0) for run in runs]
            spread = math.sqrt(sum((one - other) ** 2 for one, other in combinations(by_run, 2))) if len(by_run) > 1 else by_run[0]
            sizes[pair] = spread * math.sqrt(max(expected[pair] * (1 - expected[pair]), 0.02))
    mean = sum(sizes.values()) / len(sizes)
    sizes = {pair: max(size, 0.1 * mean) if mean > 0 else 1.0 for pair, size in sizes.items()}
    chances = factor(sizes, budget - first)
    values, cumulated, points = {}, 0.0, start
    for pair in pairs:
        p, g = top * expected[pair], gains.get(pair, 0.0)
        if pair in known:
            values[pair] = g
            continue
        cumulated += chances[pair]
        drawn = chances[pair] >= 1.0
        if points < cumulated - 1e-12:
            drawn, points = True, points + 1.0
        values[pair] = g if chances[pair] >= 1.0 else p + (g - p) / chances[pair] if drawn else p
    return values, {**dict.fromkeys(known, 1.0), **chances}


def mean_over_u(estimate: Callable[[float], np.ndarray], probabilities: list[float]) -> np.ndarray:
    """Returns the exact mean of an estimate over the start of a systematic sample, which is uniform on [0, 1).

    The sample changes only where u passes the fractional part of a cumulated probability.
    """
    ends = np.unique(np.concatenate([[0.0], np.cumsum(probabilities) % 1.0, [1.0]]))
    mean: np.ndarray = np.sum([float(high - low) * estimate(float((low + high) / 2)) for low, high in pairwise(ends)], axis=0)
    return mean
