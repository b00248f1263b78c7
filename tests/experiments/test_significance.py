from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import special

from inexmetrics import (
    BH,
    BY,
    MAP,
    BinExh,
    Bonferroni,
    CollectionError,
    Correction,
    FormulaError,
    Gen5,
    Holm,
    MAep,
    P,
    Scores,
    Significance,
    Strict5,
    bootstrap,
    parse,
    sample,
    scores_from,
    sign,
    significance,
    t,
    unadjusted,
    wilcoxon,
    without_too_small,
)
from inexmetrics.common.options import RunOptions


def upper_t_3(statistic: float) -> float:
    """P(T > statistic) of Student's t with 3 degrees of freedom, in closed form."""
    x = statistic / math.sqrt(3)
    return 0.5 - (x / (1 + x * x) + math.atan(x)) / math.pi


def test_pairs_of_the_t_test(small: Scores) -> None:
    table = significance(MAP, test=t(tails=1), correction=unadjusted).answer(small, RunOptions()).table
    assert table.columns == [
        "measure", "quantisation", "better", "worse", "difference", "low", "high", "effect_size", "p_value", "p_adjusted", "significant",
    ]  # fmt: skip
    assert [row[:4] for row in table.rows()] == [("MAP", "1", "a", "b"), ("MAP", "1", "a", "c"), ("MAP", "1", "c", "b")]
    assert table["difference"].to_list() == pytest.approx([0.25, 0.2, 0.05], abs=1e-15)
    # a, b: sd .1, t = .25/(.1/2) = 5; a, c: variance .08, t = .2/(sqrt(.08)/2) = sqrt 2; c, b: sd .3, t = .05/.15
    expected = [upper_t_3(5.0), upper_t_3(math.sqrt(2)), upper_t_3(1 / 3)]
    assert table["p_value"].to_list() == pytest.approx(expected, rel=1e-10)
    assert table["significant"].to_list() == [True, False, False]
    # sd .1, sqrt(.08) and .3; t(.975, 3) = 3.182446
    deviations = np.array([0.1, math.sqrt(0.08), 0.3])
    assert table["effect_size"].to_list() == pytest.approx(np.array([0.25, 0.2, 0.05]) / deviations)
    margins = 3.182446305284263 * deviations / 2
    assert table["low"].to_list() == pytest.approx(np.array([0.25, 0.2, 0.05]) - margins)
    assert table["high"].to_list() == pytest.approx(np.array([0.25, 0.2, 0.05]) + margins)
    assert table["p_adjusted"].to_list() == table["p_value"].to_list()


def test_adjusted_p_values_and_the_interval(small: Scores) -> None:
    # Holm over the six directed p-values .0625 .3125 .6875 .6875 1 1 of the sign test
    table = significance(MAP, test=sign(tails=1), correction=Holm(alpha=0.4), interval=0.5).answer(small, RunOptions()).table
    assert table["p_adjusted"].to_list() == pytest.approx([6 / 16, 1.0, 1.0])
    assert table["significant"].to_list() == [True, False, False]
    # t(.75, 3) = .764892
    assert table["high"][0] == pytest.approx(0.25 + 0.7648923284043499 * 0.1 / 2)
    with pytest.raises(FormulaError, match=r"^significance: interval: expected a number above 0 and below 1, found 1$"):
        significance(MAP, interval=1)


def test_equal_differences_have_no_effect_size(small: Scores) -> None:
    # b is ahead of c by .1 on every topic of P@10
    row = significance(P @ 10, test=t(tails=1)).answer(small, RunOptions()).table.filter(better="b").row(0, named=True)
    assert row["effect_size"] is None
    assert (row["low"], row["high"]) == pytest.approx((0.1, 0.1))


