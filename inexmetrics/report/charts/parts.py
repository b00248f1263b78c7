"""Parts of charts: panels, usually one for each condition, and the views, marks and channels of Vega-Lite specifications."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

import polars as pl

from inexmetrics.collection.origin import Origin
from inexmetrics.collection.score_matrices import condition_text
from inexmetrics.report.charts.style import CATEGORIES, DASHES, FAINT, Spec

__all__ = [
    "BELOW",
    "DASHED",
    "FLAT",
    "SYMBOLS",
    "UNRULED",
    "Drawable",
    "Figure",
    "Panel",
    "Panels",
    "Tables",
    "apart",
    "by_condition",
    "category",
    "coefficient_text",
    "end_labels",
    "interval",
    "line_channels",
    "marks",
    "over",
    "quantity",
    "sized",
    "tips",
]

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


SYMBOLS: Final[Spec] = {"symbolType": "stroke", "symbolStrokeWidth": 2, "symbolSize": 400}
"""Length, in pixels, of the lines in a legend, sufficient to show their dashes."""
BELOW: Final[Spec] = {"orient": "bottom", "direction": "horizontal"}
"""Style of a legend below the view."""
DASHED: Final[Spec] = {"strokeDash": [4, 3], "color": FAINT}
"""Style of a dashed line that marks a level."""
LABEL: Final = 14.0
"""Minimum distance, in pixels, between labels at the ends of lines; the distance is also sufficient for the smaller panels in print."""
UNRULED: Final[Spec] = {"ticks": False, "domain": False}
"""Style of an axis that has labels, but neither a line nor ticks."""


def sized(rows: pl.DataFrame, width: float | Spec, height: float | Spec) -> Spec:
    """Returns the data and the size of a view; width and height are numbers of pixels, or specifications of the distance between rows."""
    return {"data": {"values": rows.to_dicts()}, "width": width, "height": height}


def over(rows: pl.DataFrame, layer: Spec) -> Spec:
    """Returns a layer that draws the given rows instead of the view's data."""
    return {"data": {"values": rows.to_dicts()}, **layer}


def quantity(name: str, title: str | list[str] | None = None, **more: object) -> Spec:
    """Returns a channel that encodes a numeric column."""
    return {"field": name, "type": "quantitative", "title": title, **more}


def category(name: str, title: str | None = None, **more: object) -> Spec:
    """Returns a channel that encodes a column of names."""
    return {"field": name, "type": "nominal", "title": title, **more}


def marks(mark: Spec, **encoding: object) -> Spec:
    """Returns a layer of marks of one type, with the given channels."""
    return {"mark": mark, "encoding": encoding}


def coefficient_text(coefficient: float | None) -> str:
    """Formats a coefficient with two decimals."""
    return "undefined" if coefficient is None else f"{coefficient:.2f}"


def tips(*names: str) -> list[Spec]:
    """Returns the columns that a mark shows on hover."""
    return [{"field": name} for name in names]


def line_channels(name: str, named: Sequence[str], legend: Spec | None) -> Spec:
    """Returns the channels that distinguish lines by colour and dash, with a common legend."""
    ranges = {"color": CATEGORIES, "strokeDash": [list(dash) for dash in DASHES]}
    return {
        channel: category(
            name, sort=[*named], scale={"domain": [*named], "range": [of[at % len(of)] for at in range(len(named))]}, legend=legend
        )
        for channel, of in ranges.items()
    }


def interval(place: Spec, title: str | None, color: Spec, **more: object) -> Spec:
    """Returns a layer that draws each row's interval as a line from low to high; rows without an interval do not have a line."""
    line: Spec = {"type": "rule", "strokeWidth": 1.6, "opacity": 1}
    drawn = marks(line, y=place, x=quantity("low", title, **more), x2={"field": "high"}, color=color)
    return {"transform": [{"filter": "isValid(datum.low) && isValid(datum.high)"}], **drawn}


def end_labels(ends: pl.DataFrame, color: Spec, *, x: Spec, y: Spec, height: float) -> Spec:
    """Returns a layer with the names of lines, each to the right of the line's end; overlapping names are moved up or down.

    Args:
        ends: The ends of the lines: one row per line, with the fields that the channels use. If several lines end at the same height, their
            names are listed one below another, with the name of the first line at the top.
        color: The color channel, whose field contains the names of the lines.
        x: The x channel of the lines.
        y: The y channel of the lines, whose scale has a domain.
        height: The minimum height of the view in pixels.
    """
    name, value = str(color["field"]), str(y["field"])
    scale = y["scale"]
    low, high = scale["domain"] if isinstance(scale, dict) else (0.0, 1.0)
    falling = ends.sort(value, descending=True, maintain_order=True)
    heights = apart(falling[value].clip(low, high).to_list(), LABEL * (high - low) / height, low)
    text: Spec = {"type": "text", "align": "left", "dx": 6, "fontSize": 11}
    labels = falling.with_columns(pl.Series(value, heights, dtype=pl.Float64))
    return over(labels, marks(text, x=x, y=y, text={"field": name, "type": "nominal"}, color=color))


def apart(heights: Sequence[float], gap: float, lowest: float) -> list[float]:
    """Moves heights, given in decreasing order, as little as needed so that they are at least `gap` apart and not below `lowest`.

    Examples:
        >>> apart([1.0, 1.0, 0.5], 0.25, 0.0), apart([0.1, 0.1], 0.25, 0.0)
        ([1.0, 0.75, 0.5], [0.25, 0.0])
    """
    moved: list[float] = []
    for height in heights:
        moved.append(min(height, moved[-1] - gap) if moved else height)
    for at in reversed(range(len(moved))):
        moved[at] = max(moved[at], lowest)
        lowest = moved[at] + gap
    return moved
