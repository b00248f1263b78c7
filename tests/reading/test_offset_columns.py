"""Offsets under the column names of other tools, and results without offsets for evidence with passages."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Final

import polars as pl
import pytest

from inexmetrics import MAP, Collection, CollectionError, CollectionWarning, from_frames, read_assessments, read_runs, run, scores
from inexmetrics import char_prec as precision
from inexmetrics.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

EVIDENCE: Final = pl.DataFrame(
    [("q1", "orchard", 25, 110, 3203), ("q2", "brewery", 10, 60, 3081)],
    schema=["query_id", "doc_id", "start", "end", "docchars"],
    orient="row",
)
OTHERS: Final = ["start_index end_index", "start_char_idx end_char_idx", "char_start char_end", "chunk_start chunk_end", "begin stop"]


def chunks(start: str, end: str) -> pl.DataFrame:
    return pl.DataFrame(
        [("q1", "orchard", 0, 200, 1.0), ("q2", "brewery", 0, 100, 0.4)], schema=["query_id", "doc_id", start, end, "score"], orient="row"
    )


def csv(folder: Path, table: pl.DataFrame, name: str) -> Path:
    path = folder / f"{name}.csv"
    table.write_csv(path)
    return path


def json_lines(folder: Path, table: pl.DataFrame, name: str) -> Path:
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in table.iter_rows(named=True)))
    return path


def parquet(folder: Path, table: pl.DataFrame, name: str) -> Path:
    path = folder / f"{name}.parquet"
    table.write_parquet(path)
    return path


def mean(collection: Collection) -> float:
    value: float = run(scores(precision), collection).table["mean"].item()
    return value


@pytest.mark.parametrize("names", OTHERS)
def test_offsets_of_other_tools_are_read_from_frames_and_dictionaries(names: str) -> None:
    start, end = names.split()
    evidence = EVIDENCE.rename({"start": start, "end": end})
    for found in (chunks(start, end), {"run": chunks(start, end).to_dict(as_series=False)}, chunks(start, end).rows(named=True)):
        assert mean(from_frames(evidence, found)) == pytest.approx((85 / 200 + 50 / 100) / 2)


@pytest.mark.parametrize("write", [csv, json_lines, parquet])
@pytest.mark.parametrize("names", OTHERS[:2])
def test_offsets_of_other_tools_are_read_from_files(write: Callable[[Path, pl.DataFrame, str], Path], names: str, tmp_path: Path) -> None:
    start, end = names.split()
    evidence = write(tmp_path, EVIDENCE.rename({"start": start, "end": end}), "evidence")
    collection = Collection(read_assessments(evidence), read_runs(write(tmp_path, chunks(start, end), "run")))
    assert mean(collection) == pytest.approx((85 / 200 + 50 / 100) / 2)


def test_two_other_names_of_one_column_are_an_error() -> None:
    with pytest.raises(CollectionError, match=r"expected one column .*found offset, start_index; rename the intended column to start"):
        from_frames(EVIDENCE, chunks("start_index", "end").with_columns(offset=0))


@pytest.mark.parametrize("write", [csv, json_lines, parquet])
@pytest.mark.parametrize(
    ("start", "said"),
    [("firstByte", "firstByte says bytes"), ("from line", "from line says lines"), ("tokens_from", "tokens_from says tokens")],
)
def test_offsets_in_other_units_are_doubted(
    write: Callable[[Path, pl.DataFrame, str], Path], start: str, said: str, tmp_path: Path
) -> None:
    columns = {start: "start", "last": "end"}
    evidence, results = (
        write(tmp_path, table.rename({"start": start, "end": "last"}), name)
        for table, name in ((EVIDENCE, "e"), (chunks("start", "end"), "r"))
    )
    for read, path in ((read_assessments, evidence), (read_runs, results)):
        with pytest.warns(
            CollectionWarning, match=f"{path.name}: offsets are read as characters, but {said}; if they are characters, rename"
        ):
            read(path, columns=columns)
    for unit, doubted in (("bytes", True), ("utf8", True), ("Characters", False), ("chars", False)):
        found = chunks("begin", "stop").with_columns(unit=pl.lit(unit))
        if doubted:
            with pytest.warns(CollectionWarning, match=f"offsets are read as characters, but unit says {unit}"):
                read_runs(write(tmp_path, found, "u"))
        else:
            assert read_runs(write(tmp_path, found, "u")).warnings == ()


@pytest.mark.parametrize("write", [csv, json_lines, parquet])
def test_pages_are_joined_to_documents(write: Callable[[Path, pl.DataFrame, str], Path], tmp_path: Path) -> None:
    pages = pl.DataFrame({"qid": ["u", "u", "v"], "docno": ["k"] * 3, "Page": [4, 5, 5], "start": [0, 0, 8], "end": [9, 9, 20]})
    path, way = write(tmp_path, pages, "p"), r"if offsets are counted within each Page, .*--columns docno=doc_id Page=doc_id\) joins it"
    with pytest.warns(CollectionWarning) as told:
        read_runs(path)
    assert [bool(re.search(way, str(each.message))) for each in told] == [True, False]
    assert "run_id" not in "".join(str(each.message) for each in told)
    with pytest.raises(CollectionError, match=f"found a second one .*{way}"):
        read_assessments(path)
    stated = {"docno": "doc_id", "Page": "doc_id"}
    assert mean(Collection(read_assessments(path, columns=stated), read_runs(path, columns=stated))) == 1


@pytest.mark.parametrize("write", [csv, json_lines, parquet])
def test_a_table_without_offsets_is_an_error_that_names_its_ignored_columns(
    write: Callable[[Path, pl.DataFrame, str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = chunks("first", "last")
    evidence, results = write(tmp_path, EVIDENCE, "evidence"), write(tmp_path, found, "mine")
    expected = r"expected offsets .columns start, and length or end. in the results of run mine, found only other columns .first, last.; .*whole_documents=True"
    with pytest.raises(CollectionError, match=expected):
        Collection(read_assessments(evidence), read_runs(results))
    with pytest.raises(CollectionError, match=expected):
        from_frames(EVIDENCE, {"mine": found})
    for command in ("check", "scores(char_prec)"):
        assert main([command, "--assessments", str(evidence), "--runs", str(results)]) == 1
        shown = "".join(capsys.readouterr())
        assert f"{results}: expected offsets" in shown
        assert "(first, last)" in shown
        assert main([command, "--assessments", str(evidence), "--runs", str(results), "--whole-documents"]) == 0
        assert "warning" not in capsys.readouterr().err


def test_texts_of_chunks_are_ignored_columns() -> None:
    found = chunks("chunk_id", "text").cast({"text": pl.String})
    with pytest.raises(CollectionError, match=r"found only other columns .chunk_id, text.; "):
        from_frames(EVIDENCE, found)


def test_whole_documents_are_asked_for_or_a_warning() -> None:
    found = chunks("first", "last")
    whole = (85 / 3203 + 50 / 3081) / 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mean(from_frames(EVIDENCE, found, whole_documents=True)) == pytest.approx(whole)
    documents = from_frames(EVIDENCE, found.drop("first", "last"))
    warning = r"found no offsets in run run: 2 results count as whole documents; whole_documents=True .*\(char_prec\)"
    with pytest.warns(CollectionWarning, match=warning):
        assert mean(documents) == pytest.approx(whole)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run(scores(MAP), documents).table["mean"].item() == 1


def test_a_trec_run_on_passages_is_a_run_of_documents(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evidence, results = csv(tmp_path, EVIDENCE, "evidence"), tmp_path / "articles.run"
    results.write_text("q1 Q0 orchard 1 2.0 articles\nq2 Q0 brewery 1 1.0 articles\n")
    files = ["--assessments", str(evidence), "--runs", str(results)]
    assert main(["scores(MAP)", *files]) == 0
    assert "offsets" not in capsys.readouterr().err
    for command in ("check", "scores(char_prec)", "curve(MAiP)"):
        assert main([command, *files]) == 0
        assert "found no offsets in run articles: 2 results count as whole documents" in "".join(capsys.readouterr())
        assert main([command, *files, "--whole-documents"]) == 0
        assert "found no offsets" not in "".join(capsys.readouterr())


def test_columns_that_cannot_be_offsets_are_not_ignored_ones() -> None:
    """Columns of PyTerrier's and trectools' runs."""
    documents = {
        "qid": ["q1"],
        "docno": ["orchard"],
        "docid": [7],
        "Q0": ["Q0"],
        "query": ["apples"],
        "rank": [1],
        "score": [1.0],
        "system": ["x"],
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert from_frames(EVIDENCE.head(1), documents).runs is not None


def test_graded_documents_need_no_offsets() -> None:
    found = chunks("first", "last")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        grades = EVIDENCE.select("query_id", "doc_id", grade=1)
        assert from_frames(grades, found).runs is not None
        assert from_frames(EVIDENCE, chunks("start", "end")).only(topics="q1").runs is not None


def test_runs_that_were_read_say_themselves_whether_they_are_whole_documents(tmp_path: Path) -> None:
    runs = read_runs(csv(tmp_path, chunks("first", "last"), "mine"))
    with pytest.raises(CollectionError, match="whole_documents= has no effect on runs that have already been read"):
        from_frames(EVIDENCE, runs, whole_documents=True)
    with pytest.raises(CollectionError, match=r"(first, last)"):
        from_frames(EVIDENCE, runs)
