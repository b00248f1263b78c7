"""Names of runs and topics: choosing by them, listing them, counting what lacks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from inexmetrics.common.arrays import BoolArray
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.wording import did_you_mean, plural

__all__ = ["enumerate_names", "missing_topics", "says_scored_0", "selected"]

SHOWN_NAMES = 5


def enumerate_names(names: Sequence[str]) -> str:
    """The first few names, and how many more there are."""
    shown = ", ".join(names[:SHOWN_NAMES])
    return shown if len(names) <= SHOWN_NAMES else f"{shown} and {len(names) - SHOWN_NAMES} more"


def missing_topics(
    missing: BoolArray, runs: Sequence[str], topics: Sequence[str], by_run: str = "scored 0", by_runs: str = "scored 0"
) -> str:
    """The warning of topics that runs lack.

    Args:
        missing: Whether a run lacks a topic, runs x topics; at least one does.
        runs: The runs.
        topics: The topics.
        by_run: What becomes of the topics where one run lacks them.
        by_runs: Likewise where several do.
    """
    lacking = np.flatnonzero(missing.any(axis=1)).tolist()
    number = int(missing.sum())
    verb = "is" if number == 1 else "are"
    if len(lacking) == 1:
        names = [topics[code] for code in np.flatnonzero(missing[lacking[0]]).tolist()]
        return f"{plural(number, 'topic')} missing from run {runs[lacking[0]]} {verb} {by_run} ({enumerate_names(names)})"
    counts = [f"{missing[code].sum()} in {runs[code]}" for code in lacking]
    return f"{plural(number, 'topic')} missing from {len(lacking)} runs {verb} {by_runs} ({enumerate_names(counts)})"


def says_scored_0(warning: str) -> bool:
    """Whether a warning says, in the words of `missing_topics`, that topics which runs lack are scored 0."""
    return re.match(r"\d+ topics? missing from .+ (is|are) scored 0 \(", warning) is not None


def selected(what: str, names: str | Iterable[str] | None, known: Sequence[str]) -> tuple[str, ...]:
    """The names asked for, once each and in string order; all there are for None.

    Raises:
        CollectionError: A name is not among those known, or none is asked for.
    """
    if names is None:
        return tuple(known)
    wanted = sorted({names} if isinstance(names, str) else set(names))
    there = set(known)
    problems = [Problem(_unknown(what, name, known)) for name in wanted if name not in there]
    if problems:
        raise CollectionError(problems)
    if not wanted:
        raise CollectionError(f"expected the name of a {what}, found none")
    return tuple(wanted)


def _unknown(what: str, name: str, known: Sequence[str]) -> str:
    hint = did_you_mean(name, known)
    return f"unknown {what} {name!r}; " + (hint or f"expected one of {enumerate_names(known)}")
