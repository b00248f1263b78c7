"""Charts of results as Vega-Lite specifications, which are drawn as SVG, PNG, PDF or a self-contained page.

A specification contains only plain values, so that equal results always give identical bytes. Drawing a specification needs the packages of
the extra ``plot``, but neither a network connection nor a browser.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Final

from inexmetrics.common import errors, messages
from inexmetrics.common.files import PIXELS, POINTS, Picture, Width
from inexmetrics.report.charts.composition import MOST_ROWS, composed, in_print, narrowed, of_panels, of_rows, size_of
from inexmetrics.report.charts.parts import DARK_PAGE, Drawable, Figure, Spec, dark_rules, recoloured, with_texts
from inexmetrics.report.charts.views import row_count, short_names

if TYPE_CHECKING:
    import altair

__all__ = ["NEEDED", "chart_of", "drawn", "inline", "lean", "longest", "notes_of", "specification", "svg_of", "undrawn"]

NEEDED: Final = f"charts need the packages of the extra plot: {messages.install_command('plot')}"
VEGA_LITE: Final = "5.20"
"""Version of Vega-Lite with which charts are drawn; because it is fixed, updates of the package vl-convert do not change charts."""
LISTED: Final = re.compile(rb"(?: */\w+ \d+ 0 R\n){2,}")
"""Matches consecutive named references in a PDF, one per line."""
FIRST_WARNING: Final = 480
LAST_WORDS: Final = 200
"""Maximum number of characters of the warning that a chart shows, and of its end; a longer warning is cut between beginning and end."""
SIZE: Final = re.compile('width="[0-9.]+" height="[0-9.]+"')
PAGE: Final = """\
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>
<body><div id="chart"></div>
<script>{library}</script>
<script>vegaEmbed("#chart", {spec}, {{"renderer": "svg"}});</script>
</body></html>
"""
"""HTML of a self-contained page that draws a specification."""
SPOKEN: Final = re.compile(r' (?:aria-[\w-]+|role|class|pointer-events)="[^"]*"| opacity="1"')
"""Matches SVG attributes for screen readers, which are removed because screen readers read the page's text instead."""
TAG: Final = re.compile(r"<[^>]+>")
LONG: Final = re.compile(r"-?\d+\.\d{3,}")
UNSEEN: Final = re.compile(r'<path d="(?:M0,0h0v0h0Z)?"(?: display="none")?/>')
SHORT: Final = 20
"""Maximum number of characters of a name that no limit cuts, because the widest, `@`, is hardly wider than the font size of at most 12."""
LONGEST_PRINTED: Final = 26
"""Maximum number of characters of a name next to an axis in print."""
DOTS: Final = 300
"""Resolution of a PNG for print, in dots per inch; a PNG for screens has two dots per pixel of the chart."""


def notes_of(result: Drawable) -> list[str]:
    """Returns the notes below the formula of a chart: its content, the number of panels (if some are omitted), and the name of the data."""
    return _figure(result, None)[0]


def _figure(result: Drawable, panel: str | None) -> Figure:
    """Returns the figure of a result, or one panel of the figure; the subtitle ends with the name of the data."""
    notes, panels = narrowed(result.figure(), panel)
    name = result.origin.name if result.origin is not None else ""
    return [*notes, f"data: {name}"] if name else notes, panels


def _warned(warnings: Sequence[str]) -> list[str]:
    """Returns the note of a chart that stands alone: the number of warnings, and the first one."""
    if not warnings:
        return []
    first = warnings[0]
    if len(first) > FIRST_WARNING:
        first = f"{textwrap.shorten(first, FIRST_WARNING - LAST_WORDS, placeholder=' …')} {first[-LAST_WORDS:].partition(' ')[2]}"
    return [f"warning: {first}" if len(warnings) == 1 else f"{len(warnings)} warnings, the first: {first}"]


def undrawn(result: Drawable) -> str | None:
    """Returns a sentence that reports omitted rows and panels; None if the chart is complete."""
    panels = result.figure()[1]
    rows, of_all = max(map(row_count, panels.views), default=0), of_panels(panels)
    parts = [f"{of_all}; --panel NAME draws any of them"] if of_all else []
    parts += [of_rows(panels, MOST_ROWS)] if rows > MOST_ROWS else []
    return f"the chart has {', and '.join(reversed(parts))}" if parts else None


def specification(
    result: Drawable,
    background: str = "transparent",
    *,
    panel: str | None = None,
    width: Width | None = None,
    title: bool | None = None,
    dark: bool = False,
    alone: bool = False,
) -> Spec:
    """Returns the chart of a result as a Vega-Lite specification, in which control characters in names are escaped.

    Args:
        result: The result.
        background: The colour behind the chart.
        panel: The single panel to draw; None draws all panels.
        width: The width in print to which the chart is fitted; None keeps the size of the panels.
        title: Whether the formula and the notes are written above the chart; with None, they are, except at the width of a column.
        dark: Whether the colours are for a dark page.
        alone: Whether the chart stands alone, so that the notes contain the warnings.

    Raises:
        CollectionError: The result does not contain anything that can be drawn.
        ValueError: The panel is unknown, or the chart does not fit the width.
        ImportError: A width is given, and the extra ``plot`` is not installed.
    """
    if result.table.is_empty():
        raise errors.CollectionError(f"there is nothing to draw: {result.experiment} has no rows")
    notes, panels = _figure(result, panel)
    figure = [*notes, *(_warned(result.warnings) if alone else [])], panels
    if not panels.parts:
        raise errors.CollectionError(f"there is nothing to draw: every value of {result.experiment} is undefined")
    in_column = isinstance(width, str) and width == "column"  # the comparison with an array would be an array
    formula = str(result.experiment) if (not in_column if title is None else title) else None
    if width is None:
        printed = _with_printable_texts(composed(figure, formula, background), messages.LONGEST_NAME)
    else:
        spec = in_print(figure, formula, background, width, lambda spec: size_of(svg_of(_with_printable_texts(spec, LONGEST_PRINTED))))
        printed = _with_printable_texts(spec, LONGEST_PRINTED)
    return recoloured(printed) if dark else printed


