"""The result of `significance`: its tables, finding and printed form."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from inexmetrics.common.messages import describe
from inexmetrics.experiments.findings import (
    Row,
    all_of,
    any_of,
    apart,
    comma_list,
    confidence_text,
    extremes,
    in_parentheses,
    named_run,
    not_defined,
    others_between,
    p_text,
    part_of,
    sentence,
    share_of,
    under,
    with_interval,
)
from inexmetrics.experiments.shown_intervals import ResultWithIntervals
from inexmetrics.experiments.tables import EFFECT_SIZE, HIGH, LOW, P_ADJUSTED, P_VALUE, RUN_ID, SIGNIFICANT, Column, OfCondition, TableOf
from inexmetrics.experiments.tested import (
    EQUIVALENT,
    P_EQUIVALENT,
    equivalences_of_conditions,
    equivalences_of_pairs,
    of_two_runs,
    p_value_note,
    smallest_p_values,
    uncorrected,
)
from inexmetrics.inference.conclusions import above_zero, hypotheses_of
from inexmetrics.inference.ranks import compact_letters
from inexmetrics.inference.true_claims import true_at_least
from inexmetrics.report.charts.parts import Figure
from inexmetrics.report.forms import CONDITION, condition_tables, in_parts, narrowing, numbered, side_by_side
from inexmetrics.report.text import Printed

if TYPE_CHECKING:
    from inexmetrics.experiments.significance import Significance

__all__ = ["FEW_RUNS", "RunCounts", "RunPairs", "SignificanceResult", "SignificanceSummary", "differing_by_condition", "some_pairs"]

LETTERS: Final = "best mean first; runs that share a letter do not differ (Piepho 2004)"


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
        "a lower confidence bound, at the level 1 - alpha, for the number of true differences among the significant pairs"
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SignificanceResult(ResultWithIntervals):
    """The result of `significance`: differences between runs."""

    in_papers = "summary"
    experiment: Significance
    pairs = TableOf(RunPairs)
    summary = TableOf(SignificanceSummary)
    runs = TableOf(RunCounts)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.matrices import significance_figure  # imported only when a chart is drawn

        return significance_figure(self.shown, self.experiment.margin)

    def printed(self) -> Iterator[Printed]:
        yield Printed("summary", self.tables["summary"])
        runs, parts = self.tables["runs"], list(condition_tables(self.shown["pairs"]))
        few = runs["run_id"].n_unique() <= FEW_RUNS
        yield (_letters(parts) if few else None) or _counts_beside(runs)
        said = self.without_interval("pairs")
        if few:
            yield from in_parts("pairs", parts, said)
            return
        # Borderline pairs come first: pairs with the smallest max(p / alpha, alpha / p), where p is the adjusted p-value.
        ratio = (pl.col("p_adjusted").log() - math.log(self.experiment.corrected_by.alpha)).abs()
        for form in in_parts("pairs", [part.sort(ratio, nulls_last=True, maintain_order=True) for part in parts]):
            yield replace(form, above="; ".join(filter(None, ("nearest to alpha first", said))))

    @property
    def finding(self) -> str:
        summaries = self.tables["summary"].rows(named=True)
        if not any(row["topics"] for row in summaries):
            return not_defined([[row] for row in summaries])
        margin, level = self.experiment.margin, 1 - self.experiment.corrected_by.alpha
        if len(summaries) > 1:
            within = "" if margin is None else equivalences_of_conditions(summaries, margin, self.experiment.condition_noun)
            differing = differing_by_condition(summaries, self.experiment.condition_noun, self.origin.unit)
            return differing.removesuffix(".") + _true_by_condition(summaries, level) + "." + within
        if self.table.height == 1:
            row = self.shown["pairs"].row(0, named=True)
            p_value = p_text(row["p_adjusted"], below=row["p_value"] == 0.0)
            value = with_interval(row["difference"], row["low"], row["high"], self.experiment.interval, p_value)
            differ = f"{'differ' if row['significant'] else 'do not differ'} significantly in {under(row)}"
            found = f"{named_run(row['better'])} and {named_run(row['worse'])} {differ}: the difference of their means is {value}."
            return found + ("" if margin is None else of_two_runs(row, margin))
        pairs = self.shown["pairs"]
        significant = pairs.filter("significant")
        differing = f"{some_pairs(significant.height, self.table.height, self.origin.unit)} significantly in {under(summaries[0])}"
        differing += _true_by_condition(summaries, level) + "."
        if margin is not None:
            return differing + equivalences_of_pairs(self.table.rows(named=True), margin)
        rows = significant if significant.height else pairs
        largest = rows.sort(pl.col("difference").abs(), descending=True, maintain_order=True).row(0, named=True)
        value = with_interval(largest["difference"], largest["low"], largest["high"], self.experiment.interval)
        which = f"largest {'significant ' if significant.height else ''}difference"
        return f"{differing} The {which}, between {named_run(largest['better'])} and {named_run(largest['worse'])}, is {value}."

    def true_at_least(self, rows: pl.Expr | None = None) -> int:
        """Returns a lower confidence bound for the number of true differences among chosen pairs of runs, at the level 1 - alpha.

        The bounds of all possible choices of pairs hold simultaneously. Pairs may therefore be chosen after reading the results. The bound
        assumes Simes' inequality, which holds if p-values are independent or positively dependent. If the test compares all runs at once
        (`tukey`, `stepdown`), the bound is the number of significant pairs among the chosen pairs, and does not need this assumption. In a
        one-tailed test, the hypothesis of a pair is the direction of the higher mean, and the opposite direction counts with a p-value of 1.

        Args:
            rows: A condition on the columns of table ``pairs``, such as ``pl.col("better") == "bm25"``, which chooses pairs whether or not
                they are significant. None chooses the significant pairs.

        Raises:
            ValueError: The expression is not a condition on the columns of the table, or it chooses pairs of several measures or
                quantisations.

        Source: Goeman & Solari (2011); Goeman, Meijer, Krebs & Solari (2019).

        Examples:
            The run "1" leads "2" and "3" by nearly the same amount on every topic; "2" and "3" hardly differ:

            >>> import numpy as np
            >>> import polars as pl
            >>> from inexmetrics import MAP, run, scores_from, significance
            >>> board = scores_from(
            ...     np.array([[0.9, 0.1, 0.2], [0.8, 0.1, 0.1], [0.9, 0.3, 0.2], [0.7, 0.1, 0.1]])
            ... )
            >>> result = run(significance(MAP), board)
            >>> result.true_at_least(), result.true_at_least(pl.col("better") != "1")
            (2, 0)
        """
        pairs = self.tables["pairs"]
        chosen = pairs.filter(_condition_on(pairs, pl.col("significant") if rows is None else rows))
        families = (pairs if rows is None else chosen).partition_by(CONDITION, maintain_order=True)
        if len(families) > 1:
            text = comma_list([under(family.row(0, named=True)) for family in families[:3]])
            raise ValueError(
                f"true_at_least: expected pairs of one measure and quantisation, found pairs of {len(families)}: {text}; choose one, for "
                'example (pl.col("measure") == "MAP") & pl.col("significant")'
            )
        if chosen.is_empty():
            return 0
        return _true_claims(chosen, pairs.join(chosen.head(1), on=CONDITION, how="semi"), self.experiment)

    @property
    def smallest_p(self) -> Mapping[str, float]:
        return smallest_p_values(self.experiment.test, "p_value")

    @property
    def same_p(self) -> str | None:
        return "corrected by the test" if self.experiment.test.simultaneous else uncorrected(self.experiment.corrected_by)

    @property
    def tested(self) -> str:
        row, asked = self.tables["summary"].row(0, named=True), self.experiment
        return p_value_note(asked.test, asked.corrected_by, row["hypotheses"], margin=asked.margin, equivalences=row["pairs"])


def _letters(conditions: Sequence[pl.DataFrame]) -> Printed | None:
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
        sets = compact_letters(different)
        if sets.shape[1] > len(ascii_lowercase):
            return None
        shown = ["".join(letter if member else " " for letter, member in zip(ascii_lowercase, row, strict=False)) for row in sets.tolist()]
        parts.append(pl.DataFrame({"run_id": runs, "letters": shown}).join(pairs.head(1).select(*CONDITION), how="cross"))
    letters = Printed(
        "runs", side_by_side(pl.concat(parts), "run_id", "letters"), LETTERS, constants=False, without=("mean", "better_than", "worse_than")
    )
    return narrowing([letters, numbered(letters)])


def _counts_beside(runs: pl.DataFrame) -> Printed:
    """Returns the printed form of table ``runs``: the numbers of runs that are worse and better than each run, one column per condition."""
    if runs.n_unique(CONDITION) == 1:
        return Printed("runs", runs, head=runs.height)
    counts = [runs[name].to_list() for name in ("better_than", "worse_than")]
    width = len(str(max(map(max, counts))))
    beside = side_by_side(runs, "run_id", [f"{better:>{width}} {worse:>{width}}" for better, worse in zip(*counts, strict=True)])
    above = "better_than and worse_than; best mean first"
    form = Printed("runs", beside, above, constants=False, right=tuple(beside.columns[1:]), without=("mean",), head=beside.height)
    return narrowing([form, numbered(form)])


def _condition_on(pairs: pl.DataFrame, rows: pl.Expr) -> pl.Series:
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


def _true_claims(chosen: pl.DataFrame, family: pl.DataFrame, asked: Significance) -> int:
    """Returns the lower confidence bound for the number of true differences among chosen rows of the table ``pairs`` of one condition."""
    if asked.test.simultaneous:
        return int(chosen["significant"].sum())
    p_values, of_chosen = (above_zero(table["p_value"].to_numpy(), asked.test) for table in (family, chosen))
    if asked.pairs == "directed":
        # The opposite direction of a one-tailed hypothesis is tested as well. The table does not contain its p-value, and 1 is never too low.
        p_values = np.append(p_values, np.ones(hypotheses_of(family.height, asked.test) - family.height))
    return true_at_least(of_chosen, p_values, asked.corrected_by.alpha)


def _true_by_condition(summaries: Sequence[Row], level: float) -> str:
    """Returns the clause on the number of true differences; with several conditions, for those with the fewest and most differences."""
    rows = [row for row in summaries if row["significant"]]
    if not rows or rows[0]["pairs"] == 1:
        return ""
    sure = f"; with {confidence_text(level)} confidence, "
    fewest, most = extremes(rows, lambda row: row["significant"])
    if fewest["significant"] < most["significant"]:
        ends = [row for row in rows if row is fewest or row is most]
        return f"{sure}at least {' and '.join(_part_true(row) for row in ends)} are true"
    low, high = extremes(rows, lambda row: row["true_at_least"])
    count, each = most["significant"], " under each" if len(rows) > 1 else ""
    if low["true_at_least"] == count:
        return f"{sure}{all_of(count, 'difference')} {'are' if count > 1 else 'is'} true{each}"
    least = "" if low["true_at_least"] == high["true_at_least"] else f"{low['true_at_least']} to "
    return f"{sure}at least {least}{_part_true(high)} are true{each}"


def _part_true(row: Row) -> str:
    return f"{row['true_at_least']} of the {row['significant']}"


def some_pairs(part: int, whole: int, unit: str = "run") -> str:
    """Returns the beginning of a sentence that states how many pairs of runs, or of systems, differ."""
    if not part and whole > 1:
        return f"No two {unit}s differ"
    if whole == 1:
        return f"The two {unit}s {'differ' if part else 'do not differ'}"
    some = part_of(part, whole, f"pair of {unit}s", f"pairs of {unit}s")
    return sentence(f"{some}{in_parentheses(share_of(part, whole))} {'differ' if part > 1 else 'differs'}")


def differing_by_condition(summaries: Sequence[Row], noun: str, unit: str = "run") -> str:
    """Returns the finding for several conditions: the conditions with the smallest and the largest number of significant differences."""
    fewest, most = extremes(summaries, lambda row: row["significant"])
    pairs = fewest["pairs"]
    if fewest["significant"] == most["significant"]:
        asked = all_of(len(summaries), noun) if most["significant"] else any_of(len(summaries), noun)
        return f"{some_pairs(most['significant'], pairs, unit)} significantly under {asked}."
    if pairs == 1:
        differing = sum(row["significant"] for row in summaries)
        return f"The two {unit}s differ significantly under {part_of(differing, len(summaries), noun)}."
    names, rest = apart(summaries, noun)
    told = [(row["significant"], name) for row, name in zip(summaries, names, strict=True) if row is fewest or row is most]
    (first, here), (second, there) = told
    differ = f"{first or 'none'} {'differs' if first == 1 else 'differ'} significantly under {here} and {second or 'none'} under {there}"
    return f"Of {pairs} pairs of {unit}s, {differ}{in_parentheses(rest)}{others_between(len(summaries), noun)}."
