"""Curves of measures, averaged over topics: precision by recall, or cumulated gain by rank."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, cast

import numpy as np
import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.collection.origin import origin_of
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.errors import CollectionError, FormulaError, summaries
from inexmetrics.common.messages import canonical, plural
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments import findings as say
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.condition_scores import check_answerable, topics_answered, with_left_out
from inexmetrics.experiments.conditions import Measured
from inexmetrics.experiments.tables import MEASURE, QUANTISATION, RUN_ID, Column, Table, TableOf
from inexmetrics.inference.means import TOLERANCE
from inexmetrics.measures.base import Curved, Traced
from inexmetrics.measures.cumulated_gain import GainByRank, Line, traced
from inexmetrics.report import CONDITION, Figure, Printed, condition_tables, forms, stated
from inexmetrics.scoring.condition import Condition
from inexmetrics.scoring.evaluate import curves_of
from inexmetrics.terms import word
from inexmetrics.terms.lexicon import lexicon

if TYPE_CHECKING:
    from inexmetrics.report.paper_tables import PaperTable

__all__ = ["Curve", "CurveResult", "curve"]


UNDEFINED: Final = "where nxCG is defined for no topic"
MOST_RANKS: Final = 10_000
"""Maximum cutoff k for which the curve of ``nxCG@k`` or ``MAnxCG@k`` is computed."""


class Curves(Table):
    """The curve of each run under each condition, by run_id and level."""

    run_id = RUN_ID
    measure = MEASURE
    quantisation = QUANTISATION
    level = Column(float, "the recall level, or the rank for nxCG and MAnxCG", at_least=0)
    value = Column(
        float,
        "the measure's precision at this recall level, or nxCG at this rank, averaged over topics",
        "if the measure is defined for no topic",
        at_least=0,
    )


class CumulatedGains(Table):
    """The cumulated gain of each run, and of the ideal ranking, by rank."""

    run_id = RUN_ID
    measure = MEASURE
    quantisation = QUANTISATION
    rank = Column.count("the rank", at_least=1)
    xcg = Column(float, "xCG: the cumulated gain of the run's results down to this rank, averaged over topics", UNDEFINED, at_least=0)
    xci = Column(float, "xCI: the cumulated gain of the ideal list down to this rank, averaged over the same topics", UNDEFINED, at_least=0)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CurveResult(Result):
    """The result of `curve`: curves of runs. Table ``gains`` exists only if a measure is nxCG or MAnxCG."""

    experiment: Curve
    curve = TableOf(Curves)
    gains = TableOf(CumulatedGains)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.runs import curve_figure  # imported only when a chart is drawn

        return curve_figure(self.tables, self.experiment.axes)

    def printed(self) -> Iterator[Printed]:
        mean = pl.col("value").mean().over("run_id")
        for part in condition_tables(self.table):
            best_first = part.sort(mean, descending=True, nulls_last=True, maintain_order=True)
            called = self._level(part.row(0, named=True)).removeprefix("recall ")
            yield forms.levels_beside("curve", best_first, "run_id", f"{stated(part, *CONDITION)}; best mean of the curve first", called)
        for part in condition_tables(self.tables["gains"]) if "gains" in self.tables else ():
            # Each column is a rank. The first row is the ideal ranking, and the other rows are the runs by decreasing mean gain.
            actual = part.select("run_id", level=pl.col("rank").cast(pl.Float64), value="xcg")
            best_first = actual.sort(mean, descending=True, maintain_order=True)
            ideal = part.group_by("rank", maintain_order=True).agg(value=pl.col("xci").mean())
            above = ideal.select(run_id=pl.lit("ideal"), level=pl.col("rank").cast(pl.Float64), value="value")
            said = f"{stated(part, *CONDITION)}; xCG of runs; ideal: xCI"
            yield forms.levels_beside("gains", pl.concat([above, best_first]), "run_id", said, "rank")

    def _paper_table(self, table: str | None) -> PaperTable:
        from inexmetrics.report.papers import levels_beside_each_other, paper_table  # imported here because only this method uses it

        paper = paper_table(self, table)
        return levels_beside_each_other(paper) if table is None else paper

    @property
    def finding(self) -> str:
        asked = say.rows_by_condition(self.table)
        defined = [rows for rows in asked if rows[0]["value"] is not None]
        if not defined:
            return say.not_defined(asked)
        runs, measured = len({row["run_id"] for row in defined[0]}), say.under(defined[0][0])
        if runs == 1:
            ends = f"{self._mean_at(defined[0], min)} to {self._mean_at(defined[0], max)}"
            return f"By {measured}, the curve of {say.named_run(defined[0][0]['run_id'])} goes from {ends}."
        highest = [_Highest.of(rows) for rows in defined]
        if len(defined) > 1:
            of_levels = {self._level(rows[0]) for rows in defined}
            lead = f"the curve that is highest at the largest number of {of_levels.pop() if len(of_levels) == 1 else 'level'}s"
            noun = self.experiment.condition_noun
            names, _ = say.apart([rows[0] for rows in defined], noun)
            return f"Of {runs} {self.origin.unit}s, {say.leading([each.leaders for each in highest], names, noun, lead)}."
        [found], unit = highest, self.origin.unit
        levels = plural(found.levels, self._level(defined[0][0]))
        if found.alone:
            few = len(found.leaders) < 4
            have = f"{say.comma_list(found.leaders) if few else plural(len(found.leaders), unit)} {'has' if len(found.leaders) == 1 else 'each have'}"
            said = f"{have} the highest curve by {measured} at {say.part_of(found.alone, found.levels, self._level(defined[0][0]))}"
        else:
            said = f"no {unit} alone has the highest curve by {measured} at any of the {levels}"
        if found.shared:
            of_all = f"at {found.of_all}, all {unit}s" if 0 < found.of_all < found.shared else f"all {unit}s" if found.of_all else ""
            said += f"; {f'at {found.shared}, ' if found.alone else ''}several share the highest value{say.in_parentheses(of_all)}"
        return (
            f"Of {runs} {unit}s, {said}. "
            f"The mean of all curves goes from {self._mean_at(defined[0], min)} to {self._mean_at(defined[0], max)}."
        )

    def _level(self, row: say.Row) -> str:
        """Returns the noun for the levels of a condition's curves: rank or recall level."""
        return "rank" if self.experiment.axes[row["measure"]].level == "rank" else "recall level"

    def _mean_at(self, rows: Sequence[say.Row], choose: Callable[[Iterable[float]], float]) -> str:
        """Returns the mean value of the runs' curves at the first or the last level."""
        level = choose(row["level"] for row in rows)
        values = [row["value"] for row in rows if row["level"] == level]
        return f"{say.number(math.fsum(values) / len(values))} at {self._level(rows[0]).removesuffix(' level')} {canonical(level)}"


