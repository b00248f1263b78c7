"""Literal implementations for systems with several runs each: means of runs, and the analysis of variance of a nested design, cell by cell."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from statistics import fmean

Cells = Mapping[tuple[int, int, int], float]
"""Scores by system, run of the system, and topic."""


def system_score(scores: Sequence[float]) -> float:
    """The mean of the existing scores of a system's runs on a topic; NaN if none exists."""
    there = [score for score in scores if not math.isnan(score)]
    return sum(there) / len(there) if there else math.nan


def mean_squares(cells: Cells, systems: int, runs: int, topics: int) -> dict[str, float]:
    """Mean squares of the design with topics crossed with runs, and runs nested in systems."""
    cell = list(product(range(systems), range(runs), range(topics)))
    whole = fmean(cells[c] for c in cell)
    of_system = [fmean(cells[i, j, k] for j in range(runs) for k in range(topics)) for i in range(systems)]
    of_topic = [fmean(cells[i, j, k] for i in range(systems) for j in range(runs)) for k in range(topics)]
    of_run = {(i, j): fmean(cells[i, j, k] for k in range(topics)) for i in range(systems) for j in range(runs)}
    of_both = {(i, k): fmean(cells[i, j, k] for j in range(runs)) for i in range(systems) for k in range(topics)}
    squares = {"system": 0.0, "topic": 0.0, "system:topic": 0.0, "run": 0.0, "residual": 0.0}
    for i, j, k in cell:
        squares["system"] += (of_system[i] - whole) ** 2
        squares["topic"] += (of_topic[k] - whole) ** 2
        squares["system:topic"] += (of_both[i, k] - of_system[i] - of_topic[k] + whole) ** 2
        squares["run"] += (of_run[i, j] - of_system[i]) ** 2
        squares["residual"] += (cells[i, j, k] - of_run[i, j] - of_both[i, k] + of_system[i]) ** 2
    df = {
        "system": systems - 1,
        "topic": topics - 1,
        "system:topic": (systems - 1) * (topics - 1),
        "run": systems * (runs - 1),
        "residual": systems * (runs - 1) * (topics - 1),
    }
    return {source: squares[source] / df[source] for source in squares}


def components(cells: Cells, systems: int, runs: int, topics: int) -> dict[str, float]:
    """The components of variance, by equating mean squares with their expectations; negative components are 0."""
    ms = mean_squares(cells, systems, runs, topics)
    found = {
        "system": (ms["system"] - ms["system:topic"] - ms["run"] + ms["residual"]) / (topics * runs),
        "topic": (ms["topic"] - ms["system:topic"]) / (systems * runs),
        "system:topic": (ms["system:topic"] - ms["residual"]) / runs,
        "run": (ms["run"] - ms["residual"]) / topics,
        "residual": ms["residual"],
    }
    return {source: max(0.0, variance) for source, variance in found.items()}


def e_rho2(of: Mapping[str, float], topics: int, repeats: int) -> float:
    """The reliability of the order of systems, from the components."""
    error = of["system:topic"] / topics + of["run"] / repeats + of["residual"] / (topics * repeats)
    return of["system"] / (of["system"] + error)


def phi(of: Mapping[str, float], topics: int, repeats: int) -> float:
    """The reliability of the systems' means, from the components."""
    error = (of["topic"] + of["system:topic"]) / topics + of["run"] / repeats + of["residual"] / (topics * repeats)
    return of["system"] / (of["system"] + error)
