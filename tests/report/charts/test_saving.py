"""Charts and pages saved from Python: files of every format, panels, widths for print, and errors."""

from __future__ import annotations

import re
import struct
import sys
from pathlib import Path
from typing import Any, Final, Literal, get_args

import numpy as np
import polars as pl
import pytest

from inexmetrics import CollectionError, Experiment, Result, Scores, from_frames, parse, run
from inexmetrics.cli import main
from inexmetrics.common.files import Picture, Width, pixels_of
from inexmetrics.report.charts import composition, drawing
from inexmetrics.report.charts.composition import MOST, size_of
from inexmetrics.report.charts.drawing import drawn, specification, undrawn
from inexmetrics.report.charts.parts import Spec
from inexmetrics.report.charts.views import SMALLEST_PRINT, printed
from inexmetrics.report.html import page_of
from tests.examples import FIRST, answered
from tests.report.charts.pictures import fitted

pytestmark = pytest.mark.slow  # half a second for a file

LONG = "a-very-long-name-of-a-system-on-record-"
BEGINNINGS = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF", ".html": b"<!DOCTYPE html>"}
NETWORK = re.compile(rb"<(?:script|link|img|image|iframe)[^>]+(?:src|href)=\"(?:https?:)?//|@import|url\(https?:")


FORMS: Final = get_args(Picture)
ONCE: Final = [(formula, FORMS[place % len(FORMS)]) for place, formula in enumerate(FIRST)]
"""Every experiment in one form, in turn."""
TWICE: Final = ("ranks(MAP)", "calibration(MAP, tests=(t, sign), correction=unadjusted, boards=3)", FIRST[1])
"""Formulas of the charts that are saved twice in every form."""


@pytest.mark.parametrize(("formula", "form"), [*ONCE, *((formula, form) for formula in TWICE for form in FORMS)])
def test_every_experiment_and_every_form(formula: str, form: Picture, tmp_path: Path) -> None:
    """A form is made from the specification or from the SVG of a chart, and does not depend on the experiment."""
    pytest.importorskip("vl_convert")
    first, second = tmp_path / f"first{form}", tmp_path / f"second{form.upper()}"
    answered(formula).save(first)
    content = first.read_bytes()
    if formula in TWICE:
        answered(formula).save(str(second))
        assert content == second.read_bytes()
    assert content.startswith(BEGINNINGS[form])
    assert not NETWORK.search(content)


def letters_of(part: object) -> list[float]:
    """Returns the font sizes of a specification."""
    match part:
        case dict():
            own = [float(inner) for name, inner in part.items() if name.lower().endswith("fontsize")]
            return own + [size for name, inner in part.items() if name != "data" for size in letters_of(inner)]
        case list():
            return [size for inner in part for size in letters_of(inner)]
        case _:
            return []


def width_of(picture: bytes) -> float:
    found = re.search(rb'<svg[^>]*? width="([0-9.]+)"', picture)
    assert found is not None
    return float(found[1])


@pytest.mark.parametrize("width", ["column", "page"])
@pytest.mark.parametrize("formula", FIRST)
def test_print_has_the_width_asked_for_and_letters_of_seven_points(formula: str, width: Width) -> None:
    """The smaller width is tried with few runs, whose names are as long as those of all runs."""
    spec, picture = fitted(formula, width, few=width == "column")
    assert width_of(picture) == pytest.approx(pixels_of(width), abs=1)
    points = 72 / 96  # a pixel of a picture at its printed width
    sizes = [float(size) for size in re.findall(rb'font-size="([0-9.]+)px"', picture)]
    assert min(sizes) * points >= 7
    assert min(letters_of(spec)) * points >= 7


def test_smaller_letters_of_a_view_are_enlarged_in_print() -> None:
    """As those of dozens of names beside an axis, or of a text in a layer."""
    text: Spec = {"mark": {"type": "text", "fontSize": 8}, "encoding": {"x": {"field": "b", "axis": {"titleFontSize": 7}}}}
    view: Spec = {"layer": [text], "encoding": {"y": {"field": "a", "axis": {"labelFontSize": 9}}}}
    assert letters_of(printed(view, 1.0)) == [SMALLEST_PRINT] * 3
    assert SMALLEST_PRINT * 72 / 96 >= 7


