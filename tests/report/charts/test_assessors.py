"""Trotman and Jenkinson's Figures 2 to 5, as data of charts."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import polars as pl
import pytest

from inexmetrics import MAP, Assessors, CollectionError, Result, assessors, sample
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.ranks import falling_line
from inexmetrics.report.charts.assessors import assessors_figure
from inexmetrics.report.charts.drawing import drawn, specification
from tests.examples import quietly


@cache
def answered(experiment: Assessors) -> Result:
    return experiment.answer(sample(), RunOptions())


def panels(result: Result) -> list[dict[str, Any]]:
    parts = specification(result)["concat"]
    assert isinstance(parts, list)
    return parts


def test_figure_2_counts_the_coefficients_in_steps() -> None:
    result = answered(assessors(MAP, sets=400))
    rho = result.tables["correlations"]["rho"]
    bars = panels(result)[0]["data"]["values"]
    assert sum(bar["sets"] for bar in bars) == 400
    for bar in bars:
        assert bar["sets"] == ((rho >= bar["lower"] - 1e-11) & (rho < bar["upper"] - 1e-11)).sum()
        assert bar["upper"] - bar["lower"] == pytest.approx(0.01)


@pytest.mark.parametrize("sets", [2, 30, 300, 2000])
def test_figure_2_labels_edges_of_its_steps_once_each(sets: int) -> None:
    result = answered(assessors(MAP, sets=sets))
    panel = panels(result)[0]
    labelled = panel["encoding"]["x"]["axis"]["values"]
    assert 2 <= len(labelled) <= 11
    assert len({f"{edge:.2f}" for edge in labelled}) == len(labelled)
    bars = panel["data"]["values"]
    assert labelled[0] == pytest.approx(bars[0]["lower"])
    assert labelled == sorted(labelled)
    assert labelled[-1] <= bars[-1]["upper"] + 1e-9


def test_figures_3_and_5_show_pairs() -> None:
    result = answered(assessors(MAP, sets=400))
    _, every, _, best = panels(result)
    switches = result.tables["switches"]
    (limit,) = {layer["encoding"]["x"]["scale"]["domain"][1] for layer in every["layer"] if "x" in layer["encoding"]}
    shown = switches.filter(pl.col("difference") <= limit)
    assert [row["switch_probability"] for row in every["data"]["values"]] == shown["switch_probability"].to_list()
    left = switches.filter(pl.col("difference") > limit)
    assert 0 < left.height < 435
    assert left["switch_probability"].max() <= 0.01  # type: ignore[operator]
    said = f"not drawn: {left.height} pairs that differ by more than {limit:g}, which "
    assert [line for line in result.figure()[0] if line.startswith(said)]
    assert best["title"]["text"] == "pairs of the best 10 runs"
    assert best["data"]["values"] == result.tables["leaders"].drop("unstable").to_dicts()
    assert every["layer"][1]["encoding"]["y"] == {"datum": 0.05}


def test_figure_5_names_the_unstable_pairs_without_overlap() -> None:
    result = answered(assessors(MAP, sets=400))
    unstable = result.tables["leaders"].filter(pl.col("switch_probability") > 0.05).sort("switch_probability", descending=True)
    labels = panels(result)[3]["layer"][0]["data"]["values"]
    assert 0 < len(labels) <= 10
    named = {label["label"] for label in labels}
    for better, worse, p_value in unstable.select("better", "worse", "p_value").head(len(labels)).iter_rows():
        assert f"{better}, {worse} (p = {p_value:.2f})" in named
    heights = [label["height"] for label in labels]
    gap = labels[0]["switch_probability"] / 14
    assert all(above - below >= gap - 1e-12 for above, below in pairwise(heights))
    assert heights[-1] > 0.05, "not on the dashed line"


def test_without_unstable_pairs_no_name_is_written() -> None:
    result = answered(assessors(MAP, sets=400))
    calm = result.tables["leaders"].with_columns(switch_probability=pl.lit(0.01))
    said, _ = assessors_figure({**result.tables, "leaders": calm})
    assert not [line for line in said if line.startswith("named")]


def test_a_p_value_below_what_two_decimals_show_is_not_said_to_be_0() -> None:
    result = answered(assessors(MAP, sets=400))
    sure = result.tables["leaders"].with_columns(p_value=pl.lit(0.0049))
    _, panels_there = assessors_figure({**result.tables, "leaders": sure})
    view: dict[str, Any] = panels_there.parts[3].view
    labels = view["layer"][0]["data"]["values"]
    assert all(label["label"].endswith(" (p < 0.01)") for label in labels)


def test_figure_4_shows_buckets_and_the_line_through_them() -> None:
    result = answered(assessors(MAP, sets=400))
    panel = panels(result)[2]
    drawn_buckets = panel["data"]["values"]
    buckets = result.tables["buckets"]
    assert drawn_buckets == buckets.head(len(drawn_buckets)).to_dicts()
    assert buckets["switch_probability"][len(drawn_buckets) :].max() <= 0.01  # type: ignore[operator]
    line = falling_line(result.tables["buckets"])
    assert line is not None
    first, last = panel["layer"][2]["data"]["values"]
    assert (first["difference"], first["fitted"], last["fitted"]) == (0.0, line[0], 0.0)
    # it stands at .05 where the summary says
    at = result.tables["summary"]["threshold_line"][0]
    assert first["fitted"] * (1 - at / last["difference"]) == pytest.approx(0.05)


def test_pairs_that_the_baseline_ties_are_not_drawn() -> None:
    part = sample().only(runs=["group01-a", "group02-a", "group03-a"], topics=["202"])
    result = assessors(MAP, sets=20).answer(part, RunOptions())
    tied = result.tables["switches"].with_columns(switch_probability=pl.lit(None, pl.Float64))
    blank = type(result)(
        result.experiment, {**result.tables, "switches": tied, "buckets": result.tables["buckets"].clear()}, result.origin, None, ()
    )
    notes, drawn_panels = blank.figure()
    assert drawn_panels.names == ["correlations", "leaders"]
    assert "not drawn, as it is undefined: all pairs of runs" in notes


def test_a_panel_without_values_is_not_drawn() -> None:
    pytest.importorskip("vl_convert")
    result = quietly('assessors(P@1, sets=50, baseline="second", top=2)')
    assert result.tables["leaders"]["switch_probability"].to_list() == [None]
    notes, drawn_panels = result.figure()
    assert drawn_panels.names == ["correlations", "switches", "buckets"]
    assert "not drawn, as it is undefined: pairs of the best 2 runs" in notes
    assert b"NaN" not in drawn(result, ".svg")


def test_a_chart_without_any_value_is_an_error() -> None:
    alike = sample().only(["group07-a", "group07-b"], sample().topics[:3])
    result = quietly("assessors(P@1, sets=20)", alike)
    assert result.table["rho"].null_count() == 20
    with pytest.raises(CollectionError, match="there is nothing to draw: every value of assessors"):
        specification(result)


def test_it_is_drawn() -> None:
    pytest.importorskip("vl_convert")
    picture = drawn(answered(assessors(MAP, sets=400)), ".svg")
    assert picture == drawn(answered(assessors(MAP, sets=400)), ".svg")
    assert b"NaN" not in picture
    assert b"Spearman" in picture
