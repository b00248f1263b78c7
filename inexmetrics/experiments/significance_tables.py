"""Tables and printed forms of `significance`, and sentences about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from string import ascii_lowercase
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.common.messages import describe
from inexmetrics.experiments import findings as say
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.margins import EQUIVALENT, P_EQUIVALENT
from inexmetrics.experiments.tables import EFFECT_SIZE, HIGH, LOW, P_ADJUSTED, P_VALUE, RUN_ID, SIGNIFICANT, Column, OfCondition
from inexmetrics.experiments.tested import Tested
from inexmetrics.inference import conclusions, ranks
from inexmetrics.inference.true_claims import true_at_least
from inexmetrics.report import CONDITION, Printed, narrowing, numbered, side_by_side

__all__ = [
    "FEW_RUNS",
    "LETTERS",
    "RunCounts",
    "RunPairs",
    "SignificanceSummary",
    "condition_on",
    "counts_beside",
    "differing_by_condition",
    "letters_of",
    "part_true",
    "some_pairs",
    "true_by_condition",
    "true_claims",
]

LETTERS: Final = "best mean first; runs sharing a letter do not differ significantly (Piepho 2004)"


FEW_RUNS: Final = 25
"""Maximum number of runs for which a compact letter display is printed.

For more runs, the numbers of significantly worse and significantly better runs are printed for each run.
"""


class RunPairs(OfCondition):
    """The difference between the two runs of each pair, sorted by p_value, better, worse. Runs with equal means are ordered by run_id."""

    better = Column(str, "the run with the higher mean")
    worse = Column(str, "the run with the lower mean")
    difference = Column(
        float,
        "the mean of the better run minus the mean of the worse run",
        "where the measure is defined for no topic",
        negated="difference",
    )
    low = LOW
    high = HIGH
    effect_size = EFFECT_SIZE
    p_value = P_VALUE
    p_adjusted = P_ADJUSTED
    significant = SIGNIFICANT
    p_equivalent = P_EQUIVALENT
    equivalent = EQUIVALENT


class RunCounts(OfCondition):
    """For each run and condition, the numbers of significantly worse and better runs; sorted by decreasing mean, then by run_id."""

    run_id = RUN_ID
    mean = Column(float, "the run's mean score", "where the measure is defined for no topic", negated="mean")
    better_than = Column.count("the number of runs that are significantly worse than this run")
    worse_than = Column.count("the number of runs that are significantly better than this run")


class SignificanceSummary(OfCondition):
    """The number of pairs of runs that differ significantly under each condition."""

    pairs = Column.count("the number of pairs of runs", at_least=1)
    significant = Column.count("the number of pairs that differ significantly")
    share = Column.share("significant / pairs")
    hypotheses = Column.count("the number of p-values that were corrected together", at_least=1)
    topics = Column.count("the number of topics for which the measure is defined")
    equivalent = Column(int, "the number of pairs of runs that are equivalent within the margin", at_least=0, option="margin")
    true_at_least = Column.count(
        "a lower confidence bound, at the level 1 - alpha, for the number of true differences among the significant pairs. It is valid as far "
        "as the p-values are: not for the differences of means under wilcoxon and sign, too high under bootstrap with few topics, with "
        "best_of, and for a one-tailed test with observed pairs",
    )


def letters_of(conditions: Sequence[pl.DataFrame]) -> Printed | None:
    """Returns the compact letter display of runs, one column per condition, with runs sorted by mean under the first condition.

    The result is None if a condition needs more letters than the alphabet has.
    """
    parts = []
    for pairs in conditions:
        better, worse = pairs["better"].to_list(), pairs["worse"].to_list()
        ahead = Counter(better)  # the number of pairs in which each run is the better run; it increases with the run's mean
        runs = sorted({*better, *worse}, key=lambda run: -ahead[run])
        place = {run: number for number, run in enumerate(runs)}
        different = np.zeros((len(runs), len(runs)), dtype=bool)
        for first, second, significant in zip(better, worse, pairs["significant"], strict=True):
            different[place[first], place[second]] = different[place[second], place[first]] = significant
        sets = ranks.compact_letters(different)
        if sets.shape[1] > len(ascii_lowercase):
            return None
        shown = ["".join(letter if member else " " for letter, member in zip(ascii_lowercase, row, strict=False)) for row in sets.tolist()]
        parts.append(pl.DataFrame({"run_id": runs, "letters": shown}).join(pairs.head(1).select(*CONDITION), how="cross"))
    letters = Printed(
        "runs", side_by_side(pl.concat(parts), "run_id", "letters"), LETTERS, constants=False, without=("mean", "better_than", "worse_than")
    )
    return narrowing([letters, numbered(letters)])


def counts_beside(runs: pl.DataFrame) -> Printed:
    """Returns the printed form of table ``runs``: the numbers of runs that are worse and better than each run, one column per condition."""
    if runs.n_unique(CONDITION) == 1:
        return Printed("runs", runs, head=runs.height)
    counts = [runs[name].to_list() for name in ("better_than", "worse_than")]
    width = len(str(max(map(max, counts))))
    beside = side_by_side(runs, "run_id", [f"{better:>{width}} {worse:>{width}}" for better, worse in zip(*counts, strict=True)])
    above = "better_than and worse_than; best mean first"
    form = Printed("runs", beside, above, constants=False, right=tuple(beside.columns[1:]), without=("mean",), head=beside.height)
    return narrowing([form, numbered(form)])


def condition_on(pairs: pl.DataFrame, rows: pl.Expr) -> pl.Series:
    """Returns the value of an expression for each pair, which must be true or false.

    Raises:
        ValueError: The expression is not a condition on the columns of the table.
    """
    expected = f"true_at_least: expected a condition on the columns {', '.join(pairs.columns)}"
    if not isinstance(rows, pl.Expr):
        raise ValueError(f'{expected}, such as pl.col("significant"), found {describe(rows)}')
    try:
        chosen = pairs.with_columns(rows.alias("chosen"))["chosen"]
    except pl.exceptions.PolarsError as error:
        raise ValueError(f"{expected}, found {rows}") from error
    if chosen.dtype != pl.Boolean:
        raise ValueError(f"{expected}, found {rows}, which is neither true nor false")
    return chosen


def true_claims(chosen: pl.DataFrame, family: pl.DataFrame, asked: Tested[Result], *, directed: bool) -> int:
    """Returns the lower confidence bound for the number of true differences among chosen rows of the table ``pairs`` of one condition."""
    if asked.test.simultaneous:
        return int(chosen["significant"].sum())
    p_values, of_chosen = (conclusions.above_zero(table["p_value"].to_numpy(), asked.test) for table in (family, chosen))
    if directed:
        # The opposite direction of a one-tailed hypothesis is tested as well. The table does not contain its p-value, and 1 is never too low.
        p_values = np.append(p_values, np.ones(conclusions.hypotheses_of(family.height, asked.test) - family.height))
    return true_at_least(of_chosen, p_values, asked.corrected_by.alpha)


def true_by_condition(summaries: Sequence[say.Row], level: float, noun: str) -> str:
    """Returns the clause on the number of true differences; with several conditions, for those with the fewest and most differences.

    Each condition is a family of its own. The clause therefore says that the confidence is not that of all conditions together.
    """
    rows = [row for row in summaries if row["significant"]]
    if not rows or rows[0]["pairs"] == 1:
        return ""
    each = "" if len(rows) == len(summaries) else " that finds any"
    alone = f" under each{each}, not under {say.all_of(len(summaries), noun)} together" if len(summaries) > 1 else ""
    sure = f"; with {say.confidence_text(level)} confidence{alone}, "
    fewest, most = say.extremes(rows, lambda row: row["significant"])
    if fewest["significant"] < most["significant"]:
        ends = [row for row in rows if row is fewest or row is most]
        return f"{sure}at least {' and '.join(part_true(row) for row in ends)} are true"
    low, high = say.extremes(rows, lambda row: row["true_at_least"])
    count = most["significant"]
    if not high["true_at_least"]:
        return f"{sure}none of them can be called true"
    if low["true_at_least"] == count:
        return f"{sure}{say.all_of(count, 'difference')} {'are' if count > 1 else 'is'} true"
    least = "" if low["true_at_least"] == high["true_at_least"] else f"{low['true_at_least']} to "
    return f"{sure}at least {least}{part_true(high)} are true"


def part_true(row: say.Row) -> str:
    """Returns how many of the significant differences are true, at least."""
    return f"{row['true_at_least']} of the {row['significant']}"


def some_pairs(part: int, whole: int, unit: str = "run") -> str:
    """Returns the beginning of a sentence that states how many pairs of runs, or of systems, differ."""
    if not part and whole > 1:
        return f"No two {unit}s differ"
    if whole == 1:
        return f"The two {unit}s {'differ' if part else 'do not differ'}"
    some = say.part_of(part, whole, f"pair of {unit}s", f"pairs of {unit}s")
    return say.sentence(f"{some}{say.in_parentheses(say.share_of(part, whole))} {'differ' if part > 1 else 'differs'}")


def differing_by_condition(summaries: Sequence[say.Row], noun: str, unit: str = "run") -> str:
    """Returns the finding for several conditions: the conditions with the smallest and the largest number of significant differences."""
    fewest, most = say.extremes(summaries, lambda row: row["significant"])
    pairs = fewest["pairs"]
    if fewest["significant"] == most["significant"]:
        asked = say.all_of(len(summaries), noun) if most["significant"] else say.any_of(len(summaries), noun)
        return f"{some_pairs(most['significant'], pairs, unit)} significantly under {asked}."
    if pairs == 1:
        differing = sum(row["significant"] for row in summaries)
        return f"The two {unit}s differ significantly under {say.part_of(differing, len(summaries), noun)}."
    names, rest = say.apart(summaries, noun)
    told = [(row["significant"], name) for row, name in zip(summaries, names, strict=True) if row is fewest or row is most]
    (first, here), (second, there) = told
    differ = f"{first or 'none'} {'differs' if first == 1 else 'differ'} significantly under {here} and {second or 'none'} under {there}"
    return f"Of {pairs} pairs of {unit}s, {differ}{say.in_parentheses(rest)}{say.others_between(len(summaries), noun)}."
