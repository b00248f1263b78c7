"""Bounds on the number of functions, files and changes of subpackage that a question needs."""

from __future__ import annotations

import re

import pytest

from benchmarks import trace

BOUNDS = {"python": (301, 55, 132), "files": (470, 81, 226), "sample": (440, 81, 329)}
"""Maximum number of functions, files and changes of subpackage for each question."""


def test_a_question_is_passed_on_no_farther(capsys: pytest.CaptureFixture[str]) -> None:
    trace.main([])
    found = re.findall(r"(?m)^(\w+): (\d+) functions in (\d+) files, (\d+) changes of room$", capsys.readouterr().out)
    counted = {question: tuple(map(int, counts)) for question, *counts in found}
    assert counted.keys() == BOUNDS.keys()
    farther = {question: counts for question, counts in counted.items() if any(map(int.__gt__, counts, BOUNDS[question]))}
    assert not farther, (
        f"functions, files and changes of subpackage, at most {BOUNDS}: call fewer, or raise BOUNDS by the few that you need"
    )
