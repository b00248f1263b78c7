"""Grades of two judges in columns of one table: as two measures, and as one measure that two assessors graded."""

from __future__ import annotations

import ast
import json
import re
import shlex
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import CollectionError, FormulaError, Scores, run, scores_from
from inexmetrics.cli import main
from inexmetrics.common.errors import OptionError
from inexmetrics.experiments.agreement import AgreementResult

pytestmark = pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")

TWO = 'agreement(given("model") + given("person") | Holm)'
ONE = 'agreement(given("grade") ~ assessor("model") + assessor("person") | Holm)'
COLUMNS = {"model": 'grade ~ assessor("model")', "person": 'grade ~ assessor("person")'}
PEOPLE = {"a": [1, 2, 1, 2, 1, 2, 1, 2, 1, 2], "b": [3, 4, 3, 4, 3, 4, 3, 4, 3, 3], "c": [3, 4, 4, 3, 3, 4, 4, 3, 4, 3]}


def graded(favour: int = 2) -> pl.DataFrame:
    """People find c as good as b, and a worse than both. A model gives c higher grades."""
    return pl.DataFrame(
        {"item": f"i{place}", "system": name, "model": grade + favour * (name == "c"), "person": grade}
        for name, grades in PEOPLE.items()
        for place, grade in enumerate(grades)
    )


def compared(formula: str, scores: Scores) -> AgreementResult:
    result = run(formula, scores)
    assert isinstance(result, AgreementResult)
    return result


def as_measures(frame: pl.DataFrame) -> Scores:
    return scores_from(frame, topics="item", measures=("model", "person"))


def test_overstatement_between_two_measures_is_unknown_in_every_form() -> None:
    result = compared(TWO, as_measures(graded()))
    row = result.table.row(0, named=True)
    assert [row[name] for name in ("n_predictor", "n_both", "n_opposite", "n_overstated", "n_open")] == [3, 2, 0, None, 1]
    assert row["precision_high"] is None
    assert result.finding.endswith("same direction; overstatement was not tested, because two measures may have different scales.")
    untested = "overstated: not tested"
    assert untested in " ".join(result.to_text().split())
    assert untested in result.to_markdown()
    assert untested in next(line for line in result.to_latex("agreement").splitlines() if r"\caption" in line)
    assert json.loads(result.to_json())["tables"]["agreement"][0]["n_overstated"] is None
    assert "overstated differences were not tested" in result.figure()[0]
    assert not any("open" in line for line in result.figure()[0])


def test_a_warning_gives_options_that_test_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "grades.csv"
    graded().write_csv(path)
    [warning] = compared(TWO, as_measures(graded())).warnings
    found = re.search(r"one scale, (agreement\(.*?\)) tests them, with columns=(\{.*?\}) \((--columns .*)\)$", warning)
    assert found is not None
    assert found[1] == ONE
    assert ast.literal_eval(found[2]) == COLUMNS
    assert main([found[1], "--scores", str(path), "--topics-column", "item", *shlex.split(found[3])]) == 0
    assert 'person") confirms 2 and finds 1 overstated.' in " ".join(capsys.readouterr().out.split())


def test_columns_of_one_measure_are_the_same_as_rows() -> None:
    wide = compared(ONE, scores_from(graded(), columns={"item": "topic_id", **COLUMNS}))
    row = wide.table.row(0, named=True)
    assert [row[name] for name in ("n_both", "n_overstated", "n_open", "precision_high")] == [2, 1, 0, 2 / 3]
    long = graded().unpivot(["model", "person"], index=["item", "system"], variable_name="judge", value_name="score")
    rows = long.with_columns(judge=pl.format('assessor("{}")', "judge"))
    stated = {"item": "topic_id", "judge": "quantisation"}
    assert compared(ONE, scores_from(rows, "grade", columns=stated)).table.equals(wide.table)
    unnamed = compared(TWO, scores_from(long, columns={"item": "topic_id", "judge": "measure"}))
    assert unnamed.warnings[-1].endswith('with assessor("model") and assessor("person") in a column quantisation and the measure grade')


def test_nothing_is_unknown_if_nothing_is_open() -> None:
    result = compared(TWO, as_measures(graded(favour=0)))
    assert result.table.select("n_both", "n_overstated", "n_open", "precision_high").row(0) == (2, 0, 0, 1.0)
    assert not result.warnings
    assert "not tested" not in result.to_text()


def test_other_directions_have_no_common_measure() -> None:
    lower = TWO.replace('"model"', '"model", better="lower"')
    assert not compared(lower, as_measures(graded())).warnings


def test_columns_of_conditions_are_checked() -> None:
    with pytest.raises(OptionError, match=r"expected one column for grade ~ assessor.*, found model and person"):
        scores_from(graded(), topics="item", columns=dict.fromkeys(("model", "person"), 'grade ~ assessor("x")'))
    with pytest.raises(CollectionError, match="robot"):
        scores_from(graded(), topics="item", columns={"system": "run_id", "robot": 'grade ~ assessor("x")'})
    with pytest.raises(OptionError, match="expected one of run_id"):
        scores_from(graded(), topics="item", columns={"person": "grade ~ "})
    jury = 'grade ~ jury("x", "y", by="max")'
    scores = scores_from(graded(), topics="item", columns={"model": jury, "person": COLUMNS["person"]})
    assert scores.conditions == (("grade", 'jury("x", "y", by="max")'), ("grade", 'assessor("person")'))


def test_signs_of_equality_in_a_quantisation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "grades.csv"
    graded().write_csv(path)
    columns = ['model=grade ~ jury("x", "y", by="max")', 'person=grade ~ assessor("person")']
    formula = 'agreement(given("grade") ~ jury("x", "y", by="max") + assessor("person"))'
    assert main([formula, "--scores", str(path), "--topics-column", "item", "--columns", *columns]) == 0
    assert 'by="max") finds' in capsys.readouterr().out


@pytest.mark.parametrize("asked", ["model", "robot"])
def test_names_of_judges_in_cells(asked: str) -> None:
    long = graded().unpivot(["model", "person"], index=["item", "system"], variable_name="rater", value_name="score")
    stated = {"item": "topic_id", "rater": "quantisation"}
    scores = scores_from(long, "grade", columns=stated)
    with pytest.raises(CollectionError, match=re.escape('in the column rater, write assessor("model") in place of model')) as raised:
        run(f'scores(given("grade") ~ assessor("{asked}"))', scores)
    assert "did you mean" not in str(raised.value)
    with pytest.raises(FormulaError) as unknown:
        run('agreement(given("grade") ~ model + person)', scores)
    assert unknown.value.hint is not None
    assert unknown.value.hint.endswith('write agreement(given("grade") ~ assessor("model") + assessor("person"))')
    with pytest.raises(CollectionError, match='a column measure, or measure="NAME"'):
        scores_from(long, columns=stated)
