"""Long tables of scores with the headings of evaluation harnesses, and with names that the caller gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from inexmetrics import CollectionError, CollectionWarning, Scores, scores_from
from inexmetrics.cli import main
from inexmetrics.cli.arguments import Data
from inexmetrics.cli.sources import python_of

ROWS = [("a", "q1", True), ("a", "q2", False), ("b", "q1", True), ("b", "q2", True)]
MATRIX = [[1.0, 0.0], [1.0, 1.0]]
TAKEN = "the columns model, sample_id, correct are read as run_id, topic_id, score"


def frame(*names: str) -> pl.DataFrame:
    return pl.DataFrame(ROWS, schema=list(names), orient="row")


@pytest.mark.parametrize("topic", ["sample_id", "item_id", "question_id", "task"])
@pytest.mark.parametrize("score", ["value", "correct", "accuracy"])
def test_headings_of_harnesses(topic: str, score: str) -> None:
    with pytest.warns(CollectionWarning, match=f"scores: the columns model, {topic}, {score} are read as run_id, topic_id, score"):
        found = scores_from(frame("model", topic, score))
    assert (found.runs, found.topics) == (("a", "b"), ("q1", "q2"))
    assert found.matrix("any").tolist() == MATRIX


def test_what_is_known_already_is_not_said() -> None:
    with pytest.warns(CollectionWarning, match="the column correct is read as score"):
        found = scores_from(frame("system", "qid", "correct"))
    assert found.matrix("any").tolist() == MATRIX
    assert scores_from(frame("run_id", "topic_id", "score")).warnings == ()


@pytest.mark.parametrize("written", ["true,false", "True,False", "TRUE,FALSE", "1,0"])
def test_booleans_in_a_file(tmp_path: Path, written: str) -> None:
    file, (yes, no) = tmp_path / "answers.csv", written.split(",")
    file.write_text("model,sample_id,correct\n" + "".join(f"{run},{topic},{yes if right else no}\n" for run, topic, right in ROWS))
    with pytest.warns(CollectionWarning, match=f"answers.csv:1: {TAKEN}"):
        assert scores_from(file).matrix("any").tolist() == MATRIX


def test_json_lines(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    lines = [{"model": run, "sample_id": topic, "correct": right, "target": ["x"], "task": "qa"} for run, topic, right in ROWS]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.warns(CollectionWarning, match=TAKEN):
        found = scores_from(file, clusters="task")
    assert found.matrix("any").tolist() == MATRIX
    assert found.clusters == {"task": ("qa", "qa")}


def test_a_sample_comes_before_its_task() -> None:
    table = frame("model", "sample_id", "correct").with_columns(task=pl.lit("qa"))
    with pytest.warns(CollectionWarning, match=TAKEN):
        found = scores_from(table, clusters="task")
    assert found.topics == ("q1", "q2")
    assert found.clusters == {"task": ("qa", "qa")}


def test_run_id_comes_before_system() -> None:
    table = frame("run_id", "topic_id", "score").with_columns(system=pl.lit("x"), model=pl.lit("y"))
    assert scores_from(table).runs == ("a", "b")


def test_the_systems_column_is_no_run() -> None:
    table = frame("model", "sample_id", "correct").with_columns(system=pl.lit("x"))
    with pytest.warns(CollectionWarning, match=TAKEN):
        found = scores_from(table, systems="system")
    assert found.runs == ("x",)
    assert found.matrix("any").tolist() == [[1.0, 0.5]]


def test_two_columns_that_could_be_meant() -> None:
    table = frame("model", "sample_id", "correct").with_columns(value=pl.lit(0.5))
    expected = (
        r'scores: expected one column named score, found value, correct; columns=\{"value": "score"\} \(--columns value=score\) selects'
    )
    with pytest.raises(CollectionError, match=expected):
        scores_from(table)
    with pytest.warns(CollectionWarning, match="the columns model, sample_id are read as run_id, topic_id"):
        assert scores_from(table, columns={"correct": "score"}).matrix("any").tolist() == MATRIX
    with pytest.raises(CollectionError, match="expected one column named run_id, found model, system"):
        scores_from(frame("model", "sample_id", "correct").with_columns(system=pl.lit("x")))


def test_a_matrix_stays_one() -> None:
    matrix = pl.DataFrame({"task": ["x", "y"], "model": [0.5, 0.25], "value": [0.5, 1.0]})
    assert scores_from(matrix, topics="task").runs == ("model", "value")
    board = pl.DataFrame({"model": ["a", "b"], "task": [0.5, 0.25], "accuracy": [0.5, 1.0]})
    assert scores_from(board, runs="model").topics == ("accuracy", "task")


def test_topics_and_runs_name_columns_of_a_long_table() -> None:
    table = frame("judge", "item", "score")
    found = scores_from(table, runs="judge", columns={"item": "topic_id"})
    assert found.matrix("any").tolist() == MATRIX
    found = scores_from(table.rename({"judge": "run_id"}), topics="item")
    assert found.matrix("any").tolist() == MATRIX
    assert scores_from(frame("run_id", "topic_id", "score"), topics="topic_id").matrix("any").tolist() == MATRIX


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"topics": "itm"},
            "scores: expected a column named itm .topic_id., found a long table with run_id, item_id, score; did you mean item_id",
        ),
        ({"runs": "model"}, "scores: expected a column named model .run_id., found a long table with run_id, item_id, score"),
        ({"topics": False}, "scores: expected a matrix for topics=False .--no-topics-column., found a long table with run_id, item_id"),
    ],
)
def test_topics_and_runs_that_a_long_table_lacks(options: dict[str, Any], message: str) -> None:
    with pytest.raises(CollectionError, match=message):
        scores_from(frame("run_id", "item_id", "score"), **options)


def test_columns_are_for_long_tables() -> None:
    matrix = pl.DataFrame({"topic": ["1", "2"], "a": [0.5, 0.25], "b": [1.0, 0.0]})
    expected = r"scores: expected a long table with the columns run_id, topic_id, score, found topic, a, b, without score; columns= \(--columns\) applies only to long tables"
    with pytest.raises(CollectionError, match=expected):
        scores_from(matrix, columns={"a": "run_id"})


def test_columns_are_not_for_the_output_of_tools(tmp_path: Path) -> None:
    path = tmp_path / "bm25.txt"
    path.write_text("map\t301\t0.5\nmap\t302\t0.25\nmap\tall\t0.375\n")
    for options in ({"topics": "x"}, {"runs": "x"}, {"columns": {"x": "run_id"}}):
        with pytest.raises(
            CollectionError, match=r"bm25\.txt: expected a table with a header for topics=.*found the output of an evaluation"
        ):
            scores_from(path, **options)


def test_a_misspelt_column_is_named_before_other_errors() -> None:
    table = frame("model", "sample_id", "correct").with_columns(epoch=1).drop("model").with_columns(famly=pl.lit("x"))
    with pytest.raises(CollectionError, match=r"^expected a column named family .systems., found .*; did you mean famly[?]$"):
        scores_from(table, systems="family")


def renamed(**columns: str) -> Scores:
    return scores_from(frame("judge", "item", "right"), columns=columns)


def test_columns_of_other_names() -> None:
    found = renamed(judge="run_id", item="topic_id", right="score")
    assert found.matrix("any").tolist() == MATRIX
    assert found.warnings == ()
    measured = frame("judge", "item", "right").with_columns(metric=pl.lit("acc"))
    columns = {"judge": "run_id", "item": "topic_id", "right": "score", "metric": "measure"}
    assert scores_from(measured, columns=columns).matrix("acc").tolist() == MATRIX


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"judge": "run"},
            "columns: expected one of run_id, topic_id, measure, quantisation, score for judge, found run; did you mean run_id",
        ),
        ({"judge": "run_id", "item": "run_id"}, "columns: expected one column for run_id, found judge and item"),
        (
            {"judge": "run_id", "item": "topic_id", "wrong": "score"},
            r"scores: expected a column named wrong \(columns\), found judge, item, right",
        ),
        ({"judge": 1}, "columns: expected names of columns"),
        ("judge", "columns: expected names of columns, as in .*, found"),
    ],
)
def test_wrong_columns(columns: object, message: str) -> None:
    with pytest.raises(CollectionError, match=message):
        scores_from(frame("judge", "item", "right"), columns=columns)  # type: ignore[arg-type]


def test_a_column_has_one_role() -> None:
    table = frame("judge", "topic_id", "score").with_columns(run_id=pl.lit("x"))
    with pytest.raises(
        CollectionError, match="columns: expected one column named run_id, found run_id and judge, which columns= renames to run_id"
    ):
        scores_from(table, columns={"judge": "run_id"})
    assert scores_from(table, columns={"judge": "run_id"}, ignore="run_id").runs == ("a", "b")
    with pytest.raises(CollectionError, match=r"expected columns= to name columns other than .*, found judge"):
        scores_from(table, columns={"judge": "run_id"}, ignore="judge")


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "answers.csv"
    frame("judge", "item_id", "correct").write_csv(file)
    asked = ['scores(given("x"))', "--scores", str(file), "--format", "csv"]
    assert main([*asked, "--columns", "judge=run_id"]) == 0
    out, err = capsys.readouterr()
    assert [line.split(",")[0] for line in out.splitlines()] == ["run_id", "b", "a"]
    assert "the columns item_id, correct are read as topic_id, score" in err
    for wrong, message in (("judge", "expected THEIRS=OURS, such as question=topic_id, found judge"), ("=run_id", "found =run_id")):
        assert main([*asked, "--columns", wrong]) == 2
        assert message in capsys.readouterr().err
    assert main([*asked, "--columns", "judge=run_id", "judge=score"]) == 2
    assert "found judge twice" in capsys.readouterr().err
    assert main(["scores(MAP)", "--columns", "judge=run_id"]) == 2
    assert "--columns: expected --assessments (or --scores) in addition" in capsys.readouterr().err
    assert main([*asked, "--columns", "nobody=run_id"]) == 1
    assert "nobody" in capsys.readouterr().err


def test_as_python() -> None:
    data = Data(scores=(Path("a.csv"),), columns=(("judge", "run_id"), ("right", "score")))
    assert 'scores_from("a.csv", columns={"judge": "run_id", "right": "score"})' in (python_of(data) or "")


def test_json_lines_under_unknown_names(tmp_path: Path) -> None:
    path = tmp_path / "judge.jsonl"
    path.write_text('{"judge": "m1", "item": "s0", "verdict": true}\n')
    with pytest.raises(
        CollectionError,
        match=r"found JSON Lines with judge, item, verdict; columns= \(--columns THEIRS=OURS\) says which columns are run_id",
    ):
        scores_from(path)
    assert scores_from(path, columns={"judge": "run_id", "item": "topic_id", "verdict": "score"}).matrix("x").tolist() == [[1.0]]
