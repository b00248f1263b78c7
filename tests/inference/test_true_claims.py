"""The number of true differences among chosen pairs: closed testing by enumeration, another program, and the results of `significance`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from inexmetrics import CollectionWarning, Scores, SignificanceResult, run, scores_from
from inexmetrics.inference.true_claims import largest_not_rejected, true_at_least
from tests.by_hand import board_of
from tests.reference.inference import simes_rejects, true_by_closed_testing, true_by_formula


@pytest.mark.parametrize("seed", range(60))
def test_equals_closed_testing_by_enumeration(seed: int) -> None:
    random = np.random.default_rng((11, seed))
    count, alpha = int(random.integers(1, 9)), float(random.choice([0.01, 0.05, 0.2]))
    p_values = random.choice([0.0, 0.001, 0.01, 0.0125, 0.025, 0.05, 0.1, 0.5, 1.0], count)
    p_values[: count // 2] = random.uniform(0, 0.05, count // 2)
    largest = max(size for size in range(count + 1) if not simes_rejects(np.sort(p_values)[count - size :].tolist(), alpha))
    assert largest_not_rejected(p_values, alpha) == largest
    for _ in range(6):
        chosen = np.flatnonzero(random.integers(0, 2, count))
        expected = true_by_closed_testing(chosen.tolist(), p_values.tolist(), alpha)
        assert true_at_least(p_values[chosen], p_values, alpha) == expected
        assert true_by_formula(p_values[chosen].tolist(), p_values.tolist(), alpha) == expected


def test_ten_hypotheses_equal_closed_testing_too() -> None:
    p_values = np.array([0.0009, 0.0024, 0.008, 0.0058, 0.0043, 0.016, 0.0114, 0.0391, 0.0517, 0.6])
    assert true_at_least(p_values, p_values, 0.05) == true_by_closed_testing(range(10), p_values.tolist(), 0.05) == 6


# from statsmodels.stats.multitest import multipletests    (statsmodels 0.15.0)
# multipletests(P_VALUES, method="hommel")[1].round(12).tolist()
P_VALUES = [
    0.0009, 0.0024, 0.008, 0.0058, 0.0009, 0.0043, 0.0048, 0.016, 0.0735, 0.0114,
    0.0391, 0.0517, 0.0431, 0.5868, 0.7378, 0.9563, 0.2842, 0.6485, 0.6962, 0.2927,
]  # fmt: skip
HOMMEL = [
    0.0171, 0.0384, 0.104, 0.0754, 0.0171, 0.0602, 0.0672, 0.176, 0.588, 0.1368,
    0.33075, 0.4136, 0.3448, 0.9563, 0.9563, 0.9563, 0.9563, 0.9563, 0.9563, 0.9563,
]  # fmt: skip


@pytest.mark.parametrize("alpha", [0.01, 0.02, 0.05, 0.07, 0.1, 0.15, 0.2, 0.35, 0.5])
def test_a_single_difference_is_true_where_hommel_rejects_it(alpha: float) -> None:
    p_values = np.array(P_VALUES)
    found = [true_at_least(p_values[[place]], p_values, alpha) for place in range(len(p_values))]
    assert found == [int(adjusted <= alpha) for adjusted in HOMMEL]
    assert true_at_least(p_values, p_values, alpha) >= sum(found)  # together they say more than one by one


def test_all_certain_and_none() -> None:
    assert true_at_least(np.zeros(3), np.zeros(3), 0.05) == 3
    assert true_at_least(np.ones(3), np.ones(3), 0.05) == 0
    assert true_at_least(np.zeros(0), np.ones(3), 0.05) == 0
    assert largest_not_rejected(np.zeros(0), 0.05) == 0
    assert true_at_least(np.array([0.05]), np.array([0.05]), 0.05) == 1  # a p-value equal to alpha is significant


def board(seed: int = 0, runs: int = 6, topics: int = 20) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.random.default_rng((5, seed)).normal(0, 0.2, (topics, runs)) + np.linspace(0, 0.4, runs)


def found(asked: str, seed: int = 0) -> SignificanceResult:
    result = run(asked, scores_from(board(seed)))
    assert isinstance(result, SignificanceResult)
    return result


@pytest.mark.parametrize("correction", ["BY", "BH", "Holm", "Bonferroni", "unadjusted", "Holm(alpha=0.2)"])
def test_the_summary_and_the_method_agree_with_enumeration(correction: str) -> None:
    result = run(f'significance(given("a") | {correction})', scores_from(board(2, 5)))
    assert isinstance(result, SignificanceResult)
    p_values, alpha = result.pairs["p_value"].to_list(), 0.2 if "alpha" in correction else 0.05
    for rows, chosen in (
        (None, result.pairs["significant"].arg_true().to_list()),
        (pl.col("better") == "5", (result.pairs["better"] == "5").arg_true().to_list()),
        (pl.lit(value=True), list(range(10))),
        (pl.col("difference") > 2, []),
    ):
        assert result.true_at_least(rows) == true_by_closed_testing(chosen, p_values, alpha)
    assert result.summary["true_at_least"].to_list() == [result.true_at_least()]
    assert result.summary.columns[-1] == "true_at_least"


def test_differences_that_holm_finds_are_all_true() -> None:
    result = found('significance(given("a") | Holm)')
    assert result.true_at_least() == result.summary["significant"].item() > 0
    assert f"; with 95 % confidence, all {result.true_at_least()} differences are true." in result.finding


@pytest.mark.parametrize("test", ["tukey(b=999)", "stepdown(b=999)"])
def test_all_claims_of_a_test_of_all_pairs_are_true(test: str) -> None:
    result = found(f'significance(given("a") | {test})')
    assert result.true_at_least() == result.summary["significant"].item() > 0
    assert result.true_at_least(pl.col("worse") == "1") == (result.pairs["significant"] & (result.pairs["worse"] == "1")).sum()


def test_a_one_tailed_test_has_twice_as_many_hypotheses() -> None:
    result = found('significance(given("a") | t(tails=1))')
    family = np.append(result.pairs["p_value"].to_numpy(), 1 - result.pairs["p_value"].to_numpy())
    claims = result.pairs.filter("significant")["p_value"].to_numpy()
    assert result.true_at_least() == true_at_least(claims, family, 0.05)
    observed = found('significance(given("a") | t(tails=1), pairs="observed")')
    everything = observed.pairs["p_value"].to_numpy()
    assert observed.true_at_least(pl.lit(value=True)) == true_at_least(everything, everything, 0.05)


@pytest.mark.parametrize(
    ("options", "counted"),
    [
        ("| t(tails=1)", True),
        ('| t(tails=1), pairs="observed"', False),
        ('| randomisation(tails=1) | Holm, pairs="observed"', False),
        (', pairs="observed"', True),
        (', best_of="(.)"', False),
    ],
)
@pytest.mark.filterwarnings("ignore:best_of:inexmetrics.CollectionWarning")
def test_the_finding_counts_no_true_differences_of_hypotheses_that_the_scores_chose(options: str, counted: bool) -> None:
    result = found(f'significance(given("a") {options})')
    assert result.summary["significant"].item() > 0
    assert ("with 95 % confidence" in result.finding) == counted


@pytest.mark.filterwarnings("ignore:bootstrap:inexmetrics.CollectionWarning")
def test_a_p_value_of_zero_counts_as_the_smallest_that_the_test_can_compute() -> None:
    rows = np.array([[0.9, 0.1], [0.8, 0.1], [0.9, 0.3], [0.7, 0.1]])
    result = run('significance(given("a") | bootstrap(b=40) | unadjusted)', scores_from(rows))
    assert isinstance(result, SignificanceResult)
    assert (result.pairs["p_value"].item(), result.true_at_least()) == (0.0, 1)  # 2/40 is alpha: both directions are tested
    coarser = run('significance(given("a") | bootstrap(b=39) | unadjusted)', scores_from(rows))
    assert isinstance(coarser, SignificanceResult)
    assert (coarser.pairs["p_value"].item(), coarser.true_at_least(pl.lit(value=True))) == (0.0, 0)


def test_pairs_of_several_conditions_are_an_error() -> None:
    first = board().T
    both = {("a", "1"): first, ("b", "1"): first**2 + 0.1 * np.arange(6)[:, None]}
    result = run('significance(given("a") + given("b"))', Scores(tuple("abcdef"), tuple(f"{topic:02}" for topic in range(20)), both))
    assert isinstance(result, SignificanceResult)
    for every in (None, pl.lit(value=True)):
        with pytest.raises(ValueError, match='found pairs of 2: given\\("a"\\) and given\\("b"\\); choose one'):
            result.true_at_least(every)
    counts = [result.true_at_least((pl.col("measure") == measure) & pl.col("significant")) for measure in ('given("a")', 'given("b")')]
    assert result.summary["true_at_least"].to_list() == counts
    assert f"at least {counts[0]} of the {result.summary['significant'][0]}" in result.finding
    assert result.true_at_least(pl.col("measure") == "unknown") == 0


@pytest.mark.parametrize("rows", [pl.col("nothing") > 1, pl.col("better"), pl.col("better", "worse") == "1"], ids=str)
def test_something_that_is_no_condition_is_an_error(rows: pl.Expr) -> None:
    with pytest.raises(ValueError, match="true_at_least: expected a condition on the columns measure, quantisation, better"):
        found('significance(given("a"))').true_at_least(rows)


def test_one_topic_shows_nothing() -> None:
    with pytest.warns(CollectionWarning, match="the smallest p-value of t over 1 topic is 1"):
        result = run('significance(given("a"))', scores_from(board()[:1]))
    assert isinstance(result, SignificanceResult)
    assert result.true_at_least() == result.true_at_least(pl.lit(value=True)) == 0
    assert "confidence" not in result.finding


def test_the_bound_keeps_its_promise_where_nothing_differs() -> None:
    """On boards of equal runs every difference that is counted is false; at most 5 % of the boards may have one."""
    wrong = 0
    for seed in range(200):
        result = run('significance(given("a"))', board_of(np.random.default_rng((77, seed)).normal(0, 1, (20, 8)).T))
        assert isinstance(result, SignificanceResult)
        wrong += result.true_at_least(pl.lit(value=True)) > 0
    assert wrong <= 20  # .05 of 200, plus three standard errors


@pytest.mark.parametrize(
    ("file", "claims", "true", "raised", "remaining"),
    [
        ("trec5_ap.csv", 814, 758, "3 of 61", 810),
        ("trec6_ap.csv", 1277, 1194, "9 of 74", 1249),
        ("trec7_ap.csv", 3066, 2920, "10 of 103", 3046),
    ],
)
def test_known_leaderboards(file: str, claims: int, true: int, raised: str, remaining: int) -> None:
    path = Path(__file__).parents[3] / "shared" / "data" / file
    if not path.exists():
        pytest.skip(f"{path} is not there")
    source = scores_from(path, measure="AP")
    with pytest.warns(CollectionWarning, match=rf"; {raised} runs\); with t\(floor=0\.5\), {remaining} of {claims} remain significant"):
        result = run('significance(given("AP"))', source)
    assert isinstance(result, SignificanceResult)
    assert (result.summary["significant"].item(), result.true_at_least()) == (claims, true)
    floored = run('significance(given("AP") | t(floor=0.5))', source)
    assert (floored.tables["summary"]["significant"].item(), floored.warnings) == (remaining, ())
