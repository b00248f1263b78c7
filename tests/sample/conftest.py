"""A small simulation."""

from __future__ import annotations

import pytest

from benchmarks.sample.documents import Documents, documents
from benchmarks.sample.judgements import Judgements, judgements


@pytest.fixture(scope="session")
def trees() -> Documents:
    return documents(seed=11, n=120)


@pytest.fixture(scope="session")
def judged(trees: Documents) -> list[Judgements]:
    return [judgements(trees, seed=11, topic=topic, density=1) for topic in range(6)]
