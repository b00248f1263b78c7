"""Progress is shown for long work, on a terminal, to those who want it."""

from __future__ import annotations

import io
import sys

import pytest

from inexmetrics.cli.progress import watched
from inexmetrics.common.options import silent


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal in the place of standard error; a fixture would be too early, as pytest captures anew for each test."""
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
