"""Quantiles of resampled differences, compared with those of numpy, which sorts all differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.inference import expected_quantiles as resampled_quantiles
from inexmetrics.inference.expected_quantiles import quantiles_of_rows
from inexmetrics.inference.means import directed_pairs


def differences(sums: FloatArray) -> FloatArray:
    first, second = directed_pairs(len(sums))
    return sums[first] - sums[second]


def by_sorting(rows: FloatArray, quantiles: tuple[float, float]) -> FloatArray:
    """Slow reference: sorts every row completely, and interpolates between the two values next to the position."""
    ordered = np.sort(rows, axis=1)
    found = []
    for quantile in quantiles:
        position = quantile * (rows.shape[1] - 1)
        low = ordered[:, int(position)]
        high = ordered[:, min(int(position) + 1, rows.shape[1] - 1)]
        found.append(low + (position - int(position)) * (high - low))
    return np.array(found)


SPREADS = st.sampled_from([0.0, 1.0, 3.0, 100.0, 2.0**12, 2.0**30, 2.0**46])


@given(
    seed=st.integers(0, 2**32),
    runs=st.integers(2, 5),
    samples=st.integers(1, 400),
    spreads=st.lists(SPREADS, min_size=5, max_size=5),
    far=SPREADS,
    interval=st.sampled_from([0.001, 0.5, 0.95, 0.999]),
)
def test_every_quantile_has_the_bits_of_sorting(
    *, seed: int, runs: int, samples: int, spreads: list[float], far: float, interval: float
) -> None:
    """Runs with equal, very different and no spread, far apart and close together, with many ties and without ties."""
    random = np.random.default_rng(seed)
    common = far * random.standard_normal(samples)
    sums = np.rint(common + np.array(spreads[:runs])[:, None] * random.standard_normal((runs, samples)) + far * np.arange(runs)[:, None])
    quantiles = ((1 - interval) / 2, (1 + interval) / 2)
    rows = differences(sums)
    assert quantiles_of_rows(rows, quantiles).tolist() == by_sorting(rows, quantiles).tolist()


@pytest.mark.parametrize("sure", [0.0, 2.5, 1000.0])
@pytest.mark.parametrize("first", [1, 16, 10**9])
def test_what_the_first_samples_say_changes_no_bit(first: int, sure: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tails that are too short, tails that contain all values, and empty tails."""
    random = np.random.default_rng(3)
    sums = np.rint(2.0**44 * random.standard_normal((6, 2000)))
    sums[1] = sums[0]  # no difference
    sums[2] = np.rint(random.standard_normal(2000)) * 2.0**44  # few different values
    sums[3].sort()  # the first samples are the lowest of all, and mislead
    monkeypatch.setattr(resampled_quantiles, "FIRST", first)
    monkeypatch.setattr(resampled_quantiles, "SURE_OF_TAIL", sure)
    rows = differences(sums)
    assert quantiles_of_rows(rows, (0.025, 0.975)).tolist() == by_sorting(rows, (0.025, 0.975)).tolist()


@pytest.mark.parametrize("ends", [(0, 2), (1, 1), (2, 0), (0, 1)])
@pytest.mark.parametrize("places", [[0, 1, 5, 6], [1, 2, 6, 6], [2, 3, 4, 5], [0, 1, 3, 4], [3, 4, 5, 6]])
def test_tails_that_mislead_are_told_by_their_values(places: list[int], ends: tuple[int, int]) -> None:
    """Three first values say little about a short row: the quantiles are in other tails, in other rows, or next to the tails."""
    rows = np.random.default_rng(0).integers(-3, 4, (4000, 7)).astype(np.float64)
    rows *= np.random.default_rng(1).integers(1, 4, 4000)[:, None]
    found = resampled_quantiles._in_tails(rows, np.array(places), 3, ends)
    assert found.T.tolist() == np.sort(rows, axis=1)[:, places].tolist()


def test_a_tail_reaches_beyond_its_quantile_and_has_a_share_at_least(monkeypatch: pytest.MonkeyPatch) -> None:
    # 400 first samples: 40 lie beyond the quantile of .1, give or take sqrt(400 * .1 * .9) = 6, so 40 + 2.5 * 6 = 55. Beyond that of
    # .02 lie 8, give or take 2.8; 15 are less than a share of .055, which 22 are.
    found: list[tuple[int, int, int]] = []

    def in_tails(rows: FloatArray, _: IntArray, few: int, ends: tuple[int, int]) -> FloatArray:
        found.append((few, *ends))
        return np.zeros((4, len(rows)))

    monkeypatch.setattr(resampled_quantiles, "_in_tails", in_tails)
    quantiles_of_rows(np.zeros((1, 400 * 32)), (0.1, 0.9))
    quantiles_of_rows(np.zeros((1, 399 * 32)), (0.02, 0.98))
    assert found == [(400, 56, -57), (399, 23, -24)]


def test_no_row_that_spreads_is_sorted_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 10,000 differences, only some first differences are sorted, and then the tails."""
    lengths: list[int] = []
    by_numpy = np.sort

    def sort(values: FloatArray, axis: int) -> FloatArray:
        lengths.append(values.shape[axis])
        return by_numpy(values, axis=axis)

    rows = differences(np.rint(2.0**44 * np.random.default_rng(5).standard_normal((8, 10_000))))
    expected = by_sorting(rows, (0.025, 0.975)).tolist()
    monkeypatch.setattr(np, "sort", sort)
    assert quantiles_of_rows(rows, (0.025, 0.975)).tolist() == expected
    assert lengths == [10_000 // resampled_quantiles.FIRST]
