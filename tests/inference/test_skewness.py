"""Skewed differences: measurement of skewness, the t test corrected for skewness, and the warnings of experiments."""

from __future__ import annotations

import math
import re
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import stdtr

from inexmetrics import (
    BH,
    BY,
    Bonferroni,
    Correction,
    Holm,
    SignificanceTest,
    bootstrap,
    randomisation,
    run,
    sample,
    scores_from,
    sign,
    stepdown,
    t,
    unadjusted,
    wilcoxon,
)
from inexmetrics.cli import main
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.error_rates import skewness, taken_back
from inexmetrics.inference.means import observed_pairs
from tests.examples import quietly
from tests.reference.inference import corrected_for_skewness, difference
from tests.reference.inference import skewness as slow_skewness

HERE = RunOptions()
WARNING = "found skewed differences, for which p-values of"


def lognormal(seed: int, runs: int = 20, topics: int = 25) -> FloatArray:
    """Returns scores, runs x topics, with mean 1 and a skewness that increases with the run."""
    sigma = np.linspace(0.2, 1.2, runs)[:, None]
    return np.asarray(np.exp(sigma * np.random.default_rng((5, seed)).normal(size=(runs, topics)) - sigma**2 / 2))


def warned(formula: str, rows: FloatArray) -> bool:
    return any(WARNING in warning for warning in run(formula, scores_from(rows.T)).warnings)


def test_skewness_is_that_of_its_definition() -> None:
    rows = lognormal(0, 4, 9).round(3)
    first, second = np.triu_indices(4, 1)
    found = skewness(rows, first, second, HERE)
    expected = [slow_skewness(difference(rows[a].tolist(), rows[b].tolist())) for a, b in zip(first, second, strict=True)]
    assert found == pytest.approx(expected, rel=1e-9)
    assert skewness(rows, second, first, HERE).tolist() == (-found).tolist()
    assert skewness(rows * 1e140, first, second, HERE) == pytest.approx(expected, rel=1e-9)
    # python -c "from scipy.stats import skew; print(skew([0.1, 0.2, 0.2, 0.9]))"
    assert skewness(np.array([[0.1, 0.2, 0.2, 0.9], [0.0] * 4]), np.array([0]), np.array([1]), HERE) == pytest.approx(
        [1.0970254493638671], rel=1e-9
    )


