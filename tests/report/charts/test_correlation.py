"""Charts of correlations: the points of two conditions, the coefficients of more conditions."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from inexmetrics import MAP, P, correlation, nDCG, sample
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.correlations import correlate
from inexmetrics.report.charts import matrices as chart
from inexmetrics.report.charts.matrices import correlation_figure


def test_of_two_conditions_every_point_is_drawn_and_the_coefficient_said() -> None:
    tables = correlation((MAP, P @ 10)).answer(sample(), RunOptions()).tables
    (said, crowd), drawn = correlation_figure(tables)
    (spec,) = drawn.views
    value = tables["correlation"]["coefficient"][0]
    at_origin = tables["points"].filter(first_value=0.0, second_value=0.0).height
    assert crowd == f"disc: {at_origin} points are at (0, 0)"
    assert said == f"Pearson's r {value:.2f}, p < .0001; 870 points, one for each run and topic"
    shown = pl.DataFrame(spec["data"]["values"])  # type: ignore[index]
    assert shown.drop("top").equals(tables["points"].drop("first", "second"))
    assert not shown["top"].any()
    layers: Any = spec["layer"]
    dots, disc = layers
    assert disc["data"]["values"] == [{"first_value": 0.0, "second_value": 0.0, "count": at_origin}]
    encoding = dots["encoding"]
    assert (encoding["x"]["field"], encoding["x"]["title"]) == ("first_value", ["MAP"])
    assert (encoding["y"]["field"], encoding["y"]["title"]) == ("second_value", ["P@10"])


def test_points_of_runs() -> None:
    tables = correlation((MAP, P @ 10), of="runs", method="kendall").answer(sample(), RunOptions()).tables
    (said,), drawn = correlation_figure(tables)
    (spec,) = drawn.views
    assert said.startswith("Kendall's tau 0.")
    assert said.endswith("; 30 points, one for each run")
    assert [row["run_id"] for row in spec["data"]["values"]] == tables["points"]["run_id"].to_list()  # type: ignore[index]


def test_the_highest_points_are_triangles_and_their_coefficient_is_said() -> None:
    tables = correlation((MAP, P @ 10), top=48).answer(sample(), RunOptions()).tables
    said, drawn = correlation_figure(tables)
    (spec,) = drawn.views
    top, others = tables["parts"]["coefficient"]
    assert said[1] == f"triangles: the 48 highest points ({top:.2f} among them, {others:.2f} among the others)"
    shown = pl.DataFrame(spec["data"]["values"])  # type: ignore[index]
    above = shown.filter("top")
    assert above.height == 48
    assert correlate(above["first_value"].to_numpy(), above["second_value"].to_numpy(), "pearson").coefficient == top


def test_of_very_many_points_some_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chart, "POINTS", 100)
    tables = correlation((MAP, P @ 10)).answer(sample(), RunOptions()).tables
    said, drawn = correlation_figure(tables)
    (spec,) = drawn.views
    assert said[-1] == "drawn: every 9th of 870 points"
    assert len(spec["data"]["values"]) == 97  # type: ignore[index]


def test_an_undefined_coefficient_is_said() -> None:
    one = sample().only(runs=["group01-a"])
    (said,), _ = correlation_figure(correlation((MAP, P @ 10), of="runs").answer(one, RunOptions()).tables)
    assert said == "Pearson's r undefined; 1 points, one for each run"


def test_of_more_conditions_the_coefficients_are_a_matrix() -> None:
    tables = correlation((MAP, P @ 10, nDCG), method="spearman").answer(sample(), RunOptions()).tables
    said, drawn = correlation_figure(tables)
    (spec,) = drawn.views
    assert said == ["Spearman's rho, a point for each run and topic"]
    cells: Any = spec["data"]
    assert [(cell["row"], cell["column"], cell["value"]) for cell in cells["values"]] == tables["correlation"].select(
        "first", "second", "coefficient"
    ).rows()
