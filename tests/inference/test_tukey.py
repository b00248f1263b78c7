from __future__ import annotations

import hashlib
import itertools
import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from inexmetrics import (
    BY,
    MAP,
    BinExh,
    FormulaError,
    Gen5,
    Holm,
    Scores,
    agreement,
    error_rate,
    parse,
    significance,
    t,
    tukey,
    unadjusted,
    versus,
)
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference import all_pairs as module
from inexmetrics.inference import resampling
from inexmetrics.inference.means import mean_differences, observed_pairs


def by_definition(scores: FloatArray, b: int, seed: int) -> FloatArray:
    """Returns the ranges of permuted means in floating point, one permutation of one topic at a time."""
    ranges: list[float] = []
    for block in range(math.ceil(b / 500)):
        random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(block,))))
        for _ in range(min(500, b - 500 * block)):
            permuted = random.permuted(scores.T, axis=1)
            means = [math.fsum(permuted[:, run]) / scores.shape[1] for run in range(len(scores))]
            ranges.append(max(means) - min(means))
    return np.sort(np.array(ranges))


def drawn(runs: int, topics: int, seed: int = 0, effect: float = 0.0) -> FloatArray:
    random = np.random.default_rng(seed)
    return random.normal(0.5, 0.1, (runs, topics)) + random.normal(0, 0.2, topics) + effect * np.arange(runs)[:, None]


def test_equals_its_definition() -> None:
    scores = np.round(drawn(6, 9, effect=0.03), 3)
    test = tukey(b=1300, seed=5)
    expected = by_definition(scores, 1300, 5)
    assert test.ranges(scores, RunOptions()) == pytest.approx(expected, abs=2e-12)
    better, worse = observed_pairs(scores)
    difference = mean_differences(scores, better, worse)
    counts = [(expected >= abs(d) - 1e-12).sum() for d in difference]
    assert test.p_values(scores, better, worse, RunOptions()).tolist() == [(1 + count) / 1301 for count in counts]
    low, high = test.intervals(scores, better, worse, 0.9, RunOptions())
    quantile = expected[1170 - 1]  # 1170 = .9 x 1300
    assert low == pytest.approx(difference - quantile, abs=1e-12)
    assert high == pytest.approx(difference + quantile, abs=1e-12)


@pytest.mark.parametrize("interval", [0.55, 0.9, 0.95])  # 0.55 * 700 is 385.00000000000006
def test_the_margin_is_the_smallest_range_that_so_many_do_not_exceed(interval: float) -> None:
    scores, pair = drawn(3, 12), (np.array([0]), np.array([1]))
    test = tukey(b=700)
    ranges, at = test.ranges(scores, RunOptions()), round(700 * interval) - 1
    assert ranges[at - 1] < ranges[at] < ranges[at + 1]
    low, high = test.intervals(scores, *pair, interval, RunOptions())
    assert (high - low)[0] / 2 == pytest.approx(ranges[at], abs=1e-15)


def test_from_one_permutation_to_ten_million() -> None:
    assert (tukey.b, tukey.seed) == (10_000, 0)
    assert tukey(b=1).smallest_p_value(2) == 1 / 2
    assert str(tukey(b=10_000_000)) == "tukey(b=10000000)"
    for b in (0, 10_000_001):
        with pytest.raises(FormulaError, match=f"tukey: b: expected an integer from 1 to 10000000, found {b}"):
            tukey(b=b)


def test_by_hand() -> None:
    # Two runs, three topics, differences .3 .4 .2: the mean .3 recurs, but for its sign(tails=1), on 2 of 8 permutations; of the other
    # ranges (.3 + .4 - .2)/3, (.3 - .4 + .2)/3, (-.3 + .4 + .2)/3 none is as large.
    scores = np.array([[0.4, 0.6, 0.5], [0.1, 0.2, 0.3]])
    ranges = tukey.ranges(scores, RunOptions())
    possible = [0.1 / 3, 0.1, 0.5 / 3, 0.3]
    assert np.unique(ranges.round(9)).tolist() == pytest.approx(possible)
    forward = np.array([0]), np.array([1])
    p_value = tukey.p_values(scores, *forward, RunOptions())[0]
    assert p_value == (1 + (ranges > 0.29).sum()) / 10_001
    assert p_value == pytest.approx(1 / 4, abs=0.015)
    low, high = tukey.intervals(scores, *forward, 0.95, RunOptions())
    assert (low[0], high[0]) == pytest.approx((0.0, 0.6), abs=1e-12)


def test_two_topics_have_an_interval() -> None:
    # Differences .2 and .4: the means of the permutations are .3 and .1 apart, half of them each.
    low, high = tukey.intervals(np.array([[0.3, 0.5], [0.1, 0.1]]), np.array([0]), np.array([1]), 0.95, RunOptions())
    assert (low[0], high[0]) == pytest.approx((0.0, 0.6), abs=1e-12)


def test_all_permutations_of_three_runs_and_two_topics() -> None:
    scores = np.array([[0.9, 0.7], [0.5, 0.4], [0.1, 0.3]])
    exact = [np.ptp((np.array(first) + np.array(second)) / 2) for first in itertools.permutations(scores[:, 0])
             for second in itertools.permutations(scores[:, 1])]  # fmt: skip
    better, worse = observed_pairs(scores)
    expected = [np.mean([q >= d - 1e-12 for q in exact]) for d in mean_differences(scores, better, worse)]
    assert tukey.p_values(scores, better, worse, RunOptions()) == pytest.approx(expected, abs=4 * 0.5 / 100)


