from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from inexmetrics import (
    BH,
    MAP,
    RR,
    BinExh,
    Bonferroni,
    CollectionError,
    FormulaError,
    FullySpec,
    Gen5,
    Holm,
    MAep,
    P,
    Scores,
    SignificanceTest,
    Strict5,
    Versus,
    bootstrap,
    given,
    parse,
    randomisation,
    run,
    scores_from,
    sign,
    significance,
    t,
    unadjusted,
    versus,
    wilcoxon,
)
from inexmetrics.common.options import RunOptions


def test_opponents_in_the_direction_of_the_higher_mean(small: Scores) -> None:
    table = versus("c", MAP).answer(small, RunOptions()).table
    assert table.columns == [
        "measure", "quantisation", "run_id", "opponent", "mean", "opponent_mean", "difference", "low", "high", "effect_size",
        "statistic", "p_value", "p_adjusted", "significant",
    ]  # fmt: skip
    assert table.select("measure", "quantisation", "run_id", "opponent").rows() == [("MAP", "1", "c", "a"), ("MAP", "1", "c", "b")]
    assert table["mean"].to_list() == pytest.approx([0.45, 0.45])
    assert table["opponent_mean"].to_list() == pytest.approx([0.65, 0.4])
    assert table["difference"].to_list() == pytest.approx([-0.2, 0.05])
    # a over c: t = .2/(sqrt(.08)/2) = sqrt 2; c over b: t = .05/(.3/2) = 1/3; 3 degrees of freedom
    assert table["statistic"].to_list() == pytest.approx([math.sqrt(2), 1 / 3])
    x = [math.sqrt(2 / 3), 1 / math.sqrt(27)]
    assert table["p_value"].to_list() == pytest.approx([1 - 2 * (v / (1 + v * v) + math.atan(v)) / math.pi for v in x])
    assert table["significant"].to_list() == [False, False]
    # c less a: -.2, sd sqrt(.08); c less b: .05, sd .3; t(.975, 3) = 3.182446
    margins = 3.182446305284263 * np.array([math.sqrt(0.08), 0.3]) / 2
    assert table["low"].to_list() == pytest.approx(np.array([-0.2, 0.05]) - margins)
    assert table["high"].to_list() == pytest.approx(np.array([-0.2, 0.05]) + margins)
    assert table["effect_size"].to_list() == pytest.approx([-0.2 / math.sqrt(0.08), 0.05 / 0.3])
    assert table["p_adjusted"].to_list() == table["p_value"].to_list()


def test_the_line_under_the_table_counts_the_comparisons_under_a_condition(small: Scores) -> None:
    result = versus(("a", "b"), (MAP, P @ 10), test=bootstrap(b=2000), correction=Holm).answer(small, RunOptions())
    assert result.tested == "bootstrap, one-tailed; 2 hypotheses, corrected by Holm at alpha = 0.05"
    assert result.smallest_p == {"p_value": 1 / 2000}
    assert "\n\nt, two-tailed; 2 hypotheses, not corrected, alpha = 0.05\n\n" in versus("c", MAP).answer(small, RunOptions()).to_text()


@pytest.mark.parametrize(
    ("test", "over_a", "over_b"),
    [
        (sign, 3, 2),  # a ahead of c on 3 topics; c ahead of b on 2
        # a over c: D = .2 .4 -.2 .4 has ranks 1.5 3.5 1.5 3.5, W+ = 1.5 + 3.5 + 3.5; c over b: .2 -.2 .4 -.2 has 2 2 4 2, W+ = 2 + 4
        (wilcoxon, 8.5, 6.0),
        (bootstrap, 0.2, 0.05),
    ],
)
def test_statistics(small: Scores, test: SignificanceTest, over_a: float, over_b: float) -> None:
    statistic = versus("c", MAP, test=test).answer(small, RunOptions()).table["statistic"].to_list()
    assert statistic == pytest.approx([over_a, over_b])


