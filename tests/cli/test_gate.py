"""The gate for builds: exit code 3 if a run does not meet its requirement against every opponent."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from inexmetrics import MAP, FormulaError, Scores, VersusResult, run, scores_from, versus
from inexmetrics.cli import main

# new is ahead of old by .1 on average (t = 7.4 over 4 topics), and .0005 behind twin (t = -2.4)
MATRIX = "topic,new,old,twin\n1,0.50,0.36,0.501\n2,0.60,0.52,0.600\n3,0.70,0.61,0.7005\n4,0.80,0.71,0.8005\n"


@pytest.fixture
def scores(tmp_path: Path) -> list[str]:
    """Returns options that name a small matrix of scores."""
    file = tmp_path / "scores.csv"
    file.write_text(MATRIX)
    return ["--scores", str(file)]


@pytest.mark.parametrize(
    ("formula", "requirement", "line"),
    [
        ('versus("new", given("score"))', "better", "required: better; it is not met in 1 of 2 comparisons: twin\n"),
        ('versus("new", given("score"), margin=0.002)', "not_worse", ""),
        (
            'versus("new", given("score"), margin=0.002)',
            "equivalent",
            "required: equivalent; it is not met in 1 of 2 comparisons: old\n",
        ),
        ('versus("twin", given("score"), margin=0.002, top=1)', "equivalent", ""),
        ('versus("old", given("score"))', "better", "required: better; it is not met in 2 of 2 comparisons: twin, new\n"),
    ],
)
def test_the_exit_code_says_whether_it_holds(
    scores: list[str], formula: str, requirement: str, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([formula, *scores, "--require", requirement]) == (3 if line else 0)
    out, err = capsys.readouterr()
    assert out.startswith(formula.replace(", margin=0.002, top=1", ", top=1, margin=0.002"))
    known = ("significant differences depend on runs", "chosen by their scores on the same topics")
    told = [each for each in err.splitlines(keepends=True) if not any(text in each for text in known)]
    doubts = ("equivalence or non-inferiority within 0.002 is claimed of ", "so that rare large ones may be missing; more topics settle it")
    doubted = [each for each in told if all(part in each for part in doubts)]
    assert len(doubted) == ("margin" in formula)
    assert "".join(each for each in told if each not in doubted) == line


def test_several_runs_are_each_named(scores: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['versus(("new", "old"), given("score"))', *scores, "--require", "better"]) == 3
    named = 'new by given("score"): twin; old by given("score"): twin\n'
    assert capsys.readouterr().err == f"required: better; it is not met in 2 of 2 comparisons: {named}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ['versus("new", given("score"))', "--require", "not_worse"],
            "--require: expected a margin for the requirement not_worse, found none",
        ),
        (['versus("new", given("score"))', "--require", "equivalent"], "--require: expected a margin for the requirement equivalent"),
        (['ranks(given("score"))', "--require", "better"], '--require: expected versus, as in versus("mine", MAP), found ranks'),
        (['versus("new", given("score"))', "--require", "best"], "argument --require: invalid choice: 'best'"),
        (['versus("new", given("score"))', "--junit", "a.xml"], "--junit: expected --require in addition, found none"),
    ],
)
def test_what_cannot_be_required_is_wrong_use(
    scores: list[str], arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, *scores]) == 2
    out, err = capsys.readouterr()
    assert (out, err.startswith(f"error: {message}")) == ("", True)


def test_a_junit_file_has_a_test_case_for_each_opponent(scores: list[str], tmp_path: Path) -> None:
    file = tmp_path / "gate.xml"
    assert main(['versus("new", given("score"))', *scores, "--require", "better", "--junit", str(file)]) == 3
    suite = ET.parse(file).getroot()[0]
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ('versus("new", given("score"))', "2", "1")
    failed, passed = suite.findall("testcase")
    assert (failed.get("name"), passed.get("name")) == ("new is significantly better than twin", "new is significantly better than old")
    failure = failed.find("failure")
    assert failure is not None
    assert (failure.get("type"), passed.find("failure")) == ("better", None)
    assert str(failure.get("message")).startswith("the difference of the means is -0.00")
    before = file.read_bytes()
    assert main(['versus("new", given("score"))', *scores, "--require", "better", "--junit", str(file)]) == 3
    assert file.read_bytes() == before


def test_a_difference_that_does_not_vary_has_no_interval(tmp_path: Path) -> None:
    matrix, file = tmp_path / "level.csv", tmp_path / "gate.xml"
    matrix.write_text("topic,new,old,far\n1,0.50,0.54,0.6\n2,0.60,0.64,0.9\n3,0.70,0.74,0.8\n4,0.20,0.24,0.2\n")
    assert main(['versus("new", given("score"))', "--scores", str(matrix), "--require", "better", "--junit", str(file)]) == 3
    far, old = (str(failure.get("message")) for failure in ET.parse(file).getroot().iter("failure"))
    assert old == "the difference of the means is -0.040 (p < 0.001)"
    assert "95 % interval" in far


SAME = "the difference is the same on all topics, and not significant by the sign test"


@pytest.mark.parametrize(
    ("test", "topics", "refused"),
    [("t", 2, True), ("t", 5, True), ("t", 6, False), ("t(tails=1)", 4, True), ("t(tails=1)", 5, False), ("bootstrap", 4, True), ("bootstrap", 5, False)],
)  # fmt: skip
def test_equal_differences_on_few_topics_are_not_better(
    test: str, topics: int, refused: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The p-value of the sign test is 2^-n, twice that with two tails."""
    rows = [(f"q{topic}", 0.7 - topic / 64, 0.5 - topic / 64) for topic in range(topics)]
    matrix, file = tmp_path / "same.csv", tmp_path / "gate.xml"
    matrix.write_text("topic,mine,theirs\n" + "".join(f"{name},{mine},{theirs}\n" for name, mine, theirs in rows))
    formula = f'versus("mine", given("score") | {test})'
    code = main([formula, "--scores", str(matrix), "--require", "better", "--junit", str(file)])
    last = capsys.readouterr().err.splitlines()[-1:]
    failures = [str(failure.get("message")) for failure in ET.parse(file).getroot().iter("failure")]
    assert code == (3 if refused else 0)
    assert ([f"required: better; it is not met in 1 of 1 comparison: theirs ({SAME})"] == last) == refused
    assert [SAME in failure for failure in failures] == [True] * refused
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = run(formula, scores_from(matrix))
    assert isinstance(result, VersusResult)
    assert result.table["significant"].to_list() == [True]
    assert result.unmet("better")["opponent"].to_list() == ["theirs"] * refused


