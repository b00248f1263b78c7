"""Notes and labels of charts: warnings, corrections, omitted rows, and what the marks mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest

from inexmetrics import Result, Scores, sample, scores_from
from inexmetrics.report.charts.drawing import notes_of, specification
from tests.examples import answered, quietly


def board(means: Sequence[float], topics: int = 20, noise: float = 0.05) -> Scores:
    """Scores of systems s1, s2, …, with the given means."""
    drawn = np.random.default_rng(3).normal(0.0, noise, (topics, len(means))) + np.asarray(means)
    columns = {f"s{place}": np.round(drawn[:, place - 1], 3) for place in range(1, len(means) + 1)}
    return scores_from(pl.DataFrame({"topic": [f"q{topic}" for topic in range(topics)], **columns}), topics="topic")


def noise(first: int, second: int) -> float:
    """A number from 0 to .1 that looks random."""
    return round(float(np.sin(37 * first + 101 * second) * 1e4) % 0.1, 4)


def subtitle(result: Result) -> str:
    title: Any = specification(result, alone=True)["title"]
    return " ".join(title["subtitle"])


def test_the_largest_difference_is_drawn_at_its_sign_inside_the_plot() -> None:
    rows = [
        {"system": f"s{run}", "topic": f"q{topic}", "rise": run / 8 + noise(run, topic), "fall": 1 - run / 8 - noise(topic, run)}
        for run in range(1, 6)
        for topic in range(12)
    ]
    data = scores_from(pl.DataFrame(rows), runs="system", topics="topic", measures=("rise", "fall"))
    result = quietly('agreement(given("rise") + given("fall"))', data)
    panel: Any = specification(result)
    across, along, _ = panel["vconcat"][1]["hconcat"][0]["layer"]
    for rule, channel in ((across, "x"), (along, "y")):
        ((column, at),) = rule["data"]["values"][0].items()
        low, high = rule["encoding"][channel]["scale"]["domain"]
        assert low <= at <= high, column
    assert "pairs of runs significant under both, in opposite directions: 10" in notes_of(result)


def test_the_first_warning_of_a_chart_keeps_its_end() -> None:
    constant = pl.DataFrame(
        {"topic": list("abcd"), "ant": [0.5, 0.25, 0.7, 0.3], "bee": [0.6, 0.35, 0.8, 0.4], "cat": [0.3, 0.05, 0.5, 0.1]}
    )
    result = quietly('significance(given("score"))', scores_from(constant, topics="topic"))
    assert len(result.warnings[0]) > 150
    assert result.warnings[0] in subtitle(result)
    text = f"runs vary little ({', '.join(f'run{place}' for place in range(200))}); with t(floor=0.5), 7 of 19 remain significant"
    long = type(result)(result.experiment, result.tables, result.origin, None, (text,))
    assert re.search(r"warning: runs vary little .* … run\d.* with t\(floor=0.5\), 7 of 19 remain significant$", subtitle(long))
    assert len(subtitle(long)) < 800


@pytest.mark.parametrize(("correction", "said"), [("unadjusted", "not corrected"), ("Holm", "corrected by Holm")])
def test_a_chart_of_opponents_says_how_they_are_corrected_and_the_level_of_intervals(correction: str, said: str) -> None:
    result = quietly(f'versus("s2", given("score") | t | {correction}, interval=0.9)', board([0.2, 0.3, 0.5]))
    assert f"line: its 90 % interval; filled: significant, {said}" in subtitle(result)


@pytest.mark.parametrize("formula", ['scores(given("score"), interval=0.99)', 'versus("s1", given("score"), interval=0.99)'])
def test_charts_state_the_level_of_their_intervals(formula: str) -> None:
    assert "its 99 % interval" in subtitle(quietly(formula, board([0.2, 0.3, 0.5])))


def test_a_page_omits_rows_in_the_middle_and_counts_their_kinds() -> None:
    pytest.importorskip("vl_convert")
    count = 72
    result = quietly('versus("s36", given("score") | t | Holm)', board([place / count for place in range(count)], noise=0.01))
    spec: Any = specification(result, width="page")
    grid = spec["hconcat"][0]["encoding"]["y"]["sort"]
    assert (grid[0], grid[-1]) == ("s72", "s1")
    (said,) = [line for line in spec["title"]["subtitle"] if "height of a page" in line]
    found = re.fullmatch(r"(\d+) of 71 rows, without (\d+) in the middle \((.*)\), for the height of a page", said)
    assert found is not None, said
    assert int(found[1]) == len(grid) == 71 - int(found[2])
    omitted = {row["opponent"]: row["significant"] for row in result.table.iter_rows(named=True) if row["opponent"] not in grid}
    kinds = {"significant": sum(omitted.values()), "not significant": len(omitted) - sum(omitted.values())}
    assert {kind: int(number) for number, kind in (part.split(" ", 1) for part in found[3].split(", "))} == {
        kind: number for kind, number in kinds.items() if number
    }


def test_ranks_without_all_names_say_so_at_the_width_of_a_column() -> None:
    pytest.importorskip("vl_convert")
    result = quietly('ranks(given("score"))', board([place / 70 for place in range(60)]))
    title: Any = specification(result, width="column")["title"]
    assert title["text"] == ["not all runs are named"]


@pytest.mark.parametrize(("runs", "expected"), [(2, "width + 8"), (3, "width + 8"), (7, "width / 2")])
def test_the_text_of_a_matrix_without_verdicts_does_not_cover_small_matrices(runs: int, expected: str) -> None:
    spec: Any = specification(quietly('significance(given("score"))', board([0.5] * runs)))
    (text,) = [layer for layer in spec["layer"] if layer["mark"]["type"] == "text"]
    assert text["encoding"]["x"]["value"]["expr"] == expected


def test_correlations_say_which_signs_are_turned() -> None:
    rows = [
        {"system": f"s{run}", "topic": f"q{topic}", "gain": run / 5 + noise(run, topic), "loss": 3 - run / 2 + noise(topic, run)}
        for run in range(4)
        for topic in range(6)
    ]
    data = scores_from(pl.DataFrame(rows), runs="system", topics="topic", measures=("gain", "loss"))
    turned = "lower is better: loss; the coefficients are those of negated scores"
    assert turned in notes_of(quietly('correlation(given("gain") + given("loss", better="lower"))', data))
    assert not any("negated" in note for note in notes_of(quietly('correlation(given("gain") + given("loss", better="higher"))', data)))


def test_a_panel_of_favours_has_its_own_notes() -> None:
    formula = 'judges(MAP ~ assessor("second") + assessor("third"), truth=assessor("first"))'
    title: Any = specification(answered(formula), panel="favoured third")["title"]
    below = " ".join(title["subtitle"])
    assert "95 % interval of a favour" in below
    assert "bars:" not in below
    shown: Any = specification(answered(formula), panel="MAP")["title"]
    assert "bars:" in " ".join(shown["subtitle"])
    assert "favour;" not in " ".join(shown["subtitle"])


@pytest.mark.parametrize(
    ("opposite", "overstated", "name"), [(0, 3, "overstated"), (2, 0, "opposite"), (2, 3, "against"), (0, 0, "against")]
)
def test_a_bar_is_named_after_the_one_kind_of_conclusions_that_it_has(opposite: int, overstated: int, name: str) -> None:
    result = answered('judges(MAP ~ assessor("second"), truth=assessor("first"))')
    rows = result.table.with_columns(
        n_opposite=pl.lit(opposite, result.table.schema["n_opposite"]), n_overstated=pl.lit(overstated, result.table.schema["n_overstated"])
    )
    changed = type(result)(result.experiment, {**result.tables, "judges": rows}, result.origin, None, ())
    domain = re.search(r"'domain': \['found', 'missed', 'open', '(\w+)'\]", str(specification(changed)))
    assert domain is not None
    assert domain[1] == name
    assert ("speaks against" in " ".join(notes_of(changed))) == (name == "against")


def test_equal_reliabilities_have_labels_beside_each_other() -> None:
    alike = scores_from(pl.DataFrame({"topic": ["q1", "q2", "q3"], "ant": [0.5] * 3, "bee": [0.75] * 3}), topics="topic")
    spec: Any = specification(quietly('reliability(given("score"))', alike))
    low, high = spec["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert low < high
    labels = [row["value"] for row in spec["layer"][-1]["data"]["values"]]
    assert len({*labels}) == len(labels) == 2


def test_the_assessors_chart_counts_what_it_names_and_draws() -> None:
    result = quietly("assessors(MAP, sets=2000)", sample())
    notes, panels = result.figure()
    many = int((result.tables["leaders"]["switch_probability"] > 0.05).sum())
    assert many > 10
    assert any(note.startswith(f"named: 10 of the {many} pairs of the best runs") for note in notes)
    (bars,) = [part for part in panels.parts if part.name == "buckets"]
    first = int((result.tables["buckets"]["switch_probability"] > 0).arg_min() or 0) + 1
    rows: Any = bars.view
    drawn = len(rows["data"]["values"])
    assert bars.lines == [f"all pairs, in buckets of .01, and the line through the first {first}, of which {drawn} are drawn"]