def test_the_correction_runs_over_the_opponents(small: Scores) -> None:
    # sign: a beats both on 4 of 4 topics, p = 1/16 = .0625 = .125/2
    loose, strict = (versus("a", P @ 10, test=sign(tails=1), correction=Bonferroni(alpha=alpha)) for alpha in (0.125, 0.12))
    assert loose.answer(small, RunOptions()).table["significant"].to_list() == [True, True]
    assert loose.answer(small, RunOptions()).warnings == ()
    assert strict.answer(small, RunOptions()).table["significant"].to_list() == [False, False]
    assert strict.answer(small, RunOptions()).warnings == (
        "the smallest p-value of sign(tails=1) over 4 topics is 0.0625, above the first step of Bonferroni(alpha=0.12) for 2 hypotheses, 0.06",
    )


def test_a_constant_difference_has_no_finite_t() -> None:
    source = Scores(("a", "b"), ("1", "2", "3"), {("MAP", "1"): np.array([[0.75, 0.5, 1.0], [0.5, 0.25, 0.75]])})
    row = versus("b", MAP).answer(source, RunOptions()).table.row(0, named=True)
    assert (row["opponent"], row["difference"], row["statistic"], row["p_value"], row["significant"]) == ("a", -0.25, None, 0.0, True)


def test_a_difference_constant_but_for_rounding_has_no_finite_t() -> None:
    # .9 - .6, .8 - .5 and .7 - .4 differ in their last bits
    source = Scores(("a", "b"), ("1", "2", "3"), {("MAP", "1"): np.array([[0.9, 0.8, 0.7], [0.6, 0.5, 0.4]])})
    row = versus("b", MAP).answer(source, RunOptions()).table.row(0, named=True)
    assert (row["statistic"], row["p_value"]) == (None, 0.0)


def test_equal_means_are_tested_by_the_order_of_runs(small: Scores) -> None:
    level = Scores(
        small.runs, small.topics, {("MAP", "1"): np.array([[0.5, 0.25, 0.0, 0.0], [0.25, 0.5, 0.0, 0.0], [0.25, 0.5, 0.0, 0.0]])}
    )
    table = versus("b", MAP, test=sign(tails=1)).answer(level, RunOptions()).table
    # a comes before b, b before c: 1 of 2 topics says a is ahead, P(Bin(2, 1/2) >= 1) = 3/4; b and c are alike
    assert table.select("opponent", "statistic", "p_value").rows() == [("a", 1.0, 0.75), ("c", 0.0, 1.0)]


def test_of_means_equal_but_for_rounding_the_first_by_name_is_the_best_opponent(small: Scores) -> None:
    level = Scores(small.runs, small.topics, {("MAP", "1"): np.array([[0.3, 0.2, 0.1, 0.0], [0.1, 0.2, 0.3, 0.0], [0.1, 0.0, 0.0, 0.0]])})
    assert 0.1 + 0.2 + 0.3 > 0.3 + 0.2 + 0.1
    assert versus("c", MAP, top=1).answer(level, RunOptions()).table["opponent"].to_list() == ["a"]


def test_an_unknown_run_is_refused(small: Scores) -> None:
    renamed = Scores(("bm25", "lm", "tfidf"), small.topics, small.matrices)
    with pytest.raises(
        CollectionError, match=r'^versus: expected the name of a run \(bm25, lm, tfidf\), found "BM52"; did you mean bm25\?$'
    ):
        versus("BM52", MAP).answer(renamed, RunOptions())


@pytest.mark.parametrize(
    ("experiment", "text"),
    [
        (versus("run1", MAP), 'versus("run1", MAP)'),
        (versus("run1", MAP, None, test=bootstrap), 'versus("run1", MAP | bootstrap)'),
        (versus("run1", MAP, top=10), 'versus("run1", MAP, top=10)'),
        (versus("run1", MAP, interval=0.9), 'versus("run1", MAP, interval=0.9)'),
        (versus(("run1",), MAP, top=None), 'versus("run1", MAP)'),
        (versus(("run1", "run2"), MAep, Gen5, correction=BH, top=3), 'versus(("run1", "run2"), MAep ~ Gen5 | BH, top=3)'),
        (versus('say "run"', (MAep, P @ 10), (Gen5, BinExh), correction=BH), 'versus("say \\"run\\"", MAep + P@10 ~ Gen5 + BinExh | BH)'),
    ],
)
def test_canonical_text(experiment: Versus, text: str) -> None:
    assert str(experiment) == text
    assert parse(text) == experiment


