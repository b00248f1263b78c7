"""Classes that describe the layout of figures; a figure consists of panels, usually a panel for each condition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

import polars as pl

from inexmetrics.collection.origin import Origin
from inexmetrics.collection.score_matrices import condition_text
from inexmetrics.report.charts.style import Spec

__all__ = ["FLAT", "Drawable", "Figure", "Panel", "Panels", "Tables", "by_condition"]

Tables: TypeAlias = Mapping[str, pl.DataFrame]
ABREAST: Final = 3
"""Default number of panels in a row."""
SMALLEST: Final = 0.3
"""Default minimum size of a printed panel, as a share of the panel's full size."""
ROOM: Final = 300
"""Default minimum width, in pixels, of each panel if panels are printed side by side."""
FLAT: Final = 0.6
"""Minimum height of a panel of curves, as a share of the panel's full height."""


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel of a figure.

    Attributes:
        name: The short name of the panel, for `--panel`.
        view: The content of the panel.
        title: The lines above the panel; the name if empty.
    """

    name: str
    view: Spec
    title: Sequence[str] = ()

    @property
    def lines(self) -> list[str]:
        """The lines of text above the panel."""
        return [*self.title] or [self.name]


@dataclass(frozen=True, slots=True)
class Panels:
    """The panels of a figure, to be laid out side by side.

    Attributes:
        parts: The panels.
        abreast: The maximum number of panels in a row.
        shared: Whether the panels' x axes are "shared" or "independent".
        legend: Whether the panels' legends are "shared" or "independent".
        smallest: The minimum size of printed panels, as a share of their full size.
        lowest: The minimum height of the panels on a page, as a share of their full height.
        room: The minimum width, in pixels, of a panel that is printed next to other panels.
    """

    parts: Sequence[Panel]
    abreast: int = ABREAST
    shared: str = "independent"
    legend: str = "independent"
    smallest: float = SMALLEST
    lowest: float = 1.0
    room: float = ROOM

    @property
    def names(self) -> list[str]:
        """The panels' names, in order."""
        return [part.name for part in self.parts]

    @property
    def views(self) -> list[Spec]:
        """The contents of the panels."""
        return [part.view for part in self.parts]


Figure: TypeAlias = tuple[list[str], Panels]
"""A figure: the lines of the subtitle, and the panels."""


class Drawable(Protocol):
    """Protocol for results that can be drawn; the formula of the experiment is the title of the chart."""

    @property
    def experiment(self) -> object: ...
    @property
    def table(self) -> pl.DataFrame: ...
    @property
    def origin(self) -> Origin | None: ...
    def figure(self) -> Figure: ...


def by_condition(rows: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yields the rows of each condition together with the condition's text in formula language."""
    for (measure, quantisation), part in rows.group_by("measure", "quantisation", maintain_order=True):
        yield condition_text(str(measure), str(quantisation)), part