def media_box(pdf: bytes) -> tuple[float, float]:
    """The width and the height of a page, in points."""
    (found,) = re.findall(rb"/MediaBox ?\[0 0 ([0-9.]+) ([0-9.]+)\]", pdf)
    return float(found[0]), float(found[1])


def natural_width(png: bytes) -> float:
    """Returns the width of a picture in inches, from its pixels and its density."""
    (pixels,) = struct.unpack(">I", png[16:20])
    at = png.index(b"pHYs") + 4
    per_metre, _, unit = struct.unpack(">IIB", png[at : at + 9])
    assert unit == 1, "the density is of metres"
    return float(pixels / per_metre / 0.0254)


INCHES = {
    "column": 3.33,
    "page": 7.0,
    "3.3in": 3.3,
    "84mm": 84 / 25.4,
    "8.46cm": 8.46 / 2.54,
    "240pt": 240 / 72,
    "9": 9 / 2.54,
    9: 9 / 2.54,
}


@pytest.mark.parametrize("width", INCHES)
def test_widths_in_print(width: Width) -> None:
    assert pixels_of(width) / 96 == pytest.approx(INCHES[width], rel=1e-12)


@pytest.mark.parametrize(
    ("formula", "width"),
    [("scores(MAep + MAP ~ Gen5)", "column"), ("ranks(MAP)", "page"), ("scores(MAep + MAP ~ Gen5)", "84mm"), ("ranks(MAP)", 9)],
)
def test_files_for_print_have_the_width_asked_for_without_scaling(formula: str, width: Width) -> None:
    pytest.importorskip("vl_convert")
    result, inches = answered(formula, few=True), INCHES[width]
    assert media_box(drawn(result, ".pdf", width=width))[0] / 72 == pytest.approx(inches, abs=0.002)
    png = drawn(result, ".png", width=width)
    assert natural_width(png) == pytest.approx(inches, abs=0.004)
    assert struct.unpack(">I", png[16:20])[0] == pytest.approx(300 * inches, abs=1), "300 dots an inch"
    assert width_of(drawn(result, ".svg", width=width)) / 96 == pytest.approx(inches, abs=0.002)


def test_files_for_screens_have_one_width_in_all_forms() -> None:
    pytest.importorskip("vl_convert")
    result = answered("ranks(MAP)")
    inches = width_of(drawn(result, ".svg")) / 96
    assert media_box(drawn(result, ".pdf"))[0] / 72 == pytest.approx(inches, abs=0.01)
    assert natural_width(drawn(result, ".png")) == pytest.approx(inches, abs=0.01)


def test_the_text_of_a_pdf_stays_text() -> None:
    pytest.importorskip("vl_convert")
    assert b"/Font" in drawn(answered("ranks(MAP)"), ".pdf", width="column")


def test_panels_of_a_page_stand_side_by_side_and_those_of_a_column_below_each_other() -> None:
    pytest.importorskip("vl_convert")
    result = answered("significance(MAep ~ Gen5 + BinExh)")
    assert specification(result, width="column")["columns"] == 1
    assert specification(result, width="page")["columns"] == 2


def test_a_width_that_is_too_small() -> None:
    pytest.importorskip("vl_convert")
    with pytest.raises(ValueError, match=r"expected a width of at least \d+\.\d cm for this chart, found 2\.0 cm$"):
        drawn(answered("significance(MAep ~ Gen5 + BinExh)"), ".svg", width=2)


@pytest.mark.parametrize(
    "width", ["wide", "3.3inch", "-5cm", "1e2", "cm", "", "19mm", "201", 0, 1e9, float("nan"), float("inf"), None, True]
)
def test_widths_that_are_none(width: Width) -> None:
    with pytest.raises(
        ValueError,
        match=r"expected a width in print \(column, page, or a length of 2 to 200 cm, such as 8\.4, 84mm, 3\.3in or 240pt\), found ",
    ):
        pixels_of(width)


