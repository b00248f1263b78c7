from __future__ import annotations

import numpy as np

from inexmetrics.common.elementary import Stream


def test_numbers_are_the_published_ones_of_pcg64() -> None:
    reference = np.random.Generator(np.random.PCG64(np.random.SeedSequence(2006, spawn_key=(3, 4))))
    stream = Stream(2006, 3, 4)
    assert stream.numbers(5).tolist() == reference.random(5).tolist()
    stream.skip(2)
    assert stream.numbers(1) == reference.random(3)[2]


def test_streams_of_different_keys_differ() -> None:
    drawn = {Stream(seed, *key).numbers(1).item() for seed in (1, 2) for key in ((), (0,), (1,), (0, 0))}
    assert len(drawn) == 8
