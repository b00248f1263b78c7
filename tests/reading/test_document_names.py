"""Document names have the same category code in all columns, whether they were read before or not."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from inexmetrics.reading import run_lists as document_names
from inexmetrics.reading.run_lists import DocumentNames


@pytest.mark.parametrize("few", [0, 50])
@pytest.mark.parametrize("bits", [0, 2, 10])
def test_names_and_codes_are_those_of_polars(bits: int, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if there are more names than slots of the cache, and for columns of few names among columns of many names."""
    monkeypatch.setattr(document_names, "BITS", bits)
    monkeypatch.setattr(document_names, "FEW", few)
    random, names = np.random.default_rng(1), DocumentNames()
    for length in random.integers(30, 70, 20):
        column = pl.Series("doc_id", [f"a/{number}" for number in random.integers(0, 60, length)])
        coded = names.coded(column)
        assert coded.name == "doc_id"
        assert coded.cast(pl.String).equals(column)
        assert coded.to_physical().equals(column.cast(pl.Categorical).to_physical())


def test_a_column_may_be_empty() -> None:
    assert DocumentNames().coded(pl.Series("doc_id", [], dtype=pl.String)).dtype == pl.Categorical
