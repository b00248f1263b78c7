"""``columns=`` and ``--columns``: tables with any headings, and nested records, are read without a reader of their own."""

from __future__ import annotations

import ast
import json
import re
import shlex
import warnings
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from inexmetrics import CollectionError, from_frames, read_assessments, read_runs, run, scores_from
from inexmetrics.cli import main
from tests.by_hand import offered

Rows = list[dict[str, object]]

FLAT: Rows = [{"frage": "t1", "quelle": "x", "wert": 2.5, "score": 9}, {"frage": "t1", "quelle": "y", "wert": 0.5, "score": 8}]
NESTED: Rows = [
    {"frage": "t1", "meta": {"quelle": "x", "at": {"start": 3, "stop": 8}}, "hits": [{"wert": 2.5}]},
    {"frage": "t1", "meta": {"quelle": "y", "at": {"start": 0, "stop": 4}}, "hits": [{"wert": 0.5}]},
]
PATHS = {"frage": "topic_id", "meta.quelle": "doc_id", "meta.at.start": "start", "meta.at.stop": "end"}


def as_csv(rows: Rows, path: Path) -> Path:
    pl.DataFrame(rows).write_csv(path)
    return path


def as_lines(rows: Rows, path: Path) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def as_array(rows: Rows, path: Path) -> Path:
    path.write_text(json.dumps(rows, indent=1))
    return path


def as_parquet(rows: Rows, path: Path) -> Path:
    pl.DataFrame(rows).write_parquet(path)
    return path


@pytest.mark.parametrize("written", [as_csv, as_lines, as_array, as_parquet])
def test_stated_columns_are_read_in_every_format(written: Callable[[Rows, Path], Path], tmp_path: Path) -> None:
    path = written(FLAT, tmp_path / "x")
    stated = {"frage": "topic_id", "quelle": "doc_id"}
    judged = read_assessments(path, columns={**stated, "wert": "grade"})
    assert judged.grades is not None
    assert judged.grades.rows() == [("t1", "x", 2.5), ("t1", "y", 0.5)]
    found = read_runs(path, columns={**stated, "wert": "score"})
    assert found.results["score"].to_list() == [2.5, 0.5]  # the table's own column score is not read
    assert [dict(layout.columns)["score"] for layout in found.read] == ["wert"]
    assert read_runs(path, columns=stated).results["score"].to_list() == [9.0, 8.0]


@pytest.mark.parametrize("written", [as_lines, as_array, as_parquet])
def test_paths_lead_into_nested_records(written: Callable[[Rows, Path], Path], tmp_path: Path) -> None:
    path = written(NESTED, tmp_path / "x")
    found = read_runs(path, columns=PATHS)
    assert found.results.select("doc_id", "start", "length").rows() == [("x", 3, 5), ("y", 0, 4)]
    judged = read_assessments(path, columns=PATHS)
    assert judged.passages is not None
    assert judged.passages.rows() == [("t1", "x", 3, 5), ("t1", "y", 0, 4)]


@pytest.mark.parametrize("written", [as_csv, as_lines, as_array, as_parquet])
def test_columns_are_joined_to_one_name(written: Callable[[Rows, Path], Path], tmp_path: Path) -> None:
    """Documents are named by a file and a page, and runs by a retriever and a model."""
    rows: Rows = [
        {"q": "t1", "doc_id": file, "page": page, "model": "m", "engine": engine, "wert": page / 8, "relevance": page % 2}
        for engine in ("u", "v")
        for file in ("x", "y")
        for page in (7, 8)
    ]
    columns = {"q": "topic_id", "doc_id": "doc_id", "page": "doc_id", "engine": "run_id", "model": "run_id", "wert": "score"}
    path = written(rows, tmp_path / "x")
    found = read_runs(path, columns=columns)
    assert found.run_ids == ("u/m", "v/m")
    assert sorted(found.results["doc_id"].unique()) == ["x/7", "x/8", "y/7", "y/8"]
    assert ("doc_id", "doc_id/page") in found.read[0].columns
    judged = read_assessments(written(rows[:4], tmp_path / "j"), columns={"q": "topic_id", "doc_id": "doc_id", "page": "doc_id"})
    assert judged.grades is not None
    assert sorted(judged.grades["doc_id"]) == ["x/7", "x/8", "y/7", "y/8"]
    collection = from_frames(rows[:4], rows, columns=columns)
    assert collection.runs is not None
    assert collection.runs.results.equals(found.results)
    with pytest.raises(CollectionError, match="pages=doc_id"):
        read_runs(path, columns={**columns, "pages": "doc_id"})


