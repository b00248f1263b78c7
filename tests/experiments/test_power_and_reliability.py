from __future__ import annotations

import math
import re
import warnings

import numpy as np
import polars as pl
import pytest
from scipy.special import gammaincinv

from inexmetrics import (
    MAP,
    RR,
    CollectionError,
    CollectionWarning,
    Experiment,
    FormulaError,
    FullySpec,
    Gen5,
    Holm,
    MAep,
    P,
    Power,
    Reliability,
    Scores,
    Strict5,
    given,
    parse,
    power,
    reliability,
    run,
    sample,
    scores_from,
    unadjusted,
)
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.findings import number, rows_by_condition
from inexmetrics.inference.power import power_of_t, topics_needed
from inexmetrics.report.html import notebook_html, page_of

RATED = [[0.9, 0.7, 0.4, 0.5, 0.8], [0.8, 0.5, 0.5, 0.3, 0.9], [0.3, 0.4, 0.1, 0.2, 0.6], [0.2, 0.3, 0.2, 0.1, 0.7]]


def of_map(rows: list[list[float]]) -> Scores:
    matrix = np.array(rows)
    return Scores(tuple("abcdefgh"[: len(rows)]), tuple("12345678"[: matrix.shape[1]]), {("MAP", "1"): matrix})


def test_power(small: Scores) -> None:
    # Differences a-b .4 .2 .2 .2, a-c .2 .4 -.2 .4, c-b .2 -.2 .4 -.2: variances .01, .08, .09, whose mean is .06.
    result = power(MAP, difference=(0.1, 0.3), topics=(4, 9)).answer(small, RunOptions())
    sd = math.sqrt(0.06)
    assert result.power.select("difference", "topics").rows() == [(0.1, 4), (0.1, 9), (0.3, 4), (0.3, 9)]
    expected = [power_of_t(d / sd, n, 0.05, 2) for d, n in ((0.1, 4), (0.1, 9), (0.3, 4), (0.3, 9))]
    assert result.power["power"].to_list() == pytest.approx(expected, rel=1e-12)
    needed = result.needed
    assert needed["sd"].to_list() == pytest.approx([sd, sd])
    assert needed["power"].to_list() == [0.8, 0.8]
    for d, topics in needed.select("difference", "topics").iter_rows():
        assert power_of_t(d / sd, topics, 0.05, 2) >= 0.8 > power_of_t(d / sd, topics - 1, 0.05, 2)


def test_what_was_asked_for_is_written_unrounded_in_every_output(small: Scores) -> None:
    result = power(MAP, difference=(1e-05, 0.123456), power=0.99999, topics=7).answer(small, RunOptions())
    markdown, latex = result.to_markdown().splitlines(), result.to_latex().splitlines()
    assert [line.split()[1] for line in markdown[1:4]] == ["---:", "1e-05", "0.123456"]
    assert [line.split()[0] for line in latex if line.endswith(r"\\")][-2:] == ["1e-05", "0.123456"]
    assert r"\begin{tabular}{@{}rr@{}}" in latex
    assert '<td class="number">1e-05</td>' in page_of(result)
    assert ">0.123456</td>" in notebook_html(result)
    for text in (result.to_text("needed"), result.to_markdown("needed")):
        assert "power: 0.99999" in text
        assert "0.123456" in text


def test_variances_have_three_significant_digits_and_their_share() -> None:
    result = reliability(MAep, Gen5).answer(sample(), RunOptions())
    row = result.table.row(0, named=True)
    total = sum(row[name] for name in ("var_run", "var_topic", "var_residual"))
    lines = result.to_text(width=100).splitlines()
    shown = lines[lines.index("reliability") + 6].split("  ")
    for name in ("var_run", "var_topic", "var_residual"):
        (cell,) = (part.strip() for part in shown if part.strip().endswith(f"({round(100 * row[name] / total)} %)"))
        assert float(cell.split()[0]) == pytest.approx(row[name], rel=0.005)
        assert len(cell.split()[0].lstrip("0.")) == 3
        assert cell.split()[0] in result.to_latex()


