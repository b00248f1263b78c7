"""Charts of degradation: the contents of their panels."""

from __future__ import annotations

from typing import Any

import polars as pl

from inexmetrics import iMAep
from inexmetrics.report.charts.parts import CATEGORIES, MOVES, Figure, Spec
from inexmetrics.report.charts.simulated import degradation_figure

AXES = {"iMAep": iMAep.axes}
ROWS = [
    (0.0, "iMAep", "Gen5", None, 1.0),
    (0.5, "iMAep", "Gen5", None, 0.4),
    (0.0, "P@5", "Gen5", None, 1.0),
    (0.5, "P@5", "Gen5", None, None),
    (0.0, "iMAep", "Gen5", 0.5, 1.0),
    (0.5, "iMAep", "Gen5", 0.5, 0.3),
]


def table(rows: list[tuple[float, str, str, float | None, float | None]]) -> dict[str, pl.DataFrame]:
    names = {"move": pl.Float64, "measure": pl.String, "quantisation": pl.String, "level": pl.Float64, "value": pl.Float64}
    return {"degradation": pl.DataFrame(rows, schema=names, orient="row")}


def values(spec: Spec) -> list[dict[str, object]]:
    held = spec["data"]
    assert isinstance(held, dict)
    return list(held["values"])


def colour_of(view: Spec) -> Spec:
    encoding = view["encoding"]
    assert isinstance(encoding, dict)
    colour: Spec = encoding["color"]
    return colour


def title_of(view: Spec, channel: str) -> object:
    encoding = view["encoding"]
    assert isinstance(encoding, dict)
    return encoding[channel]["title"]


def test_measures_by_move_and_a_panel_for_each_curve() -> None:
    told, spec = degradation_figure(table(ROWS), AXES)
    assert told == [
        "mean over topics, of ideal runs whose elements were moved up or down their trees",
        "one curve for each probability that an element moves; some curves are labelled with it",
    ]
    assert spec.names == ["measures", "iMAep ~ Gen5"]
    falls, curve = spec.views
    assert values(falls) == [
        {"move": 0.0, "value": 1.0, "condition": "iMAep ~ Gen5"},
        {"move": 0.5, "value": 0.4, "condition": "iMAep ~ Gen5"},
        {"move": 0.0, "value": 1.0, "condition": "P@5 ~ Gen5"},
    ]
    assert colour_of(falls)["scale"] == {"domain": ["iMAep ~ Gen5", "P@5 ~ Gen5"], "range": list(CATEGORIES[:2])}
    assert values(curve) == [{"move": 0.0, "level": 0.5, "value": 1.0}, {"move": 0.5, "level": 0.5, "value": 0.3}]
    shown: Any = curve
    line, halo, text = shown["layer"]
    assert [title_of(line, channel) for channel in ("x", "y")] == ["gain-recall", "effort-precision"]
    assert (colour_of(line)["legend"], halo["data"]) == (None, text["data"])
    assert text["data"]["values"] == values(curve), "both probabilities are written where the curves are farthest apart"
    assert colour_of(line)["scale"] == {"domain": [0.0, 0.5], "range": [MOVES[0], MOVES[-1]]}


def test_measures_without_a_curve_have_one_panel() -> None:
    told, spec = degradation_figure(table(ROWS[2:4]), AXES)
    assert len(told) == 1
    (view,) = spec.views
    assert values(view) == [{"move": 0.0, "value": 1.0, "condition": "P@5 ~ Gen5"}]


def test_the_legend_of_the_measures_stands_below_in_columns_that_fit() -> None:
    def columns(measures: int, name: str) -> object:
        rows: list[tuple[float, str, str, float | None, float | None]] = [
            (move, f"{name}{number}", "Gen5", None, 1.0) for number in range(measures) for move in (0.0, 0.5)
        ]
        panel: Any = specification_of(degradation_figure(table(rows), AXES))
        legend = panel["encoding"]["color"]["legend"]
        assert legend["orient"] == "bottom"
        return legend["columns"]

    assert columns(4, "M") == 3
    assert columns(4, "MAEPRUM(navigation=hierarchy)") == 1


def specification_of(figure: Figure) -> object:
    return figure[1].views[0]


def test_some_of_many_curves_have_their_probability_written_on_them() -> None:
    moves = [move / 10 for move in range(10)]
    rows = [(move, "iMAep", "Gen5", level, 1 - move * level * (1 - level)) for move in moves for level in (0.0, 0.25, 0.5, 1.0)]
    panel: Any = degradation_figure(table([(0.0, "iMAep", "Gen5", None, 1.0), *rows]), AXES)[1].views[1]
    written = panel["layer"][-1]["data"]["values"]
    assert [(row["move"], row["level"]) for row in written] == [(0.0, 0.5), (0.3, 0.5), (0.6, 0.5), (0.9, 0.5)]


def test_one_measure_has_no_legend_and_names_the_axis() -> None:
    (view,) = degradation_figure(table(ROWS[2:4]), AXES)[1].views
    assert colour_of(view)["legend"] is None
    assert title_of(view, "y") == "mean P@5 ~ Gen5"