@word("curve")
@dataclass(frozen=True, slots=True, repr=False)
class Curve(Measured[CurveResult]):
    """Computes the curve of each run, averaged over topics: precision by recall, or cumulated gain by rank.

    The recall levels of a curve, and its values, depend on the measure. For inex_eval, MAep, iMAep and MAEPRUM, the recall levels are .01,
    .02, ..., 1. The value is precall for inex_eval (the precision that `inex_eval` defines), effort-precision for MAep and iMAep, and EPRUM
    for MAEPRUM. For MAiP, the recall levels are 0, .01, ..., 1, and the value is the interpolated precision, computed from characters. For
    MAP and iGP, the recall levels are 0, .1, ..., 1. The value is the interpolated precision for MAP, and the generalised precision of
    documents in context for iGP. The curve of ``nxCG@k`` and ``MAnxCG@k`` is nxCG at ranks 1 to k. For these two measures, table ``gains``
    has the actual cumulated gain xCG and the ideal cumulated gain xCI. With the official evaluator's rules (compat), each run is averaged
    over the topics that the run answers.

    Args:
        measure: A measure that has a curve, or several measures in a tuple.

    Raises:
        FormulaError: A measure lacks a curve or the quantisation that it needs, or a term is repeated or in the wrong position.

    Notes:
        * Means over topics: a mean curve may differ from the curve of every single topic. Curves do not have confidence intervals.
        * Gain by rank: At rank k the curve of ``nxCG@k`` equals the score, and the mean over all ranks is ``MAnxCG@k``. A rank of at most
          10,000 is required. For MAep and iMAep, recall is gain-recall: the cumulated gain divided by the total gain of the ideal list
          (Ogilvie & Lalmas 2006, section 2.6).

    Examples:
        >>> from inexmetrics import Gen5, curve, inex_eval
        >>> curve(inex_eval, Gen5)
        curve(inex_eval ~ Gen5)

        With relevant documents at ranks 1, 3 and 5, precision is 1, 2/3 and 3/5 at recall 1/3, 2/3 and 1. The value of a recall level is
        the precision at the next of these recall points:

        >>> from inexmetrics import MAP, from_frames, run
        >>> ranked = {"1": {"a": 5.0, "x": 4.0, "b": 3.0, "y": 2.0, "c": 1.0}}
        >>> points = run(curve(MAP), from_frames({"1": {"a": 1, "b": 1, "c": 1}}, ranked)).table
        >>> points["value"].round(4).to_list()
        [1.0, 1.0, 1.0, 1.0, 0.6667, 0.6667, 0.6667, 0.6, 0.6, 0.6, 0.6]

        Results with gains 0, .5 and 1 have the cumulated gains 0, .5 and 1.5 at ranks 1 to 3. The ideal ranking has gains 1 and .5:

        >>> from inexmetrics import BinExh, nxCG
        >>> judged = {"topic_id": ["1"] * 2, "doc_id": ["a", "b"], "specificity": [1, 0.5]}
        >>> result = run(
        ...     curve(nxCG @ 3, BinExh), from_frames(judged, {"1": {"x": 3.0, "b": 2.0, "a": 1.0}})
        ... )
        >>> result.tables["gains"].select("rank", "xcg", "xci").rows()
        [(1, 0.0, 1.0), (2, 0.5, 1.5), (3, 1.5, 1.5)]
        >>> result.table["value"].round(4).to_list()
        [0.0, 0.3333, 1.0]
    """

    def __post_init__(self) -> None:
        Measured.__post_init__(self)
        for measure in self.measures:
            if traced(measure) is None:
                known = ", ".join([*(entry.word for entry in lexicon.of(Curved)), "nxCG@k", "MAnxCG@k"])
                raise FormulaError(f"{self.word}: expected a measure that has a curve, found {measure}", hint=f"one of {known}")
            if isinstance(traced(measure), GainByRank) and (measure.cut_rank or 0) > MOST_RANKS:
                raise FormulaError(f"{self.word}: expected a rank of at most {MOST_RANKS}, found {measure}")

    def answer(self, source: Collection | Scores, setting: RunOptions) -> CurveResult:
        check_answerable(self, source, setting)
        if isinstance(source, Scores):
            raise CollectionError(
                f"{self.word}: expected assessments and runs, found scores by topic, from which curves cannot be computed"
            )
        conditions = self._trace("nxCG")
        found = curves_of(source, conditions, setting)
        parts = []
        for condition in conditions:
            levels = condition.measure.levels
            parts.append(
                Curves.frame(
                    run_id=[run for run in found.runs for _ in levels],
                    measure=str(condition.measure),
                    quantisation=canonical(condition.criterion),
                    level=np.tile(np.array(levels), len(found.runs)),
                    value=found.curves[condition.texts].reshape(-1),
                )
            )
        tables = {"curve": Curves.concat(parts), **self._gains(source, setting)}
        warnings = with_left_out((*summaries(source.warnings), *found.warnings), source, topics_answered(source, setting))
        return CurveResult(self, tables, origin_of(source), setting.compat, tuple(dict.fromkeys(warnings)))

    def _trace(self, line: Line) -> list[Condition[Traced]]:
        """Returns a condition for the curve of each measure under each quantisation.

        For measures of cumulated gain, `line` selects the curve: nxCG, xCG or xCI.
        """
        curves = [curve for measure in self.measures if (curve := traced(measure, line)) is not None]
        return [Condition(curve, criterion) for curve in curves for criterion in self.quantisations]

    def _gains(self, source: Collection, setting: RunOptions) -> dict[str, pl.DataFrame]:
        """Returns a dict that maps the name ``gains`` to this table; the dict is empty if no measure has cumulated gains."""
        lines = {line: [each for each in self._trace(line) if isinstance(each.measure, GainByRank)] for line in ("xCG", "xCI")}
        if not lines["xCG"]:
            return {}
        found = curves_of(source, [*lines["xCG"], *lines["xCI"]], setting)
        parts = []
        for actual, ideal in zip(lines["xCG"], lines["xCI"], strict=True):
            ranks = actual.measure.levels
            parts.append(
                CumulatedGains.frame(
                    run_id=[run for run in found.runs for _ in ranks],
                    measure=str(cast("GainByRank", actual.measure).cut),
                    quantisation=canonical(actual.criterion),
                    rank=np.tile(np.array(ranks, dtype=np.int64), len(found.runs)),
                    xcg=found.curves[actual.texts].reshape(-1),
                    xci=found.curves[ideal.texts].reshape(-1),
                )
            )
        return {"gains": CumulatedGains.concat(parts)}


