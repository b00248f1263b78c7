"""Progress bars are shown for long work, on a terminal, unless they are disabled."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from inexmetrics.cli import main
from inexmetrics.cli.console import watched
from inexmetrics.common.options import silent


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Returns a terminal in place of standard error; not a fixture, because pytest redirects the streams again for each test."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    return stream


def test_nothing_is_shown_to_files_or_against_ones_wish(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = terminal(monkeypatch)
    with watched(False) as progress:
        assert progress is silent
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with watched(True) as progress:
        assert progress is silent
    assert stream.getvalue() == ""


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = terminal(monkeypatch)
    with watched(True, clock=lambda: 0.0) as progress:
        for done in range(5):
            progress("splits", done, 4)
    assert stream.getvalue() == ""


def test_long_work_shows_how_far_it_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = terminal(monkeypatch)
    clock = iter([0.0, 0.5, 1.5, 2.0, 2.5])
    with watched(True, clock=lambda: next(clock)) as progress:
        progress("splits", 0, 50)
        assert stream.getvalue() == ""
        progress("splits", 20, 50)
        progress("tests", 1, 4)
        progress("splits", 50, 50)
    assert "splits" in stream.getvalue()
    assert "50/50" in stream.getvalue()
    assert "1/4" in stream.getvalue()


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (["scores(MAP)", "--assessments", "a.qrels", "--runs", "runs"], ["files of runs", "3/3"]),
        (["scores(MAP)", "--assessments", "a.qrels", "--runs", "runs", "--workers", "2"], ["files of runs", "3/3"]),
        (
            ["check", "--assessments", "a.qrels", "--runs", "runs", "--structure", "xml"],
            ["files of runs", "3/3", "files of the structure", "2/2"],
        ),
        (["convert", "--runs", "runs", "--structure", "xml", "--output", "out"], ["files of runs", "3/3", "files of the structure", "2/2"]),
    ],
)
def test_reading_is_shown(command: list[str], shown: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.qrels").write_text("1 0 a 1\n")
    for folder in ("runs", "xml", "out"):
        Path(folder).mkdir()
    for run in ("x", "y", "z"):
        Path("runs", run).write_text(f"1 Q0 a 1 0.5 {run}\n")
    for document in ("a", "b"):
        Path("xml", f"{document}.xml").write_text("<p>bees</p>\n")
    monkeypatch.setattr("inexmetrics.cli.console.PATIENCE", -1.0)
    stream = terminal(monkeypatch)
    assert main(command) == 0
    assert [text for text in shown if text not in stream.getvalue()] == []
    stream.truncate(0)
    assert main([*command, "--no-progress"]) == 0
    assert "files of" not in stream.getvalue()
