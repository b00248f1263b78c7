"""Precision against recall: the curves that some measures summarise, as means over topics."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from inexmetrics.collection import Collection
from inexmetrics.collection.origin import origin_of
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.errors import CollectionError, FormulaError, summaries
from inexmetrics.common.messages import canonical
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.condition_scores import check_answerable, topics_answered, with_left_out
from inexmetrics.experiments.conditions import Measured, Measures, Quantisations, many
from inexmetrics.experiments.findings import Row, apart, by_condition, comma_list, leading, named_run, not_defined, number, part_of, under
from inexmetrics.experiments.tables import LEVEL, MEASURE, QUANTISATION, RUN_ID, Column, Table, TableOf
from inexmetrics.inference.means import TOLERANCE
from inexmetrics.measures.base import Curved
from inexmetrics.report.charts.layout import Figure
from inexmetrics.report.forms import CONDITION, condition_tables, levels_beside, stated
from inexmetrics.report.text import Printed
from inexmetrics.scoring.condition import Condition
from inexmetrics.scoring.evaluate import curves_of
from inexmetrics.terms.lexicon import lexicon, word

if TYPE_CHECKING:
    from inexmetrics.report.paper_tables import PaperTable

__all__ = ["Curve", "CurveResult", "curve"]


class Curves(Table):
    """The curve of each run under each condition, by run_id and level."""

    run_id = RUN_ID
    measure = MEASURE
    quantisation = QUANTISATION
    level = LEVEL
    value = Column(
        float, "precision at that level in the measure's own sense, as the mean over topics", "where it is defined for no topic", at_least=0
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CurveResult(Result):
    """Curves of runs."""

    experiment: Curve
    curve = TableOf(Curves)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.runs import curve_figure  # charts are loaded when one is drawn

        return curve_figure(self.tables, self.experiment.axes)

    def printed(self) -> Iterator[Printed]:
        for part in condition_tables(self.table):
            mean = pl.col("value").mean().over("run_id")
            best_first = part.sort(mean, descending=True, nulls_last=True, maintain_order=True)
            yield levels_beside("curve", best_first, "run_id", f"{stated(part, *CONDITION)}; best mean of the curve first")

    def _paper_table(self, table: str | None) -> PaperTable:
        from inexmetrics.report.papers import levels_beside_each_other, paper_table  # loaded when it is asked for

        paper = paper_table(self, table)
        return levels_beside_each_other(paper) if table is None else paper

    @property
    def finding(self) -> str:
        asked = by_condition(self.table)
        defined = [rows for rows in asked if rows[0]["value"] is not None]
        if not defined:
            return not_defined(asked)
        runs, measured = len({row["run_id"] for row in defined[0]}), under(defined[0][0])
        if runs == 1:
            ends = f"{_mean_at(defined[0], min)} to {_mean_at(defined[0], max)}"
            return f"By {measured}, the curve of {named_run(defined[0][0]['run_id'])} goes from {ends}."
        highest = [_most_often_highest(rows) for rows in defined]
        if len(defined) > 1:
            lead, noun = "the highest curve at the most recall levels", self.experiment.condition_noun
            names, _ = apart([rows[0] for rows in defined], noun)
            return f"Of {runs} runs, {leading([leaders for leaders, _ in highest], names, noun, lead)}."
        [(leaders, levels)] = highest
        have = (
            f"{comma_list(leaders)} {'has' if len(leaders) == 1 else 'each have'}" if len(leaders) < 4 else f"{len(leaders)} runs each have"
        )
        return (
            f"Of {runs} runs, {have} the highest curve by {measured} at {levels}. "
            f"The mean of all curves goes from {_mean_at(defined[0], min)} to {_mean_at(defined[0], max)}."
        )


@dataclass(frozen=True, slots=True, repr=False)
class Curve(Measured[CurveResult]):
    """Precision against recall: for each run the curve that its measure summarises, as means over topics.

    What stands against recall is precall for inex_eval, effort-precision for MAep and iMAep, and EPRUM for MAEPRUM, at .01,
    .02 .. 1; interpolated precision in characters for MAiP at 0, .01 .. 1; interpolated precision for MAP, and generalised
    precision of documents in context for iGP, at 0, .1 .. 1. Where the official evaluator is followed (compat), each run is
    averaged over the topics that it answers.

    Examples:
        >>> from inexmetrics import Gen5, curve, inex_eval
        >>> curve(inex_eval, Gen5)
        curve(inex_eval ~ Gen5)

        Relevant documents at ranks 1, 3 and 5 have precision 1, 2/3 and 3/5 at recall 1/3, 2/3 and 1, which hold for all levels up
        to there:

        >>> from inexmetrics import MAP, from_frames, run
        >>> ranked = {"1": {"a": 5.0, "x": 4.0, "b": 3.0, "y": 2.0, "c": 1.0}}
        >>> points = run(curve(MAP), from_frames({"1": {"a": 1, "b": 1, "c": 1}}, ranked)).table
        >>> points["value"].round(4).to_list()
        [1.0, 1.0, 1.0, 1.0, 0.6667, 0.6667, 0.6667, 0.6, 0.6, 0.6, 0.6]
    """

    def __post_init__(self) -> None:
        Measured.__post_init__(self)
        for measure in self.measures:
            if not isinstance(measure, Curved):
                known = ", ".join(entry.word for entry in lexicon.of(Curved))
                raise FormulaError(f"{self.word}: expected a measure that has a curve, found {measure}", hint=f"one of {known}")

    def answer(self, source: Collection | Scores, setting: RunOptions) -> CurveResult:
        check_answerable(self, source, setting)
        if isinstance(source, Scores):
            raise CollectionError(f"{self.word}: expected assessments and runs, found scores by topic, which hold no curves")
        conditions = [
            Condition(measure, criterion) for measure in self.measures if isinstance(measure, Curved) for criterion in self.quantisations
        ]
        found = curves_of(source, conditions, setting)
        parts = [_curves(found.runs, condition, found.curves[condition.texts]) for condition in conditions]
        warnings = with_left_out((*summaries(source.warnings), *found.warnings), source, topics_answered(source, setting))
        return CurveResult(self, {"curve": Curves.concat(parts)}, origin_of(source), setting.compat, tuple(dict.fromkeys(warnings)))


def _most_often_highest(rows: Sequence[Row]) -> tuple[list[str], str]:
    """The runs whose curve is the highest, shared or alone, at the most levels, and at how many."""
    by_level: dict[float, list[Row]] = {}
    for row in rows:
        by_level.setdefault(row["level"], []).append(row)
    highest = [max(row["value"] for row in at) for at in by_level.values()]
    times = Counter(
        row["run_id"] for at, top in zip(by_level.values(), highest, strict=True) for row in at if top - row["value"] <= TOLERANCE
    )
    most = max(times.values())
    return [named_run(run) for run, count in times.items() if count == most], part_of(most, len(by_level), "recall level")


def _mean_at(rows: Sequence[Row], choose: Callable[[Iterable[float]], float]) -> str:
    """The mean of the curves at the first or the last of their levels."""
    level = choose(row["level"] for row in rows)
    values = [row["value"] for row in rows if row["level"] == level]
    return f"{number(math.fsum(values) / len(values))} at recall {canonical(level)}"


def _curves(runs: tuple[str, ...], condition: Condition[Curved], values: FloatArray) -> pl.DataFrame:
    """The table of the curves of one condition, given as runs x levels."""
    levels = condition.measure.levels
    return Curves.frame(
        run_id=[run for run in runs for _ in levels],
        measure=str(condition.measure),
        quantisation=canonical(condition.criterion),
        level=np.tile(np.array(levels), len(runs)),
        value=values.reshape(-1),
    )


@word("curve", Curve)
def curve(measure: Measures, quantisation: Quantisations = None) -> Curve:
    """Asks for precision against recall.

    Args:
        measure: A measure that has a curve, or several in a tuple.
        quantisation: A quantisation, or several in a tuple; None where the measures need none.

    Returns:
        The experiment ``curve(M + … ~ Q + …)``; `run` answers it with a `CurveResult`.

    Raises:
        FormulaError: A measure has no curve or lacks the quantisation it needs, or a term is repeated or out of place.
    """
    return Curve(many(measure), many(quantisation))
