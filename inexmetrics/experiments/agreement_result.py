"""The result of `agreement`, and its printed form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from inexmetrics.common.cells import decimal
from inexmetrics.common.messages import canonical
from inexmetrics.experiments.agreement_findings import equivalent_pairs, finding_of_pair, finding_of_pairs, over_draws
from inexmetrics.experiments.base import FEW, Result
from inexmetrics.experiments.gaps import further
from inexmetrics.experiments.paired_conclusions import (
    OF_UNCONFIRMED,
    Differences,
    Draws,
    Intervals,
    Shared,
    Thresholds,
)
from inexmetrics.experiments.tables import TableOf
from inexmetrics.experiments.tested import (
    corrected_note,
    p_value_note,
    smallest_p_values,
)
from inexmetrics.inference.conclusions import hypotheses_of
from inexmetrics.report.charts.parts import Figure
from inexmetrics.report.forms import across, changes, narrowing, numbered, stated
from inexmetrics.report.text import Printed

if TYPE_CHECKING:
    from inexmetrics.experiments.agreement import Agreement

__all__ = ["AgreementResult"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AgreementResult(Result):
    """The result of `agreement`: how many significant differences two conditions share."""

    experiment: Agreement
    agreement = TableOf(Shared)
    differences = TableOf(Differences)
    intervals = TableOf(Intervals)
    thresholds = TableOf(Thresholds)
    draws = TableOf(Draws)

    def figure(self) -> Figure:
        from inexmetrics.report.charts.agreement import PANELS, agreement_figure  # charts are imported only when a chart is drawn

        if "draws" in self.tables:
            from inexmetrics.report.charts.topics import draws_figure

            drawing = self.experiment.drawing
            if drawing.of_documents:
                return draws_figure(self.tables, drawing.by_share(self.origin.shares), "share")
            return draws_figure(self.tables, drawing.by_number)
        if self.experiment.at_least is not None and self.table.height <= PANELS:
            from inexmetrics.report.charts.agreement import thresholds_figure

            return thresholds_figure(self.tables, self.experiment.at_least)
        return agreement_figure(self.tables, self.experiment.corrected_by.alpha)

    def printed(self) -> Iterator[Printed]:
        parts = [part for _, part in self.table.group_by("measure", maintain_order=True)]
        for part in [self.table] if len(parts) == self.table.height else parts:
            yield from _forms(part)
        if "intervals" in self.tables:
            yield Printed("intervals", self.tables["intervals"])
        if "draws" in self.tables and self.tables["draws"].height <= FEW:
            yield Printed("draws", self.tables["draws"], breaks=changes(self.tables["draws"], "measure", "predictor", "truth"))

    @property
    def smallest_p(self) -> Mapping[str, float]:
        return smallest_p_values(self.experiment.test, "p_predictor", "p_truth")

    @property
    def tested(self) -> str:
        pairs: int = self.table["pairs"][0] // (self.experiment.draws or 1)
        asked = self.experiment
        note = p_value_note(asked.test, asked.corrected_by, hypotheses_of(pairs, asked.test), margin=asked.margin, equivalences=pairs)
        if self.tables["differences"]["p_differs"].null_count() == self.tables["differences"].height:
            return note
        return f"{note}; p_differs: two-tailed t, {corrected_note(further(asked.corrected_by), pairs)}"

    @property
    def finding(self) -> str:
        pairs = self.table.rows(named=True)
        intervals = self.tables["intervals"].rows(named=True) if "intervals" in self.tables else []
        if len(pairs) > 1:
            found = finding_of_pairs(pairs, intervals, self.experiment.interval)
        else:
            found = finding_of_pair(pairs[0], intervals, self.experiment.interval, fresh=self.experiment.fresh, unit=self.origin.unit)
        if self.experiment.draws:
            found = over_draws(found, self.experiment.draws, self.experiment.drawing.noun)
        if self.experiment.at_least is not None:
            found += f" Under the predictor, differences of less than {canonical(self.experiment.at_least)} do not count as significant."
        if self.experiment.margin is not None:
            neither = self.tables["differences"].filter(pl.col("verdict").is_in(["neither", "equivalent"])).height
            found += equivalent_pairs(pairs, neither, self.experiment.margin, self.origin.unit)
        return found

    @property
    def precision(self) -> float | None:
        """Share of the predictor's rejections that are also rejections under the truth.

        The value is 1 if neither condition has rejections. It is None if the predictor has no rejections but the truth has rejections.

        Raises:
            ValueError: The table has several rows, and therefore several values of precision.
        """
        value: float | None = self._row("precision")["precision"]
        return value

    @property
    def recall(self) -> float | None:
        """Share of the truth's rejections that are also rejections under the predictor.

        The value is 1 if neither condition has rejections. It is None if the truth has no rejections but the predictor has rejections.

        Raises:
            ValueError: The table has several rows, and therefore several values of recall.
        """
        value: float | None = self._row("recall")["recall"]
        return value

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 0 if precision or recall is undefined.

        Raises:
            ValueError: The table has several rows, and therefore several values of F1.
        """
        value: float = self._row("f1")["f1"]
        return value

    def _row(self, wanted: str) -> dict[str, Any]:
        """Returns the only row of table ``agreement``; raises `ValueError` if the table has several rows."""
        if self.table.height != 1:
            raise ValueError(f"expected a single pair of conditions for .{wanted}, found {self.table.height}: see .table")
        return self.table.row(0, named=True)


def _forms(shared: pl.DataFrame) -> Iterator[Printed]:
    """Yields the agreement under one measure as a matrix of predictors (rows) and truths (columns).

    With fewer than three conditions, the rows of table ``agreement`` are yielded: first precision and recall, then the parts of the
    predictor's rejections that the truth does not confirm.
    """
    divided = shared.select("measure", "predictor", "truth", "n_predictor", "n_both", *OF_UNCONFIRMED)
    rows = Printed("agreement", shared.drop(OF_UNCONFIRMED))
    counts = dict.fromkeys(shared.select(side, f"n_{side}").row(place) for side in ("predictor", "truth") for place in range(shared.height))
    found = dict(iter(counts))
    if not 3 <= len(found) == len(counts):  # a condition's number of rejections can differ between pairs that use different topics
        yield rows
        yield Printed("agreement", divided)
        return
    statistics = ("n_both", "precision", "recall", "f1")
    names = {condition: f"{condition} ({count})" for condition, count in found.items()}
    long = shared.select(pl.col("predictor", "truth").replace(names), pl.lit(statistics).alias("statistic")).explode("statistic")
    cells = [str(row[0]) if place == 0 else decimal(row[place]) for row in shared.select(statistics).rows() for place in range(4)]
    matrix = across(long, "truth", ("predictor", "statistic"), cells)
    first = pl.int_range(pl.len()) % 4 == 0
    form = Printed(
        "agreement",
        matrix.with_columns(pl.when(first).then("predictor").otherwise(pl.lit(""))),
        f"{stated(shared, 'measure', 'pairs')}; in parentheses n_predictor and n_truth; columns: truth",
        constants=False,
        without=tuple(name for name in shared.columns if name in {"n_equivalent", *OF_UNCONFIRMED}),
        breaks=tuple(range(4, matrix.height, 4)),
        right=tuple(matrix.columns[2:]),
    )
    yield narrowing([form, numbered(form, 2), rows])
