"""Comparisons of a run with its opponents under a condition: tables, finding, and requirements that the run must meet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias, get_args

import numpy as np
import polars as pl

from inexmetrics.common import errors, messages
from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.options import Requirement, RunOptions
from inexmetrics.experiments import findings as say
from inexmetrics.experiments.condition_scores import ConditionScores
from inexmetrics.experiments.margins import EQUIVALENT, NOT_WORSE, P_EQUIVALENT
from inexmetrics.experiments.tables import EFFECT_SIZE, HIGH, LOW, P_ADJUSTED, P_VALUE, RUN_ID, SIGNIFICANT, Column, OfCondition
from inexmetrics.experiments.tested import difference_columns, p_of, with_correction
from inexmetrics.inference import corrections, paired_t
from inexmetrics.inference.base import Correction, SignificanceTest
from inexmetrics.inference.means import ahead, differences, means, ranking
from inexmetrics.report.formats import Case
from inexmetrics.report.forms import CONDITION, lead
from inexmetrics.terms import Choice

__all__ = [
    "Against",
    "Comparisons",
    "Grid",
    "Requirement",
    "Statistics",
    "Unconfirmed",
    "cases_of",
    "check_requirement",
    "finding_of_comparisons",
    "keys",
    "rows_unmet",
    "unmet_text",
]

OPPONENT: Final = Column(str, "the run with which the run is compared")


class Comparisons(OfCondition):
    """The comparison of each run with each opponent under each condition: the best opponent first, then by opponent."""

    run_id = RUN_ID
    opponent = OPPONENT
    mean = Column(float, "the run's mean score", "where the measure is defined for no topic", negated="mean")
    opponent_mean = Column(float, "the opponent's mean score", "where the measure is defined for no topic", negated="opponent_mean")
    difference = Column(float, "mean - opponent_mean", "if the means are null", negated="difference")
    low = LOW
    high = HIGH
    effect_size = EFFECT_SIZE
    statistic = Column(
        float,
        "the test statistic in the tested direction: Student's t, Wilcoxon's W+, the number of topics on which the better run scores higher "
        "(sign), or the difference between the means (bootstrap, randomisation)",
        "if the statistic is not finite, such as t if the runs differ by the same amount on every topic",
    )
    p_value = P_VALUE
    p_adjusted = P_ADJUSTED
    significant = SIGNIFICANT
    p_equivalent = P_EQUIVALENT
    equivalent = EQUIVALENT
    not_worse = NOT_WORSE


class Statistics(OfCondition):
    """The sums needed to compute the paired t test of each comparison, whatever `test` is, in the row order of table ``versus``."""

    run_id = RUN_ID
    opponent = OPPONENT
    n = Column.count("the number of topics for which the measure is defined")
    df = Column.count("n - 1")
    sum = Column(float, "the sum over topics of D, the run's score minus the opponent's score", negated="sum")
    mean = Column(float, "the mean of D over topics", "without topics", negated="mean")
    sum_of_squares = Column(float, "the sum of the squares of D - mean", "if the sum is not finite", at_least=0)
    t = Column(
        float,
        "mean / sqrt(sum_of_squares / df / n), negative if the opponent has the higher mean",
        "if the quotient is not finite",
        negated="t",
    )


class Grid(OfCondition):
    """The verdict on each comparison. There are two rows per run and condition; column i is the comparison with the i-th best opponent."""

    run_id = RUN_ID
    better = Column(
        str,
        "run: the row marks the opponents that are significantly worse than the run. opponent: the row marks the opponents that are "
        "significantly better than the run",
        choices=("run", "opponent"),
    )
    numbered = Column(str, "* if the row marks the opponent, otherwise -", choices=("*", "-"))


@dataclass(frozen=True, slots=True, eq=False)
class Against:
    """A run and its K opponents under a condition.

    Attributes:
        condition: The scores under the condition.
        test: The significance test. A test with ``clusters=`` also stores the cluster of each topic.
        run: Row index of the run.
        opponents: Row indices of the opponents, highest mean first, shape (K,).
        ahead: Whether the tested hypothesis is that the run is better (otherwise, that the opponent is better), shape (K,).
    """

    condition: ConditionScores
    test: SignificanceTest
    run: int
    opponents: IntArray
    ahead: BoolArray

    @classmethod
    def of(cls, condition: ConditionScores, test: SignificanceTest, run: str, ours: tuple[str, ...], count: int) -> Against:
        """Returns a run and its opponents: the `count` runs with the highest means among the runs that are not in `ours`."""
        row = condition.runs.index(run)
        others = np.array([place for place, name in enumerate(condition.runs) if name not in ours])
        opponents = others[ranking(condition.means[others])][:count]
        return cls(
            condition,
            test.on_clusters(condition.clusters),
            row,
            opponents,
            ahead(condition.scores, np.full_like(opponents, row), opponents),
        )

    @property
    def directions(self) -> tuple[IntArray, IntArray]:
        """The row indices of the better run and of the worse run of each comparison, each of shape (K,)."""
        return np.where(self.ahead, self.run, self.opponents), np.where(self.ahead, self.opponents, self.run)

    @property
    def names_of_opponents(self) -> tuple[str, ...]:
        """The names of the opponents, best first."""
        return tuple(self.condition.runs[opponent] for opponent in self.opponents)

    def tested(
        self,
        correction: Correction,
        interval: float,
        setting: RunOptions,
        *,
        p_values: FloatArray,
        adjusted: FloatArray,
        within: Mapping[str, FloatArray | BoolArray],
    ) -> pl.DataFrame:
        """Returns the rows of table ``versus``."""
        scores, means = self.condition.scores, self.condition.means
        return Comparisons.frame(
            **self._names(),
            mean=np.full(len(self.opponents), means[self.run]),
            opponent_mean=means[self.opponents],
            **difference_columns(
                scores, np.full_like(self.opponents, self.run), self.opponents, test=self.test, interval=interval, setting=setting
            ),
            statistic=_finite(self.test.statistics(scores, *self.directions)),
            p_value=p_values,
            p_adjusted=adjusted,
            significant=correction.rejects(adjusted),
            **within,
        )

    def statistics(self) -> pl.DataFrame:
        """Returns the rows of table ``statistics``."""
        n = self.condition.topics_defined
        apart = differences(self.condition.scores, np.full_like(self.opponents, self.run), self.opponents)
        mean = means(apart)
        with np.errstate(over="ignore"):  # a sum that overflows is infinite here, and null in the table
            squares = _sums(np.square(apart - mean[:, None]))
        return Statistics.frame(
            **self._names(),
            n=n,
            df=max(n - 1, 0),
            sum=_sums(apart),
            mean=_finite(mean),
            sum_of_squares=_finite(squares),
            t=_finite(paired_t.t.statistic(apart)),
        )

    def grid(self, significant: pl.Series) -> pl.DataFrame:
        """Returns the rows of table ``grid``."""
        found = significant.to_numpy()
        verdicts = np.where(np.stack([found & self.ahead, found & ~self.ahead]), "*", "-")
        return Grid.frame(
            **self.condition.names,
            run_id=self.condition.runs[self.run],
            better=["run", "opponent"],
            **{str(place): column.tolist() for place, column in enumerate(verdicts.T, start=1)},
        )

    def _names(self) -> dict[str, str | list[str]]:
        """Returns the columns that identify the condition, the run and the opponent of each row."""
        return {**self.condition.names, "run_id": self.condition.runs[self.run], "opponent": [*self.names_of_opponents]}


def _finite(values: FloatArray) -> FloatArray:
    """Returns the values, with infinite values replaced by NaN."""
    return np.where(np.isfinite(values), values, np.nan)


def _sums(values: FloatArray) -> FloatArray:
    """Returns the sums over topics, accumulated in topic order."""
    total: FloatArray = np.add.accumulate(values, axis=1)[:, -1] if values.shape[1] else np.zeros(len(values))
    return total


NAMED = 3
"""Maximum number of runs that a finding names; if there are more runs, the finding names only the first two."""


class _Case(NamedTuple):
    """The results of one run under one condition: a table row, the number of opponents, and the opponents that differ significantly."""

    row: say.Row
    opponents: int
    better: list[str]
    worse: list[str]

    @classmethod
    def of(cls, part: pl.DataFrame, lower: Sequence[str]) -> _Case:
        found = part.filter("significant")
        ahead = found.select(lead(lower)).to_series() < 0
        return cls(
            part.row(0, named=True), part.height, found.filter(ahead)["opponent"].to_list(), found.filter(~ahead)["opponent"].to_list()
        )

    @property
    def differing(self) -> int:
        return len(self.better) + len(self.worse)

    @property
    def counts(self) -> tuple[int, int]:
        return len(self.better), len(self.worse)


def finding_of_comparisons(
    comparisons: pl.DataFrame,
    test: SignificanceTest,
    correction: Correction,
    noun: str,
    *,
    interval: float,
    unit: str = "run",
    lower: Sequence[str] = (),
) -> str:
    """Returns the finding for comparisons between one or more runs and their opponents.

    Args:
        comparisons: The table ``versus``.
        test: The significance test.
        correction: The correction.
        noun: The noun for the conditions: measure, quantisation, or condition.
        interval: The confidence level of intervals.
        unit: The noun for the compared items.
        lower: The measures whose lower scores are better.
    """
    rows = comparisons.drop_nulls("mean")
    if not rows.height:
        return say.not_defined(say.rows_by_condition(comparisons))
    if comparisons.height == 1:
        row = rows.row(0, named=True)
        value = say.with_interval(
            row["difference"],
            row["low"],
            row["high"],
            interval,
            p_of(test, row["p_adjusted"], below=row["p_value"] == 0.0, alpha=correction.alpha),
        )
        verdict = "significant" if row["significant"] else "not significant"
        return f"The mean {say.under(row)} of {say.named_run(row['run_id'])} minus that of {say.named_run(row['opponent'])} is {value}, which is {verdict}."
    cases = [_Case.of(part, lower) for part in rows.partition_by("measure", "quantisation", "run_id", maintain_order=True)]
    tails = "two" if test.two_tailed else "one"
    corrected = "not corrected" if isinstance(correction, corrections.Unadjusted) else correction.word
    tested = f"paired {tails}-tailed {test.word}, {corrected}, alpha = {messages.canonical(correction.alpha)}"
    if len(cases) > 1:
        return _describe_cases(cases, noun, tested, unit)
    (case,) = cases
    sides = []
    for runs, side in ((case.better, "better"), (case.worse, "worse")):
        names = [say.named_run(run) for run in runs]
        if len(names) > NAMED:
            names[2:] = [f"{len(names) - 2} more"]
        if names:
            sides.append(f"{say.comma_list(names)} {'are' if len(runs) > 1 else 'is'} {side}")
    differ = f"{say.part_of(case.differing, case.opponents, unit)} {'differ' if case.differing > 1 else 'differs'}"
    which = f": {', '.join(sides)}" if sides else ""
    return f"By {say.under(case.row)}, {differ} significantly from {say.named_run(case.row['run_id'])} ({tested}){which}."


def _describe_cases(cases: Sequence[_Case], noun: str, tested: str, unit: str) -> str:
    """Returns the finding for comparisons between several runs and their opponents, or for comparisons under several conditions."""
    baselines = list(dict.fromkeys(case.row["run_id"] for case in cases))
    conditions = list({(case.row["measure"], case.row["quantisation"]): case.row for case in cases}.values())
    names, rest = say.apart(conditions, noun)
    of_condition = dict(zip(((row["measure"], row["quantisation"]) for row in conditions), names, strict=True))
    first, opponents = cases[0], cases[0].opponents
    of = f"Of {messages.plural(opponents, unit)}, "
    if len({case.counts for case in cases}) == 1:
        some = bool(first.differing)
        each, asked = (say.all_of, say.all_of) if some else (say.any_of, say.any_of)
        against = say.named_run(baselines[0]) if len(baselines) == 1 else each(len(baselines), "baseline")
        where = f" by {say.under(first.row)}" if len(conditions) == 1 else f" under {asked(len(conditions), noun)}"
        sides = _sides(first)
        differ = f"{first.differing or 'none'} {'differ' if first.differing > 1 else 'differs'}"
        return f"{of}{differ} significantly from {against}{where}{say.in_parentheses(sides, tested)}."
    low, high = say.extremes(cases, lambda case: case.differing + len(case.better) / (opponents + 1))
    told: list[str] = []
    for case in sorted((low, high), key=cases.index):
        against = f" from {say.named_run(case.row['run_id'])}" if len(baselines) > 1 or not told else ""
        where = f" under {of_condition[case.row['measure'], case.row['quantisation']]}" if len(conditions) > 1 else ""
        verb = "" if told else f" {'differs' if case.differing == 1 else 'differ'} significantly"
        told.append(f"{case.differing or 'none'}{verb}{against}{where}{say.in_parentheses(_sides(case))}")
    common = f" by {say.under(first.row)}" if len(conditions) == 1 else ""
    between = say.others_between(len(cases), noun if len(baselines) == 1 else "case")
    return f"{of}{told[0]} and {told[1]}{common}{between}{say.in_parentheses(rest if not common else '', tested)}."


def _sides(case: _Case) -> str:
    better, worse = case.counts
    return f"{better} better, {worse} worse" if case.differing else ""


SHOWN: Final = {"better": "significantly better than", "not_worse": "shown to be not worse than", "equivalent": "shown to be the same as"}
"""Words for each requirement, for use in sentences."""


def check_requirement(requirement: str, margin: float | None) -> None:
    """Raises `FormulaError` if the requirement is unknown, or if the requirement needs a margin and `margin` is None."""
    Choice(get_args(Requirement)).accept_as("requirement", requirement)
    if requirement != "better" and margin is None:
        raise errors.FormulaError(
            f"expected a margin for the requirement {requirement}, found none", hint="add one to the formula, as in margin=0.02"
        )


Unconfirmed: TypeAlias = frozenset[tuple[str, ...]]
"""The measure, quantisation, run and opponent of each comparison whose difference is the same on all topics, and not significant by the sign
test."""
SAME: Final = "the difference is the same on all topics, and not significant by the sign test"


def keys(rows: pl.DataFrame) -> list[tuple[str, ...]]:
    """Returns the measure, quantisation, run and opponent of each row of table ``versus``."""
    return rows.select(*CONDITION, "run_id", "opponent").rows()


def rows_unmet(rows: pl.DataFrame, requirement: Requirement, lower: Sequence[str], unconfirmed: Unconfirmed) -> pl.DataFrame:
    """Returns the rows of table ``versus`` for which the requirement is not met; `lower` contains the measures whose lower scores are better."""
    return rows.filter(~_holds(rows, requirement, lower, unconfirmed))


def _holds(rows: pl.DataFrame, requirement: Requirement, lower: Sequence[str], unconfirmed: Unconfirmed) -> pl.Series:
    """Returns whether each row of table ``versus`` meets the requirement; false if the measure is defined for no topic."""
    if requirement != "better":
        return rows[requirement]
    ahead = pl.col("significant") & (lead(lower) > 0.0).fill_null(value=False)
    return rows.select(ahead).to_series() & pl.Series([key not in unconfirmed for key in keys(rows)], dtype=pl.Boolean)


def unmet_text(rows: pl.DataFrame, requirement: Requirement, lower: Sequence[str], unconfirmed: Unconfirmed) -> str | None:
    """Returns one line that names the opponents for which the requirement is not met; None if all opponents meet the requirement."""
    unmet = rows_unmet(rows, requirement, lower, unconfirmed)
    if unmet.is_empty():
        return None
    several = any(rows[name].n_unique() > 1 for name in ("run_id", *CONDITION))
    parts = []
    for _, part in unmet.group_by("run_id", *CONDITION, maintain_order=True):
        first = part.row(0, named=True)
        case = f"{messages.printable(first['run_id'])} by {say.under(first)}: " if several else ""
        names = [
            messages.printable(opponent) + (f" ({SAME})" if requirement == "better" and key in unconfirmed else "")
            for opponent, key in zip(part["opponent"], keys(part), strict=True)
        ]
        parts.append(case + ", ".join(names))
    count = f"{unmet.height} of {messages.plural(rows.height, 'comparison')}"
    return f"required: {requirement}; it is not met in {count}: {'; '.join(parts)}"


def cases_of(
    rows: pl.DataFrame,
    requirement: Requirement,
    margin: float | None,
    *,
    correction: Correction,
    interval: float,
    lower: Sequence[str],
    unconfirmed: Unconfirmed,
) -> Iterator[Case]:
    """Yields a test case for each row of table ``versus``; the test case fails if the requirement is not met."""
    hypotheses = rows.height // rows.select(CONDITION).n_unique()
    within = "" if margin is None or requirement == "better" else f" within {messages.canonical(margin)}"
    held = rows.with_columns(_holds(rows, requirement, lower, unconfirmed).alias("holds"))
    for row, key in zip(held.rows(named=True), keys(rows), strict=True):
        name = f"{row['run_id']} is {SHOWN[requirement]} {row['opponent']}{within}"
        if row["holds"]:
            yield Case(say.under(row), name)
        elif row["difference"] is None:
            yield Case(say.under(row), name, requirement, "the measure is defined for no topic")
        else:
            p_value = {"better": row["p_adjusted"], "equivalent": row.get("p_equivalent")}.get(requirement)
            p = "" if p_value is None else with_correction(say.p_text(p_value), correction, hypotheses)
            why = SAME if requirement == "better" and key in unconfirmed else ""
            sure = say.in_parentheses(say.interval_text(row["low"], row["high"], interval), p, why)
            yield Case(say.under(row), name, requirement, f"the difference of the means is {say.number(row['difference'])}{sure}")
