from __future__ import annotations

import hashlib
import math
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import FormulaError, SignificanceTest, bootstrap, randomisation, sign, stepdown, t, tukey
from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference import all_pairs as stepdown_module
from inexmetrics.inference import resampling
from inexmetrics.inference.means import directed_pairs
from inexmetrics.inference.resampling import RandomTest, ResamplingTest, grid, runs_held
from tests import examples
from tests.profiles import up_to
from tests.reference.inference import block_weights, bootstrap_p, randomisation_p

FORWARD: tuple[IntArray, IntArray] = (np.array([0]), np.array([1]))
TESTS = [test for test in examples.TESTS.values() if isinstance(test, ResamplingTest) and not (test.clusters or test.two_tailed)]


def p_value(test: ResamplingTest, d: FloatArray) -> float:
    return float(test.p_values(np.stack([d, np.zeros(len(d))]), *FORWARD, RunOptions())[0])


def digest(weights: IntArray) -> str:
    return hashlib.sha256(weights.astype("<i8").tobytes()).hexdigest()


def test_random_numbers_are_the_ones_results_were_published_with() -> None:
    # numpy does not promise its streams for ever: a change here is a change of every p-value.
    assert digest(block_weights(bootstrap, 0, 5)) == "59b59878c035166b73df24466023de14f6de4eba8fcc3ad7d39fa7b9eb5db342"
    assert digest(block_weights(randomisation(seed=7), 3, 5)) == "9c45fc2087ad58bb2bb007cb95edd4ea3f081f922e44dfac37b475b5a764d457"


def test_a_sample_is_as_many_topics_with_replacement() -> None:
    weights = block_weights(bootstrap, 0, 6)
    assert weights.shape == (500, 6)
    assert set(weights.sum(axis=1).tolist()) == {6}
    assert weights.max() > 1


def test_a_sample_changes_the_sign_of_half_of_the_topics() -> None:
    weights = block_weights(randomisation(tails=1), 0, 6)
    assert set(np.unique(weights).tolist()) == {0, 1}
    assert abs(weights.mean() - 0.5) < 4 * 0.5 / math.sqrt(weights.size)


def test_blocks_differ_from_each_other_and_by_seed() -> None:
    blocks = [block_weights(bootstrap(seed=seed), block, 5) for seed in (0, 1) for block in (0, 1)]
    assert len({digest(block) for block in blocks}) == 4


@up_to(25)
@given(
    st.integers(2, 6).flatmap(
        lambda topics: st.lists(st.lists(st.integers(0, 99), min_size=topics, max_size=topics), min_size=2, max_size=3)
    ),
    st.sampled_from([1, 3, 499, 500, 501]),
    st.integers(0, 3),
    st.sampled_from([1, 100, 10_000]),
)
def test_tests_are_as_their_definitions_read(rows: list[list[int]], b: int, seed: int, decimals: int) -> None:
    # Scores of 0, 2 or 4 decimals: sums that are equal as decimals are often not equal as floats.
    scores = np.array(rows) / decimals
    better, worse = directed_pairs(len(scores))
    drawn = bootstrap(b=b, seed=seed).p_values(scores, better, worse, RunOptions())
    flipped, either = (randomisation(b=b, seed=seed, tails=tails).p_values(scores, better, worse, RunOptions()) for tails in (1, 2))
    for i, j, p_drawn, p_flipped, p_either in zip(better, worse, drawn, flipped, either, strict=True):
        x, y = scores[i].tolist(), scores[j].tolist()
        assert p_drawn == bootstrap_p(x, y, b, seed)
        assert p_flipped == randomisation_p(x, y, b, seed, tails=1)
        assert p_either == randomisation_p(x, y, b, seed, tails=2)


@pytest.mark.parametrize("apart", [1e-6, 1e-8, 1e-10])
def test_scores_that_float32_does_not_tell_apart_are_told_apart(apart: float) -> None:
    random = np.random.default_rng(8)
    near: FloatArray = random.integers(0, 10, 9) / 10 + apart * random.integers(0, 9, (3, 9))
    scores = np.round(near, 12)
    better, worse = directed_pairs(3)
    drawn = bootstrap(b=700).p_values(scores, better, worse, RunOptions())
    assert drawn.tolist() == [bootstrap_p(scores[i].tolist(), scores[j].tolist(), 700, 0) for i, j in zip(better, worse, strict=True)]
    assert 0 < drawn.min() < drawn.max() < 1


def test_ties_of_decimals_are_ties() -> None:
    # .3 - .2, .1 - .2 and 0: every sample with as many of the first as of the second has mean 0.
    scores = np.array([[0.3, 0.1, 0.5], [0.2, 0.2, 0.5]])
    both = bootstrap.p_values(scores, np.array([0, 1]), np.array([1, 0]), RunOptions())
    # of 27 samples, 1 has neither of the two, 6 have one of each: 7 ties, and 10 in favour of either
    assert both == pytest.approx([17 / 27] * 2, abs=4 * math.sqrt(17 / 27 * 10 / 27 / 10_000))
    counted = block_weights(bootstrap, 0, 3)
    tied = np.count_nonzero(counted[:, 0] == counted[:, 1])
    first = bootstrap(b=500).p_values(scores, np.array([0, 1]), np.array([1, 0]), RunOptions())
    assert first.sum() == pytest.approx(1 + tied / 500, abs=1e-12)


