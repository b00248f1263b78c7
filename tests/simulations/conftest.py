"""The built-in sample."""

from __future__ import annotations

import pytest

from inexmetrics.collection import Collection
from inexmetrics.simulations.sample import sample


@pytest.fixture(scope="session")
def collection() -> Collection:
    return sample()
