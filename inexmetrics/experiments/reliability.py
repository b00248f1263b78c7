"""How much of the variance is the runs': variance components, and what they say of the reliability of means over topics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.cells import MISSING, decimal, three_digits
from inexmetrics.common.messages import plural
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.condition_scores import ConditionScores, scored
from inexmetrics.experiments.conditions import Measured, many
from inexmetrics.experiments.findings import all_of, by_condition, extremes, number, percentage, under
from inexmetrics.experiments.tables import Column, OfCondition, TableOf
from inexmetrics.experiments.tested import check_several_runs, check_squares, count_hypotheses
from inexmetrics.inference.variance_components import Anova, anova, share_of_runs
from inexmetrics.report.charts.layout import Figure
from inexmetrics.report.forms import CONDITION, across, changes
from inexmetrics.report.text import Printed
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Integer, OneOrMore
from inexmetrics.terms.term import parameter

__all__ = ["Reliability", "ReliabilityResult", "reliability"]

TOPICS: Final = (10, 25, 50, 100)
FEW: Final = "with fewer than two topics"


class ReliabilityOfTopics(OfCondition):
    """The variance components, and how reliable means over so many topics are; the first row is of the topics there are."""

    topics = Column.count("the number of topics averaged")
    var_run = Column(float, "the variance of runs", FEW, at_least=0)
    var_topic = Column(float, "the variance of topics", FEW, at_least=0)
    var_residual = Column(float, "the variance of what neither explains", FEW, at_least=0)
    e_rho2 = Column.share("the share of the variance of runs among what orders them (relative decisions)", "where it is 0/0")
    phi = Column.share("the share of the variance of runs in that of their means (absolute decisions)", "where it is 0/0")


class AnalysisOfVariance(OfCondition):
    """The analysis of variance of runs x topics, a row a source."""

    source = Column(str, "the source of variance", choices=("run", "topic", "residual"))
    df = Column.count("degrees of freedom")
    sum_of_squares = Column(float, "the sum of squared deviations", "without topics", at_least=0)
    mean_square = Column(float, "sum_of_squares / df", "without degrees of freedom", at_least=0)
    f = Column(float, "mean_square over that of the residual", "for the residual, and where that is 0", at_least=0)
    p_value = Column.share("the probability of an F as large if the source had no effect", "where f is")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReliabilityResult(Result):
    """Reliability of means over topics, and the analysis of variance it follows from."""

    experiment: Reliability
    reliability = TableOf(ReliabilityOfTopics)
    anova = TableOf(AnalysisOfVariance)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.topics import reliability_figure  # charts are loaded when one is drawn

        return reliability_figure(self.tables)

    def printed(self) -> Iterator[Printed]:
        components = self.table.unique(CONDITION, keep="first", maintain_order=True)
        yield _components(components.select(*CONDITION, "^var_.*$"))
        shares = ("e_rho2", "phi")
        of_topics = self.table.unique((*CONDITION, "topics"), maintain_order=True)
        long = of_topics.select(*CONDITION, pl.col("topics").cast(pl.String), pl.lit(shares).alias("statistic")).explode("statistic")
        wide = across(
            long, "topics", (*CONDITION, "statistic"), [decimal(value) for row in of_topics.select(shares).rows() for value in row]
        )
        said = "columns: topics"
        yield Printed("reliability", wide, said, breaks=changes(wide, *CONDITION), right=tuple(wide.columns[3:]))
        yield Printed("anova", self.tables["anova"], breaks=changes(self.tables["anova"], *CONDITION))

    @property
    def finding(self) -> str:
        asked = by_condition(self.table)
        there = [rows for rows in asked if rows[0]["e_rho2"] is not None]
        if not there:
            if all(rows[0]["var_run"] is None for rows in asked):
                return "Reliability cannot be estimated from fewer than two topics."
            return "The runs do not differ on any topic, so that there is no order whose reliability could be estimated."
        low, high = extremes(there, lambda rows: rows[0]["e_rho2"])
        first, topics = low[0], plural(low[0]["topics"], "topic")
        if len(there) == 1:
            most = max(low[1:], key=lambda row: row["topics"])
            more = f"; with {most['topics']} topics E rho^2 would be {number(most['e_rho2'])}"
            return (
                f"Over {topics}, the reliability of the order of the runs by {under(first)} is {number(first['e_rho2'])} (E rho^2) and that of "
                f"their means {number(first['phi'])} (Phi){more}."
            )
        if number(first["e_rho2"]) == number(high[0]["e_rho2"]):
            order = "The reliability of the order of the runs (E rho^2)"
            return f"{order} is {number(first['e_rho2'])} under {all_of(len(there), self.experiment.condition_noun)}."
        return (
            f"The reliability of the order of the runs (E rho^2) lies between {number(first['e_rho2'])} ({under(first)}) and "
            f"{number(high[0]['e_rho2'])} ({under(high[0])})."
        )

    @property
    def tested(self) -> str:
        return f"F tests of run and topic against the residual, upper tail; {count_hypotheses(2)}, not corrected"


def _components(variances: pl.DataFrame) -> Printed:
    """Return the components of the variance, each with its share of their sum."""
    names = [name for name in variances.columns if name not in CONDITION]
    total = variances.select(pl.sum_horizontal(names)).to_series().to_list()
    cells = {
        name: [
            MISSING if value is None else three_digits(value) + (f" ({percentage(value, whole)})" if whole else "")
            for value, whole in zip(variances[name].to_list(), total, strict=True)
        ]
        for name in names
    }
    shown = variances.with_columns(pl.Series(name, texts, pl.String) for name, texts in cells.items())
    return Printed("reliability", shown, "in parentheses: share of the variance of a score", right=tuple(names))


@word("reliability")
@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Reliability(Measured[ReliabilityResult]):
    """How much of the variance is the runs': variance components, and the reliability of means over more or fewer topics.

    The scores of k runs on the n topics for which the measure is defined are a two-way table with one score in each cell, whose
    mean squares give the components of the variance, none below 0. E rho^2 and Phi are the shares of the variance of means over n'
    topics drawn like these that is due to runs: E rho^2 where runs are put in order on the same topics, Phi where a mean is
    to be read by itself. At n' = n they are the intraclass correlations ICC(C,k) and ICC(A,k) of the topics as raters.

    Formula:
        E rho^2 = var_run / (var_run + var_residual / n')
        Phi = var_run / (var_run + (var_topic + var_residual) / n')
        var_run = (MS_run - MS_residual) / n
        var_topic = (MS_topic - MS_residual) / k
        var_residual = MS_residual
        where
            n: the topics that there are
            n': the topics that the means are over
            k: the number of runs
            MS: the mean squares of the analysis of variance

    Args:
        topics: The number of topics whose reliability is wanted, beside that of the topics there are; or several.

    Computed: Components of at most 1e-12 count as 0.

    Notes:
        * Independence: topics and runs are treated as random draws with independent residuals.
        * Number of runs: a component of few runs or topics is uncertain, and no interval says how much. Shares describe these runs; similar
          runs have a smaller var_run.
        * A component that would be below 0 counts as 0.

    Source: Bodoff & Li (2007); Urbano, Marrero & Martín (2013); McGraw & Wong (1996), on the intraclass correlations.

    Examples:
        >>> from inexmetrics import MAP, reliability, run, sample
        >>> reliability(MAP)
        reliability(MAP)
        >>> first, asked = run(reliability(MAP, topics=100), sample()).reliability.rows(named=True)
        >>> first["topics"], round(first["e_rho2"], 4), round(first["phi"], 4), round(asked["e_rho2"], 4)
        (29, 0.945, 0.9368, 0.9834)
    """

    topics: int | tuple[int, ...] = parameter(TOPICS, OneOrMore(Integer(1)))

    def answer(self, source: Collection | Scores, setting: RunOptions) -> ReliabilityResult:
        found = scored(self, source, setting)
        check_several_runs(self.word, found.runs)
        check_squares(self.word, found.conditions)
        analysed = [(condition, anova(condition.scores) if condition.topics_defined else None) for condition in found.conditions]
        tables: dict[str, pl.DataFrame] = {
            "reliability": ReliabilityOfTopics.concat(self._reliability(condition, found) for condition, found in analysed),
            "anova": AnalysisOfVariance.concat(_anova(condition, found) for condition, found in analysed),
        }
        return ReliabilityResult(self, tables, found.origin, setting.compat, found.warnings)

    def _reliability(self, condition: ConditionScores, found: Anova | None) -> pl.DataFrame:
        run, topic, residual = (found.var_run, found.var_topic, found.var_residual) if found else (None, None, None)
        topics = (condition.topics_defined, *many(self.topics))
        ratios = [
            (None, None)
            if run is None or topic is None or residual is None
            else (share_of_runs(run, residual / n), share_of_runs(run, (topic + residual) / n))
            for n in topics
        ]
        return ReliabilityOfTopics.frame(
            **condition.names,
            topics=topics,
            var_run=[run] * len(topics),
            var_topic=[topic] * len(topics),
            var_residual=[residual] * len(topics),
            e_rho2=[relative for relative, _ in ratios],
            phi=[absolute for _, absolute in ratios],
        )


def _anova(condition: ConditionScores, found: Anova | None) -> pl.DataFrame:
    runs, topics = len(condition.runs), condition.topics_defined
    sources = (found.run, found.topic, found.residual) if found else (None, None, None)
    tested = [found.f_ratio(source) if found and source else None for source in sources[:2]]
    return AnalysisOfVariance.frame(
        **condition.names,
        source=["run", "topic", "residual"],
        df=[source.df for source in sources if source] or [runs - 1, max(topics - 1, 0), 0],
        sum_of_squares=[source and source.sum_of_squares for source in sources],
        mean_square=[source and source.mean_square for source in sources],
        f=[*(each and each[0] for each in tested), None],
        p_value=[*(each and each[1] for each in tested), None],
    )


reliability: Final = Reliability