def test_one_panel() -> None:
    result = answered("significance(MAep ~ Gen5 + BinExh)")
    both: Any = specification(result)
    one: Any = specification(result, panel="MAep ~ BinExh")
    assert one["data"] == both["concat"][1]["data"]
    assert any(line.startswith("MAep ~ BinExh: ") for line in one["title"]["subtitle"])
    with pytest.raises(
        ValueError,
        match=re.escape("expected the name of a panel (MAep ~ Gen5, MAep ~ BinExh), found 'BinExh'; did you mean MAep ~ BinExh?"),
    ):
        result.chart(panel="BinExh")


def test_print_is_not_higher_than_a_page_and_says_what_it_leaves_out() -> None:
    pytest.importorskip("vl_convert")
    result = answered("scores(MAep + MAP ~ Gen5)")
    for title in (True, False):
        whole, picture = fitted(str(result.experiment), "column", title=title)
        _, height = size_of(picture.decode())
        assert 7 * 96 < height <= 9 * 96
        found = re.search(rb"the first (\d+) of 30 rows, for the height of a page", picture)
        assert found is not None
        spec: Any = whole
        best = result.table["run_id"].unique(maintain_order=True).to_list()[: int(found[1])]
        for panel in spec["concat"]:
            assert {row["run_id"] for row in panel["data"]["values"]} == set(best)
    assert b"the first" not in drawn(result, ".svg", width="page")


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("significance(MAep ~ Gen5 + BinExh + Strict5)", "the first 2 of 3 panels, for the height of a page"),
        ("curve(MAep ~ Gen5 + BinExh + Strict5)", None),
    ],
)
def test_panels_are_lowered_or_left_out_for_the_height_of_a_page(formula: str, said: str | None) -> None:
    pytest.importorskip("vl_convert")
    picture = drawn(answered(formula), ".svg", width="column", title=False).decode()
    assert size_of(picture)[1] <= 9 * 96
    found = re.search(r"the first \d of \d panels, for the height of a page", picture)
    assert (found and found[0]) == said


def test_matrices_whose_cells_are_lower_than_letters_say_that_not_all_runs_are_named() -> None:
    pytest.importorskip("vl_convert")
    result = answered("significance(MAep ~ Gen5)")
    assert "not all runs are named" in drawn(result, ".svg", width="column").decode()
    assert "not all runs are named" not in drawn(result, ".svg", width="page").decode()


def test_each_panel_of_a_matrix_has_the_signs_of_its_own_pairs() -> None:
    pytest.importorskip("vl_convert")
    result = answered("significance(MAep ~ Gen5 + BinExh)")
    picture = drawn(result, ".svg").decode()
    assert picture.count('aria-roledescription="point"') == 2 * result.tables["pairs"]["significant"].sum()


def test_a_chart_for_a_column_leaves_formula_and_notes_to_the_caption() -> None:
    pytest.importorskip("vl_convert")
    result = answered("ranks(MAP)")
    assert specification(result, width="column") == specification(result, width="column", title=False)
    assert "ranks(MAP)" not in str(specification(result, width="column").get("title"))
    for spec in (specification(result), specification(result, width="page"), specification(result, width="column", title=True)):
        assert "ranks(MAP)" in str(spec["title"])