def _with_printable_texts(spec: Spec, most: int) -> Spec:
    """Returns a specification with short names, and without control characters, which would end the process of the drawing library."""
    short = short_names(spec, most)
    return with_texts(spec, lambda text: messages.printable(short.get(text, text)))


def chart_of(result: Drawable, panel: str | None = None) -> altair.TopLevelMixin:
    """Returns the chart of a result as an Altair chart, which can be shown in a notebook, saved, or changed."""
    try:
        import altair  # altair loads slowly and is an optional dependency
    except ImportError:
        raise ImportError(NEEDED) from None
    chart: altair.TopLevelMixin = altair.Chart.from_dict(specification(result, panel=panel, alone=True))
    return chart


def drawn(
    result: Drawable, form: Picture, *, panel: str | None = None, width: Width | None = None, title: bool | None = None, dark: bool = False
) -> bytes:
    """Draws the chart of a result as a picture, or as a self-contained page; the arguments are the same as for `specification`."""
    try:
        import vl_convert  # an optional dependency
    except ImportError:
        raise ImportError(NEEDED) from None
    spec = specification(result, DARK_PAGE if dark else "white", panel=panel, width=width, title=title, dark=dark, alone=True)
    match form:
        case ".svg":
            return svg_of(spec).encode()
        case ".png":
            # vl-convert renders each pixel of the chart as one point; `ppi` is only the resolution that is recorded in the file
            density = 2 * PIXELS if width is None else DOTS
            return vl_convert.vegalite_to_png(_unlimited(spec), vl_version=VEGA_LITE, scale=POINTS / PIXELS, ppi=density)
        case ".pdf":
            above = spec.get("title")
            if isinstance(above, dict):  # a bold title would add a font, and the library writes two fonts in varying order
                spec = {**spec, "title": {**above, "fontWeight": "normal"}}
            # vl-convert renders a pixel as one point, but an inch has 96 pixels and 72 points
            svg = svg_of(spec)
            wide, high = size_of(svg)
            in_points = SIZE.sub(f'width="{wide * POINTS / PIXELS:g}" height="{high * POINTS / PIXELS:g}"', svg, count=1)
            # vl-convert lists the references of a page in varying order
            return LISTED.sub(lambda listed: b"".join(sorted(listed[0].splitlines(keepends=True))), vl_convert.svg_to_pdf(in_points))
        case ".html":
            embedded = json.dumps(spec).replace(
                "<", "\\u003c"
            )  # escaping prevents a text from ending the script; characters outside ASCII, including line separators, are escaped too
            return PAGE.format(title=escape(str(result.experiment)), library=_library(), spec=embedded).encode()


def inline(result: Drawable, *, width: Width | None = None, title: bool = True) -> str:
    """Draws the chart of a result as SVG for a page, in the page's text colour and for a light or dark background; see `specification`."""
    picture = svg_of(specification(result, width=width, title=title))
    opened = picture.index(">") + 1
    rules = f"<style>@media (prefers-color-scheme: dark){{{dark_rules('svg.marks')}}}</style>"
    return f"{picture[:opened]}{rules}{picture[opened:]}"


def lean(result: Drawable, *, panel: str | None = None, width: Width | None = None, title: bool = True) -> str:
    """Draws the chart as compact SVG, without CSS rules, classes and screen-reader texts, and with coordinates rounded to 0.01 pixels."""

    def short(tag: re.Match[str]) -> str:
        return LONG.sub(lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), SPOKEN.sub("", tag[0]))

    picture = svg_of(specification(result, panel=panel, width=width, title=title))
    return UNSEEN.sub("", TAG.sub(short, picture))


def longest(result: Drawable) -> int:
    """Returns the number of rows of the chart's longest panel; 0 if the chart is empty."""
    _, panels = _figure(result, None)
    return max(map(row_count, panels.views), default=0)


def svg_of(spec: Spec) -> str:
    """Draws a specification as SVG."""
    try:
        import vl_convert  # an optional dependency
    except ImportError:
        raise ImportError(NEEDED) from None
    return vl_convert.vegalite_to_svg(_unlimited(spec), vl_version=VEGA_LITE)


def _unlimited(spec: Spec) -> Spec:
    """Returns a specification without limits of the width of labels, if no limit cuts a label.

    The drawing library measures a label once more if it has a limit, and opens the file of the font for every character that it measures.
    """
    config = spec["config"]
    if not isinstance(config, dict) or any(len(name) > SHORT or not name.isascii() for name in _names(spec)):
        return spec
    return {**spec, "config": {**config, **{part: {**config[part], "labelLimit": 0} for part in ("axis", "legend")}}}


def _names(part: object, *, named: bool = False) -> Iterator[str]:
    """Yields the texts of data, orders and domains, which include the names at axes and in legends."""
    match part:
        case str():
            if named:
                yield part
        case dict():
            for key, inner in part.items():
                yield from _names(inner, named=named or key in {"values", "sort", "domain"})
        case list():
            for inner in part:
                yield from _names(inner, named=named)
        case _:
            return


@cache
def _library() -> str:
    """Returns the JavaScript code that draws the charts on a page."""
    import vl_convert  # an optional dependency

    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=VEGA_LITE)
