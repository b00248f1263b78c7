"""Equivalence and non-inferiority within a margin: their columns, the sentences of findings, and warnings about their claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from inexmetrics.common import errors, messages
from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.condition_scores import ConditionScores
from inexmetrics.experiments.findings import Row, apart, extremes, in_parentheses, p_text, sentence
from inexmetrics.experiments.tables import Column
from inexmetrics.experiments.tested import Caution
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.equivalence import OneSided, one_sided_tests, topics_without_difference
from inexmetrics.inference.paired_t import PairedT
from inexmetrics.terms import Number, Optional

__all__ = [
    "EQUIVALENT",
    "MARGIN",
    "NOT_WORSE",
    "P_EQUIVALENT",
    "check_margin",
    "compared_within",
    "doubted",
    "doubts",
    "equivalence_columns",
    "equivalences_of_conditions",
    "equivalences_of_pairs",
    "first_of",
    "of_two_runs",
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

SMALL: Final = "most of their differences are within the margin, so that rare large ones may be missing"
"""The doubt about a claim of equivalence or non-inferiority, in warnings and findings."""


def check_margin(word: str, test: SignificanceTest, margin: float | None) -> None:
    """Raises `FormulaError` if there is a margin and the test is not `t`; equivalence tests need the standard error of the t test."""
    if margin is not None and not isinstance(test, PairedT):
        raise errors.FormulaError(f"{word}: margin: expected the test t, found {test}", hint="write | t, or omit margin")


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
    p_values, for_claims, _ = tests.equivalent
    return {"p_equivalent": correction.adjusted(p_values), "equivalent": correction.rejected(for_claims)}


def doubts(
    rule: tuple[SignificanceTest, Correction],
    condition: ConditionScores,
    pairs: tuple[IntArray, IntArray],
    margin: float,
    tests: OneSided,
    *,
    not_worse: bool = False,
) -> tuple[Caution, ...]:
    """Returns warnings if rare large differences may be missing: of claims that are not made, and of claims that are made all the same.

    Claims are those of equivalence; with `not_worse`, also those of non-inferiority.
    """
    test, correction = rule
    gone = np.zeros((2, len(pairs[0])), dtype=np.bool_)
    for family in [tests.equivalent, *([tests.non_inferior] if not_worse else [])]:
        rejected = np.stack([correction.rejected(p_values) for p_values in family])
        # A correction may reject fewer hypotheses because of other pairs: no doubt falls on a pair whose own p-value is not larger.
        gone |= rejected[:-1] & ~rejected[1:] & (family[1:] > family[:-1])
    lost, unsure = gone
    noun = "topic" if test.clusters is None else "cluster"
    claim = f"equivalence{' or non-inferiority' if not_worse else ''} within {messages.canonical(margin)}"
    doubt = doubted(condition.text, claim, first_of(condition.runs, pairs, unsure), noun)
    if not lost.any():
        return doubt
    enough = topics_without_difference(condition.scores, margin, correction.first_step(len(lost)))
    text = (
        f"under {condition.text}, the differences of {first_of(condition.runs, pairs, lost)} are equal on so many {noun}s that rare large "
        f"differences may be missing; {claim} is not claimed where it depends on this"
    )
    return Caution(text + (f"; runs without any difference need {messages.plural(enough, noun)}" if enough else ""), "withheld"), *doubt


def doubted(condition: str, claim: str, pairs: str, noun: str) -> tuple[Caution, ...]:
    """Returns a warning if a claim is made of some pairs of runs although rare large differences may be missing."""
    if not pairs:
        return ()
    return (
        Caution(f"under {condition}, {claim} is claimed of {pairs}, but {SMALL}; more {noun}s settle it", "doubted", doubts_claims=True),
    )


def first_of(runs: Sequence[str], pairs: tuple[IntArray, IntArray], which: BoolArray) -> str:
    """Returns the names of the first of some pairs of runs, and the number of the others; empty for no pair.

    Examples:
        >>> first_of("abc", (np.array([0, 0]), np.array([1, 2])), np.array([True, True]))
        'a and b (and of 1 further pair)'
    """
    if not which.any():
        return ""
    first, second = (runs[side[which.argmax()]] for side in pairs)
    others = int(which.sum()) - 1
    more = f"and of {messages.plural(others, 'further pair')}" if others else ""
    return f"{first} and {second}{in_parentheses(more)}"


def within(margin: float) -> str:
    """Formats a margin for a sentence about equivalent runs.

    Examples:
        >>> within(0.02)
        'the same within ±0.02'
    """
    return f"the same within ±{messages.canonical(margin)}"


def of_two_runs(row: Row, margin: float, alpha: float, *, doubted: bool) -> str:
    """Returns the sentence on whether the two runs of a row are equivalent, which follows the sentence on their difference.

    If a warning of the result doubts the claim, a further sentence says so.
    """
    doubt = f" {sentence(SMALL)}." if doubted else ""
    p = in_parentheses(p_text(row["p_equivalent"], alpha=alpha))
    if row["equivalent"]:
        if row["significant"]:
            return f" Nevertheless, the two are {within(margin)}{p}: they differ, but by less than that.{doubt}"
        return f" The two are {within(margin)}{p}, which is not the same as 'not significantly different'.{doubt}"
    better = f"; {row['run_id']} is not worse by {messages.canonical(margin)} or more" if row.get("not_worse") else ""
    if row["p_equivalent"] <= alpha:  # not claimed, because rare large differences may be missing
        return f" The two are not shown to be {within(margin)}, because nearly all their differences are equal{better}.{doubt}"
    undecided = "" if row["significant"] else " either: whether they differ is undecided"
    return f" The two are not shown to be {within(margin)}{p}{undecided}{better}.{doubt}"


def equivalences_of_pairs(rows: Sequence[Row], margin: float) -> str:
    """Returns the sentence on the number of equivalent pairs of runs under one condition."""
    equivalent = [row for row in rows if row["equivalent"]]
    differ = sum(row["significant"] for row in equivalent)
    undecided = sum(not (row["significant"] or row["equivalent"]) for row in rows)
    too = f" ({differ} of them also differ{'' if differ > 1 else 's'} significantly)" if differ else ""
    said = f"{len(equivalent) or 'No'} {'pair is' if len(equivalent) == 1 else 'pairs are'} shown to be {within(margin)}{too}"
    if not undecided:
        return f" {said}; none is undecided."
    return f" {said}; {undecided} {'is' if undecided == 1 else 'are'} undecided, neither different nor shown to be the same."


def equivalences_of_conditions(summaries: Sequence[Mapping[str, object]], margin: float, noun: str) -> str:
    """Returns the sentence on the number of equivalent pairs of runs under several conditions, from the rows of table ``summary``."""
    rows: list[Row] = [dict(row) for row in summaries]
    fewest, most = extremes(rows, lambda row: row["equivalent"])
    if fewest["equivalent"] == most["equivalent"]:
        count = most["equivalent"]
        return f" Under each of them, {count or 'no'} {'pair is' if count == 1 else 'pairs are'} shown to be {within(margin)}."
    (here, there), _ = apart([fewest, most], noun)
    return f" From {fewest['equivalent']} (under {here}) to {most['equivalent']} (under {there}) pairs are shown to be {within(margin)}."
