"""A result on a terminal: bold and dim text, and the finding repeated if it has scrolled away."""

from __future__ import annotations

import io
import re
import sys

import pytest

from inexmetrics import run, sample
from inexmetrics.cli import main

BOLD, DIM, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, *arguments: str, lines: int, **environment: str) -> list[str]:
    terminal = Terminal(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", terminal)
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"COLUMNS": "80", "LINES": str(lines), **environment}.items():
        monkeypatch.setenv(name, value)
    assert main([*arguments]) == 0
    terminal.seek(0)
    return terminal.read().splitlines()


@pytest.mark.skipif(sys.platform == "win32", reason="consoles without escape codes")
def test_the_finding_is_bold_and_hints_are_dim(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(monkeypatch, "scores(MAP)", lines=100)
    bold = [line for line in lines if line.startswith(BOLD)]
    assert " ".join(line.removeprefix(BOLD).removesuffix(PLAIN) for line in bold) == run("scores(MAP)", sample()).finding
    assert lines[-2:] == [
        f"{DIM}also: per_topic (870 rows){PLAIN}",
        f"{DIM}all rows: --rows all; one table: --table NAME; data: --table NAME --format csv{PLAIN}",
    ]


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_the_finding_is_repeated_where_it_has_scrolled_away(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    tall = shown(monkeypatch, "scores(MAP)", lines=24, **environment)
    high = shown(monkeypatch, "scores(MAP)", lines=100, **environment)
    assert not any("\x1b" in line for line in tall)
    assert tall == [*high, "", *high[3 : high.index("scores") - 1]]


def test_what_is_no_terminal_has_neither(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINES", "10")
    assert main(["scores(MAP)"]) == 0
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert printed.count("has the highest mean") == 1


def test_warnings_and_errors_are_as_wide_as_the_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ["significance(MAP | bootstrap(b=100))"], ["scores(MAP)", "--only-runs", "nobody"], ["agreement(RR)"]
    wide = []
    for arguments in asked:
        main(arguments)
        wide.append(capsys.readouterr().err)
    assert max(map(len, wide[0].splitlines())) > 60
    monkeypatch.setenv("COLUMNS", "60")
    for arguments, unwrapped in zip(asked, wide, strict=True):
        main(arguments)
        shown = capsys.readouterr().err
        assert max(map(len, shown.splitlines())) <= 60
        assert re.sub(r"\n    (?!agreement| *\^)|\n  (?! |hint: )", " ", shown) == unwrapped
    main(["scores(nDCG@10 ~ Gen5, interval=2, interval=3, interval=4, interval=5, interval=6)"])
    assert capsys.readouterr().err.splitlines()[1].endswith("interval=6)")  # the caret below stays in its place
