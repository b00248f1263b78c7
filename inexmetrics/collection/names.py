"""Names of runs and topics: choosing by them, counting the topics that runs lack."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from inexmetrics.common.arrays import BoolArray
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import did_you_mean, enumerate_names, plural
from inexmetrics.terms.parameter_types import Texts, argument

__all__ = ["SCORED_0", "missing_topics", "selected"]

SCORED_0: Final = "topics missing from runs are scored 0"
"""The kind of the warning that a collection's runs lack topics."""


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
    if len(lacking) > 1:
        names = [f"{missing[code].sum()} of {len(topics)} in {runs[code]}" for code in lacking]
        return f"{len(lacking)} runs lack topics, which are {by_runs} ({enumerate_names(names)})"
    names = [topics[code] for code in np.flatnonzero(missing[lacking[0]]).tolist()]
    one, many = (f"missing from run {runs[lacking[0]]} {verb} {by_run}" for verb in ("is", "are"))
    return f"{plural(len(names), 'topic', one, many)} ({enumerate_names(names)})"


def selected(what: str, names: str | Iterable[str] | None, known: Sequence[str]) -> tuple[str, ...]:
    """The names asked for, once each and in string order; all there are for None.

    Raises:
        CollectionError: A name is not among those known, or none is asked for.
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
