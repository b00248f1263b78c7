"""Selection of runs and topics by name, and messages about missing data.

Data are missing if a run lacks results for a topic, or if it lacks a score for a topic for which another run has a score.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, get_args

import numpy as np
import polars as pl

from inexmetrics.common.arrays import BoolArray
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import LONGEST_NAME, and_more, did_you_mean, enumerate_names, option, plural, shortened
from inexmetrics.common.options import Missing
from inexmetrics.terms.parameter_types import Choice, Texts, argument

__all__ = [
    "ANSWERED",
    "MISSING",
    "SCORED_0",
    "WHERE_DEFINED",
    "Missing",
    "alike",
    "counted_as_0",
    "missing_scores",
    "missing_topics",
    "selected",
    "unanswered_topics",
]

ANSWERED: Final = "answered"
"""Name that selects the topics for which at least one run has results, unless a topic has this name."""
SCORED_0: Final = "topics missing from runs are scored 0"
"""Value of `Problem.kind` in warnings about topics for which runs lack results."""
WHERE_DEFINED: Final = "scored 0 where defined"
"""Treatment of topics without results, as long as no measure has decided for which topics it is defined."""


def missing_topics(
    missing: BoolArray, runs: Sequence[str], topics: Sequence[str], by_run: str = "scored 0", by_runs: str = "scored 0"
) -> str:
    """Returns the warning about topics for which runs lack results.

    Args:
        missing: Whether each run lacks results for each topic, shape (runs, topics); at least one value is True.
        runs: Names of the runs.
        topics: Names of the topics.
        by_run: Text that describes the treatment of missing topics in a warning about a single run, by default "scored 0".
        by_runs: Text that describes the treatment of missing topics in a warning about several runs, by default "scored 0".
    """
    lacking = np.flatnonzero(missing.any(axis=1)).tolist()
    if len(lacking) > 1:
        names = [f"{runs[code]}: {missing[code].sum()} of {plural(len(topics), 'topic')}" for code in lacking]
        return f"{len(lacking)} runs lack results for some topics, which are {by_runs} ({enumerate_names(names)})"
    names = [topics[code] for code in np.flatnonzero(missing[lacking[0]]).tolist()]
    one, many = (f"missing from run {runs[lacking[0]]} {verb} {by_run}" for verb in ("is", "are"))
    return f"{plural(len(names), 'topic', one, many)} ({enumerate_names(names)})"


def counted_as_0(missing: BoolArray, runs: Sequence[str], topics: Sequence[str]) -> str:
    """Returns the warning about missing scores that count as 0.

    Args:
        missing: Whether the score of each run for each topic is missing, shape (runs, topics); at least one value is True.
        runs: Names of the runs.
        topics: Names of the topics.

    Examples:
        >>> counted_as_0(np.array([[True, False], [True, True]]), "ab", "12")
        '3 missing scores of 2 runs count as 0, the best score if lower scores are better (a: 1 of 2 topics, b: 2 of 2 topics)'
    """
    lacking, count = np.flatnonzero(missing.any(axis=1)).tolist(), int(missing.sum())
    of, names = f"{len(lacking)} runs", [f"{runs[code]}: {missing[code].sum()} of {plural(len(topics), 'topic')}" for code in lacking]
    if len(lacking) == 1:
        of, names = f"run {runs[lacking[0]]}", [topics[code] for code in np.flatnonzero(missing[lacking[0]]).tolist()]
    return f"{plural(count, 'missing score')} of {of} {'counts' if count == 1 else 'count'} as 0, the best score if lower scores are better ({enumerate_names(names)})"


def unanswered_topics(
    missing: BoolArray, runs: Sequence[str], topics: Sequence[str], by_run: str = WHERE_DEFINED, by_runs: str = WHERE_DEFINED
) -> list[str]:
    """Returns a warning about topics for which all runs lack results, and a warning about topics for which only some runs lack results.

    Args:
        missing: Whether each run lacks results for each topic, shape (runs, topics).
        runs: Names of the runs.
        topics: Names of the topics.
        by_run: Text that describes the treatment of missing topics in a warning about a single run, by default `WHERE_DEFINED`.
        by_runs: Text that describes the treatment of missing topics in a warning about several runs, by default `WHERE_DEFINED`.

    Examples:
        >>> unanswered_topics(np.array([[True, True, False], [False, True, False]]), "ab", "123")[1]
        '1 topic missing from run a is scored 0 where defined (1)'
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
    """Returns the requested names in lexicographic order, without duplicates. If `names` is None, returns all known names.

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


MISSING: Final = Choice(get_args(Missing))
LISTED: Final = 10
"""Maximum number of runs that an error message recommends by name."""
SHOWN: Final = 3
"""Maximum number of missing scores that an error message lists."""


def missing_scores(
    gaps: Mapping[str, BoolArray],
    defined: Mapping[str, BoolArray],
    runs: Sequence[str],
    topics: Sequence[str],
    files: Mapping[str, str],
    *,
    excluded: tuple[BoolArray, BoolArray],
    drop_topics: bool,
) -> Problem:
    """Returns the error about missing scores.

    Args:
        gaps: True for each missing score, by condition, shape (runs, topics); at least one score is missing.
        defined: Topics for which any run has a score, by condition, shape (topics,).
        runs: Names of the runs.
        topics: Names of the topics.
        files: File name for each run that was read from a file.
        excluded: Whether ``missing="drop-topics"`` excludes each topic, and whether ``missing="drop-runs"`` excludes each run.
        drop_topics: Whether ``missing="drop-topics"`` was given; it applies when an experiment uses the scores.
    """
    count = sum(int(of_condition.sum()) for of_condition in gaps.values())
    found = list(islice(_describe_missing(gaps, defined, runs, topics), SHOWN))
    lacking = np.any(list(gaps.values()), axis=0)
    wide, long = (int(of.sum()) for of in excluded)
    of_all = "" if long == int(lacking.any(axis=1).sum()) else " by the scores under all measures"
    way = 'Scores.complete("drop-topics")' if drop_topics else option(missing="drop-topics")
    where = {files.get(runs[code]) for code in np.flatnonzero(lacking.any(axis=1)).tolist()}
    total = count if len(found) == SHOWN else len(found)
    ways = [f"{way} excludes {wide} of {plural(len(topics), 'topic')}"] if wide < len(topics) else []
    ways += [f"{option(missing='drop-runs')} excludes {long} of {plural(len(runs), 'run')}{of_all}"] if long < len(runs) else []
    if not ways:
        ways = ["each topic and each run has missing scores, so that excluding all of either leaves none", *_most_complete(lacking, runs)]
    ways.append("and Scores.only (--only-runs, --only-topics) selects runs and topics by name")
    text = (
        f"expected a score for every run on every topic, found {plural(count, 'missing score')} ({and_more(found, total, '; ')}); "
        + ", ".join(ways)
        + alike(topics)
    )
    return Problem(text, file=where.pop() if len(where) == 1 else None)


def _most_complete(lacking: BoolArray, runs: Sequence[str]) -> Iterator[str]:
    """Yields the way to keep the runs with the fewest missing scores, of which most scores remain on the topics that all have."""
    order = np.argsort(lacking.sum(axis=1), kind="stable").tolist()
    kept = [(count, int((~lacking[order[:count]].any(axis=0)).sum())) for count in range(2, min(len(runs), LISTED + 1))]
    count, topics = max(kept, key=lambda of: of[0] * of[1], default=(0, 0))
    if topics:
        names = [runs[code] for code in sorted(order[:count])]
        yield f"{option(only_runs=names, missing='drop-topics')} keeps {plural(topics, 'topic')}"


def _describe_missing(
    gaps: Mapping[str, BoolArray], defined: Mapping[str, BoolArray], runs: Sequence[str], topics: Sequence[str]
) -> Iterator[str]:
    """Yields descriptions of the missing scores; a run that lacks all scores under a condition has a single description."""
    for condition, of_condition in gaps.items():
        under = f" under {condition}" if condition else ""
        for code in np.flatnonzero(of_condition.any(axis=1)).tolist():
            if of_condition[code].sum() == defined[condition].sum():
                yield f"run {shortened(runs[code], LONGEST_NAME)}: all topics{under}"
            else:
                run = shortened(runs[code], LONGEST_NAME)
                yield from (
                    f"run {run}: topic {shortened(topics[topic], LONGEST_NAME)}{under}"
                    for topic in np.flatnonzero(of_condition[code]).tolist()
                )


def alike(names: Sequence[str], what: str = "topics") -> str:
    """Returns a hint that two topics or runs with similar names may be the same, as the end of a message; empty if no names are similar.

    Examples:
        >>> alike(["1", "1.0", "2"]), alike(["1", "2"]), alike(["Yi", "yi", "Mistral"], "runs")
        ('; the topics 1 and 1.0 may be the same', '', '; the runs Yi and yi may be the same')
    """
    same = pl.col("name").str.to_lowercase().str.replace(r"\.0+$", "").str.replace(r"^([a-z_-]*)0+(\d)", "${1}${2}")
    groups = pl.DataFrame({"name": names}, schema={"name": pl.String}).group_by(same.alias("same"), maintain_order=True).agg("name")
    those = next((group for group in groups["name"].to_list() if len(group) > 1), None)
    return "" if those is None else f"; the {what} {' and '.join(those)} may be the same"