class _Highest(NamedTuple):
    """The runs with the highest curves under one condition.

    Attributes:
        leaders: The runs whose curve alone is highest at the largest number of levels; otherwise, ties count.
        alone: This number of levels; 0 if the curves of several runs are highest at every level.
        shared: The number of levels at which the curves of several runs are highest.
        of_all: The number of levels at which all curves are equal.
        levels: The number of levels.
    """

    leaders: list[str]
    alone: int
    shared: int
    of_all: int
    levels: int

    @classmethod
    def of(cls, rows: Sequence[say.Row]) -> _Highest:
        by_level: dict[float, list[say.Row]] = {}
        for row in rows:
            by_level.setdefault(row["level"], []).append(row)
        highest = []
        for at in by_level.values():
            top = max(row["value"] for row in at)
            highest.append([row["run_id"] for row in at if top - row["value"] <= TOLERANCE])
        alone = Counter(runs[0] for runs in highest if len(runs) == 1)
        times = alone or Counter(run for runs in highest for run in runs)
        leaders = [say.named_run(run) for run, count in times.items() if count == max(times.values())]
        shared = [len(runs) for runs in highest if len(runs) > 1]
        return cls(leaders, max(alone.values(), default=0), len(shared), shared.count(len(rows) // len(by_level)), len(by_level))


curve: Final = Curve
