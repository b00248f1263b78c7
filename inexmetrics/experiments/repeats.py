"""Scores of each system's individual runs; every system must have the same number of runs, and every run must have all scores."""

from __future__ import annotations

from dataclasses import replace
from itertools import compress
from typing import Final

import numpy as np

from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import enumerate_names, plural
from inexmetrics.experiments.conditions import ConditionScores, Scored
from inexmetrics.experiments.tested import check_squares
from inexmetrics.terms.parameter_types import Integer, OneOrMore, Optional

__all__ = ["REPEATS", "check_repeats", "scores_of_repeats"]

REPEATS: Final = Optional(OneOrMore(Integer(1)))
"""Type of the parameter for the number of runs per system: one number, several numbers in a tuple, or None for the number in the data."""


def check_repeats(word: str, found: Scored, repeats: int | tuple[int, ...] | None) -> None:
    """Raises `CollectionError` if numbers of runs are given and every system has a single run."""
    if repeats is not None and (found.systems is None or max(found.systems.counts.values()) == 1):
        there = "single runs" if found.systems is None else f"{found.systems}"
        raise CollectionError(
            f"{word}: repeats: expected systems with several runs each, found {there}; "
            "name the system of each run with systems= of scores_from, with Collection.by_system or with --systems"
        )


def scores_of_repeats(word: str, found: Scored, condition: ConditionScores) -> FloatArray | None:
    """Returns the scores of each system's individual runs on the U topics that are defined under a condition, shape (S, r, U).

    The result is None if every system has a single run.

    Raises:
        CollectionError: Systems have different numbers of runs, or a run lacks a score.
    """
    systems, repeats = found.systems, found.repeats
    if systems is None or repeats is None or max(systems.counts.values()) == 1:
        return None
    counts = systems.counts
    most = max(counts.values())
    if fewer := [f"{count} for {system}" for system, count in counts.items() if count < most]:
        raise CollectionError(
            f"{word}: expected the same number of runs for every system, found {plural(most, 'run')} for {len(counts) - len(fewer)} of {len(counts)} "
            f"systems, but {enumerate_names(fewer)}; only(runs=…) (--only-runs …) selects systems or runs by name"
        )
    single = np.ascontiguousarray(repeats.matrices[condition.texts][:, condition.defined])
    rows, columns = np.nonzero(np.isnan(single))
    if len(rows):
        topics = list(compress(condition.topics, condition.defined.tolist()))
        gaps = [f"run {repeats.runs[row]}: topic {topics[column]}" for row, column in zip(rows.tolist(), columns.tolist(), strict=True)]
        raise CollectionError(
            f"{word}: expected a score for every run of a system, found {plural(len(gaps), 'missing score')} under {condition.text} "
            f'({enumerate_names(gaps)}); missing="drop-topics" (--missing drop-topics) excludes these topics, and '
            "only(runs=…, topics=…) (--only-runs, --only-topics) selects runs and topics by name"
        )
    check_squares(word, [replace(condition, scores=single)])
    shape = len(systems.names), len(single) // len(systems.names), single.shape[1]
    return single[np.argsort(systems.codes, kind="stable")].reshape(shape)
