"""What text, charts and pages need to know of a result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import polars as pl

from inexmetrics.collection.origin import Origin
from inexmetrics.common.options import Compat
from inexmetrics.common.schema import Table
from inexmetrics.report.charts.layout import Figure
from inexmetrics.terms.term import Term

__all__ = ["Drawable", "Reportable"]


class Drawable(Protocol):
    """What a chart is drawn from."""

    @property
    def experiment(self) -> object:
        """What stands above the chart, as text."""

    @property
    def table(self) -> pl.DataFrame:
        """The first table; without rows there is nothing to draw."""

    def figure(self) -> Figure:
        """What its chart shows."""


class Reportable(Drawable, Protocol):
    """The answer to an experiment: every `Result` is one."""

    @property
    def experiment(self) -> Term:
        """The experiment that made it."""

    @property
    def finding(self) -> str:
        """What was found, in one or two sentences."""

    @property
    def tables(self) -> Mapping[str, pl.DataFrame]:
        """All its tables, by name."""

    def named(self, table: str | None = None) -> pl.DataFrame:
        """A table by its name; the first one for None."""

    @property
    def stated(self) -> Mapping[str, type[Table]]:
        """What each table holds, column by column."""

    @property
    def origin(self) -> Origin:
        """The data it was computed from."""

    @property
    def compat(self) -> Compat | None:
        """The evaluator whose departures were followed, or None."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader should know of the data, with counts."""

    @property
    def smallest_p(self) -> Mapping[str, float]:
        """What a p-value of 0 is below, by column."""

    @property
    def tested(self) -> str | None:
        """The line under tables that rest on tests."""
