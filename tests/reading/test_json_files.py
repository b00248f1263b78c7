"""JSON files of judgements and results: lines, arrays of records, nested dictionaries, and the forms that pandas writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inexmetrics import CollectionError, from_frames, read_assessments, read_runs, scores_from

ROWS = [("t1", "x", 3.0), ("t1", "y", 1.0), ("t2", "x", 2.0)]
NESTED = {"t1": {"x": 3, "y": 1}, "t2": {"x": 2}}
RECORDS = [{"qid": topic, "docno": document, "score": value} for topic, document, value in ROWS]
BY_COLUMN: dict[str, list[object]] = {"qid": ["t1", "t1", "t2"], "docno": ["x", "y", "x"], "score": [3, 1, 2]}
VALUES: dict[str, object] = {
    "nested dictionaries": NESTED,
    "records": RECORDS,
    "columns": BY_COLUMN,
    "columns and data": {"columns": ["qid", "docno", "score"], "data": [list(row) for row in ROWS]},
    "split": {"columns": ["qid", "docno", "score"], "index": [0, 1, 2], "data": [list(row) for row in ROWS]},
    "rows by index": {str(number): record for number, record in enumerate(RECORDS)},
    "columns by index": {name: {str(number): value for number, value in enumerate(values)} for name, values in BY_COLUMN.items()},
}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_every_form_is_read_as_grades_and_as_scores(value: object, indent: int | None, tmp_path: Path) -> None:
    path = tmp_path / "bm25.json"
    path.write_text(json.dumps(value, indent=indent))
    judged, found = read_assessments(path), read_runs(path)
    assert judged.grades is not None
    assert sorted(judged.grades.rows()) == ROWS
    assert sorted(found.results.select("topic_id", "doc_id", "score").rows()) == ROWS
    assert found.run_ids == ("bm25",)


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_every_form_is_read_in_memory(value: object) -> None:
    collection = from_frames(value, {"bm25": value})  # type: ignore[arg-type]
    expected = from_frames(NESTED, {"bm25": NESTED})
    assert collection.fingerprint == expected.fingerprint
    assert from_frames(NESTED, value).runs.run_ids == ("run",)  # type: ignore[arg-type, union-attr]


def test_runs_by_name(tmp_path: Path) -> None:
    path = tmp_path / "runs.json"
    path.write_text(json.dumps({"a": NESTED, "b": {"t1": {"x": 1}, "t2": {"y": 2}}}))
    assert read_runs(path).results.equals(from_frames(NESTED, {"a": NESTED, "b": {"t1": {"x": 1}, "t2": {"y": 2}}}).runs.results)  # type: ignore[union-attr]


def test_one_record_is_a_line(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_text('{"qid": "1", "docno": "a", "score": 2}')
    assert read_runs(path).results.select("topic_id", "doc_id", "score").rows() == [("1", "a", 2.0)]


def test_numbers_as_names_keep_their_digits(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"qid": 900719925474099301, "docno": 7, "score": 1}]))
    assert read_runs(path).results["topic_id"].to_list() == ["900719925474099301"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"t1": {"x": 1},\n "t1": {"x": 2}}', r"f\.json: expected distinct names in a JSON object, found 't1' twice$"),
        ('{"t1": {"x": "high"}}', r'f\.json: topic t1: row 0: grade: expected a finite number, found "high"$'),
        (
            '{"t1": {"x": NaN}}',
            r"f\.json: topic t1: row 0: grade: expected a finite number, found nan; leave out the rows of unjudged documents",
        ),
        ('[{"qid": "1", "docno": "a", "rel": 1}, 7]', r"f\.json: row 1: expected a JSON object, found '7'$"),
        ('[{"qid": "1", "docno": ["a"], "rel": 1}]', r"f\.json: row 0: docno: expected a string or a number, found '\[\"a\"\]'$"),
        (
            '{"columns": ["qid", "docno", "rel"], "data": [["1", "a"]]}',
            r"f\.json: expected 3 values in each row of data, as in columns, found a row of 2$",
        ),
        ('{"t1": {"x": 1}, "t2": 3}', r"expected a column named topic_id.* and one named doc_id, .*, found t2, t1; columns="),
        ('[{"qid": "1", "docno": "\\ud800", "rel": 1}]', r"f\.json: docno: expected text that UTF-8 can encode"),
        ("[1, 2]", r"found JSON that is neither a list of objects nor a dictionary"),
        ("[" * 100_000, r"found JSON that is neither a list of objects nor a dictionary"),
        (f'{{"t1": {{"x": {"9" * 5000}}}}}', r"found JSON that is neither|expected a finite number"),
    ],
)
def test_wrong_files_are_errors_with_a_place(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    path.write_text(text)
    with pytest.raises(CollectionError, match=message):
        read_assessments(path)


@pytest.mark.parametrize(
    ("value", "found"), [("9" * 4400, "a number of more than 4300 digits"), ("[" * 150_000, "brackets that are nested too deeply")]
)
def test_lines_that_no_reader_holds_are_called_what_they_are(value: str, found: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(f'{{"run_id": "a", "topic_id": "7", "score": {value}}}\n')
    with pytest.raises(CollectionError, match=f":1: expected a JSON object, found {found}$"):
        scores_from(path)


def test_records_in_which_the_caller_names_values(tmp_path: Path) -> None:
    record = {"query": {"id": "q7", "text": "foo"}, "label": {"value": 2}, "document": {"id": "x3"}, "topic": {"id": 5}}
    (path := tmp_path / "nested.jsonl").write_text(json.dumps([record]))
    with pytest.raises(CollectionError, match=r"\(--columns label.value=grade topic.id=topic_id\) reads values within$"):
        read_assessments(path, columns={"document.id": "doc_id"})
    columns = {"query.id": "topic_id", "document.id": "doc_id", "label.value": "grade"}
    judged = read_assessments(path, columns=columns).grades
    assert judged is not None
    assert judged.rows() == [("q7", "x3", 2.0)]
    path.write_text(json.dumps([{"query": {"id": "q7"}, "hits": [{"doc": {"id": "x3"}, "score": 0.5}]}]))
    with pytest.raises(CollectionError, match=r"\(--columns query.id=topic_id hits.doc.id=doc_id hits.score=score\) reads them"):
        read_runs(path)
    found = read_runs(path, columns={"query.id": "topic_id", "hits.doc.id": "doc_id", "hits.score": "score"})
    assert found.results.select("topic_id", "doc_id", "score").rows() == [("q7", "x3", 0.5)]


LISTED = {"t1": ["x", "y"], "t2": ["y", "x"]}


@pytest.mark.parametrize("runs", [LISTED, {"bm25": LISTED, "lm": LISTED}])
def test_lists_of_documents_are_refused_by_name(runs: object, tmp_path: Path) -> None:
    (path := tmp_path / "found.json").write_text(json.dumps(runs))
    way = r"found lists under t1, t2; write \{topic: \{document: value\}\}, with decreasing scores for a ranking"
    with pytest.raises(CollectionError, match=way):
        read_runs(path)
    with pytest.raises(CollectionError, match=way):
        from_frames(NESTED, runs)  # type: ignore[arg-type]
    with pytest.raises(CollectionError, match=way):
        from_frames(LISTED)
    renamed = {"frage": ["t1", "t1"], "dok": ["x", "y"], "wert": [2, 1]}
    columns = {"frage": "topic_id", "dok": "doc_id", "wert": "score"}
    found = from_frames({"t1": {"x": 1}}, renamed, columns=columns).runs
    assert found is not None
    assert found.results["score"].to_list() == [2.0, 1.0]


def test_scores_say_whether_runs_or_topics_come_first(tmp_path: Path) -> None:
    board = {"t1": {"sparse": 0.25, "dense": 0.5}, "t2": {"sparse": 0.75, "dense": 0.5}}
    (path := tmp_path / "board.json").write_text(json.dumps(board))
    for found in (scores_from(path), scores_from(board)):
        assert [layout.notes for layout in found.read] == [("read as {run: {topic: score}}",)]