@pytest.mark.parametrize(("formula", "most"), [("scores(MAP)", 1000), ("scores(MAP + RR)", 60)])
def test_a_chart_has_at_most_a_thousand_rows_and_says_so(formula: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("vl_convert")
    assert composition.MOST_ROWS == 1000
    for module in (composition, drawing):
        monkeypatch.setattr(module, "MOST_ROWS", most)
    names = [f"r{place:04}" for place in range(2 * most)]
    values = np.random.default_rng(4).random((2 * most, 4))
    conditions = {(name, "1"): values for name in ("MAP", "RR")}
    result = run(parse(formula, Experiment), Scores(tuple(names), tuple("abcd"), conditions))
    assert undrawn(result) == f"the chart has the first {most} of {2 * most} rows"
    best = result.table["run_id"].unique(maintain_order=True).to_list()
    picture = drawn(result, ".svg").decode()
    assert f"the first {most} of {2 * most} rows" in picture
    assert (f">{best[most - 1]}<" in picture, f">{best[most]}<" in picture) == (True, False)


@pytest.mark.parametrize(("width", "most"), [(None, 45), ("column", 31), ("page", 31)])
def test_names_that_differ_in_the_middle_differ_in_charts(tmp_path: Path, width: Literal["column", "page"] | None, most: int) -> None:
    pytest.importorskip("vl_convert")
    names = [f"/archive/of/models/dense-encoder-for-queries/step-{step}/with-all-hard-negatives/run.txt" for step in (250, 500, 750)]
    result = run(
        "scores(RR)", from_frames({"q": {"a": 1}}, {name: {"q": {"a": 1.0, "b": float(place)}} for place, name in enumerate(names)})
    )
    result.save(tmp_path / "long.svg", width=width)
    written = {*re.findall("<text[^>]*>([^<]*arch[^<]*)<", (tmp_path / "long.svg").read_text())}
    assert sorted(next(step for step in ("250", "500", "750") if f"-{step}" in text) for text in written) == ["250", "500", "750"]
    assert max(map(len, written)) <= most


@pytest.mark.parametrize("width", [None, "column"])
@pytest.mark.parametrize("runs", [4, 45])
def test_a_matrix_without_a_significant_pair_says_so(runs: int, width: Width | None) -> None:
    pytest.importorskip("vl_convert")
    draws = np.random.default_rng(runs).random((runs, 9))
    draws[-1] += 3.0  # one run that is better than all others
    names, topics = tuple(f"s{number:02}" for number in range(runs)), tuple("abcdefghi")
    for found, values in ((False, draws[:-1]), (True, draws)):
        result = run("significance(RR | t | Bonferroni)", Scores(names[: len(values)], topics, {("RR", "1"): values / 4}))
        assert result.table["significant"].any() == found
        assert (">no pair<" in drawn(result, ".svg", width=width).decode()) != found


def test_long_names_keep_both_their_ends_in_print() -> None:
    pytest.importorskip("vl_convert")
    named = {
        name: rows.with_columns(run_id=LONG + pl.col("run_id")) for name, rows in answered("ranks(MAP)").tables.items() if name == "ranks"
    }
    result = answered("ranks(MAP)")
    long = type(result)(result.experiment, {**result.tables, **named}, result.origin, None, ())
    picture = drawn(long, ".svg", width="column").decode()
    assert ">a-very-long...rd-group07-b<" in picture
    assert LONG not in re.sub(r'aria-label="[^"]*"', "", picture)


def of_many_panels() -> Result:
    return answered(f"scores(MAep + MAP ~ {' + '.join(f'min_size(Gen5, {n})' for n in range(1, MOST // 2 + 2))})")


def test_a_chart_has_some_dozens_of_panels_and_says_so() -> None:
    result = of_many_panels()
    spec: Any = specification(result)
    titles = [panel["title"]["text"] for panel in spec["concat"]]
    assert (len(titles), titles[0], titles[-1]) == (MOST, "MAep ~ min_size(Gen5, 1)", f"MAP ~ min_size(Gen5, {MOST // 2 - 1})")
    assert spec["title"]["subtitle"][-2] == f"the first {MOST} of {MOST + 2} panels"
    name = f"MAP ~ min_size(Gen5, {MOST // 2 + 1})"
    last: Any = specification(result, panel=name)
    assert last["title"]["subtitle"][-2] == name


def test_pages_and_the_command_line_say_which_panels_a_chart_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("vl_convert")
    monkeypatch.setattr(composition, "MOST", 4)  # dozens of panels take seconds to draw
    formula = "scores(MAep + MAP ~ min_size(Gen5, 1) + min_size(Gen5, 2) + min_size(Gen5, 3))"
    assert "the first 4 of 6 panels<br>" in page_of(answered(formula, few=True))
    said = "--plot: the chart has the first 4 of 6 panels; --panel NAME draws any of them"
    assert main([formula, "--plot", str(tmp_path / "c.svg")]) == 0
    assert said in capsys.readouterr().err
    assert main([formula, "--plot", str(tmp_path / "c.svg"), "--panel", "MAP ~ min_size(Gen5, 2)"]) == 0
    assert "panels" not in capsys.readouterr().err


def test_panels_have_short_names() -> None:
    for formula, names in (
        ("assessors(MAP, sets=50)", ["correlations", "switches", "buckets", "leaders"]),
        ("degradation(iMAep ~ Gen5, moves=(0, 0.8))", ["measures", "iMAep ~ Gen5"]),
        ('versus("group03-a", MAep ~ Gen5)', ["MAep ~ Gen5"]),
        ('versus("group03-a", MAep + MAP ~ Gen5)', ["grid", "MAep ~ Gen5", "MAP ~ Gen5"]),
        ("correlation(MAep + nxCG@25 ~ Gen5)", ["points"]),
    ):
        assert answered(formula).figure()[1].names == names
        assert specification(answered(formula), panel=names[0])


def test_titles_are_left_out_where_a_caption_stands_for_them() -> None:
    assert "title" not in specification(answered("ranks(MAP)"), title=False)


def test_a_chart_for_notebooks() -> None:
    altair = pytest.importorskip("altair")
    assert isinstance(answered("ranks(MAP)").chart(), altair.TopLevelMixin)


def test_files_that_are_refused(tmp_path: Path) -> None:
    result = answered("scores(MAep + MAP ~ Gen5)")
    for name in ("chart.gif", "chart"):
        with pytest.raises(ValueError, match=r"expected a file that ends in \.svg, \.png, \.pdf or \.html, found .*chart"):
            result.save(tmp_path / name)
    with pytest.raises(ValueError, match=r"expected a file that ends in \.html, found .*page\.pdf"):
        result.report(tmp_path / "page.pdf")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OSError, match="cannot write"):
        result.report(tmp_path / "no" / "page.html")


