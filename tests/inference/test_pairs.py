from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics.inference.means import ahead, alike, differences, directed_pairs, mean_differences, observed_pairs


@pytest.mark.parametrize("runs", [0, 1, 2, 55, 70])
def test_every_pair_has_two_directions(runs: int) -> None:
    better, worse = directed_pairs(runs)
    assert better.dtype == worse.dtype == np.int64
    assert list(zip(better.tolist(), worse.tolist(), strict=True)) == [(i, j) for i in range(runs) for j in range(runs) if i != j]


def test_pairs_of_the_paper() -> None:  # 70 runs in 2004, 55 runs in 2005
    assert [len(observed_pairs(np.zeros((runs, 1)))[0]) for runs in (70, 55)] == [2415, 1485]
    assert [len(directed_pairs(runs)[0]) for runs in (70, 55)] == [4830, 2970]


def test_pairs_are_observed_in_the_direction_of_the_higher_mean() -> None:
    # means .1, .1 (by rounding .10000000000000002 or so), .5
    scores = np.array([[0.1, 0.1, 0.1], [0.0, 0.1, 0.2], [0.5, 0.5, 0.5]])
    better, worse = observed_pairs(scores)
    assert list(zip(better.tolist(), worse.tolist(), strict=True)) == [(0, 1), (2, 0), (2, 1)]


@given(st.integers(2, 6), st.integers(1, 4), st.integers(0, 1000))
def test_each_pair_has_exactly_one_observed_direction(runs: int, topics: int, seed: int) -> None:
    scores = np.random.default_rng(seed).integers(0, 3, size=(runs, topics)) / 10
    better, worse = directed_pairs(runs)
    observed = {
        (i, j) for i, j, is_ahead in zip(better.tolist(), worse.tolist(), ahead(scores, better, worse).tolist(), strict=True) if is_ahead
    }
    assert all(((i, j) in observed) != ((j, i) in observed) for i in range(runs) for j in range(i))
    assert observed == set(zip(*(indices.tolist() for indices in observed_pairs(scores)), strict=True))


def test_means_exactly_1e_12_apart_are_equal() -> None:
    scores = np.array([[0.0, 0.0], [1e-12, 1e-12], [1.5e-12, 1.5e-12]])
    assert ahead(scores, np.array([1, 0, 2, 2]), np.array([0, 1, 0, 1])).tolist() == [False, True, True, False]


def test_differences_up_to_rounding_are_zero() -> None:
    scores = np.array([[0.3, 1e-12, 2e-12, 0.5], [0.1 + 0.2, 0.0, 0.0, 0.25]])
    one, other = np.array([0]), np.array([1])
    assert differences(scores, one, other).tolist() == [[0.0, 0.0, 2e-12, 0.25]]
    assert differences(scores, other, one).tolist() == [[0.0, 0.0, -2e-12, -0.25]]


def test_runs_are_alike_if_no_topic_tells_them_apart() -> None:
    scores = np.array([[0.3, 0.2, 0.1], [0.1 + 0.2, 0.2 + 1e-13, 0.1], [0.2, 0.3, 0.1]])
    better, worse = directed_pairs(3)
    assert alike(scores, better, worse).tolist() == [True, False, True, False, False, False]
    assert np.abs(mean_differences(scores, better, worse)).max() < 1e-12  # though all means are equal
