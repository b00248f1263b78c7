"""Judgements of ir_datasets, given in place of files."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

from inexmetrics import MAP, Collection, CollectionError, from_frames, read_assessments, run, scores
from inexmetrics.cli import main
from inexmetrics.reading.files import Paths

QRELS = "1 0 a 2\n1 0 b 0\n2 0 c 1\n"


class TrecQrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str


class TrecSubQrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    subtopic_id: str


class EvidenceQrel(NamedTuple):
    query_id: str
    doc_id: str
    start: int
    length: int


ROWS = [TrecQrel("1", "a", 2, "0"), TrecQrel("1", "b", 0, "0"), TrecQrel("2", "c", 1, "0")]


class Named:
    """A data set with the attributes of ir_datasets."""

    def __init__(self, rows: object) -> None:
        self.rows = rows

    def has_qrels(self) -> bool:
        return self.rows is not None

    @property
    def qrels(self) -> Iterator[object]:
        if isinstance(self.rows, Exception):
            raise self.rows
        assert isinstance(self.rows, list)
        return iter(self.rows)


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> dict[str, Named]:
    """Returns the data sets of a module that replaces ir_datasets."""
    module = ModuleType("ir_datasets")
    held: dict[str, Named] = {}
    monkeypatch.setattr(module, "registry", held, raising=False)
    monkeypatch.setitem(sys.modules, "ir_datasets", module)
    return held


EXPECTED = from_frames(ROWS).fingerprint


def fingerprint(path: Paths) -> str:
    return Collection(read_assessments(path)).fingerprint


def problem(path: Paths) -> str:
    with pytest.raises(CollectionError) as error:
        read_assessments(path)
    return str(error.value)


def test_judgements(known: dict[str, Named]) -> None:
    known["own/test"] = Named(ROWS)
    assert fingerprint("irds:own/test") == EXPECTED
    assert fingerprint(Path("irds:own/test")) == EXPECTED


def test_passages(known: dict[str, Named]) -> None:
    known["evidence"] = Named([EvidenceQrel("1", "a", 10, 5), EvidenceQrel("1", "a", 15, 5)])
    read = read_assessments("irds:evidence", merge_passages=True).passages
    assert read is not None
    assert read.rows() == [("1", "a", 10, 10)]


def test_beside_files(known: dict[str, Named], tmp_path: Path) -> None:
    known["own"] = Named(ROWS[:2])
    other = tmp_path / "other.qrels"
    other.write_text("2 0 c 1\n")
    assert fingerprint([other, "irds:own"]) == EXPECTED
    several = read_assessments({"file": other, "set": "irds:own"}).assessors
    assert several is not None
    assert several["assessor"].to_list() == ["file", "set", "set"]
    other.write_text(QRELS)
    remedy = "a dictionary {name: judgements} (--assessments NAME=PATH) reads the judgements of several assessors separately"
    assert problem([other, "irds:own"]) == (
        f"irds:own: topic 1: row 0: expected one grade for topic 1, document a, found a second one (the first is at {other}:1); {remedy}\n"
        f"irds:own: topic 1: row 1: expected one grade for topic 1, document b, found a second one (the first is at {other}:2); {remedy}"
    )


def test_wrong_rows_are_named(known: dict[str, Named]) -> None:
    known["own"] = Named([*ROWS, TrecQrel("2", "c", 0, "0")])
    assert (
        problem("irds:own")
        == "irds:own: topic 2: row 3: expected one grade for topic 2, document c, found a second one (the first is in row 2 of irds:own)"
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("beir/scifct", "expected a data set of ir_datasets, found 'beir/scifct'; did you mean beir/scifact?"),
        ("", "expected a data set of ir_datasets, found ''"),
        ("beir", "expected a data set with judgements (qrels), found one without; data sets with judgements: beir/scifact"),
        ("documents", "expected a data set with judgements (qrels), found one without"),
        ("subtopics", "expected judgements for topics, found judgements for subtopics (subtopic_id)"),
        ("offline", "expected judgements, found an error from ir_datasets: All download sources failed"),
        ("silent", "expected judgements, found an error from ir_datasets: KeyError"),
        ("nameless", "qrels: row 0: expected named values (a named tuple, dataclass or mapping), found a Python str"),
    ],
)
def test_what_is_none(known: dict[str, Named], name: str, expected: str) -> None:
    known |= {
        "beir": Named(None),
        "beir/scifact": Named(ROWS),
        "documents": Named(None),
        "subtopics": Named([TrecSubQrel("1", "a", 1, "1"), TrecSubQrel("1", "a", 1, "2")]),
        "offline": Named(RuntimeError("All download sources failed", ["…"])),
        "silent": Named(KeyError()),
        "nameless": Named(["1 0 a 1"]),
    }
    assert problem(f"irds:{name}") == f"irds:{name}: {expected}"


def test_no_judgements(known: dict[str, Named]) -> None:
    known["empty"] = Named([])
    assert problem("irds:empty").startswith("irds:empty: expected a column")


def test_the_package_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    assert problem("irds:own") == (
        'irds:own: data sets need the package ir_datasets: pip install "inexmetrics[datasets]" '
        '(in a clone of the repository: pip install ".[datasets]")'
    )


def test_from_the_command_line(known: dict[str, Named], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known["own"] = Named(ROWS)
    found = tmp_path / "bm25.run"
    found.write_text("1 Q0 a 1 2.0 bm25\n2 Q0 x 1 2.0 bm25\n2 Q0 c 2 1.0 bm25\n")
    arguments = ["scores(MAP)", "--runs", str(found), "--format", "csv", "--assessments"]
    assert main([*arguments, "irds:own"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("bm25,MAP,1,2,0.75,")
    assert main([*arguments, "irds:other"]) == 1
    assert "irds:other: expected a data set of ir_datasets, found 'other'" in capsys.readouterr().err


NUMBERS = count()


def test_with_the_package_itself(tmp_path: Path) -> None:
    ir_datasets = pytest.importorskip("ir_datasets", reason="ir_datasets is not installed")
    qrels = tmp_path / "own.qrels"
    qrels.write_text(QRELS)
    name = f"inexmetrics-{next(NUMBERS)}"
    ir_datasets.registry.register(name, ir_datasets.create_dataset(qrels_trec=str(qrels)))
    assert fingerprint(f"irds:{name}") == fingerprint(qrels)
    collection = Collection(read_assessments(f"irds:{name}"), from_frames(ROWS, {"1": {"b": 2.0, "a": 1.0}, "2": {"c": 1.0}}).runs)
    assert run(scores(MAP), collection).table["mean"].item() == 0.75
    assert problem("irds:msmarco-passage").startswith(
        "irds:msmarco-passage: expected a data set with judgements (qrels), found one without; data sets with judgements: msmarco-passage/dev"
    )
