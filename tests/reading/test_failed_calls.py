"""Calls that failed have no score, although harnesses write 0 as their score."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from warnings import catch_warnings, simplefilter

import polars as pl
import pytest

from inexmetrics import CollectionError, CollectionWarning, from_frames, given, ranks, read_assessments, run, scores_from
from inexmetrics.reading.scores.sources import ScoreSource

COLUMNS = {"vars.city": "topic_id", "provider.id": "run_id"}


def lines(path: Path, more: Mapping[int, Mapping[str, object]]) -> Path:
    """Writes results of promptfoo on six questions by two providers; `more` changes single results."""
    found = []
    for number in range(12):
        row = {
            "provider": {"id": "ab"[number % 2]},
            "vars": {"city": f"c{number // 2}"},
            "score": 0.5 + number % 2 * number / 40,
            "success": True,
        }
        found.append(json.dumps(row | {"failureReason": 0} | dict(more.get(number, {}))))
    path.write_text("\n".join(found))
    return path


class TestPromptfoo:
    failed: Mapping[int, Mapping[str, object]] = {
        1: {"score": 0, "failureReason": 2, "error": "503 overloaded"},
        4: {"score": 0, "failureReason": 2, "error": "timeout"},
        7: {"score": 0.2, "failureReason": 1, "error": "Expected output to contain Oslo"},
    }

    def test_a_failed_call_has_no_score(self, tmp_path: Path) -> None:
        path = lines(tmp_path / "out.jsonl", self.failed)
        with pytest.warns(CollectionWarning) as warned:
            found = scores_from(path, columns=COLUMNS, missing="drop-topics")
        first, second = sorted(str(warning.message) for warning in warned)
        assert 'out.jsonl: 2 rows of 12 with a failed call (failureReason "2") have no score; ignore=' in first + second
        assert "2 topics of 6 with missing scores are excluded (c0, c2)" in first + second
        assert found.topics == ("c1", "c3", "c4", "c5")
        assert found.matrix("score").tolist() == [[0.5] * 4, [0.575, 0.2, 0.725, 0.775]]  # a failed assertion is a score
        kept = scores_from(path, columns=COLUMNS, ignore=("failureReason", "error"))
        assert kept.matrix("score")[1, 0] == 0
        assert kept.warnings == ()

    def test_without_failed_calls(self, tmp_path: Path) -> None:
        found = scores_from(lines(tmp_path / "out.jsonl", {}), columns=COLUMNS)
        assert found.warnings == ()
        assert run(ranks(given("score")), found).table["run_id"].to_list() == ["b", "a"]


class TestTablesWithErrors:
    rows: Mapping[str, list[object]] = {
        "model": ["x", "x", "y", "y"],
        "item_id": ["1", "2", "1", "2"],
        "accuracy": [1.0, 0.0, 0.5, 0.25],
        "Error": [None, "rate limit", None, ""],
    }

    @pytest.mark.parametrize("ending", ["csv", "jsonl", "memory"])
    def test_text_in_a_column_of_errors(self, ending: str, tmp_path: Path) -> None:
        frame = pl.DataFrame(self.rows)
        path = tmp_path / f"calls.{ending}"
        if ending != "memory":
            (frame.write_csv if ending == "csv" else frame.write_ndjson)(path)
        with pytest.warns(CollectionWarning, match='1 row of 4 with a failed call \\(Error "rate limit"\\) has no score'):
            found = scores_from(frame if ending == "memory" else path)
        assert repr(found) == "Scores(accuracy: 2 runs, 2 topics, 1 missing score)"

    def test_in_columns_of_measures(self) -> None:
        with pytest.warns(CollectionWarning, match="1 row of 4 with a failed call"):
            found = scores_from(pl.DataFrame(self.rows).with_columns(f1=pl.col("accuracy") / 2), measures=("accuracy", "f1"))
        assert [found.matrices[texts].tolist()[0][1] for texts in found.conditions] == pytest.approx([float("nan")] * 2, nan_ok=True)

    def test_numbers_are_no_errors(self) -> None:
        found = scores_from(pl.DataFrame(self.rows).with_columns(Error=pl.lit(0.5)))
        assert found.warnings == ()


def test_failed_calls_in_several_files(tmp_path: Path) -> None:
    paths = []
    for number, failed in enumerate((1, 2, 3, 2, 1)):
        texts = ["item_id,model,accuracy,error", *(f"{row},m{number},0.{row + 1},{'gone' * (row < failed)}" for row in range(5))]
        paths.append(tmp_path / f"part{number}.csv")
        paths[-1].write_text("\n".join(texts))
    with pytest.warns(CollectionWarning) as caught:
        scores_from(paths)
    (warning,) = (str(each.message) for each in caught)
    counts = [f'part{number}.csv: {count} of 5, error "gone"' for number, count in enumerate(("1 row", "2 rows", "3 rows"))]
    assert warning.startswith('rows with failed calls in 5 tables have no score; ignore="error" (--ignore error) reads the scores (')
    assert all(count in warning for count in counts)
    assert warning.endswith(" and 2 more)")


SAID: Mapping[str, tuple[object, object, bool]] = {  # the value of good calls, that of one call, and whether the call failed
    "status": ("ok", "error", True),
    "Status": ("completed", "Failed: no answer", True),
    "STATUS": ("done", "timed out", True),
    "invalid_result": (False, True, True),
    "invalidResult": ("no", "Yes", True),
    "error_message": (None, "quota exceeded", True),
    "exception": ("", "ValueError", True),
    "errorMessage": ("none", "None", False),
    "error": (False, True, True),
    "eval_error": (None, "no answer", True),
    "parseError": ("none", "line 3", True),
    "judge_failed": (0, 1, True),
    "finish_reason": ("stop", "content_filter", True),
    "stop_reason": ("end_turn", "max_tokens", False),
    "http_status": (200, 503, True),
    "success": (True, False, False),
    "state": ("ok", "error", False),
    "status_": ("passed", "failed", False),
    "status__": ("gold", "silver", False),
}


@pytest.mark.parametrize("ending", ["csv", "jsonl", "memory"])
@pytest.mark.parametrize("name", SAID)
def test_what_says_that_a_call_failed(name: str, ending: str, tmp_path: Path) -> None:
    good, other, failed = SAID[name]
    rows = [
        {"question_id": f"t{topic}", "system": run_id, "score": (topic + 2) / 10, name: other if (run_id, topic) == ("m", 3) else good}
        for run_id in ("k", "m")
        for topic in range(5)
    ]
    source: ScoreSource = tmp_path / f"judged.{ending}"
    if ending == "memory":
        source = rows
    else:
        frame = pl.DataFrame(rows)
        (frame.write_csv if ending == "csv" else frame.write_ndjson)(tmp_path / f"judged.{ending}")
    if not failed:
        assert scores_from(source).warnings == ()
        return
    with pytest.warns(CollectionWarning, match=f"1 row of 10 with a failed call \\({name}"):
        found = scores_from(source)
    assert repr(found) == "Scores(2 runs, 5 topics, 1 missing score)"
    kept = scores_from(source, ignore=name)
    assert kept.warnings == ()
    assert next(iter(kept.matrices.values()))[1, 3] == 0.5


@pytest.mark.parametrize("written", [True, False])
@pytest.mark.parametrize("said", [{"code": 429}, [{"code": 429}]])
def test_an_error_that_is_a_record_is_an_error_in_files_and_in_memory(said: object, written: bool, tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"question_id": f"t{topic}", "system": run_id, "score": (topic + 2) / 10, "error": said if (run_id, topic) == ("m", 3) else None}
        for run_id in ("k", "m")
        for topic in range(5)
    ]
    source: ScoreSource = rows
    if written:
        source = tmp_path / "judged.jsonl"
        source.write_text("\n".join(map(json.dumps, rows)))
    with pytest.warns(CollectionWarning, match="1 row of 10 with a failed call"):
        assert repr(scores_from(source)) == "Scores(2 runs, 5 topics, 1 missing score)"


class TestRecords:
    columns: Mapping[str, str] = {"name": "topic_id", "metricsData.name": "measure", "metricsData.score": "score"}

    def rows(self, **more: object) -> list[dict[str, object]]:
        """Returns records of four answers with two scores each; `more` says something of one score."""
        return [
            {
                "name": f"answer {number}",
                "metricsData": [
                    {"name": "Relevancy", "score": 0.25 * number, "errors": []},
                    {"name": "Bias free", "score": 0.5, "error": None} | (more if number == 2 else {}),
                ],
            }
            for number in range(4)
        ]

    @pytest.mark.parametrize("more", [{"error": "rate limit"}, {"status": "error"}, {"invalid_result": True}])
    @pytest.mark.parametrize("written", [True, False])
    def test_values_beside_a_nested_score(self, more: Mapping[str, object], written: bool, tmp_path: Path) -> None:
        source: ScoreSource = self.rows(**more)
        if written:
            (tmp_path / "answers.jsonl").write_text("\n".join(map(json.dumps, self.rows(**more))))
            source = tmp_path / "answers.jsonl"
        (name,) = more
        with pytest.warns(CollectionWarning, match=f"1 row of 8 with a failed call \\(metricsData.{name}"):
            found = scores_from(source, columns=self.columns)
        assert [values.tolist()[0][2] for values in found.matrices.values()] == pytest.approx([0.5, float("nan")], nan_ok=True)
        kept = scores_from(source, columns=self.columns, ignore=f"metricsData.{name}")
        assert kept.warnings == ()
        assert kept.matrices[kept.conditions[1]].tolist() == [[0.5] * 4]

    @pytest.mark.parametrize("more", [{}, {"error": []}, {"error": ["x", "y"]}, {"status": {"code": "error"}}])
    def test_without_a_failure_that_is_a_text(self, more: Mapping[str, object]) -> None:
        assert scores_from(self.rows(**more), columns=self.columns).warnings == ()


def test_the_way_on_keeps_what_says_that_a_result_is_invalid(tmp_path: Path) -> None:
    for run_id, wrong in (("mmr", ()), ("dense", (1, 4))):
        rows = [{"query": f"q{n}", "score": n / 8, "feedback": f"x{n}", "passing": n > 3, "invalid_result": n in wrong} for n in range(6)]
        (tmp_path / f"{run_id}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    paths = [tmp_path / "dense.jsonl", tmp_path / "mmr.jsonl"]
    with pytest.raises(CollectionError, match=r"--ignore feedback passing\) reads the scores of one run"):
        scores_from(paths, topics="query")
    with pytest.warns(CollectionWarning, match="2 rows of 6 with a failed call"):
        found = scores_from(paths, topics="query", ignore=("feedback", "passing"))
    assert repr(found) == "Scores(2 runs, 6 topics, 2 missing scores)"


class TestJudges:
    rows: Mapping[str, list[object]] = {
        "topic_id": ["q1", "q1", "q1", "q2", "q2"],
        "doc_id": ["a", "b", "c", "a", "d"],
        "grade": [2, 0, 1, 0, 1],
        "status": ["completed", "Exception: 429", "completed", "completed", "timeout"],
    }

    @pytest.mark.parametrize("kind", ["csv", "parquet", "ndjson", "frame"])
    def test_the_grade_of_a_failed_call_is_no_judgement(self, tmp_path: Path, kind: str) -> None:
        frame, path = pl.DataFrame(self.rows), tmp_path / f"llm.{kind}"
        if kind != "frame":
            getattr(frame, f"write_{kind}")(path)
        with pytest.warns(CollectionWarning) as warned:
            found = from_frames(frame).assessments if kind == "frame" else read_assessments(path)
        (warning,) = warned
        assert '2 rows of 5 with a failed call (status "Exception: 429") have no grade; without the column status' in str(warning.message)
        assert found.grades is not None
        assert found.grades.select("topic_id", "doc_id", "grade").rows() == [("q1", "a", 2), ("q1", "c", 1), ("q2", "a", 0)]

    def test_a_column_that_says_something_else(self) -> None:
        frame = pl.DataFrame(self.rows).with_columns(status=pl.lit("done"), error=pl.lit("none"))
        found = from_frames(frame).assessments
        assert found.grades is not None
        assert found.grades.height == 5
        assert found.warnings == ()

    def test_errors_name_the_lines_of_the_file(self, tmp_path: Path) -> None:
        path = tmp_path / "llm.csv"
        pl.DataFrame(self.rows).with_columns(grade=pl.Series(["2", "0", "1", "nil", "1"])).write_csv(path)
        with catch_warnings():
            simplefilter("ignore", CollectionWarning)
            with pytest.raises(CollectionError, match=r'llm\.csv:5: topic q2: grade: expected a finite number, found "nil"'):
                read_assessments(path)

    def test_errors_that_are_records(self, tmp_path: Path) -> None:
        rows = [
            {**row, "error": {"code": 429} if row["doc_id"] == "b" else []} for row in pl.DataFrame(self.rows).drop("status").to_dicts()
        ]
        (path := tmp_path / "llm.jsonl").write_text("\n".join(map(json.dumps, rows)))
        with pytest.warns(CollectionWarning, match='1 row of 5 with a failed call .error "{.*429}".* has no grade'):
            assert [judge.height for judge in read_assessments(path).tables.values()] == [4]
        with pytest.warns(CollectionWarning, match="1 row of 5 with a failed call .* has no score"):
            scores_from(path, columns={"doc_id": "run_id", "grade": "score"})
