"""Tables, text, charts and findings have the same intervals, which are clipped to the possible range of scores."""

from __future__ import annotations

import json
import warnings
from functools import cache
from typing import cast

import polars as pl
import pytest

from inexmetrics import Collection, CollectionWarning, Experiment, Result, Scores, measure, run, sample, scores_from
from inexmetrics.experiments.base import result_of
from inexmetrics.experiments.shown_intervals import shown_intervals
from inexmetrics.experiments.tables import tables_of
from inexmetrics.terms.lexicon import lexicon


@cache
def few(topics: int) -> Collection:
    return sample().only(topics=sample().topics[:topics], runs=["group01-a", "group01-b", "group01-c"])


def scored(rows: dict[str, list[float]], name: str = "MAP") -> Scores:
    """Scores of runs by topic."""
    return scores_from(
        pl.DataFrame(
            [(run_id, f"t{topic}", name, score) for run_id, values in rows.items() for topic, score in enumerate(values)],
            schema=["run_id", "topic_id", "measure", "score"],
            orient="row",
        )
    )


def text(result: Result) -> str:
    return " ".join(result.to_text(width=200).split())


@pytest.mark.parametrize("formula", ["scores(MAP)", "ranks(MAP)", "significance(MAP)", 'versus("group01-a", MAP)'])
def test_two_topics_show_no_interval(formula: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        result = run(formula, few(2))
    said = "2 topics: no interval" if formula == "scores(MAP)" else "no interval with fewer than 3 topics"
    assert said in text(result)
    assert "±" not in text(result)
    assert "interval " not in result.finding
    assert result.table["low"].null_count() == 0, "the table keeps the exact ends"
    assert json.loads(result.to_json())["tables"][next(iter(result.tables))][0]["low"] is not None


@pytest.mark.parametrize(
    ("formula", "table"), [("ranks(MAP)", "ranks"), ("significance(MAP)", "pairs"), ('versus("group01-a", MAP | Holm)', "versus")]
)
def test_every_printed_form_has_the_intervals_of_the_text(formula: str, table: str) -> None:
    for topics in (2, 3):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CollectionWarning)
            result = run(formula, few(topics))
        low = result.tables[table]["low"][0]
        digits = f"{abs(low):.4f}"
        chosen = result.where("TRUE", table)
        forms = {
            "text": result.to_text(table, width=200),
            "markdown": result.to_markdown(table),
            "latex": result.to_latex(table),
            "text of rows": chosen.to_text(width=200),
            "markdown of rows": chosen.to_markdown(),
            "latex of rows": chosen.to_latex(),
        }
        assert {name for name, shown in forms.items() if digits in shown} == (set(forms) if topics == 3 else set()), formula
        reasons = {name for name, shown in forms.items() if "o interval with fewer than 3 topics" in " ".join(shown.split())}
        assert reasons == (set(forms) if topics == 2 else set())
        assert low in [row["low"] for row in json.loads(result.to_json())["tables"][table]]


def test_ends_are_cut_at_the_range_of_the_measure() -> None:
    board = scored({"a": [0.2, 0.4, 0.5], "b": [0.0, 0.0, 0.1]}, "P@10")
    result = run("scores(P@10)", board)
    assert result.table["low"].to_list() == [0.0, 0.0]
    assert result.table["high"].to_list() == pytest.approx([0.746, 0.1768], abs=1e-3)
    assert "mean [95 % interval]; topics: 3" in text(result)
    assert "a 0.3667 [0.0000, 0.7461]" in text(result)
    ranked = run("ranks(P@10)", board)
    assert "0.3667 [0.0000, 0.7461]" in text(ranked)
    one = run("scores(P@10)", scored({"a": [0.2, 0.4, 0.5]}, "P@10"))
    assert one.finding == "The mean P@10 of a over 3 topics is 0.367 (95 % interval 0 to 0.746)."
    assert "'low': -" not in str(result.figure())


@pytest.mark.parametrize("form", ["to_text", "to_markdown", "to_latex"])
def test_all_forms_have_the_same_ends(form: str) -> None:
    result = run("ranks(P@10)", scored({"a": [0.2, 0.4, 0.5], "b": [0.0, 0.0, 0.1]}, "P@10"))
    shown = getattr(result, form)()
    assert "-0.0" not in shown.replace("$-$", "-")
    assert "0.0000" in shown
    assert [row["low"] for row in json.loads(result.to_json())["tables"]["ranks"]] == [0.0, 0.0]


def test_differences_lie_between_minus_1_and_1() -> None:
    result = run("significance(MAP)", scored({"a": [1.0, 1.0, 0.2], "b": [0.0, 0.2, 0.1]}))
    assert result.table["high"][0] == 1.0
    assert result.table["low"][0] == pytest.approx(0.6333 - 4.3027 * 0.4726 / 3**0.5, abs=1e-3)
    assert ", 1.0000]" in text(result)