def test_numbers_of_topics_stay_columns_though_all_powers_are_alike() -> None:
    scores = of_map([[*row] for row in RATED])
    alike = Scores(scores.runs, scores.topics, {("MAP", "1"): scores.matrix("MAP"), ("RR", "1"): scores.matrix("MAP") * 1.5})
    lines = power((MAP, RR), topics=(2, 9999)).answer(alike, RunOptions()).to_text("power", width=80).splitlines()
    assert lines[-8] == "difference: 0.05; columns: topics"
    assert lines[-6].split() == ["measure", "2", "9999"]


def test_runs_that_do_not_vary_need_two_topics(small: Scores) -> None:
    result = power(MAep, FullySpec, topics=7).answer(small, RunOptions())
    assert result.power.rows() == [("MAep", "FullySpec", 0.05, 7, 1.0)]
    assert result.needed.rows() == [("MAep", "FullySpec", 0.05, 0.8, 2, 0.0)]


def test_one_topic_tells_nothing_of_variance() -> None:
    one = of_map([[0.5], [0.25]])
    result = power(MAP, topics=7).answer(one, RunOptions())
    assert result.power["power"].to_list() == [None]
    assert result.needed.select("topics", "sd").rows() == [(None, None)]
    table = reliability(MAP, topics=10).answer(one, RunOptions())
    assert table.reliability.select("topics", "var_run", "e_rho2", "phi").rows() == [(1, None, None, None), (10, None, None, None)]
    assert table.anova["f"].to_list() == [None] * 3


def test_no_topics_at_all() -> None:
    nothing = Scores(("a", "b"), ("1",), {("MAP", "1"): np.full((2, 1), np.nan)})
    assert reliability(MAP, topics=10).answer(nothing, RunOptions()).anova["df"].to_list() == [1, 0, 0]
    assert power(MAP, topics=10).answer(nothing, RunOptions()).needed["topics"].to_list() == [None]


def test_undefined_topics_are_left_out(small: Scores) -> None:
    rows = reliability(MAep, Strict5, topics=10).answer(small, RunOptions()).reliability
    assert rows["topics"].to_list() == [3, 10]


def test_small_differences_are_told_apart(small: Scores) -> None:
    text = power(MAP, difference=(0.00001, 0.00002), topics=(2, 3)).answer(small, RunOptions()).to_text()
    assert re.findall(r"^ *(\de-05)\b", text, re.MULTILINE) == ["1e-05", "2e-05"] * 2


@pytest.mark.parametrize(
    ("correction", "divisor"), [("Holm", 28), ("Bonferroni", 28), ("BH", 28), ("BY", 28 * 3.9271714084), ("unadjusted", 1)]
)
def test_a_correction_tests_one_pair_at_its_first_step(correction: str, divisor: float) -> None:
    # 8 runs have 28 pairs; 1 + 1/2 + ... + 1/28 = 3.9271714
    source = of_map(np.random.default_rng(2).uniform(0, 1, (8, 8)).tolist())
    found = parse(f"power(MAP | {correction})", Power).answer(source, RunOptions())
    plain = power(MAP, alpha=0.05 / divisor).answer(source, RunOptions())
    assert found.power["power"].to_list() == pytest.approx(plain.power["power"].to_list(), rel=1e-6)
    assert found.needed["topics"].to_list() == plain.needed["topics"].to_list()
    if correction != "unadjusted":
        assert (
            found.tested
            == f"t, two-tailed, of one pair of runs; alpha = 0.05 corrected by {correction} for 28 hypotheses: {0.05 / divisor:.3g}"
        )


@pytest.mark.parametrize("correction", ["Holm", "BY"])
def test_a_one_tailed_test_has_the_hypotheses_of_significance(correction: str) -> None:
    source = of_map(np.random.default_rng(2).uniform(0, 1, (8, 8)).tolist())
    asked = parse(f"power(MAP | {correction}, tails=1)", Power).answer(source, RunOptions())
    tested = run(f"significance(MAP | t(tails=1) | {correction})", source).tested
    assert "56 hypotheses" in str(tested)
    assert f"t, one-tailed, of one pair of runs; alpha = 0.05 corrected by {correction} for 56 hypotheses: " in asked.tested
    plain = power(MAP, alpha=float(asked.tested.rpartition(" ")[2]), tails=1).answer(source, RunOptions())
    assert asked.power["power"].to_list() == pytest.approx(plain.power["power"].to_list(), rel=5e-3)  # three digits are printed


def test_the_line_about_the_test_is_printed_once() -> None:
    source = of_map(np.random.default_rng(2).uniform(0, 1, (4, 8)).tolist())
    assert power(MAP).answer(source, RunOptions()).to_text(width=120).count("t, two-tailed") == 1