def test_a_run_needs_a_name() -> None:
    with pytest.raises(FormulaError, match=r'^versus: run: expected a name in quotes, found ""$'):
        versus("", MAP)
    with pytest.raises(FormulaError, match=r"^versus: run: expected a name in quotes, found the measure MAP$"):
        versus(MAP, MAP)  # type: ignore[arg-type]
    assert versus("1", MAP, test=t(tails=1)).run == "1"


def test_names_are_different_and_in_quotes() -> None:
    with pytest.raises(FormulaError, match=r'^versus: run: "a" is written twice$'):
        versus(("a", "a"), MAP)
    with pytest.raises(FormulaError, match=r"^versus: run: expected a name in quotes, or several in parentheses, found none$"):
        versus((), MAP)
    with pytest.raises(
        FormulaError, match=r"^versus: run is required: expected a name in quotes, or several in parentheses, found nothing"
    ):
        parse("versus(measure=MAP)")
    with pytest.raises(FormulaError, match=r"^versus: top: expected an integer of at least 1, found 0"):
        versus("a", MAP, top=0)


# ------------------------------------------------------------------------------------------------ the other tables


def test_statistics_by_hand(small: Scores) -> None:
    table = versus("c", (MAP, P @ 10), test=bootstrap).answer(small, RunOptions()).tables["statistics"]
    assert table.columns == ["measure", "quantisation", "run_id", "opponent", "n", "df", "sum", "mean", "sum_of_squares", "t"]
    # c less a on MAP: -.2 -.4 .2 -.4, sum -.8, from their mean 0 -.2 .4 -.2: .24; c less b: .2 -.2 .4 -.2, sum .2, .15 -.25 .35 -.25: .27
    first, second, *_ = table.rows()
    assert first[:6] == ("MAP", "1", "c", "a", 4, 3)
    assert first[6:] == pytest.approx((-0.8, -0.2, 0.24, -math.sqrt(2)))
    assert second[:6] == ("MAP", "1", "c", "b", 4, 3)
    assert second[6:] == pytest.approx((0.2, 0.05, 0.27, 1 / 3))
    assert table.select("measure", "opponent").rows() == [("MAP", "a"), ("MAP", "b"), ("P@10", "a"), ("P@10", "b")]


def test_statistics_of_undefined_topics_and_constant_differences(small: Scores) -> None:
    # the third topic is undefined: a less b is .4 .2 .2
    row = versus("a", MAep, Strict5).answer(small, RunOptions()).tables["statistics"].filter(opponent="b").row(0, named=True)
    assert (row["n"], row["df"]) == (3, 2)
    assert (row["sum"], row["sum_of_squares"]) == pytest.approx((0.8, 0.08 / 3))
    level = versus("a", MAep, FullySpec).answer(small, RunOptions()).tables["statistics"].row(0, named=True)
    assert (level["sum"], level["mean"], level["sum_of_squares"], level["t"]) == (0.0, 0.0, 0.0, None)


def test_statistics_without_topics() -> None:
    source = Scores(("a", "b"), ("1",), {("MAP", "1"): np.full((2, 1), np.nan)})
    row = versus("a", MAP).answer(source, RunOptions()).tables["statistics"].row(0, named=True)
    assert [row[name] for name in ("n", "df", "sum", "mean", "sum_of_squares", "t")] == [0, 0, 0.0, None, 0.0, None]


