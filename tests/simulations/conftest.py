"""The built-in sample."""

from __future__ import annotations

import pytest

from inexmetrics import Collection, sample


@pytest.fixture(scope="session")
def collection() -> Collection:
    return sample()
