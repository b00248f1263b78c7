"""Charts of ranks of few and of many runs, of more topics, and of means under two judges."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import polars as pl
import pytest

from inexmetrics import MAP, Agreement, Experiment, Judges, Ppi, Scores, parse, power, ranks, reliability, sample, scores, versus
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.power import power_of_t
from inexmetrics.report.charts.drawing import drawn, specification
from inexmetrics.report.charts.parts import Spec
from inexmetrics.report.charts.runs import FEW


def of(runs: int) -> Scores:
    """Returns scores of this number of runs on 20 topics, each run better than the previous run."""
    random = np.random.default_rng(3)
    matrix = np.clip(random.random((runs, 20)) / 2 + np.linspace(0, 0.5, runs)[:, None], 0, 1)
    return Scores(tuple(f"run{run:03}" for run in range(runs)), tuple(f"{topic:02}" for topic in range(20)), {("MAP", "1"): matrix})


def test_every_run_has_its_row_by_rank() -> None:
    for runs in (FEW, FEW + 1):
        result = ranks(MAP).answer(of(runs), RunOptions())
        spec: Any = specification(result)
        rows = pl.DataFrame(spec["data"]["values"])
        assert rows.select("run_id", "rank", "best_rank", "worst_rank", "tier").equals(
            result.table.select("run_id", "rank", "best_rank", "worst_rank", "tier")
        )
        assert spec["layer"][0]["encoding"]["y"]["sort"] == result.table["run_id"].to_list()


def test_many_runs_are_drawn_lower_and_their_tiers_have_columns() -> None:
    few, many = (specification(ranks(MAP).answer(of(runs), RunOptions())) for runs in (FEW, FEW + 1))
    few_spec: Any = few
    many_spec: Any = many
    assert few_spec["height"]["step"] > 2 * many_spec["height"]["step"]
    assert not few_spec["layer"][0]["encoding"]["y"]["axis"]["labelOverlap"]
    assert many_spec["layer"][0]["encoding"]["y"]["axis"]["labelOverlap"]
    assert {row["label"] for row in few_spec["data"]["values"]} >= {"", "tier 1", "tier 2"}
    assert {row["label"] for row in many_spec["data"]["values"]} >= {"", "1", "2"}
    assert "not all runs are named" in many_spec["title"]["subtitle"][0]


@pytest.mark.parametrize(
    ("runs", "labelled"),
    [
        (2, [1, 2]),
        (3, [1, 2, 3]),
        (12, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
        (13, [1, 5, 10, 13]),
        (30, [1, 5, 10, 15, 20, 25, 30]),
        (103, [1, 20, 40, 60, 80, 103]),
    ],
)
def test_the_axis_labels_whole_ranks_from_the_first_to_the_last(runs: int, labelled: list[int]) -> None:
    result = ranks(MAP).answer(of(runs), RunOptions())
    spec: Any = specification(result)
    axes = [axis for layer in spec["layer"] if (axis := layer["encoding"].get("x", {}).get("axis"))]
    assert axes
    assert all(axis["values"] == labelled for axis in axes)


@pytest.mark.parametrize("experiment", [ranks(MAP), scores(MAP), versus("run020", MAP)], ids=str)
def test_a_chart_of_many_rows_has_its_axis_above_too(experiment: Experiment) -> None:
    pytest.importorskip("vl_convert")
    titles = {39: 1, 45: 2}
    for runs, count in titles.items():
        result = experiment.answer(of(runs), RunOptions())
        picture = drawn(result, ".svg").decode()
        assert picture.count('class="mark-text role-axis-title"') == count, f"{runs} runs"


def test_one_topic_has_no_interval() -> None:
    result = scores(MAP).answer(sample().only(topics=sample().topics[0]), RunOptions())
    assert result.figure()[0] == ["dot: mean over topics; one topic: no interval"]


def test_the_axis_of_two_runs_reads_1_2() -> None:
    result = ranks(MAP).answer(of(2), RunOptions())
    labels = re.findall(r">(\d+(?:\.\d+)?)</text>", drawn(result, ".svg").decode())
    assert labels == ["1", "2"]


def of_type(spec: Spec, mark: str) -> list[Any]:
    """The layers of a chart with this mark."""
    shown: Any = spec["layer"]
    layers = [layer for each in shown for layer in each.get("layer", [each])]
    return [each for each in layers if each["mark"]["type"] == mark]


def test_power_is_drawn_as_the_curve_that_it_is() -> None:
    asked = power(MAP, difference=(0.02, 0.05), topics=(10, 50, 400))
    result = asked.answer(of(5), RunOptions())
    spec: Any = specification(result)
    (line,) = of_type(spec, "line")
    rows = pl.DataFrame(line["data"]["values"])
    for difference, topics, sd in result.needed.select("difference", "topics", "sd").iter_rows():
        curve = rows.filter(line=str(difference))
        assert curve.height >= 100
        assert (curve["topics"].min(), curve["topics"].max()) == (2, max(400, math.ceil(1.2 * max(result.needed["topics"].to_list()))))
        assert topics in curve["topics"].to_list(), "the curve passes the number of topics needed"
        for at, value in curve.select("topics", "value")[[0, 40, 99]].iter_rows():
            assert value == power_of_t(difference / sd, at, 0.05, 2)
    (dots,) = of_type(spec, "point")
    drawn_at = [(float(row["line"]), row["topics"], row["value"]) for row in dots["data"]["values"]]
    assert drawn_at == result.table.select("difference", "topics", "power").rows()


def test_a_line_drops_where_the_power_asked_for_is_reached_and_names_the_topics() -> None:
    result = power(MAP, difference=(0.02, 0.05)).answer(of(5), RunOptions())
    spec: Any = specification(result)
    needed = [str(topics) for topics in result.needed["topics"]]
    assert [[str(row["topics"]) for row in each["data"]["values"]] for each in spec["layer"] if "layer" in each] == [needed]
    texts = re.findall(r">([^<>]*)</text>", drawn(result, ".svg").decode())
    assert {*needed, "0.02", "0.05"} <= {*texts}, "lines are named at their ends"


def test_the_level_has_a_dash_that_no_curve_has() -> None:
    spec: Any = specification(power(MAP, difference=(0.02, 0.05, 0.1)).answer(of(5), RunOptions()))
    level, *_ = of_type(spec, "rule")
    assert level["data"]["values"] == [{"value": 0.8}]
    assert level["mark"]["strokeDash"]
    (line,) = of_type(spec, "line")
    assert "strokeDash" not in line["mark"]
    assert "strokeDash" not in line["encoding"]


def test_the_power_asked_for_is_drawn_though_no_number_of_topics_reaches_it() -> None:
    result = power(MAP, difference=1e-12).answer(sample(), RunOptions())
    assert result.tables["needed"]["topics"].to_list() == [None]
    spec: Any = specification(result)
    (level,) = of_type(spec, "rule")
    assert level["data"]["values"] == [{"value": 0.8}]
    assert spec["title"]["subtitle"][1] == "MAP: more than 2^53 topics for 1e-12"


def test_reliability_has_a_curve_for_each_coefficient() -> None:
    result = reliability(MAP).answer(sample(), RunOptions())
    spec: Any = specification(result)
    (dots,), (line,) = of_type(spec, "point"), of_type(spec, "line")
    drawn_dots, curve = pl.DataFrame(dots["data"]["values"]), pl.DataFrame(line["data"]["values"])
    run, topic, residual = result.table.select("var_run", "var_topic", "var_residual").row(0)
    for name, column, error in (("E rho^2", "e_rho2", residual), ("Phi", "phi", topic + residual)):
        assert drawn_dots.filter(line=name)["value"].to_list() == result.table[column].to_list()
        points = curve.filter(line=name)
        assert points["value"].to_list() == pytest.approx([run / (run + error / topics) for topics in points["topics"]], rel=1e-12)
    low, high = line["encoding"]["y"]["scale"]["domain"]
    assert (high, low) == (1.0, pytest.approx(math.floor(10 * min(curve["value"].to_list())) / 10))


def test_means_by_two_judges_name_their_measure() -> None:
    result = parse('ppi(MAP + nDCG@10 ~ assessor("second"), truth=sampled(0.2, assessor("first")))', Ppi).answer(sample(), RunOptions())
    spec: Any = specification(result)
    titles = [{layer["encoding"]["x"]["title"] for layer in panel["layer"]} for panel in spec["concat"]]
    assert titles == [{"mean MAP"}, {"mean nDCG@10"}]


def test_judges_have_their_rank_correlations_beside_their_bars() -> None:
    result = parse('judges(MAP ~ assessor("second") + assessor("third"), truth=assessor("first"))', Judges).answer(sample(), RunOptions())
    spec: Any = specification(result)
    _, beside, heading = spec["layer"]
    assert heading["encoding"]["text"] == {"value": "tau / tau_AP"}
    labels = [(row["judge"], row["label"]) for row in beside["data"]["values"]]
    assert labels == [(judge, f"{tau:.2f} / {tau_ap:.2f}") for judge, tau, tau_ap in result.table.select("judge", "tau", "tau_ap").rows()]


def test_the_bars_of_draws_are_quantiles_of_the_draws() -> None:
    asked = parse("agreement(MAP ~ topics(9) + topics(15) + 1 | Holm, draws=6, fresh=True)", Agreement)
    result = asked.answer(sample().only(runs=[f"group0{n}-{run}" for n in (1, 2, 3) for run in "abc"]), RunOptions())
    _, panels = result.figure()
    drawn = result.tables["draws"].filter(truth="1")
    for name, panel in zip(("precision", "recall", "f1"), panels.parts, strict=True):
        view: Any = panel.view
        values = [drawn.filter(predictor=f"topics({n})")[name].drop_nulls().to_numpy() for n in (9, 15)]
        bars = [(row["low"], row["high"]) for row in view["data"]["values"]]
        assert bars == [pytest.approx(tuple(np.quantile(of, [0.025, 0.975]))) for of in values]