@pytest.mark.parametrize(("k", "expected"), [(1, 0.3624), (2, 0.1273), (3, 0.0433)])
def test_topics_that_agree_need_not_be_many(k: int, expected: float) -> None:
    # With k of 34 topics positive and the rest 0, p is the probability to draw none of the k: (1 - k/34)^34.
    p = (1 - k / 34) ** 34
    assert round(p, 4) == expected
    assert p_value(bootstrap, np.array([0.5] * k + [0.0] * (34 - k))) == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / 10_000))


def test_the_smallest_p_values() -> None:
    everywhere = np.full(40, 0.5)  # no sample is as good by chance in 10,000
    assert p_value(bootstrap, everywhere) == 0.0
    assert bootstrap.smallest_p_value(40) == 1 / 10_000
    assert p_value(randomisation(tails=1), everywhere) == 1 / 10_001
    assert randomisation.smallest_p_value(40) == pytest.approx(1 / 10_001, rel=1e-7)
    # of 5 topics none is flipped in one of 32 samples
    assert randomisation.smallest_p_value(5) == pytest.approx((1 + 2 * 10_000 / 32) / 10_001, rel=1e-14)
    assert p_value(randomisation(tails=1), everywhere[:5]) == pytest.approx(1 / 32, abs=4 * math.sqrt(31 / 32**2 / 10_000))


@pytest.mark.parametrize("test", TESTS)
def test_differences_that_are_rounding_stay_so_on_the_grid(test: ResamplingTest) -> None:
    # .45 and 1.548 units of 2^-40 differ by less than 1e-12, and are 0 and 2 of them once rounded.
    low = 0.45 * 2.0**-40
    scores = np.stack([np.full(30, low + 0.999e-12), np.full(30, low)])
    assert grid(scores)[:, 0].tolist() == [2.0, 0.0]
    assert test.p_values(scores, np.array([0, 1]), np.array([1, 0]), RunOptions()).tolist() == [1.0, 1.0]


def test_the_statistic_is_the_mean_difference() -> None:
    scores = np.array([[0.5, 1.0, 0.0], [0.25, 0.5, 0.0]])
    for test in TESTS:
        assert test.statistics(scores, np.array([0, 1]), np.array([1, 0])).tolist() == [0.25, -0.25]


