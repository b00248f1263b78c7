"""Charts: every experiment has one, which is always drawn in the same way, without network or browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import polars as pl
import pytest
from jsonschema import Draft7Validator, ValidationError

from inexmetrics import CollectionError, Experiment, Result, parse, run, sample
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.base import result_of
from inexmetrics.measures.base import Curved
from inexmetrics.report.charts import agreement
from inexmetrics.report.charts.agreement import LOOKS
from inexmetrics.report.charts.drawing import SHORT, VEGA_LITE, chart_of, drawn, specification, svg_of
from inexmetrics.terms.lexicon import lexicon
from tests.examples import EVERY, FEW, FIRST, answered, quietly, source_of
from tests.report.charts.pictures import picture


def test_every_experiment_has_a_chart_of_its_own() -> None:
    sorts = {entry.word: entry.sort for entry in lexicon.of(Experiment)}
    lacking = [word for word, sort in sorts.items() if issubclass(sort, Experiment) and result_of(sort).figure is Result.figure]
    assert len(sorts) >= 13
    assert lacking == [], "define figure() in the classes of their results"


@pytest.mark.parametrize("formula", FIRST[:4])
def test_pictures_are_the_same_every_time(formula: str) -> None:
    assert picture(formula) == drawn(answered(formula), ".svg")


@pytest.mark.parametrize("formula", EVERY)
def test_the_title_is_the_formula_and_a_specification_is_the_same_every_time(formula: str) -> None:
    spec = specification(answered(formula))
    assert spec == specification(answered(formula))
    title = spec["title"]
    assert isinstance(title, dict)
    assert " ".join(title["text"]) == formula


def axes_of_numbers(spec: object) -> Iterator[dict[str, Any]]:
    """Yields the horizontal and vertical channels of numbers that have an axis, in a chart's specification."""
    if isinstance(spec, dict):
        channels = (spec.get("x"), spec.get("y"))
        yield from (
            each for each in channels if isinstance(each, dict) and each.get("type") == "quantitative" and each.get("axis", {}) is not None
        )
        for name, part in spec.items():
            if name != "data":
                yield from axes_of_numbers(part)
    elif isinstance(spec, list):
        for part in spec:
            yield from axes_of_numbers(part)


@pytest.mark.parametrize("formula", EVERY)
def test_every_axis_of_numbers_has_a_title(formula: str) -> None:
    axes = list(axes_of_numbers(specification(answered(formula))))
    said = {axis["field"] for axis in axes if axis.get("title") or "labelExpr" in axis.get("axis", {})}  # or names in place of numbers
    told = 'state the titles of these axes in figure(), as in quantity("deviation", "standard deviation")'
    assert {axis["field"] for axis in axes} - said == set(), told


def test_the_outermost_labels_stand_under_their_ticks() -> None:
    config = specification(answered("fidelity(MAgP)"))["config"]
    assert isinstance(config, dict)
    assert config["axis"]["labelFlush"] is False  # else 0.00 is drawn against 0.05


def test_forms() -> None:
    pytest.importorskip("vl_convert")
    result = answered("scores(MAep + MAP ~ Gen5 + BinExh)")
    assert drawn(result, ".png").startswith(b"\x89PNG\r\n")
    page = drawn(result, ".html").decode()
    assert "<html" in page
    assert not re.search(r"<script[^>]+src=|<link[^>]+href=", page), "a page of its own loads nothing"


@pytest.mark.slow
def test_every_specification_keeps_the_schema() -> None:
    """Of specifications that differ in texts, numbers and the number of panels only, one is validated, of few runs, because rows are, too."""
    altair = pytest.importorskip("altair")
    specs = [specification(answered(formula, few=True), alone=True) for formula in EVERY]
    different = {form_of(spec): spec for spec in specs}
    assert len(different) > len(FIRST)
    schema = Draft7Validator(altair.load_schema())  # once: altair's own validation prepares the schema anew for each specification
    for spec in different.values():
        schema.validate(spec)
    with pytest.raises(ValidationError):
        schema.validate({**specs[0], "width": "wide"})