def test_the_number_of_topics_there_is_listed_once() -> None:
    source = of_map(np.random.default_rng(2).uniform(0, 1, (4, 8)).tolist())
    asked = reliability(MAP, topics=(4, 8)).answer(source, RunOptions())
    assert asked.reliability["topics"].to_list() == [8, 4]


def test_the_level_of_a_correction_and_alpha_are_one() -> None:
    assert power(MAP, correction=unadjusted) == power(MAP)
    assert str(power(MAP)) == "power(MAP)"
    assert str(parse("power(MAP, correction=Holm, alpha=0.1)")) == "power(MAP | Holm, alpha=0.1)"
    source = of_map(np.random.default_rng(2).uniform(0, 1, (8, 8)).tolist())
    levels = [
        power(MAP, correction=Holm(alpha=0.1)),
        power(MAP, correction=Holm, alpha=0.1),
        power(MAP, correction=Holm(alpha=0.1), alpha=0.1),
    ]
    needed = [asked.answer(source, RunOptions()).needed["topics"].to_list() for asked in levels]
    assert needed[0] == needed[1] == needed[2] != power(MAP, correction=Holm).answer(source, RunOptions()).needed["topics"].to_list()
    with pytest.raises(FormulaError, match=r"alpha: expected one level, found 0\.1 and Holm\(alpha=0\.01\)"):
        power(MAP, correction=Holm(alpha=0.01), alpha=0.1)


@pytest.mark.parametrize(("alpha", "of_holm"), [(0.05, 0.01), (0.1, 0.02), (0.02, 0.2)])
def test_two_levels_are_an_error_also_if_alpha_is_its_usual_value(alpha: float, of_holm: float) -> None:
    with pytest.raises(FormulaError, match=rf"alpha: expected one level, found {alpha} and Holm\(alpha={of_holm}\)"):
        parse(f"power(MAP | Holm(alpha={of_holm}), alpha={alpha})")


def wide(rows: FloatArray) -> Scores:
    """Scores of any number of runs and topics."""
    runs, topics = (tuple(f"{letter}{number:02}" for number in range(count)) for letter, count in zip("rt", rows.shape, strict=True))
    return Scores(runs, topics, {("MAP", "1"): rows})


@pytest.mark.parametrize("topics", [3, 8, 23, 24, 60])
def test_the_number_needed_is_uncertain_with_few_topics(topics: int) -> None:
    # the interval of a variance: sd^2 (n - 1) / chi-square
    rows = np.random.default_rng(topics).normal(0.5, 0.1, (2, topics))
    result = power(MAP, difference=(0.04, 0.08), tails=1).answer(wide(rows), RunOptions())
    sd = np.std(rows[0] - rows[1], ddof=1)
    ends = [sd * np.sqrt((topics - 1) / (2 * gammaincinv((topics - 1) / 2, share))) for share in (0.975, 0.025)]
    spans = [" to ".join(str(topics_needed(difference / end, 0.8, 0.05, 1)) for end in ends) for difference in (0.04, 0.08)]
    text = (
        f"power: {topics} topics under MAP, too few for a reliable standard deviation: 95 % intervals of the numbers of topics needed are "
    )
    assert result.warnings == ((f"{text}{spans[0]}, {spans[1]} (if differences are normally distributed)",) if topics < 24 else ())


@pytest.mark.parametrize(("topics", "differing", "told"), [(40, 7, True), (40, 8, False), (20, 3, True), (30, 6, False), (30, 5, True)])
def test_runs_that_differ_on_few_topics_show_little_of_the_spread(topics: int, differing: int, told: bool) -> None:
    """Of 0/1 scores with rare differences, pilots of 30 topics needed a third to three times as many topics."""
    hits = np.resize([1.0, 0.0, 1.0], topics)
    other = np.where(np.arange(topics) < differing, 1.0 - hits, hits)
    board = Scores(("new", "old"), tuple(f"t{topic:02}" for topic in range(topics)), {("MAP", "1"): np.vstack([hits, other])})
    with warnings.catch_warnings(action="ignore"):
        found = [text for text in run(power(MAP), board).warnings if "differ on only" in text]
    assert (
        found
        == [
            f"power: scores differ on only {differing} of {topics} topics under MAP, too few for a reliable standard deviation: the number of topics "
            "needed may be several times as large or as small; give more topics"
        ]
        * told
    )