def test_the_grid_says_who_is_better(small: Scores) -> None:
    """Under P@10 a beats both on every topic (sign, p = 1/16), and b beats c."""
    result = versus("b", (P @ 10, MAP), test=sign(tails=1), correction=Bonferroni(alpha=0.125)).answer(small, RunOptions())
    assert result.table.filter(measure="P@10").select("opponent", "difference", "significant").rows() == [
        ("a", pytest.approx(-0.25), True),
        ("c", pytest.approx(0.1), True),
    ]
    grid = result.tables["grid"]
    assert grid.columns == ["measure", "quantisation", "run_id", "better", "1", "2"]
    assert grid.rows() == [
        ("P@10", "1", "b", "run", "-", "*"),
        ("P@10", "1", "b", "opponent", "*", "-"),
        ("MAP", "1", "b", "run", "-", "-"),
        ("MAP", "1", "b", "opponent", "*", "-"),  # a is ahead of b on MAP, too
    ]


def test_the_grid_of_one_run_under_one_condition_is_not_printed(small: Scores) -> None:
    alone = versus("b", MAP).answer(small, RunOptions()).to_text(width=120)
    several = versus("b", (P @ 10, MAP)).answer(small, RunOptions()).to_text(width=120)
    assert "* significantly better" not in alone
    assert "* significantly better" in several


def test_the_best_opponents_alone(small: Scores) -> None:
    result = versus("b", P @ 10, test=sign(tails=1), correction=Bonferroni(alpha=0.0625), top=1).answer(small, RunOptions())
    # One opponent is left, so that the correction sees one p-value, 1/16.
    assert result.table.select("opponent", "significant").rows() == [("a", True)]
    assert result.tables["statistics"].height == 1
    assert result.tables["grid"].columns[-1] == "1"
    assert result.warnings == (
        "top: the best of 2 opponents under P@10: a; they were chosen by their scores on the same topics, so their scores are optimistic",
    )
    every = versus("b", P @ 10, top=9).answer(small, RunOptions())
    assert not [warning for warning in every.warnings if "chosen by their scores" in warning]
    assert every.table.equals(versus("b", P @ 10).answer(small, RunOptions()).table)


def test_the_best_opponents_are_named_under_each_measure() -> None:
    scores = np.array([[0.9, 0.8, 0.7, 0.9], [0.5, 0.6, 0.4, 0.5], [0.2, 0.1, 0.3, 0.1], [0.6, 0.2, 0.4, 0.4]])
    matrices = {("MAP", "1"): scores, ("RR", "1"): scores, ("P@5", "1"): scores[::-1]}
    source = Scores(("bm25", "lm", "tfidf", "zero"), tuple("1234"), dict(matrices))
    found = versus("tfidf", (MAP, RR, P @ 5), top=2).answer(source, RunOptions())
    expected = {row["measure"]: found.table.filter(measure=row["measure"])["opponent"].to_list() for row in found.table.rows(named=True)}
    assert expected["MAP"] == expected["RR"] != expected["P@5"]
    first, second = found.warnings
    assert first.startswith(f"top: the best 2 of 3 opponents under MAP, RR: {', '.join(expected['MAP'])}; they were chosen")
    assert second.startswith(f"top: the best 2 of 3 opponents under P@5: {', '.join(expected['P@5'])}; they were chosen")


def test_several_runs_against_the_same_opponents(small: Scores) -> None:
    source = Scores((*small.runs, "d"), small.topics, {("MAP", "1"): np.array([*small.matrices["MAP", "1"], [0.3, 0.1, 0.2, 0.1]])})
    result = versus(("d", "a"), MAP).answer(source, RunOptions())
    assert result.table.select("run_id", "opponent").rows() == [("d", "c"), ("d", "b"), ("a", "c"), ("a", "b")]
    for name in ("d", "a"):
        alone = versus(name, MAP).answer(source, RunOptions()).table.filter(pl.col("opponent").is_in(["b", "c"]))
        assert result.table.filter(run_id=name).equals(alone)
    assert result.tables["grid"].select("run_id", "better").rows() == [("d", "run"), ("d", "opponent"), ("a", "run"), ("a", "opponent")]
    with pytest.raises(CollectionError, match=r"^versus: expected a run other than d, c, b, a to compare with, found none$"):
        versus(("d", "c", "b", "a"), MAP).answer(source, RunOptions())
    with pytest.raises(CollectionError, match=r'^versus: expected the name of a run \(a, b, c, d\), found "e"'):
        versus(("a", "e"), MAP).answer(source, RunOptions())


