"""Names of runs and topics: selection by name, and warnings about topics for which runs lack results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from inexmetrics.common.arrays import BoolArray
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import did_you_mean, enumerate_names, plural
from inexmetrics.terms.parameter_types import Texts, argument

__all__ = ["ANSWERED", "SCORED_0", "missing_topics", "selected", "unanswered_topics"]

ANSWERED: Final = "answered"
"""Name that selects the topics for which at least one run has results, unless a topic has this name."""
SCORED_0: Final = "topics missing from runs are scored 0"
"""Kind of warnings about topics for which runs lack results."""


def missing_topics(
    missing: BoolArray, runs: Sequence[str], topics: Sequence[str], by_run: str = "scored 0", by_runs: str = "scored 0"
) -> str:
    """Returns the warning about topics for which runs lack results.

    Args:
        missing: Topics for which each run lacks results, shape (runs, topics); at least one value is True.
        runs: Names of the runs.
        topics: Names of the topics.
        by_run: Treatment of the missing topics, such as "scored 0", for the warning about a single run.
        by_runs: Treatment of the missing topics for the warning about several runs.
    """
    lacking = np.flatnonzero(missing.any(axis=1)).tolist()
    if len(lacking) > 1:
        names = [f"{missing[code].sum()} of {len(topics)} in {runs[code]}" for code in lacking]
        return f"{len(lacking)} runs lack topics, which are {by_runs} ({enumerate_names(names)})"
    names = [topics[code] for code in np.flatnonzero(missing[lacking[0]]).tolist()]
    one, many = (f"missing from run {runs[lacking[0]]} {verb} {by_run}" for verb in ("is", "are"))
    return f"{plural(len(names), 'topic', one, many)} ({enumerate_names(names)})"


def unanswered_topics(
    missing: BoolArray, runs: Sequence[str], topics: Sequence[str], by_run: str = "scored 0", by_runs: str = "scored 0"
) -> list[str]:
    """Returns a warning about topics for which all runs lack results, and a warning about topics for which only some runs lack results.

    Args:
        missing: Topics for which each run lacks results, shape (runs, topics).
        runs: Names of the runs.
        topics: Names of the topics.
        by_run: Treatment of the missing topics, such as "scored 0", for the warning about a single run.
        by_runs: Treatment of the missing topics for the warning about several runs.

    Examples:
        >>> unanswered_topics(np.array([[True, True, False], [False, True, False]]), "ab", "123")[1]
        '1 topic missing from run a is scored 0 (1)'
    """
    unanswered = missing.all(axis=0) & (len(runs) > 1)
    names = [topics[code] for code in np.flatnonzero(unanswered).tolist()]
    excludes = f'topics="{ANSWERED}" (--only-topics {ANSWERED}) excludes {"it" if len(names) == 1 else "them"}'
    texts = (
        [f"{plural(len(names), 'topic', 'is', 'are')} answered by no run and {by_runs} ({enumerate_names(names)}); {excludes}"]
        if names
        else []
    )
    partly = missing & ~unanswered
    return [*texts, missing_topics(partly, runs, topics, by_run, by_runs)] if partly.any() else texts


def selected(what: str, names: str | Iterable[str] | None, known: Sequence[str]) -> tuple[str, ...]:
    """Returns the requested names in lexicographic order, without duplicates. None requests all known names.

    Raises:
        CollectionError: A name is unknown, or the selection is empty.
    """
    if names is None:
        return tuple(known)
    wanted = sorted(set(argument(f"{what}s", Texts(f"names of {what}s"), names)))
    there = set(known)
    unknown = [name for name in wanted if name not in there]
    if unknown:
        hints = [did_you_mean(name, known) or f"expected one of {enumerate_names(known)}" for name in unknown]
        raise CollectionError(Problem(f"unknown {what} {name!r}; {hint}") for name, hint in zip(unknown, hints, strict=True))
    if not wanted:
        raise CollectionError(f"expected the name of a {what}, found none")
    return tuple(wanted)
