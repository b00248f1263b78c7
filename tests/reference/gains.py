"""Gain and document measures as their definitions read: one list, one topic, plain numbers, no care for speed.

`gains` are the gains of a ranking by rank, `ideal` those of all relevant results in decreasing order. None: undefined.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Gains = Sequence[float]
TOLERANCE = 1e-9


def xcg(gains: Gains, i: int) -> float:
    return sum(gains[:i])


def nxcg(gains: Gains, ideal: Gains, k: int) -> float | None:
    return xcg(gains, k) / xcg(ideal, k) if ideal else None


def manxcg(gains: Gains, ideal: Gains, k: int) -> float | None:
    return sum(xcg(gains, i) / xcg(ideal, i) for i in range(1, k + 1)) / k if ideal else None


def ideal_rank(ideal: Gains, gain: float, interpolate: bool) -> float:
    """The first rank at which the ideal ranking reaches a gain; if interpolated, the position at which its curve reaches the gain."""
    near = TOLERANCE * sum(ideal)
    i = next((i for i in range(1, len(ideal) + 1) if xcg(ideal, i) >= gain - near), len(ideal))
    return (i - 1) + (gain - xcg(ideal, i - 1)) / ideal[i - 1] if interpolate else i


def maep(gains: Gains, ideal: Gains, interpolate: bool = False, focused: bool = False) -> float | None:
    if not ideal:
        return None
    points = [r for r, gain in enumerate(gains, start=1) if gain > TOLERANCE * sum(ideal)]
    total = sum(ideal_rank(ideal, xcg(gains, r), interpolate) / r for r in points)
    return total / (max(len(ideal), len(points)) if focused else len(ideal))


def ep(gains: Gains, ideal: Gains, x: float, interpolate: bool = False) -> float | None:
    if not ideal:
        return None
    whole = sum(ideal)
    for r in range(1, len(gains) + 1):
        if xcg(gains, r) >= x * whole - TOLERANCE * whole:
            return ideal_rank(ideal, x * whole, interpolate) / r
    return 0.0


def imaep(gains: Gains, ideal: Gains, interpolate: bool = False) -> float | None:
    values = [ep(gains, ideal, level / 100, interpolate) for level in range(1, 101)]
    return mean(values)


def mean(values: Sequence[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined) if len(defined) == len(values) else None


def tied(gains: Gains, scores: Sequence[float | None]) -> list[list[float]]:
    """The gains of a ranking, grouped by equal scores."""
    levels: list[list[float]] = []
    for rank, gain in enumerate(gains):
        if rank and scores[rank] is not None and scores[rank] == scores[rank - 1]:
            levels[-1].append(gain)
        else:
            levels.append([gain])
    return levels


def precall(levels: Sequence[Gains], ideal: Gains, x: float, collection_size: int | None = None) -> float | None:
    if not ideal:
        return None
    whole = sum(ideal)
    need = x * whole
    retrieved = [gain for level in levels for gain in level]
    rest = list(levels)
    if collection_size is not None and levels:
        missed = len(ideal) - sum(gain > 0 for gain in retrieved)
        rest.append([0.0] * (collection_size - len(retrieved) - missed))
    before, j = 0.0, 0
    for number, level in enumerate(rest):
        last = number == len(levels)
        gain = whole - before if last else sum(level)
        nonrel = sum(value == 0 for value in level)
        if before + gain >= need - TOLERANCE * whole:
            nnr = j + nonrel * (need - before) / (1 + gain)
            return need / (need + nnr)
        before += gain
        j += nonrel
    return 0.0


def inex_eval(levels: Sequence[Gains], ideal: Gains, collection_size: int | None = None) -> float | None:
    return mean([precall(levels, ideal, level / 100, collection_size) for level in range(1, 101)])


def precision(relevant: Sequence[bool], r: int) -> float:
    return sum(relevant[:r]) / r


def average_precision(relevant: Sequence[bool], n: int) -> float | None:
    return sum(precision(relevant, r) for r in range(1, len(relevant) + 1) if relevant[r - 1]) / n if n else None


def interpolated_precision(relevant: Sequence[bool], n: int, tenths: int) -> float | None:
    reached = [precision(relevant, r) for r in range(1, len(relevant) + 1) if 10 * sum(relevant[:r]) >= tenths * n]
    return max(reached, default=0.0) if n else None


def precision_at(relevant: Sequence[bool], n: int, k: int) -> float | None:
    return precision(relevant, k) if n else None


def recall_at(relevant: Sequence[bool], n: int, k: int) -> float | None:
    return sum(relevant[:k]) / n if n else None


def f_score(relevant: Sequence[bool], n: int, k: int, beta: float = 1.0) -> float | None:
    if not n:
        return None
    p, r = sum(relevant[:k]) / k, sum(relevant[:k]) / n
    return (1 + beta**2) * p * r / (beta**2 * p + r) if r else 0.0


def reciprocal_rank(relevant: Sequence[bool], n: int) -> float | None:
    return next((1 / r for r, is_relevant in enumerate(relevant, start=1) if is_relevant), 0.0) if n else None


def dcg(grades: Gains, ideal: Gains, k: int | None = None, *, exponential: bool = False) -> float | None:
    def gain(grade: float) -> float:
        return 2.0 ** max(grade, 0.0) - 1.0 if exponential else max(grade, 0.0)

    return sum(gain(grade) / math.log2(i + 1) for i, grade in enumerate(grades[:k], start=1)) if ideal else None


def ndcg(grades: Gains, ideal: Gains, k: int | None = None, *, exponential: bool = False) -> float | None:
    found, best = (dcg(values, ideal, k, exponential=exponential) for values in (grades, ideal))
    return None if found is None or best is None else found / best
