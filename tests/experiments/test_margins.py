"""Margins: runs that are equivalent within a difference that is too small to matter."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from inexmetrics import (
    MAP,
    Agreement,
    FormulaError,
    Holm,
    P,
    Scores,
    agreement,
    given,
    parse,
    power,
    run,
    scores_from,
    significance,
    t,
    tukey,
    unadjusted,
    versus,
)
from inexmetrics.cli import main
from inexmetrics.collection.condition_names import UNNAMED
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.equivalence import one_sided_tests
from inexmetrics.report.charts.drawing import specification
from tests.examples import quietly

pytestmark = pytest.mark.filterwarnings("ignore:.*so that rare large ones may be missing:inexmetrics.CollectionWarning")

# statsmodels 0.15.0: ttost_paired(x, y, -m, m) of all pairs of these four runs (rows), m = 0.02, its three p-values:
#   from statsmodels.stats.weightstats import ttost_paired
#   p, (_, p1, _), (_, p2, _) = ttost_paired(d[i], d[j], -0.02, 0.02)
FOUR = np.array([
    [0.71, 0.64, 0.55, 0.62, 0.58, 0.49, 0.66, 0.60, 0.52, 0.57],
    [0.70, 0.66, 0.54, 0.61, 0.60, 0.48, 0.65, 0.61, 0.53, 0.55],
    [0.69, 0.60, 0.56, 0.63, 0.52, 0.50, 0.60, 0.62, 0.47, 0.59],
    [0.4, 0.5, 0.3, 0.6, 0.2, 0.45, 0.35, 0.4, 0.5, 0.3],
])  # fmt: skip
STATSMODELS = {
    ("1", "2"): (0.0012493470188729514, 0.0006614752921337489, 0.0012493470188729514),
    ("1", "3"): (0.35817244511136703, 0.004095855281975807, 0.35817244511136703),
    ("1", "4"): (0.9987716748344689, 0.0003168354289027022, 0.9987716748344689),
    ("2", "3"): (0.3616195503252204, 0.015395657133435665, 0.3616195503252204),
    ("2", "4"): (0.9986878227830585, 0.0003385605027289088, 0.9986878227830585),
    ("3", "4"): (0.9982320646071869, 0.00041999682986538416, 0.9982320646071869),
}


def board(rows: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> Scores:
    """Scores whose matrix has runs in rows."""
    return scores_from(np.ascontiguousarray(rows.T))


def test_pairs_are_equivalent_where_statsmodels_says_so() -> None:
    table = run(significance(MAP, correction=unadjusted, margin=0.02), board(FOUR)).table
    assert table.columns[-3:] == ["significant", "p_equivalent", "equivalent"]
    found = {(row["better"], row["worse"]): row["p_equivalent"] for row in table.rows(named=True)}
    assert found.keys() == STATSMODELS.keys()
    for pair, (p_value, _, _) in STATSMODELS.items():
        assert found[pair] == pytest.approx(p_value, abs=1e-12)
    assert table.filter("equivalent").select("better", "worse").rows() == [("1", "2")]


def test_the_correction_has_one_hypothesis_a_pair() -> None:
    # Holm over six p-values: the smallest times 6, the next (.358) times 5, all others 1
    result = run(significance(MAP, test=t(tails=1), correction=Holm, margin=0.02), board(FOUR))
    by_pair = {(row["better"], row["worse"]): row["p_equivalent"] for row in result.table.rows(named=True)}
    assert by_pair["1", "2"] == pytest.approx(6 * 0.0012493470188729514, abs=1e-12)
    assert by_pair["1", "3"] == 1.0
    assert result.summary.row(0, named=True)["equivalent"] == 1
    assert result.summary.columns[-2:] == ["equivalent", "true_at_least"]
    assert result.tested is not None
    assert result.tested.endswith("; within 0.02: two one-sided t tests, 6 hypotheses, corrected by Holm at alpha = 0.05")


def test_without_a_margin_no_table_has_its_columns() -> None:
    for experiment in (significance(MAP), versus("1", MAP), agreement((MAP, MAP(rel=2)))):
        result = run(experiment, board(FOUR)) if experiment.word != "agreement" else run(experiment, two(FOUR, FOUR))
        for table in result.tables.values():
            assert not {"p_equivalent", "equivalent", "not_worse", "n_equivalent"} & set(table.columns)


def test_the_canonical_text_has_the_margin_where_there_is_one() -> None:
    assert str(significance(MAP, margin=0.02)) == "significance(MAP, margin=0.02)"
    assert str(versus("a", MAP, margin=0.02, top=3)) == 'versus("a", MAP, top=3, margin=0.02)'
    written = "agreement(MAP + P@10, margin=0.5)"
    assert str(parse(written, Agreement)) == written
    assert str(significance(MAP, margin=None)) == "significance(MAP)"


@pytest.mark.parametrize("text", ["significance(MAP | wilcoxon, margin=0.1)", 'versus("a", MAP | sign, margin=0.1)'])
def test_only_t_has_a_margin(text: str) -> None:
    with pytest.raises(FormulaError, match=r"margin: expected the test t, found (wilcoxon|sign)\n(.*\n.*\^+)\n  hint: write \| t"):
        parse(text)
    with pytest.raises(FormulaError, match=r"^agreement: margin: expected the test t, found tukey"):
        agreement((MAP, P @ 10), test=tukey, margin=0.1)


def test_a_margin_is_above_0() -> None:
    for wrong in (0, -0.1, math.inf, "0.1"):
        with pytest.raises(FormulaError, match=r"^significance: margin: expected a number above 0, found"):
            significance(MAP, margin=wrong)  # type: ignore[arg-type]  # what type checkers refuse


def test_versus_says_which_opponents_the_run_is_not_worse_than() -> None:
    table = run(versus("2", MAP, margin=0.02), board(FOUR)).table
    assert table.columns[-4:] == ["significant", "p_equivalent", "equivalent", "not_worse"]
    # 2 less 1: not below -.02 is 1 less 2 not above .02; 2 less 3 and 2 less 4 are as listed
    assert table["opponent"].to_list() == ["1", "3", "4"]
    assert table["p_equivalent"].to_list() == pytest.approx(
        [STATSMODELS[pair][0] for pair in (("1", "2"), ("2", "3"), ("2", "4"))], abs=1e-12
    )
    assert table["equivalent"].to_list() == [True, False, False]
    assert table["not_worse"].to_list() == [True, True, True]
    # Holm over the opponents: .0012, .0154 and .0003 times 2, 1 and 3; at .015 one of them is too large
    strict = run(versus("2", MAP, correction=Holm(alpha=0.015), margin=0.02), board(FOUR)).table
    assert strict["not_worse"].to_list() == [True, False, True]
    lowest = run(versus("4", MAP, margin=0.02), board(FOUR)).table
    assert lowest["not_worse"].to_list() == [False, False, False]


@pytest.mark.parametrize(("margin", "p_value", "claimed"), [(0.25, 0.0, False), (0.85, 0.0, True), (0.05, 1.0, False), (0.1, 1.0, False)])
@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
def test_equal_differences_are_within_a_margin_or_not(margin: float, p_value: float, claimed: bool) -> None:
    scores = board(np.array([[0.3, 0.5, 0.9], [0.2, 0.4, 0.8]]))  # .1 on every topic: sd = 0; a difference of the margin is not within it
    row = run(versus("1", MAP, margin=margin), scores).table.row(0, named=True)
    assert (row["p_equivalent"], row["equivalent"], row["not_worse"]) == (p_value, claimed, claimed)


def hits(runs: Mapping[str, FloatArray]) -> Scores:
    """Scores of named runs by topic."""
    rows = np.vstack([*runs.values()])
    return Scores(tuple(runs), tuple(f"q{place:03}" for place in range(rows.shape[1])), {UNNAMED: rows})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("topics", "margin", "jump", "silent"), [(12, 0.15, 1.0, 0.12), (40, 0.04, 1.0, 0.1), (160, 0.03, 1.0, 0.04), (60, 0.03, 0.5, 0.01)]
)
def test_a_run_that_is_worse_by_the_margin_is_not_called_equivalent_because_rare_losses_are_missing(
    topics: int, margin: float, jump: float, silent: float
) -> None:
    random = np.random.default_rng((7, topics))
    claims = by_p = 0
    for _ in range(50):
        worse = np.where(random.random(topics) < margin / jump, 1.0 - jump, 1.0)
        result = quietly(f'versus("after", given("hit"), margin={margin})', hits({"after": worse, "before": np.ones(topics)}))
        row = result.table.row(0, named=True)
        claims += row["not_worse"] or row["equivalent"]
        by_p += row["p_equivalent"] <= 0.05
        # what is not claimed although p is small is said
        said = [warning for warning in result.warnings if "rare large differences may be missing" in warning]
        assert bool(said) == (row["p_equivalent"] <= 0.05 and not (row["equivalent"] and row["not_worse"]))
    assert claims <= 5
    assert by_p >= 50 * silent


def test_runs_without_any_difference_are_equivalent_on_enough_topics(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # log(.05)/log(1 - .08) = 35.9
    for topics, enough in ((8, False), (35, False), (36, True), (300, True)):
        same = np.resize([1.0, 0.0, 1.0], topics)
        result = quietly('versus("after", given("hit"), margin=0.08)', hits({"after": same, "before": same}))
        row = result.table.row(0, named=True)
        assert (row["p_equivalent"], row["equivalent"], row["not_worse"]) == (0.0, enough, enough)
        if enough:
            assert result.warnings == ()
            continue
        assert result.warnings == (
            'under given("hit"), the differences of after and before are equal on so many topics that rare large differences may be missing; '
            "equivalence or non-inferiority within 0.08 is not claimed where it depends on this; runs without any difference need 36 topics",
        )
        assert "The two are not shown to be the same within ±0.08, because nearly all their differences are equal." in result.finding
        file = tmp_path / "hits.csv"
        file.write_text("topic,after,before\n" + "".join(f"q{place},{hit},{hit}\n" for place, hit in enumerate(same.tolist())))
        for requirement in ("not_worse", "equivalent"):
            asked = ['versus("after", given("hit"), margin=0.08)', "--scores", str(file), "--keep", "after", "before"]
            assert main([*asked, "--require", requirement]) == 3
            assert f"required: {requirement}; it is not met" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
def test_equal_differences_of_several_pairs_of_clusters_and_of_conditions() -> None:
    same = np.resize([4.0, 2.0, 5.0, 1.0], 24)
    three = {"a": same, "b": same, "c": same + np.resize([0.3, -0.4, 0.1, 0.2, -0.1], 24)}
    result = run('significance(given("grade") | Holm, margin=0.4)', hits(three))
    found = {(row["better"], row["worse"]): row["equivalent"] for row in result.table.rows(named=True)}
    assert found == {("a", "b"): False, ("c", "a"): True, ("c", "b"): True}
    assert result.named("summary")["equivalent"].to_list() == [2]
    (warning,) = [each for each in result.warnings if "rare large differences" in each]
    assert "the differences of a and b are equal" in warning
    assert "; equivalence within 0.4 is not claimed where it depends on this; " in warning
    # the range is 0 to 5.3, and Holm's first step .05/3: log(.0167)/log(1 - .4/5.3) = 52.2
    assert warning.endswith("; runs without any difference need 53 topics")
    pairs = {"a": same, "b": same, "block": np.repeat([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 4)}
    source = scores_from({"topic": [*range(24)], **{name: row.tolist() for name, row in pairs.items()}}, clusters="block", keep=["a", "b"])
    (of_clusters,) = run('versus("a", given("grade") | t(clusters="block"), margin=0.4)', source).warnings
    assert of_clusters.endswith("are equal on so many clusters that rare large differences may be missing; equivalence or non-inferiority "
        "within 0.4 is not claimed where it depends on this; runs without any difference need 36 clusters")  # fmt: skip
    alike = two(np.vstack([same, same]) / 5, np.vstack([same, same]) / 5)
    assert run(agreement((MAP, MAP(rel=2)), margin=0.05), alike).agreement["n_equivalent"].to_list() == [0]


@pytest.mark.slow
@pytest.mark.parametrize(("topics", "margin", "jump", "change"), [(12, 0.06, 0.5, 0.02), (40, 0.02, 1.0, 0.007), (90, 0.01, 0.5, 0.005)])
def test_small_changes_that_may_hide_rare_losses_raise_a_doubt(topics: int, margin: float, jump: float, change: float) -> None:
    # the run is worse by the margin; nearly always when t claims that it is not, rare losses are missing, and this is said
    random = np.random.default_rng((8, topics))
    before = np.resize([jump, 1.0, jump, 0.0], topics)
    claims = silent = 0
    for _ in range(60):
        worse = np.where(random.random(topics) < margin / jump, before - jump, before + random.normal(0, change, topics))
        scores = Scores(("after", "before"), tuple(f"q{place:03}" for place in range(topics)), {("MAP", "1"): np.vstack([worse, before])})
        result = quietly(f'versus("after", MAP, margin={margin})', scores)
        row = result.table.row(0, named=True)
        claims += row["not_worse"]
        said = any("within the margin, so that rare large ones may be missing; more topics" in warning for warning in result.warnings)
        silent += row["not_worse"] and not said
        assert said == ("Most of their differences are within the margin, so that rare" in result.finding)
    assert claims >= 8
    assert silent <= 1


def test_enough_topics_settle_the_doubt() -> None:
    for topics, doubted in ((20, True), (45, True), (250, False)):
        before = np.resize([1.0, 0.0, 0.5], topics)
        after = before + np.resize([0.01, -0.02, 0.015, -0.01], topics)
        names = {"after": after, "before": before, "twin": before + np.resize([0.01, -0.01], topics)}
        for asked, claim in (
            ('significance(given("hit") | unadjusted, margin=0.06)', "equivalence within 0.06 is claimed of"),
            ('versus("after", given("hit"), margin=0.06)', "equivalence or non-inferiority within 0.06 is claimed of after and"),
        ):
            result = quietly(asked, hits(names))
            assert result.table["equivalent"].all()
            (*said,) = (warning for warning in result.warnings if "rare" in warning)
            assert len(said) == doubted
            assert all(claim in each and f"(and of {result.table.height - 1} further pair" in each for each in said)


@pytest.mark.slow
def test_differences_that_often_exceed_the_margin_raise_no_doubt() -> None:
    random = np.random.default_rng(12)
    for _ in range(25):
        topics = int(random.integers(30, 60))
        base = random.random(topics)
        runs = {f"r{place}": np.round(base + random.normal(0, 0.12, topics), 2) for place in range(4)}
        for asked in ('significance(given("x"), margin=0.1)', 'versus("r0", given("x"), margin=0.05)'):
            result = quietly(asked, hits(runs))
            table = result.table
            assert not [each for each in result.warnings if "rare" in each]
            assert table["equivalent"].to_list() == (table["p_equivalent"] <= 0.05 * (1 + 1e-12)).to_list()


def test_clusters_give_the_standard_error_and_the_degrees_of_freedom(tmp_path: Path) -> None:
    # differences .01 .02 | .03 .03 | .00 .01 in three clusters of two: means .015, .03, .005; their sd is .0125831, se .0072648; D is .0166667
    file = tmp_path / "clusters.csv"
    rows = zip("aabbcc", (0.51, 0.62, 0.73, 0.83, 0.50, 0.61), (0.50, 0.60, 0.70, 0.80, 0.50, 0.60), strict=True)
    file.write_text("topic,family,x,y\n" + "".join(f"{topic},{family},{x},{y}\n" for topic, (family, x, y) in enumerate(rows)))
    scores = scores_from(file, measure="m", clusters="family")
    row = run(versus("x", given("m"), test=t(clusters="family"), margin=0.05), scores).table.row(0, named=True)
    # P(T >= (.05 - .0166667)/.0072648 = 4.588315) with 2 degrees of freedom is 1/2 - x/(2 sqrt(2 + x^2))
    x = (0.05 - 0.1 / 6) / (math.sqrt(((0.015 - 0.05 / 3) ** 2 + (0.03 - 0.05 / 3) ** 2 + (0.005 - 0.05 / 3) ** 2) / 2) / math.sqrt(3))
    assert row["p_equivalent"] == pytest.approx(0.5 - x / (2 * math.sqrt(2 + x * x)), rel=1e-9)
    assert (row["equivalent"], row["not_worse"]) == (True, True)


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")  # no p-value over one topic can be significant
def test_one_topic_shows_nothing() -> None:
    row = run(versus("1", MAP, margin=9), board(np.array([[0.3], [0.2]]))).table.row(0, named=True)
    assert (row["p_equivalent"], row["equivalent"], row["not_worse"]) == (1.0, False, False)


def two(first: np.ndarray[tuple[int, int], np.dtype[np.float64]], second: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> Scores:
    """The scores of the same runs under MAP and MAP(rel=2)."""
    topics = tuple(f"t{topic:02}" for topic in range(first.shape[1]))
    return Scores(tuple("1234"[: len(first)]), topics, {("MAP", "1"): first, ("MAP(rel=2)", "1"): second})


def test_agreement_tells_being_the_same_from_two_silences() -> None:
    experiment = agreement((MAP, MAP(rel=2)), correction=unadjusted, margin=0.02)
    result = run(experiment, two(FOUR, FOUR))
    verdicts = {(row["better"], row["worse"]): row["verdict"] for row in result.differences.rows(named=True)}
    # 1 and 2 are equivalent (p = .0012); 1 and 3, 2 and 3 are neither; 4 differs from all
    assert verdicts == dict.fromkeys([("1", "4"), ("2", "4"), ("3", "4")], "both") | {
        ("1", "2"): "equivalent",
        ("1", "3"): "neither",
        ("2", "3"): "neither",
    }
    (doubt,) = (warning for warning in result.warnings if "rare" in warning)
    assert doubt.startswith("under MAP and MAP(rel=2), equivalence within 0.02 is claimed of 1 and 2, but most of their differences are")
    assert (result.agreement.columns[10], result.agreement["n_equivalent"].to_list()) == ("n_equivalent", [1])
    assert (
        "Of the 3 pairs of runs for which neither finds a significant difference, 1 is shown to be the same within ±0.02 under both; 2 are undecided."
        in result.finding
    )
    # ten times as far apart under the truth, 1 and 2 are not shown to be the same there
    apart = run(experiment, two(FOUR, FOUR[[1, 1, 2, 3]] + 10 * (FOUR - FOUR[[1, 1, 2, 3]])))
    assert apart.agreement["n_equivalent"].to_list() == [0]


def test_equivalent_is_a_verdict_only_without_a_significant_difference() -> None:
    sure = np.array([[0.51, 0.61, 0.71, 0.81], [0.50, 0.60, 0.70, 0.801]])  # they differ significantly, by less than .02
    result = run(agreement((MAP, MAP(rel=2)), correction=unadjusted, margin=0.02), two(sure, sure))
    assert (result.differences["verdict"].to_list(), result.warnings) == (["both"], ())
    pair = run(significance(MAP, correction=unadjusted, margin=0.02), board(sure))
    assert pair.table.select("significant", "equivalent").rows() == [(True, True)]
    assert pair.finding.endswith(" Nevertheless, the two are the same within ±0.02 (p < 0.001): they differ, but by less than that. "
        "Most of their differences are within the margin, so that rare large ones may be missing.")  # fmt: skip


@pytest.mark.parametrize(
    ("formula", "finding"),
    [
        (
            "significance(MAP | unadjusted, margin=0.02)",
            "3 of the 6 pairs of runs (50 %) differ significantly in MAP, without correction; with 95 % confidence, all 3 differences are true. 1 pair is shown to be the same within ±0.02; 2 are undecided, "
            "neither different nor shown to be the same.",
        ),
        (
            'versus("2", MAP, margin=0.02)',
            "By MAP, 1 of the 3 runs differs significantly from 2 (paired two-tailed t, not corrected, alpha = 0.05): 4 is worse. Of the 3 comparisons, "
            "1 shows that the two are the same within ±0.02, and 3 show that the run is not worse by 0.02 or more.",
        ),
    ],
)
def test_findings_count_what_is_the_same_and_what_is_undecided(formula: str, finding: str) -> None:
    assert run(formula, board(FOUR)).finding == finding


@pytest.mark.parametrize(
    ("runs", "margin", "ending"),
    [
        (
            [0, 1],
            0.02,
            "The two are the same within ±0.02 (p = 0.001), which is not the same as 'not significantly different'. Most of their differences are "
            "within the margin, so that rare large ones may be missing.",
        ),
        ([0, 2], 0.02, "The two are not shown to be the same within ±0.02 (p = 0.358) either: whether they differ is undecided."),
        ([0, 3], 0.02, "The two are not shown to be the same within ±0.02 (p = 0.999)."),
    ],
)
def test_the_finding_of_two_runs(runs: list[int], margin: float, ending: str) -> None:
    result = run(significance(MAP, margin=margin), board(FOUR[runs]))
    assert result.finding.endswith(f" {ending}")


def test_most_pairs_of_a_real_board_are_undecided() -> None:
    file = Path(__file__).parents[3] / "shared" / "data" / "trec7_ap.csv"
    if not file.exists():
        pytest.skip("the scores of TREC-7 are not here")
    source = scores_from(file, topics=False, measure="AP")
    result, corrected = (quietly(f'significance(given("AP") | {rule}, margin=0.02)', source) for rule in ("unadjusted", "BH"))
    for found, rule, doubted in ((result, "unadjusted", 4), (corrected, "BH", 3)):
        claims, remaining = (
            each.named("pairs")["significant"].sum() for each in (found, run(f'significance(given("AP") | t(floor=0.5) | {rule})', source))
        )
        remain = f"with t(floor=0.5), {remaining} of {claims} remain significant"
        of_runs, of_margin = found.warnings
        assert of_runs.partition("; ")[2] == f"10 of 103 runs); {remain}"
        assert (
            f"equivalence within 0.02 is claimed of run22 and run21 (and of {doubted} further pairs), but most of their differences"
            in of_margin
        )
    counts = result.named("pairs").group_by("significant", "equivalent").len().sort("significant", "equivalent").rows()
    # as scipy's ttest_rel and statsmodels' ttost_paired count them
    assert counts == [(False, False, 1390), (False, True, 19), (True, False, 3840), (True, True, 4)]
    assert corrected.named("summary")["equivalent"].to_list() == [int(corrected.named("pairs")["equivalent"].sum())]


def test_an_unchanged_system_passes_with_the_power_that_was_asked_for() -> None:
    spread = np.random.default_rng(0).normal(0.0, 0.1, size=(2, 30))
    planned = run(power(MAP, difference=0.05, tails=1), board(spread)).needed.row(0, named=True)
    null = np.vstack(
        [np.zeros((1, planned["topics"])), np.random.default_rng(1).normal(0.0, planned["sd"], size=(4000, planned["topics"]))]
    )
    passed = (
        one_sided_tests(t, null, np.arange(1, 4001), np.zeros(4000, dtype=np.int64), margin=0.05, setting=RunOptions()).not_below <= 0.05
    )
    assert 0.78 <= passed.mean() <= 0.84  # .8 was asked for; the number of topics is rounded up


def test_the_text_the_latex_and_the_charts_show_the_margin(tmp_path: Path) -> None:
    result = run(versus("2", MAP, margin=0.02), board(FOUR))
    assert "not_worse" in result.to_text()
    assert "Not worse" in result.to_latex().replace("\\\\", " ")
    drawn = str(specification(result))
    assert "'x': {'datum': -0.02}, 'x2': {'datum': 0.02}" in drawn


def test_no_pair_is_said_to_differ_by_more_than_the_margin_because_none_is_shown_to_be_the_same() -> None:
    """The first and the third run are equal on all topics, and too few topics show it."""
    board = scores_from(np.array([[1.0, 0.0, 1.0], *[[1.0, 1.0, 1.0]] * 5]))
    one = quietly('significance(given("x"), margin=0.1)', board)
    assert "No pairs are shown to be the same within ±0.1; 3 are undecided" in one.finding
