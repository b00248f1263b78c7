"""Style and parts of charts: fonts, colours, titles, panels, and the views, marks and channels of Vega-Lite specifications.

A chart usually has one panel for each condition.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Protocol, TypeAlias

import polars as pl

from inexmetrics.collection.condition_names import condition_text
from inexmetrics.collection.origin import Origin
from inexmetrics.common.messages import canonical

__all__ = [
    "BANDS",
    "BELOW",
    "BETTER",
    "CATEGORIES",
    "DARK",
    "DARK_PAGE",
    "DASHED",
    "DASHES",
    "FAINT",
    "FLAT",
    "GAINS",
    "GREEN",
    "INK",
    "MAIN",
    "MOVES",
    "PAGE",
    "PALE",
    "RED",
    "SIDES",
    "SIGNS",
    "SPAN",
    "SURFACES",
    "SYMBOLS",
    "UNRULED",
    "WORSE",
    "YELLOW",
    "Drawable",
    "Figure",
    "Panel",
    "Panels",
    "Spec",
    "Style",
    "Tables",
    "apart",
    "by_condition",
    "category",
    "coefficient_text",
    "dark_rules",
    "end_labels",
    "interval",
    "kinds_of_rows",
    "level_text",
    "line_channels",
    "marks",
    "over",
    "quantity",
    "recoloured",
    "sized",
    "tips",
    "with_texts",
]

Spec: TypeAlias = dict[str, object]
"""Type of a Vega-Lite specification, or of a part of a specification."""

# The colours are based on the palette of Okabe and Ito, darkened where necessary for a contrast of 3:1 on white
MAIN: Final = "#0072B2"
BETTER: Final = "#00538f"
WORSE: Final = "#e37222"
"""Colour of a worse run; the colour is lighter than `BETTER`, so that better and worse runs can also be told apart in greyscale."""
FAINT: Final = "#868f99"
SPAN: Final = "#5497c9"
"""Colour of lines and bars that are drawn behind marks in the main colour."""
BANDS: Final = "bands"
"""Name of a layer that contains pale bands. The layer is drawn behind all other layers."""
SIGNS: Final = "signs"
"""Name of a layer in which the size of each symbol is proportional to the size of its cell."""
PALE: Final = 0.2
"""Opacity of filled areas that have an outline."""
RED: Final = "#D55E00"
GREEN: Final = "#009E73"
YELLOW: Final = "#c98500"
CATEGORIES: Final = (MAIN, RED, GREEN, "#c0659a", YELLOW, "#3d9bd1", "#7a5195", "#8c564b")
DASHES: Final = ((1, 0), (7, 2), (2, 2), (8, 3, 2, 3), (12, 3), (4, 4), (1, 3), (12, 3, 2, 3, 2, 3))
"""Dash patterns (strokes and gaps) of lines in the colours `CATEGORIES`, so that the lines can also be told apart in greyscale."""
MOVES: Final = ("#0a1f44", "#0d2c4f", "#11395b", "#144667", "#185372", "#1d617e", "#216f8b", "#257d97", "#2a8ca3", "#2f9bb0")
"""Line colours for increasing probabilities of moving a result, from dark to light."""
PAGE: Final = "#ffffff"
"""Background colour of the page. Touching marks have an outline in this colour. Hollow marks are filled with this colour."""

# Colours of areas behind text or with an outline, which need not contrast with the page
GAINS: Final = ("#eef3f7", "#b9d3e6", "#74a9cf", "#2b7bb0", "#08436f")
"""Sequential palette for values from 0 to the maximum, which varies only in lightness."""
SIDES: Final = ("#d9691c", "#f3f3f3", "#00639e")
"""Diverging palette for values from -1 to 1, with 0 in the middle."""
SURFACES: Final = frozenset({*GAINS, *SIDES, "#1b1f23", "white"})
"""Colours of cells that contain a number, and of the numbers in cells."""

TALLEST: Final = 8
"""Maximum number of lines of a formula above a chart."""

DARK_PAGE: Final = "#14171a"
DARK_INK: Final = "#e3e7ea"
INK: Final = "currentColor"
"""Colour of the text around the chart, legible on light and dark pages."""

DARK: Final[Mapping[str, str]] = MappingProxyType({
    MAIN: "#4ea6de", BETTER: "#8cc8f0", WORSE: "#d0600f", FAINT: "#8c96a0", SPAN: "#498ab3",
    RED: "#f08a3c", GREEN: "#2fbf95", "#c0659a": "#dc8abb", YELLOW: "#e6a92e", "#3d9bd1": "#9ad4f5", "#7a5195": "#b391cf", "#8c564b": "#c08d80",
    **dict(zip(MOVES, ("#fff6d6", "#e8e8d3", "#d1dacf", "#bbcccb", "#a5bec7", "#8eb0c2", "#78a2bd", "#6194b8", "#4986b3", "#2f78ad"), strict=True)),
    PAGE: DARK_PAGE,
    "#00402f": "#c9f2e2", "#240a33": "#e9d5fb", "#0063a3": "#7cc0ee", "#006bab": "#7cc0ee", "#8a2400": "#e8724a", "#b5397a": "#e07fb0", "#c06c00": "#cf7d1c",
})  # fmt: skip
"""Colours for dark pages, by the colour that each replaces."""


def with_texts(spec: Spec, change: Callable[[str], str], *, but: str | None = None) -> Spec:
    """Applies a function to every text in a specification, except to texts under the key that is given by `but`."""

    def changed(part: object) -> object:
        match part:
            case str():
                return change(part)
            case dict():
                return {name: inner if name == but else changed(inner) for name, inner in part.items()}
            case list():
                return [changed(inner) for inner in part]
            case _:
                return part

    return {name: part if name == but else changed(part) for name, part in spec.items()}


def recoloured(spec: Spec) -> Spec:
    """Returns a specification with the colours for dark pages and an unchanged background."""
    dark = with_texts(spec, lambda text: DARK_INK if text == INK else DARK.get(text, text), but="data")
    return {**dark, "background": spec["background"]}


def dark_rules(selector: str) -> str:
    """Returns CSS rules that set the colours for dark pages in the selected SVG pictures."""
    return "".join(f'{selector} [{role}="{light}"]{{{role}:{dark}}}' for light, dark in DARK.items() for role in ("fill", "stroke"))


@dataclass(frozen=True, slots=True)
class Style:
    """Font sizes and margin of a chart in pixels, and the position of legends.

    Attributes:
        title: Font size of the formula in the title.
        letters: Font size of all text except the formula in the title.
        padding: Width of the margin around the chart.
        legend: The side of the chart on which legends are drawn.
    """

    title: float = 14
    letters: float = 11
    padding: float = 16
    legend: str = "right"

    def title_of(self, formula: str, subtitle: Sequence[str], signs: int, signs_below: int) -> Spec:
        """Returns the title: the formula, cut to `TALLEST` lines, and the notes.

        The lines of the formula have at most `signs` characters, and the lines of the notes have at most `signs_below` characters.
        """
        below = [line for note in subtitle for line in textwrap.wrap(note, signs_below, break_on_hyphens=False)]
        lines = textwrap.wrap(formula, signs, break_long_words=False, break_on_hyphens=False)
        return {
            "text": lines if len(lines) <= TALLEST else [*lines[: TALLEST - 1], "…"],
            "subtitle": below,
            "anchor": "start",
            "fontSize": self.title,
            "subtitleFontSize": self.letters,
            "subtitlePadding": 4,
            "offset": self.title,
        }

    def complete(self, spec: Mapping[str, object], title: Spec | None, background: str) -> Spec:
        """Returns a complete chart with title, background and style."""
        titled = {} if title is None else {"title": title}
        font = "Helvetica, Arial, sans-serif"
        letters = self.letters
        config: Spec = {
            "font": font,
            "title": {"color": INK, "subtitleColor": INK, "font": font},
            "axis": {
                "labelColor": INK, "titleColor": INK, "domainColor": FAINT, "tickColor": FAINT, "gridColor": FAINT, "gridOpacity": 0.25,
                "labelFontSize": letters, "titleFontSize": letters, "titleFontWeight": "normal", "labelLimit": 260,
                "labelSeparation": 4,  # labels of long numbers that would touch are left out
                "labelFlush": False,  # the outermost labels are also centred under their ticks
            },
            "legend": {
                "labelColor": INK, "titleColor": INK, "labelFontSize": letters, "titleFontSize": letters, "titleFontWeight": "normal",
                "labelLimit": 320, "orient": self.legend, **({"offset": 8} if self.legend == "bottom" else {}),
            },
            "view": {"stroke": None},
        }  # fmt: skip
        return {**spec, **titled, "background": background, "padding": self.padding, "config": config}

    def padded(self, room: float) -> Spec:
        """Returns the margins of a chart in pixels, with `room` pixels added, half on the left and half on the right."""
        left = round(self.padding + room / 2, 2)
        return {"left": left, "right": round(2 * self.padding + room - left, 2), "top": self.padding, "bottom": self.padding}


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
        notes: The notes of a chart of this panel alone; those of the figure if empty.
    """

    name: str
    view: Spec
    title: Sequence[str] = ()
    notes: Sequence[str] = ()

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
        drawn: The number of panels of the whole chart; the others are drawn if they are named. None draws as many as a chart can have.
        kinds: The kind of each row, by name, by which the rows omitted from the middle are counted; without kinds, the last are omitted.
    """

    parts: Sequence[Panel]
    abreast: int = ABREAST
    shared: str = "independent"
    legend: str = "independent"
    smallest: float = SMALLEST
    lowest: float = 1.0
    room: float = ROOM
    drawn: int | None = None
    kinds: Mapping[str, str] = field(default_factory=dict)

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
    @property
    def warnings(self) -> tuple[str, ...]: ...
    def figure(self) -> Figure: ...


def kinds_of_rows(rows: pl.DataFrame, name: str) -> dict[str, str]:
    """Returns the kinds of the rows of a chart: whether any difference of the named row is significant."""
    found = rows.group_by(name, maintain_order=True).agg(pl.col("significant").any())
    return {row: "significant" if significant else "not significant" for row, significant in found.iter_rows()}


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


def quantity(name: str, title: str | list[str] | None, **more: object) -> Spec:
    """Returns a channel that encodes a numeric column; its title is that of the axis, and None for a channel without an axis."""
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


def level_text(confidence: float) -> str:
    """Formats the confidence level of the intervals of a chart as a percentage."""
    return f"{canonical(round(100 * confidence, 10))} %"


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
