"""The leaderboard of digits in the documentation equals the one that its program computes from scikit-learn's images."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from benchmarks import digits
from inexmetrics import scores_from


def test_a_system_of_the_board_is_computed_again() -> None:
    pytest.importorskip("sklearn")
    written = pl.read_csv(digits.FILE)
    found = digits.board(["projection-16"])
    assert found.columns == written.columns
    expected = written.filter(system="projection-16")
    np.testing.assert_allclose(found.drop("system", "seed").to_numpy(), expected.drop("system", "seed").to_numpy(), atol=0.002)


def test_the_board_has_every_system_with_every_seed() -> None:
    board = scores_from(digits.FILE, systems="system", runs="seed")
    assert board.runs == tuple(sorted(digits.SYSTEMS))
    assert board.systems is not None
    assert set(board.systems.counts.values()) == {digits.SEEDS}
    assert len(board.topics) == 10 * digits.TOPICS_OF_A_DIGIT