def test_more_topics_than_can_be_counted() -> None:
    rows = np.random.default_rng(3).normal(0.5, 0.1, (3, 30))
    assert (
        power(MAP, difference=1e-10)
        .answer(wide(rows), RunOptions())
        .finding.endswith(" Corrected by Holm for the 3 pairs of runs, it needs more than 2^53 topics.")
    )
    both = power(MAP, difference=(0.05, 1e-10)).answer(wide(rows), RunOptions()).finding
    assert re.search(r"Corrected by Holm for the 3 pairs of runs, it needs from \d+ to more than 2\^53 topics\.$", both)


def test_two_runs_have_nothing_to_correct() -> None:
    rows = [[0.5, 0.25, 0.75, 0.5], [0.25, 0.25, 0.5, 0.75]]
    assert "orrect" not in power(MAP).answer(of_map(rows), RunOptions()).finding


def test_reliability_is_the_intraclass_correlation() -> None:
    # pingouin.intraclass_corr(data=frame, targets="run", raters="topic", ratings="score"), ICC(C,k) and ICC(A,k)    (pingouin 0.7.0)
    result = reliability(MAP).answer(of_map(RATED), RunOptions())
    first = result.reliability.row(0, named=True)
    assert first["topics"] == 5
    assert first["e_rho2"] == pytest.approx(0.9171455938697318, abs=1e-12)
    assert first["phi"] == pytest.approx(0.766, abs=1e-12)
    # var_run (.174 - .0144167)/5, var_topic (.15175 - .0144167)/4
    assert first["var_run"] == pytest.approx(0.0319166667, abs=1e-10)
    assert first["var_topic"] == pytest.approx(0.0343333333, abs=1e-10)
    assert result.reliability["topics"].to_list() == [5, 10, 25, 50, 100]
    # F = .174 / .0144167 = 12.0694 with 3 and 12 degrees of freedom
    # python -c "from scipy.stats import f; print([f.ppf(q, 3, 12) for q in (.975, .025)])"
    low, high = 1 - np.array([4.474184809637748, 0.06975177682217748]) / (0.174 / (0.173 / 12))
    assert (first["low"], first["high"]) == pytest.approx((low, high), abs=1e-12)
    twice = result.reliability.row(1, named=True)  # on 10 topics, by Spearman and Brown: 2 r / (1 + r)
    assert (twice["low"], twice["high"]) == pytest.approx((2 * low / (1 + low), 2 * high / (1 + high)), abs=1e-12)
    assert f"(E rho^2, 95 % interval {low:.3f} to {high:.3f})" in result.finding
    ten = result.reliability.row(1, named=True)
    assert ten["e_rho2"] == pytest.approx(0.0319166667 / (0.0319166667 + 0.0144166667 / 10), abs=1e-9)
    assert result.anova["source"].to_list() == ["run", "topic", "residual"]
    assert result.anova["sum_of_squares"].to_list() == pytest.approx([0.522, 0.607, 0.173])
    assert result.anova["p_value"].to_list()[:2] == pytest.approx([0.000618628159912531, 0.0006748902253817255], rel=1e-10)


def test_single_topics_as_raters() -> None:
    # of one topic, ICC(C,1) .6888489208633093 and ICC(A,1) .3956611570247933
    one = reliability(MAP, topics=1).answer(of_map(RATED), RunOptions()).reliability.row(1, named=True)
    assert one["e_rho2"] == pytest.approx(0.6888489208633093, abs=1e-12)
    assert one["phi"] == pytest.approx(0.3956611570247933, abs=1e-12)


def test_the_interval_of_reliability_is_that_of_psych() -> None:
    # psych 2.2.9, R 4.2.2:  ICC(scores, lmer=FALSE)$results, the row ICC3k: ICC, lower bound, upper bound; runs in rows, topics in columns
    scores = [
        [0.50, 0.25, 0.75, 0.10, 0.60],
        [0.40, 0.30, 0.55, 0.20, 0.35],
        [0.65, 0.45, 0.80, 0.25, 0.70],
        [0.30, 0.10, 0.50, 0.05, 0.45],
    ]
    found = reliability(MAP).answer(of_map(scores), RunOptions()).reliability.select("e_rho2", "low", "high").row(0)
    assert found == pytest.approx((0.931880108991826, 0.695219018417047, 0.995248516565247), abs=1e-12)