def test_of_several_comparisons_those_with_equal_differences_are_refused() -> None:
    base = np.array([0.2, 0.5, 0.3, 0.6])
    level = {"new": base + 0.25, "old": base, "far": base / 4, "twin": base + 0.5}
    matrices = {
        (name, "1"): np.stack([level[run] for run in sorted(level)])[:, order] for name, order in (("a", [0, 1, 2, 3]), ("b", [3, 2, 0, 1]))
    }
    matrices["b", "1"] = np.square(matrices["b", "1"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = run('versus(("new", "twin"), given("a") + given("b"))', Scores(tuple(sorted(level)), tuple("1234"), matrices))
    assert isinstance(result, VersusResult)
    assert result.table["significant"].all()
    unmet = result.unmet("better").select("measure", "run_id", "opponent").rows()
    assert unmet == [('given("a")', "new", "old"), ('given("a")', "twin", "old")]


@pytest.mark.parametrize(("correction", "said"), [("Holm", r"p = 0\.\d+, corrected by Holm\)"), ("unadjusted", r"p = 0\.\d+\)")])
def test_a_corrected_p_value_is_called_corrected(scores: list[str], tmp_path: Path, correction: str, said: str) -> None:
    file = tmp_path / "gate.xml"
    assert main([f'versus("old", given("score") | {correction})', *scores, "--require", "better", "--junit", str(file)]) == 3
    assert all(re.search(said, str(failure.get("message"))) for failure in ET.parse(file).getroot().iter("failure"))
    # one opponent needs no correction
    assert main([f'versus("old", given("score") | {correction}, top=1)', *scores, "--require", "better", "--junit", str(file)]) == 3
    (failure,) = ET.parse(file).getroot().iter("failure")
    assert "corrected" not in str(failure.get("message"))


def test_names_of_runs_cannot_break_the_junit_file(tmp_path: Path) -> None:
    odd = 'a"<b>&]]>\u0007\ufffe'
    matrix = tmp_path / "odd.csv"
    matrix.write_text('topic,new,"' + odd.replace('"', '""') + '"\n1,0.5,0.4\n2,0.6,0.4\n3,0.7,0.45\n')
    file = tmp_path / "gate.xml"
    assert main(['versus("new", given("score"))', "--scores", str(matrix), "--require", "better", "--junit", str(file)]) in {0, 3}
    [case] = ET.parse(file).getroot().iter("testcase")
    assert case.get("name") == 'new is significantly better than a"<b>&]]>\\x07\\ufffe'


def test_the_files_are_different_ones_and_not_read(scores: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    formula, same = 'versus("new", given("score"))', str(tmp_path / "out.xml")
    assert main([formula, *scores, "--require", "better", "--junit", same, "--output", same]) == 2
    assert "--output, --plot, --report, --card and --junit: expected different files, found a file twice" in capsys.readouterr().err
    assert main([formula, *scores, "--require", "better", "--junit", scores[1]]) == 2
    assert "--junit: expected a file other than the input files" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore:.*rare large ones may be missing:inexmetrics.CollectionWarning")
def test_python_has_the_rows_for_which_it_does_not_hold() -> None:
    board: Scores = scores_from(np.array([[0.50, 0.36, 0.501], [0.60, 0.52, 0.600], [0.70, 0.61, 0.7005], [0.80, 0.71, 0.8005]]))
    result = run(versus("1", MAP, margin=0.002), board)
    assert result.unmet("better")["opponent"].to_list() == ["3"]
    assert result.unmet("not_worse").is_empty()
    assert result.unmet("equivalent")["opponent"].to_list() == ["2"]
    with pytest.raises(FormulaError, match="expected a margin for the requirement not_worse, found none"):
        run(versus("1", MAP), board).unmet("not_worse")
    with pytest.raises(FormulaError, match='requirement: expected "better" or "not_worse" or "equivalent", found "best"'):
        result.unmet("best")  # type: ignore[arg-type]  # what type checkers refuse
    undefined = Scores(("1", "2"), ("t1",), {("MAP", "1"): np.full((2, 1), np.nan)})
    with warnings.catch_warnings(action="ignore"):
        assert run(versus("1", MAP), undefined).unmet("better").height == 1
