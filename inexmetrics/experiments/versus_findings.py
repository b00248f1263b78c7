"""What versus found, in a sentence: how many runs differ significantly from a baseline, and which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from inexmetrics.common.messages import canonical, plural
from inexmetrics.experiments.findings import (
    Row,
    all_of,
    any_of,
    apart,
    by_condition,
    comma_list,
    extremes,
    in_parentheses,
    named_run,
    not_defined,
    others_between,
    p_text,
    part_of,
    under,
    with_interval,
)
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.corrections import Unadjusted

__all__ = ["finding_of_comparisons"]

NAMED = 3
"""Runs that are named at most; of more, the first two."""


class _Case(NamedTuple):
    """A baseline under a condition: a row of its comparisons, its opponents, and those that are significantly better and worse than it."""

    row: Row
    opponents: int
    better: list[str]
    worse: list[str]

    @classmethod
    def of(cls, part: pl.DataFrame) -> _Case:
        found = part.filter("significant")
        ahead = found["difference"] < 0
        return cls(
            part.row(0, named=True), part.height, found.filter(ahead)["opponent"].to_list(), found.filter(~ahead)["opponent"].to_list()
        )

    @property
    def differing(self) -> int:
        return len(self.better) + len(self.worse)

    @property
    def counts(self) -> tuple[int, int]:
        return len(self.better), len(self.worse)


def finding_of_comparisons(comparisons: pl.DataFrame, test: SignificanceTest, correction: Correction, noun: str, *, interval: float) -> str:
    """Return what was found of runs and their opponents.

    Args:
        comparisons: The table ``versus``.
        test: The significance test.
        correction: The correction.
        noun: What sets the conditions apart.
        interval: The confidence level of intervals.
    """
    rows = comparisons.drop_nulls("mean")
    if not rows.height:
        return not_defined(by_condition(comparisons))
    if comparisons.height == 1:
        return _of_one_opponent(rows.row(0, named=True), interval)
    cases = [_Case.of(part) for part in rows.partition_by("measure", "quantisation", "run_id", maintain_order=True)]
    tails = "two" if test.two_tailed else "one"
    corrected = "not corrected" if isinstance(correction, Unadjusted) else correction.word
    tested = f"paired {tails}-tailed {test.word}, {corrected}, alpha = {canonical(correction.alpha)}"
    if len(cases) == 1:
        return f"By {under(cases[0].row)}, {_of_one_baseline(cases[0], tested)}"
    return _of_cases(cases, noun, tested)


def _of_one_opponent(row: Row, interval: float) -> str:
    """Return what was found of a run and its only opponent."""
    value = with_interval(row["difference"], row["low"], row["high"], interval, p_text(row["p_adjusted"], below=row["p_value"] == 0.0))
    verdict = "significant" if row["significant"] else "not significant"
    return f"The mean {under(row)} of {named_run(row['run_id'])} less that of {named_run(row['opponent'])} is {value}, which is {verdict}."


def _of_one_baseline(case: _Case, tested: str) -> str:
    differ = f"{part_of(case.differing, case.opponents, 'run')} {'differ' if case.differing > 1 else 'differs'}"
    sides = [
        f"{_named(runs)} {'are' if len(runs) > 1 else 'is'} {side}"
        for runs, side in ((case.better, "better"), (case.worse, "worse"))
        if runs
    ]
    which = f": {', '.join(sides)}" if sides else ""
    return f"{differ} significantly from {named_run(case.row['run_id'])} ({tested}){which}."


def _of_cases(cases: Sequence[_Case], noun: str, tested: str) -> str:
    """Return what was found of several baselines, conditions, or both."""
    baselines = list(dict.fromkeys(case.row["run_id"] for case in cases))
    conditions = list({(case.row["measure"], case.row["quantisation"]): case.row for case in cases}.values())
    names, rest = apart(conditions, noun)
    of_condition = dict(zip(((row["measure"], row["quantisation"]) for row in conditions), names, strict=True))
    first, opponents = cases[0], cases[0].opponents
    of = f"Of {plural(opponents, 'run')}, "
    if len({case.counts for case in cases}) == 1:
        some = bool(first.differing)
        each, asked = (all_of, all_of) if some else (any_of, any_of)
        against = named_run(baselines[0]) if len(baselines) == 1 else each(len(baselines), "baseline")
        where = f" by {under(first.row)}" if len(conditions) == 1 else f" under {asked(len(conditions), noun)}"
        sides = _sides(first)
        differ = f"{first.differing or 'none'} {'differ' if first.differing > 1 else 'differs'}"
        return f"{of}{differ} significantly from {against}{where}{in_parentheses(sides, tested)}."
    low, high = extremes(cases, lambda case: case.differing + len(case.better) / (opponents + 1))
    told: list[str] = []
    for case in sorted((low, high), key=cases.index):
        against = f" from {named_run(case.row['run_id'])}" if len(baselines) > 1 or not told else ""
        where = f" under {of_condition[case.row['measure'], case.row['quantisation']]}" if len(conditions) > 1 else ""
        verb = "" if told else f" {'differs' if case.differing == 1 else 'differ'} significantly"
        told.append(f"{case.differing or 'none'}{verb}{against}{where}{in_parentheses(_sides(case))}")
    common = f" by {under(first.row)}" if len(conditions) == 1 else ""
    between = others_between(len(cases), noun if len(baselines) == 1 else "case")
    return f"{of}{told[0]} and {told[1]}{common}{between}{in_parentheses(rest if not common else '', tested)}."


def _sides(case: _Case) -> str:
    better, worse = case.counts
    return f"{better} better, {worse} worse" if case.differing else ""


def _named(runs: Sequence[str]) -> str:
    """Return up to three names; of more, two and the number of the others."""
    names = [named_run(run) for run in runs]
    return comma_list(names) if len(names) <= NAMED else f"{names[0]}, {names[1]} and {len(names) - 2} more"
