"""The commands that create and convert runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inexmetrics import read_runs, retrieve
from inexmetrics.cli import main


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "articles").mkdir()
    (tmp_path / "articles" / "bees.xml").write_text("<article><title>Bees</title><sec>Bees make <it>honey</it></sec></article>")
    (tmp_path / "articles" / "wasps.xml").write_text("<article><title>Wasps</title><sec>Wasps make paper</sec></article>")
    (tmp_path / "topics.tsv").write_text("1\thoney\n2\tpaper nests\n")
    return tmp_path


def program(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


def test_a_run_from_documents_and_topics(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ("--documents", folder / "articles", "--topics", folder / "topics.tsv")
    assert program("retrieve", *given, "--output", folder / "mine.fol") == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert re.fullmatch(
        r"2 articles with 7 elements indexed in \d+\.\d s\n5 results for 2 topics in \d+\.\d s(; peak memory \d\.\d\d GB)?\n", told.err
    )
    expected = retrieve(folder / "articles", folder / "topics.tsv").results
    assert read_runs(folder / "mine.fol").results.select("doc_id", "start", "score").equals(expected.select("doc_id", "start", "score"))
    assert (
        program("retrieve", *given, "--unit", "leaves", "--results", 1, "--tags", "sec", "it", "--run-id", "mine", "--format", "xpath") == 0
    )
    lines = [line.split(" ") for line in capsys.readouterr().out.splitlines()]
    assert [(line[2], *line[5:]) for line in lines] == [
        ("bees", "mine", "/article[1]/sec[1]/it[1]"),
        ("wasps", "mine", "/article[1]/sec[1]"),
    ]


def test_documents_are_cleaned(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ("--documents", folder / "articles", "--topics", folder / "topics.tsv", "--output", folder / "mine.fol")
    assert program("retrieve", *given, "--keep-tags", "article", "sec") == 0
    expected = retrieve(folder / "articles", folder / "topics.tsv", keep_tags=["article", "sec"]).results
    assert read_runs(folder / "mine.fol").results.select("doc_id", "start", "score").equals(expected.select("doc_id", "start", "score"))
    assert "2 articles with 4 elements indexed" in capsys.readouterr().err
    assert program("retrieve", *given, "--drop-tags", "it") == 0
    assert 'found none in "honey"' in capsys.readouterr().err  # which only an it contains


def test_stop_words_and_topics_without_terms_are_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "stop.txt").write_text("paper\n")
    given = ("--documents", folder / "articles", "--topics", folder / "topics.tsv", "--stop-words", folder / "stop.txt")
    assert program("retrieve", *given) == 0
    told = capsys.readouterr()
    assert told.out.startswith("1 Q0 bees 1 ")
    assert told.err.startswith(
        'warning: topic 2: expected terms that the documents have, found none in "paper nests": no results\n'
        f"warning: run lnu-ltu-stop: 1 stop word from {folder / 'stop.txt'} removed\n"
    )


@pytest.mark.parametrize(
    ("options", "message", "code"),
    [
        (["--slope", "2"], "--slope: expected a number from 0 to 1, found 2", 2),
        (["--run-id", "a b"], '--run-id: expected a name of printable characters without white space, found "a b"', 2),
        (["--results", "0"], "--results: expected an integer of at least 1, found 0", 2),
        (["--stemmer", "inglish"], "--stemmer: expected one of", 2),
        (["--tags", "para"], 'tags: expected tags of the indexed elements, found "para"', 1),
        (["--keep-tags", "it", "--drop-tags", "it"], '--drop-tags: expected tags that keep_tags does not name, found "it" in both', 2),
        (["--drop-tags", "para"], 'drop_tags: expected tags of the documents, found "para"', 1),
        (["--field", "name"], 'field: expected "title" or "castitle" or "description", found "name"', 1),
        (["--format", "trec"], "a TREC run: expected results that have no place in a document, found", 1),
        (["--output", "no/such/file"], "--output: there is no folder no/such", 2),
    ],
)
def test_what_is_wrong_is_said(folder: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str, code: int) -> None:
    pytest.importorskip("snowballstemmer")
    assert program("retrieve", "--documents", folder / "articles", "--topics", folder / "topics.tsv", *options) == code
    assert f"error: {message}" in capsys.readouterr().err


def test_runs_in_other_formats(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ("--documents", folder / "articles", "--topics", folder / "topics.tsv", "--unit", "leaves")
    assert program("retrieve", *given, "--format", "inex", "--output", folder / "a.xml") == 0
    capsys.readouterr()
    assert program("convert", "--runs", folder / "a.xml", "--structure", folder / "articles") == 0
    first = capsys.readouterr().out.splitlines()[0].split(" ")
    assert (first[:4], first[5:]) == (["1", "Q0", "bees", "1"], ["lnu-ltu", "14", "5"])
    assert program("convert", "--runs", folder / "a.xml", "--format", "fol") == 1
    assert "a FOL run: expected results that have an offset and a length, found 2 results of another kind" in capsys.readouterr().err
    (folder / "runs").mkdir()
    (folder / "b.run").write_text("1 Q0 d 1 1.5 b\n")
    (folder / "c.run").write_text("1 Q0 d 1 1.5 c\n")
    both = ("--runs", folder / "b.run", folder / "c.run", "--format", "trec")
    assert program("convert", *both) == 2
    assert "--output: expected a folder for 2 runs, found none" in capsys.readouterr().err
    assert program("convert", *both, "--output", folder / "runs") == 0
    assert (folder / "runs" / "c.run").read_text() == "1 Q0 d 1 1.5 c\n"


def test_nested_records_are_converted_as_the_error_says(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = folder / "nested.jsonl"
    run.write_text('{"frage": "9", "meta": {"file": "bees", "start_index": 30}, "content": "honey"}\n')
    given = ("convert", "--runs", run, "--format", "fol", "--order", "file", "--whole-documents")
    assert program(*given) == 1
    way = re.search(r"\((--columns [^)]*)\)", capsys.readouterr().err)
    assert way is not None
    assert program(*given, *way[1].split()) == 0
    assert capsys.readouterr().out == "9 Q0 bees 1 1.0 nested 30 5\n"
    assert program(*given, "--columns", "frage=topic_id", "meta.file=doc_id", "nowhere=rank") == 1
    assert "expected a table with the column of nowhere=rank" in capsys.readouterr().err
    assert program(*given, "--columns", "frage=topics") == 2


def test_runs_that_are_read_are_not_replaced(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = folder / "runs"
    runs.mkdir()
    (runs / "a.fol").write_text("1 Q0 bees 1 0.5 a 0 5\n")
    for output in (runs, runs / "a.fol"):
        assert program("convert", "--runs", runs, "--output", output) == 2
        assert "other than the input files, found " in capsys.readouterr().err
    assert program("convert", "--runs", runs / "a.fol", "--output", runs / "a.fol") == 2
    given = ("retrieve", "--documents", folder / "articles", "--topics", folder / "topics.tsv")
    assert program(*given, "--output", folder / "topics.tsv") == 2
    assert (runs / "a.fol").read_text() == "1 Q0 bees 1 0.5 a 0 5\n"
    assert (folder / "topics.tsv").read_text().startswith("1\thoney")


def test_no_run_takes_the_place_of_what_is_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    articles, document = folder / "articles", folder / "articles" / "bees.xml"
    text = document.read_text()
    assert program("retrieve", "--documents", articles, "--topics", folder / "topics.tsv", "--output", document) == 2
    assert f"--output: expected a file other than the input files, found {document}" in capsys.readouterr().err
    (folder / "runs").mkdir()
    run = folder / "runs" / "bees.run"
    run.write_text("1 Q0 bees 1 1.0 bees\n")
    assert program("convert", "--runs", folder / "runs", "--output", run) == 2
    assert f"--output: expected a file other than the input files, found {run}" in capsys.readouterr().err
    # A run called as a document is, which is written as an INEX submission into the folder of documents.
    assert program("convert", "--runs", run, "--structure", articles, "--format", "inex", "--output", articles) == 2
    assert f"--output: expected a file other than the input files, found {document}" in capsys.readouterr().err
    assert document.read_text() == text