def test_the_summary_counts(small: Scores) -> None:
    result = significance((MAP, P @ 10), test=t(tails=1), correction=unadjusted).answer(small, RunOptions())
    assert list(result.tables) == ["pairs", "summary", "runs"]
    # P@10: differences of a and b .4 .2 .2 .2, of b and c .1 .1 .1 .1, of a and c .5 .3 .3 .3: all three are significant
    assert result.tables["summary"].columns == [
        "measure", "quantisation", "pairs", "significant", "share", "hypotheses", "topics", "true_at_least",
    ]  # fmt: skip
    # The p-values of MAP are .0077 and two above .1. Five of the six hypotheses may be true, and 5 * .0077 <= .05. Those of P@10 are 0,
    # .003 and .0077; only the three opposite directions may be true.
    assert result.tables["summary"].rows() == [("MAP", "1", 3, 1, 1 / 3, 6, 4, 1), ("P@10", "1", 3, 3, 1.0, 6, 4, 3)]
    observed = significance(MAep, Strict5, test=t(tails=1), pairs="observed").answer(small, RunOptions())
    assert observed.tables["summary"].select("hypotheses", "topics").rows() == [(3, 3)]


def test_the_runs_that_each_is_better_and_worse_than_are_counted(small: Scores) -> None:
    result = significance((MAP, P @ 10), test=t(tails=1), correction=unadjusted).answer(small, RunOptions())
    assert result.runs.columns == ["measure", "quantisation", "run_id", "mean", "better_than", "worse_than"]
    assert result.runs.select("measure", "run_id", "better_than", "worse_than").rows() == [
        ("MAP", "a", 1, 0), ("MAP", "c", 0, 0), ("MAP", "b", 0, 1), ("P@10", "a", 2, 0), ("P@10", "b", 1, 1), ("P@10", "c", 0, 2),
    ]  # fmt: skip
    assert result.runs["mean"].to_list()[:3] == pytest.approx([0.65, 0.45, 0.4])
    assert result.runs.select(pl.sum("better_than") == pl.sum("worse_than")).item()


def test_many_runs_are_counted_and_their_doubtful_pairs_come_first() -> None:
    result = significance(MAep, Gen5).answer(sample(), RunOptions())
    lines = result.to_text(width=100).splitlines()
    counts = [line.split() for line in lines[lines.index("runs") : lines.index("pairs")] if line.startswith("group")]
    expected = [
        [row["run_id"], f"{row['mean']:.4f}", str(row["better_than"]), str(row["worse_than"])] for row in result.runs.rows(named=True)
    ]
    assert counts == expected[: len(counts)]
    assert len(counts) > 15
    assert "measure: MAep; quantisation: Gen5; nearest to alpha first" in lines
    shown = [line.split() for line in lines[lines.index("pairs") :] if line.startswith("group")]
    nearest = result.table.sort((pl.col("p_adjusted") / 0.05).log().abs(), maintain_order=True).head(len(shown))
    assert [row[:2] for row in shown] == [list(pair) for pair in nearest.select("better", "worse").rows()]
    beside = significance(MAep, (Gen5, BinExh)).answer(sample(), RunOptions()).to_text(width=100).splitlines()
    first = result.runs.row(0, named=True)
    assert beside[beside.index("better_than and worse_than; best mean first") + 4].split()[:3] == [
        first["run_id"], str(first["better_than"]), str(first["worse_than"])
    ]  # fmt: skip


def test_a_result_names_its_smallest_p_value_in_print_alone(small: Scores) -> None:
    result = significance(P @ 10, test=bootstrap(b=2000)).answer(small, RunOptions())
    assert result.table["p_value"].to_list() == [0.0, 0.0, 0.0]
    assert "<0.0005" in str(result)
    assert "<0.0005" in result.to_markdown().replace("\\", "")
    assert '"p_value": 0.0,' in result.to_json() or '"p_value":0.0,' in result.to_json()
    # three of six p-values are 0 and count as 1/2000, which BY makes 6 * (1 + 1/2 + ... + 1/6) / 3 times as large
    assert result.table["p_adjusted"].to_list() == pytest.approx([2 * 2.45 / 2000] * 3)
    assert result.smallest_p == {"p_value": 1 / 2000}
    assert significance(MAP, test=t(tails=1), correction=unadjusted).answer(small, RunOptions()).smallest_p == {}


