"""Formulas for tables of scores, whose measures may have the names of other tools' measures."""

from __future__ import annotations

from pathlib import Path

import pytest

from inexmetrics import FormulaError, run, sample, scores_from
from inexmetrics.cli import main

ROWS = "run_id,topic_id,ap,faithfulness\na,1,0.5,0.2\na,2,0.3,0.1\na,3,0.4,0.3\nb,1,0.1,0.2\nb,2,0.25,0.3\nb,3,0.2,0.5\n"


@pytest.mark.parametrize(
    ("formula", "meant"),
    [
        ("significance(ap)", 'significance(given("ap"))'),
        ("scores(ap + faithfulness)", 'scores(given("ap") + given("faithfulness"))'),
        ('versus("a", faithfulness | t | Holm)', 'versus("a", given("faithfulness") | t | Holm)'),
        ("significance(ndcg@10 | t)", 'significance(given("ndcg@10") | t)'),
        ("scores(MAP + ap)", 'scores(MAP + given("ap"))'),
    ],
)
def test_an_unknown_word_may_be_the_name_of_scores(formula: str, meant: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "board.csv"
    path.write_text(ROWS)
    assert main([formula, "--scores", str(path)]) == 2
    shown = " ".join(capsys.readouterr().err.split())
    assert f"for scores of this name, write {meant}" in shown
    with pytest.raises(FormulaError) as caught:
        run(formula, scores_from(path, measures=["ap", "faithfulness"], runs="run_id"))
    assert f"write {meant}" in str(caught.value.hint)


def test_the_suggested_formula_is_answered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "board.csv"
    path.write_text(ROWS)
    assert main(['significance(given("ap"))', "--scores", str(path), "--no-progress"]) == 0
    assert "ap read as the measure ap" in capsys.readouterr().out


@pytest.mark.parametrize("formula", ["significanse(ap)", "scores(ap"])
def test_other_mistakes_keep_their_hints(formula: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "board.csv"
    path.write_text(ROWS)
    assert main([formula, "--scores", str(path)]) == 2
    assert "for scores of this name" not in capsys.readouterr().err


def test_a_formula_for_runs_keeps_its_hint() -> None:
    with pytest.raises(FormulaError) as caught:
        run("significance(ap)", sample())
    assert caught.value.hint == "did you mean MAP?"
