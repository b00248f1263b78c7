from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics.common.options import RunOptions
from inexmetrics.inference import means as pair_tasks
from inexmetrics.inference.means import directed_pairs, of_pairs, strips, tiles


@given(st.integers(1, 12), st.integers(1, 5), st.sets(st.tuples(st.integers(0, 11), st.integers(0, 11))))
def test_strips_cover_every_pair_and_start_and_end_with_one(runs: int, size: int, asked: set[tuple[int, int]]) -> None:
    pairs = {(first, second) for first, second in asked if first < runs and second < runs}
    first, second = np.array(sorted(pairs), dtype=np.int32).reshape(-1, 2).T
    covered = []
    for run, others in strips(first, second, runs, size):
        assert 1 <= others.stop - others.start <= size
        assert {(run, others.start), (run, others.stop - 1)} <= pairs
        covered += [(run, other) for other in range(others.start, others.stop)]
    assert pairs <= set(covered)
    assert len(covered) == len(set(covered))


def test_tiles_are_of_few_runs_on_either_side() -> None:
    better, worse = directed_pairs(5)
    found = tiles(better, worse, 2)
    sides = [{frozenset((first // 2, second // 2)) for first, second in zip(better[part], worse[part], strict=True)} for part in found]
    # runs 0 and 1, 2 and 3, and 4 alone, which is in no pair with itself
    assert sides == [{frozenset(blocks)} for blocks in ({0}, {0, 1}, {1}, {0, 2}, {1, 2})]
    assert np.concatenate(found).tolist() != list(range(20))
    assert sorted(np.concatenate(found).tolist()) == list(range(20))
    assert all((np.diff(part) > 0).all() for part in found)
    assert tiles(better[:0], worse[:0], 2) == []
    assert [part.tolist() for part in tiles(better, worse, 5)] == [list(range(20))]
    for first, second in ((0, 2), (2, 0)):  # the third run is beyond the first two, on either side
        assert [part.tolist() for part in tiles(np.array([0, first]), np.array([1, second]), 2)] == [[0], [1]]


def test_pairs_of_a_few_runs_are_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    # 72 differences of 4 topics: the pairs, in both directions, of 3 runs beside 3; 6 runs are 3 such tasks
    monkeypatch.setattr(pair_tasks, "TASK", 72)
    scores, pairs = np.random.default_rng(0).random((6, 4)), directed_pairs(6)
    seen: list[tuple[str, int, int]] = []
    setting = RunOptions(progress=lambda what, done, total: seen.append((what, done, total)))
    found = of_pairs("first topics", lambda task: task[0][task[1], 0] - task[0][task[2], 0], scores, pairs, setting)
    assert found.tolist() == (scores[pairs[0], 0] - scores[pairs[1], 0]).tolist()
    assert seen == [("first topics", done, 3) for done in range(4)]
