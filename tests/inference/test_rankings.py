from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from inexmetrics.inference.correlations import correlate
from inexmetrics.inference.ranks import spearman_with, tau_ap, wins
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
    assert wins(np.array([[0.1 + 0.2, 1e-12, 2e-12], [0.3, 0.0, 0.0]])).tolist() == [[0, 1], [0, 0]]


def test_runs_win_strictly() -> None:
    # sets: a above b, tie, b above a, a above b
    assert wins(np.array([[0.5, 0.5, 0.1, 0.9], [0.4, 0.5, 0.2, 0.3]])).tolist() == [[0, 2], [1, 0]]


def tau_ap_by_definition(predicted: list[float], truth: list[float]) -> float:
    """Yilmaz, Aslam and Robertson's equation 3, pair by pair; among equal means, the earlier run is ranked first."""
    order = sorted(range(len(predicted)), key=lambda run: (-predicted[run], run))
    places = {run: place for place, run in enumerate(sorted(range(len(truth)), key=lambda run: (-truth[run], run)))}
    total = 0.0
    for i in range(1, len(order)):
        total += sum(places[order[j]] < places[order[i]] for j in range(i)) / i
    return 2 / (len(order) - 1) * total - 1


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=12))
def test_tau_ap_is_what_its_definition_says(means: list[tuple[int, int]]) -> None:
    predicted, truth = ([float(pair[side]) for pair in means] for side in (0, 1))
    found = tau_ap(np.array(predicted), np.array(truth))
    assert found == pytest.approx(tau_ap_by_definition(predicted, truth), abs=1e-12)
    assert found is not None
    assert -1 - 1e-12 <= found <= 1 + 1e-12


def test_tau_ap_by_hand() -> None:
    truth = np.array([4.0, 3.0, 2.0, 1.0])
    assert tau_ap(truth, truth) == 1.0
    assert tau_ap(truth[::-1], truth) == -1.0
    # The first two swapped: C = 0, 2, 3, so 2/3 (0/1 + 2/2 + 3/3) - 1; the last two swapped: 2/3 (1/1 + 2/2 + 2/3) - 1.
    assert tau_ap(np.array([3.0, 4.0, 2.0, 1.0]), truth) == pytest.approx(1 / 3)
    assert tau_ap(np.array([4.0, 3.0, 1.0, 2.0]), truth) == pytest.approx(7 / 9)


def test_tau_ap_of_equal_means_and_of_few_runs() -> None:
    assert tau_ap(np.array([0.5, 0.5, 0.5]), np.array([0.3, 0.2, 0.1])) == 1.0  # the earlier run stands first
    assert tau_ap(np.array([0.1, 0.3 - 0.2]), np.array([0.2, 0.1])) == 1.0  # means that rounding alone parts are equal
    assert tau_ap(np.array([0.5]), np.array([0.5])) is None
    assert tau_ap(np.array([]), np.array([])) is None


def test_tau_ap_is_not_symmetric() -> None:
    first, second = np.array([4.0, 3.0, 2.0, 1.0]), np.array([3.0, 1.0, 4.0, 2.0])
    assert tau_ap(first, second) != tau_ap(second, first)
