"""Equivalence and non-inferiority within a margin: their columns, the sentences of findings, and a warning if they are not claimed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.errors import FormulaError
from inexmetrics.common.messages import canonical, plural
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.condition_scores import ConditionScores
from inexmetrics.experiments.findings import Row, apart, extremes, in_parentheses, p_text
from inexmetrics.experiments.tables import Column
from inexmetrics.experiments.tested import Caution
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.equivalence import OneSided, one_sided_tests, topics_without_difference
from inexmetrics.inference.paired_t import PairedT
from inexmetrics.terms.parameter_types import Number, Optional

__all__ = [
    "EQUIVALENT",
    "MARGIN",
    "NOT_WORSE",
    "P_EQUIVALENT",
    "check_margin",
    "compared_within",
    "equivalence_columns",
    "equivalences_of_conditions",
    "equivalences_of_pairs",
    "of_two_runs",
    "withheld",
    "within",
]

MARGIN: Final = Optional(Number(above=0.0))
"""The parameter for the difference of means below which two runs are treated as equivalent; with None, equivalence is not tested."""
P_EQUIVALENT: Final = Column(
    float,
    "the adjusted p-value of the two one-sided t tests of the null hypothesis that the means differ by the margin or more",
    at_least=0,
    at_most=1,
    option="margin",
)
EQUIVALENT: Final = Column(
    bool,
    "whether the runs are equivalent within the margin: p_equivalent <= alpha; false if so many differences are equal that rare large ones may "
    "be missing",
    option="margin",
)
NOT_WORSE: Final = Column(
    bool,
    "whether the run is non-inferior: a one-sided t test rejects the hypothesis that the run is worse than the opponent by the margin or "
    "more (adjusted p-value <= alpha); false if so many differences are equal that rare large ones may be missing",
    option="margin",
)


def check_margin(word: str, test: SignificanceTest, margin: float | None) -> None:
    """Raises `FormulaError` if there is a margin and the test is not `t`; equivalence tests need the standard error of the t test."""
    if margin is not None and not isinstance(test, PairedT):
        raise FormulaError(f"{word}: margin: expected the test t, found {test}", hint="write | t, or omit margin")


def compared_within(
    test: SignificanceTest, condition: ConditionScores, first: IntArray, second: IntArray, *, margin: float, setting: RunOptions
) -> OneSided:
    """Returns the one-sided tests of pairs of runs against the margin, under one condition; `test` is a t test (see `check_margin`)."""
    on_clusters = test.on_clusters(condition.clusters)
    if not isinstance(on_clusters, PairedT):
        raise TypeError(f"expected a t test, found {on_clusters}")
    return one_sided_tests(on_clusters, condition.scores, first, second, margin=margin, setting=setting)


def equivalence_columns(correction: Correction, tests: OneSided) -> dict[str, FloatArray | BoolArray]:
    """Returns the columns p_equivalent and equivalent for a family of pairs of runs."""
    adjusted = correction.adjusted(tests.p_values)
    return {"p_equivalent": adjusted, "equivalent": correction.rejected(tests.checked)}


def withheld(
    rule: tuple[SignificanceTest, Correction], condition: ConditionScores, pairs: tuple[IntArray, IntArray], margin: float, tests: OneSided
) -> tuple[Caution, ...]:
    """Returns a warning if equivalence or non-inferiority is not claimed because nearly all differences of a pair of runs are equal."""
    test, correction = rule
    lost = correction.rejected(tests.p_values) & ~correction.rejected(tests.checked)
    lost |= correction.rejected(tests.not_below) & ~correction.rejected(tests.checked_not_below)
    if not lost.any():
        return ()
    noun = "topic" if test.clusters is None else "cluster"
    first, second = (condition.runs[side[lost.argmax()]] for side in pairs)
    more = f" (and of {plural(others, 'further pair')})" if (others := int(lost.sum()) - 1) else ""
    enough = topics_without_difference(condition.scores, margin, correction.first_step(len(lost)))
    text = (
        f"under {condition.text}, the differences of {first} and {second}{more} are equal on so many {noun}s that rare large differences may "
        f"be missing; equivalence and non-inferiority within {canonical(margin)} are not claimed where they depend on this"
    )
    return (Caution(text + (f"; runs without any difference need {plural(enough, noun)}" if enough else ""), "withheld"),)


def within(margin: float) -> str:
    """Formats a margin for a sentence about equivalent runs.

    Examples:
        >>> within(0.02)
        'the same within ±0.02'
    """
    return f"the same within ±{canonical(margin)}"


def of_two_runs(row: Row, margin: float, alpha: float) -> str:
    """Returns the sentence on whether the two runs of a row are equivalent, which follows the sentence on their difference."""
    p = in_parentheses(p_text(row["p_equivalent"], alpha=alpha))
    if row["equivalent"]:
        if row["significant"]:
            return f" Nevertheless, the two are {within(margin)}{p}: they differ, but by less than that."
        return f" The two are {within(margin)}{p}, which is not the same as 'not significantly different'."
    better = f"; {row['run_id']} is not worse by {canonical(margin)} or more" if row.get("not_worse") else ""
    if row["p_equivalent"] <= alpha:  # not claimed, because rare large differences may be missing
        return f" The two are not shown to be {within(margin)}, because nearly all their differences are equal{better}."
    undecided = "" if row["significant"] else " either: whether they differ is undecided"
    return f" The two are not shown to be {within(margin)}{p}{undecided}{better}."


def equivalences_of_pairs(rows: Sequence[Row], margin: float) -> str:
    """Returns the sentence on the number of equivalent pairs of runs under one condition."""
    equivalent = [row for row in rows if row["equivalent"]]
    differ = sum(row["significant"] for row in equivalent)
    undecided = sum(not (row["significant"] or row["equivalent"]) for row in rows)
    too = f" ({differ} of them also differ{'' if differ > 1 else 's'} significantly)" if differ else ""
    said = f"{len(equivalent) or 'No'} {'pair is' if len(equivalent) == 1 else 'pairs are'} {within(margin)}{too}"
    if not undecided:
        return f" {said}; none is undecided."
    return f" {said}; {undecided} {'is' if undecided == 1 else 'are'} undecided, neither different nor shown to be the same."


def equivalences_of_conditions(summaries: Sequence[Mapping[str, object]], margin: float, noun: str) -> str:
    """Returns the sentence on the number of equivalent pairs of runs under several conditions, from the rows of table ``summary``."""
    rows: list[Row] = [dict(row) for row in summaries]
    fewest, most = extremes(rows, lambda row: row["equivalent"])
    if fewest["equivalent"] == most["equivalent"]:
        count = most["equivalent"]
        return f" Under each of them, {count or 'no'} {'pair is' if count == 1 else 'pairs are'} {within(margin)}."
    (here, there), _ = apart([fewest, most], noun)
    return f" {within(margin).capitalize()} are {fewest['equivalent'] or 'none'} under {here} to {most['equivalent']} under {there}."
