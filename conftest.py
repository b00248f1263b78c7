"""What the tests and the examples of docstrings share."""

from __future__ import annotations

import pytest

import inexmetrics.vocabulary  # noqa: F401  # declares every word, before a test copies the lexicon
from inexmetrics.terms.lexicon import lexicon


@pytest.fixture(autouse=True)
def own_lexicon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words added by a test are forgotten after it."""
    monkeypatch.setattr(lexicon, "_entries", dict(lexicon.entries))
