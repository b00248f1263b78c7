"""The picture that other sites show for a link to the documentation: ``python docs/social.py`` draws ``docs/images/social.png``."""

from __future__ import annotations

import textwrap
from html import escape
from typing import Final

import vl_convert

from docs.examples import ROOT
from docs.pictures import answered
from inexmetrics.report.charts.drawing import lean

FILE: Final = ROOT / "docs" / "images" / "social.png"
FORMULA: Final = "agreement(BinExh, Gen5, measure=MAep)"
QUESTION: Final = "Which differences between systems are real, and would cheaper judgements show the same ones?"
WIDTH, HEIGHT = 1200, 630
"""Width and height in pixels, as sites expect."""


def lines(text: str, top: int, size: int, *, signs: int, colour: str, weight: str = "normal") -> str:
    """Return a text in lines of at most this number of characters."""
    style = f'font-family="Helvetica, Arial, sans-serif" font-size="{size}" font-weight="{weight}" fill="{colour}"'
    rows = (
        f'<text x="60" y="{top + place * size * 1.3:.0f}" {style}>{escape(row)}</text>'
        for place, row in enumerate(textwrap.wrap(text, signs))
    )
    return "".join(rows)


def picture() -> str:
    """Return the picture as SVG: name, question and finding next to the chart."""
    result = answered(FORMULA)
    chart = lean(result, title=False).replace("<svg", '<svg x="680" y="50" preserveAspectRatio="xMidYMid"', 1)
    chart = (
        chart.replace('width="', 'data-width="', 1)
        .replace('height="', 'data-height="', 1)
        .replace("<svg", '<svg width="480" height="530"', 1)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" color="#1b1f23"><rect width="100%" height="100%" fill="#ffffff"/>'
        f'<rect width="16" height="100%" fill="#00695c"/>{lines("inexmetrics", 120, 64, signs=40, colour="#00695c", weight="bold")}'
        f"{lines(QUESTION, 210, 36, signs=32, colour='#1b1f23')}{lines(result.finding, 450, 24, signs=48, colour='#57616b')}{chart}</svg>"
    )


if __name__ == "__main__":
    FILE.write_bytes(vl_convert.svg_to_png(picture(), scale=1.0))