@pytest.mark.slow
def test_for_notebooks() -> None:
    """Altair makes an object of each part of a specification: the smallest of each arrangement of panels becomes a chart."""
    altair = pytest.importorskip("altair")
    smallest: dict[str, str] = {}
    sizes = {formula: len(str(specification(answered(formula, few=True), alone=True))) for formula in EVERY}
    for formula in sorted(EVERY, key=lambda formula: sizes[formula]):
        spec = specification(answered(formula, few=True), alone=True)
        smallest.setdefault(next(part for part in ("concat", "hconcat", "vconcat", "layer", "mark") if part in spec), formula)
    assert len(smallest) == 5
    for formula in smallest.values():
        result = answered(formula, few=True)
        chart = chart_of(result)
        assert isinstance(chart, altair.TopLevelMixin)
        assert chart.to_dict()["title"] == specification(result, alone=True)["title"]


def form_of(part: object) -> object:
    """Returns what a part of a specification has in common with others of its form: names, and the types of values."""
    match part:
        case dict():
            return frozenset(
                (name, value if name in ("type", "mark") and isinstance(value, str) else form_of(value)) for name, value in part.items()
            )
        case list():
            return frozenset(map(form_of, part))
        case _:
            return type(part)


def test_runs_stand_by_their_means() -> None:
    result = answered("significance(MAep ~ Gen5)")
    means = answered("scores(MAep + MAP ~ Gen5 + BinExh)").table.filter(pl.col("measure") == "MAep", pl.col("quantisation") == "Gen5")
    encoding = specification(result)["encoding"]
    assert isinstance(encoding, dict)
    assert encoding["y"]["sort"] == means["run_id"].to_list()
    assert encoding["x"]["sort"] == means["run_id"].to_list()


def test_runs_keep_their_place_in_all_matrices_and_better_and_worse_differ_in_shape() -> None:
    parts: Any = specification(answered("significance(MAep + nxCG@25 ~ Gen5)"))["concat"]
    first, second = (part["encoding"] for part in parts)
    assert first["y"]["sort"] == first["x"]["sort"] == second["y"]["sort"] == second["x"]["sort"]
    result = answered("significance(MAep + nxCG@25 ~ Gen5)")
    for part, (_, pairs) in zip(parts, result.table.group_by("measure", maintain_order=True), strict=True):
        cells = pl.DataFrame(part["data"]["values"])
        for verdict, row, column in (("better", "better", "worse"), ("worse", "worse", "better")):
            found = cells.filter(verdict=verdict).select("row", "column").sort("row", "column")
            assert found.rows() == pairs.filter("significant").select(row, column).sort(row, column).rows()
        _, signs, _ = part["layer"]
        assert signs["encoding"]["shape"] == {
            "condition": {"test": "datum.verdict === 'better'", "value": "triangle-up"},
            "value": "triangle-down",
        }


def test_pairs_of_which_two_conditions_do_not_say_the_same_are_outlined() -> None:
    result = answered("significance(MAep + nxCG@25 ~ Gen5)")
    first, second = (
        {*part.filter("significant").select("better", "worse").rows()} for _, part in result.table.group_by("measure", maintain_order=True)
    )
    pairs = {frozenset(pair) for pair in first ^ second}
    spec: Any = specification(result)
    for part in spec["concat"]:
        cells = [(cell["row"], cell["column"]) for cell in part["layer"][-1]["data"]["values"]]
        assert len(cells) == 2 * len(pairs)
        assert {frozenset(cell) for cell in cells} == pairs
    assert f"outlined: {len(pairs)} pairs on which the two conditions disagree" in spec["title"]["subtitle"]
    assert len(specification(answered("significance(MAep ~ Gen5)"))["layer"]) == 2  # type: ignore[arg-type]


