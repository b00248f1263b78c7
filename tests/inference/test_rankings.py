from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from inexmetrics.inference.correlations import correlate
from inexmetrics.inference.rankings import spearman_with, wins
from tests.reference import assessors as reference

scores = st.lists(st.integers(0, 6).map(lambda n: n / 7), min_size=5, max_size=5)


def test_by_hand() -> None:
    # ranks 1 2 3 4 against 1 3 2 4: 1 - 6 * 2 / (4 * 15) = .8; against 1.5 1.5 3 4: 4.5 / sqrt(5 * 4.5)
    rho = spearman_with(np.array([0.1, 0.2, 0.3, 0.4]), np.array([[0.1, 0.3, 0.2, 0.4], [0.1, 0.1, 0.3, 0.4]]))
    assert rho.tolist() == pytest.approx([0.8, 4.5 / np.sqrt(5 * 4.5)], abs=1e-15)


@given(scores, st.lists(scores, min_size=1, max_size=8))
def test_against_the_definition(one: list[float], others: list[list[float]]) -> None:
    found = spearman_with(np.array(one), np.array(others))
    expected = [reference.spearman(one, other) for other in others]
    assert [None if np.isnan(rho) else rho for rho in found.tolist()] == pytest.approx(expected, abs=1e-15)
    # the same bits as that of one pair of series
    assert [None if np.isnan(rho) else rho for rho in found.tolist()] == [
        correlate(np.array(one), np.array(other), "spearman").coefficient for other in others
    ]


def test_as_scipy_has_it() -> None:
    random = np.random.Generator(np.random.PCG64(5))
    one, others = random.random(40), random.integers(0, 30, (50, 40)).astype(np.float64)
    expected = [stats.spearmanr(one, other).statistic for other in others]
    assert spearman_with(one, others).tolist() == pytest.approx(expected, abs=1e-14)


def test_rounding_is_a_tie() -> None:
    # .1 + .2 is not .3 in floats
    assert spearman_with(np.array([0.3, 0.1 + 0.2, 0.1]), np.array([[0.5, 0.5, 0.1]])).tolist() == [1.0]
    assert wins(np.array([[0.1 + 0.2], [0.3]])).tolist() == [[0, 0], [0, 0]]


def test_runs_win_strictly() -> None:
    # sets: a above b, tie, b above a, a above b
    assert wins(np.array([[0.5, 0.5, 0.1, 0.9], [0.4, 0.5, 0.2, 0.3]])).tolist() == [[0, 2], [1, 0]]