def test_a_part_of_a_joined_name(tmp_path: Path) -> None:
    rows: Rows = [{"q": "1", "file": "a", "page": 7}, {"q": "1", "file": "a", "page": None}]
    columns = {"q": "topic_id", "file": "doc_id", "page": "doc_id"}
    with pytest.raises(CollectionError, match=r"x:2: topic 1: file/page: expected an identifier, found nothing"):
        read_runs(as_lines(rows, tmp_path / "x"), columns=columns)
    floats = pl.DataFrame({"q": ["1", "1"], "file": ["a", "a"], "page": [7.0, 8.0]})
    found = from_frames(floats.with_columns(grade=1), floats, columns=columns)
    assert found.runs is not None
    assert sorted(found.runs.results["doc_id"]) == ["a/7", "a/8"]
    with pytest.raises(CollectionError, match="page: expected names to join, found lists or records"):
        from_frames(floats.with_columns(grade=1), floats.with_columns(page=pl.Series([{"n": 7}, {"n": 8}])), columns=columns)


def test_the_same_in_memory(tmp_path: Path) -> None:
    expected = read_runs(as_lines(NESTED, tmp_path / "run"), columns=PATHS).results
    for table in (NESTED, pl.DataFrame(NESTED), pl.LazyFrame(NESTED)):
        collection = from_frames(table, table, columns=PATHS)
        assert collection.runs is not None
        assert collection.runs.results.equals(expected)


def test_a_place_in_a_list_is_part_of_a_path(tmp_path: Path) -> None:
    columns = {"frage": "topic_id", "meta.quelle": "doc_id", "hits.0.wert": "score"}
    for written in (as_lines, as_array):
        assert read_runs(written(NESTED, tmp_path / "x"), columns=columns).results["score"].to_list() == [2.5, 0.5]


def test_a_record_without_the_path_has_no_value(tmp_path: Path) -> None:
    rows: Rows = [{"q": "1", "m": {"doc": "a", "s": 1}}, {"q": "1", "m": {"doc": "b"}}]
    path = as_lines(rows, tmp_path / "x")
    with pytest.raises(CollectionError, match=r"x:2: topic 1: m\.s: expected a score, found nothing"):
        read_runs(path, columns={"q": "topic_id", "m.doc": "doc_id", "m.s": "score"})