def layers_of(spec: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """Returns the layers of a panel with this mark."""
    return [layer for layer in spec["layer"] if layer["mark"]["type"] == kind]


def drawn_from(layer: dict[str, Any]) -> tuple[str, str, str]:
    """Returns the columns at which a layer's lines begin and end, and the columns of their rows."""
    return layer["encoding"]["x"]["field"], layer["encoding"]["x2"]["field"], layer["encoding"]["y"]["field"]


def test_means_and_differences_have_their_intervals() -> None:
    for formula, run_id, value, rules in (
        ("scores(MAP)", "run_id", "mean", 1),
        ('versus("group03-a", MAep ~ Gen5)', "opponent", "difference", 2),
    ):
        result = answered(formula)
        spec = specification(result)
        panel = spec.get("hconcat", [spec])[-1]  # type: ignore[index]
        columns = [run_id, value, "low", "high"]
        assert pl.DataFrame(panel["data"]["values"])[:, columns].sort(run_id).equals(result.table[:, columns].sort(run_id))
        lines = layers_of(panel, "rule")
        assert len(lines) == rules, "an interval, and of differences the zero"
        assert drawn_from(lines[-1]) == ("low", "high", run_id)
        assert "95 % interval" in " ".join(spec["title"]["subtitle"])  # type: ignore[index]


def test_a_mean_over_one_topic_has_no_interval() -> None:
    pytest.importorskip("vl_convert")
    one = sample().only(topics=sample().topics[:1])
    for formula in ("scores(MAP)", 'versus("group03-a", MAP)'):
        result = parse(formula, Experiment).answer(one, RunOptions())
        assert result.table["low"].is_null().all()
        assert b"NaN" not in drawn(result, ".svg")


def test_agreements_over_resamples_have_their_intervals() -> None:
    result, parts = agreeing("agreement(MAep + nxCG@10 ~ Strict5 + Gen5, resamples=9)")
    columns = ["value", "low", "high"]
    for part, (_, rows) in zip(parts, result.tables["intervals"].group_by("measure", maintain_order=True), strict=True):
        _, ratios = part["vconcat"]
        shown = pl.DataFrame(ratios["data"]["values"])
        assert shown["statistic"].to_list() == ["precision", "recall", "F1"]
        assert shown[:, columns].equals(rows[:, columns])
        (line,) = layers_of(ratios, "rule")
        assert drawn_from(line) == ("low", "high", "statistic")
        assert line["encoding"]["y"]["scale"]["domain"] == ["precision", "recall", "F1"], "one without a number keeps its row"


def test_of_many_pairs_of_conditions_the_intervals_of_f1_are_written() -> None:
    result, parts = agreeing('agreement(MAep + nxCG@10 + nxCG@25 ~ Gen5 + BinExh, of="conditions", resamples=9)')
    f1 = result.tables["intervals"].filter(statistic="f1")
    columns = ["value", "low", "high"]
    assert pl.DataFrame(parts[0]["data"]["values"])[:, columns].equals(f1[:, columns])
    pytest.importorskip("vl_convert")
    picture = drawn(result, ".svg").decode()
    for low, high in f1.select("low", "high").iter_rows():
        assert f">{low:.2f} to {high:.2f}<" in picture


def agreeing(formula: str) -> tuple[Result, list[dict[str, Any]]]:
    """The result of an agreement, and the panels of its chart."""
    result = answered(formula)
    spec = specification(result)
    listed = spec.get("concat", [spec])
    assert isinstance(listed, list)
    return result, listed


def test_agreements_have_a_panel_for_each_pair_of_conditions() -> None:
    _, parts = agreeing("agreement(MAep + nxCG@10 ~ Strict5 + Gen5 + without_too_small(BinExh))")
    assert len(parts) == 2 * 3
    assert parts[0]["title"]["text"] == ["MAep: Strict5, Gen5", "Gen5 only: 166; neither: 269"]
    assert parts[3]["title"]["text"][0] == "nxCG@10: Strict5, Gen5"


def test_the_points_and_the_bars_of_an_agreement_are_its_pairs_of_runs() -> None:
    result, (panel,) = agreeing("agreement(Gen5, BinExh, measure=MAep)")
    named = pl.col("verdict").cast(pl.String).replace({"predictor": "Gen5 only", "truth": "BinExh only"})
    rows = result.tables["differences"].with_columns(named)
    above, (points, beside) = panel["vconcat"][0], panel["vconcat"][1]["hconcat"]
    drawn_pairs = pl.DataFrame(points["data"]["values"])
    columns = ["better", "worse", "difference_predictor", "difference_truth", "verdict"]
    assert drawn_pairs[:, columns].sort(columns).equals(rows[:, columns].sort(columns))
    assert drawn_pairs["verdict"][-1] != "neither", "what disagrees is drawn above the others"
    for bars, column in ((above, "difference_predictor"), (beside, "difference_truth")):
        shown = pl.DataFrame(bars["data"]["values"])
        assert shown["pairs"].sum() == rows.height
        for bar in shown.iter_rows(named=True):
            inside = rows.filter((pl.col(column) >= bar["lower"]) & (pl.col(column) < bar["upper"]), pl.col("verdict") == bar["verdict"])
            assert inside.height == bar["pairs"]


def test_one_pair_of_conditions_is_named_in_the_legend_and_several_by_their_roles() -> None:
    result, (panel,) = agreeing("agreement(Gen5, BinExh, measure=MAep)")
    legend = ["both", "Gen5 only", "BinExh only", "neither"]
    assert panel["vconcat"][0]["encoding"]["color"]["scale"]["domain"] == legend
    counts = dict(result.tables["differences"]["verdict"].value_counts().iter_rows())
    numbers = [counts[verdict] for verdict in ("both", "predictor", "truth", "neither")]
    said = "; ".join(f"{name}: {number}" for name, number in zip(legend, numbers, strict=True))
    assert f"pairs of runs significant under {said}" in result.figure()[0]
    _, parts = agreeing("agreement(MAep ~ Strict5 + Gen5 + BinExh)")
    assert {"predictor only", "truth only"} <= {*parts[0]["vconcat"][0]["encoding"]["color"]["scale"]["domain"]}


def test_the_largest_differences_on_which_conditions_disagree_are_drawn() -> None:
    result, (panel,) = agreeing("agreement(Gen5, BinExh, measure=MAep)")
    rows = result.tables["differences"].filter(~pl.col("verdict").is_in(["both", "neither"]))
    across, along, _ = panel["vconcat"][1]["hconcat"][0]["layer"]
    for rule, column in ((across, "difference_predictor"), (along, "difference_truth")):
        assert rule["data"]["values"] == [{column: max(rows[column], key=abs)}]
    assert "dashed: the largest differences on which the two disagree" in specification(result)["title"]["subtitle"]  # type: ignore[index]


def test_conditions_that_agree_on_every_pair_have_no_such_line() -> None:
    result, _ = agreeing("agreement(Gen5, BinExh, measure=MAep)")
    agreed = result.tables["differences"].filter(pl.col("verdict").is_in(["both", "neither"]))
    said, drawn_panels = agreement.agreement_figure({**result.tables, "differences": agreed}, 0.05, 0.95)
    panel: Any = drawn_panels.views[0]
    assert len(panel["vconcat"][1]["hconcat"][0]["layer"]) == 1
    assert not [line for line in said if line.startswith("dashed")]


def test_verdicts_differ_in_shade_and_in_shape() -> None:
    shades = [
        sum(weight * int(colour[place : place + 2], 16) for weight, place in ((0.299, 1), (0.587, 3), (0.114, 5)))
        for colour, _ in LOOKS.values()
    ]
    assert min(abs(first - second) for first, second in combinations(shades, 2)) > 19
    assert len({shape for _, shape in LOOKS.values()}) == len(LOOKS)


def test_of_many_pairs_of_conditions_f1_is_drawn() -> None:
    result, parts = agreeing('agreement(MAep + nxCG@10 + nxCG@25 ~ Gen5 + BinExh, of="conditions")')
    assert result.table.height == 15
    values = [cell["value"] for cell in parts[0]["data"]["values"]]
    assert values == result.table["f1"].to_list()


def test_of_very_many_pairs_of_runs_some_have_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreement, "POINTS", 100)
    result, (panel,) = agreeing("agreement(Gen5, BinExh, measure=MAep)")
    assert len(panel["vconcat"][1]["hconcat"][0]["data"]["values"]) == 87
    assert sum(bar["pairs"] for bar in panel["vconcat"][0]["data"]["values"]) == 435
    assert "points for every 5th of 435 pairs; bars count all" in specification(result)["title"]["subtitle"]  # type: ignore[index]


