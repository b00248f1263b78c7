from __future__ import annotations

import numpy as np
import pytest

from benchmarks.sample.draws import Draws


def test_bits_never_change() -> None:
    stream = Draws(1)
    assert [stream.whole(0, 999) for _ in range(6)] == [511, 950, 144, 948, 311, 423]


def test_bounds_are_reached_and_kept() -> None:
    stream = Draws(5)
    assert {stream.whole(3, 5) for _ in range(100)} == {3, 4, 5}
    spread = [stream.uniform(-1.0, 2.0) for _ in range(200)]
    assert -1.0 <= min(spread) < -0.9
    assert 1.9 < max(spread) < 2.0
    assert sum(stream.chance(0.25) for _ in range(2000)) == pytest.approx(500, abs=80)


def test_bells_have_mean_0_and_variance_1() -> None:
    bells = Draws(5).bells(40_000)
    assert bells.mean() == pytest.approx(0.0, abs=0.02)
    assert bells.var() == pytest.approx(1.0, abs=0.03)
    # The sum of four numbers lies between 0 and 4: after centring and scaling, within 2 * sqrt(3).
    assert np.abs(bells).max() < 2 * np.sqrt(3)


def test_chosen_are_different_numbers_in_random_order() -> None:
    chosen = Draws(5).chosen(50, 20).tolist()
    assert len(set(chosen)) == 20
    assert chosen != sorted(chosen)
    assert sorted(Draws(5).chosen(7, 99).tolist()) == list(range(7))
