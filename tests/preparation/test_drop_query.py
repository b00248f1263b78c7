"""`drop_query`: results whose document is the topic itself, and the warning about them."""

from __future__ import annotations

import json
import random
import warnings
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import RR, Collection, CollectionWarning, drop_query, from_frames, keep_first, parse, read_runs, run, scores
from inexmetrics.cli import main
from inexmetrics.collection.runs import own_topics

QRELS = "q7 0 d1 1\nq8 0 d1 1\n"
RUN = "q7 Q0 q7 1 9 r\nq7 Q0 d1 2 8 r\nq8 Q0 q7 1 9 r\nq8 Q0 d1 2 8 r\nq8 Q0 q8 3 7 r\n"
WARNED = (
    "the documents of 2 results of run r are the topics themselves, and were not judged, such as document q7 for topic q7; "
    "drop_query (--prepare drop_query) drops these results"
)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "a.run").write_text(RUN)
    (tmp_path / "a.qrels").write_text(QRELS)
    return ["--assessments", str(tmp_path / "a.qrels"), "--runs", str(tmp_path / "a.run")]


def test_the_command_line_names_the_results_and_the_remedy(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["scores(RR)", *files, "--format", "json"]
    assert main(asked) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["tables"]["scores"][0]["mean"] == 0.5
    assert WARNED in answer["warnings"]
    assert main([*asked, "--prepare", "drop_query"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["tables"]["scores"][0]["mean"] == (1 + 1 / 2) / 2
    assert answer["warnings"] == []
    assert answer["prepare"] == ["drop_query"]
    assert main([*asked, "--strict"]) == 1
    assert "drop_query" in capsys.readouterr().err
    assert main([*asked, "--strict", "--prepare", "drop_query"]) == 0


def made(judged: dict[str, dict[str, float]], listed: dict[str, dict[str, dict[str, float]]]) -> Collection:
    with warnings.catch_warnings(action="ignore", category=CollectionWarning):
        return from_frames(judged, listed)


def about_topics(collection: Collection) -> list[str]:
    return [str(problem) for problem in collection.warnings if "the topics themselves" in str(problem)]


def test_judged_results_and_unassessed_topics_are_not_named() -> None:
    listed = {"a": {"q1": {"q1": 3.0, "d": 2.0}, "q2": {"d": 1.0}}, "b": {"q1": {"q1": 1.0}, "q9": {"q9": 1.0}}}
    assert about_topics(made({"q1": {"q1": 0, "d": 1}, "q2": {"d": 1}}, listed)) == []
    assert about_topics(made({"q1": {"q1": -1, "d": 1}, "q2": {"d": 1}}, listed)) == [
        "the documents of 2 results of 2 runs (a, b) are the topics themselves, and were not judged, such as document q1 for topic q1; "
        "drop_query (--prepare drop_query) drops these results"
    ]
    of_assessors = {"topic_id": ["q1", "q1"], "assessor": ["x", "y"], "doc_id": ["q1", "d"], "grade": [1.0, 1.0]}
    with warnings.catch_warnings(action="ignore", category=CollectionWarning):
        assert about_topics(from_frames(of_assessors, listed)) == []


def test_nothing_dropped_is_said() -> None:
    runs = made({"q1": {"d": 1}}, {"a": {"q1": {"d": 1.0, "Q1": 0.5}}}).runs
    assert runs is not None
    with pytest.warns(CollectionWarning, match="drop_query dropped no result, because no result's document is its topic"):
        prepared = drop_query(runs)
    assert prepared.results.height == 2


def test_it_is_a_term() -> None:
    assert parse("drop_query") == drop_query
    assert str(drop_query) == "drop_query"
    listed = made({"q1": {"d": 1}}, {"a": {"q1": {"q1": 3.0, "d": 2.0, "e": 1.0}}}).runs
    assert listed is not None
    assert keep_first(drop_query(listed), 1).prepared == ("drop_query", "keep_first(1)")


@pytest.mark.parametrize("seed", range(5))
def test_dropped_rows_are_those_of_the_definition(seed: int) -> None:
    draw = random.Random(seed)
    names = [f"n{number}" for number in range(9)]
    listed = {
        name: {topic: {doc: draw.random() for doc in draw.sample(names, draw.randint(1, 9))} for topic in names[:5]}
        for name in ("a", "b", "c")
    }
    runs = made({topic: {"x": 1.0} for topic in names[:5]}, listed).runs
    assert runs is not None
    table = runs.results.with_row_index().cast({"topic_id": pl.String})
    assert own_topics(runs).tolist() == table.filter(pl.col("topic_id") == pl.col("doc_id"))["index"].to_list()
    with warnings.catch_warnings(action="ignore", category=CollectionWarning):
        left = drop_query(runs).results.cast({"topic_id": pl.String})
    assert left.rows() == table.filter(pl.col("topic_id") != pl.col("doc_id")).drop("index").select(left.columns).rows()


def test_several_files_and_a_list_that_becomes_empty(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("q1 Q0 q1 1 9 a\nq2 Q0 d 1 9 a\n")
    (tmp_path / "b.run").write_text("q1 Q0 d 1 9 b\nq2 Q0 q1 1 9 b\nq2 Q0 q2 2 8 b\n")
    left = drop_query(read_runs([tmp_path / "a.run", tmp_path / "b.run"])).results
    assert left.select(pl.col("run_id", "topic_id", "doc_id").cast(pl.String)).rows() == [
        ("a", "q2", "d"),
        ("b", "q1", "d"),
        ("b", "q2", "q1"),
    ]
    assert run(scores(RR), made({"q2": {"q1": 1}}, {"b": {"q2": {"q1": 1.0}}})).table["mean"].item() == 1.0