def test_the_best_rankings_of_simulated_runs_have_their_curves() -> None:
    spec = specification(answered("fidelity(iGP)"))
    assert isinstance(spec["concat"], list)
    lattice, curves = spec["concat"]
    assert curves["title"]["text"] == ["iGP: curves", "runs in ranking R"]
    assert "layer" in lattice
    expected = answered("fidelity(iGP)").tables["curves"].filter(ranking="R").select("parts", "level", "value")
    assert pl.DataFrame(curves["data"]["values"]).equals(expected)


def test_panels_of_fidelity_count_ties_apart_from_pairs_in_the_expected_order() -> None:
    result = answered("fidelity(MAP + MAgP)")
    spec: Any = specification(result)
    titles = [panel["title"]["text"] for panel in spec["concat"]]
    assert titles == [["MAP", "10 in order, 26 tied, 0 reversed of 36"], ["MAgP", "30 in order, 2 tied, 4 reversed of 36"]]
    assert "each measure puts 10 to 30 of the 36 pairs of simulated runs in the expected order, and reverses 0 to 4" in result.finding
    (lines,) = [layer for layer in spec["concat"][0]["layer"] if layer["mark"]["type"] == "rule"]
    tied = [row for row in lines["data"]["values"] if abs(row["difference"]) <= 1e-12]
    assert len(tied) == 26