def test_the_line_under_the_table(small: Scores) -> None:
    result = significance(MAP, test=t(tails=1), correction=Holm).answer(small, RunOptions())
    line = "t, one-tailed; 6 hypotheses, corrected by Holm at alpha = 0.05"
    assert result.tested == line
    for text in (str(result), result.to_markdown()):
        assert f"\n\n{line}" in text
    assert f"Test: {line}." in result.to_latex("pairs").replace(r"$\alpha$", "alpha")
    assert "Topics" in result.to_latex()  # the summary, unless a table is named
    assert line in result.to_markdown("summary")
    assert line not in result.to_json()
    two = significance(MAP, test=wilcoxon, correction=unadjusted(alpha=0.1)).answer(small, RunOptions())
    assert two.tested == "wilcoxon, two-tailed; 3 hypotheses, not corrected, alpha = 0.1"


def test_directed_hypotheses_are_corrected_together(small: Scores) -> None:
    # sign: a beats b on 4 of 4 topics, p = 1/16 = .0625; six hypotheses: .19/6 < .0625 <= .19/3
    directed = significance(MAP, test=sign(tails=1), correction=Bonferroni(alpha=0.19)).answer(small, RunOptions())
    observed = significance(MAP, test=sign(tails=1), correction=Bonferroni(alpha=0.19), pairs="observed").answer(small, RunOptions())
    assert directed.table["p_value"].to_list() == observed.table["p_value"].to_list() == [1 / 16, 5 / 16, 11 / 16]
    assert directed.table["significant"].to_list() == [False, False, False]
    assert observed.table["significant"].to_list() == [True, False, False]


def test_a_two_tailed_test_makes_one_hypothesis_a_pair(small: Scores) -> None:
    # p = 2/16 for the best pair; of three hypotheses the first step is alpha/3, whatever `pairs` is
    for question in (significance(MAP, test=sign), significance(MAP, test=sign, pairs="observed")):
        loose, strict = (replace(question, correction=Bonferroni(alpha=alpha)).answer(small, RunOptions()) for alpha in (0.375, 0.37))
        assert loose.table["p_value"].to_list() == strict.table["p_value"].to_list() == [0.125, 0.625, 1.0]
        assert loose.table["significant"].to_list() == [True, False, False]
        assert loose.warnings == ()
        assert strict.warnings == (
            "the smallest p-value of sign over 4 topics is 0.125, above the first step of Bonferroni(alpha=0.37) for 3 hypotheses, 0.123",
        )


def test_a_test_too_coarse_for_the_correction_is_warned_of(small: Scores) -> None:
    # BY: .05/(6 * (1 + 1/2 + ... + 1/6)) = .05/14.7
    result = significance(MAP, test=sign(tails=1)).answer(small, RunOptions())
    assert result.warnings == (
        "the smallest p-value of sign(tails=1) over 4 topics is 0.0625, above the first step of BY for 6 hypotheses, 0.0034",
    )
    assert significance(MAP, test=bootstrap).answer(small, RunOptions()).warnings == (
        "bootstrap: found 4 topics; with fewer than 10 topics the test rejects too often; write t",
    )