def test_close_to_tukeys_studentised_range() -> None:
    # Of normal scores without effects of runs, the ranges are those of Tukey's HSD in a two-way layout.
    runs, topics = 8, 60
    scores = drawn(runs, topics, seed=3)
    residuals = scores - scores.mean(axis=0) - scores.mean(axis=1)[:, None] + scores.mean()
    error = math.sqrt((residuals**2).sum() / ((runs - 1) * (topics - 1)) / topics)
    # python -c "from scipy import stats; print([float(stats.studentized_range.ppf(l, 8, 7 * 59)) for l in (0.5, 0.9, 0.95)])"
    for level, quantile in zip((0.5, 0.9, 0.95), [2.7933197938177288, 3.947315230610524, 4.308457502437062], strict=True):
        critical = quantile * error
        assert tukey.ranges(scores, RunOptions())[math.ceil(10_000 * level) - 1] == pytest.approx(critical, rel=0.04)


def test_random_numbers_are_the_ones_results_were_published_with() -> None:
    # numpy does not promise its streams for ever: a change here is a change of every p-value.
    ranges = tukey(b=700, seed=7).ranges(np.arange(20.0).reshape(4, 5) ** 2, RunOptions())
    assert hashlib.sha256(ranges.tobytes()).hexdigest() == "1441b4992c726dc44894f5ca0f5b73d3bb242538f824443d638afdace09ba00f"


def test_the_same_bits_on_threads_and_for_the_first_of_more_permutations(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = drawn(7, 11)
    here = tukey(b=1700).ranges(scores, RunOptions())
    monkeypatch.setattr(module, "_ranges", {})
    with ThreadPoolExecutor(3) as executor:
        assert np.array_equal(tukey(b=1700).ranges(scores, RunOptions(executor=executor)), here)


def test_ranges_are_kept_for_the_intervals_and_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[object, FloatArray] = {}
    monkeypatch.setattr(module, "_ranges", kept)
    scores = [drawn(3, 4, seed) for seed in range(6)]
    first = tukey(b=20).ranges(scores[0], RunOptions())
    assert tukey(b=20).ranges(scores[0].copy(), RunOptions()) is first
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 1.0
    for others in scores:
        tukey(b=20).ranges(others, RunOptions())
    assert len(kept) == resampling.KEPT


def test_runs_that_do_not_differ_and_single_topics_have_p_1() -> None:
    forward = np.array([0]), np.array([1])
    assert tukey(b=50).p_values(np.array([[0.5, 0.25], [0.5, 0.25]]), *forward, RunOptions()).tolist() == [1.0]
    assert tukey(b=50).p_values(np.array([[0.5], [0.25]]), *forward, RunOptions()).tolist() == [1.0]
    assert np.isnan(tukey(b=50).intervals(np.array([[0.5], [0.25]]), *forward, 0.95, RunOptions())).all()
    with pytest.raises(ValueError, match="expected finite scores"):
        tukey.p_values(np.array([[0.5, np.nan], [0.25, 0.5]]), *forward, RunOptions())


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("significance(MAP | tukey)", "significance(MAP | tukey)"),
        ("significance(MAP | unadjusted | tukey)", "significance(MAP | tukey)"),
        ("significance(MAP | tukey | unadjusted(alpha=0.01))", "significance(MAP | tukey | unadjusted(alpha=0.01))"),
        ("agreement(MAep ~ Gen5 + BinExh | tukey)", "agreement(Gen5, BinExh, measure=MAep, test=tukey)"),
        ("significance(MAP | t(tails=1) | unadjusted)", "significance(MAP | t(tails=1) | unadjusted)"),
    ],
)
def test_needs_no_correction(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical
    assert parse(canonical) == parse(text)


def test_in_python_too() -> None:
    assert significance(MAP, test=tukey).correction == unadjusted
    assert agreement(Gen5, BinExh, measure=MAP, test=tukey).correction == unadjusted
    assert significance(MAP, test=t(tails=1)).correction == BY
    refused = r"^significance: correction: expected unadjusted, found Holm\n  hint: the p-values of tukey are already corrected"
    with pytest.raises(FormulaError, match=refused):
        significance(MAP, test=tukey, correction=Holm)
    with pytest.raises(FormulaError, match="found BY"):
        parse("significance(MAP | tukey | BY)")
    with pytest.raises(FormulaError, match="found BY"):
        significance(MAP, test=tukey, correction=BY)


@pytest.mark.parametrize("refusing", ['versus("a", MAP | tukey)', "error_rate(MAP, tests=(t(tails=1), tukey(b=50)))"])
def test_tests_of_single_pairs_refuse_it(refusing: str) -> None:
    with pytest.raises(FormulaError, match=r"expected a test of one pair of runs, found tukey.*, which compares all runs at once"):
        parse(refusing)
    with pytest.raises(FormulaError):
        versus("a", MAP, test=tukey)
    with pytest.raises(FormulaError):
        error_rate(MAP, tests=tukey)


def test_significance_says_that_the_test_corrects() -> None:
    matrix = drawn(5, 20, effect=0.04)
    scores = Scores(tuple("abcde"), tuple(f"{topic:02}" for topic in range(20)), {("MAP", "1"): matrix})
    result = significance(MAP, test=tukey(b=500)).answer(scores, RunOptions())
    assert result.tested == "tukey, two-tailed; 10 hypotheses, corrected by the test at alpha = 0.05"
    assert result.table["p_adjusted"].to_list() == result.table["p_value"].to_list()
    assert result.tables["summary"]["hypotheses"].to_list() == [10]
    assert result.warnings == ()
    # a difference is significant where its interval excludes 0
    table = result.table
    assert ((table["low"] > 0) == table["significant"]).all()
