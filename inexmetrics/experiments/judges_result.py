"""The result of `judges`, and its printed form."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inexmetrics.common.messages import canonical
from inexmetrics.experiments.agreement_findings import finding_of_conclusions, finding_of_grades
from inexmetrics.experiments.base import Result
from inexmetrics.experiments.favoured import Favoured
from inexmetrics.experiments.gaps import further
from inexmetrics.experiments.on_trial import (
    OF_RANKINGS,
    GradePairs,
    JudgesIntervals,
    Trials,
)
from inexmetrics.experiments.paired_conclusions import OF_UNCONFIRMED
from inexmetrics.experiments.tables import TableOf
from inexmetrics.experiments.tested import corrected_note, p_value_note
from inexmetrics.inference.conclusions import hypotheses_of
from inexmetrics.report.charts.parts import Figure
from inexmetrics.report.forms import across, changes, in_parts
from inexmetrics.report.text import Printed

if TYPE_CHECKING:
    from inexmetrics.experiments.judges import Judges

__all__ = ["FEW_JUDGES", "OF_CLAIMS", "OF_CONCLUSIONS", "OF_GRADES", "JudgesResult"]


OF_GRADES: Final = ("judge", "truth", "judged", "kappa", "kappa_weighted", "alpha")


OF_CONCLUSIONS: Final = ("n_judge", "n_truth", "n_both", "precision", "recall", "f1")


FEW_JUDGES: Final = 4
"""Maximum number of judges (under each measure) for which table ``favoured`` is printed."""


OF_CLAIMS: Final = ("n_judge", "n_both", *OF_UNCONFIRMED)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JudgesResult(Result):
    """The result of `judges`: the agreement of each judge with the truth."""

    experiment: Judges
    judges = TableOf(Trials)
    grades = TableOf(GradePairs)
    favoured = TableOf(Favoured)
    intervals = TableOf(JudgesIntervals)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.assessors import judges_figure  # imported only when a chart is drawn

        return judges_figure(self.tables)

    def printed(self) -> Iterator[Printed]:
        without = () if self.experiment.measures else ("topics",)
        yield Printed("judges", self.table.select(OF_GRADES).unique(maintain_order=True), without=without)
        if self.experiment.measures:
            parts = changes(self.table, "measure")
            yield Printed("judges", self.table.select("measure", "judge", "topics", *OF_RANKINGS), breaks=parts)
            yield Printed("judges", self.table.select("measure", "judge", *OF_CONCLUSIONS), breaks=parts)
            yield Printed("judges", self.table.select("measure", "judge", *OF_CLAIMS), breaks=parts)
        if "intervals" in self.tables:
            intervals = self.tables["intervals"]
            yield Printed("intervals", intervals, breaks=changes(intervals, "measure", "judge"))
        grades = ("judge_grade", "truth_grade")
        rows = self.tables["grades"].with_columns(
            pl.Series(name, map(canonical, self.tables["grades"][name].round(4)), dtype=pl.String) for name in grades
        )
        counts = across(rows, "truth_grade", ("judge", "judge_grade"), map(str, rows["count"]))
        in_order = counts.select("judge", "judge_grade", *sorted(counts.columns[2:], key=float))
        said = f"documents, a column for each grade of {self.table['truth'][0]}"
        yield Printed("grades", in_order, said, breaks=changes(counts, "judge"), right=tuple(in_order.columns[1:]))
        if "favoured" in self.tables and self.table.height <= FEW_JUDGES:
            yield from in_parts("favoured", (part for _, part in self.tables["favoured"].group_by("measure", "judge", maintain_order=True)))

    @property
    def finding(self) -> str:
        rows = self.table.rows(named=True)
        return finding_of_conclusions(rows, self.origin.topics) if self.experiment.measures else finding_of_grades(rows)

    @property
    def same_p(self) -> str | None:
        return None  # the p-values of table favoured are always corrected

    @property
    def tested(self) -> str | None:
        if not self.experiment.measures:
            return None
        asked = self.experiment
        runs = self.origin.compared
        conclusions = p_value_note(asked.test, asked.corrected_by, hypotheses_of(math.comb(runs, 2), asked.test))
        return f"{conclusions}; favour: two-tailed t, {corrected_note(further(asked.corrected_by), runs)}"
