"""Prediction-powered means, compared with values by hand, a slow implementation, and ppi-python."""

from __future__ import annotations

import math
import time
from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_1samp

from inexmetrics.common.arrays import FloatArray
from inexmetrics.inference.prediction_powered import PredictionPowered, prediction_powered, prediction_powered_differences
from tests.reference import inference as reference


def of(good: list[float], cheap: list[float], more: list[float]) -> PredictionPowered:
    """Returns the mean of one row."""
    return prediction_powered(*(np.array([row], dtype=np.float64) for row in (good, cheap, more)))


# --- by hand


def test_one_row() -> None:
    # Y = 2 f, F as f: cov0 = 2 * 2/3, var1 of 0 1 2 0 1 2 = 4/5, so that lambda is 4/3 / (2 * 4/5) = 5/6; Y - lambda f = (7/6) f
    found = of([0, 2, 4], [0, 1, 2], [0, 1, 2])
    assert found.weight.tolist() == pytest.approx([5 / 6])
    assert found.mean.tolist() == pytest.approx([5 / 6 + 7 / 6])
    assert (found.error**2).tolist() == pytest.approx([(25 / 36 + 49 / 36) * (2 / 3) / 3])
    assert (found.error_t**2).tolist() == pytest.approx([(25 / 36 + 49 / 36) * 1 / 3])  # n-1 in both variances


def test_a_biased_judge_is_put_right() -> None:
    """A constant added to all scores of the judge does not change the result."""
    random = np.random.default_rng(5)
    good, noise, more = random.random((2, 12)), random.normal(0, 0.1, (2, 12)), random.random((2, 40))
    plain, shifted = (prediction_powered(good, good + noise + bias, more + bias) for bias in (0.0, 0.7))
    assert shifted.mean.tolist() == pytest.approx(plain.mean.tolist())
    assert shifted.error.tolist() == pytest.approx(plain.error.tolist())


def test_the_weight_is_clipped() -> None:
    against = of([0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1], [0.2, 0.3])
    assert against.weight.tolist() == [0.0]
    assert against.mean.tolist() == pytest.approx([0.25])
    strong = of([0.0, 5.0, 10.0, 0.0], [0.0, 0.5, 1.0, 0.0], [0.2, 0.3, 0.1])
    assert strong.weight.tolist() == [1.0]
    assert strong.mean.tolist() == pytest.approx([0.2 + 3.75 - 0.375])


def test_without_further_topics_or_variance_the_judge_counts_nothing() -> None:
    good = [0.2, 0.4, 0.9]
    for cheap, more in (([0.1, 0.2, 0.3], []), ([0.5, 0.5, 0.5], [0.5, 0.5])):
        found = of(good, cheap, more)
        assert found.weight.tolist() == [0.0]
        assert found.mean.tolist() == pytest.approx([0.5])
        assert found.error.tolist() == pytest.approx([np.std(good) / math.sqrt(3)])


def test_one_further_topic() -> None:
    # cov0 = var0 = 2/3; var1 of 0 1 2 1 = 2/3; lambda = (2/3) / (4 * 2/3) = 1/4, and F has no variance
    found = of([0, 1, 2], [0, 1, 2], [1])
    assert (found.weight.tolist(), found.mean.tolist()) == (pytest.approx([1 / 4]), pytest.approx([1.0]))
    assert (found.error**2).tolist() == pytest.approx([9 / 16 * (2 / 3) / 3])


def test_p_values_without_any_error() -> None:
    rows = prediction_powered(
        np.array([[0.5] * 4, [0.0] * 4, [0.0] * 4]), np.array([[0.1] * 4, [0.3] * 4, [0.1, 0.2, 0.3, 0.4]]), np.ones((3, 5))
    )
    assert rows.error.tolist() == [0.0, 0.0, 0.0]
    for quantiles in ("t", "normal"):
        assert rows.p_values(quantiles).tolist() == [0.0, 1.0, 1.0]
        assert rows.margins(0.95, quantiles).tolist() == [0.0, 0.0, 0.0]


def test_scores_1e_12_apart_do_not_vary() -> None:
    for good, cheap in (([0.0, 1e-12], [0.0, 1.0]), ([0.0, 1.0], [0.0, 1e-12])):
        assert of(good, cheap, [0.0, 1.0]).weight.tolist() == [0.0]
    assert of([1e-12, 1e-12], [0.5, 0.5], [0.5]).p_values("t").tolist() == [1.0]


# --- against the slow form and other programs


def scores(random: np.random.Generator, size: int, grain: int) -> FloatArray:
    return random.integers(0, grain + 1, size).astype(np.float64) / grain


def test_as_the_definition_reads() -> None:
    random = np.random.default_rng(0)
    for _ in range(2000):
        n, more, grain = int(random.integers(2, 9)), int(random.integers(0, 9)), int(random.choice((1, 2, 5, 10)))
        good = scores(random, n, grain)
        cheap = np.where(random.random(n) < random.random(), good, scores(random, n, grain))
        others = scores(random, more, grain)
        found = prediction_powered(good[None], cheap[None], others[None])
        mean, variance, weight = reference.prediction_powered(good.tolist(), cheap.tolist(), others.tolist())
        assert (found.mean[0], found.error[0], found.weight[0]) == pytest.approx(
            (float(mean), math.sqrt(variance), float(weight)), abs=1e-12
        ), (good, cheap, others)
        _, variance, _ = reference.prediction_powered(good.tolist(), cheap.tolist(), others.tolist(), less=1)
        assert found.errors("t")[0] == pytest.approx(math.sqrt(variance), abs=1e-12), (good, cheap, others)