def test_the_interval_of_reliability_holds_it_in_95_of_100_cases() -> None:
    # runs of variance 1, topics of variance 1, residuals of variance 4: on 8 topics, E rho^2 = 1 / (1 + 1 / 2)
    random, held = np.random.default_rng(6), 0
    for _ in range(400):
        rows = random.normal(0, 1, (8, 1)) + random.normal(0, 1, 8) + random.normal(0, 2, (8, 8))
        low, high = reliability(MAP, topics=8).answer(of_map(rows.tolist()), RunOptions()).reliability.select("low", "high").row(0)
        assert 0 <= low <= high <= 1
        held += low <= 2 / 3 <= high
    assert 365 <= held <= 395


def test_where_the_interval_of_reliability_is_unknown() -> None:
    level = reliability(MAP, topics=10).answer(of_map([[0.5, 0.25], [0.75, 0.5]]), RunOptions()).reliability  # nothing is left over
    assert level.select("e_rho2", "low", "high").rows() == [(1.0, None, None)] * 2
    systems = sample().by_system("(group[0-9]+)-.*")
    assert reliability(MAP).answer(systems, RunOptions()).reliability["low"].null_count() == 5
    weak = reliability(MAP, topics=4).answer(of_map([[0, 1, 0, 1], [1, 0, 1, 0.1]]), RunOptions()).reliability
    assert weak["low"].to_list() == [0.0]  # F is below its quantile


def test_runs_that_do_not_differ_have_no_reliability() -> None:
    rows = reliability(MAP, topics=10).answer(of_map([[0.5, 0.25], [0.5, 0.25]]), RunOptions()).reliability
    assert rows.select("var_run", "var_residual", "e_rho2", "phi").rows()[0] == (0.0, 0.0, None, 0.0)


def test_more_topics_are_stated_with_their_interval_or_not_at_all() -> None:
    result = reliability(MAP, topics=40).answer(of_map(RATED), RunOptions())
    value, low, high = result.reliability.select("e_rho2", "low", "high").row(1)
    assert result.finding.endswith(f"; with 40 topics E rho^2 would be {value:.3f} (95 % interval {low:.3f} to {high:.3f}).")
    weak = reliability(MAP, topics=100).answer(of_map([[0.1, 0.9, 0.2, 0.8], [0.9, 0.3, 0.3, 0.8], [0.6, 0.5, 0.7, 0.4]]), RunOptions())
    low, high = weak.reliability.select("low", "high").row(1)
    assert high - low > 0.9, "the scores say nearly nothing about more topics"
    assert weak.finding.endswith("(Phi).")
    assert "would be" not in reliability(MAP).answer(of_map([[0.5, 0.25], [0.75, 0.5]]), RunOptions()).finding, "no interval is known"
    several = {(name, "1"): np.array(RATED) * scale + noise for name, scale, noise in (("MAP", 1, 0), ("RR", 1, np.eye(4, 5) / 8))}
    both = reliability((MAP, RR)).answer(Scores(tuple("abcd"), tuple("12345"), several), RunOptions())
    low, high = sorted(rows[0]["e_rho2"] for rows in rows_by_condition(both.reliability))
    assert (
        both.finding
        == f"Estimates of the reliability of the order of the runs (E rho^2) go from {number(low)} (RR) to {number(high)} (MAP)."
    )


def test_texts() -> None:
    assert str(power(MAep, Gen5, difference=0.1)) == "power(MAep ~ Gen5, difference=0.1)"
    assert str(parse("power(MAP, difference=(0.05,))")) == "power(MAP)"
    assert str(parse("power(MAP, topics=(50,), tails=1)")) == "power(MAP, topics=50, tails=1)"
    assert str(parse("reliability(MAP + P@10, topics=(20, 40))")) == "reliability(MAP + P@10, topics=(20, 40))"
    assert power(MAP, topics=(10, 25, 50, 100, 200)) == power(MAP)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("power(MAP, difference=0)", "expected a number above 0, or several in parentheses, found 0|expected a number above 0, found 0"),
        ("power(MAP, topics=1)", "expected an integer of at least 2"),
        ("power(MAP, power=1)", "expected a number above 0 and below 1"),
        ("power(MAP, tails=3)", "expected an integer from 1 to 2"),
        ("power(MAP, difference=(0.1, 0.1))", "0.1 is written twice"),
        ("reliability(MAP, topics=0)", "expected an integer of at least 1"),
    ],
)
def test_wrong_options(text: str, message: str) -> None:
    with pytest.raises(FormulaError, match=message):
        parse(text)


