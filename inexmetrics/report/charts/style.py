"""Style of charts: colours that colour-blind readers distinguish, fonts, titles."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

__all__ = ["BETTER", "CATEGORIES", "FAINT", "GAINS", "MAIN", "SIDES", "WORSE", "Spec", "whole"]

Spec: TypeAlias = dict[str, object]
"""A Vega-Lite specification, or a part of one."""

# Okabe and Ito's palette, without its yellow, which is lost on white
MAIN: Final = "#0072B2"
BETTER: Final = "#0072B2"
WORSE: Final = "#D55E00"
FAINT: Final = "#8c96a0"
CATEGORIES: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7a5195", "#8c564b")
GAINS: Final = ("#eef3f7", "#b9d3e6", "#74a9cf", "#2b7bb0", "#08436f")
"""From nothing to all, by lightness alone."""
SIDES: Final = (WORSE, "#f3f3f3", BETTER)
"""From -1 over 0 to 1."""

TITLE_WIDTH: Final = 90
INK: Final = "currentColor"
"""The colour of the text around the chart, so that it is seen on light and on dark pages."""


def whole(formula: str, subtitle: Sequence[str], spec: Mapping[str, object], background: str) -> Spec:
    """A chart complete with title, subtitle and style.

    Args:
        formula: The experiment's formula.
        subtitle: What is shown, in lines.
        spec: The panels.
        background: The colour behind the chart.
    """
    title = {
        "text": textwrap.wrap(formula, TITLE_WIDTH, break_long_words=False, break_on_hyphens=False),
        "subtitle": list(subtitle),
        "anchor": "start",
        "fontSize": 14,
        "subtitleFontSize": 11,
        "subtitlePadding": 4,
        "offset": 14,
    }
    return {**spec, "title": title, "background": background, "padding": 16, "config": _config()}


def _config() -> Spec:
    font = "Helvetica, Arial, sans-serif"
    return {
        "font": font,
        "title": {"color": INK, "subtitleColor": INK, "font": font},
        "axis": {
            "labelColor": INK, "titleColor": INK, "domainColor": FAINT, "tickColor": FAINT, "gridColor": FAINT, "gridOpacity": 0.25,
            "labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal", "labelLimit": 260,
            "labelFlush": False,  # the outermost labels are centred under their ticks too
        },
        "legend": {"labelColor": INK, "titleColor": INK, "labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal", "labelLimit": 320},
        "view": {"stroke": None},
    }  # fmt: skip
