"""Calibration: how often tests find a difference on leaderboards without differences."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from scipy.special import stdtrit
from scipy.stats import binomtest

from inexmetrics import (
    BH,
    MAP,
    Bonferroni,
    Calibration,
    CalibrationResult,
    CollectionError,
    CollectionWarning,
    FormulaError,
    Holm,
    P,
    Scores,
    SignificanceTest,
    bootstrap,
    calibration,
    given,
    parse,
    run,
    sample,
    scores_from,
    sign,
    significance,
    stepdown,
    t,
    tukey,
    unadjusted,
    wilcoxon,
)
from inexmetrics.cli import main
from inexmetrics.inference.error_rates import clopper_pearson, null_board, wilson
from inexmetrics.report.charts.drawing import specification
from tests.reference.inference import null_board as slow_null_board
from tests.reference.inference import null_board_of_mixtures

pytestmark = pytest.mark.filterwarnings("ignore:the smallest p-value:inexmetrics.CollectionWarning")  # few samples or topics

SPREAD = np.random.default_rng(5).beta(2.0, 3.0, size=(6, 12)).round(3)


def board(rows: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> Scores:
    """Scores whose matrix has runs in rows; the topics are in lexicographic order."""
    runs, topics = rows.shape
    return Scores(tuple("abcdef"[:runs]), tuple(f"t{topic:02}" for topic in range(topics)), {("MAP", "1"): rows})


def test_a_board_permutes_the_runs_of_each_topic() -> None:
    made = [null_board(SPREAD, None, 0, place) for place in range(40)]
    for each in made:
        assert np.array_equal(np.sort(each, axis=0), np.sort(SPREAD, axis=0))
    assert np.array_equal(made[3], null_board(SPREAD, None, 0, 3))
    assert not np.array_equal(made[3], null_board(SPREAD, None, 1, 3))
    # each run holds each of the six scores of a topic about as often: 40/6 = 6.7 times
    counts = [(np.stack(made)[:, 0, 0] == score).sum() for score in SPREAD[:, 0]]
    assert (sum(counts), min(counts) >= 1, max(counts) <= 15) == (40, True, True)


def test_a_board_keeps_clusters_together() -> None:
    clusters = (0, 0, 0, 1, 1, 2, 2, 2, 2, 1, 0, 2)
    for place in range(20):
        made = null_board(SPREAD, clusters, 0, place)
        for cluster in range(3):
            held = np.array(clusters) == cluster
            rows = {tuple(row) for row in SPREAD[:, held].tolist()}
            assert {tuple(row) for row in made[:, held].tolist()} == rows
    apart = [null_board(SPREAD, None, 0, place) for place in range(20)]
    assert any(not {tuple(row) for row in each[:, :3].tolist()} <= {tuple(row) for row in SPREAD[:, :3].tolist()} for each in apart)


@pytest.mark.parametrize("clusters", [None, (0, 1, 1, 2, 0, 3, 3, 3, 2, 1, 0, 4)])
def test_boards_are_those_of_the_slow_reference(clusters: tuple[int, ...] | None) -> None:
    for place in range(10):
        assert null_board(SPREAD, clusters, 7, place).tolist() == slow_null_board(SPREAD.tolist(), clusters, 7, place)


def test_claims_are_those_of_significance_on_each_board() -> None:
    rules = ((t, unadjusted), (t(tails=1), BH), (bootstrap(b=200), BH), (wilcoxon, unadjusted), (tukey(b=99), unadjusted))
    for test, correction in rules:
        asked = calibration(MAP, tests=test, correction=BH if test == tukey(b=99) else correction, boards=25, seed=2)
        made = (board(np.array(slow_null_board(SPREAD.tolist(), None, 2, place))) for place in range(25))
        expected = sum(run(significance(MAP, test=test, correction=correction), each).summary["significant"].item() > 0 for each in made)
        row = run(asked, board(SPREAD)).table.row(0, named=True)
        assert (row["test"], row["correction"], row["found"]) == (str(test), str(correction), expected)
        assert (row["share"], row["boards"], row["nominal"]) == (expected / 25, 25, 0.05)
        assert (row["low"], row["high"]) == wilson(expected, 25)


MIXED_CLUSTERS = (0, 1, 2, 0, 1, 2, 3, 3, 0, 1, 2, 3)


@pytest.mark.parametrize("clusters", [None, MIXED_CLUSTERS])
@pytest.mark.parametrize("null", ["means", "none"])
def test_mixtures_are_those_of_the_slow_reference(clusters: tuple[int, ...] | None, null: Literal["means", "none"]) -> None:
    for place in range(10):
        expected = null_board_of_mixtures(SPREAD.tolist(), clusters, 7, place, keep_means=null == "none")
        assert null_board(SPREAD, clusters, 7, place, null=null) == pytest.approx(np.array(expected), abs=1e-12)


def test_mixtures_have_equal_means_and_the_covariances_of_the_runs() -> None:
    made = np.concatenate([null_board(SPREAD, None, 3, place, null="means") for place in range(3000)], axis=1)
    deviations = SPREAD.std(axis=1)
    assert np.abs(made.mean(axis=1)).max() < 0.02 * deviations.max()  # 36,000 topics: standard errors of .005 deviations
    assert np.abs(np.cov(made, bias=True) - np.cov(SPREAD, bias=True)).max() < 0.05 * deviations.max() ** 2
    kept = np.concatenate([null_board(SPREAD, None, 3, place, null="none") for place in range(300)], axis=1)
    assert kept.mean(axis=1) == pytest.approx(SPREAD.mean(axis=1), abs=0.05 * deviations.max())


def test_mixtures_keep_clusters_together() -> None:
    """A run that is constant within clusters is constant within the clusters of a mixture."""
    clusters = np.array(MIXED_CLUSTERS)
    rows = np.array([[0.1, 0.5, 0.2, 0.9], [0.4, 0.3, 0.8, 0.2]])[:, clusters]
    for place in range(10):
        made = null_board(rows, MIXED_CLUSTERS, 0, place, null="means")
        for cluster in range(4):
            assert np.ptp(made[:, clusters == cluster], axis=1).max() < 1e-12


@pytest.mark.filterwarnings("ignore:.* not means; write t:inexmetrics.CollectionWarning")
def test_false_claims_on_mixtures_are_those_of_significance() -> None:
    asked = calibration(MAP, tests=(t, sign), correction=unadjusted, boards=30, seed=2, null="means")
    assert parse(str(asked)) == asked
    assert str(asked).endswith('null="means")')
    table = run(asked, board(SPREAD)).table
    for row, test in zip(table.iter_rows(named=True), (t, sign), strict=True):
        made = (board(null_board(SPREAD, None, 2, place, null="means")) for place in range(30))
        found = sum(run(significance(MAP, test=test, correction=unadjusted), each).summary["significant"].item() > 0 for each in made)
        assert row["found"] == found


@pytest.mark.filterwarnings("ignore:.* significant differences depend on runs:inexmetrics.CollectionWarning")
@pytest.mark.parametrize("test", [t, stepdown(b=100)])
def test_signs_are_those_of_significance_on_each_board(test: SignificanceTest) -> None:
    asked = calibration(MAP, tests=test, correction=unadjusted, boards=30, seed=2, null="none")
    result = run(asked, board(SPREAD))
    assert isinstance(result, CalibrationResult)
    assert list(result.tables) == ["signs"]
    row = result.signs.row(0, named=True)
    true = dict(zip("abcdef", SPREAD.mean(axis=1), strict=True))
    counts: list[tuple[int, int]] = []
    sizes: list[tuple[float, float]] = []
    for place in range(30):
        pairs = run(significance(MAP, test=test, correction=unadjusted), board(null_board(SPREAD, None, 2, place, null="none"))).table
        claims = pairs.filter("significant").select("better", "worse", "difference").rows()
        counts.append((len(claims), sum(true[better] <= true[worse] for better, worse, _ in claims)))
        sizes += [(difference, abs(true[better] - true[worse])) for better, worse, difference in claims]
    claims, wrong = (sum(each) for each in zip(*counts, strict=True))
    assert claims > 30
    assert (row["boards"], row["claims"]) == (30, claims)
    assert row["wrong_direction"] == wrong / claims
    assert row["exaggeration"] == pytest.approx(sum(size for size, _ in sizes) / sum(size for _, size in sizes))
    # a ratio of two sums, with boards as observations
    residuals = np.array([error - row["wrong_direction"] * count for count, error in counts]) / (claims / 30)
    margin = stdtrit(29, 0.975) * residuals.std(ddof=1) / np.sqrt(30)
    if wrong:
        ends = max(row["wrong_direction"] - margin, 0), min(row["wrong_direction"] + margin, 1)
        assert (row["low"], row["high"]) == pytest.approx(ends)
    assert f"{1000 * row['wrong_direction']:.1f} per 1,000 claims of {test}" in result.finding
    assert f"{row['exaggeration']:.2f} times the true ones" in result.finding


def test_signs_of_clear_differences_are_right_and_of_equal_runs_are_wrong() -> None:
    clear = np.array([[0.9, 0.8, 0.9, 0.7, 0.8, 0.9], [0.1, 0.2, 0.2, 0.1, 0.3, 0.2]])
    result = run(calibration(MAP, tests=t, boards=20, null="none"), board(clear))
    row = result.table.row(0, named=True)
    assert (row["claims"], row["wrong_direction"], row["low"], row["high"]) == (20, 0.0, 0.0, pytest.approx(1 - 0.025 ** (1 / 20)))
    assert row["exaggeration"] == pytest.approx(1, abs=0.1)
    times = f"claimed differences are {row['exaggeration']:.2f} times the true ones."
    claims = "On 20 leaderboards with the runs' own means, 0 per 1,000 claims of"
    assert result.finding == f"{claims} t with BY have the wrong direction (at most 168 per 1,000, with 95 % confidence); {times}"
    several = run(calibration(MAP, tests=(t, t(floor=0.5), t(tails=1)), boards=20, null="none"), board(clear))
    assert several.finding.startswith(f"{claims} all 3 tests have the wrong direction (at most 168 per 1,000, with 95 % confidence); ")
    level = np.array([[0.9, 0.1, 0.9, 0.1, 0.4, 0.6], [0.1, 0.9, 0.2, 0.8, 0.7, 0.3]])  # equal means
    result = run(calibration(MAP, tests=t, correction=unadjusted(alpha=0.5), boards=20, null="none"), board(level))
    row = result.table.row(0, named=True)
    assert row["claims"] > 0
    assert (row["wrong_direction"], row["exaggeration"]) == (1.0, None)
    assert (row["low"], row["high"]) == (pytest.approx(0.025 ** (1 / row["claims"]), rel=1e-9), 1.0)
    assert result.finding == (
        "On 20 leaderboards with the runs' own means, 1,000 per 1,000 claims of t have the wrong direction; the true differences are 0."
    )
    nothing = run(calibration(MAP, tests=t, correction=unadjusted(alpha=1e-6), boards=5, null="none"), board(level))
    assert nothing.table.select("claims", "wrong_direction", "low", "high", "exaggeration").row(0) == (0, None, None, None, None)
    assert nothing.finding == "On 5 leaderboards with the runs' own means, no test finds a difference."


@pytest.mark.parametrize(("found", "tries"), [(0, 1), (0, 57), (3, 57), (57, 57), (200, 1000)])
def test_clopper_and_pearson_s_interval_is_scipy_s(found: int, tries: int) -> None:
    expected = binomtest(found, tries).proportion_ci(0.95, method="exact")
    assert clopper_pearson(found, tries) == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_signs_are_drawn_and_printed() -> None:
    result = run(calibration((MAP, P @ 10), tests=(t, t(floor=0.5), stepdown(b=99)), boards=10, null="none"), sample())
    for width in (80, 120):
        assert max(map(len, result.to_text(width=width).splitlines())) <= width
    assert "wrong_direction" in result.to_text(width=120)
    assert len(result.finding) <= 320
    assert "share in the wrong direction" in str(specification(result))
    assert result.to_latex().count("\\\\") >= 6


def test_clusters_of_unequal_sizes_cannot_be_mixed() -> None:
    rows = [{"topic": str(topic), "f": str(min(topic // 3, 2)), "a": topic / 20, "b": 0.5 - topic / 30} for topic in range(12)]
    source = scores_from(rows, measure="x", clusters="f")
    for null in ("means", "none"):
        with pytest.raises(
            CollectionError, match=rf'null="{null}": expected clusters of equal size, found clusters of 3 to 6 topics in the column f'
        ):
            run(calibration(given("x"), tests=t(clusters="f"), boards=5, null=null), source)
    assert run(calibration(given("x"), tests=t(clusters="f"), boards=5), source).table.height == 1


def test_the_choices_of_null() -> None:
    with pytest.raises(FormulaError, match='calibration: null: expected "runs" or "means" or "none", found "medians"'):
        parse('calibration(MAP, null="medians")')
    empty = Scores(("a", "b"), ("1",), {("MAP", "1"): np.full((2, 1), np.nan)})
    for null in ("means", "none"):
        with pytest.warns(CollectionWarning):  # no topic is defined
            table = run(calibration(MAP, tests=t, boards=5, null=null), empty).table
        assert table["low"].to_list() == [None]


@pytest.mark.parametrize(("population", "least", "most"), [("lognormal", 0.07, 0.18), ("normal", 0, 0.05)])
def test_the_estimate_is_near_the_truth(population: str, least: float, most: float) -> None:
    """The truth is 12 % for lognormal scores of unequal skewness and 1 % for normal scores; 20 data sets, and 10 boards of each."""

    def drawn(seed: int) -> Scores:
        random = np.random.default_rng((41, seed))
        if population == "normal":
            rows = random.normal(0.5, 0.1, (20, 15)) + random.normal(0, 0.2, 15)
        else:
            sigma = np.linspace(0.2, 1.2, 20)[:, None]
            rows = np.exp(sigma * random.normal(size=(20, 25)) - sigma**2 / 2)
        return scores_from(rows.T, measure="x")

    shares = [
        run(calibration(given("x"), tests=t, boards=10, seed=seed, null="means"), drawn(seed)).table["share"].item() for seed in range(20)
    ]
    assert least <= np.mean(shares) <= most


@pytest.mark.filterwarnings("ignore:every difference between two runs is the same on all")
def test_two_runs_by_hand() -> None:
    # One run scores 1 and the other 0 on each of 6 topics. The sign test finds a difference (p = 2/64) where one run has all the ones.
    ones = np.array([[1.0] * 6, [0.0] * 6])
    expected = sum(null_board(ones, None, 0, place)[0].sum() in {0.0, 6.0} for place in range(200))
    row = run(calibration(MAP, tests=sign, correction=unadjusted), board(ones)).table.row(0, named=True)
    assert row["found"] == expected
    assert 1 <= expected <= 15  # 200/32 = 6.25


def test_tests_of_clusters_have_boards_of_their_own() -> None:
    rows = [{"topic": str(topic), "family": str(topic // 6), "a": 0.9 - topic / 100, "b": 0.1 + topic / 90} for topic in range(12)]
    source = scores_from(rows, measure="x", clusters="family")
    rules = calibration(given("x"), tests=(bootstrap(b=200), bootstrap(b=200, clusters="family")), correction=unadjusted, boards=60)
    table = run(rules, source).table
    # two clusters of six: the same run leads in both on half of the boards, and then on every resample
    assert 20 <= table["found"][1] <= 40
    assert table["found"][0] <= 20


def test_the_command_line_reads_the_clusters_of_every_test(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "scores.csv"
    file.write_text("topic,family,x,y\n" + "".join(f"{topic},{topic % 4},{SPREAD[0, topic]},{SPREAD[1, topic]}\n" for topic in range(12)))
    formula = 'calibration(given("m"), tests=(t, t(clusters="family")), boards=5)'
    assert main([formula, "--scores", str(file), "--format", "csv"]) == 0
    out, err = capsys.readouterr()
    assert [line.split(",")[2] for line in out.splitlines()[1:]] == ["t", '"t(clusters=""family"")"']
    assert err == ""


def test_simultaneous_tests_keep_unadjusted_at_the_level_of_the_correction() -> None:
    table = run(calibration(MAP, tests=(t, tukey(b=99)), correction=Bonferroni(alpha=0.1), boards=5), board(SPREAD)).table
    assert table["correction"].to_list() == ["Bonferroni(alpha=0.1)", "unadjusted(alpha=0.1)"]
    assert table["nominal"].to_list() == [0.1, 0.1]
    assert table.columns == ["measure", "quantisation", "test", "correction", "boards", "found", "share", "low", "high", "nominal"]


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")  # of topics that are undefined
def test_degenerate_boards() -> None:
    for level in (np.full((3, 8), 0.5), np.tile(np.linspace(0, 1, 8), (3, 1))):
        assert run(calibration(MAP, tests=(t, bootstrap(b=50)), boards=4), board(level)).table["found"].to_list() == [0, 0]
    single = run(calibration(MAP, tests=t, boards=4), board(SPREAD[:, :1]))
    assert single.table.select("found", "share", "low", "high").rows() == [(0, None, None, None)]
    assert single.finding == "No test can find a difference on fewer than two topics."
    undefined = Scores(("a", "b"), ("t1",), {("MAP", "1"): np.full((2, 1), np.nan)})
    assert run(calibration(MAP, tests=t, boards=4), undefined).table["share"].to_list() == [None]
    with pytest.raises(CollectionError, match="calibration: expected at least two runs to compare, found 1"):
        run(calibration(MAP, tests=t), board(SPREAD[:1]))


@pytest.mark.parametrize(
    "text",
    [
        "calibration(MAP)",
        "calibration(MAP, tests=(t, tukey), correction=Holm, boards=50)",
        "calibration(MAep ~ Gen5 + BinExh, tests=t, seed=3)",
    ],
)
def test_the_canonical_text(text: str) -> None:
    expected = text.replace("tests=t,", "tests=(t,),")
    assert str(parse(text, Calibration)) == expected
    assert parse(expected) == parse(text)
    assert parse("calibration(MAP | Holm, boards=50)") == calibration(MAP, correction=Holm, boards=50)


def test_wrong_options() -> None:
    with pytest.raises(FormulaError, match="boards: expected an integer from 1 to 1000000, found 0"):
        calibration(MAP, boards=0)
    with pytest.raises(FormulaError, match="tests: expected a significance test, or several in parentheses, found none"):
        calibration(MAP, tests=())
    with pytest.raises(FormulaError, match="takes no significance test, found t"):
        parse("calibration(MAP | t)")


def test_the_finding_names_the_highest_share_first() -> None:
    result = run(calibration(MAP, tests=(t, bootstrap(b=1000)), correction=BH, boards=40), board(SPREAD))
    shares = result.table["share"].to_list()
    assert shares == [0.0, 0.075]
    assert result.finding == (
        "On 40 leaderboards without true differences, bootstrap(b=1000) with BH finds a difference on 8 % (nominal: 5 %), t with BH on none."
    )
    several = run(calibration((MAP, P @ 10), tests=t, correction=unadjusted(alpha=0.1), boards=20), two())
    assert several.finding.startswith("On 20 leaderboards without true differences under 2 measures, t finds a difference on ")
    assert several.finding.endswith(" (nominal: 10 %).")


def two() -> Scores:
    """Scores under two measures."""
    topics = tuple(f"t{topic:02}" for topic in range(12))
    return Scores(tuple("abcdef"), topics, {("MAP", "1"): SPREAD, ("P@10", "1"): SPREAD[:, ::-1].copy()})


def test_an_executor_changes_no_bit() -> None:
    asked = calibration((MAP, P @ 10), tests=(t, bootstrap(b=100), tukey(b=50)), boards=12)
    here = run(asked, two())
    with ThreadPoolExecutor(2) as pool:
        assert run(asked, two(), executor=pool).to_json() == here.to_json()


@pytest.mark.parametrize(("found", "tries"), [(0, 200), (1, 200), (10, 200), (199, 200), (200, 200), (1, 1), (25, 200)])
def test_wilson_is_scipys(found: int, tries: int) -> None:
    from scipy.stats import binomtest

    expected = binomtest(found, tries).proportion_ci(0.95, method="wilson")
    assert wilson(found, tries) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_the_default_keeps_its_promise_on_a_real_board_where_the_bootstrap_does_not() -> None:
    file = Path(__file__).parents[3] / "shared" / "data" / "trec7_ap.csv"
    if not file.exists():
        pytest.skip("the scores of TREC-7 are not here")
    part = scores_from(file, measure="AP", topics=False)
    few = part.only(runs=part.runs[:20], topics=part.topics[:15])
    table = run(calibration(given("AP"), tests=(t, bootstrap), boards=100), few).table
    assert table["found"][0] <= 5
    assert table["found"][1] > table["found"][0]