def test_curves_that_are_1_at_every_level_are_not_drawn() -> None:
    spec: Any = specification(answered("fidelity(MAP + iGP)"))
    assert [panel["title"]["text"][0] for panel in spec["concat"]] == ["MAP", "iGP", "iGP: curves"]
    assert "MAP: every curve is 1 at every level, and is not drawn" in spec["title"]["subtitle"]


def test_few_curves_are_all_named_and_of_many_the_best() -> None:
    many = answered("curve(MAep ~ Gen5)")
    few = run("curve(MAep ~ Gen5)", sample().only(runs=["group01-a", "group02-a"]))
    for result, layers, named in ((many, 2, 5), (few, 1, 2)):
        drawn_layers = specification(result)["layer"]
        assert isinstance(drawn_layers, list)
        assert len(drawn_layers) == layers
        assert len(drawn_layers[-1]["encoding"]["color"]["sort"]) == named


def test_curves_have_the_words_of_their_measures() -> None:
    result = answered("curve(MAep + inex_eval ~ Gen5)")
    words = [[part["layer"][-1]["encoding"][channel]["title"] for channel in ("x", "y")] for part in result.figure()[1].views]  # type: ignore[index]
    assert words == [["gain-recall", "effort-precision"], ["recall", "precall"]]
    _, curves = answered("fidelity(iGP)").figure()[1].views
    encoding: Any = curves["encoding"]
    assert (encoding["x"]["title"], encoding["y"]["title"]) == ("generalised recall", "interpolated generalised precision")


def test_every_curve_names_its_axes() -> None:
    sorts = [entry.sort for entry in lexicon.of(Curved)]
    assert len(sorts) >= 6
    assert all(sort.axes.level and sort.axes.value for sort in sorts if issubclass(sort, Curved))


@pytest.mark.parametrize("runs", [["group01-a", "group01-b"], ["group06-a", "group06-b", "group09-a"]], ids=["two topics", "alike"])
@pytest.mark.parametrize("formula", [*EVERY, 'assessors(P@1, sets=50, baseline="third", top=2)'])
def test_no_picture_of_few_or_equal_scores_has_numbers_that_are_none(formula: str, runs: list[str]) -> None:
    pytest.importorskip("vl_convert")
    whole = source_of(formula)
    source = whole.only(runs) if "within=" in formula else whole.only(runs, whole.topics[: len(runs)])
    try:
        picture = drawn(quietly(formula, source), ".svg", title=False)  # to measure its title takes most of the time of a small chart
    except CollectionError:  # a named run or topics are missing, or there is nothing to draw
        return
    assert b"NaN" not in picture


@pytest.mark.parametrize("name", ["@" * SHORT, "W" * 40, "\u01c4" * SHORT])
@pytest.mark.parametrize("formula", ["ranks(MAP)", "curve(MAep ~ Gen5)"])
def test_labels_are_cut_where_the_library_cuts_them(formula: str, name: str) -> None:
    """Limits of labels that cut nothing are not passed on, because they take time."""
    vl_convert = pytest.importorskip("vl_convert")
    result = answered(formula, few=True)
    texts = {column for frame in result.tables.values() for column in frame.columns if column in ("run_id", "better", "worse", "parts")}
    named = {
        table: frame.with_columns(pl.col(column).cast(pl.String).replace({FEW[0]: name, "N": name}) for column in texts & {*frame.columns})
        for table, frame in result.tables.items()
    }
    spec = specification(type(result)(result.experiment, named, result.origin, None, ()))
    assert svg_of(spec) == vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE)


def test_nothing_to_draw() -> None:
    result = answered("significance(MAep ~ Gen5)")
    empty = type(result)(result.experiment, {name: rows.clear() for name, rows in result.tables.items()}, result.origin, None, ())
    with pytest.raises(CollectionError, match=re.escape("there is nothing to draw: significance(MAep ~ Gen5) has no rows")):
        specification(empty)