def test_a_column_with_a_point_in_its_name_is_no_path(tmp_path: Path) -> None:
    rows: Rows = [{"q": "1", "m.doc": "a", "m": {"doc": "b"}}]
    found = read_runs(as_lines(rows, tmp_path / "x"), columns={"q": "topic_id", "m.doc": "doc_id"})
    assert found.results["doc_id"].to_list() == ["a"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"frage": "topic"}, r"^columns: expected one of run_id, topic_id, .* for frage, found topic; did you mean topic_id\?$"),
        (
            {"frage": "topic_id", "quelle": "doc_id", "wert": "score", "score": "score"},
            r"x\.csv: columns: expected one column for score, found wert and score$",
        ),
        ({"frage": 1}, r"^columns: expected names of columns, as in "),
        ("frage", r"^columns: expected names of columns, as in "),
        ({"frag": "topic_id", "quelle": "doc_id"}, r"found frage, .*--columns frage=topic_id\) reads them, if these are the columns$"),
        ({"frage": "topic_id", "quelle": "doc_id", "werte": "score"}, "expected a table with the column of werte=score, found none in"),
    ],
)
def test_wrong_statements_are_errors(columns: dict[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises(CollectionError, match=message):
        read_runs(as_csv(FLAT, tmp_path / "x.csv"), columns=columns)


def test_a_table_that_is_not_understood_names_the_way_on(tmp_path: Path) -> None:
    for written, rows in ((as_csv, FLAT), (as_lines, NESTED), (as_array, NESTED)):
        with pytest.raises(CollectionError) as error:
            read_runs(written(rows, tmp_path / "x"))
        ((pairs, python),) = re.findall(r"; columns=(\{.*\}) \(--columns (.*)\) reads them, if these are the columns$", str(error.value))[
            :1
        ]
        columns = ast.literal_eval(pairs)
        assert shlex.split(python) == [f"{theirs}={ours}" for theirs, ours in columns.items()]
        assert [*columns.values()][:2] == ["topic_id", "doc_id"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert read_runs(tmp_path / "x", columns=columns).results["doc_id"].to_list()[0] == "x"


def test_columns_with_similar_names_come_first(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("document,query,found\na.pdf,q1,3\n")
    with pytest.raises(CollectionError, match=r"\(--columns document=doc_id query=topic_id\) reads them, if these are the columns$"):
        read_runs(path)
    path.write_text("doc_id,grade\na.pdf,1\n")
    with pytest.raises(CollectionError, match=rf"expected a column named {offered('topic_id')}, found doc_id, grade$"):
        read_assessments(path)


def test_the_command_line_states_the_columns_of_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = as_csv([{"frage": "t1", "quelle": "x", "von": 0, "bis": 5}], tmp_path / "gold.csv")
    chunks = as_lines(NESTED, tmp_path / "chunks.jsonl")
    stated = ["frage=topic_id", "quelle=doc_id", "meta.quelle=doc_id", "von=start", "bis=end", "meta.at.start=start", "meta.at.stop=end"]
    files = ["--assessments", str(gold), "--runs", str(chunks)]
    assert main(["scores(char_rec)", *files, "--columns", *stated[:1], *stated[2:3], "--format", "json"]) == 1
    assert "gold.csv" in capsys.readouterr().err
    report = tmp_path / "r.html"
    assert main(["scores(char_rec)", *files, "--format", "json", "--report", str(report), "--columns", *stated]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [row["mean"] for row in answer["tables"]["scores"]] == [0.4]
    assert answer["collection"]["read"][0]["columns"] == {"topic_id": "frage", "doc_id": "quelle", "start": "von", "end": "bis"}
    page = report.read_text()
    assert "&quot;von&quot;: &quot;start&quot;, &quot;bis&quot;: &quot;end&quot;})" in page
    assert "&quot;meta.at.stop&quot;: &quot;end&quot;})" in page


def test_check_reads_stated_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = as_csv(FLAT, tmp_path / "x.csv")
    assert main(["check", "--runs", str(path), "--columns", "frage=topic_id", "quelle=doc_id"]) == 0
    assert "2 results of 1 run (x)" in capsys.readouterr().out
    assert main(["check", "--runs", str(path), "--columns", "frage=topic_id", "quelle=doc_id", "q=rank"]) == 1
    assert "expected a table with the column of q=rank" in capsys.readouterr().out


def test_formats_without_columns_cannot_have_stated_ones(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 a 1\n")
    with pytest.raises(CollectionError, match="found only formats without named columns"):
        read_assessments(tmp_path / "q", columns={"frage": "topic_id"})


def test_results_are_the_same_for_every_spelling(tmp_path: Path) -> None:
    judged = {"t1": {"x": 1, "y": 0}}
    stated = run("scores(MAP + RR)", from_frames(judged, FLAT, columns={"frage": "topic_id", "quelle": "doc_id", "wert": "score"}))
    ours = [{"topic_id": row["frage"], "doc_id": row["quelle"], "score": row["wert"]} for row in FLAT]
    assert stated.table.equals(run("scores(MAP + RR)", from_frames(judged, ours)).table)


def test_columns_beside_a_missing_one_in_records_are_named_too(tmp_path: Path) -> None:
    """Without the offsets, the option that names the document alone would read each passage as the whole document."""
    path = tmp_path / "found.jsonl"
    path.write_text('{"qid": "1", "score": 2.5, "hit": {"article": "d1", "char_start": 7, "char_end": 19}}\n')
    with pytest.raises(CollectionError) as error:
        read_runs(path)
    options = "--columns hit.article=doc_id hit.char_start=start hit.char_end=end"
    assert f"({options}) reads them, if these are the columns" in str(error.value)
    columns = dict(pair.split("=") for pair in options.split()[1:])
    assert read_runs(path, columns=columns).results.select("doc_id", "start", "length").row(0) == ("d1", 7, 12)


@pytest.mark.parametrize("home", ["scores", "runs"])
@pytest.mark.parametrize(
    ("parts", "names"),
    [
        ([0.5, 1.0], ("gull/0.5", "gull/1")),
        ([7, 12], ("gull/7", "gull/12")),
        (["x", ""], None),
        ([float("nan"), 1.0], None),
        ([2.0**60, 1.0], None),
        ([None, "x"], None),
    ],
)
def test_parts_of_names_are_read_alike_in_all_tables(home: str, parts: list[object], names: tuple[str, ...] | None) -> None:
    table = pl.DataFrame({"bird": ["gull"] * 2, "part": parts, "qid": ["1"] * 2, "docno": ["a", "b"], "score": [0.5, 0.25]})
    stated = {"bird": "run_id" if home == "scores" else "doc_id", "part": "run_id" if home == "scores" else "doc_id"}

    def read() -> tuple[str, ...]:
        if home == "scores":
            return scores_from(table.drop("docno"), columns=stated).runs
        return tuple(from_frames({"1": {"a": 1}}, table, columns=stated).runs.results["doc_id"])  # type: ignore[union-attr]  # there are runs

    if names is None:
        with pytest.raises(CollectionError, match="bird/part: expected an identifier, found nothing"):
            read()
    else:
        assert sorted(read()) == sorted(names)
