"""What mypy must accept and what it must refuse, told by mypy itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CONSUMER = Path(__file__).with_name("consumer.py")


@pytest.mark.slow
def test_the_consumer_is_clean_and_its_mistakes_are_caught(tmp_path: Path) -> None:
    """Without its ignores, each mistake is an error of the code that its ignore names, and nothing else is."""
    api = pytest.importorskip("mypy.api", reason="mypy is not installed: it belongs to the extra dev")
    text = CONSUMER.read_text()
    expected = {
        number: re.findall(r"ignore\[([\w-]+)\]", line)[0]
        for number, line in enumerate(text.splitlines(), start=1)
        if "# type: ignore[" in line
    }
    assert len(expected) > 10
    stripped = tmp_path / "stripped.py"
    stripped.write_text(re.sub(r"  # type: ignore\[.*$", "", text, flags=re.MULTILINE))
    root = CONSUMER.parents[2]
    output, _, _ = api.run(
        ["--config-file", str(root / "pyproject.toml"), "--cache-dir", str(tmp_path / "cache"), "--no-error-summary", str(stripped)]
    )
    found = {int(number): code for number, code in re.findall(r"stripped\.py:(\d+): error: .*\[([\w-]+)\]$", output, re.MULTILINE)}
    assert found == expected
