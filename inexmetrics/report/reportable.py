"""What text, charts and pages need to know of a result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

import polars as pl

from inexmetrics.collection.origin import Origin
from inexmetrics.common.options import Compat
from inexmetrics.common.schema import Table
from inexmetrics.report.charts.layout import Figure
from inexmetrics.report.text import Printed
from inexmetrics.terms.term import Term

__all__ = ["Drawable", "Reportable"]


class Drawable(Protocol):
    """What a chart is drawn from: an experiment, whose text is above it, the first table, the data, and the figure."""

    @property
    def experiment(self) -> object: ...
    @property
    def table(self) -> pl.DataFrame: ...
    @property
    def origin(self) -> Origin | None: ...
    def figure(self) -> Figure: ...


class Reportable(Drawable, Protocol):
    """The answer to an experiment, as `Result` says what each part is: every `Result` is one."""

    @property
    def experiment(self) -> Term: ...
    @property
    def finding(self) -> str: ...
    @property
    def tables(self) -> Mapping[str, pl.DataFrame]: ...
    def named(self, table: str | None = None) -> pl.DataFrame: ...
    def as_asked(self, table: str | None = None) -> pl.DataFrame: ...
    def printed(self) -> Iterable[Printed]: ...
    @property
    def stated(self) -> Mapping[str, type[Table]]: ...
    @property
    def origin(self) -> Origin: ...
    @property
    def compat(self) -> Compat | None: ...
    @property
    def warnings(self) -> tuple[str, ...]: ...
    @property
    def smallest_p(self) -> Mapping[str, float]: ...
    @property
    def tested(self) -> str | None: ...
