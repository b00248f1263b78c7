"""Every mark of every chart has a contrast of at least three to one on white and on dark pages, with its opacity."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Final, NamedTuple

import pytest

from inexmetrics.report.charts.drawing import drawn
from inexmetrics.report.charts.parts import BANDS, DARK, DARK_INK, DARK_PAGE, INK, PAGE, SURFACES
from tests.examples import EVERY, FIRST, answered
from tests.report.charts.colours import contrast
from tests.report.charts.pictures import picture

EXCEPTED: Final = ("role-axis-grid", f"{BANDS}_marks")
"""Groups of pale marks: grid lines, and background bands whose values are shown as numbers."""
HEXADECIMAL: Final = re.compile("#[0-9a-fA-F]{6}")
DARKER: Final = {**DARK, INK: DARK_INK}
"""The colours of pictures for dark pages, by the colour that takes their place on light pages."""
GAPS: Final = {PAGE, DARK_PAGE}
"""Stroke between marks that touch."""


class Mark(NamedTuple):
    """A drawn mark: its groups, and its fill and stroke with their opacities."""

    groups: str
    fill: str
    fill_opacity: float
    stroke: str
    stroke_opacity: float


def marks(svg: bytes) -> Iterator[Mark]:
    def inside(element: ET.Element, groups: str, inherited: dict[str, str], opacity: float) -> Iterator[Mark]:
        own = inherited | {name: element.attrib[name] for name in ("fill", "stroke") if name in element.attrib}
        opacity *= float(element.get("opacity", "1"))
        groups = f"{groups} {element.get('class', '')}"
        if element.tag.rpartition("}")[2] in {"path", "rect", "line", "text"} and "background" not in groups.split():
            fill_opacity, stroke_opacity = (float(element.get(name, "1")) * opacity for name in ("fill-opacity", "stroke-opacity"))
            yield Mark(groups, own.get("fill", "black"), fill_opacity, own.get("stroke", "none"), stroke_opacity)
        for inner in element:
            yield from inside(inner, groups, own, opacity)

    for part in ET.fromstring(svg):
        yield from inside(part, "", {}, 1.0)


def seen(colour: str, opacity: float, page: str) -> float:
    """Returns the contrast between a colour, blended with the page by its opacity, and the page."""
    parts = [(opacity * int(colour[at : at + 2], 16) + (1 - opacity) * int(page[at : at + 2], 16)) for at in (1, 3, 5)]
    return contrast("#" + "".join(f"{round(part):02x}" for part in parts), page)


def told_apart(mark: Mark, page: str) -> bool:
    """Returns whether the fill or the outline of a mark is visible; cells with numbers, and the numbers, are not compared with the page."""
    sides = ((mark.fill, mark.fill_opacity), (mark.stroke, mark.stroke_opacity))
    visible = [
        (colour, opacity) for colour, opacity in sides if HEXADECIMAL.fullmatch(colour) and opacity and colour not in GAPS | SURFACES
    ]
    return not visible or any(seen(colour, opacity, page) >= 3 for colour, opacity in visible)


def in_the_dark(mark: Mark) -> Mark:
    """Returns a mark as it is on a dark page."""
    return mark._replace(fill=DARKER.get(mark.fill, mark.fill), stroke=DARKER.get(mark.stroke, mark.stroke))


@pytest.mark.parametrize("formula", EVERY)
def test_every_picture_is_whole_and_every_mark_has_a_contrast_of_three_to_one(formula: str) -> None:
    """One test of a formula, whose picture is then drawn once."""
    svg = picture(formula)
    assert svg.startswith(b"<svg")
    assert b"NaN" not in svg
    assert not re.search(rb"undefined(?!=)", svg)  # undefined= is a parameter in titles
    if "margin=0.1" in formula:  # its band is pale, behind its numbers
        return
    tested = [mark for mark in marks(svg) if not any(name in mark.groups for name in EXCEPTED)]
    assert any("role-mark" in mark.groups for mark in tested)  # a table with one row is one mark
    assert [mark for mark in tested if not told_apart(mark, PAGE)] == []
    assert [dark for mark in tested if not told_apart(dark := in_the_dark(mark), DARK_PAGE)] == []


@pytest.mark.parametrize("formula", [FIRST[0], "assessors(MAP, sets=20)", "curve(MAep ~ Gen5)", "fidelity(MAgP)"])
def test_a_picture_for_dark_pages_differs_in_its_colours_only(formula: str) -> None:
    light, dark = (drawn(answered(formula), ".svg", dark=dark).decode() for dark in (False, True))
    coloured = light.replace('fill="white"', f'fill="{DARK_PAGE}"', 1)
    coloured = re.sub(r'(fill|stroke)="([^"]+)"', lambda found: f'{found[1]}="{DARKER.get(found[2], found[2])}"', coloured)
    assert coloured == dark != light


@pytest.mark.parametrize(
    "formula",
    ['agreement(MAep + nxCG@10 + nxCG@25 ~ Gen5 + BinExh, of="conditions")', "fidelity(iGP + MAP)", "correlation(MAP + nDCG + RR)"],
)
def test_numbers_are_read_on_their_cells(formula: str) -> None:
    every = list(marks(picture(formula)))
    cells = ["#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", mark.fill)) for mark in every if mark.fill.startswith("rgb")]
    inks = [f"#{'f' * 6}" if mark.fill == "white" else mark.fill for mark in every if "mark-text" in mark.groups and mark.fill in SURFACES]
    assert len(cells) == len(inks) > 2
    assert min(contrast(ink, cell) for ink, cell in zip(inks, cells, strict=True)) >= 4


def test_pale_marks_would_be_found() -> None:
    assert not told_apart(Mark("", "#0072B2", 0.2, "none", 1.0), PAGE)
    assert told_apart(Mark("", "#0072B2", 0.2, "#0072B2", 1.0), PAGE)
    assert not told_apart(Mark("", "#0072B2", 1.0, "none", 1.0), "#003366")