def test_nothing_to_draw(tmp_path: Path) -> None:
    result = answered("ranks(MAP)")
    empty = type(result)(result.experiment, {name: rows.clear() for name, rows in result.tables.items()}, result.origin, None, ())
    with pytest.raises(CollectionError, match="there is nothing to draw"):
        empty.save(tmp_path / "c.svg")
    assert list(tmp_path.iterdir()) == []


def test_a_result_without_anything_to_draw_is_printed_before_the_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("vl_convert")
    (tmp_path / "none.csv").write_text("topic,ant,bee\nq1,0,0\nq2,0,0\n")
    output = ["--plot", str(tmp_path / "none.svg"), "--report", str(tmp_path / "none.html")]
    assert main(['reliability(given("hits"))', "--scores", str(tmp_path / "none.csv"), *output]) == 1
    printed_, said = capsys.readouterr()
    assert "the reliability of their order cannot be estimated" in printed_
    assert said.splitlines()[-1].startswith("error: there is nothing to draw: every value of reliability")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["none.csv", "none.html"]


def test_without_the_extra_the_message_says_how_to_have_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = answered("scores(MAep + MAP ~ Gen5)")
    monkeypatch.setitem(sys.modules, "altair", None)
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    advice = re.escape('pip install "inexmetrics[plot]"')
    with pytest.raises(ImportError, match=advice):
        result.chart()
    with pytest.raises(ImportError, match=advice):
        result.save(tmp_path / "c.svg")
    with pytest.raises(ImportError, match=advice):
        result.save(tmp_path / "c.svg", width="page")
    assert list(tmp_path.iterdir()) == []


def test_a_report_is_a_page(tmp_path: Path) -> None:
    answered("ranks(MAP)").report(tmp_path / "ranks.html")
    assert (tmp_path / "ranks.html").read_text().startswith("<!doctype html>")


def test_notebooks_show_names_as_text() -> None:
    result = answered("scores(MAep + MAP ~ Gen5)")
    named = {name: rows.with_columns(run_id=pl.lit("<script>alert(1)</script>") + pl.col("run_id")) for name, rows in result.tables.items()}
    assert "<script" not in type(result)(result.experiment, named, result.origin, None, ("<script>",))._repr_html_()
