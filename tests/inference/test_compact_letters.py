"""Compact letter displays, computed by hand and compared with their definition."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from inexmetrics.inference.ranks import compact_letters


def symmetric(count: int, pairs: list[tuple[int, int]]) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    different = np.zeros((count, count), dtype=bool)
    for first, second in pairs:
        different[first, second] = different[second, first] = True
    return different


def test_piepho_by_hand() -> None:
    # 0 differs from 2 and 3, 1 from 3: {0, 1}, {1, 2} and {2, 3} hold those that do not differ
    sets = compact_letters(symmetric(4, [(0, 2), (0, 3), (1, 3)]))
    assert sets.astype(int).tolist() == [[1, 0, 0], [1, 1, 0], [0, 1, 1], [0, 0, 1]]


def test_none_and_all_differ() -> None:
    assert compact_letters(symmetric(3, [])).tolist() == [[True]] * 3
    assert (compact_letters(symmetric(3, list(combinations(range(3), 2)))) == np.eye(3, dtype=bool)).all()


@pytest.mark.parametrize("seed", range(20))
def test_a_letter_is_shared_if_and_only_if_two_do_not_differ(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 12))
    pairs = [pair for pair in combinations(range(count), 2) if rng.random() < rng.random()]
    different = symmetric(count, pairs)
    sets = compact_letters(different)
    shared = (sets[:, None] & sets[None]).any(axis=2)
    assert (shared == ~different).all()
    for first, second in combinations(range(sets.shape[1]), 2):  # none is needless within another
        assert (sets[:, first] & ~sets[:, second]).any()
        assert (sets[:, second] & ~sets[:, first]).any()
