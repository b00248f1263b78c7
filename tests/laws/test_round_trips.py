"""Laws of files: every format that the library writes is read back, or is for people and is refused with one clear error."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import get_args

import polars as pl
import pytest

from inexmetrics import Collection, CollectionError, CollectionWarning, Structure, from_frames, read_runs, run, scores_from, write_runs
from inexmetrics.cli import main
from inexmetrics.cli.arguments import Style
from inexmetrics.retrieval.run_files import RunFormat

TOPICS = ("301", "T 2", "é")
FOR_PEOPLE = {"table", "markdown", "latex"}
"""Formats of results that programs do not read: numbers have four decimals."""


def collection() -> Collection:
    """Returns three runs over three topics; topic é has no relevant text under the last judgement, so that it is undefined."""
    judged = {
        "topic_id": list(TOPICS), "doc_id": ["d", "d", "e"], "start": [10, 0, None], "length": [20, 7, None], "docchars": [90, 90, 30],
    }  # fmt: skip
    rows = [
        (run_id, topic, doc, start, 9 + place, 3.0 - rank)
        for place, run_id in enumerate(("a", "b-1", "ç"))
        for topic in TOPICS
        for rank, (doc, start) in enumerate((("d", 5 * place), ("e", 0)))
    ]
    found = pl.DataFrame(rows, ["run_id", "topic_id", "doc_id", "start", "length", "score"], orient="row")
    return from_frames(judged, found)


@pytest.mark.parametrize("style", get_args(Style))
def test_results_are_read_back_or_are_for_people(style: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The scores of a result are equal to the last bit, and topics that are undefined stay undefined."""
    whole = collection()
    formula = "scores(char_f1 + iP@0.01)" if style == "inex_eval" else "scores(char_f1 + iP@0.01 + nDCG@3)"
    monkeypatch.setattr("inexmetrics.cli.sources.sample", lambda: whole)
    path = tmp_path / "result"
    table = [] if style in {"json", "table"} else ["--table", "per_topic"]
    assert main([formula, "--format", style, *table, "--output", str(path)]) == 0
    if style in FOR_PEOPLE:
        with pytest.raises(CollectionError) as refused:
            scores_from(path)
        assert len(str(refused.value)) < 600
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        expected = run(formula, whole).tables["per_topic"]
        read = scores_from(path)
        again = run(formula, read).tables["per_topic"]
    assert again.equals(expected)
    assert expected["score"].null_count() > 0
    assert main([formula, "--scores", str(path), "--format", "csv", "--table", "per_topic", "--output", str(tmp_path / "again.csv")]) == 0
    assert scores_from(tmp_path / "again.csv").runs == read.runs


def test_a_result_without_scores_by_topic_is_refused(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        text = run("significance(char_f1)", collection()).to_json()
    (tmp_path / "pairs.json").write_text(text)
    with pytest.raises(
        CollectionError, match=r"expected a result with scores by topic, such as that of scores\(MAP\), found the result of"
    ):
        scores_from(tmp_path / "pairs.json")
    for cut in (text[: len(text) // 2], text.replace('"tables"', '"table"')):
        (tmp_path / "cut.json").write_text(cut)
        with pytest.raises(CollectionError, match="expected a complete result in JSON, found a file that was cut or changed"):
            scores_from(tmp_path / "cut.json")


ELEMENTS = {
    "doc_id": ["d"] * 3,
    "path": ["/article[1]", "/article[1]/p[1]", "/article[1]/p[2]"],
    "start": [0, 0, 40],
    "length": [90, 40, 50],
}
RESULTS: dict[RunFormat, tuple[str, ...]] = {
    "fol": ("start", "length"), "trec": (), "xpath": ("path",), "inex": ("path",), "parquet": ("path", "start", "length"),
}  # fmt: skip


@pytest.mark.parametrize("form", get_args(RunFormat))
def test_runs_are_read_back(form: RunFormat, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """write_runs, and convert to the same format, give equal results, ranks and scores."""
    elements = list(pl.DataFrame(ELEMENTS).iter_rows())[1:]
    rows = [("a", topic, *element, 2.5 - number) for topic in ("1", "10") for number, element in enumerate(elements)]
    if form == "trec":
        rows = [(*row[:2], f"d{number % 2}", *row[3:]) for number, row in enumerate(rows)]
    frame = pl.DataFrame(rows, ["run_id", "topic_id", "doc_id", "path", "start", "length", "score"], orient="row")
    frame = frame.select("run_id", "topic_id", "doc_id", *RESULTS[form], "score")
    runs = from_frames({"topic_id": ["1", "10"], "doc_id": ["d", "d"], "grade": [1, 1]}, frame, order="file").runs
    assert runs is not None
    path, converted = tmp_path / f"a.{form}", tmp_path / f"b.{form}"
    write_runs(runs, path, form, None if form == "parquet" else Structure(pl.DataFrame(ELEMENTS)))
    read = read_runs(path, order="file")
    shared = ["run_id", "topic_id", "doc_id", *RESULTS[form], "score"]
    assert read.results.select(shared).cast(pl.String).equals(runs.results.select(shared).cast(pl.String))
    assert main(["convert", "--runs", str(path), "--format", form, "--order", "file", "--output", str(converted)]) == 0
    assert capsys.readouterr().err == ""
    assert read_runs(converted, order="file").results.equals(read.results)
