"""Confidence intervals and standard deviations, compared with scipy and with their definitions."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from inexmetrics import SignificanceTest, bootstrap, randomisation, sign, t, wilcoxon
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference import bootstrap as bootstrap_module
from inexmetrics.inference import means as pair_tasks
from inexmetrics.inference import resampling
from inexmetrics.inference.means import deviations, directed_pairs, observed_pairs, sample_deviations, student_margins
from tests.profiles import up_to
from tests.reference.inference import bootstrap_means

matrices = st.integers(2, 9).flatmap(
    lambda topics: st.lists(st.lists(st.integers(0, 64).map(lambda n: n / 64), min_size=topics, max_size=topics), min_size=2, max_size=4)
)
confidences = st.sampled_from([0.5, 0.9, 0.95, 0.99])


def matrix(runs: int = 12, topics: int = 17) -> FloatArray:
    return np.random.default_rng(5).random((runs, topics))


def test_an_interval_of_student_by_hand() -> None:
    # D = .3 .4 .2: mean .3, sd .1, t(.975, 2) = .95 sqrt(2 / (1 - .95^2)) = 4.302653
    scores = np.array([[0.4, 0.6, 0.5], [0.1, 0.2, 0.3]])
    low, high = t.intervals(scores, np.array([0]), np.array([1]), 0.95, RunOptions())
    margin = 0.95 * math.sqrt(2 / (1 - 0.95**2)) * 0.1 / math.sqrt(3)
    assert (low[0], high[0]) == pytest.approx((0.3 - margin, 0.3 + margin), rel=1e-12)
    assert deviations(scores, np.array([0]), np.array([1]), RunOptions()) == pytest.approx([0.1], rel=1e-14)


@given(matrices, confidences, st.sampled_from([t, t(tails=2), wilcoxon, sign, randomisation]))
def test_intervals_of_other_tests_are_scipy_s_of_student(rows: list[list[float]], interval: float, test: SignificanceTest) -> None:
    scores = np.array(rows)
    better, worse = directed_pairs(len(scores))
    low, high = test.intervals(scores, better, worse, interval, RunOptions())
    varied = np.ptp(scores[better] - scores[worse], axis=1) > 0  # of others scipy warns
    expected = stats.ttest_rel(scores[better][varied], scores[worse][varied], axis=1).confidence_interval(interval)
    assert low[varied] == pytest.approx(expected.low, abs=1e-10)
    assert high[varied] == pytest.approx(expected.high, abs=1e-10)
    assert np.array_equal(low[~varied], high[~varied])


def test_margins_of_means_are_scipy_s() -> None:
    scores = matrix()
    expected = stats.ttest_1samp(scores, 0.0, axis=1).confidence_interval(0.9)
    margins = student_margins(sample_deviations(scores), 17, 0.9)
    assert scores.mean(axis=1) - margins == pytest.approx(expected.low, abs=1e-10)
    assert scores.mean(axis=1) + margins == pytest.approx(expected.high, abs=1e-10)


@up_to(25)
@given(matrices, st.sampled_from([1, 2, 39, 501, 1100]), st.integers(0, 3), confidences)
def test_bootstrap_intervals_are_quantiles_of_its_own_samples(rows: list[list[float]], b: int, seed: int, interval: float) -> None:
    scores = np.array(rows)
    better, worse = directed_pairs(len(scores))
    low, high = bootstrap(b=b, seed=seed).intervals(scores, better, worse, interval, RunOptions())
    for i, j, *found in zip(better, worse, low, high, strict=True):
        means = [float(mean) for mean in bootstrap_means(rows[i], rows[j], b, seed)]
        expected = np.quantile(means, [(1 - interval) / 2, (1 + interval) / 2])
        assert found == pytest.approx(expected, abs=1e-10)


def test_a_bootstrap_interval_covers_where_p_is_small() -> None:
    # p <= .025 says that at most 2.5 % of the resampled means are not above 0
    scores = matrix()
    better, worse = observed_pairs(scores)
    p_values = bootstrap.p_values(scores, better, worse, RunOptions())
    low, high = bootstrap.intervals(scores, better, worse, 0.95, RunOptions())
    assert np.array_equal(low > 0, p_values < 0.025)
    assert np.all(low < high)


@pytest.mark.parametrize("test", [t, bootstrap(b=700)])
def test_the_other_direction_has_the_opposite_interval(test: SignificanceTest) -> None:
    scores = matrix()
    better, worse = directed_pairs(len(scores))
    low, high = test.intervals(scores, better, worse, 0.95, RunOptions())
    turned_low, turned_high = test.intervals(scores, worse, better, 0.95, RunOptions())
    assert turned_low == pytest.approx(-high, abs=1e-14)
    assert turned_high == pytest.approx(-low, abs=1e-14)


@pytest.mark.parametrize("test", [t, bootstrap(b=3300)])
def test_the_same_bits_in_parts_and_on_threads(test: SignificanceTest, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = matrix()
    better, worse = directed_pairs(len(scores))
    whole = test.intervals(scores, better, worse, 0.95, RunOptions())
    order = np.random.default_rng(1).permutation(len(better))
    part = test.intervals(scores, better[order[:30]], worse[order[:30]], 0.95, RunOptions())
    monkeypatch.setattr(pair_tasks, "CELLS", 17 * 3)
    monkeypatch.setattr(pair_tasks, "TASK", 17 * 13)
    monkeypatch.setattr(resampling, "RUNS", 5)
    monkeypatch.setattr(bootstrap_module, "CHUNK", 1500)
    with ThreadPoolExecutor(2) as executor:
        found = test.intervals(scores, better, worse, 0.95, RunOptions(executor=executor))
    for ends, others, some in zip(whole, found, part, strict=True):
        assert np.array_equal(ends, others)
        assert np.array_equal(ends[order[:30]], some)


@pytest.mark.parametrize(("runs", "topics"), [(2, 2), (2, 40), (3, 9), (40, 34), (3, 4000), (2, pair_tasks.CELLS + 1)])
def test_deviations_are_added_in_the_order_of_topics(runs: int, topics: int) -> None:
    """Whatever the arrangement of pairs, the bits equal those of adding one topic after the other, in both directions."""
    scores = matrix(runs, topics)
    for first, second in (directed_pairs(runs), observed_pairs(scores)):
        expected = []
        for difference in (scores[first] - scores[second]).tolist():
            unit = math.ldexp(1.0, math.frexp(max(difference) - min(difference))[1])
            mean = 0.0
            for value in difference:
                mean += value
            mean /= topics
            squares = 0.0
            for value in difference:
                squares += ((value - mean) / unit) ** 2
            expected.append(unit * math.sqrt(squares / (topics - 1)))
        assert deviations(scores, first, second, RunOptions()).tolist() == expected
        assert sample_deviations(scores[first] - scores[second]).tolist() == expected


@pytest.mark.parametrize("test", [t, bootstrap(b=50)])
def test_fewer_than_two_topics_or_no_pairs(test: SignificanceTest) -> None:
    for topics in (0, 1):
        low, high = test.intervals(np.ones((2, topics)), np.array([0]), np.array([1]), 0.95, RunOptions())
        assert np.isnan(low).all()
        assert np.isnan(high).all()
    for ends in test.intervals(np.ones((1, 4)), *directed_pairs(1), 0.95, RunOptions()):
        assert ends.shape == (0,)
    assert np.isnan(sample_deviations(np.ones((2, 1)))).all()


def test_scores_without_variation() -> None:
    # .9 - .6, .8 - .5 and .7 - .4 differ in their last bits
    scores = np.array([[0.9, 0.8, 0.7], [0.6, 0.5, 0.4]])
    for test in (t, bootstrap):
        low, high = test.intervals(scores, np.array([0]), np.array([1]), 0.95, RunOptions())
        assert (low[0], high[0]) == pytest.approx((0.3, 0.3), abs=1e-12)
    assert deviations(scores, np.array([0]), np.array([1]), RunOptions()).tolist() == [0.0]


def test_differences_up_to_rounding_do_not_vary() -> None:
    # D = 1e-12 and 1, of which the first counts as 0
    pair = np.array([0]), np.array([1])
    assert deviations(np.array([[1e-12, 1.0], [0.0, 0.0]]), *pair, RunOptions()).tolist() == [math.sqrt(0.5)]


def test_the_largest_scores_that_may_be() -> None:
    small = np.array([[1.0, 1.0, 0.5, -1.0], [-1.0, 1.0, -0.5, 0.25]])
    large = 2.0**996 * small  # 6.7e299, the square of which is no number
    pair = np.array([0]), np.array([1])
    assert deviations(large, *pair, RunOptions()) == 2.0**996 * deviations(small, *pair, RunOptions())
    assert t.p_values(large, *pair, RunOptions()) == t.p_values(small, *pair, RunOptions())
    for end, expected in zip(t.intervals(large, *pair, 0.95, RunOptions()), t.intervals(small, *pair, 0.95, RunOptions()), strict=True):
        assert end == 2.0**996 * expected
