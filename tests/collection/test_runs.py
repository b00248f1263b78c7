"""Runs: their source files, and the topics that they answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from inexmetrics import CollectionWarning, from_frames, read_runs
from inexmetrics.collection.runs import answered


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two runs: b answers topics 1 and 3, a answers topic 2."""
    (tmp_path / "first").write_text("1 Q0 x 1 0.5 b\n3 Q0 x 1 0.5 b\n")
    (tmp_path / "second").write_text("2 Q0 x 1 0.5 a\n")
    return tmp_path


def test_runs_know_their_files(folder: Path) -> None:
    first, second = str(folder / "first"), str(folder / "second")
    runs = read_runs([first, second])
    assert runs.files == {"a": second, "b": first}
    assert list(runs.files) == ["a", "b"]
    assert runs.only(runs="b").files == {"b": first}
    assert runs.only(topics="1").files == runs.files
    assert read_runs(folder).files == runs.files


def test_a_part_is_warned_of_its_own_files(folder: Path) -> None:
    (folder / "second").write_text("2 Q0 x 1 0.5 a\n2 Q0 y 2 0.75 a\n")
    (folder / "none").write_text("no run")
    with pytest.warns(CollectionWarning):
        runs = read_runs(folder)
    skipped, contradicted = runs.warnings
    assert contradicted.file == str(folder / "second")
    assert (runs.only(runs="a").warnings, runs.only(topics="1").warnings) == (runs.warnings, runs.warnings)
    assert runs.only(runs="b").warnings == (skipped,)


def test_bad_rows_change_no_file(folder: Path) -> None:
    (folder / "second").write_text("2 Q0 x 1 0.5 a\n2 Q0 y\n")
    with pytest.warns(CollectionWarning, match="dropped"):
        runs = read_runs(folder, strict=False)
    assert runs.files == {"a": str(folder / "second"), "b": str(folder / "first")}


def test_runs_in_memory_have_none() -> None:
    runs = from_frames({"1": {"x": 1}}, {"1": {"x": 0.5}}).runs
    assert runs is not None
    assert runs.files == {}
    assert runs.only(runs="run").files == {}


def test_topics_answered(folder: Path) -> None:
    runs = read_runs(folder)
    assert answered(runs, ["1", "2", "3", "4"]).tolist() == [[False, True, False, False], [True, False, True, False]]
    assert answered(runs, ["3", "1"]).tolist() == [[False, False], [True, True]]
    assert answered(runs.only(runs="a"), ["1", "2"]).tolist() == [[False, True]]
