from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from inexmetrics.inference.correlations import correlate
from inexmetrics.inference.ranks import spearman_with, tau_ap, top_shared, wins
from tests.profiles import up_to
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
    """Yilmaz, Aslam and Robertson's equation 3, pair by pair; the mean over all orders of the runs, which break ties in both rankings."""
    found = []
    for names in itertools.permutations(range(len(predicted))):
        order = sorted(range(len(predicted)), key=lambda run: (-predicted[run], names[run]))
        by_truth = sorted(range(len(truth)), key=lambda run: (-truth[run], names[run]))
        places = {run: place for place, run in enumerate(by_truth)}
        total = sum(sum(places[order[j]] < places[order[i]] for j in range(i)) / i for i in range(1, len(order)))
        found.append(2 / (len(order) - 1) * total - 1)
    return math.fsum(found) / len(found)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=5), st.integers(1, 6))
@up_to(60)
def test_rankings_with_ties_are_those_of_all_orders(means: list[tuple[int, int]], top: int) -> None:
    predicted, truth = (np.array([float(pair[side]) for pair in means]) for side in (0, 1))
    found = tau_ap(predicted, truth)
    assert found == pytest.approx(tau_ap_by_definition(predicted.tolist(), truth.tolist()), abs=1e-12)
    assert found is not None
    assert -1 - 1e-12 <= found <= 1 + 1e-12
    turned = np.arange(len(means))[::-1]
    assert tau_ap(predicted[turned], truth[turned]) == pytest.approx(found, abs=1e-12)
    assert tau_ap(truth, truth) == pytest.approx(1.0, abs=1e-12)
    shared = top_shared(predicted, truth, top)
    assert 0 <= shared <= 1
    assert top_shared(predicted[turned], truth[turned], top) == shared
    assert top_shared(truth, truth, top) == 1.0


def test_tau_ap_by_hand() -> None:
    truth = np.array([4.0, 3.0, 2.0, 1.0])
    assert tau_ap(truth, truth) == 1.0
    assert tau_ap(truth[::-1], truth) == -1.0
    # The first two swapped: C = 0, 2, 3, so 2/3 (0/1 + 2/2 + 3/3) - 1; the last two swapped: 2/3 (1/1 + 2/2 + 2/3) - 1.
    assert tau_ap(np.array([3.0, 4.0, 2.0, 1.0]), truth) == pytest.approx(1 / 3)
    assert tau_ap(np.array([4.0, 3.0, 1.0, 2.0]), truth) == pytest.approx(7 / 9)


def test_tau_ap_of_equal_means_and_of_few_runs() -> None:
    assert tau_ap(np.array([0.5, 0.5, 0.5]), np.array([0.3, 0.2, 0.1])) == pytest.approx(0.0)  # any order is equally likely
    assert tau_ap(np.array([0.1, 0.3 - 0.2]), np.array([0.2, 0.1])) == pytest.approx(0.0)  # means that rounding alone parts are equal
    # Of three runs, the last two tie in the truth: C(2) = 1, C(3) = 1 + 1/2.
    assert tau_ap(np.array([3.0, 2.0, 1.0]), np.array([2.0, 1.0, 1.0])) == pytest.approx(2 / 2 * (1 + 1.5 / 2) - 1)
    assert tau_ap(np.array([0.5]), np.array([0.5])) is None
    assert tau_ap(np.array([]), np.array([])) is None


def test_tau_ap_is_not_symmetric() -> None:
    first, second = np.array([4.0, 3.0, 2.0, 1.0]), np.array([3.0, 1.0, 4.0, 2.0])
    assert tau_ap(first, second) != tau_ap(second, first)