def test_a_scale_of_another_size_is_not_cut() -> None:
    """The file has MAP in per cent, and a measure with an unknown range."""
    for name in ("MAP", "points"):
        result = run(
            f"scores({'MAP' if name == 'MAP' else 'given(' + chr(34) + name + chr(34) + ')'})", scored({"a": [20.0, 90.0, 99.0]}, name)
        )
        mean, low, high = result.table.select("mean", "low", "high").row(0)
        assert high > 100
        assert f"{mean:.4f} ± {mean - low:.4f}" in text(result)
    known = run('scores(given("rate"))', scored({"a": [1.0, 1.0, 0.0]}, "rate"))
    assert "±" in text(known)


def test_equal_scores_are_no_certainty() -> None:
    result = run("scores(MAP)", scored({"a": [1.0] * 9, "b": [0.4, 0.5, 0.6] * 3}))
    assert result.table.filter(run_id="a").select("low", "high").row(0) == (1.0, 1.0)
    assert "no interval if all scores are equal" in text(result)
    assert "a 1.0000 b 0.5000 ± 0.0" in text(result)
    assert result.finding == "Of 2 runs, a has the highest mean MAP, 1.000; the lowest is 0.500."


CONSTANT = {"a": [0.5, 0.6, 0.7, 0.3], "b": [0.4, 0.5, 0.6, 0.2], "c": [0.1, 0.4, 0.2, 0.9]}
"""Run a is ahead of b by the same on every topic."""


@pytest.mark.parametrize("rows", [CONSTANT, {name: CONSTANT[name] for name in "ab"}], ids=["some", "all"])
@pytest.mark.parametrize("asked", ["significance(MAP | t | Holm)", 'versus("a", MAP | t | Holm)', 'versus("a", MAP | t | BH)'])
@pytest.mark.filterwarnings("ignore:.* the same on all 4 topics")
def test_differences_that_do_not_vary_have_no_interval(rows: dict[str, list[float]], asked: str) -> None:
    result = run(asked, scored(rows))
    name = "pairs" if asked.startswith("significance") else "versus"
    shown = result.to_text(name, width=200)
    row = result.tables[name].row(0, named=True)
    assert row["low"] == row["high"] == row["difference"] == pytest.approx(0.1)
    assert "0.1000, 0.1000" not in shown
    assert "no interval if all differences are equal" in shown
    assert "interval" not in result.finding
    assert "[0.1" not in result.to_text(width=200)
    assert "p_adjusted" in shown
    assert "not corrected" not in shown


@pytest.mark.filterwarnings("ignore:.* the same on all 4 topics")
def test_p_values_are_called_not_corrected_if_nothing_corrects_them() -> None:
    for asked, said in (
        ('versus("a", MAP | t | Holm)', None),
        ('versus("a", MAP)', "p_value: not corrected"),
        ("significance(MAP | tukey(b=99))", "p_value: corrected by the test"),
    ):
        result = run(asked, scored(CONSTANT))
        name = "pairs" if asked.startswith("significance") else "versus"
        for table in (result.tables[name],):
            assert table["p_value"].equals(table["p_adjusted"])
        shown, page = result.to_text(name, width=200), result.to_latex(name)
        assert ("p_adjusted" in shown) == (said is None)
        assert said is None or said in shown
        assert ("djusted" in page.partition("tabular")[2].partition("end{tabular")[0]) == (said is None)


def test_every_result_with_adjusted_p_values_says_when_they_equal_the_p_values() -> None:
    for entry in lexicon.of(Experiment):
        result = result_of(cast("type[Experiment]", entry.sort))
        both = [name for name, table in tables_of(result).items() if {"p_value", "p_adjusted"} <= set(table.columns())]
        assert ("same_p" in vars(result)) == bool(both), (entry.word, both)


def test_the_chart_says_that_there_is_no_interval() -> None:
    (dots, _), _ = run("scores(MAP)", few(2)).figure()
    assert dots == "dot: mean over topics; no interval"
    (dots, _), _ = run("scores(MAP)", scored({"a": [1.0] * 9, "b": [0.4, 0.5, 0.6] * 3})).figure()
    assert dots == "dot and line: mean over topics, and its 95 % interval; no line: no interval"


def test_topics_are_counted_by_condition() -> None:
    pairs = pl.DataFrame({"measure": ["MAP", "RR"], "quantisation": "1", "difference": 0.1, "low": -0.2, "high": 0.4})
    summary = pl.DataFrame({"measure": ["MAP", "RR"], "quantisation": "1", "topics": [2, 9]})
    shown = shown_intervals({"pairs": pairs, "summary": summary}, 9)
    assert shown["pairs"].columns == pairs.columns
    assert shown["pairs"].select("low", "high").rows() == [(None, None), (-0.2, 0.4)]


def test_custom_measures_have_no_known_range() -> None:
    @measure
    def gained(gains: object, ideal: object) -> float:
        return 3.0

    assert gained.bounds is None
