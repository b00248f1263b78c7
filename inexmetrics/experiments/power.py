"""How many topics would do: the power of the t test to find a difference, from how much the runs' differences vary."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final

import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.cells import decimal
from inexmetrics.common.messages import canonical, plural
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.condition_scores import ConditionScores, scored
from inexmetrics.experiments.conditions import Measured, many
from inexmetrics.experiments.findings import Row, by_condition, comma_list, confidence_text, extremes, percentage, under
from inexmetrics.experiments.tables import Column, OfCondition, TableOf
from inexmetrics.experiments.tested import check_several_runs, check_squares
from inexmetrics.inference.means import TOLERANCE
from inexmetrics.inference.power import effect_size, power_of_t, topics_needed
from inexmetrics.inference.variance_components import anova
from inexmetrics.report.charts.layout import Figure
from inexmetrics.report.forms import CONDITION, across, narrowing
from inexmetrics.report.text import Printed
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Integer, Number, OneOrMore
from inexmetrics.terms.term import parameter

__all__ = ["Power", "PowerResult", "power"]

TOPICS: Final = (10, 25, 50, 100, 200)
PROBABILITY: Final = Number(above=0.0, below=1.0)

DIFFERENCE: Final = Column(float, "the true difference of two runs' means that is to be found", asked=True)


class PowerOfTopics(OfCondition):
    """The power of each number of topics, for each difference."""

    difference = DIFFERENCE
    topics = Column.count("the number of topics", at_least=2)
    power = Column.share("the probability that the t test finds the difference", "with fewer than two topics to learn from")


class TopicsNeeded(OfCondition):
    """The number of topics that reaches the power asked for, for each difference."""

    difference = DIFFERENCE
    power = Column.share("the power asked for", asked=True)
    topics = Column.count(
        "the least number of topics that reaches it", "beyond 2^53, or with fewer than two topics to learn from", at_least=2
    )
    sd = Column(
        float, "the standard deviation of two runs' differences over topics, its square averaged over all pairs of runs",
        "with fewer than two topics", at_least=0,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PowerResult(Result):
    """Power by the number of topics, and the topics needed."""

    experiment: Power
    power = TableOf(PowerOfTopics)
    needed = TableOf(TopicsNeeded)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.topics import power_figure  # charts are loaded when one is drawn

        return power_figure(self.tables, self.experiment.alpha, self.experiment.tails)

    def printed(self) -> Iterator[Printed]:
        yield Printed("needed", self.as_asked("needed"))
        rows = self.as_asked().with_columns(pl.col("topics").cast(pl.String)).unique(maintain_order=True)
        wide = across(rows, "topics", (*CONDITION, "difference"), map(decimal, rows["power"]))
        form = Printed("power", wide, "columns: topics", right=tuple(wide.columns[3:]))
        yield narrowing([form, Printed("power", self.table)])

    @property
    def finding(self) -> str:
        asked = by_condition(self.tables["needed"])
        known = [row for rows in asked for row in rows if row["sd"] is not None]
        if not known:
            return "How much the runs' differences vary cannot be told from fewer than two topics."
        least, most = extremes(known, lambda row: math.inf if row["topics"] is None else row["topics"])
        likely = f"with a probability of {confidence_text(self.experiment.power)}, a paired t test needs"
        if len(known) > 1 and least["topics"] == most["topics"]:
            return f"To find any of the true differences asked about {likely} {_topics(least)}."
        if len(known) > 1:
            span = " and ".join(f"{_topics(row)} ({_of_mean(row)})" for row in (least, most))
            return f"To find a true difference {likely} between {span}."
        spread = self.table.drop_nulls("power").sort("topics")
        ends = [spread.row(0, named=True), spread.row(-1, named=True)][: min(spread.height, 2)]
        found = comma_list([f"{percentage(row['power'])} on {row['topics']}" for row in ends])
        return f"To find a true difference of {_of_mean(least)} {likely} {_topics(least)}; the probability is {found} topics."


@word("power")
@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Power(Measured[PowerResult]):
    """How many topics would do: the power of the paired t test on so many topics to find a true difference d of two runs' means.

    The differences of two runs are taken to be normal over topics, with the standard deviation sd of the runs at hand:
    sd^2 is the mean over all pairs of runs of the variance of their differences (with n-1 in its denominator), which is twice
    the residual mean square of `reliability`. On n topics the test's statistic is then noncentral t with n-1 degrees of freedom
    and noncentrality d * sqrt(n) / sd, and its power the probability that it passes the critical value. The number of topics
    needed is the least of at least 2 that reaches the power asked for. Where the runs' differences do not vary (sd at most
    1e-12), the power is 1 and 2 topics are needed.

    This is the power of one test of one pair, without a correction: correct `alpha` for the number of pairs to be tested
    (Bonferroni: alpha / m). It answers how many topics a future test takes, not whether a past one was sound.

    Args:
        difference: The true difference of means to be found, above 0; or several.
        topics: The number of topics whose power is wanted, at least 2; or several.
        power: The power that the number of topics needed is to reach.
        alpha: The level of the test, for one pair of runs.
        tails: The tails of the test, 1 or 2.

    Notes:
        * Independence: future topics are treated as independent draws like those at hand, with normal differences.
        * Number of topics: sd is an estimate. The number needed grows with its square, so that few topics at hand make it uncertain.
        * One sd stands for all pairs of runs: similar runs vary less together and need fewer topics.

    Source: Webber, Moffat & Zobel (2008); Sakai (2018), chapter
    6.

    Examples:
        >>> from inexmetrics import MAep, Gen5, power, run, sample
        >>> power(MAep, Gen5, difference=0.1)
        power(MAep ~ Gen5, difference=0.1)
        >>> needed = run(power(MAep, Gen5, difference=0.01), sample()).tables["needed"].row(0, named=True)
        >>> needed["topics"], round(needed["sd"], 4)
        (95, 0.0344)
    """

    difference: float | tuple[float, ...] = parameter(0.05, OneOrMore(Number(above=0.0)))
    topics: int | tuple[int, ...] = parameter(TOPICS, OneOrMore(Integer(2)))
    power: float = parameter(0.8, PROBABILITY)
    alpha: float = parameter(0.05, PROBABILITY)
    tails: int = parameter(2, Integer(1, 2))

    def answer(self, source: Collection | Scores, setting: RunOptions) -> PowerResult:
        found = scored(self, source, setting)
        check_several_runs(self.word, found.runs)
        check_squares(self.word, found.conditions)
        tables: dict[str, pl.DataFrame] = {
            "power": PowerOfTopics.concat(self._powers(condition) for condition in found.conditions),
            "needed": TopicsNeeded.concat(self._needed(condition) for condition in found.conditions),
        }
        return PowerResult(self, tables, found.origin, setting.compat, found.warnings)

    def _powers(self, condition: ConditionScores) -> pl.DataFrame:
        sd = _deviation(condition)
        asked = list(product(many(self.difference), many(self.topics)))
        return PowerOfTopics.frame(
            **condition.names,
            difference=[difference for difference, _ in asked],
            topics=[topics for _, topics in asked],
            power=[
                None if sd is None else power_of_t(effect_size(difference, sd), topics, self.alpha, self.tails)
                for difference, topics in asked
            ],
        )

    def _needed(self, condition: ConditionScores) -> pl.DataFrame:
        sd = _deviation(condition)
        differences = many(self.difference)
        return TopicsNeeded.frame(
            **condition.names,
            difference=differences,
            power=self.power,
            topics=[
                None if sd is None else topics_needed(effect_size(each, sd), self.power, self.alpha, self.tails) for each in differences
            ],
            sd=[sd] * len(differences),
        )


def _deviation(condition: ConditionScores) -> float | None:
    """The standard deviation of two runs' differences, its square averaged over all pairs; None with fewer than two topics."""
    if condition.topics_defined < 2:
        return None
    # var(X - Y), averaged over all pairs of runs, is twice the mean variance less the mean covariance
    sd = math.sqrt(2 * (anova(condition.scores).residual.mean_square or 0.0))
    return sd if sd > TOLERANCE else 0.0


def _of_mean(row: Row) -> str:
    return f"{canonical(row['difference'])} in mean {under(row)}"


def _topics(row: Row) -> str:
    return "more topics than could be had" if row["topics"] is None else plural(row["topics"], "topic")


power: Final = Power
