"""The Poisson-binomial distribution, compared with sums over all sets of events."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics.ranking.navigation.expected_precision import laws, survivals

CHANCES = st.sampled_from([0.0, 1.0, 0.5, 0.3, 1e-9, 1 - 1e-9]) | st.floats(0.0, 1.0)


@given(
    table=st.integers(1, 3).flatmap(lambda cases: st.lists(st.lists(CHANCES, min_size=cases, max_size=cases), min_size=1, max_size=6)),
    data=st.data(),
)
def test_all_sets_of_events(table: list[list[float]], data: st.DataObject) -> None:
    sizes = sorted(data.draw(st.lists(st.integers(0, len(table)), min_size=1, max_size=3)))
    most = data.draw(st.integers(1, len(table)))
    for size, law in zip(sizes, survivals(np.array(table), sizes, most), strict=True):
        assert law.shape == (min(size, most), len(table[0]))
        for case in range(len(table[0])):
            events = [row[case] for row in table[:size]]
            chance = {
                happened: math.prod(p if yes else 1 - p for p, yes in zip(events, happened, strict=True))
                for happened in product((True, False), repeat=size)
            }
            for least in range(1, len(law) + 1):
                expected = sum(chances for happened, chances in chance.items() if sum(happened) >= least)
                assert abs(law[least - 1, case] - expected) < 1e-12


def test_certain_events_are_exact() -> None:
    (law,) = survivals(np.array([[1.0, 0.0], [0.1, 1.0], [1.0, 0.0]]), [3], most=3)
    np.testing.assert_array_equal(law, [[1.0, 1.0], [1.0, 0.0], [0.1, 0.0]])


def test_small_chances_keep_their_digits() -> None:
    """Nothing is subtracted: 40 events with probability 1e-6 all happen with probability 1e-240."""
    (law,) = survivals(np.full((40, 1), 1e-6), [40], most=40)
    np.testing.assert_allclose(law[-1], 1e-240, rtol=1e-12)


@given(chances=st.lists(CHANCES, min_size=1, max_size=8))
def test_the_law_and_its_sums(chances: list[float]) -> None:
    cases = np.array(chances)[:, None]
    (law,) = survivals(cases, [len(chances)], len(chances))
    exactly = laws(cases)
    assert exactly.shape == (len(chances) + 1, 1)
    np.testing.assert_allclose(np.cumsum(exactly[::-1])[::-1], [1.0, *law[:, 0]], atol=1e-14)
