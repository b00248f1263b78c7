from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics.inference.pair_tasks import strips


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
