"""DCG and nDCG equal those of scikit-learn, with linear and with exponential gains."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import DCG, from_frames, nDCG, run, scores
from tests.profiles import up_to

sklearn_metrics = pytest.importorskip("sklearn.metrics")


@given(grades=st.lists(st.integers(0, 4), min_size=2, max_size=12).filter(any), data=st.data())
@up_to(60)
def test_dcg_and_ndcg(grades: list[int], data: st.DataObject) -> None:
    ranks = data.draw(st.permutations(range(len(grades))))
    collection = from_frames(
        {"1": {f"d{number}": grade for number, grade in enumerate(grades)}},
        {"1": {f"d{number}": -float(rank) for number, rank in enumerate(ranks)}},
    )
    found = run(scores((nDCG, nDCG @ 3, nDCG(gains="exponential"), nDCG(gains="exponential") @ 3)), collection).table["mean"].to_list()
    retrieved = [[-float(rank) for rank in ranks]]
    expected = [
        sklearn_metrics.ndcg_score([gains], retrieved, k=k)
        for gains in (np.array(grades, dtype=float), 2.0 ** np.array(grades) - 1)
        for k in (None, 3)
    ]
    assert found == pytest.approx(expected, abs=1e-12)
    sums = run(scores((DCG @ 3, DCG(gains="exponential") @ 3)), collection).table["mean"].to_list()
    gains = np.array(grades, dtype=float), 2.0 ** np.array(grades) - 1
    assert sums == pytest.approx([sklearn_metrics.dcg_score([each], retrieved, k=3) for each in gains], abs=1e-12)
