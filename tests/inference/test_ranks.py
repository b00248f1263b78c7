from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from inexmetrics.inference.ranks import average_ranks, rank_sum_tails


@given(st.lists(st.lists(st.integers(0, 6), min_size=5, max_size=5), min_size=1, max_size=4))
def test_ranks_are_scipy_s(rows: list[list[int]]) -> None:
    values = np.array(rows) / 8
    ranks, ties = average_ranks(values)
    assert np.array_equal(ranks, stats.rankdata(values, axis=1))
    assert ties.tolist() == [sum(row.count(value) ** 3 - row.count(value) for value in set(row)) for row in rows]


def test_ranks_of_decimals_are_tied_where_the_decimals_are() -> None:
    values = np.array([0.4 - 0.3, 0.3 - 0.2, 0.05])  # .1 .1 .05, but three different floats
    assert len(set(values.tolist())) == 3
    ranks, ties = average_ranks(values)
    assert ranks.tolist() == [2.5, 2.5, 1.0]
    assert ties == 2**3 - 2


def test_values_1e_12_apart_are_tied() -> None:
    assert average_ranks(np.array([0.0, 1e-12, 2.5e-12]))[0].tolist() == [1.5, 1.5, 3.0]


def test_ranks_of_nothing_and_of_one() -> None:
    assert average_ranks(np.empty(0))[0].tolist() == []
    ranks, ties = average_ranks(np.array([[0.5], [0.0]]))
    assert (ranks.tolist(), ties.tolist()) == ([[1.0], [1.0]], [0, 0])


def test_tails_of_rank_sums_count_sets_of_ranks() -> None:
    tails = rank_sum_tails()
    for n in range(9):
        sums = [sum(rank for rank, taken in enumerate(signs, start=1) if taken) for signs in product((0, 1), repeat=n)]
        assert tails[n, : n * (n + 1) // 2 + 2].tolist() == [sum(total >= w for total in sums) / 2**n for w in range(n * (n + 1) // 2 + 2)]


def test_tails_of_rank_sums_are_exact_to_the_last_rank() -> None:
    tails = rank_sum_tails()
    assert tails.shape == (51, 1276)
    assert tails[50, 1275] == 2.0**-50
    assert tails[50, 1272] == 5 * 2.0**-50  # all, all but 1, all but 2, all but 3, all but 1 and 2
    with pytest.raises(ValueError, match="read-only"):
        tails[50, 0] = 0.5
    assert tails[50, 638] == 0.5  # symmetric about 637.5
    assert comb(50, 25) < 2**53  # counts are far from being rounded
