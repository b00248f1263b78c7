"""Runs in Parquet: reading written runs gives the same runs, whatever the layout of the file."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import polars as pl
import pytest

from inexmetrics import (
    Collection,
    CollectionError,
    CollectionWarning,
    Runs,
    from_frames,
    read_assessments,
    read_runs,
    read_structure,
    run,
    sample,
    scores_from,
    write_runs,
)
from inexmetrics.cli import main

TREC = "2 Q0 b 1 3.5 one\n2 Q0 a 2 3.5 one\n1 Q0 c 9 0.25 one\n1 Q0 a 2 7 one\n"
PASSAGES = "1 Q0 a 1 2 two 5 10\n1 Q0 a 2 9 two 40 3\n1 Q0 b 3 1 two\n2 Q0 é 1 1 two X X\n"


def quietly(path: Path) -> Runs:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        return read_runs(path)


def in_text(folder: Path) -> Runs:
    """Returns runs ordered by scores, and runs in file order that contradict their scores."""
    folder.mkdir()
    (folder / "one").write_text(TREC)
    (folder / "two").write_text(PASSAGES.replace(" two\n", " two 7\n"))
    (folder / "three.xml").write_text('<inex-submission run-id="three"><topic topic-id="1"></topic></inex-submission>')
    return quietly(folder)


def same(runs: Runs, others: Runs) -> None:
    assert runs.results.equals(others.results)
    assert (runs.run_ids, runs.orders, dict(runs.without_offsets)) == (others.run_ids, others.orders, dict(others.without_offsets))


def test_runs_of_any_order_are_the_same_again(tmp_path: Path) -> None:
    runs = in_text(tmp_path / "runs")
    assert runs.orders == {"one": "score", "two": "file", "three": "file"}
    write_runs(runs, tmp_path / "runs.parquet", "parquet")
    same(quietly(tmp_path / "runs.parquet"), runs)
    with pytest.warns(CollectionWarning, match="the score of 1 of 4 results contradicts"):
        by_rank = read_runs(tmp_path / "runs.parquet", order="rank")
    assert set(by_rank.orders.values()) == {"rank"}


def test_the_ending_chooses_parquet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = in_text(tmp_path / "runs")
    write_runs(runs, tmp_path / "a.parquet")
    write_runs(runs, tmp_path / "b", "parquet")
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b").read_bytes()
    with pytest.warns(CollectionWarning, match=r"c\.csv: expected text for this extension, found the format parquet$"):
        write_runs(runs, tmp_path / "c.csv", "parquet")
    one = runs.only("two")
    with pytest.warns(CollectionWarning, match=r"d\.parquet: expected Parquet for this extension, found the format fol$"):
        write_runs(one, tmp_path / "d.parquet", "fol")
    write_runs(one, tmp_path / "e.anything")
    assert (tmp_path / "e.anything").read_bytes() == (tmp_path / "d.parquet").read_bytes()
    options = ["convert", "--runs", str(tmp_path / "runs"), "--no-progress", "--output"]
    assert main([*options, str(tmp_path / "f.parquet")]) == 0
    # Threads read the files, so that polars 1.32 may number the categories in another order, which changes bytes.
    same(quietly(tmp_path / "f.parquet"), quietly(tmp_path / "a.parquet"))
    assert main([*options, str(tmp_path / "g.csv"), "--format", "parquet"]) == 0
    assert "g.csv: expected text for this extension, found the format parquet" in capsys.readouterr().err


@pytest.mark.parametrize("rows", [1, 500, 1 << 20])
def test_the_sample_is_the_same_again(rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if few rows are processed together."""
    monkeypatch.setattr("inexmetrics.reading.result_tables.PART", rows)
    runs = sample().runs
    assert runs is not None
    write_runs(runs, tmp_path / "runs.parquet", "parquet")
    read = quietly(tmp_path / "runs.parquet")
    same(read, runs)
    asked = "scores(MAP + MAgP + nDCG@10)"
    again = run(asked, Collection(sample().assessments, read, sample().structure))
    assert again.table.equals(run(asked, sample()).table)


