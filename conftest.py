"""What the tests and the examples of docstrings share."""

from __future__ import annotations

import os

import pytest

import inexmetrics.vocabulary  # noqa: F401  # declares every word, before a test copies the lexicon
from inexmetrics.terms.lexicon import lexicon

os.environ.pop("COLUMNS", None)  # the width of whose terminal it is, which the workers of a distributed run set, is no matter of a test


@pytest.fixture(autouse=True)
def own_lexicon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words added by a test are forgotten after it."""
    monkeypatch.setattr(lexicon, "_entries", dict(lexicon.entries))
