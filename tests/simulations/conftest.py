"""A small simulation, and the built-in sample."""

from __future__ import annotations

import pytest

from inexmetrics.collection import Collection
from inexmetrics.simulations.documents import Documents, documents
from inexmetrics.simulations.judgements import Judgements, judgements
from inexmetrics.simulations.sample import sample


@pytest.fixture(scope="session")
def trees() -> Documents:
    return documents(seed=11, n=120)


@pytest.fixture(scope="session")
def judged(trees: Documents) -> list[Judgements]:
    return [judgements(trees, seed=11, topic=topic, density=1) for topic in range(6)]


@pytest.fixture(scope="session")
def collection() -> Collection:
    return sample()
