from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from inexmetrics import (
    BH,
    BY,
    MAP,
    Bonferroni,
    CollectionError,
    FormulaError,
    Holm,
    P,
    Ranks,
    Scores,
    parse,
    ranks,
    sample,
    scores_from,
    significance,
    t,
    tukey,
    unadjusted,
)
from inexmetrics.common.options import RunOptions


def test_of_three_runs(small: Scores) -> None:
    # two-tailed t of a and b: 5 with 3 degrees, p = .0154, Holm: x 3 = .046; a, c: p = .2522; b, c: .7618
    result = ranks(MAP).answer(small, RunOptions())
    assert result.table.columns == [
        "run_id", "measure", "quantisation", "mean", "low", "high", "rank", "best_rank", "worst_rank", "tied_with_best", "tier",
    ]  # fmt: skip
    shown = result.table.select("run_id", "rank", "best_rank", "worst_rank", "tied_with_best", "tier")
    assert shown.rows() == [("a", 1, 1, 2, True, 1), ("c", 2, 1, 3, True, 1), ("b", 3, 2, 3, False, 2)]
    assert result.table["mean"].to_list() == pytest.approx([0.65, 0.45, 0.4])
    interval = stats.ttest_1samp([0.8, 0.6, 0.7, 0.5], 0.0).confidence_interval(0.95)
    assert (result.table["low"][0], result.table["high"][0]) == pytest.approx((float(interval.low), float(interval.high)), rel=1e-12)
    assert result.tables["summary"].rows() == [("MAP", "1", 3, 2, 2, 0)]
    assert result.warnings == ()
    assert result.tested == "t, two-tailed; 3 hypotheses, corrected by Holm at alpha = 0.05"


def test_runs_all_apart(small: Scores) -> None:
    result = ranks(P @ 10).answer(small, RunOptions())
    assert result.table.select("run_id", "best_rank", "worst_rank", "tier").rows() == [("a", 1, 1, 1), ("b", 2, 2, 2), ("c", 3, 3, 3)]
    assert result.tables["summary"].rows() == [("P@10", "1", 3, 1, 3, 2)]


def test_ranges_are_those_of_the_significant_pairs() -> None:
    found = ranks(MAP, test=t, correction=BH).answer(sample(), RunOptions()).table
    pairs = significance(MAP, test=t, correction=BH).answer(sample(), RunOptions()).table
    significant = [(better, worse) for better, worse, found in pairs.select("better", "worse", "significant").iter_rows() if found]
    for run, best, worst in found.select("run_id", "best_rank", "worst_rank").iter_rows():
        assert best == 1 + sum(worse == run for _, worse in significant)
        assert worst == 30 - sum(better == run for better, _ in significant)
    assert found["rank"].to_list() == sorted(found["rank"].to_list())


@pytest.mark.parametrize("correction", [BY, BH(alpha=0.01), unadjusted])
def test_corrections_that_do_not_bound_any_wrong_rejection_are_warned_of(correction: object, small: Scores) -> None:
    experiment = parse(f"ranks(MAP | {correction})", Ranks)
    (warning,) = experiment.answer(small, RunOptions()).warnings
    assert warning == (
        f"{correction} does not bound the familywise error rate: the ranges of ranks are not valid for all runs at once, "
        "as they are with Holm or Bonferroni"
    )


@pytest.mark.parametrize("experiment", [ranks(MAP), ranks(MAP, test=t, correction=Bonferroni), ranks(MAP, test=tukey(b=200))])
def test_others_are_not(experiment: Ranks, small: Scores) -> None:
    assert experiment.answer(small, RunOptions()).warnings == ()


def test_its_text() -> None:
    assert str(parse("ranks(MAP | t(tails=2) | Holm)")) == "ranks(MAP)"
    assert str(parse("ranks(MAP | tukey | unadjusted)")) == "ranks(MAP | tukey)"
    assert str(parse("ranks(MAP | Bonferroni, interval=0.9)")) == "ranks(MAP | Bonferroni, interval=0.9)"
    assert ranks(MAP).correction == Holm
    with pytest.raises(FormulaError, match="ranks: correction: expected unadjusted, found "):
        parse("ranks(MAP | tukey | Holm)")


def test_one_run_has_no_rank_among_others() -> None:
    with pytest.raises(CollectionError, match="ranks: expected at least two runs to compare, found 1"):
        ranks(MAP).answer(Scores(("a",), ("1",), {("MAP", "1"): np.array([[0.5]])}), RunOptions())


def test_undefined_means_are_null() -> None:
    nothing = Scores(("a", "b"), ("1",), {("MAP", "1"): np.full((2, 1), np.nan)})
    table = ranks(MAP).answer(nothing, RunOptions()).table
    assert table["mean"].to_list() == table["low"].to_list() == [None, None]
    assert table["worst_rank"].to_list() == [2, 2]


def test_the_text_says_where_tier_1_and_tied_with_best_differ() -> None:
    """The best run has scattered scores and beats no other; the second beats the third on every topic."""
    of_runs = {
        "first": [0.9, 0.1, 0.95, 0.2, 0.85, 0.3],
        "second": [0.5, 0.61, 0.42, 0.53, 0.64, 0.55],
        "third": [0.47, 0.57, 0.39, 0.49, 0.61, 0.51],
    }
    board = scores_from({name: {str(topic): score for topic, score in enumerate(given)} for name, given in of_runs.items()})
    result = parse('ranks(given("f"))', Ranks).answer(board, RunOptions())
    assert result.table.select("run_id", "tied_with_best", "tier").rows() == [("first", True, 1), ("second", True, 1), ("third", False, 1)]
    said = "a run of tier 1 that is not tied_with_best is significantly worse than a run other than the best"
    assert said in " ".join(result.to_text().split())
    alike = parse('ranks(given("f"))', Ranks).answer(board.only(("first", "second")), RunOptions())
    assert said not in " ".join(alike.to_text().split())
