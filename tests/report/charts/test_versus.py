"""Charts of runs against their opponents: the grid of verdicts, and the differences."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from inexmetrics import MAP, CollectionError, Gen5, MAep, from_frames, run, sample, versus
from inexmetrics.common.options import RunOptions
from inexmetrics.report.charts.parts import Panels
from inexmetrics.report.charts.versus import SIGNS, versus_figure


def test_the_grid_has_the_verdicts_of_the_table_in_its_order() -> None:
    tables = versus("group03-a", MAep, Gen5).answer(sample(), RunOptions()).tables
    said, spec = versus_figure(tables, 0.95, "not corrected")
    assert said[0].startswith("grid: group03-a is significantly better")
    grid, differences = beside(spec)
    order = tables["versus"]["opponent"].to_list()
    assert grid["encoding"]["y"]["sort"] == differences["layer"][1]["encoding"]["y"]["sort"] == order
    cells = {cell["opponent"]: cell["verdict"] for cell in grid["data"]["values"]}
    marks = {("*", "-"): "better", ("-", "*"): "worse", ("-", "-"): "open"}
    better, worse = (tables["grid"].filter(better=who).row(0)[4:] for who in ("run", "opponent"))
    assert [cells[opponent] for opponent in order] == [marks[verdict] for verdict in zip(better, worse, strict=True)]
    assert set(cells.values()) == set(SIGNS), "this run beats some, loses to some, and is even with some"


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")  # of topics that are undefined
def test_there_is_nothing_to_draw_where_no_topic_is_defined() -> None:
    collection = from_frames({"1": {"a": 0}}, {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 1.0}}})
    result = run('versus("x", MAP)', collection)
    with pytest.raises(CollectionError, match=r"^there is nothing to draw: the measure is undefined for every topic$"):
        result.chart()
    assert "MAP is undefined for every topic" in result._repr_html_()


def test_the_verdicts_differ_in_shape() -> None:
    grid, _ = beside(versus_figure(versus("group03-a", MAP).answer(sample(), RunOptions()).tables, 0.95, "not corrected")[1])
    assert grid["layer"][1]["encoding"]["shape"]["scale"]["range"] == ["triangle-up", "triangle-down", "stroke"]


def test_a_column_and_a_panel_for_each_run_and_condition() -> None:
    tables = versus(("group03-a", "group01-b"), (MAep, MAP), Gen5, top=10).answer(sample(), RunOptions()).tables
    shown = versus_figure(tables, 0.95, "not corrected")[1]
    grid, *differences = panels(shown)
    names = ["group03-a: MAep ~ Gen5", "group01-b: MAep ~ Gen5", "group03-a: MAP ~ Gen5", "group01-b: MAP ~ Gen5"]
    assert shown.names[1:] == grid["encoding"]["x"]["sort"] == names
    assert len(grid["data"]["values"]) == tables["versus"].height == 40
    listed = grid["encoding"]["y"]["sort"]
    assert listed == tables["versus"]["opponent"].unique(maintain_order=True).to_list()
    for part in differences:
        rows = [opponent for opponent in listed if opponent in {row["opponent"] for row in part["data"]["values"]}]
        assert part["layer"][1]["encoding"]["y"]["sort"] == rows, "opponents keep their order in all panels"


def test_the_differences_are_those_of_the_table() -> None:
    tables = versus("group03-a", MAP).answer(sample(), RunOptions()).tables
    _, differences = beside(versus_figure(tables, 0.95, "not corrected")[1])
    columns = ["opponent", "difference", "low", "high", "p_value", "significant"]
    assert pl.DataFrame(differences["data"]["values"]).equals(tables["versus"].select(columns))


def beside(drawn: Panels) -> list[Any]:
    """The grid and the differences of one run under one condition: in one panel."""
    (panel,) = panels(drawn)
    grid, differences = panel["hconcat"]
    assert differences["layer"][1]["encoding"]["y"]["axis"] is None, "opponents are named once"
    return [grid, differences]


def panels(drawn: Panels) -> list[Any]:
    return [*drawn.views]