def test_undefined_topics_are_left_out(small: Scores) -> None:
    table = significance(MAep, Strict5, test=t(tails=1), correction=unadjusted).answer(small, RunOptions()).table
    # on t1, t2, t4, a and c: .2 .4 .4, mean 1/3, sd = .2/sqrt 3, t = (1/3)/(.2/3) = 5; a and b: .4 .2 .2, mean .8/3, t = 4;
    # c and b: .2 -.2 -.2, so b is ahead by .2/3, t = (.2/3)/(.4/3) = .5. With 2 degrees P(T > t) = 1/2 - t/(2 sqrt(2 + t^2))
    assert table.select("better", "worse").rows() == [("a", "c"), ("a", "b"), ("b", "c")]
    assert table["difference"].to_list() == pytest.approx([1 / 3, 0.8 / 3, 0.2 / 3], abs=1e-15)
    expected = [0.5 - statistic / (2 * math.sqrt(2 + statistic**2)) for statistic in (5.0, 4.0, 0.5)]
    assert table["p_value"].to_list() == pytest.approx(expected, rel=1e-9)


def test_equal_means_stand_in_the_order_of_runs(small: Scores) -> None:
    level = Scores(small.runs, small.topics, {("MAP", "1"): small.matrices["MAep", "FullySpec"]})
    table = significance(MAP, test=t, correction=unadjusted).answer(level, RunOptions()).table
    assert table.select("better", "worse", "difference", "p_value").rows() == [
        ("a", "b", 0.0, 1.0),
        ("a", "c", 0.0, 1.0),
        ("b", "c", 0.0, 1.0),
    ]


def test_without_topics_nothing_is_concluded(small: Scores) -> None:
    nowhere = Scores(small.runs, small.topics, {("MAP", "1"): np.full((3, 4), np.nan)})
    for experiment in (
        significance(MAP, correction=unadjusted),
        significance(MAP, test=t, correction=unadjusted, pairs="observed"),
    ):
        result = experiment.answer(nowhere, RunOptions())
        assert result.table.select("low", "high", "effect_size").rows() == [(None, None, None)] * 3
        rows = result.table.select("better", "worse", "difference", "p_value", "significant").rows()
        assert rows == [("a", "b", None, 1.0, False), ("a", "c", None, 1.0, False), ("b", "c", None, 1.0, False)]
        assert "MAP is undefined for every topic" in result.warnings


def test_one_run_cannot_be_compared(small: Scores) -> None:
    alone = Scores(("a",), small.topics, {("MAP", "1"): small.matrices["MAP", "1"][:1]})
    with pytest.raises(CollectionError, match=r"^significance: expected at least two runs to compare, found 1 \("):
        significance(MAP).answer(alone, RunOptions())


@pytest.mark.parametrize(
    ("experiment", "text"),
    [
        (significance(MAP), "significance(MAP)"),
        (significance(MAP, test=t, correction=BY(alpha=0.05)), "significance(MAP)"),
        (significance(MAP, test=t(tails=1)), "significance(MAP | t(tails=1))"),
        (significance(MAP, correction=BH), "significance(MAP | BH)"),
        (significance(MAP, test=t(tails=1), correction=BH), "significance(MAP | t(tails=1) | BH)"),
        (significance(MAP, test=t(tails=1), pairs="observed"), 'significance(MAP | t(tails=1), pairs="observed")'),
        (
            significance(MAep, without_too_small(BinExh), test=wilcoxon(tails=1), correction=Holm),
            "significance(MAep ~ without_too_small(BinExh) | wilcoxon(tails=1) | Holm)",
        ),
    ],
)
def test_canonical_text(experiment: Significance, text: str) -> None:
    assert str(experiment) == text


def test_wrong_parts_are_refused() -> None:
    with pytest.raises(FormulaError, match=r"^significance: test: expected a significance test, found the correction BY$"):
        significance(MAP, test=BY)  # type: ignore[arg-type]
    with pytest.raises(FormulaError, match=r'^significance: pairs: expected "directed" or "observed", found "both"$'):
        significance(MAP, pairs="both")  # type: ignore[arg-type]
    with pytest.raises(
        FormulaError, match=r"^significance: quantisation: expected a quantisation or a selection of judgements, found the measure MAP$"
    ):
        significance(MAep, (Gen5, MAP))  # type: ignore[arg-type]


