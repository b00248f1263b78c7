"""Charts of results: Vega-Lite specifications, drawn as SVG, PNG or a page of its own without network or browser.

The specifications are plain values, so that the same result gives the same bytes. Drawing them needs the packages of the
extra ``plot``.
"""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import printable
from inexmetrics.report.charts.style import Spec, whole
from inexmetrics.report.reportable import Reportable

if TYPE_CHECKING:
    import altair

__all__ = ["Picture", "chart_of", "drawn", "specification"]

Picture: TypeAlias = Literal[".svg", ".png", ".html"]

VEGA_LITE: Final = "5.20"
"""The version of Vega-Lite that draws: fixed, so that charts do not change with the library that brings it."""


def specification(result: Reportable, background: str = "transparent") -> Spec:
    """The chart of a result as a Vega-Lite specification; control characters in names are escapes.

    Args:
        result: The result.
        background: The colour behind the chart.

    Raises:
        CollectionError: The result has nothing to draw.
    """
    if result.table.is_empty():
        raise CollectionError(f"there is nothing to draw: {result.experiment} has no rows")
    subtitle, panels = result.figure()
    spec = whole(str(result.experiment), subtitle, panels, background)
    return {name: _printable(part) for name, part in spec.items()}


def _printable(part: object) -> object:
    """A part of a specification with every text printable: the library that draws ends the process at a control character."""
    match part:
        case str():
            return printable(part)
        case dict():
            return {name: _printable(inner) for name, inner in part.items()}
        case list():
            return [_printable(inner) for inner in part]
        case _:
            return part


def chart_of(result: Reportable) -> altair.TopLevelMixin:
    """The chart of a result, to show in a notebook, to save, or to change.

    Examples:
        >>> from inexmetrics import run, sample
        >>> chart = chart_of(run("scores(MAep ~ Gen5)", sample()))
        >>> type(chart).__name__
        'LayerChart'
    """
    import altair  # slow, and an extra

    chart: altair.TopLevelMixin = altair.Chart.from_dict(specification(result))
    return chart


def drawn(result: Reportable, form: Picture, background: str = "white") -> bytes:
    """The chart of a result as a picture, or as a self-contained page.

    Args:
        result: The result.
        form: The picture's form, as its file's name ends.
        background: The colour behind the chart.

    Raises:
        CollectionError: The result has nothing to draw.
    """
    import vl_convert  # an extra

    spec = specification(result, background)
    match form:
        case ".svg":
            return vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE).encode()
        case ".png":
            return vl_convert.vegalite_to_png(spec, vl_version=VEGA_LITE, scale=2)
        case ".html":
            library = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=VEGA_LITE)
            return _page(spec, str(result.experiment), library).encode()


def _page(spec: Spec, title: str, library: str) -> str:
    """A page that draws the specification by itself; no text in it can end the script that holds it."""
    embedded = json.dumps(spec).replace("<", "\\u003c")  # json writes what is not ASCII, line separators too, as escapes
    return "\n".join(
        [
            "<!DOCTYPE html>",
            f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title></head>',
            '<body><div id="chart"></div>',
            f"<script>{library}</script>",
            f'<script>vegaEmbed("#chart", {embedded}, {{"renderer": "svg"}});</script>',
            "</body></html>",
            "",
        ]
    )