def test_intervals_and_p_values_are_by_the_quantiles_named() -> None:
    random = np.random.default_rng(2)
    good, more = random.random((50, 11)), random.random((50, 33))
    found = prediction_powered(good - 0.4, good + random.normal(0, 0.2, (50, 11)), more)
    ratio, ratio_t = np.abs(found.mean) / found.error, np.abs(found.mean) / found.error_t
    assert (found.error_t > found.error).all()
    assert found.margins(0.9, "t") == pytest.approx(student.ppf(0.95, 10) * found.error_t, rel=1e-12)
    assert found.margins(0.9, "normal") == pytest.approx(NormalDist().inv_cdf(0.95) * found.error, rel=1e-12)
    assert found.p_values("t") == pytest.approx(2 * student.cdf(-ratio_t, 10), rel=1e-10)
    assert found.p_values("normal") == pytest.approx([2 * NormalDist().cdf(-value) for value in ratio], rel=1e-10)
    for interval in (0.5, 0.95):
        without_0 = np.abs(found.mean) > found.margins(interval, "t")
        assert (without_0 == (found.p_values("t") < 1 - interval)).all()


def test_without_further_topics_it_is_the_t_test_but_for_the_denominator() -> None:
    """The standard error divides by n where the t test has n-1."""
    good = np.random.default_rng(3).normal(0.1, 0.3, (1, 20))
    found = prediction_powered(good, good, np.empty((1, 0)))
    expected = ttest_1samp(good[0], 0.0)
    assert found.mean / found.error * math.sqrt(19 / 20) == pytest.approx([expected.statistic])


@pytest.mark.parametrize(
    ("seed", "n", "others", "noise", "expected"),
    [
        (1, 25, 225, 0.1, (0.5377535955629885, 0.4929159688682305, 0.5825912222577465)),
        (2, 12, 30, 0.3, (0.42472544499593406, 0.28923260896561154, 0.5602182810262566)),
        (3, 40, 10, 0.05, (0.5091874399505459, 0.43451168503854665, 0.5838631948625452)),
        (4, 30, 100, 3.0, (0.5999244231898067, 0.5022455244194951, 0.6976033219601182)),
    ],
)
def test_as_ppi_python_has_it(seed: int, n: int, others: int, noise: float, expected: tuple[float, float, float]) -> None:
    """ppi-python 0.2.3: ppi_mean_pointestimate(Y, f, F) and ppi_mean_ci(Y, f, F, alpha=.05), for the scores below."""
    random = np.random.default_rng(seed)
    true = random.random(n + others)
    cheap = np.round(true * 0.8 + 0.1 + random.normal(0, noise, n + others), 4)
    found = prediction_powered(np.round(true, 4)[None, :n], cheap[None, :n], cheap[None, n:])
    margin = found.margins(0.95, "normal")
    assert (found.mean[0], (found.mean - margin)[0], (found.mean + margin)[0]) == pytest.approx(expected, abs=1e-12)


# --- pairs


def test_pairs_are_rows_of_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(6)
    good, more = random.random((6, 10)), random.random((6, 21))
    cheap = good + random.normal(0, 0.1, good.shape)
    first, second = np.triu_indices(6, 1)
    together = prediction_powered_differences(good, cheap, more, first, second)
    for pair, (i, j) in enumerate(zip(first, second, strict=True)):
        alone = prediction_powered(good[[i]] - good[[j]], cheap[[i]] - cheap[[j]], more[[i]] - more[[j]])
        assert (together.mean[pair], together.error[pair], together.weight[pair]) == (alone.mean[0], alone.error[0], alone.weight[0])
    turned = prediction_powered_differences(good, cheap, more, second, first)
    assert turned.mean.tolist() == pytest.approx((-together.mean).tolist())
    assert turned.p_values("t").tolist() == pytest.approx(together.p_values("t").tolist())
    monkeypatch.setattr("inexmetrics.inference.prediction_powered.CELLS", 50)
    parts = prediction_powered_differences(good, cheap, more, first, second)
    assert (parts.mean.tolist(), parts.error.tolist()) == (together.mean.tolist(), together.error.tolist())


def test_runs_that_are_alike_and_a_single_run() -> None:
    good, cheap, more = np.full((2, 5), 0.3), np.random.default_rng(1).random((2, 5)), np.random.default_rng(2).random((2, 9))
    found = prediction_powered_differences(good, cheap, more, np.array([0]), np.array([1]))
    assert (found.mean.tolist(), found.error.tolist(), found.p_values("t").tolist()) == ([0.0], [0.0], [1.0])
    none = prediction_powered_differences(good[:1], cheap[:1], more[:1], np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
    assert (len(none.mean), len(none.p_values("t")), len(none.margins(0.95, "t"))) == (0, 0, 0)


def test_all_pairs_of_many_runs_are_quick() -> None:
    random = np.random.default_rng(4)
    good, more = random.random((200, 25)), random.random((200, 225))
    pairs = np.triu_indices(200, 1)
    took = []
    for _ in range(3):
        before = time.process_time()
        assert len(prediction_powered_differences(good, good**2, more, *pairs).mean) == 19_900
        took.append(time.process_time() - before)
    assert min(took) < 2.0  # half a second on a slow core