@pytest.mark.parametrize(("file", "runs"), [("trec5_ap.csv", 61), ("trec6_ap.csv", 74), ("trec7_ap.csv", 103)])
def test_real_matrices(shared: Path, file: str, runs: int) -> None:
    """All pairs of TREC's runs, against scipy's paired t test and its adjusted p-values."""
    from scipy.stats import false_discovery_control, ttest_rel

    matrix = scores_from(shared / file)
    table = significance(MAP, test=t(tails=1)).answer(matrix, RunOptions()).table
    assert table.height == runs * (runs - 1) // 2
    ((_, values),) = matrix.matrices.items()
    index = {name: row for row, name in enumerate(matrix.runs)}
    better = np.array([index[name] for name in table["better"]])
    worse = np.array([index[name] for name in table["worse"]])
    distinct = np.abs(values[better] - values[worse]).max(axis=1) > 1e-12
    reference = np.ones(table.height)
    reference[distinct] = ttest_rel(values[better[distinct]], values[worse[distinct]], axis=1, alternative="greater").pvalue
    np.testing.assert_allclose(table["p_value"].to_numpy(), reference, rtol=1e-9, atol=1e-15)
    # the opposite direction of each pair has p = 1 - p, or 1 where the runs are alike
    every = np.concatenate([reference, np.where(distinct, 1 - reference, 1.0)])
    adjusted = false_discovery_control(every, method="by")[: table.height]
    assert table["significant"].to_list() == (adjusted <= 0.05).tolist()


def test_a_real_matrix_by_the_bootstrap(shared: Path) -> None:
    matrix = scores_from(shared / "trec5_ap.csv")
    by_t = significance(MAP, test=t(tails=1)).answer(matrix, RunOptions()).tables["summary"].row(0, named=True)
    by_bootstrap = significance(MAP, test=bootstrap).answer(matrix, RunOptions()).tables["summary"].row(0, named=True)
    assert by_bootstrap["pairs"] == by_t["pairs"] == 1830
    # the percentile bootstrap rejects more than the one-tailed t, as Ogilvie & Lalmas (2006), section 3.3, found; not by much
    assert by_t["significant"] < by_bootstrap["significant"] < 1.2 * by_t["significant"]


@pytest.mark.parametrize(
    ("runs", "topics", "correction", "enough"),
    [
        (3, 17, "Holm", 18),
        (3, 18, "Holm", None),
        (8, 30, "Bonferroni", 44),
        (8, 50, "Bonferroni", None),
        (8, 30, "unadjusted", None),
        (2, 10, "unadjusted(alpha=0.001)", 42),
        (8, 30, "BY(alpha=0.02)", None),  # the smallest p-value is above the first step, as another warning says
    ],
)
def test_the_bootstrap_needs_more_topics_at_the_level_of_a_correction(runs: int, topics: int, correction: str, enough: int | None) -> None:
    """On so many topics, z_a sqrt((n - 1) / n) is exceeded by t of n - 1 degrees of freedom with a probability of 2 a, at most."""
    scores = np.random.default_rng(3).uniform(size=(runs, topics))
    board = Scores(tuple("abcdefgh"[:runs]), tuple(f"q{topic:02}" for topic in range(topics)), {("x", "1"): scores})
    found = parse(f'significance(given("x") | bootstrap | {correction})', Significance).answer(board, RunOptions())
    told = [text for text in found.warnings if "rejects too often" in text]
    if enough is None:
        assert told == []
        return
    level = parse(correction, Correction).first_step(runs * (runs - 1))
    for count in (enough - 1, enough):
        rate = float(special.stdtr(count - 1, special.ndtri(level) * math.sqrt((count - 1) / count)))
        assert (rate <= 2 * level) == (count == enough)
    [text] = told
    assert text.startswith(f"bootstrap: found {topics} topics; at ")
    assert f", with fewer than {enough} topics the test rejects too often; write t" in text
