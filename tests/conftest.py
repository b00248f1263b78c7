"""Fixtures of all tests."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"

collect_ignore = ["typing/consumer.py"]  # checked by mypy, never run: it declares words of its own


@pytest.fixture(scope="session")
def shared() -> Path:
    """Returns the folder of real assessments, runs and score matrices next to the repository."""
    if not SHARED.is_dir():
        pytest.skip(f"real data is not here: expected the folder {SHARED}")
    return SHARED


@pytest.fixture
def common() -> Iterator[Path]:
    """Returns a folder that every user may enter; pytest's own temporary folder is private."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
