"""Every result says how its tables were read: the formats, and the columns that were read under another name."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import polars as pl
import polars.selectors as cs
import pytest

from inexmetrics import MAP, from_frames, read_assessments, read_runs, run, scores
from inexmetrics.collection import Collection

JUDGED = pl.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "label": [0, 2]})
FOUND = pl.DataFrame({"system": ["x", "y"], "topic_id": ["1", "1"], "doc_id": ["b", "a"], "score": [2.0, 1.0]})


def test_the_text_names_what_was_read_under_another_name() -> None:
    result = run(scores(MAP), from_frames(JUDGED, FOUND))
    line = str(result).splitlines()[1]
    assert line.endswith("order: score; qid read as topic_id, docno read as doc_id, label read as grade, system read as run_id")
    ours = from_frames(JUDGED.rename({"qid": "topic_id", "docno": "doc_id", "label": "grade"}), FOUND.rename({"system": "run_id"}))
    assert str(run(scores(MAP), ours)).splitlines()[1].endswith("order: score")


def test_json_has_every_table_with_its_columns() -> None:
    result = run(scores(MAP), from_frames(JUDGED, {"x": {"1": {"b": 1.0}}, "y": {"1": {"a": 1.0}}}))
    read = json.loads(result.to_json())["collection"]["read"]
    assert read[0] == {
        "role": "assessments",
        "tables": ["assessments"],
        "format": "a table of judgements",
        "columns": {"topic_id": "qid", "doc_id": "docno", "grade": "label"},
        "notes": [],
    }
    assert [layout["tables"] for layout in read[1:]] == [["runs"]]
    assert pickle.loads(pickle.dumps(result)).to_json() == result.to_json()


def test_files_are_named_with_their_formats(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text("1 0 d 1\n")
    for name in ("x", "y"):
        (tmp_path / f"{name}.run").write_text(f"1 Q0 d 1 2.5 {name}\n")
    (tmp_path / "z.csv").write_text("query_id,docno,score\n1,d,1\n")
    judged = read_assessments(tmp_path / "a.qrels")
    found = read_runs([tmp_path / "x.run", tmp_path / "y.run", tmp_path / "z.csv"])
    assert [(layout.role, layout.format) for layout in judged.read] == [("assessments", "TREC qrels")]
    by_format = {layout.format: [Path(table).name for table in layout.tables] for layout in found.read}
    assert by_format == {"a TREC run (6 columns)": ["x.run", "y.run"], "a table of results": ["z.csv"]}
    part = Collection(judged, found).only(runs=("x", "z"))
    assert [[Path(table).name for table in layout.tables] for layout in part.read] == [["a.qrels"], ["x.run"], ["z.csv"]]


def test_many_renamed_columns_are_counted_in_the_text() -> None:
    text = {f"t{number}": ["1"] for number in range(4)}
    judged = pl.DataFrame({"qid": ["1"], "docno": ["a"], "begin": [0], "stop": [5], "docchars": [9], **text})
    found = pl.DataFrame({"system": ["x"], "query_id": ["1"], "docid": ["a"], "offset": [0], "end_index": [5], "score": [1.0]})
    collection = from_frames(judged, found)
    line = str(run("scores(char_rec)", collection)).splitlines()[1:4]
    assert "and 1 more" in " ".join(line)
    assert sum(len([1 for ours, theirs in layout.columns if ours != theirs]) for layout in collection.read) == 9


UNREAD = pl.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "rel": [0, 2], "gold_rel": [2, 0], "title": ["x", "y"], "Q0": [0, 0]})
"""Judgements beside a second column of grades; a title and column 2 of TREC's formats are not worth a word."""
TEMPERED = pl.DataFrame({"query_id": ["1", "1"], "docid": ["b", "a"], "score": [2.0, 1.0], "rel": [1, 0], "note": [["x"], ["y"]]})
SPANS = pl.DataFrame({"qid": ["1"], "docno": ["a"], "start": [0], "length": [4], "text": ["abcd"], "annotator": ["Jo"]})


@pytest.mark.parametrize("ending", ["csv", "parquet", "ndjson", ""])
@pytest.mark.parametrize(
    ("judged", "found", "expected"),
    [(UNREAD, TEMPERED, [("gold_rel",), ("rel", "note")]), (SPANS, SPANS.drop("annotator"), [("annotator",), ()])],
)
def test_columns_that_are_not_read_are_named(
    judged: pl.DataFrame, found: pl.DataFrame, expected: list[tuple[str, ...]], ending: str, tmp_path: Path
) -> None:
    if ending in ("csv", "parquet"):
        found = found.select(~cs.nested())
        expected = [tuple(name for name in names if name != "note") for names in expected]
    if not ending:
        collection = from_frames(judged, found)
    else:
        for name, frame in (("judged", judged), ("found", found)):
            getattr(frame, f"write_{ending}")(tmp_path / name)
        collection = Collection(read_assessments(tmp_path / "judged"), read_runs(tmp_path / "found"))
    notes = [f"not read in {role}: {', '.join(names)}" for role, names in zip(("assessments", "runs"), expected, strict=True) if names]
    assert [note for layout in collection.read for note in layout.notes] == notes
    result = run("scores(char_rec)" if judged is SPANS else "scores(MAP)", collection)
    for text in (str(result), result.to_markdown()):
        assert notes[0] in " ".join(text.split())


def test_a_column_that_only_one_table_reads_is_named_with_the_other() -> None:
    judged = pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "b"], "rating": [1, 0]})
    found = pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "b"], "score": [2.0, 1.0], "rating": [3, 4]})
    result = run("scores(P@1)", from_frames(judged, found, columns={"rating": "grade"}))
    assert "rating read as grade, not read in runs: rating" in str(result)


def test_records_that_a_stated_path_reads_are_not_named() -> None:
    hits = [{"qid": "1", "docno": "a", "meta": {"score": 0.5}, "model": "m"}]
    read = from_frames({"1": {"a": 1}}, pl.DataFrame(hits), columns={"meta.score": "score"}).read
    assert [layout.notes for layout in read] == [(), ("not read in runs: model",)]
