"""Quantiles that are searched near their expected position, compared with sorting; expected positions, compared with resampling."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from inexmetrics import bootstrap
from inexmetrics.common.arrays import FloatArray, IndexArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference import expected_quantiles
from inexmetrics.inference.expected_quantiles import quantiles_of_differences, quantiles_of_rows
from inexmetrics.inference.means import directed_pairs
from inexmetrics.inference.resampling import sample_sums
from tests.inference.test_resampled_quantiles import SPREADS, by_sorting

BOUNDS = (0.025, 0.975)


def all_pairs(runs: int) -> tuple[IndexArray, IndexArray]:
    first, second = (rows.astype(np.int32) for rows in directed_pairs(runs))
    return first, second


def expected_of(units: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Returns the expected sum over this number of draws of the columns, and the amount by which each column exceeds it."""
    return units.sum(axis=1), units - units.mean(axis=1)[:, None]


def resampled(units: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    return sample_sums(bootstrap, units, 0, bootstrap.b), *expected_of(units)


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts, part by part, the pairs that still need sorting."""
    left: list[int] = []

    def sorting(rows: FloatArray, quantiles: tuple[float, float]) -> FloatArray:
        left.append(len(rows))
        return quantiles_of_rows(rows, quantiles)

    monkeypatch.setattr(expected_quantiles, "quantiles_of_rows", sorting)
    return left


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
    """The expected positions do not matter: sums that follow from the residuals, and sums with too little, much or no spread, with and without ties."""
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
    """Means over clusters of several sizes are rounded, and may differ only by rounding."""
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


# Scores of two runs on nine samples, rounded to integers, and looked at in bands from 2 to 5 apart. Below: -1.9, which rounds to -1, and
# -1.1, which rounds to -2; or -5.1, which rounds to -6, and -5.9, which rounds to -5. 6000 says how finely is rounded.
NEARER = [[-3.75, -1.45, -1.55, 0, 0, 6000, 0, 3.5, 3.75], [0, 0.45, -0.45, 0, 0, 6000, 0, 0, 0]]
FARTHER = [[-5.55, -5.45, -3.5, 0, 0, 6000, 3.5, 3.75, 8], [-0.45, 0.45, 0, 0, 0, 6000, 0, 0, 0]]

# The upper quantile lies between 3.5, the last in the upper band, and 8, the first beyond it.
BEYOND = [[-8, -3.75, -3.5, 0, 0, 6000, 3.5, 8, 9], [0, 0, 0, 0, 0, 6000, 0, 0, 0]]


@pytest.mark.parametrize(("sums", "share"), [(NEARER, 1 / 16), (FARTHER, 3 / 16), (BEYOND, 3 / 16)])
def test_differences_that_are_not_in_the_bands_are_told(sums: list[list[float]], share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    bands = (np.full((2, 2), end, dtype=np.int16) for end in (0, 2, 5))
    expected = expected_quantiles._Bands(*bands)
    monkeypatch.setattr(expected_quantiles._Bands, "of", lambda *_: expected)
    scores, (first, second) = np.array(sums), all_pairs(2)
    assert expected_quantiles._Rounded.of(scores, np.zeros(2)).unit == 1.0
    found = quantiles_of_differences(scores, np.zeros(2), np.zeros((2, 2)), (first, second), (share, 1 - share))
    assert found.tolist() == by_sorting(scores[first] - scores[second], (share, 1 - share)).tolist()


def test_sums_are_rounded_to_a_largest_one() -> None:
    # The farthest is 10 from its centre: 10 / 2^-9 = 5120 units, at most 10,000.
    rounded = expected_quantiles._Rounded.of(np.array([[-9.0, 3.0], [0.25, 1.0]]), np.array([1.0, 0.5]))
    assert (rounded.values.tolist(), rounded.unit) == ([[-5120, 1024], [-128, 256]], 2.0**-9)


def test_moments_are_those_of_resampled_sums() -> None:
    """Means of n independent draws: the variance is multiplied by n, the skewness divided by the root of n, the kurtosis by n; 0 without variation."""
    residuals = np.random.default_rng(2).gamma(0.5, size=(4, 9))
    residuals[3] = residuals[1]
    residuals -= residuals.mean(axis=1)[:, None]
    found = expected_quantiles._moments(residuals, slice(0, 2), slice(1, 4))
    apart = residuals[:2, None] - residuals[None, 1:]
    for moment, expected in zip(
        found, (9 * apart.var(axis=-1), stats.skew(apart, axis=-1) / 3, stats.kurtosis(apart, axis=-1) / 9), strict=True
    ):
        assert moment[apart.any(axis=-1)] == pytest.approx(expected[apart.any(axis=-1)])
        assert moment[~apart.any(axis=-1)].tolist() == [0.0, 0.0]


def expected_bands(law: tuple[float, float, float], places: list[int], monkeypatch: pytest.MonkeyPatch) -> tuple[int, int, int]:
    """Returns the middle, inner and outer end of a pair's bands on 1000 resamples, for a distribution with this variance, skewness and kurtosis."""
    monkeypatch.setattr(expected_quantiles, "_moments", lambda *_: tuple(np.array([[moment]]) for moment in law))
    pair = np.array([0], dtype=np.int32), np.array([1], dtype=np.int32)
    bands = expected_quantiles._Bands.of(np.zeros((2, 3)), 1.0, pair, np.array(places), 1000)
    return int(bands.middle[0, 1]), int(bands.inner[0, 1]), int(bands.outer[0, 1])


def test_bands_are_where_cornish_and_fisher_expect_the_quantiles(monkeypatch: pytest.MonkeyPatch) -> None:
    # Wikipedia's example of the expansion: of skewness 5 and kurtosis 2 the 95th percentile is 2.55621 deviations from the mean. Of the
    # 5th only the two terms without skewness to the first power change their sign: 2.55621 - 2 * 1.13496 = 0.28629.
    monkeypatch.setattr(expected_quantiles, "SURE", 0.0)
    middle, inner, outer = expected_bands((4000.0**2, 5.0, 2.0), [49, 49, 950, 950], monkeypatch)
    assert (middle + inner, middle - inner) == pytest.approx((4000 * 2.55621, 4000 * 0.28629), abs=2)
    assert outer - inner == pytest.approx(4000 * (1.654628 - 1.644854) + 1, abs=2)  # from the 49th and the 50th of 1000


def test_bands_reach_some_standard_errors_of_the_place_to_either_side(monkeypatch: pytest.MonkeyPatch) -> None:
    # Of 1000 samples 100 +- sqrt(1000 * .1 * .9) = 9.4868 lie beyond the quantile. At 5 such errors, 47.434, from the 99 before it
    # and the 100 up to it: the quantiles of .051566 and .147434 are 1.629857 and 1.047502 deviations out.
    monkeypatch.setattr(expected_quantiles, "SURE", 5.0)
    middle, inner, outer = expected_bands((8000.0**2, 0.0, 0.0), [99, 99, 900, 900], monkeypatch)
    assert (middle, inner, outer) == (0, int(8000 * 1.047502), int(8000 * 1.629857) + 1)


@pytest.mark.parametrize(("topics", "most"), [(150, 0.01), (34, 0.01), (15, 0.02)])
def test_few_pairs_are_not_where_they_are_expected(topics: int, most: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for skewed scores: the middle and the ends of the bands depend on skewness and kurtosis."""
    units = np.rint(2.0**40 * np.random.default_rng(topics).beta(0.3, 0.9, (40, topics)))
    first, second = all_pairs(40)
    left = counted(monkeypatch)
    quantiles_of_differences(*resampled(units), (first, second), BOUNDS)
    assert sum(left) <= most * len(first)


@pytest.mark.parametrize("clusters", [None, "c"])
def test_few_pairs_of_a_bootstrap_are_not_where_they_are_expected(clusters: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for clusters of 1 to 9 topics, whose sums are divided by the number of topics drawn, and for very different runs."""
    scores = 0.2 * np.arange(20)[:, None] + np.random.default_rng(8).beta(0.3, 0.9, (20, 500))
    codes = np.repeat([f"{code:02}" for code in range(100)], [1, 9] * 50)
    test = bootstrap(clusters=clusters).on_clusters({"c": tuple(codes.tolist())})
    first, second = all_pairs(20)
    left = counted(monkeypatch)
    test.intervals(scores, first.astype(np.int64), second.astype(np.int64), 0.95, RunOptions())
    assert sum(left) <= 0.02 * len(first)
