"""The files that the checks of every change name exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def test_the_part_of_the_tests_that_other_environments_run_is_there() -> None:
    script = ROOT / ".ci" / "run"
    if not script.exists():
        pytest.skip(f"{script} is not here")
    part = re.search(r"^part=\((.*)\)$", script.read_text(), re.MULTILINE)
    assert part is not None
    assert [path for path in part[1].split() if not (ROOT / path).exists()] == []
