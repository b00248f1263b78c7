"""Missing scores: a run lacks a score for a topic for which other runs have scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
import polars as pl

from inexmetrics.common.arrays import BoolArray
from inexmetrics.common.errors import Problem
from inexmetrics.common.messages import and_more, plural
from inexmetrics.terms.parameter_types import Choice

__all__ = ["MISSING", "Missing", "alike", "missing_scores"]

Missing: TypeAlias = Literal["error", "drop-topics", "drop-runs", "zero"]
"""Treatment of missing scores: raise an error, exclude their topics, exclude their runs, or replace the scores with 0."""
MISSING: Final = Choice(get_args(Missing))
SHOWN: Final = 3
"""Maximum number of missing scores that an error message lists."""


def missing_scores(
    gaps: Mapping[str, BoolArray], defined: Mapping[str, BoolArray], runs: Sequence[str], topics: Sequence[str], files: Mapping[str, str]
) -> Problem:
    """Returns the error about missing scores.

    Args:
        gaps: True for each missing score, by condition, shape (runs, topics); at least one score is missing.
        defined: Topics for which any run has a score, by condition, shape (topics,).
        runs: Names of the runs.
        topics: Names of the topics.
        files: File name for each run that was read from a file.
    """
    count = sum(int(of_condition.sum()) for of_condition in gaps.values())
    found = list(islice(_describe_missing(gaps, defined, runs, topics), SHOWN))
    lacking = np.any(list(gaps.values()), axis=0)
    wide, long = int(lacking.any(axis=0).sum()), int(lacking.any(axis=1).sum())
    where = {files.get(runs[code]) for code in np.flatnonzero(lacking.any(axis=1)).tolist()}
    total = count if len(found) == SHOWN else len(found)
    text = (
        f"expected a score for every run on every topic, found {plural(count, 'missing score')} ({and_more(found, total, '; ')}); "
        f'missing="drop-topics" (--missing drop-topics) excludes {wide} of {plural(len(topics), "topic")}, missing="drop-runs" excludes {long} of '
        f"{plural(len(runs), 'run')}, and Scores.only (--only-runs, --only-topics) selects runs and topics by name" + alike(topics)
    )
    return Problem(text, file=where.pop() if len(where) == 1 else None)


def _describe_missing(
    gaps: Mapping[str, BoolArray], defined: Mapping[str, BoolArray], runs: Sequence[str], topics: Sequence[str]
) -> Iterator[str]:
    """Yields descriptions of the missing scores; a run that lacks all scores under a condition has a single description."""
    for condition, of_condition in gaps.items():
        under = f" under {condition}" if condition else ""
        for code in np.flatnonzero(of_condition.any(axis=1)).tolist():
            if of_condition[code].sum() == defined[condition].sum():
                yield f"run {runs[code]}: all topics{under}"
            else:
                yield from (f"run {runs[code]}: topic {topics[topic]}{under}" for topic in np.flatnonzero(of_condition[code]).tolist())


def alike(topics: Sequence[str]) -> str:
    """Returns a hint that two topics with similar names may be the same, as the end of a message; empty if no names are similar.

    Examples:
        >>> alike(["1", "1.0", "2"]), alike(["1", "2"])
        ('; the topics 1 and 1.0 may be the same', '')
    """
    names = pl.DataFrame({"topic": topics}, schema={"topic": pl.String})
    same = pl.col("topic").str.to_lowercase().str.replace(r"\.0+$", "").str.replace(r"^([a-z_-]*)0+(\d)", "${1}${2}")
    groups = names.group_by(same.alias("same"), maintain_order=True).agg("topic").filter(pl.col("topic").list.len() > 1)
    return f"; the topics {' and '.join(groups['topic'][0].to_list())} may be the same" if groups.height else ""
