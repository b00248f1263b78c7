"""Charts of means under conditions that differ in one number: one panel, one line per run."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from inexmetrics import Experiment, Result, parse, sample
from inexmetrics.common.options import RunOptions
from inexmetrics.report.charts.drawing import drawn, specification


def answered(formula: str, runs: int = 3) -> Result:
    experiment: Experiment = parse(formula, Experiment)
    whole = sample()
    assert whole.runs is not None
    return experiment.answer(whole.only(runs=whole.runs.run_ids[::2][:runs]), RunOptions())


def panels_of(formula: str) -> list[str]:
    return answered(formula).figure()[1].names


def drawn_points(view: Any) -> pl.DataFrame:  # noqa: ANN401 - a specification is plain JSON
    (points,) = [layer for layer in view["layer"] if layer["mark"]["type"] == "point"]
    return pl.DataFrame(points["data"]["values"])


def test_recall_against_budget_is_one_chart() -> None:
    result = answered("scores(char_rec(budget=400) + char_rec(budget=100) + char_rec(budget=6400))")
    spec: Any = specification(result)
    assert "concat" not in spec, "one panel"
    points = drawn_points(spec)
    for budget in (400, 100, 6400):
        means = dict(result.table.filter(measure=f"char_rec(budget={budget})").select("run_id", "mean").iter_rows())
        assert dict(points.filter(at=budget).select("run_id", "mean").iter_rows()) == means
    x = spec["layer"][0]["encoding"]["x"]
    assert (x["title"], x["scale"]["type"], x["scale"]["domain"], x["axis"]["values"]) == (
        "budget (log scale)",
        "log",
        [100, 6400],
        [100, 400, 6400],
    )
    assert "lines: mean over topics of each run, against the number in which the measures differ" in spec["title"]["subtitle"]


def test_lines_are_named_at_their_ends_and_ticks_are_the_numbers() -> None:
    pytest.importorskip("vl_convert")
    result = answered("scores(char_rec(budget=400) + char_rec(budget=200) + char_rec(budget=800))")
    picture = drawn(result, ".svg").decode()
    for text in ("budget", "200", "400", "800", *result.table["run_id"].unique()):
        assert f">{text}</text>" in picture


@pytest.mark.parametrize(
    ("formula", "panels"),
    [
        ("scores(P@1 + MAP + P@5 + P@10)", ["P@…", "MAP"]),
        ("scores(P@1 + P@5 + MAP)", ["P@1", "P@5", "MAP"]),
        ("scores(P@5 + P(rel=2)@5 + P@10 + P@20)", ["P@…", "P(rel=2)@5"]),
        ("scores(P@5 + P(rel=2)@5 + P(rel=3)@5)", ["P(rel=…)@5"]),
        ("scores(nxCG@5 + nxCG@10 + nxCG@20 ~ Gen5 + BinExh)", ["nxCG@… ~ Gen5", "nxCG@… ~ BinExh"]),
        ("scores(iP@0.01 + iP@0.1 + iP@0.5 + RBP(p=0.5) + RBP(p=0.8) + RBP(p=0.95))", ["iP@…", "RBP(p=…)"]),
        (
            'scores(char_rec(budget=4) + char_rec(budget=9) + char_rec(budget=20) + char_rec(budget=4, repeated="counts") + char_rec)',
            ["char_rec(budget=…)", 'char_rec(budget=4, repeated="counts")', "char_rec"],
        ),
        (
            "scores(char_rec(budget=4) + char_prec(budget=9) + char_f1(budget=20))",
            ["char_rec(budget=4)", "char_prec(budget=9)", "char_f1(budget=20)"],
        ),
    ],
)
def test_what_is_a_panel(formula: str, panels: list[str]) -> None:
    assert panels_of(formula) == panels


def test_of_many_runs_the_best_are_named() -> None:
    result = answered("scores(P@1 + P@5 + P@10)", runs=12)
    spec: Any = specification(result)
    means = result.table.group_by("run_id").agg(pl.col("mean").mean()).sort("mean", "run_id", descending=[True, False])
    assert drawn_points(spec)["run_id"].unique().sort().to_list() == sorted(means["run_id"][:5])
    assert "the 5 runs with the highest means, of 12, stand out" in spec["title"]["subtitle"]
