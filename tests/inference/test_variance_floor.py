"""The floor under the variances of runs: the t test with a floor, and the warning about claims that are lost with it."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import stdtr, stdtrit

from inexmetrics import (
    FormulaError,
    Result,
    SignificanceResult,
    VersusResult,
    bootstrap,
    from_frames,
    parse,
    scores_from,
    sign,
    t,
    tukey,
    wilcoxon,
)
from inexmetrics.cli import main
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.base import SignificanceTest
from inexmetrics.inference.equivalence import one_sided_tests
from inexmetrics.inference.means import directed_pairs, noise_below, observed_pairs
from tests.by_hand import board_of
from tests.examples import quietly
from tests.profiles import up_to
from tests.reference.inference import decimal, t_with_floor, variances_below

HERE = RunOptions()
WARNING = "significant differences depend on runs whose scores vary little on these topics"


def uneven(seed: int, runs: int = 7, topics: int = 9) -> FloatArray:
    """Returns scores, runs x topics, whose first two runs score almost nothing; the third is constant."""
    random = np.random.default_rng((21, seed))
    rows = random.uniform(0, 1, (runs, topics)).round(3)
    rows[:2] = np.where(random.uniform(size=(2, topics)) < 0.2, 0.004, 0).round(3)
    rows[2] = 0.2
    return rows


def significance_of(asked: str, rows: FloatArray) -> SignificanceResult:
    result = quietly(asked, board_of(rows))
    assert isinstance(result, SignificanceResult)
    return result


def told(result: Result) -> list[str]:
    return [warning for warning in result.warnings if WARNING in warning]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("floor", [0.1, 0.5, 1.0])
def test_equals_its_definition(seed: int, floor: float) -> None:
    rows = uneven(seed)
    better, worse = directed_pairs(len(rows))
    pairs = zip(better.tolist(), worse.tolist(), strict=True)
    slow = np.array([t_with_floor(rows.tolist(), first, second, floor) for first, second in pairs])
    n = rows.shape[1]
    test = t(floor=floor)
    assert test.statistics(rows, better, worse) == pytest.approx(slow[:, 0], rel=1e-9)
    assert test.p_values(rows, better, worse, HERE) == pytest.approx(2 * stdtr(n - 1, -(np.abs(slow[:, 0]))), rel=1e-9)
    assert test(tails=1).p_values(rows, better, worse, HERE) == pytest.approx(stdtr(n - 1, -(slow[:, 0])), rel=1e-9)
    low, high = test.intervals(rows, better, worse, 0.9, HERE)
    assert (high - low) / 2 == pytest.approx(stdtrit(n - 1, 0.95) * slow[:, 1], rel=1e-9)
    assert (high + low) / 2 == pytest.approx(rows.mean(axis=1)[better] - rows.mean(axis=1)[worse], rel=1e-9, abs=1e-12)
    within = one_sided_tests(test, rows, better, worse, margin=0.3, setting=HERE)
    assert within.not_below == pytest.approx(stdtr(n - 1, -(slow[:, 0] + 0.3 / slow[:, 1])), rel=1e-9)
    added = [float(each) for each in variances_below([[decimal(score) for score in row] for row in rows.tolist()], floor)]
    assert noise_below(rows, floor) ** 2 == pytest.approx(added, rel=1e-9, abs=1e-15)


def test_three_runs_by_hand() -> None:
    # Variances .01, .01 and .0004/3. V = .01, so the third is raised by .0025 - .0004/3. D of the first and third is .4, .6 and .48: its mean is
    # .4933 and its variance .0101333. s'^2 = .0125, t = .4933 / sqrt(.0125/3) = 7.6427. P(|T_2| > t) = 1 - t/sqrt(t^2 + 2) = .016693.
    rows = np.array([[0.4, 0.6, 0.5], [0.1, 0.2, 0.3], [0.0, 0.0, 0.02]])
    pair = significance_of('significance(given("a") | t(floor=0.5))', rows).pairs.filter(worse="3", better="1")
    statistic = (1.48 / 3) / np.sqrt(0.0125 / 3)
    assert pair["p_value"].item() == pytest.approx(1 - statistic / np.sqrt(statistic**2 + 2), rel=1e-12)
    assert pair["effect_size"].item() == pytest.approx((1.48 / 3) / np.sqrt(0.0304 / 3), rel=1e-12)  # of the differences themselves


def test_without_a_floor_it_is_the_test_of_scipy() -> None:
    rows = np.random.default_rng(3).integers(0, 256, (6, 16)) / 256  # sums of such scores are exact
    first, second = observed_pairs(rows)
    expected = stats.ttest_rel(rows[first], rows[second], axis=1)
    assert t(floor=0) == t
    assert t.statistics(rows, first, second).tolist() == expected.statistic.tolist()
    assert t(floor=0).p_values(rows, first, second, HERE) == pytest.approx(expected.pvalue, rel=1e-12)
    assert np.array_equal(t(floor=0.0).p_values(rows, first, second, HERE), t.p_values(rows, first, second, HERE))


@up_to(60)
@given(seed=st.integers(0, 10**6), floors=st.tuples(st.floats(0, 1), st.floats(0, 1)), topics=st.integers(1, 12))
def test_a_higher_floor_never_makes_a_p_value_smaller(seed: int, floors: tuple[float, float], topics: int) -> None:
    rows = uneven(seed, 5, topics)
    better, worse = observed_pairs(rows)
    lower, higher = sorted(floors)
    for tails in (1, 2):
        plain, low, high = (t(tails=tails, floor=floor).p_values(rows, better, worse, HERE) for floor in (0, lower, higher))
        assert (plain <= low).all()
        assert (low <= high).all()
    if topics > 1:
        ends = [t(floor=floor).intervals(rows, better, worse, 0.95, HERE) for floor in (lower, higher)]
        assert (ends[1][0] <= ends[0][0] + 1e-12).all()
        assert (ends[1][1] >= ends[0][1] - 1e-12).all()


def test_runs_that_vary_alike_keep_every_bit() -> None:
    rows = np.random.default_rng(8).normal(0.5, 0.1, (6, 30))
    pairs = observed_pairs(rows)
    assert np.array_equal(t(floor=0.5).p_values(rows, *pairs, HERE), t.p_values(rows, *pairs, HERE))
    assert np.array_equal(t(floor=0.5).intervals(rows, *pairs, 0.95, HERE), t.intervals(rows, *pairs, 0.95, HERE))


def test_scores_in_other_units_and_another_order_give_the_same_p_values() -> None:
    rows = uneven(4)
    first, second = np.triu_indices(len(rows), 1)
    expected = t(floor=0.5).p_values(rows, first, second, HERE)
    assert t(floor=0.5).p_values(rows * 128 + 3, first, second, HERE) == pytest.approx(expected, rel=1e-9)
    assert t(floor=0.5).p_values(rows[:, ::-1], first, second, HERE) == pytest.approx(expected, rel=1e-9)
    last = len(rows) - 1
    assert t(floor=0.5).p_values(rows[::-1], last - first, last - second, HERE) == pytest.approx(expected, rel=1e-9)


def test_edges() -> None:
    pair = np.array([0]), np.array([1])
    test = t(floor=0.5)
    # two constant runs and one that varies: the difference is the same on every topic, but t is finite
    rows = np.array([[0.5] * 4, [0.25] * 4, [0.0, 0.4, 0.1, 0.7]])
    assert t.p_values(rows, *pair, HERE).tolist() == [0.0]
    error = np.sqrt(2 * 0.25 * np.var(rows[2], ddof=1) / 4)
    assert test.p_values(rows, *pair, HERE) == pytest.approx(2 * stdtr(3, -(0.25 / error)), rel=1e-12)
    # no run varies: as without a floor
    assert test.p_values(rows[:2], *pair, HERE).tolist() == [0.0]
    # equal runs, one topic
    same = np.vstack([rows[:1], rows[:1], rows[2:]])
    assert test.p_values(same, *pair, HERE).tolist() == [1.0]
    assert test(tails=1).p_values(same, *pair, HERE).tolist() == [1.0]
    assert test.p_values(rows[:, :1], *pair, HERE).tolist() == [1.0]
    assert np.isnan(test.intervals(rows[:, :1], *pair, 0.95, HERE)).all()


def test_large_scores_do_not_overflow() -> None:
    rows, pairs = uneven(3), np.triu_indices(7, 1)
    expected = t(floor=0.5).p_values(rows, *pairs, HERE)
    assert t(floor=0.5).p_values(rows * 2.0**800, *pairs, HERE) == pytest.approx(expected, rel=1e-9)
    assert np.isfinite(t(floor=0.5).intervals(rows * 2.0**800, *pairs, 0.95, HERE)).all()


def test_clusters_count_as_one_topic_each() -> None:
    rows = uneven(2, 6, 8)
    frame = [
        {"topic": f"{topic}-{copy}", "c": str(topic), **{f"r{place}": row[topic] for place, row in enumerate(rows)}}
        for topic in range(8)
        for copy in range(3)
    ]
    source = scores_from(frame, measure="a", clusters="c")
    clustered = quietly('significance(given("a") | t(clusters="c", floor=0.5))', source).table
    plain = quietly('significance(given("a") | t(floor=0.5))', board_of(rows)).table
    for name in ("difference", "low", "high", "p_value"):
        assert clustered[name].to_list() == pytest.approx(plain[name].to_list(), rel=1e-9)


@pytest.mark.parametrize("top", ["", ", top=2"])
def test_versus_uses_the_median_of_all_runs(top: str) -> None:
    rows = uneven(5)
    every = significance_of('significance(given("a") | t(floor=0.5))', rows)
    found = quietly(f'versus("5", given("a") | t(floor=0.5){top})', board_of(rows))
    assert isinstance(found, VersusResult)
    for row in found.versus.rows(named=True):
        pair = sorted([row["run_id"], row["opponent"]])
        (expected,) = [each for each in every.pairs.rows(named=True) if sorted([each["better"], each["worse"]]) == pair]
        assert row["p_value"] == expected["p_value"]
        assert row["high"] - row["low"] == pytest.approx(expected["high"] - expected["low"])
        assert abs(row["statistic"]) == pytest.approx(-stdtrit(rows.shape[1] - 1, row["p_value"] / 2))


@pytest.mark.parametrize(("wrong", "expected"), [("2", "at least 0 and of at most 1, found 2"), ("1.01", "found 1.01"), ('"a"', "found")])
def test_a_floor_is_a_share(wrong: str, expected: str) -> None:
    with pytest.raises(FormulaError, match=f"floor: expected a number of .*{expected}"):
        parse(f"t(floor={wrong})")
    with pytest.raises(FormulaError, match=r"floor: expected a number of at least 0 and of at most 1, found -0\.5"):
        t(floor=-0.5)


def test_its_text() -> None:
    assert str(parse("t(floor=0.5, tails=1)")) == "t(tails=1, floor=0.5)"
    assert str(parse('t(floor=0.25, clusters="c")')) == 't(clusters="c", floor=0.25)'
    assert "t with floor 0.5, two-tailed; 21 hypotheses" in significance_of('significance(given("a") | t(floor=0.5))', uneven(0)).to_text()


CORRECTIONS = ["BY", "Holm", "BH", "unadjusted"]


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_the_warning_says_which_runs_and_how_many_claims_remain(correction: str) -> None:
    warned = silent = 0
    for seed in range(30):
        rows = np.random.default_rng((4, seed)).uniform(0, 1, (8, 12)) * np.linspace(0.05, 1, 8)[:, None]
        result, floored = (significance_of(f'significance(given("a") | {test} | {correction})', rows) for test in ("t", "t(floor=0.5)"))
        claims, remaining = (each.summary["significant"].item() for each in (result, floored))
        assert told(floored) == []
        if claims == remaining:
            silent += 1
            assert told(result) == []
            continue
        warned += 1
        below = np.flatnonzero(rows.var(axis=1) < np.median(rows.var(axis=1)) / 4)
        names = [str(place + 1) for place in below[np.argsort(rows.var(axis=1)[below])].tolist()]
        assert told(result) == [
            f't | {correction} under given("a"): {WARNING} ({", ".join(names)}; {len(names)} of 8 runs); '
            f"with t(floor=0.5), {remaining or 'none'} of {claims} remain significant"
        ]
    assert warned >= 5
    assert silent >= 2


UNVARIED = "the same on all"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            'significance(given("a") | Holm)',
            't | Holm under given("a"): the one significant difference is the same on all 4 topics, and p is then 0 for any number of them; by the '
            "sign test, p = 0.125, and none of 1 remain significant; write randomisation, or add topics",
        ),
        (
            'significance(given("a") | t(tails=1, floor=0.5))',
            "p = 0.0625, and none of 1 remain significant; write randomisation(tails=1), or add topics",
        ),
        (
            'significance(given("a") | t(clusters="c"))',
            "on all 2 clusters, and p is then 0 for any number of them; by the sign test, p = 0.5",
        ),
        ('significance(given("a") | t(clusters="c"))', 'write randomisation(clusters="c"), or add clusters'),
        ('versus("2", given("a"))', "t | unadjusted under"),
        ('ranks(given("a"))', "none of 1 remain"),
        ('agreement(given("a") + given("b"), of="measures")', 't | BY under given("a"): '),
    ],
)
def test_claims_that_are_the_same_on_few_topics_are_warned_of(asked: str, said: str) -> None:
    rows = np.array([[0.9, 0.6, 0.1], [0.7, 0.4, 0.9], [0.8, 0.5, 0.2], [0.5, 0.2, 0.6]])
    topics = {"topic_id": [topic for topic in ("k1", "k2", "k3", "k4") for _ in range(3)], "c": ["x"] * 6 + ["y"] * 6}
    scores = {"run_id": ["1", "2", "3"] * 4, "a": rows.ravel(), "b": np.roll(rows, 1, axis=1).ravel() ** 2}
    source = scores_from(pl.DataFrame(topics | scores), clusters="c", measures=("a", "b"))
    result = quietly(asked, source)
    [found] = [warning for warning in result.warnings if UNVARIED in warning]
    assert said in found
    if isinstance(result, SignificanceResult):
        assert "confidence" not in result.finding
        instead = found.partition("write ")[2].partition(", or add")[0]
        assert not quietly(f'significance(given("a") | {instead})', source).table["significant"].any()


def test_equal_differences_on_many_topics_are_no_doubt() -> None:
    rows = np.array([np.linspace(0.1, 0.7, 12), np.linspace(0.2, 0.8, 12), np.random.default_rng(6).uniform(size=12)])
    result = significance_of('significance(given("a") | Holm)', rows)
    assert (result.summary["significant"].item(), result.pairs["p_value"].min(), result.warnings) == (1, 0.0, ())
    assert "with 95 % confidence, the one difference is true" in result.finding


def test_true_differences_are_not_counted_if_fewer_remain_with_a_floor() -> None:
    """On the first leaderboard as many differences remain as the bound counts; on the second, fewer."""
    counted = dict.fromkeys((True, False), 0)
    for seed in range(30):
        rows = np.random.default_rng((4, seed)).uniform(0, 1, (8, 12)) * np.linspace(0.05, 1, 8)[:, None]
        result, floored = (significance_of(f'significance(given("a") | {test} | Holm)', rows) for test in ("t", "t(floor=0.5)"))
        if result.true_at_least():
            enough = floored.summary["significant"].item() >= result.true_at_least()
            assert ("confidence" in result.finding) == enough
            counted[enough] += 1
    assert min(counted.values()) >= 2


@pytest.mark.parametrize("test", ["randomisation", "randomisation(tails=1)", "stepdown(b=2000)"])
def test_other_tests_of_means_are_checked_by_the_t_test(test: str) -> None:
    warned = 0
    correction = "" if test.startswith("stepdown") else " | Holm"
    tails = "tails=1, " if "tails" in test else ""
    for seed in range(25):
        rows = np.random.default_rng((4, seed)).uniform(0, 1, (8, 12)) * np.linspace(0.05, 1, 8)[:, None]
        result = significance_of(f'significance(given("a") | {test}{correction})', rows)
        plain, floored = (significance_of(f'significance(given("a") | t({tails}floor={floor}) | Holm)', rows) for floor in (0, 0.5))
        claims, of_plain, kept = (
            set(each.pairs.filter("significant").select("better", "worse").rows()) for each in (result, plain, floored)
        )
        lost = len((claims & of_plain) - kept)
        assert len(told(result)) == (lost > 0)
        warned += lost > 0
        for warning in told(result):
            assert warning.endswith(f"with t({tails}floor=0.5), {len(claims) - lost or 'none'} of {len(claims)} remain significant")
    assert warned >= 3


@pytest.mark.parametrize("test", [wilcoxon, sign, bootstrap(b=500), tukey(b=500), t(floor=0.5), t(floor=0.8)], ids=str)
def test_other_tests_are_not_checked(test: SignificanceTest) -> None:
    for seed in range(12):
        rows = np.random.default_rng((4, seed)).uniform(0, 1, (8, 12)) * np.linspace(0.05, 1, 8)[:, None]
        assert told(quietly(f'significance(given("a") | {test} | unadjusted)', board_of(rows))) == []


def test_a_test_with_a_lower_floor_is_checked() -> None:
    rows = next(
        rows
        for rows in (np.random.default_rng((4, seed)).uniform(0, 1, (8, 12)) * np.linspace(0.02, 1, 8)[:, None] for seed in range(60))
        if told(significance_of('significance(given("a") | t(floor=0.2))', rows))
    )
    claims, remaining = (
        significance_of(f'significance(given("a") | t(floor={floor}))', rows).summary["significant"].item() for floor in (0.2, 0.5)
    )
    assert told(significance_of('significance(given("a") | t(floor=0.2))', rows))[0].endswith(
        f"{remaining or 'none'} of {claims} remain significant"
    )


def test_real_differences_of_runs_that_vary_alike_raise_no_warning() -> None:
    for seed in range(20):
        random = np.random.default_rng((8, seed))
        rows = random.normal(0.5, 0.1, (20, 50)) + random.normal(0, 0.2, 50) + np.linspace(0, 0.2, 20)[:, None]
        for asked in ('significance(given("a") | {})', 'versus("10", given("a") | {})'):
            for stages in ("t | BY", "t | Holm", "randomisation | Holm"):
                assert told(quietly(asked.format(stages), board_of(rows))) == []


def lognormal(seed: int, runs: int = 20, topics: int = 25) -> FloatArray:
    """Returns scores, runs x topics, with mean 1 and a skewness that increases with the run."""
    sigma = np.linspace(0.2, 1.2, runs)[:, None]
    return np.asarray(np.exp(sigma * np.random.default_rng((5, seed)).normal(size=(runs, topics)) - sigma**2 / 2))


def test_fewer_false_claims_with_a_floor() -> None:
    """Runs of equal means and unequal skewness: nothing differs, and the ordinary t test claims too often."""
    claims = {
        floor: sum(
            bool(significance_of(f'significance(given("a") | t(floor={floor}) | Holm)', lognormal(seed)).table["significant"].any())
            for seed in range(60)
        )
        for floor in (0, 0.5, 1)
    }
    assert claims[0] > claims[1]
    assert claims[0] >= claims[0.5] >= claims[1]


@pytest.mark.parametrize("seed", [0, 5, 12])
def test_a_warning_of_some_draws_of_topics_says_of_how_many(seed: int) -> None:
    source = scores_from((lognormal(seed, 20, 40) * np.linspace(0.3, 1, 20)[:, None]).T)
    asked = 'agreement(given("a") ~ topics(20, seed={}) + 1, draws={}, fresh=True)'
    single = [told(quietly(asked.format(draw, 1), source)) for draw in range(5)]
    concerned = sum(bool(warnings) for warnings in single)
    found = told(quietly(asked.format(0, 5), source))
    assert len(found) == bool(concerned)
    for warning in found:
        counts = [int(count) for count in re.findall(r"in (?:up to )?(\d) of 5 draws", warning)]
        assert len(counts) == (concerned < 5)
        assert max(counts, default=5) <= concerned


@pytest.mark.parametrize(
    "formula",
    [
        "design(MAP ~ 1, truth=1, cost=1, topics=({}))",
        "design(MAP + RR ~ 1 | Holm, truth=1, cost=1, topics=({}))",
        "design(MAP ~ 1 | stepdown(b=50), truth=1, cost=1, topics=({}))",
    ],
)
def test_plans_of_many_numbers_of_topics_are_warned_of_in_one_sentence(formula: str) -> None:
    """The only relevant document has ranks that hardly vary in two runs, so that draws differ in whether the two differ significantly."""
    random = np.random.default_rng(8)
    topics = [f"t{topic:02}" for topic in range(24)]
    lowest, highest = (8, 9, 1, 1, 1), (9, 10, 9, 9, 9)
    runs = {}
    for run, bounds in enumerate(zip(lowest, highest, strict=True)):
        ranks = random.integers(*bounds, size=24, endpoint=True).tolist()
        runs[f"r{run}"] = {
            topic: {"relevant": float(-rank), **{f"d{place}": -place - 0.5 for place in range(10)}}
            for topic, rank in zip(topics, ranks, strict=True)
        }
    source = from_frames({topic: {"relevant": 1} for topic in topics}, runs)
    (warning,) = told(quietly(formula.format("5, 8, 12"), source))
    most, conditions = map(
        int, re.findall(r" \(in up to (\d+) of 50 draws, under (\d+) conditions(?:, with other numbers)?\)$", warning)[0]
    )
    assert 0 < most <= 50
    assert conditions > 1


def test_warnings_of_several_conditions_are_one(capsys: pytest.CaptureFixture[str]) -> None:
    rows = np.random.default_rng((4, 1)).uniform(0, 1, (8, 12)) * np.linspace(0.05, 1, 8)[:, None]
    single = told(significance_of('significance(given("a") | unadjusted)', rows))
    assert len(single) == 1
    frame = [
        {"run_id": f"r{place}", "topic_id": f"t{topic:02}", "measure": measure, "score": float(score)}
        for measure, factor in (("a", 1), ("b", 2))
        for place, row in enumerate(rows * factor)
        for topic, score in enumerate(row)
    ]
    result = quietly('significance(given("a") + given("b") | unadjusted)', scores_from(frame))
    (warning,) = told(result)
    assert warning.startswith('t | unadjusted under given("a"): ')
    assert warning.endswith(" remain significant (1 more of this kind, with other numbers)")
    assert main(["explain", "t"]) == 0
    assert "floor" in capsys.readouterr().out
