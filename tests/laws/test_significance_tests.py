"""Properties of every significance test of the lexicon."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import CollectionError, Correction, SignificanceTest, unadjusted
from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference import means as pair_tasks
from inexmetrics.inference import resampling
from inexmetrics.inference.conclusions import conclude, corrected
from inexmetrics.inference.corrections import SteppedCorrection
from inexmetrics.inference.means import directed_pairs
from tests.examples import CLUSTERS, CORRECTIONS, TESTS, own
from tests.profiles import up_to

HERE = RunOptions()
TOPICS = len(CLUSTERS)
every_test = pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
every_test_of_topics = pytest.mark.parametrize("test", [test for test in TESTS.values() if not test.clusters], ids=str)
every_test_of_clusters = pytest.mark.parametrize("test", [test for test in TESTS.values() if test.clusters], ids=str)
tests = st.sampled_from(sorted(TESTS))
# Multiples of 1/64, so that sums, differences and shifts are exact, and there are ties.
boards = st.lists(st.lists(st.integers(0, 64), min_size=TOPICS, max_size=TOPICS), min_size=2, max_size=4).map(
    lambda rows: np.array(rows) / 64
)


def board(runs: int = 6, seed: int = 0, step: float = 0.0) -> FloatArray:
    """Returns scores, runs x topics, in multiples of 1/64, in which each run is ahead of the previous run by a step."""
    random = np.random.default_rng((3, seed))
    return np.asarray(np.rint(64 * (random.random((runs, TOPICS)) + step * np.arange(runs)[:, None])) / 64)


def p_values(test: SignificanceTest, scores: FloatArray, pairs: tuple[IntArray, IntArray] | None = None) -> FloatArray:
    return test.p_values(scores, *(pairs or directed_pairs(len(scores))), HERE)


def few(test: SignificanceTest, b: int = 199) -> SignificanceTest:
    """Returns the test with few random samples, if it draws samples."""
    return test._changed({"b": b}) if hasattr(test, "b") else test


def of_topics(test: SignificanceTest) -> SignificanceTest:
    """The test without clusters."""
    without: dict[str, object] = {"clusters": None, "grouping": None}
    return replace(test, **without) if test.clusters else test


def test_every_test_has_the_laws() -> None:
    words = {test.word for test in TESTS.values()}
    assert [entry.word for entry in own(SignificanceTest) if entry.word not in words] == []


@up_to(60)
@given(tests, boards)
def test_a_p_value_is_one_of_those_that_the_test_can_give(text: str, scores: FloatArray) -> None:
    test = few(TESTS[text])
    found = p_values(test, scores)
    assert np.all((found >= 0.0) & (found <= 1.0))
    if hasattr(test, "b"):
        assert np.all((found == 0.0) | (found >= min(1 / (test.b + 1), test.resolution or 1.0) * (1 - 1e-12)))
        assert np.all(found > 0.0) or test.resolution > 0.0
    else:
        assert np.all(found >= test.smallest_p_value(TOPICS) * (1 - 1e-12))


@up_to(60)
@given(tests, boards)
def test_the_two_directions_of_a_pair(text: str, scores: FloatArray) -> None:
    test, (better, worse) = few(TESTS[text]), directed_pairs(len(scores))
    forward, backward = p_values(test, scores), p_values(test, scores, (worse, better))
    if test.two_tailed:
        assert np.array_equal(forward, backward)
    else:
        assert np.all(forward + backward >= 1.0 - 1e-9)
    # what is said of scores is said of losses in the other direction
    assert p_values(test, 1.0 - scores, (worse, better)) == pytest.approx(forward, rel=1e-9, abs=1e-12)


@up_to(60)
@given(tests, boards, st.integers(0, 64))
def test_topics_may_be_harder_and_scores_on_another_scale(text: str, scores: FloatArray, harder: int) -> None:
    test = few(TESTS[text])
    expected = p_values(test, scores)
    shifts = np.linspace(0, harder, TOPICS).round() / 64
    assert p_values(test, scores + shifts) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert p_values(test, 4.0 * scores) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@up_to(40)
@given(tests, boards)
def test_an_interval_lies_around_the_difference(text: str, scores: FloatArray) -> None:
    test, (better, worse) = few(TESTS[text]), directed_pairs(len(scores))
    difference = scores.mean(axis=1)[better] - scores.mean(axis=1)[worse]
    low, high = test.intervals(scores, better, worse, 0.95, HERE)
    narrow_low, narrow_high = test.intervals(scores, better, worse, 0.8, HERE)
    known = ~np.isnan(low)
    assert np.array_equal(known, ~np.isnan(high))
    assert np.all((low <= difference + 1e-9)[known])
    assert np.all((high >= difference - 1e-9)[known])
    assert np.all((low <= narrow_low + 1e-12)[known & ~np.isnan(narrow_low)])
    assert np.all((high >= narrow_high - 1e-12)[known & ~np.isnan(narrow_high)])
    again_low, again_high = test.intervals(scores, worse, better, 0.95, HERE)
    if not hasattr(test, "weights") or test.two_tailed:  # quantiles of samples are of one side
        assert again_low[known] == pytest.approx(-high[known], abs=1e-9)
        assert again_high[known] == pytest.approx(-low[known], abs=1e-9)


@every_test
def test_runs_that_do_not_differ_have_p_1(test: SignificanceTest) -> None:
    scores = board()[[0, 0, 3]]
    scores[1] += 1e-13
    pairs = np.array([0, 1]), np.array([1, 0])
    assert p_values(few(test), scores, pairs).tolist() == [1.0, 1.0]


@every_test
@pytest.mark.parametrize("topics", [0, 1])
def test_fewer_than_two_topics_have_p_1(test: SignificanceTest, topics: int) -> None:
    plain = of_topics(few(test))
    scores = np.stack([np.ones(topics), np.zeros(topics)])
    assert p_values(plain, scores).tolist() == [1.0, 1.0]
    assert plain.smallest_p_value(topics) == 1.0
    assert len(plain.statistics(scores, *directed_pairs(2))) == 2
    low, high = plain.intervals(scores, *directed_pairs(2), 0.95, HERE)
    assert np.isnan(low).all()
    assert np.isnan(high).all()
    assert plain.cautions(scores, *directed_pairs(2), np.ones(2)) == ()


@every_test
def test_no_hypotheses_have_no_p_values(test: SignificanceTest) -> None:
    assert p_values(test, board(1)).shape == (0,)


@every_test
def test_scores_that_are_no_numbers_are_refused(test: SignificanceTest) -> None:
    scores = board(3)
    scores[1, 2] = np.nan
    with pytest.raises(ValueError, match=r"expected finite scores, found nan at index \[1, 2\]"):
        p_values(few(test), scores)


@every_test
def test_a_run_that_is_far_ahead_is_significantly_better(test: SignificanceTest) -> None:
    found = conclude(board(2, step=1.5), test, unadjusted, HERE)
    assert found.rejected.tolist() == [[False, False], [True, False]]
    assert found.p_values[1, 0] <= 0.01


@every_test
def test_the_order_of_runs_and_of_hypotheses_does_not_change_a_bit(test: SignificanceTest) -> None:
    scores = board(7)
    better, worse = directed_pairs(len(scores))
    expected = p_values(test, scores)
    order = np.random.default_rng(1).permutation(len(better))
    assert np.array_equal(p_values(test, scores, (better[order], worse[order])), expected[order])
    if test.word == "tukey":
        return  # it permutes the runs of a topic, in their order
    last = len(scores) - 1
    assert np.array_equal(p_values(test, scores[::-1], (last - better, last - worse)), expected)


@every_test
def test_the_order_of_topics_does_not_matter(test: SignificanceTest) -> None:
    order = np.random.default_rng(1).permutation(TOPICS)
    clusters = {"c": tuple(CLUSTERS[place] for place in order)}
    expected, found = p_values(test, board()), p_values(test.on_clusters(clusters), board()[:, order])
    if hasattr(test, "b"):  # samples are drawn by the topics' offsets
        assert found == pytest.approx(expected, abs=5 * 0.5 / math.sqrt(test.b) + 1 / test.b)
    else:
        assert found == pytest.approx(expected, rel=1e-11)


@every_test
def test_a_pair_does_not_depend_on_other_runs_unless_all_are_compared_at_once(test: SignificanceTest) -> None:
    scores = board(5)
    alone = p_values(test, scores[[1, 3]])
    everyone = p_values(test, scores, (np.array([1, 3]), np.array([3, 1])))
    if test.simultaneous:
        assert np.all(everyone >= alone - 0.02)
    else:
        assert np.array_equal(alone, everyone)


@every_test
def test_executors_and_sizes_of_tasks_do_not_change_a_bit(test: SignificanceTest, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = board(7)
    pairs = directed_pairs(len(scores))
    expected, intervals = p_values(test, scores), test.intervals(scores, *pairs, 0.95, HERE)
    for module, name, value in (
        (pair_tasks, "CELLS", TOPICS * 3), (pair_tasks, "TASK", TOPICS * 13), (resampling, "RUNS", 4), (resampling, "CHUNK", 1500),
        (resampling, "WORK", 1),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, value)
    with ThreadPoolExecutor(3) as executor:
        there = RunOptions(executor=executor)
        assert np.array_equal(test.p_values(scores, *pairs, there), expected)
        for found, end in zip(test.intervals(scores, *pairs, 0.95, there), intervals, strict=True):
            assert np.array_equal(found, end, equal_nan=True)


@every_test_of_clusters
def test_clusters_of_one_topic_are_topics(test: SignificanceTest) -> None:
    alone = test.on_clusters({"c": tuple(f"{topic:02}" for topic in range(TOPICS))})
    scores, plain = board(), of_topics(test)
    assert p_values(alone, scores) == pytest.approx(p_values(plain, scores), rel=1e-9)
    with pytest.raises(CollectionError, match="c"):
        test.on_clusters({"other": CLUSTERS})


@every_test_of_topics
def test_equal_runs_are_told_apart_on_about_alpha_of_the_boards(test: SignificanceTest) -> None:
    """On normal scores, for each hypothesis; `bootstrap` ignores degrees of freedom, so that it rejects somewhat more often."""
    drawn, wrong = few(test), 0
    for seed in range(300):
        scores = np.random.default_rng((4, seed)).normal(0.5, 0.1, (2, 20))
        wrong += int(conclude(scores, drawn, unadjusted, HERE).rejected.sum())
    hypotheses = 300 if test.two_tailed else 600
    assert wrong <= 0.05 * hypotheses + 4 * math.sqrt(0.0475 * hypotheses) + (0.05 * hypotheses if test.word == "bootstrap" else 0)


@every_test
@pytest.mark.parametrize("correction", [each for each in CORRECTIONS.values() if isinstance(each, SteppedCorrection)], ids=str)
def test_a_correction_with_levels_never_lowers_the_p_values_of_a_test(test: SignificanceTest, correction: Correction) -> None:
    drawn = few(test)
    found = p_values(drawn, board(5, step=0.1))
    adjusted = corrected(found, drawn, correction)
    assert np.all(adjusted >= found)
    assert np.all(np.diff(adjusted[np.argsort(found, kind="stable")]) >= 0.0)
