"""What the tests and the examples of docstrings share."""

from __future__ import annotations

import os

import pytest

import inexmetrics.vocabulary  # noqa: F401  # declares every word, before a test copies the lexicon
from inexmetrics.terms.lexicon import lexicon

pytest_plugins = ("tests.selection",)

# Tests do not depend on the width of a terminal: pytest-xdist sets COLUMNS, and readline sets COLUMNS for subprocesses without changing os.environ.
os.environ.pop("COLUMNS", None)
os.unsetenv("COLUMNS")


@pytest.fixture(autouse=True)
def own_lexicon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words added by a test are forgotten after it."""
    monkeypatch.setattr(lexicon, "_entries", dict(lexicon.entries))