@pytest.mark.parametrize("experiment", [power(P @ 10), reliability(P @ 10)])
def test_one_run_cannot_be_compared(experiment: Power) -> None:
    with pytest.raises(CollectionError, match="expected at least two runs to compare, found 1"):
        experiment.answer(Scores(("a",), ("1", "2"), {("P@10", "1"): np.array([[0.5, 0.25]])}), RunOptions())


@pytest.mark.parametrize("asked", [power(MAP), reliability(MAP)])
def test_scores_whose_squares_cannot_be_added_are_refused_and_smaller_ones_are_not(asked: Power | Reliability) -> None:
    asked.answer(of_map([[1e150 * score for score in row] for row in RATED]), RunOptions())
    text = rf"^{asked.word}: expected scores of at most 1e\+150 in absolute value, found 9e\+299 under MAP; .*divide all"
    with pytest.raises(CollectionError, match=text):
        asked.answer(of_map([[1e300 * score for score in row] for row in RATED]), RunOptions())


@pytest.mark.filterwarnings("ignore:power. differences between the runs do not vary:inexmetrics.CollectionWarning")
def test_means_given_as_scores_by_topic_raise_a_warning() -> None:
    means = pl.DataFrame({"topic": ["1", "2", "3"], "a": [0.25] * 3, "b": [0.5] * 3})
    with pytest.warns(
        CollectionWarning, match=r'is the same on all 3 topics under given\("x"\), .*; if these are means, give the scores by topic'
    ):
        found = run(power(given("x")), scores_from(means))
    assert found.needed["sd"].to_list() == [0.0]
    run(power(given("x")), scores_from(means.head(2)))
    run(power(given("x")), scores_from(means.with_columns(b=pl.col("a"))))


@pytest.mark.parametrize(
    ("formula", "stated"),
    [
        ("significance(MAP | t, margin={})", "margin"),
        ('versus("b", MAP, margin={})', "margin"),
        ("agreement(MAP + P@10, margin={})", "margin"),
        ("agreement(MAP + P@10, at_least={})", "at_least"),
    ],
)
def test_a_margin_larger_than_every_difference_is_warned_of(formula: str, stated: str) -> None:
    """Within such a margin any two runs are equivalent, and a threshold that large excludes every claim."""
    rows = np.array(RATED)
    board = Scores(tuple("abcd"), tuple("12345"), {("MAP", "1"): rows, ("P@10", "1"): rows})

    def told(value: str) -> list[str]:
        asked = parse(formula.format(value), Experiment)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CollectionWarning)
            return [str(warning) for warning in run(asked, board).warnings if "on the scale" in str(warning)]

    assert told("0.2") == told("0.001") == []
    word = formula.partition("(")[0]
    text = f"{word}: {stated}=5 is larger than the range of the scores in MAP, 0.1 to 0.9; state the difference on the scale of the scores"
    assert told("5")[0] == text


def test_a_difference_on_another_scale_is_warned_of() -> None:
    percent = of_map([[100 * score for score in row] for row in RATED])
    small = power(MAP, difference=(0.05, 2.0)).answer(percent, RunOptions())
    assert small.warnings[:-1] == (
        "power: difference=0.05 is less than 1/500 of the range of the scores in MAP, 10 to 90; state the difference on the scale of the scores",
    )
    large = power(MAP, difference=(0.05, 2.0)).answer(of_map(RATED), RunOptions())
    assert large.warnings[:-1] == (
        "power: difference=2 is larger than the range of the scores in MAP, 0.1 to 0.9; state the difference on the scale of the scores",
    )
    assert not [text for text in power(MAP, difference=0.2).answer(of_map(RATED), RunOptions()).warnings if "scale" in str(text)]
    [equal] = power(MAP, difference=2.0).answer(of_map([[0.5] * 5] * 2), RunOptions()).warnings
    assert equal.startswith(
        "power: differences between the runs do not vary over topics under MAP, so that the power of 1 and the 2 topics say nothing"
    )