@pytest.mark.parametrize("rows", [1, 3, 1 << 20])
@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical, pl.Enum])
@pytest.mark.parametrize("by", ["run", "topic", "nothing"])
def test_the_layout_of_a_file_changes_nothing(
    by: str, dtype: type[pl.DataType], rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inexmetrics.reading.result_tables.PART", rows)
    lines = [(f"r{r}", f"{t}", f"d{(r * 7 + d * 3) % 11}", d, float(-d)) for r in range(4) for t in range(3) for d in range(5)]
    frame = pl.DataFrame(lines, ["run_id", "topic_id", "doc_id", "rank", "score"], orient="row")
    expected = from_frames({"0": {"d1": 1}, "1": {"d1": 1}, "2": {"d2": 1}}, frame).runs
    order = {"run": ["run_id"], "topic": ["topic_id", "run_id"], "nothing": ["doc_id"]}[by]
    names = frame.sort(order, maintain_order=True).with_columns(
        pl.col(name).cast(pl.Enum(frame[name].unique().sort()) if dtype is pl.Enum else dtype) for name in ("run_id", "topic_id", "doc_id")
    )
    names.write_parquet(tmp_path / "runs.parquet", row_group_size=7)
    assert expected is not None
    same(quietly(tmp_path / "runs.parquet"), expected)
    held = from_frames({"0": {"d1": 1}, "1": {"d1": 1}, "2": {"d2": 1}}, names).runs
    assert held is not None
    same(held, expected)


def test_an_empty_name_is_missing_in_codes_as_in_text(tmp_path: Path) -> None:
    frame = pl.DataFrame({"run_id": ["a", "a"], "topic_id": ["1", "1"], "doc_id": ["x", ""], "score": [2.0, 1.0]})
    for dtype in (pl.String, pl.Categorical, pl.Enum(["a", "1", "x", ""])):
        frame.with_columns(pl.col("run_id", "topic_id", "doc_id").cast(dtype)).write_parquet(tmp_path / "runs.parquet")
        with pytest.raises(CollectionError, match=r"topic 1: row 1: doc_id: expected an identifier, found (nothing|\"\")$"):
            read_runs(tmp_path / "runs.parquet")


def test_orders_that_are_none_are_ignored(tmp_path: Path) -> None:
    frame = pl.DataFrame({"run_id": ["a", "a"], "topic_id": ["1", "1"], "doc_id": ["x", "y"], "score": [1.0, 2.0]})
    for written in ("{", "[]", json.dumps({"a": "none"})):
        frame.write_parquet(tmp_path / "runs.parquet", metadata={"inexmetrics.order": written})
        assert read_runs(tmp_path / "runs.parquet").results["doc_id"].to_list() == ["y", "x"]


def test_the_command_line_converts_once_and_asks_often(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    in_text(tmp_path / "runs")
    (tmp_path / "runs" / "two").unlink()
    (tmp_path / "runs" / "three.xml").unlink()
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 b 1\n")
    told = []
    for runs in ("runs", "runs.parquet"):
        if runs != "runs":
            assert main(["convert", "--runs", str(tmp_path / "runs"), "--format", "parquet", "--output", str(tmp_path / runs)]) == 0
            capsys.readouterr()
        asked = ["--assessments", str(tmp_path / "qrels"), "--runs", str(tmp_path / runs), "--format", "csv"]
        assert main(["scores(MAP + RR)", *asked]) == 0
        told.append(capsys.readouterr().out)
    assert told[0] == told[1]


def test_what_parquet_is_not_written_for(tmp_path: Path) -> None:
    runs = in_text(tmp_path / "runs")
    with pytest.raises(CollectionError, match="expected a file, found a folder; a Parquet file contains all runs"):
        write_runs(runs, tmp_path, "parquet")
    (tmp_path / "structure.csv").write_text("doc_id,path,start,length\na,/a[1],0,9\n")
    with pytest.raises(CollectionError, match=r"^structure: expected no structure for Parquet"):
        write_runs(runs, tmp_path / "runs.parquet", "parquet", read_structure(tmp_path / "structure.csv"))


@pytest.mark.parametrize("kind", [pl.Enum(["a", "b"]), pl.Categorical(), pl.String()])
def test_names_of_any_kind_of_text_are_read(kind: pl.DataType, tmp_path: Path) -> None:
    table = pl.DataFrame({"run_id": ["a", "a", "b"], "topic_id": ["1", "1", "1"], "doc_id": ["x", "y", "y"]})
    table.with_columns(pl.col("run_id").cast(kind)).write_parquet(tmp_path / "runs.parquet")
    assert read_runs(tmp_path / "runs.parquet").run_ids == ("a", "b")


def test_the_schema_of_a_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "pages.parquet"
    pl.DataFrame({"q": ["1", "1"], "book": ["a", "b"], "page": [1, 2], "score": [2.5, 1.5]}).write_parquet(path)
    read: list[bytes] = []
    scan = pl.scan_parquet

    def counted(raw: bytes) -> pl.LazyFrame:
        read.append(raw)
        return scan(raw)

    monkeypatch.setattr(pl, "scan_parquet", counted)
    runs = read_runs(path, columns={"q": "topic_id", "book": "doc_id", "page": "doc_id"})
    assert runs.results["doc_id"].to_list() == ["a/1", "b/2"]
    assert len(read) <= 3  # to recognise the table, to read it, and to find an example of its records


@pytest.mark.parametrize("cells", [[[0.5, 0.25], [0.75]], [{"bm25": 2}, {"bm25": 1}]])
@pytest.mark.parametrize("heading", ["score", "rank"])
def test_lists_and_records_in_a_known_column_are_the_error_of_json_lines(heading: str, cells: list[object], tmp_path: Path) -> None:
    frame = pl.DataFrame({"qid": ["t", "t"], "docno": ["x", "y"], heading: cells})
    frame.write_parquet(tmp_path / "r.parquet")
    frame.write_ndjson(tmp_path / "r.jsonl")
    way = f"--columns {heading}.bm25={heading}) reads values within"
    for source in (tmp_path / "r.parquet", tmp_path / "r.jsonl", frame):

        def read(columns: Mapping[str, str], source: Path | pl.DataFrame = source) -> Runs | None:
            if isinstance(source, Path):
                return read_runs(source, columns=columns)
            return from_frames({"t": {"x": 1}}, source, columns=columns).runs

        with pytest.raises(CollectionError, match="expected a string or a number, found ") as told:
            read({})
        assert heading in str(told.value)
        assert (way in str(told.value)) == isinstance(cells[0], dict)
        if isinstance(cells[0], dict):
            runs = read({f"{heading}.bm25": heading})
            assert runs is not None
            assert runs.order == heading


@pytest.mark.parametrize("record", ["score", "evaluation"])
def test_scores_in_records_are_named_by_their_path_in_every_format(record: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({"qid": ["1", "2"], "run_id": ["a", "a"], record: [{"f1": 0.5, "note": "x"}, {"f1": 0.75, "note": "y"}]})
    frame.write_parquet(tmp_path / "s.parquet")
    frame.write_ndjson(tmp_path / "s.jsonl")
    path = f"{record}.f1"
    for source in (tmp_path / "s.parquet", tmp_path / "s.jsonl", frame):
        with pytest.raises(CollectionError, match=rf"--columns {path}=score\)"):
            scores_from(source)
        assert scores_from(source, columns={path: "score"}).matrices["", ""].tolist() == [[0.5, 0.75]]


def test_lists_in_a_column_of_grades(tmp_path: Path) -> None:
    pl.DataFrame({"qid": ["t"], "docno": ["x"], "grade": [[1, 0]]}).write_parquet(tmp_path / "q.parquet")
    with pytest.raises(CollectionError, match=r"grade: expected a string or a number, found '\[1, 0\]'"):
        read_assessments(tmp_path / "q.parquet")


@pytest.mark.parametrize("ending", ["csv", "ndjson", "parquet", ""])
@pytest.mark.parametrize(("by", "other"), [("score", "cross_encoder_score"), ("rank", "new_rank"), ("rank", "finalRank")])
def test_second_scores_and_ranks_are_named_in_every_format(by: Literal["score", "rank"], other: str, ending: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({"qid": ["t", "t", "u"], "docno": ["x", "y", "x"], by: [2, 1, 1], other: [3, None, 1], "previous": [7, 8, 9]})
    if ending:
        getattr(frame, f"write_{ending}")(tmp_path / "r")

    def read(order: Literal["score", "rank"] | None) -> Runs | None:
        return read_runs(tmp_path / "r", order=order) if ending else from_frames({"t": {"x": 1}, "u": {"x": 1}}, frame, order=order).runs

    way = f"the ranking is by {by}, found also {other}; .*--columns {other}={by}\\) ranks by {other}, .*--order {by}\\) confirms {by}"
    with pytest.warns(CollectionWarning, match=way):
        read(None)
    assert read(by) is not None
