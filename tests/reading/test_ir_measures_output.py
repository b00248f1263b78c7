"""Scores by topic in the output of ir_measures -q, separated by tabs and as JSON Lines; and long tables in JSON Lines."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from inexmetrics import MAP, CollectionError, CollectionWarning, P, given, nDCG, run, scores, scores_from
from inexmetrics.cli import main
from inexmetrics.reading.line_files.score_outputs import IR_MEASURES, program_of

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
ROWS = [("1", "AP", 0.5), ("1", "P@10", 0.2), ("2", "AP", 0.25), ("2", "P@10", 0.1), ("all", "AP", 0.375), ("all", "P@10", 0.15)]


Rows: TypeAlias = list[tuple[str, str, float]]


def by_tabs(rows: Rows) -> str:
    return "".join(f"{topic}\t{measure}\t{value:.4f}\n" for topic, measure, value in rows)


def in_objects(rows: Rows) -> str:
    return "".join(json.dumps({"query_id": topic, "measure": measure, "value": value}) + "\n" for topic, measure, value in rows)


@pytest.mark.parametrize("written", [by_tabs, in_objects])
def test_a_file_is_a_run(written: Callable[[Rows], str], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(written(ROWS))
    (tmp_path / "b.txt").write_text(written([(topic, measure, value / 2) for topic, measure, value in ROWS]))
    found = scores_from([tmp_path / "a.txt", tmp_path / "b.txt"])
    assert (found.runs, found.topics, found.warnings) == (("a", "b"), ("1", "2"), ())
    assert found.matrix("MAP").tolist() == [[0.5, 0.25], [0.25, 0.125]]
    assert run(scores(P @ 10), found).table["mean"].to_list() == pytest.approx([0.15, 0.075])
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.txt").write_text(written(ROWS))
    with pytest.raises(CollectionError, match=r"found 4 second scores .*run a and topic 1 under MAP"):
        scores_from([tmp_path / "a.txt", tmp_path / "other" / "a.txt"])


@pytest.mark.parametrize("form", ["tsv", "jsonl"])
def test_the_output_of_ir_measures_itself(form: str, tmp_path: Path) -> None:
    qrels, results = DATA / "trec_eval_qrels.test", DATA / "trec_eval_results.test"
    if not qrels.exists():
        pytest.skip(f"{qrels} is not there")
    command = [sys.executable, "-m", "ir_measures", str(qrels), str(results), "AP", "AP(rel=2)", "AP@10", "nDCG@10", "-q", "-o", form]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    (tmp_path / "STANDARD").write_text(printed)
    found = scores_from(tmp_path / "STANDARD")
    assert (found.runs, found.topics) == (("STANDARD",), ("301", "302", "303"))
    lines = printed.splitlines()
    rows = [line.split("\t") if form == "tsv" else list(json.loads(line).values()) for line in lines]
    for name, measure in {"AP": MAP, "AP(rel=2)": MAP(rel=2), "AP@10": given("AP@10"), "nDCG@10": nDCG @ 10}.items():
        table = run(scores(measure), found).tables["per_topic"]
        *values, mean = (float(value) for _, called, value in rows if called == name)
        assert table["score"].to_list() == values
        assert table["score"].mean() == pytest.approx(mean, abs=1e-4)


def test_what_is_wrong_is_named_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a"
    expected = "expected a topic, a measure and a value, separated by tabs, or a JSON object with query_id, measure and value"
    for text, message in [
        ("1\tAP\t0.5\n2\tAP\n", f":2: {expected}, found '2 AP'"),
        ("1\tAP\t0.5\n2\tAP\thigh\n", ':2: topic 2: score: expected a finite number, found "high"'),
        (
            "1\tAP\t0.5\n1\tAP\t0.5\n",
            ":2: topic 1: expected one score for run a and topic 1 under MAP, found a second one (the first is on line 1)",
        ),
        (in_objects(ROWS[:1]) + '{"query_id": 2.5, "measure": "AP", "value": 1}\n', f':2: {expected}, found \'{{"query_id": 2.5'),
        (in_objects(ROWS[:1]) + '{"query_id": "2", "measure": "AP", "measure": "AP", "value": 1}\n', f":2: {expected}, found"),
        (in_objects(ROWS[:1]) + '{"query_id": "2", "measure": "AP", "measure": 1, "value": 1}\n', f":2: {expected}, found"),
        (
            in_objects(ROWS[:1]) + '{"query_id": "2", "measure": "AP", "value": null}\n',
            ':2: topic 2: score: expected a finite number, found "null"',
        ),
        (by_tabs(ROWS[-2:]), ": expected scores by topic, as ir_measures -q prints them, found only means over all topics"),
        ("AP\t0.5\nP@10\t0.2\n", ": expected scores by topic, as ir_measures -q prints them, found only means over all topics"),
        (
            '{"measure": "AP", "value": 0.5}\n',
            ": expected scores by topic, as ir_measures -q prints them, found only means over all topics",
        ),
    ]:
        path.write_text(text)
        with pytest.raises(CollectionError) as error:
            scores_from(path)
        assert str(error.value).startswith(f"{path}{message}"), error.value


@pytest.mark.parametrize(
    "text", ["topic\tbm25\t2\n1\t0.5\t0.25\n", "topic\ta\tb\n", "401\t0.5\t0.25\n", "", '{"a": 1}', "run\ttopic\tscore\n"]
)
def test_other_tables_are_not_taken_for_it(text: str) -> None:
    assert program_of(text.encode()) != IR_MEASURES


def test_a_matrix_whose_topics_are_named_is_one(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("question\tbm25\t2\nwho\t0.5\t0.25\nwhy\t0.5\t0.25\n")
    assert scores_from(tmp_path / "a.tsv", topics="question").runs == ("2", "bm25")


def test_long_tables_in_json_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"run": name, "qid": topic, "score": value}
        for name, topic, value in (("a", "1", 0.5), ("a", "2", 0.25), ("b", "1", 1), ("b", "2", 0.5))
    ]
    path = tmp_path / "long.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert scores_from(path, measure="MAP").matrix("MAP").tolist() == [[0.5, 0.25], [1.0, 0.5]]
    assert main(["scores(MAP)", "--scores", str(path), "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split(",")[0] == "b"
    path.write_text("".join(json.dumps({**row, "domain": f"of {row['qid']}"}) + "\n" for row in rows))
    assert scores_from(path, clusters="domain").clusters == {"domain": ("of 1", "of 2")}
    (tmp_path / "settings.json").write_text('{"model": "a", "score": 1}\n')
    with pytest.warns(CollectionWarning, match=r"settings.json: skipped: expected scores by topic, found none"):
        assert scores_from(tmp_path).runs == ("a", "b")
    path.write_text(json.dumps(rows[0]) + '\n{"run": "b", "qid": "1", "score": "high"}\n[]\n')
    with pytest.raises(CollectionError) as error:
        scores_from(path)
    assert 'long.jsonl:2: topic 1: score: expected a finite number, found "high"' in str(error.value)
