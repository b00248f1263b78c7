"""Kappas and alpha equal those of scikit-learn and krippendorff, if these packages are installed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from inexmetrics.inference.correlations import cohen_kappa, krippendorff_alpha
from tests.profiles import up_to

sklearn_metrics = pytest.importorskip("sklearn.metrics")
krippendorff = pytest.importorskip("krippendorff")


@up_to(100)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=60))
def test_grades_are_compared_as_others_do(given_grades: list[tuple[int, int]]) -> None:
    pairs = np.array(given_grades)
    scale, places = np.unique(pairs, return_inverse=True)
    assume(len(scale) > 1)
    first, second = places.reshape(pairs.shape).T
    counts = np.zeros((len(scale), len(scale)), dtype=np.int64)
    np.add.at(counts, (first, second), 1)
    labels = range(len(scale))
    assert cohen_kappa(counts) == pytest.approx(sklearn_metrics.cohen_kappa_score(first, second), abs=1e-12)
    quadratic = sklearn_metrics.cohen_kappa_score(first, second, weights="quadratic", labels=labels)
    assert cohen_kappa(counts, weighted=True) == pytest.approx(quadratic, abs=1e-12)
    ordinal = krippendorff.alpha(reliability_data=[first, second], level_of_measurement="ordinal", value_domain=list(labels))
    assert krippendorff_alpha(counts) == pytest.approx(ordinal, abs=1e-12)
