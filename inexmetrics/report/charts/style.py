"""Style of charts: fonts, titles, and colours that colour-blind readers can distinguish on light pages, on dark pages and in grey."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

__all__ = [
    "BANDS", "BETTER", "CATEGORIES", "DARK", "DARK_PAGE", "DASHES", "FAINT", "GAINS", "GREEN", "INK", "MAIN", "MOVES", "PAGE", "PALE",
    "RED", "SIDES", "SIGNS", "SPAN", "SURFACES", "WORSE", "YELLOW", "Spec", "Style", "dark_rules", "recoloured", "with_texts",
]  # fmt: skip

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
"""Background colour of the page. The outlines of touching marks and the insides of open marks have the same colour."""

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
    "#00402f": "#c9f2e2", "#240a33": "#e9d5fb", "#0063a3": "#7cc0ee", "#b5397a": "#e07fb0", "#c06c00": "#cf7d1c",
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
