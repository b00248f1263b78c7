"""Code that type checkers must accept or reject: mypy, and pyrefly as a second type checker."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

CONSUMER = Path(__file__).with_name("consumer.py")
ROOT = CONSUMER.parents[2]
IGNORED = re.compile(r"  # type: ignore\[([\w-]+)\].*$", re.MULTILINE)
MISTAKES = {
    number: found[1]
    for number, line in enumerate(CONSUMER.read_text().splitlines(), start=1)
    if (found := IGNORED.search(line)) is not None
}
"""Error code of each line with a deliberate mistake."""


@pytest.fixture
def stripped(tmp_path: Path) -> Path:
    """Returns the consumer's code without its ignores."""
    path = tmp_path / "stripped.py"
    path.write_text(IGNORED.sub("", CONSUMER.read_text()))
    return path


def test_there_are_mistakes() -> None:
    assert len(MISTAKES) > 10


@pytest.mark.slow
def test_mypy_finds_each_mistake_and_nothing_else(stripped: Path, tmp_path: Path) -> None:
    """Each mistake is an error with the code that its ignore names."""
    api = pytest.importorskip("mypy.api", reason="mypy is not installed: it belongs to the extra dev")
    output, _, _ = api.run(
        ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(tmp_path / "cache"), "--no-error-summary", str(stripped)]
    )
    found = {int(number): code for number, code in re.findall(r"stripped\.py:(\d+): error: .*\[([\w-]+)\]$", output, re.MULTILINE)}
    assert found == MISTAKES


def test_pyrefly_finds_each_mistake_and_nothing_else(stripped: Path) -> None:
    pytest.importorskip("pyrefly", reason="pyrefly is not installed: it belongs to the extra dev")
    options = ["--config", str(ROOT / "pyproject.toml"), "--python-interpreter-path", sys.executable, "--output-format", "min-text"]
    done = subprocess.run(
        [sys.executable, "-m", "pyrefly", "check", *options, str(stripped)], capture_output=True, text=True, timeout=120, check=False
    )
    assert [int(number) for number in re.findall(r"stripped\.py:(\d+):", done.stdout)] == list(MISTAKES), done.stderr
