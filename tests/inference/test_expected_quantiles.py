"""Quantiles looked for where they are expected, against sorting; what is expected, against resampling."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics.common.arrays import FloatArray, IndexArray
from inexmetrics.inference import expected_quantiles
from inexmetrics.inference.bootstrap import bootstrap
from inexmetrics.inference.expected_quantiles import quantiles_of_differences
from inexmetrics.inference.pairs import directed_pairs
from inexmetrics.inference.resampled_quantiles import quantiles_of_rows
from inexmetrics.inference.resampling import sample_sums
from tests.inference.test_resampled_quantiles import SPREADS, by_sorting

BOUNDS = (0.025, 0.975)


def all_pairs(runs: int) -> tuple[IndexArray, IndexArray]:
    first, second = (rows.astype(np.int32) for rows in directed_pairs(runs))
    return first, second


def expected_of(units: FloatArray) -> tuple[FloatArray, FloatArray]:
    """What is expected of sums of so many draws of the columns, and what each column adds above that."""
    return units.sum(axis=1), units - units.mean(axis=1)[:, None]


def resampled(units: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    return sample_sums(bootstrap, units, 0, bootstrap.b), *expected_of(units)


@given(
    seed=st.integers(0, 2**32),
    runs=st.integers(2, 5),
    topics=st.integers(1, 12),
    samples=st.integers(1, 400),
    spreads=st.lists(SPREADS, min_size=5, max_size=5),
    far=SPREADS,
    interval=st.sampled_from([0.001, 0.5, 0.95, 0.999]),
    misled=st.sampled_from([0.0, 1e-6, 1.0, 3.0]),
)
def test_every_quantile_has_the_bits_of_sorting(
    *, seed: int, runs: int, topics: int, samples: int, spreads: list[float], far: float, interval: float, misled: float
) -> None:
    """Whatever is expected: sums that follow from the residuals, and others of too little, much or no spread, with ties and without."""
    random = np.random.default_rng(seed)
    units = np.rint(far * np.arange(runs)[:, None] + np.array(spreads[:runs])[:, None] * random.standard_normal((runs, topics)))
    sums = units @ random.multinomial(topics, np.full(topics, 1 / topics), samples).T.astype(np.float64)
    first, second = all_pairs(runs)
    bounds = ((1 - interval) / 2, (1 + interval) / 2)
    centres, residuals = expected_of(units)
    found = quantiles_of_differences(sums, centres, misled * residuals, (first, second), bounds)
    assert found.tolist() == by_sorting(sums[first] - sums[second], bounds).tolist()


@pytest.mark.parametrize("offset", [0.0, 1.0, 2.0**20])
def test_rounded_means_of_little_spread_have_the_bits_of_sorting(offset: float) -> None:
    """Means over clusters of several sizes are rounded, and may spread by no more than that."""
    random = np.random.default_rng(1)
    means = offset * np.arange(6)[:, None] + np.array([0.0, 1e-16, 1e-15, 1e-9, 1e-3, 1.0])[:, None] * random.standard_normal((6, 3000))
    first, second = all_pairs(6)
    residuals = np.array([0.0, 1e-16, 1e-15, 1e-9, 1e-3, 1.0])[:, None] * np.array([-1.0, 0.5, 0.5, 0.0])
    found = quantiles_of_differences(means, offset * np.arange(6.0), residuals, (first, second), BOUNDS)
    assert found.tolist() == by_sorting(means[first] - means[second], BOUNDS).tolist()


@pytest.mark.parametrize("sure", [0.0, 3.5, 1000.0])
@pytest.mark.parametrize("held", [1, 2**15])
def test_how_far_one_looks_changes_no_bit(sure: float, held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    sums, centres, residuals = resampled(np.rint(2.0**40 * np.random.default_rng(3).random((6, 30))))
    monkeypatch.setattr(expected_quantiles, "SURE", sure)
    monkeypatch.setattr(expected_quantiles, "DIFFERENCES", held)
    first, second = all_pairs(6)
    found = quantiles_of_differences(sums, centres, residuals, (first, second), BOUNDS)
    assert found.tolist() == by_sorting(sums[first] - sums[second], BOUNDS).tolist()


@pytest.mark.parametrize(("topics", "most"), [(150, 0.01), (34, 0.01), (15, 0.02)])
def test_few_pairs_are_not_where_they_are_expected(topics: int, most: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of skew scores, too: middle and ends of the bands follow skewness and kurtosis."""
    units = np.rint(2.0**40 * np.random.default_rng(topics).beta(0.3, 0.9, (40, topics)))
    first, second = all_pairs(40)
    left: list[int] = []

    def counted(rows: FloatArray, quantiles: tuple[float, float]) -> FloatArray:
        left.append(len(rows))
        return quantiles_of_rows(rows, quantiles)

    monkeypatch.setattr(expected_quantiles, "quantiles_of_rows", counted)
    quantiles_of_differences(*resampled(units), (first, second), BOUNDS)
    assert sum(left) <= most * len(first)