def test_several_runs_share_one_family(small: Scores) -> None:
    # sign: a and b are each ahead of c on 4 of 4 topics, p = 1/16; two hypotheses make 2/16 = .125 of it
    result = versus(("a", "b"), P @ 10, test=sign(tails=1), correction=Bonferroni(alpha=0.125)).answer(small, RunOptions())
    assert result.table.select("run_id", "opponent", "p_value", "p_adjusted", "significant").rows() == [
        ("a", "c", 0.0625, 0.125, True),
        ("b", "c", 0.0625, 0.125, True),
    ]
    strict = versus(("a", "b"), P @ 10, test=sign(tails=1), correction=Bonferroni(alpha=0.12)).answer(small, RunOptions())
    assert strict.table["significant"].to_list() == [False, False]
    assert strict.warnings == (
        "the smallest p-value of sign(tails=1) over 4 topics is 0.0625, above the first step of Bonferroni(alpha=0.12) for 2 hypotheses, 0.06",
    )


def test_two_tails_are_those_of_the_run_ahead(small: Scores) -> None:
    result = versus("c", MAP, test=t, correction=unadjusted(alpha=0.9)).answer(small, RunOptions())
    assert result.tables["grid"].rows() == [("MAP", "1", "c", "run", "-", "*"), ("MAP", "1", "c", "opponent", "*", "-")]


def test_a_sum_of_squares_that_is_no_number() -> None:
    scores = scores_from(pl.DataFrame({"topic": ["1", "2", "3"], "a": [1e300, 1e300, 0.0], "b": [-1e300, 0.5, 0.0]}), keep="2")
    row = versus("a", given("AP")).answer(scores, RunOptions()).tables["statistics"].row(0, named=True)
    assert (row["sum"], row["sum_of_squares"]) == (3e300, None)
    assert row["t"] == pytest.approx(math.sqrt(3))


def test_tied_runs_have_a_difference_and_an_effect_of_exactly_zero() -> None:
    """The sums of .1, .2 and .3 differ by rounding if they are added in different orders."""
    tied = np.array([[0.1, 0.3], [0.2, 0.2], [0.3, 0.1]])
    assert float(tied[:, 0].sum()) != float(tied[:, 1].sum()), "the case is one of rounding"
    row = versus("1", MAP).answer(scores_from(tied, keep="2"), RunOptions()).table.row(0, named=True)
    assert (row["difference"], row["effect_size"], row["p_value"]) == (0.0, 0.0, 1.0)


def test_runs_with_equal_means_have_an_effect_size_of_0_and_a_p_value_of_1() -> None:
    """The means are equal, but their sums differ by a rounding error."""
    rows = np.array([[0.1, 0.2, 0.3, 0.7, 0.6, 0.4, 0.1], [0.7, 0.1, 0.2, 0.1, 0.4, 0.3, 0.6]])
    source = Scores(("a", "z"), tuple("1234567"), {("MAP", "1"): rows})
    for name in ("a", "z"):
        row = run(versus(name, MAP), source).table.row(0, named=True)
        assert (row["difference"], row["effect_size"], row["p_value"], row["statistic"]) == (0.0, 0.0, 1.0, 0.0)
        assert math.copysign(1, row["effect_size"]) == math.copysign(1, row["difference"]) == 1
    pair = run(significance(MAP), source).table.row(0, named=True)
    assert (pair["difference"], pair["effect_size"], pair["p_value"]) == (0.0, 0.0, 1.0)
    assert run(significance(MAP, test=randomisation), source).table["p_value"].item() == 1.0
