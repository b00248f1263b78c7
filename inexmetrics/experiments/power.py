"""Computes the power of the t test, and the number of topics for a given power, from the runs' differences over topics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common import cells, errors
from inexmetrics.common.messages import canonical, enumerate_texts, plural
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments import one_scale
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.condition_scores import ConditionScores, Scored, scored
from inexmetrics.experiments.conditions import Measured, many
from inexmetrics.experiments.findings import Row, comma_list, confidence_text, extremes, percentage, rows_by_condition, under
from inexmetrics.experiments.run_groups import REPEATS, check_repeats, scores_of_repeats
from inexmetrics.experiments.tables import Column, OfCondition, TableOf
from inexmetrics.experiments.tested import check_several_runs, check_squares, count_hypotheses
from inexmetrics.inference import conclusions, corrections, means, paired_t, variance_components
from inexmetrics.inference.base import Correction
from inexmetrics.inference.power import deviation_ends, effect_size, power_of_t, topics_needed
from inexmetrics.report import Figure, Printed, across, narrowing
from inexmetrics.terms import Integer, Number, OneOrMore, Optional, TermOf, parameter, word

__all__ = ["PROBABILITY", "Power", "PowerResult", "deviation_of_pairs", "power", "power_note", "without_power"]

TOPICS: Final = (10, 25, 50, 100, 200)
NAMED: Final = 4
"""If `repeats` has at most this many values, the finding states the number of topics needed for each value."""
ENOUGH: Final = 24
"""Number of topics from which the upper end of the 95 % interval of the number of topics needed is below twice the estimate."""
DIFFERING: Final = 8
"""Number of topics with a difference from which the 95 % interval of their frequency is below twice the estimate; or a fifth of the topics."""
PROBABILITY: Final = Number(above=0.0, below=1.0)

RUNS: Final = Column(int, "the number of runs over which each system's score is averaged", at_least=1, option="repeats")
DIFFERENCE: Final = Column(float, "the true difference between two runs' means that the test should find", asked=True)


class PowerOfTopics(OfCondition):
    """The power for each true difference and each number of topics."""

    difference = DIFFERENCE
    topics = Column.count("the number of topics", at_least=2)
    power = Column.share(
        "the probability that the t test rejects if the true difference has this size", "if the data have fewer than two topics"
    )
    repeats = RUNS


class TopicsNeeded(OfCondition):
    """The number of topics that is sufficient for the requested power, for each true difference."""

    difference = DIFFERENCE
    power = Column.share("the requested power", asked=True)
    topics = Column.count(
        "the smallest number of topics with at least this power", "above 2^53, or if the data have fewer than two topics", at_least=2
    )
    sd = Column(
        float, "the standard deviation of differences between two runs over topics, from the variance averaged over all pairs of runs",
        "with fewer than two topics", at_least=0,
    )  # fmt: skip
    repeats = RUNS


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PowerResult(Result):
    """The result of `power`: power by number of topics, and the number of topics needed."""

    experiment: Power
    power = TableOf(PowerOfTopics)
    needed = TableOf(TopicsNeeded)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.topics import power_figure  # imported only when a chart is drawn

        return power_figure(self.tables, self._alpha, self.experiment.tails)

    def printed(self) -> Iterator[Printed]:
        yield Printed("needed", self.as_asked("needed"))
        rows = self.as_asked().with_columns(pl.col("topics").cast(pl.String)).unique(maintain_order=True)
        index = [name for name in rows.columns if name not in {"topics", "power"}]
        wide = across(rows, "topics", index, map(cells.decimal, rows["power"]))
        form = Printed("power", wide, "columns: topics", right=tuple(wide.columns[len(index) :]))
        yield narrowing([form, Printed("power", self.table)])

    @property
    def tested(self) -> str:
        rule = self.experiment.rule
        if isinstance(rule, corrections.Unadjusted):
            return power_note(rule.alpha, self.experiment.tails, self.origin.unit)
        step = f"{rule.alpha:g} corrected by {rule.word} for {count_hypotheses(self._hypotheses)}: {self._alpha:.3g}"
        return f"t, {_tails(self.experiment.tails)}, of one pair of {self.origin.unit}s; alpha = {step}"

    @property
    def _pairs(self) -> int:
        """The number of pairs of runs, or of systems."""
        return math.comb(self.origin.runs if self.origin.systems is None else len(self.origin.systems.names), 2)

    @property
    def _hypotheses(self) -> int:
        """The number of hypotheses that the planned tests have together, as in `significance`."""
        return self.experiment.hypotheses(self._pairs)

    @property
    def _alpha(self) -> float:
        """The level at which one hypothesis is tested."""
        return self.experiment.rule.first_step(self._hypotheses)

    @property
    def finding(self) -> str:
        known = [row for row in self.tables["needed"].rows(named=True) if row["sd"]]
        if not known:
            return without_power(self.tables["needed"]["sd"], self.origin.unit)
        return self._needed() + self._under_the_other_rule(known)

    def _under_the_other_rule(self, known: Sequence[Row]) -> str:
        """Returns the sentence on the topics that are needed with a correction or, if a correction is used, without one."""
        if self._pairs < 2:
            return ""
        rule, asked, pairs = self.experiment.rule, self.experiment, f"the {self._pairs} pairs of {self.origin.unit}s"
        corrected = isinstance(rule, corrections.Unadjusted)
        other: Correction = corrections.Holm(alpha=rule.alpha) if corrected else corrections.unadjusted(alpha=rule.alpha)
        alpha = other.first_step(self._hypotheses)
        rows = [
            {**row, "topics": topics_needed(effect_size(row["difference"], row["sd"]), row["power"], alpha, asked.tails)} for row in known
        ]
        least, most = extremes(rows, _count)
        topics = _topics(least) if least["topics"] == most["topics"] else f"from {_number(least['topics'])} to {_topics(most)}"
        if corrected:
            most_often = "up to " if least["topics"] == most["topics"] is not None else ""
            return f" Corrected by Holm for {pairs}, it needs {most_often}{topics}."
        return f" Without a correction, it needs {topics}."

    def _needed(self) -> str:
        asked = rows_by_condition(self.tables["needed"])
        known = [row for rows in asked for row in rows if row["sd"]]
        least, most = extremes(known, _count)
        likely = f"with a probability of {confidence_text(self.experiment.power)}, a paired t test needs"
        if self.experiment.repeats is not None and len({row["difference"] for row in known}) == len(asked) == 1:
            shown = known if len(known) <= NAMED else [least, most]
            numbers = comma_list([f"{_topics(row)} with {plural(row['repeats'], 'run')}" for row in shown])
            return f"To find a true difference of {_difference(least)} between two systems {likely} {numbers} of each."
        if len(known) > 1 and least["topics"] == most["topics"]:
            return f"To find a true difference of any of these sizes {likely} {_topics(least)}."
        if len(known) > 1:
            span = " and ".join(f"{_topics(row)} for a difference of {_of_mean(row)}" for row in (least, most))
            return f"To find a true difference {likely} {'between ' if len(known) > 2 else ''}{span}."
        spread = self.table.filter(measure=least["measure"], quantisation=least["quantisation"]).sort("topics")
        ends = [spread.row(0, named=True), spread.row(-1, named=True)][: min(spread.height, 2)]
        found = comma_list([f"{percentage(row['power'])} on {row['topics']}" for row in ends])
        return f"To find a true difference of {_of_mean(least)} {likely} {_topics(least)}; the probability is {found} topics."


@word("power")
@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Power(Measured[PowerResult]):
    """Computes the power of the paired t test for a true difference d between two runs, and the number of topics for a given power.

    The differences between two runs are assumed to be normally distributed over topics with standard deviation sd, which is estimated from
    the given runs. For each pair of runs, the variance of their differences over topics is computed (with n-1 in its denominator); sd^2 is
    the mean of these variances over all pairs of runs, which is twice the residual mean square of `reliability`. With n topics, the test
    statistic then has a noncentral t distribution with n-1 degrees of freedom and noncentrality d * sqrt(n) / sd. The power is the
    probability that the statistic exceeds the critical value. The number of topics needed is the smallest number (2 or more) that gives at
    least the requested power. If the differences between runs do not vary (sd at most 1e-12), the tables contain 2 topics
    and a power of 1, and the finding says that the power cannot be estimated.

    With ``repeats=r``, sd is the standard deviation of the differences between two systems whose scores are the means of r runs each. This
    standard deviation can only be estimated from systems with several runs. The test treats topics as drawn at random, and runs as fixed.
    Therefore sd does not include the variance between runs of a system, which `reliability` includes.

    By default, the power is that of a single test of one pair of runs, without a correction. With ``correction=Holm``, the difference must
    be significant even if the p-values of all other pairs of the k runs are 1: the test's alpha is the first step of the correction over m
    hypotheses, such as alpha / m. As in `significance`, m is k(k-1)/2 if the test is two-tailed, and k(k-1) otherwise. If other pairs
    differ, most corrections, but not `Bonferroni`, need fewer topics. The finding states the number of topics with and without a correction. The power describes a future test; it does not show
    whether a completed test is sound.

    Formula:
        sd^2 = 2 (v_st + e / r)
        where
            r: the number of runs of each system, with repeats=r
            v_st: the variance of the interaction of systems and topics, as in the components of `reliability`
            e: the variance of the residual

    Args:
        difference: The true difference between means that the test should detect, or a tuple of several differences; must be above 0.
        topics: The number of topics (2 or more) for which the power is computed, or a tuple of several numbers.
        power: The power that the test should have. Table ``needed`` gives the smallest number of topics with at least this power.
        alpha: The significance level of the test of one pair of runs, or of the correction. If None, it is that of `correction`.
        correction: The correction that will be applied to the p-values of all pairs of runs.
        tails: The tails of the test, 1 or 2.
        repeats: The number of runs per system in the planned test, or a tuple of several numbers. If None, the planned test has as many
            runs per system as the data.

    Raises:
        FormulaError: `alpha` is given, and `correction` has another alpha that is not its default (``Holm(alpha=0.05)`` is the same as
            `Holm`, and takes `alpha`).
        CollectionError: `repeats` is given, but every system has a single run, the systems have different numbers of runs, or a run lacks a
            score.

    Notes:
        * Independence: future topics are treated as independent draws from the same population as the given topics, with normally
          distributed differences.
        * Number of topics: the number of topics needed grows with sd^2. Because sd is an estimate, the number of topics needed is uncertain
          if few topics are given. With n given topics and normally distributed differences, the 95 % interval of sd^2 is (n-1) sd^2 divided
          by the quantiles of the chi-square distribution with n-1 degrees of freedom: up to 13.9 times sd^2 with 4 topics, 3.3 times with 10
          and 1.8 times with 30. With fewer than 24 topics, the interval reaches beyond 2 times sd^2, and a warning states the numbers of
          topics that its ends need. If scores differ on fewer than 8 topics, and on less than a fifth of the topics, a warning says so.
        * Differences between pairs: the same sd is used for all pairs of runs. If two runs are similar, the standard deviation of their
          differences is smaller than sd, and fewer topics are needed.

    Source: Webber, Moffat & Zobel (2008); Sakai (2018), chapter 6.

    Examples:
        >>> from inexmetrics import MAep, Gen5, power, run, sample
        >>> power(MAep, Gen5, difference=0.1)
        power(MAep ~ Gen5, difference=0.1)
        >>> needed = run(power(MAep, Gen5, difference=0.01), sample()).tables["needed"].row(0, named=True)
        >>> needed["topics"], round(needed["sd"], 4)
        (77, 0.0309)
        >>> groups = sample().by_system("(group[0-9]+)-.*")
        >>> run(power(MAep, Gen5, repeats=(1, 3)), groups).needed.select("topics", "repeats").rows()
        [(6, 1), (5, 3)]
    """

    difference: float | tuple[float, ...] = parameter(0.05, OneOrMore(Number(above=0.0)))
    topics: int | tuple[int, ...] = parameter(TOPICS, OneOrMore(Integer(2)))
    power: float = parameter(0.8, PROBABILITY)
    alpha: float | None = parameter(None, Optional(PROBABILITY))
    tails: int = parameter(2, Integer(1, 2))
    repeats: int | tuple[int, ...] | None = parameter(None, REPEATS)
    correction: Correction = parameter(corrections.unadjusted, TermOf(Correction))

    def __post_init__(self) -> None:
        Measured.__post_init__(self)
        if self.alpha is not None and self.correction.alpha not in {corrections.unadjusted.alpha, self.alpha}:
            raise errors.FormulaError(
                f"{self.word}: alpha: expected one level, found {canonical(self.alpha)} and {canonical(self.correction)}",
                hint=f"write alpha={canonical(self.correction.alpha)}, or omit alpha",
            )

    @property
    def rule(self) -> Correction:
        """The correction, at the level that `alpha` or the correction states."""
        return self.correction if self.alpha is None else self.correction(alpha=self.alpha)

    def hypotheses(self, pairs: int) -> int:
        """Returns the number of hypotheses for `pairs` pairs of runs; a one-tailed test has one for each direction."""
        return conclusions.hypotheses_of(pairs, paired_t.t(tails=self.tails))

    def answer(self, source: Collection | Scores, setting: RunOptions) -> PowerResult:
        found = scored(self, source, setting)
        check_several_runs(self.word, found.runs)
        check_squares(self.word, found.conditions)
        check_repeats(self.word, found, self.repeats)
        powers, needed, still, alpha = [], [], [], self.rule.first_step(self.hypotheses(math.comb(len(found.runs), 2)))
        uncertain: list[str] = []
        for condition in found.conditions:
            deviations = self._deviations(found, condition)
            uncertain += self._uncertain(condition, deviations, alpha)
            still += [condition.text] if 0.0 in [sd for _, sd in deviations] else []
            differences = list(product(many(self.difference), deviations))
            asked = [(difference, sd, repeats, topics) for difference, (repeats, sd) in differences for topics in many(self.topics)]
            powers.append(
                PowerOfTopics.frame(
                    **condition.names,
                    difference=[difference for difference, _, _, _ in asked],
                    topics=[topics for _, _, _, topics in asked],
                    power=[
                        None if sd is None else power_of_t(effect_size(difference, sd), topics, alpha, self.tails)
                        for difference, sd, _, topics in asked
                    ],
                    **({} if self.repeats is None else {"repeats": [repeats for _, _, repeats, _ in asked]}),
                )
            )
            needed.append(
                TopicsNeeded.frame(
                    **condition.names,
                    difference=[difference for difference, _ in differences],
                    power=self.power,
                    topics=[
                        None if sd is None else topics_needed(effect_size(difference, sd), self.power, alpha, self.tails)
                        for difference, (_, sd) in differences
                    ],
                    sd=[sd for _, (_, sd) in differences],
                    **({} if self.repeats is None else {"repeats": [repeats for _, (repeats, _) in differences]}),
                )
            )
        tables: dict[str, pl.DataFrame] = {"power": PowerOfTopics.concat(powers), "needed": TopicsNeeded.concat(needed)}
        warnings = [
            *found.warnings,
            *one_scale.scale_warnings(self.word, found.conditions, "difference", many(self.difference), least=one_scale.SMALL),
            *uncertain,
        ]
        if still:
            warnings.append(
                f"{self.word}: differences between the {found.origin.unit}s do not vary over topics under {enumerate_texts(still)}, so that the "
                "power of 1 and the 2 topics say nothing about others; give runs that differ"
            )
        return PowerResult(self, tables, found.origin, setting.compat, tuple(warnings))

    def _uncertain(self, condition: ConditionScores, deviations: Iterable[tuple[int | None, float | None]], alpha: float) -> Iterator[str]:
        """Yields a warning if the standard deviation is estimated from few topics, with the range of the number of topics needed.

        If the runs differ on few of the topics, the differences are not normally distributed, and this range is unknown.
        """
        topics = condition.topics_defined
        differing = int((np.ptp(condition.scores, axis=0) > means.TOLERANCE).sum()) if topics else 0
        if 0 < differing < min(DIFFERING, topics / 5):
            yield (
                f"{self.word}: scores differ on only {differing} of {plural(topics, 'topic')} under {condition.text}, too few for a reliable standard "
                "deviation: the number of topics needed may be several times as large or as small; give more topics"
            )
            return
        ranges = [
            [
                topics_needed(effect_size(difference, end), self.power, alpha, self.tails)
                for end in deviation_ends(sd, condition.topics_defined)
            ]
            for difference, (_, sd) in product(many(self.difference), deviations)
            if sd and condition.topics_defined < ENOUGH
        ]
        texts = list(dict.fromkeys(f"{low} to {_number(high)}" for low, high in ranges if low is not None))
        if not texts:
            return
        intervals = (
            "the 95 % interval of the number of topics needed is"
            if len(texts) == 1
            else "95 % intervals of the numbers of topics needed are"
        )
        yield (
            f"{self.word}: {plural(condition.topics_defined, 'topic')} under {condition.text}, too few for a reliable standard deviation: "
            f"{intervals} {enumerate_texts(texts)} (if differences are normally distributed)"
        )

    def _deviations(self, found: Scored, condition: ConditionScores) -> list[tuple[int | None, float | None]]:
        """Returns, for each number of runs per system, the standard deviation of the differences between two systems.

        Without ``repeats=``, the list has a single item, which contains None and the standard deviation of the differences between two
        runs. The standard deviation is the square root of the variance averaged over all pairs; None with fewer than two topics.
        """
        single = None if self.repeats is None else scores_of_repeats(self.word, found, condition)
        if single is None:
            return [(None, deviation_of_pairs(condition))]
        if condition.topics_defined < 2:
            return [(repeats, None) for repeats in many(self.repeats)]
        variances = variance_components.nested_anova(single).components
        return [(repeats, None if variances is None else variances.deviation(repeats or 1)) for repeats in many(self.repeats)]


def deviation_of_pairs(condition: ConditionScores) -> float | None:
    """Returns the square root of the variance of differences between two runs, averaged over all pairs; None with fewer than 2 topics."""
    if condition.topics_defined < 2:
        return None
    # var(X - Y), averaged over all pairs of runs, is twice the difference between the mean variance and the mean covariance
    sd = math.sqrt(2 * (variance_components.anova(condition.scores).residual.mean_square or 0.0))
    return sd if sd > means.TOLERANCE else 0.0


def without_power(deviations: pl.Series, unit: str) -> str:
    """Returns the finding if every standard deviation of differences between runs is null or 0.

    Examples:
        >>> without_power(pl.Series([None, 0.0]), "run")
        'The power cannot be estimated, as the differences between the runs do not vary over topics.'
    """
    if deviations.null_count() == len(deviations):
        return f"The variation of the {unit}s' differences cannot be estimated from fewer than two topics."
    return f"The power cannot be estimated, as the differences between the {unit}s do not vary over topics."


def power_note(alpha: float, tails: int, unit: str = "run") -> str:
    """Returns the definition of power for the line under a table.

    Examples:
        >>> power_note(0.05, 2)
        't, two-tailed, of one pair of runs; not corrected, alpha = 0.05'
    """
    return f"t, {_tails(tails)}, of one pair of {unit}s; not corrected, alpha = {canonical(alpha)}"


def _difference(row: Row) -> str:
    return f"{canonical(row['difference'])} in mean {under(row)}"


def _of_mean(row: Row) -> str:
    runs = f" with {plural(row['repeats'], 'run')} of each system" if "repeats" in row else ""
    return _difference(row) + runs


def _count(row: Row) -> float:
    return math.inf if row["topics"] is None else float(row["topics"])


def _tails(tails: int) -> str:
    return "two-tailed" if tails == 2 else "one-tailed"


def _topics(row: Row) -> str:
    return "more than 2^53 topics" if row["topics"] is None else plural(row["topics"], "topic")


def _number(topics: int | None) -> str:
    return "more than 2^53" if topics is None else str(topics)


power: Final = Power
