"""The page of promises: that its machinery measures, counts and writes; its figures are those of the last measurement."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.known_boards import DESIGNS
from benchmarks.promises import FIGURES, main, measured
from benchmarks.promises_page import page, wilson

BY_NAME = {design.name: design for design in DESIGNS}


def test_a_small_measurement_becomes_a_page(tmp_path: Path) -> None:
    figures, written = tmp_path / "promises.json", tmp_path / "promises.md"
    chosen = ["normal, 15 topics", "clusters", "unequal skewness"]
    assert main(["--boards", "4", "--only", *chosen], figures, written) == 0
    kept = {each["design"]: each for each in json.loads(figures.read_text("utf-8"))}
    assert list(kept) == chosen
    for each in kept.values():
        assert {claims["boards"] for claims in each["claims"] if claims["rule"] != "tukey"} == {4}
        assert all(claims["silent"] <= min(claims["false"], 4 - claims["warned"]) for claims in each["claims"])
    skewed = {claims["rule"]: claims for claims in kept["unequal skewness"]["claims"]}
    assert skewed["t | unadjusted"]["false"] == 4
    assert skewed["stepdown"]["warned"] >= 3
    assert {claims["rule"] for claims in kept["clusters"]["claims"]} > {'t(clusters="c") | BY', 'stepdown(clusters="c")'}
    text = written.read_text("utf-8")
    assert "| normal, 15 topics | clusters | unequal skewness |" in text
    assert main(["--check"], figures, written) == 0
    written.write_text(text + "changed", "utf-8")
    assert main(["--check"], figures, written) == 1
    assert main(["--resume", "--boards", "4", "--write"], figures, written) == 0
    assert written.read_text("utf-8") == text


def test_boards_are_what_their_designs_say() -> None:
    for design in DESIGNS:
        if not design.there:
            continue
        first, second = design.boards(2)
        assert first.scores.shape == second.scores.shape
        assert not np.array_equal(first.scores, second.scores)
        assert len(first.true) == len(first.scores)
        assert np.array_equal(next(design.boards(1)).scores, first.scores)


def test_a_false_claim_is_between_equal_runs_or_in_the_wrong_direction() -> None:
    found = measured(BY_NAME["half of the runs differ"], 3)
    claims = {each["rule"]: each for each in found["claims"]}  # type: ignore[attr-defined]
    assert claims["t | unadjusted"]["false"] >= 1
    assert 0 < claims["t | unadjusted"]["false_share"] < 0.5
    assert claims["t | Holm"]["false"] == claims["t | Holm"]["false_share"] == 0


def test_wilsons_interval() -> None:
    # python -c "from scipy.stats import binomtest; print(binomtest(7, 200).proportion_ci(0.95, method='wilson'))"
    assert wilson(7, 200) == pytest.approx((0.0170555420085672, 0.07047061152229074), rel=1e-12)
    assert wilson(0, 20)[0] == 0.0
    assert wilson(20, 20)[1] == pytest.approx(1.0)


def test_the_page_is_what_the_figures_make() -> None:
    assert main(["--check"]) == 0
    kept = {each["design"]: each for each in json.loads(FIGURES.read_text("utf-8"))}
    assert set(kept) == set(BY_NAME)
    assert min(each["boards"] for each in kept.values()) >= 200
    assert page(DESIGNS, kept).count("| normal, 50 topics |") > 3


def test_the_defaults_keep_their_promise_where_differences_are_symmetric() -> None:
    kept = {each["design"]: each for each in json.loads(FIGURES.read_text("utf-8"))}
    for design in DESIGNS:
        claims = {each["rule"]: each for each in kept[design.name]["claims"]}
        word = 't(clusters="c")' if 't(clusters="c") | BY' in claims else "t"
        rules = [f"{word} | Holm", f"step{word.replace('t', 'down', 1)}"]
        rules += [f"{word} | BY"] if claims[f"{word} | BY"]["false_share"] is None else []
        rules += ["versus, t | Holm"] if word == "t" else []
        for rule in rules if design.symmetric else ["stepdown"]:
            assert claims[rule]["silent"] <= 0.075 * claims[rule]["boards"], (design.name, rule)
        assert claims[f"{word} | BY"]["false_share"] is None or claims[f"{word} | BY"]["false_share"] <= 0.05
