"""Estimates variance components of scores, and the reliability of mean scores for different numbers of topics."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.cells import MISSING, decimal, three_digits
from inexmetrics.common.messages import plural
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments import findings as say
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.condition_scores import ConditionScores, Scored, scored
from inexmetrics.experiments.conditions import Measured, many
from inexmetrics.experiments.run_groups import REPEATS, check_repeats, scores_of_repeats
from inexmetrics.experiments.tables import Column, OfCondition, TableOf
from inexmetrics.experiments.tested import check_several_runs, check_squares, count_hypotheses
from inexmetrics.inference.variance_components import Anova, Components, Source, anova, nested_anova
from inexmetrics.report import CONDITION, Figure, Printed, across, changes
from inexmetrics.terms import Integer, OneOrMore, parameter, word

if TYPE_CHECKING:
    from inexmetrics.report.paper_tables import PaperTable

__all__ = ["Reliability", "ReliabilityResult", "reliability"]

TOPICS: Final = (10, 25, 50, 100)
FEW: Final = "with fewer than two topics"
UNKNOWN: Final = "if the residual variance is 0, with fewer than two topics, or if systems have several runs"
ANYTHING: Final = 0.9
"""Width of an interval of E rho^2 from which it says nearly nothing, so that findings do not state the estimate for more topics."""
ROUNDING: Final = 1e-9
"""Maximum rounding error of a computed number of topics; subtracted before the number is rounded up to an integer."""


class ReliabilityOfTopics(OfCondition):
    """The variance components, and the reliability of means for several numbers of topics; the first row is for the topics in the data."""

    topics = Column.count("the number of topics over which means are taken")
    var_run = Column(float, "the variance due to runs", FEW, at_least=0)
    var_topic = Column(float, "the variance due to topics", FEW, at_least=0)
    var_residual = Column(float, "the residual variance", FEW, at_least=0)
    e_rho2 = Column.share(
        "the share of the variance of means due to runs, if runs are compared on the same topics (relative decisions)",
        "if all variances are 0",
    )
    phi = Column.share(
        "the share of the variance of means that is due to runs, if each mean is interpreted by itself (absolute decisions)",
        "if all variances are 0",
    )
    var_repeat = Column(
        float, "the variance between the runs of a system; var_run is then the variance between systems", FEW, at_least=0, option="systems"
    )
    repeats = Column(int, "the number of runs over which each system's score is averaged", at_least=1, option="systems")
    low = Column.share("the lower end of the 95 % confidence interval of e_rho2 (Feldt 1965)", UNKNOWN)
    high = Column.share("the upper end of this interval", UNKNOWN)


SOURCES: Final = ("system", "topic", "system:topic", "run", "residual")


class VarianceComponents(OfCondition):
    """The variance components of the scores, one row for each source of variance. The table exists only if systems have several runs."""

    source = Column(
        str,
        "the source of variance: system:topic is the interaction of systems and topics, run is the effect of runs nested in systems",
        choices=SOURCES,
    )
    variance = Column(float, "the variance due to the source", FEW, at_least=0)
    share = Column.share("the variance divided by the sum of all variance components", "if the sum is 0, or with fewer than two topics")


class AnalysisOfVariance(OfCondition):
    """The analysis of variance, with one row for each source of variance.

    The design is runs x topics. If systems have several runs, the design is (runs nested in systems) x topics.
    """

    source = Column(str, "the source of variance", choices=SOURCES)
    df = Column.count("degrees of freedom")
    sum_of_squares = Column(float, "the sum of squared deviations", "without topics", at_least=0)
    mean_square = Column(float, "sum_of_squares / df", "without degrees of freedom", at_least=0)
    f = Column(
        float, "mean_square divided by the mean_square of the residual. If systems have several runs, the mean_square of topic is divided "
        "by the mean_square of system:topic instead",
        "for the sources residual and system (system has no exact F), and if the divisor is 0", at_least=0,
    )  # fmt: skip
    p_value = Column.share("the probability of an F at least this large if the source has no effect", "if f is null")


OF_INTERVAL: Final = "low, high: 95 % interval of e_rho2"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReliabilityResult(Result):
    """The result of `reliability`: reliability of means over topics, and the analysis of variance from which it is computed."""

    experiment: Reliability
    reliability = TableOf(ReliabilityOfTopics)
    anova = TableOf(AnalysisOfVariance)
    components = TableOf(VarianceComponents)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.topics import reliability_figure  # imported only when a chart is drawn

        return reliability_figure(self.tables)

    def printed(self) -> Iterator[Printed]:
        repeated = ("repeats",) if "repeats" in self.table.columns else ()
        if "components" in self.tables:
            yield _components(self.components.pivot(on="source", index=CONDITION, values="variance", maintain_order=True), "components")
        else:
            first = self.table.unique(CONDITION, keep="first", maintain_order=True)
            yield _components(first.select(*CONDITION, "^var_.*$"), "reliability")
        certain = self.table["low"].null_count() < self.table.height
        shares, index = ("e_rho2", *(("low", "high") if certain else ()), "phi"), (*CONDITION, *repeated, "statistic")
        of_topics = self.table.unique((*CONDITION, *repeated, "topics"), maintain_order=True)
        long = of_topics.select(*index[:-1], pl.col("topics").cast(pl.String), pl.lit(shares).alias("statistic")).explode("statistic")
        wide = across(long, "topics", index, [decimal(value) for row in of_topics.select(shares).rows() for value in row])
        breaks, right = changes(wide, *index[:-1]), tuple(wide.columns[len(index) :])
        said, without = (f"columns: topics; {OF_INTERVAL}", ()) if certain else ("columns: topics", ("low", "high"))
        yield Printed("reliability", wide, said, breaks=breaks, right=right, without=without)
        yield Printed("anova", self.tables["anova"], breaks=changes(self.tables["anova"], *CONDITION))

    @property
    def notes(self) -> Mapping[str, str]:
        return {"reliability": OF_INTERVAL} if self.table["low"].null_count() < self.table.height else {}

    @property
    def finding(self) -> str:
        asked = say.rows_by_condition(self.table)
        there = [rows for rows in asked if rows[0]["e_rho2"] is not None]
        if not there:
            if all(rows[0]["var_run"] is None for rows in asked):
                return "Reliability cannot be estimated from fewer than two topics."
            return "The runs do not differ on any topic, so the reliability of their order cannot be estimated."
        low, high = say.extremes(there, lambda rows: rows[0]["e_rho2"])
        first, topics = low[0], plural(low[0]["topics"], "topic")
        what = "systems" if "components" in self.tables else "runs"
        if len(there) == 1:
            runs = f" and {plural(first['repeats'], 'run')} of each system" if "components" in self.tables else ""
            most = max(low[1:], key=lambda row: row["topics"])
            known = None not in (most["low"], most["high"]) and most["high"] - most["low"] < ANYTHING
            of_most = say.with_interval(most["e_rho2"], most["low"], most["high"], 0.95)
            more = f"; with {most['topics']} topics E rho^2 would be {of_most}" if known else ""
            if runs:
                variances = self.components.filter(measure=first["measure"], quantisation=first["quantisation"])["variance"]
                other = min((asked for asked in many(self.experiment.repeats) if asked not in (None, first["repeats"])), default=1)
                needed = Components(*variances).topics_with(other, first["topics"], first["repeats"])
                enough = "no number of topics" if needed is None else plural(math.ceil(needed - ROUNDING), "topic")
                more = f"; with {'one run' if other == 1 else plural(other, 'run')} of each, {enough} would order them as reliably"
            sure = say.interval_text(first["low"], first["high"], 0.95)
            return (
                f"Over {topics}{runs}, the reliability of the order of the {what} by {say.under(first)} is {say.number(first['e_rho2'])}"
                f"{say.in_parentheses('E rho^2', sure)} and "
                f"that of their means {say.number(first['phi'])} (Phi){more}."
            )
        if say.number(first["e_rho2"]) == say.number(high[0]["e_rho2"]):
            order = f"The reliability of the order of the {what} (E rho^2)"
            return f"{order} is {say.number(first['e_rho2'])} under {say.all_of(len(there), self.experiment.condition_noun)}."
        return (
            f"Estimates of the reliability of the order of the {what} (E rho^2) go from {say.number(first['e_rho2'])} ({say.under(first)}) to "
            f"{say.number(high[0]['e_rho2'])} ({say.under(high[0])}){say.others_between(len(there), self.experiment.condition_noun)}."
        )

    def _paper_table(self, table: str | None) -> PaperTable:
        paper = Result._paper_table(self, table)  # zero-argument super() is an error in dataclasses with slots
        names = {"var_run": "var_system", "var_repeat": "var_run"} if "var_repeat" in paper.frame.columns else {}
        frame = paper.frame
        if {"e_rho2", "low", "high"} <= set(frame.columns):  # the interval of E rho^2 follows E rho^2
            before, after = frame.columns[: frame.columns.index("e_rho2") + 1], frame.columns[frame.columns.index("e_rho2") + 1 :]
            frame = frame.select(*before, "low", "high", *(name for name in after if name not in {"low", "high"}))
        return replace(paper, frame=frame.rename(names), columns=paper.columns.union(names.values()))

    @property
    def tested(self) -> str:
        if "components" in self.tables:
            return f"F tests of system:topic and run against the residual, of topic against system:topic, upper tail; {count_hypotheses(3)}, not corrected"
        return f"F tests of run and topic against the residual, upper tail; {count_hypotheses(2)}, not corrected"


def _components(variances: pl.DataFrame, table: str) -> Printed:
    """Returns the printed form of the variance components, each with its share of their sum."""
    names = [name for name in variances.columns if name not in CONDITION]
    total = variances.select(pl.sum_horizontal(names)).to_series().to_list()
    cells = {
        name: [
            MISSING if value is None else three_digits(value) + (f" ({say.percentage(value, whole)})" if whole else "")
            for value, whole in zip(variances[name].to_list(), total, strict=True)
        ]
        for name in names
    }
    shown = variances.with_columns(pl.Series(name, texts, pl.String) for name, texts in cells.items())
    return Printed(table, shown, "in parentheses: share of the variance of a score", right=tuple(names))


@word("reliability")
@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Reliability(Measured[ReliabilityResult]):
    """Estimates the shares of variance due to runs and to topics, and the reliability of means over any number of topics.

    The scores of k runs on the n topics for which the measure is defined form a two-way table with one score in each cell. The mean squares
    of this table give the variance components, which are at least 0. E rho^2 and Phi measure which share of the variance of means over n'
    similar topics is due to runs. E rho^2 applies if runs are compared by their means on the same topics. Phi applies if the mean of a
    single run is reported. Columns low and high contain the 95 % confidence interval of E rho^2 (Feldt). With n' = n, E rho^2 and Phi equal the intraclass correlations ICC(C,k) and ICC(A,k) with the topics as raters.

    If systems have several runs each, two more variance components are estimated. One component is the variance between the runs of a
    system. The other component is the variance of the interaction of systems and topics, which is otherwise part of the residual. With
    several runs per system, means are taken over n' topics and r' runs of each system. Column var_run is then the variance between systems,
    and column var_repeat is the variance between the runs of a system. Column var_residual is then v_st + e / r', where v_st is the
    variance of the interaction of systems and topics, and e is the variance of the residual.

    Formula:
        E rho^2 = var_run / (var_run + var_residual / n')
        Phi = var_run / (var_run + (var_topic + var_residual) / n')
        var_run = (MS_run - MS_residual) / n
        var_topic = (MS_topic - MS_residual) / k
        var_residual = MS_residual
        E rho^2 = v_s / (v_s + v_st / n' + v_r / r' + e / (n' r'))
        Phi = v_s / (v_s + (v_t + v_st) / n' + v_r / r' + e / (n' r'))
        v_s = (MS_s - MS_st - MS_r + e) / (n r)
        v_t = (MS_t - MS_st) / (r s)
        v_st = (MS_st - e) / r
        v_r = (MS_r - e) / n
        e = MS_residual
        where
            n: the number of available topics
            n': the number of topics over which means are taken
            k: the number of runs
            MS: the mean squares of the analysis of variance
            s: the number of systems; as an index, the systems
            r: the number of runs of each system; as an index, the runs of the systems
            r': the number of runs per system whose scores are averaged
            t: the topics
            st: the interaction of systems and topics
            e: the variance of the residual

    Args:
        topics: The number of topics for which reliability is computed, or a tuple of several numbers; reliability is also computed for the
            available number of topics.
        repeats: The number of runs per system for which reliability is computed, or a tuple of several numbers; None uses the number of
            runs per system in the data.

    Raises:
        CollectionError: Systems have unequal numbers of runs; a run lacks a score; or `repeats` is given and every system has a single run.

    Computed: Variance components of at most 1e-12 of the squared range of the scores, or 1e-24 of the square of the largest score, are
    treated as 0. The scale of the scores does not change reliability.

    Notes:
        * Independence: topics and runs are treated as random draws with independent residuals.
        * Number of runs: with few runs or few topics, the estimates are uncertain. The interval of E rho^2 is exact for normally
          distributed scores. It is not computed if systems have several runs. Intervals for variance components are not computed. The shares of variance describe the given runs; var_run is smaller for runs that are more similar.
        * Negative estimates: A negative estimate of a variance component is replaced by 0.
        * All runs together: the reliability can be high merely because a few runs are bad. To see which ranks are certain, use `ranks`.

    Source: Bodoff & Li (2007); Urbano, Marrero & Martín (2013); Feldt (1965), on the interval; McGraw & Wong (1996), on the intraclass correlations; Brennan (2001), on
        runs nested in systems.

    Examples:
        >>> import polars as pl
        >>> from inexmetrics import MAP, reliability, run, sample
        >>> reliability(MAP)
        reliability(MAP)
        >>> first, asked = run(reliability(MAP, topics=100), sample()).reliability.rows(named=True)
        >>> first["topics"], round(first["e_rho2"], 4), round(first["phi"], 4), round(asked["e_rho2"], 4)
        (29, 0.955, 0.9231, 0.9865)
        >>> groups = sample().by_system("(group[0-9]+)-.*")
        >>> found = run(reliability(MAP, topics=29, repeats=(1, 3)), groups)
        >>> found.reliability.select("topics", "repeats", pl.col("e_rho2").round(4)).rows()
        [(29, 3, 0.9661), (29, 1, 0.9563)]
        >>> found.components.select("source", pl.col("share").round(3)).rows()[:2]
        [('system', 0.309), ('topic', 0.282)]
    """

    topics: int | tuple[int, ...] = parameter(TOPICS, OneOrMore(Integer(1)))
    repeats: int | tuple[int, ...] | None = parameter(None, REPEATS)

    def answer(self, source: Collection | Scores, setting: RunOptions) -> ReliabilityResult:
        found = scored(self, source, setting)
        check_several_runs(self.word, found.runs)
        check_squares(self.word, found.conditions)
        check_repeats(self.word, found, self.repeats)
        analysed = [_Analysed.of(self.word, found, condition) for condition in found.conditions]
        tables: dict[str, pl.DataFrame] = {
            "reliability": ReliabilityOfTopics.concat(self._reliability(each) for each in analysed),
            "anova": AnalysisOfVariance.concat(each.anova() for each in analysed),
        }
        if analysed[0].repeats is not None:
            tables["components"] = VarianceComponents.concat(each.components() for each in analysed)
        return ReliabilityResult(self, tables, found.origin, setting.compat, found.warnings)

    def _reliability(self, analysed: _Analysed) -> pl.DataFrame:
        there, variances = analysed.repeats or 1, analysed.variances
        asked = [(topics, repeats or there) for topics in many(self.topics) for repeats in many(self.repeats)]
        rows = [*dict.fromkeys([(analysed.condition.topics_defined, there), *asked])]
        ratios = [(None, None) if variances is None else variances.reliability(topics, repeats) for topics, repeats in rows]
        two_way = analysed.two_way
        ends = [(None, None) if two_way is None else two_way.reliability_interval(topics) for topics, _ in rows]
        of_runs: dict[str, list[float | None]] = {}
        if analysed.repeats is not None:
            run = None if variances is None else variances.run
            of_runs = {"var_repeat": [run] * len(rows), "repeats": [repeats for _, repeats in rows]}
        return ReliabilityOfTopics.frame(
            **analysed.condition.names,
            topics=[topics for topics, _ in rows],
            var_run=[variances and variances.system] * len(rows),
            var_topic=[variances and variances.topic] * len(rows),
            var_residual=[variances and variances.residual_of(repeats) for _, repeats in rows],
            e_rho2=[relative for relative, _ in ratios],
            phi=[absolute for _, absolute in ratios],
            **of_runs,
            low=[low for low, _ in ends],
            high=[high for _, high in ends],
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Analysed:
    """The analysis of variance of the scores under one condition.

    Attributes:
        condition: The scores under the condition.
        sources: The sources of variance, by name. Each value contains the source, and the source whose mean square is the denominator of
            its F statistic (None if there is no F statistic). Empty if the measure is defined for no topic.
        variances: The variance components; None with fewer than two topics.
        repeats: Number of runs of each system; None if every system has a single run.
        two_way: The analysis of variance of runs and topics; None if systems have several runs, or with fewer than two topics.
    """

    condition: ConditionScores
    sources: Mapping[str, tuple[Source, Source | None]]
    variances: Components | None
    repeats: int | None
    two_way: Anova | None = None

    @classmethod
    def of(cls, word: str, found: Scored, condition: ConditionScores) -> _Analysed:
        single = scores_of_repeats(word, found, condition)
        repeats = None if single is None else single.shape[1]
        if not condition.topics_defined:
            return cls(condition, {}, None, repeats)
        if single is None:
            two_way = anova(condition.scores)
            run, topic, residual = two_way.run, two_way.topic, two_way.residual
            sources = {"run": (run, residual), "topic": (topic, residual), "residual": (residual, None)}
            return cls(condition, sources, two_way.components, None, two_way)
        nested = nested_anova(single)
        sources = {
            "system": (nested.system, None),
            "topic": (nested.topic, nested.interaction),
            "system:topic": (nested.interaction, nested.residual),
            "run": (nested.run, nested.residual),
            "residual": (nested.residual, None),
        }
        return cls(condition, sources, nested.components, repeats)

    def anova(self) -> pl.DataFrame:
        """Returns the rows of table ``anova``."""
        runs = len(self.condition.runs)
        empty = {"run": runs - 1, "topic": 0, "residual": 0} if self.repeats is None else (
            {"system": runs - 1, "topic": 0, "system:topic": 0, "run": runs * (self.repeats - 1), "residual": 0}
        )  # fmt: skip
        tested = [None if error is None else source.f_ratio(error) for source, error in self.sources.values()]
        sources = [source for source, _ in self.sources.values()]
        return AnalysisOfVariance.frame(
            **self.condition.names,
            source=list(empty),
            df=[source.df for source in sources] or list(empty.values()),
            sum_of_squares=[source.sum_of_squares for source in sources] or [None] * len(empty),
            mean_square=[source.mean_square for source in sources] or [None] * len(empty),
            f=[each and each[0] for each in tested] or [None] * len(empty),
            p_value=[each and each[1] for each in tested] or [None] * len(empty),
        )

    def components(self) -> pl.DataFrame:
        """Returns the rows of table ``components``: the variance components, each with its share of their sum."""
        found = self.variances
        values = [] if found is None else [found.system, found.topic, found.interaction, found.run, found.residual]
        total = sum(values)
        return VarianceComponents.frame(
            **self.condition.names,
            source=list(SOURCES),
            variance=values or [None] * len(SOURCES),
            share=[value / total for value in values] if total else [None] * len(SOURCES),
        )


reliability: Final = Reliability
