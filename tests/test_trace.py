"""How far a question is passed on has a bound, so that nobody adds to it without noticing."""

from __future__ import annotations

import re

import pytest

from benchmarks import trace

FUNCTIONS, FILES, CHANGES = 206, 50, 84


def test_a_question_is_passed_on_no_farther(capsys: pytest.CaptureFixture[str]) -> None:
    trace.main()
    functions, files, changes = map(int, re.findall(r"\d+", capsys.readouterr().out)[:3])
    assert functions <= FUNCTIONS
    assert files <= FILES
    assert changes <= CHANGES
