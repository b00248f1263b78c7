"""The ranks in ideal rankings, compared with a separate search for each ranking."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics.ranking.gains import Pool
from inexmetrics.ranking.ideal_gains import GAIN_TOLERANCE, IdealGains
from inexmetrics.ranking.recall_base import Gains
from tests.profiles import up_to

GAINS = st.one_of(st.sampled_from([0.25, 0.5, 1.0]), st.floats(1e-9, 1.0), st.sampled_from([5e-324, 1e-300, 1e6]))
LISTS = st.lists(st.lists(GAINS, max_size=30), min_size=1, max_size=4)


def ideal_of(lists: list[list[float]]) -> IdealGains:
    return IdealGains.of(
        np.array([gain for each in lists for gain in each]), np.repeat(np.arange(len(lists)), [len(each) for each in lists]), len(lists)
    )


@given(lists=LISTS, shares=st.lists(st.floats(0.0, 1.0), max_size=10))
@up_to(300)
def test_ranks_are_the_first_that_reach_a_gain(lists: list[list[float]], shares: list[float]) -> None:
    ideal = ideal_of(lists)
    wanted, expected = [], []
    for topic, of_topic in enumerate(lists):
        reached = [0.0]
        for gain in sorted(of_topic, reverse=True):
            reached.append(reached[-1] + gain)
        total = reached[-1]
        # Gains at the ranks, beside them, between them, and beyond the last.
        gains = sorted([*reached, *(share * total for share in shares), *(np.nextafter(each, np.inf) for each in reached), 2.0 * total])
        bounds = [0.0, *(each + GAIN_TOLERANCE * total for each in reached[1:])]
        wanted.append(gains)
        expected += [next((rank for rank, bound in enumerate(bounds) if bound >= gain), len(of_topic)) for gain in gains]
        assert ideal.counts[topic] == len(of_topic)
        assert ideal.totals[topic] == total
    found = ideal.ranks(np.concatenate(wanted), np.cumsum([0, *map(len, wanted)]))
    assert found.tolist() == expected


def test_one_large_gain_above_many_small_ones() -> None:
    ideal = ideal_of([[1e6, *[1.0] * 5000]])
    gains = np.array([1.0, 1e6, 1e6 + 1.0, 1e6 + 2500.0, 1e6 + 5000.0])
    assert ideal.ranks(gains, np.array([0, 5])).tolist() == [1, 1, 2, 2501, 5001]


def test_a_part_has_the_lists_of_its_topics() -> None:
    ideal = ideal_of([[0.5], [], [1.0, 0.25]])
    gains = Gains(np.empty(0), ideal, Pool(np.empty(0, dtype=np.bool_), np.array([1, 0, 2]), np.array([1, 4, 3])))
    assert gains.part(slice(0, 3)) == (ideal, gains.pool)
    part, pool = gains.part(slice(1, 3))
    assert part.totals.tolist() == [0.0, 1.25]
    assert part.ranks(np.array([0.1, 1.2]), np.array([0, 0, 2])).tolist() == [1, 2]
    assert (pool.counts.tolist(), pool.sizes.tolist()) == ([0, 2], [4, 3])


def test_no_topic_has_any_ideal_result() -> None:
    ideal = ideal_of([[], []])
    assert ideal.totals.tolist() == [0.0, 0.0]
    assert ideal.ranks(np.empty(0), np.zeros(3, dtype=np.int64)).tolist() == []