@pytest.mark.parametrize("test", TESTS)
def test_more_samples_begin_with_the_fewer(test: ResamplingTest) -> None:
    scores = np.random.default_rng(5).random((4, 20))
    better, worse = directed_pairs(4)

    def counts(b: int) -> FloatArray:
        p_values = test(b=b).p_values(scores, better, worse, RunOptions())
        return p_values * b if test.word == "bootstrap" else p_values * (b + 1) - 1

    assert np.all(np.rint(counts(700)) >= np.rint(counts(640)))
    assert np.all(np.rint(counts(700)) - np.rint(counts(640)) <= 60)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(
    ("sizes", "tasks"),
    # A chunk of 1000 samples is 1000 * (30 hypotheses + 16 * 25 topics) = 430,000 comparisons: two of them are a task of the last row.
    [
        ({"CHUNK": 500, "RUNS": 1, "WORK": 1}, 15 * 13),
        ({"CHUNK": 1000, "RUNS": 4, "WORK": 1}, 3 * 7),
        ({"CHUNK": 2500, "RUNS": 100, "WORK": 2**20}, 3),
        ({"CHUNK": 1000, "RUNS": 100, "WORK": 860_000}, 4),
    ],
)
def test_blocks_and_tasks_do_not_change_a_bit(
    test: ResamplingTest, sizes: dict[str, int], tasks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = np.random.default_rng(11).random((6, 25))
    better, worse = directed_pairs(6)
    whole = test(b=6300).p_values(scores, better, worse, RunOptions())
    for name, size in sizes.items():
        monkeypatch.setattr(resampling, name, size)
    steps: list[tuple[int, int]] = []
    in_parts = test(b=6300).p_values(scores, better, worse, RunOptions(progress=lambda what, done, total: steps.append((done, total))))
    assert np.array_equal(whole, in_parts)
    assert steps == [(done, tasks) for done in range(tasks + 1)]


def test_a_task_holds_so_many_sums_of_samples() -> None:
    # 2^25 sums: of a million samples those of 16 runs, twice; of few samples those of 256 runs, and always those of two
    assert [runs_held(samples) for samples in (10_000, 1_000_000, 100_000_000)] == [256, 16, 1]


def test_scores_come_to_a_grid_on_which_sums_are_exact() -> None:
    random = np.random.default_rng(2)
    for scale in (1e-3, 1.0, 100.0, 1e6, 1e300):
        units = grid(random.random((3, 150)) * scale)
        assert np.array_equal(units, np.rint(units))
        assert 150 * np.abs(units).max() < 2**52
        assert sum(map(Fraction, units[0].tolist())) == Fraction(float(units[0][::-1].cumsum()[-1]))
    assert grid(np.array([[1.0, 2.0**-40, 0.4 * 2.0**-40]])).tolist() == [[2.0**40, 1.0, 0.0]]
    assert grid(np.zeros((2, 3))).tolist() == [[0.0] * 3] * 2


def test_large_scores_have_the_p_values_of_small_ones() -> None:
    scores = np.random.default_rng(4).integers(0, 1000, size=(5, 30)) / 1024
    better, worse = directed_pairs(5)
    for test in TESTS:
        small, large = (test.p_values(scores * scale, better, worse, RunOptions()) for scale in (1.0, 2.0**30))
        assert np.array_equal(small, large)


def test_resampling_tests_print_as_they_are_written() -> None:
    written = [str(test) for test in (bootstrap, bootstrap(b=10_000.0), bootstrap(b=2000, seed=7), randomisation(seed=1))]  # type: ignore[arg-type]  # an integral float counts as an integer
    assert written == ["bootstrap", "bootstrap", "bootstrap(b=2000, seed=7)", "randomisation(seed=1)"]
    with pytest.raises(FormulaError, match="bootstrap: b: expected an integer from 1 to 10000000, found 0"):
        bootstrap(b=0)
    with pytest.raises(FormulaError, match="randomisation: seed: expected an integer of at least 0, found -1"):
        randomisation(seed=-1)
    with pytest.raises(FormulaError, match="bootstrap has no parameter 'n'"):
        bootstrap(n=5)  # type: ignore[call-arg]  # the mistake that mypy must catch


@pytest.mark.parametrize("test", [*TESTS, t(tails=1), bootstrap(clusters="c").on_clusters({"c": ("x", "y", "y")}), tukey])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_scores_must_be_finite(test: SignificanceTest, value: float) -> None:
    scores = np.array([[0.5, 0.25, 0.5], [0.5, value, 0.0]])
    refused = rf"^expected finite scores, found {value} at index \[1, 1\] \(run, topic\)$"
    with pytest.raises(ValueError, match=refused):
        test.p_values(scores, *FORWARD, RunOptions())
    with pytest.raises(ValueError, match=refused):
        test.intervals(scores, *FORWARD, 0.95, RunOptions())


@pytest.mark.parametrize(
    ("test", "least"),
    # Of two topics: t has no bound; both topics positive have 1/4; one of 4 flips neither: (1 + 10,000 / 4) of 10,001, and one both.
    [
        (bootstrap, 1 / 10_000),
        (t(tails=1), 0.0),
        (t, 0.0),
        (sign(tails=1), 0.25),
        (sign, 0.5),
        (randomisation(tails=1), 2501 / 10_001),
        (randomisation, 5001 / 10_001),
        (tukey, 1 / 10_001),
    ],
)
def test_two_topics_are_enough(test: SignificanceTest, least: float) -> None:
    assert test.smallest_p_value(2) == pytest.approx(least, rel=1e-12)
    assert test.smallest_p_value(1) == 1.0
    assert (test.p_values(np.array([[0.9, 0.8], [0.1, 0.2]]), *FORWARD, RunOptions()) < 1).all()


@pytest.mark.parametrize("test", [bootstrap, randomisation, stepdown])
def test_memory_does_not_grow_with_topics_times_samples(test: RandomTest) -> None:
    # 10,000 samples of 4,000 topics are 320 MB as numbers of 8 bytes; the tests hold 2^20 of them at a time, on each of at most 4 threads.
    scores = np.random.default_rng(0).random((2, 4000))
    tracemalloc.start()
    try:
        test.p_values(scores, *FORWARD, RunOptions())
        test.intervals(scores, *FORWARD, 0.95, RunOptions())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 120e6


@pytest.mark.parametrize("test", [bootstrap(b=1300), randomisation(b=1300), stepdown(b=1300)])
def test_the_same_bits_however_many_samples_are_drawn_at_once(test: RandomTest, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.random.default_rng(0).random((3, 21)).round(2)
    better, worse = directed_pairs(3)
    expected = test.p_values(scores, better, worse, RunOptions())
    for weights in (1, 21 * 7, 21 * 450):
        monkeypatch.setattr(resampling, "WEIGHTS", weights)
        monkeypatch.setattr(stepdown_module, "_families", {})
        assert np.array_equal(test.p_values(scores, better, worse, RunOptions()), expected)


@pytest.mark.parametrize("most", [1, 16 * 21, 16 * 21 * 7, 2**18])
def test_sums_do_not_depend_on_the_parts_of_a_product(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    units = grid(np.random.default_rng(1).random((37, 21)))
    weights = bootstrap.weights(np.random.default_rng(2), 90, 21)
    monkeypatch.setattr(resampling, "PRODUCT", most)
    assert np.array_equal(resampling.exact_sums(units, weights), units @ weights.T)
