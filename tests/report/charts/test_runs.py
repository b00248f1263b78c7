"""Charts of means of runs and error rates of tests."""

from __future__ import annotations

from typing import Any

import polars as pl

from inexmetrics import BinExh, Gen5, MAep, P, error_rate, sample, scores, sign, t
from inexmetrics.common.options import RunOptions
from inexmetrics.report.charts.parts import Panels


def panels(drawn: Panels) -> list[Any]:
    return [*drawn.views]


def reach(panel: dict[str, Any]) -> list[float]:
    (domain,) = {tuple(layer["encoding"]["x"]["scale"]["domain"]) for layer in panel["layer"]}
    return list(domain)


def test_panels_of_one_measure_have_one_axis_and_those_of_others_their_own() -> None:
    result = scores((MAep, P @ 10), (Gen5, BinExh)).answer(sample(), RunOptions())
    gen5, binexh, precision, same = panels(result.figure()[1])
    assert reach(gen5) == reach(binexh)
    assert reach(precision) == reach(same)
    assert reach(gen5)[1] < reach(precision)[1] / 2
    for panel in (gen5, precision):
        low, high = reach(panel)
        assert low < 0, "a dot at 0 is drawn beside the names, not on them"
        for row in panel["data"]["values"]:
            ends = [row[name] for name in ("low", "lower", "upper", "high") if row[name] is not None]
            assert low < min(ends) <= max(ends) < high


def test_runs_keep_their_place_in_all_panels() -> None:
    result = scores(MAep, (Gen5, BinExh)).answer(sample(), RunOptions())
    orders = [panel["layer"][0]["encoding"]["y"]["sort"] for panel in panels(result.figure()[1])]
    assert orders[0] == orders[1] == result.table["run_id"].unique(maintain_order=True).to_list()


def test_error_rates_have_their_intervals_and_the_level_of_the_tests() -> None:
    result = error_rate(MAep, Gen5, tests=(t, sign), splits=5).answer(sample(), RunOptions())
    tables, (said, drawn) = result.tables, result.figure()
    (spec,) = drawn.views
    layers: Any = spec["layer"]
    bars, interval, level, counts = layers
    shown = pl.DataFrame(spec["data"]["values"])  # type: ignore[index]
    assert shown.select("test", "error_rate").equals(tables["error_rate"].select("test", "error_rate"))
    assert shown.select("test", "low", "high").equals(tables["intervals"].select("test", "low", "high"))
    assert (interval["encoding"]["x"]["field"], interval["encoding"]["x2"]["field"]) == ("low", "high")
    assert level["encoding"]["x"] == {"datum": 0.05}
    assert said[1] == "line: 95 % interval over 5 random splits of the topics; dashed: the level of the tests, 5 %"
    assert bars["encoding"]["x"]["scale"]["domain"][1] > 0.05
    errors, rejected = tables["error_rate"].select("errors", "rejected").row(0)
    assert shown["rejections"][0] == f"{errors} of {rejected}"
    assert counts["encoding"]["text"] == {"field": "rejections"}


def test_a_test_without_rejections_has_no_bar() -> None:
    few = sample().only(topics=sample().topics[:4])
    result = error_rate(MAep, Gen5, tests=(t, sign), splits=5).answer(few, RunOptions())
    assert result.table["error_rate"].is_null().to_list() == [False, True]
    _, drawn = result.figure()
    (spec,) = drawn.views
    assert [row["test"] for row in spec["data"]["values"]] == ["t"]  # type: ignore[index]


def test_scores_stand_along_an_axis_that_names_their_measure() -> None:
    result = scores((MAep, P @ 10), Gen5).answer(sample(), RunOptions())
    axes = [{layer["encoding"]["x"]["title"] for layer in panel["layer"]} for panel in panels(result.figure()[1])]
    assert axes == [{"MAep"}, {"P@10"}]
