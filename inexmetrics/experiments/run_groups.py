"""Groups of runs: the best run of each participant (``best_of=``), and the scores of the single runs of systems (``repeats=``).

For repeats, every system must have the same number of runs, and every run must have all scores.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import compress
from typing import Final

import numpy as np

from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.errors import CollectionError, FormulaError
from inexmetrics.common.messages import canonical, enumerate_names, enumerate_texts, plural
from inexmetrics.common.patterns import check_pattern, first_groups
from inexmetrics.experiments.condition_scores import ConditionScores, Scored
from inexmetrics.experiments.tested import check_squares
from inexmetrics.inference.means import ranking
from inexmetrics.terms.parameter_types import Integer, OneOrMore, Optional, ParameterType

__all__ = ["BEST_OF", "REPEATS", "best_of_groups", "check_repeats", "chosen_by_scores", "scores_of_repeats"]


@dataclass(frozen=True, slots=True)
class GroupPattern(ParameterType[str]):
    """The parameter for a regular expression with at least one group in parentheses."""

    def expects(self) -> str:
        return "a regular expression with a capturing group"

    def accept(self, value: object) -> str:
        if not (isinstance(value, str) and value.isprintable()):
            raise self.refused(value)
        try:
            groups = check_pattern(value)
        except ValueError as error:
            raise FormulaError(self.refused(value).message, hint=f"the expression is wrong: {error}") from None
        if not groups:
            raise FormulaError(self.refused(value).message, hint='write parentheses, as in "([^-]+)-.*"')
        return str(value)


BEST_OF: Final = Optional(GroupPattern())
"""The parameter for the pattern that finds the group in a run's name; None compares all runs."""


def best_of_groups(word: str, found: Scored, pattern: str | None, ours: Collection[str] = ()) -> Scored:
    """Returns, for each condition, the scores of the best run of each group and of the runs in `ours`.

    The best run is the run with the highest mean (ties are broken by run_id). The runs in `ours` are kept, and all other runs of their
    groups are removed.

    Args:
        word: The name of the experiment, for messages.
        found: The scores of all runs.
        pattern: A regular expression that matches whole names of runs, and whose first capturing group is the name of a run's group; None
            keeps all runs.
        ours: Ids of runs that are always kept. A run in `ours` whose id does not match the pattern does not belong to a group.

    Raises:
        CollectionError: The name of a run that is not in `ours` does not match the pattern, or the pattern finds too few groups of runs.
    """
    if pattern is None:
        return found
    groups = first_groups(pattern, found.runs, whole=True)
    if wrong := [run for run in found.runs if run not in groups and run not in ours]:
        hint = "in a formula, a backslash only escapes the next character: write [0-9] for a digit"
        message = f"{word}: best_of: expected every run to match {canonical(pattern)} with a group that is not empty"
        raise CollectionError(f"{message}, found {plural(len(wrong), 'run')} that {'do' if len(wrong) > 1 else 'does'} not: "
                              f"{enumerate_names(wrong)}; {hint}")  # fmt: skip
    own = {groups[run] for run in ours if run in groups}
    others = {run: group for run, group in groups.items() if group not in own}
    count, least = len(set(others.values())), 1 if ours else 2
    if count < least:
        other = f"a group other than that of {', '.join(ours)}" if ours else "at least two groups"
        raise CollectionError(
            f"{word}: best_of: expected {other} among the groups that {canonical(pattern)} finds, found {count or 'none'}"
        )
    conditions = [_best_of_groups(condition, others, ours) for condition in found.conditions]
    chosen = [(condition.text, tuple(run for run in condition.runs if run not in ours)) for condition in conditions]
    each = f"{plural(count, 'group')}{' of others' if ours else ''}"
    notes = chosen_by_scores(f"best_of: {plural(len(found.runs), 'run')}, the best of each of {each}", chosen)
    return replace(found, conditions=tuple(conditions), warnings=(*found.warnings, *notes))


def chosen_by_scores(start: str, chosen: Iterable[tuple[str, tuple[str, ...]]]) -> Iterator[str]:
    """Yields warnings that runs were chosen by the scores that are tested, given the chosen runs under each condition.

    Conditions with the same chosen runs are combined in one warning.
    """
    of_runs: dict[tuple[str, ...], list[str]] = {}
    for text, names in chosen:
        of_runs.setdefault(names, []).append(text)
    for names, texts in of_runs.items():
        yield (
            f"{start} under {enumerate_texts(texts)}: {', '.join(names)}; they were chosen by their scores on the same topics, so their scores "
            "are optimistic"
        )


def _best_of_groups(condition: ConditionScores, groups: dict[str, str], ours: Collection[str]) -> ConditionScores:
    """Returns the scores of the best run of each group and of the runs in `ours`."""
    best: dict[str, str] = {}
    for row in ranking(condition.means):
        run = condition.runs[row]
        if run in groups:
            best.setdefault(groups[run], run)
    kept = {*best.values(), *ours}
    rows = np.array([run in kept for run in condition.runs])
    return replace(
        condition,
        runs=tuple(run for run in condition.runs if run in kept),
        matrix=condition.matrix[rows],
        scores=np.ascontiguousarray(condition.scores[rows]),
        means=condition.means[rows],
    )


REPEATS: Final = Optional(OneOrMore(Integer(1)))
"""Type of the parameter for the number of runs per system: one number, several numbers in a tuple, or None for the number in the data."""


def check_repeats(word: str, found: Scored, repeats: int | tuple[int, ...] | None) -> None:
    """Raises `CollectionError` if `repeats` is given, but no system has several runs."""
    if repeats is not None and (found.systems is None or max(found.systems.counts.values()) == 1):
        there = "single runs" if found.systems is None else f"{found.systems}"
        raise CollectionError(
            f"{word}: repeats: expected systems with several runs each, found {there}; "
            "name the system of each run with systems= of scores_from, with Collection.by_system or with --systems"
        )


def scores_of_repeats(word: str, found: Scored, condition: ConditionScores) -> FloatArray | None:
    """Returns the scores of each system's individual runs on the U topics for which the measure is defined, shape (S, r, U).

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
            f"({enumerate_names(gaps)}); "
            "only(runs=…, topics=…) (--only-runs, --only-topics) selects runs and topics by name"
        )
    check_squares(word, [replace(condition, scores=single)])
    shape = len(systems.names), len(single) // len(systems.names), single.shape[1]
    return single[np.argsort(systems.codes, kind="stable")].reshape(shape)
