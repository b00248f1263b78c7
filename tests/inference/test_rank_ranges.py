from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from inexmetrics.common.arrays import BoolArray, FloatArray
from inexmetrics.inference.ranks import rank_ranges


def test_by_hand() -> None:
    # By mean c a b d; c beats b and d, a beats d.
    better = np.zeros((4, 4), dtype=np.bool_)
    better[2, 1] = better[2, 3] = better[0, 3] = True
    found = rank_ranges(np.array([0.5, 0.4, 0.7, 0.1]), better)
    assert found.order.tolist() == [2, 0, 1, 3]
    assert found.rank.tolist() == [2, 3, 1, 4]
    assert found.best_rank.tolist() == [1, 2, 1, 3]
    assert found.worst_rank.tolist() == [3, 4, 2, 4]
    assert found.tied_with_best.tolist() == [True, False, True, False]
    assert found.tier.tolist() == [1, 2, 1, 2]  # tier 1: c, a; of b and d left, b beats nobody
    assert found.neighbours_apart == 0


def test_neighbours_that_are_apart() -> None:
    better = np.triu(np.ones((3, 3), dtype=np.bool_), 1)
    found = rank_ranges(np.array([0.5, 0.4, 0.3]), better)
    assert found.neighbours_apart == 2
    assert found.tier.tolist() == found.best_rank.tolist() == found.worst_rank.tolist() == [1, 2, 3]


def test_equal_means_share_a_rank_and_stand_in_order() -> None:
    found = rank_ranges(np.array([0.1 + 0.2, 0.5, 0.3]), np.zeros((3, 3), dtype=np.bool_))
    assert found.rank.tolist() == [2, 1, 2]
    assert found.order.tolist() == [1, 0, 2]
    assert found.worst_rank.tolist() == [3, 3, 3]
    assert rank_ranges(np.array([0.0, 1e-12, 3e-12]), np.zeros((3, 3), dtype=np.bool_)).rank.tolist() == [2, 2, 1]


def decisions(runs: int) -> st.SearchStrategy[BoolArray]:
    return arrays(np.bool_, (runs, runs)).map(lambda drawn: np.triu(drawn, 1))


@given(st.integers(1, 8).flatmap(lambda runs: st.tuples(st.permutations(range(runs)), decisions(runs))))
def test_laws(drawn: tuple[list[int], BoolArray]) -> None:
    """For decisions consistent with the means, every rank is in its range, the first tier contains the best run, and the order of runs does not matter."""
    places, better = drawn
    means: FloatArray = np.linspace(1, 0, len(places))
    found = rank_ranges(means, better)
    assert (found.best_rank <= found.rank).all()
    assert (found.rank <= found.worst_rank).all()
    assert found.tier[0] == 1
    assert found.tied_with_best[0]
    assert sorted(set(found.tier.tolist())) == list(range(1, found.tier.max() + 1))
    again = rank_ranges(means[places], better[np.ix_(places, places)])
    for name in ("rank", "best_rank", "worst_rank", "tier"):
        assert getattr(again, name).tolist() == getattr(found, name)[places].tolist()
    assert again.neighbours_apart == found.neighbours_apart


def test_runs_without_scores() -> None:
    found = rank_ranges(np.array([np.nan, np.nan]), np.zeros((2, 2), dtype=np.bool_))
    assert found.rank.tolist() == [1, 1]
    assert found.tier.tolist() == pytest.approx([1, 1])