@pytest.mark.parametrize("test", [t, t(tails=1)], ids=str)
@pytest.mark.parametrize("correction", [BY, BH, Holm, Bonferroni, unadjusted], ids=str)
def test_what_a_correction_takes_back(test: SignificanceTest, correction: Correction) -> None:
    rows = (lognormal(3, 6, 12) + np.linspace(0, 2, 6)[:, None]).round(3)
    better, worse = observed_pairs(rows)
    p_values = test.p_values(rows, better, worse, HERE)
    rejected = correction.rejected(p_values)
    assert rejected.any()
    by_pair = [difference(rows[a].tolist(), rows[b].tolist()) for a, b in combinations(range(6), 2)]
    family = max(0.0, float(np.mean([slow_skewness(d) ** 2 for d in by_pair])) - 6 * 10 / (13 * 15))
    assert family > 0
    statistics = test.statistics(rows, better, worse)
    corrected = []
    for value in statistics:
        u = corrected_for_skewness(float(value), math.sqrt(family), 12)
        corrected.append(min(1.0, (2 if test.two_tailed else 1) * float(stdtr(11, -u))))
    kept = correction.rejected(np.array(corrected))
    expected = np.count_nonzero(rejected & ~kept) / np.count_nonzero(rejected)
    assert taken_back(rows, test, correction, (better, worse), rejected, setting=HERE) == expected


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 6), st.integers(1, 8), st.integers(0, 1000))
def test_a_share_of_any_board(runs: int, topics: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.choice([0.0, 0.1, 0.5, 1.0], (runs, topics))
    better, worse = observed_pairs(rows)
    for test, correction in ((t, unadjusted), (randomisation(b=99), unadjusted), (stepdown(b=99), unadjusted)):
        for rejected in (test.p_values(rows, better, worse, HERE) <= 0.05, np.ones(len(better), bool)):
            share = taken_back(rows, test, correction, (better, worse), rejected, setting=HERE)
            assert 0.0 <= share <= 1.0
            again = taken_back(rows * 0.25, test, correction, (better, worse), rejected, setting=HERE)
            assert share == again  # a power of two changes no digit
    nothing = np.zeros(len(better), bool)
    assert taken_back(rows, t, BY, (better, worse), nothing, setting=HERE) == 0.0


@pytest.mark.filterwarnings("ignore:every difference between two runs is the same on all")
def test_constant_differences_survive() -> None:
    rows = np.array([[0.5, 0.6, 0.7, 0.8], [0.25, 0.35, 0.45, 0.55], [0.0, 0.1, 0.2, 0.3]])
    assert not warned('significance(given("a"))', rows)


@pytest.mark.parametrize("stages", ["t | BY", "t | Holm", "randomisation | Holm", "stepdown(b=999)", "tukey(b=999)", "t(tails=1) | BY"])
def test_a_test_of_means_warns_of_claims_that_skewness_explains(stages: str) -> None:
    boards = [lognormal(seed) for seed in range(40)]
    asked = f'significance(given("a") | {stages})'
    claims = [run(asked, scores_from(rows.T)).table["significant"].any() for rows in boards]
    told = [warned(asked, rows) for rows in boards]
    assert sum(claims) >= 2
    assert sum(claim and not tell for claim, tell in zip(claims, told, strict=True)) <= 1
    assert not any(tell and not claim for claim, tell in zip(claims, told, strict=True))  # a board without claims needs no warning


@pytest.mark.parametrize("test", [wilcoxon, sign, bootstrap(b=2000)], ids=str)
def test_other_tests_do_not(test: SignificanceTest) -> None:
    boards = [lognormal(seed) for seed in range(12)]
    assert not any(warned(f'significance(given("a") | {test} | unadjusted)', rows) for rows in boards)


@pytest.mark.parametrize("asked", ['significance(given("a") | {})', 'versus("10", given("a") | {})'])
@pytest.mark.parametrize("stages", ["t | BY", "t | Holm"])
def test_real_differences_raise_no_warning(asked: str, stages: str) -> None:
    told = 0
    for seed in range(20):
        random = np.random.default_rng((8, seed))
        told += warned(
            asked.format(stages), random.normal(0.5, 0.1, (20, 50)) + random.normal(0, 0.2, 50) + np.linspace(0, 0.2, 20)[:, None]
        )
    assert told == 0
    # skewed as before, and far apart
    assert not warned(asked.format(stages), lognormal(0, 20, 200) + 3 * np.arange(20)[:, None])


def test_few_false_claims_of_versus_are_without_a_warning() -> None:
    asked, silent, claims = 'versus("20", given("a") | t | Holm)', 0, 0
    for seed in range(60):
        result = run(asked, scores_from(lognormal(seed).T))
        claim = bool(result.table["significant"].any())
        claims += claim
        silent += claim and not any(WARNING in warning for warning in result.warnings)
    assert claims >= 6
    assert silent <= 4


def test_the_topics_of_a_cluster_count_once() -> None:
    rows = lognormal(2, 8, 12)
    frame = [
        {"topic": f"{topic}-{copy}", "c": str(topic), **{f"r{i}": rows[i, topic] for i in range(8)}}
        for topic in range(12)
        for copy in range(3)
    ]
    source = scores_from(frame, measure="a", clusters="c")
    told = [
        any(WARNING in warning for warning in run(f'significance(given("a") | {each} | unadjusted)', source).warnings)
        for each in ("t", 't(clusters="c")')
    ]
    plain = warned('significance(given("a") | t | unadjusted)', rows)
    assert told == [False, plain]


def test_a_result_of_many_conditions_has_one_warning() -> None:
    result = run("agreement(MAep ~ Gen5 + BinExh)", sample())
    (warning,) = [each for each in result.warnings if WARNING in each]
    assert warning == (
        f"t | BY: {WARNING} t are too small: after a correction for skewness, most of the significant differences are no longer significant; "
        'calibration(…, null="means") estimates how often the test rejects falsely on your scores'
    )
    table = run('calibration(MAep ~ Gen5, tests=t, boards=60, null="means")', sample()).table
    assert table["share"].item() > 0.3  # the warning has a reason


@pytest.mark.parametrize("seed", [0, 5, 12])
def test_a_warning_of_some_draws_of_topics_says_of_how_many(seed: int) -> None:
    source = scores_from(lognormal(seed, 20, 40).T)
    asked = 'agreement(given("a") ~ topics(20, seed={}) + 1, draws={}, fresh=True)'
    single = [run(asked.format(draw, 1), source).warnings for draw in range(5)]
    concerned = sum(any(WARNING in each for each in warnings) for warnings in single)
    (warning,) = [each for each in run(asked.format(0, 5), source).warnings if WARNING in each]
    _, _, draws = warning.rpartition(" on your scores ")
    counts = [int(count) for count in re.findall(r"in (\d) of 5 draws of", draws)]
    assert draws.startswith("(")
    assert max(counts) <= concerned <= sum(counts)
    assert concerned < 5
    assert 'of given("a")' in draws


def test_a_test_on_the_same_topics_in_every_draw_warns_of_all_draws() -> None:
    asked = 'agreement(given("a") ~ topics(20) + 1 | t | unadjusted, draws=3)'
    found = quietly(asked, scores_from(lognormal(0, 20, 40).T)).warnings
    (warning,) = [each for each in found if WARNING in each]
    assert warning.endswith('(in 1 of 3 draws of given("a") ~ topics(20), in 3 of 3 draws of given("a"))')


def test_the_program_prints_it_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agreement(MAep ~ Gen5 + BinExh)"]) == 0
    assert capsys.readouterr().err.count(WARNING) == 1
