"""Meta-analysis of differences over datasets."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from scipy.special import fdtrc
from scipy.stats import skew as scipy_skewness
from scipy.stats import t as student
from scipy.stats import ttest_1samp

from inexmetrics import MAP, CollectionError, FormulaError, Holm, Meta, P, Scores, given, meta, parse, run, sample, t, unadjusted
from inexmetrics.cli import main
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.dataset_weights import skewness_of_pairs, varying
from inexmetrics.inference.random_effects import random_effects
from tests.reference.inference import decimal, over_datasets

pytestmark = pytest.mark.filterwarnings("ignore:.* too few for reliable variances:inexmetrics.CollectionWarning")

MATRIX = np.random.default_rng(11).beta(2.0, 3.0, size=(4, 14)).round(3)
DATASETS = tuple("aaaabbbccccccc")


def board(rows: np.ndarray[tuple[int, int], np.dtype[np.float64]], datasets: tuple[str, ...] | str = DATASETS) -> Scores:
    """Scores whose matrix has runs in rows; the topics are in lexicographic order."""
    runs, topics = rows.shape
    names = tuple(f"t{topic:02}" for topic in range(topics))
    return Scores(tuple("pqrs"[:runs]), names, {("MAP", "1"): rows}, clusters={"dataset": tuple(datasets)})


OVER = meta(MAP, within="dataset")


def test_bcg_vaccine() -> None:
    # The 13 trials of metafor's dat.bcg (log risk ratios). metafor's manual prints, for method="DL", tau^2 = 0.3088, I^2 = 92.12 %, and
    # the estimate -0.7141. The standard error of Hartung and Knapp is that of statsmodels 0.15.0:
    #   combine_effects(yi, vi, method_re="chi2", use_t=True): tau2, mean_effect_re, sd_eff_w_re_hksj, i2
    cells = [
        (4, 119, 11, 128), (6, 300, 29, 274), (3, 228, 11, 209), (62, 13536, 248, 12619), (33, 5036, 47, 5761), (180, 1361, 372, 1079),
        (8, 2537, 10, 619), (505, 87886, 499, 87892), (29, 7470, 45, 7232), (17, 1699, 65, 1600), (186, 50448, 141, 27197), (5, 2493, 3, 2338),
        (27, 16886, 29, 17825),
    ]  # fmt: skip
    treated, treated_not, control, control_not = np.array(cells, dtype=np.float64).T
    effects = np.log(treated / (treated + treated_not)) - np.log(control / (control + control_not))
    variances = 1 / treated - 1 / (treated + treated_not) + 1 / control - 1 / (control + control_not)
    found = random_effects(effects[:, None], variances[:, None])
    assert found.tau2[0] == pytest.approx(0.3087602628623761, abs=1e-12)
    assert found.difference[0] == pytest.approx(-0.7141172220732273, abs=1e-12)
    assert np.sqrt(found.variance[0]) == pytest.approx(0.1806966283355474, abs=1e-12)
    assert found.i2[0] == pytest.approx(0.9211734685456205, abs=1e-12)
    ends = found.difference - found.margins(0.95), found.difference + found.margins(0.95)
    assert np.ravel(ends) == pytest.approx([-1.10782135, -0.32041309], abs=1e-8)  # conf_int()


def test_teacher_expectancy() -> None:
    # The 19 studies of metafor's dat.raudenbush1985; Raudenbush (2009), table 16.3, and metafor's own test of it have the row DL of
    #   rma(yi, vi, data=dat.raudenbush1985, method="DL", test="knha"): tau2, beta, se, zval, ci.lb, ci.ub
    effects = np.array(
        [0.03, 0.12, -0.14, 1.18, 0.26, -0.06, -0.02, -0.32, 0.27, 0.80, 0.54, 0.18, -0.02, 0.23, -0.18, -0.06, 0.30, 0.07, -0.07]
    )
    variances = np.array(
        [
            0.0156, 0.0216, 0.0279, 0.1391, 0.1362, 0.0106, 0.0106, 0.0484, 0.0269, 0.0630, 0.0912, 0.0497, 0.0835, 0.0841, 0.0253, 0.0279,
            0.0193, 0.0088, 0.0303,
        ]
    )  # fmt: skip
    found = random_effects(effects[:, None], variances[:, None])
    difference, error, margin = (float(each[0]) for each in (found.difference, np.sqrt(found.variance), found.margins(0.95)))
    values = [float(found.tau2[0]), difference, error, difference / error, difference - margin, difference + margin]
    assert [round(value, 4) for value in values] == [0.0259, 0.0893, 0.0636, 1.405, -0.0442, 0.2229]


@pytest.mark.parametrize(
    ("effects", "variances", "expected"),
    [
        # q < 1: the standard error is that for known weights
        (
            [0.10, 0.12, 0.09, 0.11, 0.105],
            [0.002, 0.004, 0.001, 0.003, 0.0025],
            [0.0, 0.10013422818791939, 0.020067001862719529, 0.0075436853866738818, 0.044419299090176736, 0.15584915728566207],
        ),
        (
            [0.3, -0.1, 0.25, 0.4],
            [0.01, 0.02, 0.005, 0.03],
            [
                0.016339285714285712,
                0.21642820376522248,
                0.097258644765996813,
                0.1124885845104855,
                -0.093092210927224806,
                0.52594861845766983,
            ],
        ),
    ],
)
def test_the_values_of_metafor(effects: list[float], variances: list[float], expected: list[float]) -> None:
    # metafor 3.8.1, R 4.2.2:
    #   r <- rma(yi, vi, method="DL", test="adhoc"); options(digits=17); cat(r$tau2, r$beta, r$se, r$pval, r$ci.lb, r$ci.ub)
    found = random_effects(np.array(effects)[:, None], np.array(variances)[:, None])
    difference, margin = float(found.difference[0]), float(found.margins(0.95)[0])
    values = [
        float(found.tau2[0]),
        difference,
        float(np.sqrt(found.variance[0])),
        float(found.p_values()[0]),
        difference - margin,
        difference + margin,
    ]
    assert values == pytest.approx(expected, abs=1e-12)


def test_every_column_of_a_board_is_that_of_the_definitions() -> None:
    result = run(meta(MAP, correction=Holm, within="dataset", interval=0.9), board(MATRIX))
    assert result.table.height == 6
    for row in result.table.rows(named=True):
        better, worse = ("pqrs".index(row[side]) for side in ("better", "worse"))
        parts = [
            [decimal(MATRIX[better, topic]) - decimal(MATRIX[worse, topic]) for topic in range(14) if DATASETS[topic] == name]
            for name in "abc"
        ]
        difference, error, tau2, i2 = over_datasets(parts)
        degrees = len(parts) - 1
        assert row["datasets"] == len(parts) == 3
        assert difference >= 0
        expected = {
            "difference": difference,
            "tau2": tau2,
            "i2": i2,
            "low": difference - student.ppf(0.95, degrees) * error,
            "high": difference + student.ppf(0.95, degrees) * error,
            "low_prediction": difference - student.ppf(0.95, degrees - 1) * np.sqrt(tau2 + error**2),
            "high_prediction": difference + student.ppf(0.95, degrees - 1) * np.sqrt(tau2 + error**2),
            "p_value": 2 * student.cdf(-difference / error, degrees),
        }
        assert {name: row[name] for name in expected} == pytest.approx(
            expected, abs=1e-9
        )  # quantiles of older versions of scipy have 9 digits
        for part, of_dataset in zip(parts, result.datasets.filter(better=row["better"], worse=row["worse"]).rows(named=True), strict=True):
            test = ttest_1samp([float(value) for value in part], 0.0)
            low, high = test.confidence_interval(0.9)
            assert of_dataset["topics"] == len(part)
            assert (of_dataset["difference"], of_dataset["low"], of_dataset["high"]) == pytest.approx(
                (float(sum(part)) / len(part), low, high), abs=1e-12
            )
    assert result.table["p_adjusted"].to_list() == Holm.adjusted(result.table["p_value"].to_numpy()).tolist()
    assert result.table["p_value"].is_sorted()
    assert result.table["significant"].to_list() == [value <= 0.05 for value in result.table["p_adjusted"]]


@drawn(
    st.lists(st.lists(st.integers(-40, 40), min_size=3, max_size=6, unique=True), min_size=2, max_size=6), st.sampled_from([1, 100, 10**9])
)
def test_random_datasets_are_those_of_the_slow_reference(datasets: list[list[int]], scale: int) -> None:
    parts = [[decimal(value) * scale / 64 for value in part] for part in datasets]
    difference, error, tau2, i2 = over_datasets(parts)
    values = [np.array([float(value) for value in part]) for part in parts]
    means, variances = (np.array([[of(part)] for part in values]) for of in (np.mean, lambda part: np.var(part, ddof=1) / len(part)))
    found = random_effects(means, variances)
    assert found.difference[0] == pytest.approx(difference, rel=1e-9, abs=1e-9 * scale)
    assert np.sqrt(found.variance[0]) == pytest.approx(error, rel=1e-9, abs=1e-9 * scale)
    assert found.tau2[0] == pytest.approx(tau2, rel=1e-9, abs=1e-9 * scale**2)
    assert found.i2[0] == pytest.approx(i2, abs=1e-9)


def test_equal_variances_give_the_t_test_of_the_datasets() -> None:
    # each dataset has its own shift, and the same two differences around it
    shifts = [0.1, 0.25, 0.3, 0.05]
    rows = np.array([[shift + part for shift in shifts for part in (0.0, 0.02)], [0.0] * 8])
    row = run(OVER, board(rows, "aabbccdd")).table.row(0, named=True)
    of_means = ttest_1samp([shift + 0.01 for shift in shifts], 0.0)
    assert (row["p_value"], row["low"]) == pytest.approx((of_means.pvalue, of_means.confidence_interval().low), abs=1e-9)
    assert row["p_value"] == pytest.approx(
        run('significance(MAP | t(clusters="dataset"))', board(rows, "aabbccdd")).table["p_value"][0], abs=1e-12
    )


def test_the_order_of_topics_and_what_all_runs_share_change_nothing() -> None:
    before = run(OVER, board(MATRIX)).table
    order = np.random.default_rng(1).permutation(14)
    moved = MATRIX[:, order] / 2 + np.linspace(0, 0.5, 14)
    after = run(OVER, board(moved, tuple(DATASETS[place] for place in order))).table
    assert after.select("better", "worse", "significant").equals(before.select("better", "worse", "significant"))
    for name in ("difference", "low", "high_prediction"):
        inside = (before[name].abs() < 1).to_numpy()  # the others are clipped
        assert inside.sum() >= 3
        assert after[name].to_numpy()[inside] == pytest.approx(before[name].to_numpy()[inside] / 2, abs=1e-12)
    for name in ("i2", "p_value", "p_adjusted"):
        assert after[name].to_numpy() == pytest.approx(before[name].to_numpy(), abs=1e-12)


def test_datasets_that_agree_have_no_variance_between_them() -> None:
    rows = np.array([[0.5, 0.3, 0.5, 0.3, 0.5, 0.3], [0.2, 0.2, 0.2, 0.2, 0.2, 0.2]])
    row = run(OVER, board(rows, "aabbcc")).table.row(0, named=True)
    # Each variance is .02 / 2 = .01, and q is 0, so that s^2 = 1 / 300; P(|T_2| > t) = 1 - t / sqrt(t^2 + 2), with t^2 = .04 * 300 = 12
    assert (row["tau2"], row["i2"]) == (0.0, 0.0)
    assert row["p_value"] == pytest.approx(1 - np.sqrt(12 / 14), abs=1e-12)
    assert row["low"] == pytest.approx(0.2 - student.ppf(0.975, 2) / np.sqrt(300), abs=1e-9)
    assert row["high_prediction"] == pytest.approx(0.2 + student.ppf(0.975, 1) / np.sqrt(300), abs=1e-9)


def test_the_standard_error_is_never_below_that_of_known_weights() -> None:
    # var = max(1, q) / sum w*: here w = 100 and 50, the mean is 1/3 of the way, Q = q = 100 (.01)^2 + 50 (.02)^2 = .03, and var = 1 / 150
    found = random_effects(np.array([[0.3], [0.33]]), np.array([[0.01], [0.02]]))
    assert found.difference[0] == pytest.approx(0.31, abs=1e-14)
    assert found.variance[0] == pytest.approx(1 / 150, abs=1e-14)
    random = np.random.default_rng(4)
    differences, variances = random.normal(0, 0.1, (5, 400)), random.uniform(0.002, 0.03, (5, 400))
    every = random_effects(differences, variances)
    weights = 1 / (variances + every.tau2)
    q = (weights * (differences - every.difference) ** 2).sum(axis=0) / 4
    assert every.variance == pytest.approx(np.maximum(1, q) / weights.sum(axis=0), rel=1e-9)
    assert ((q < 1).sum(), (q > 1).sum()) > (50, 50)


def test_two_datasets_have_no_prediction_interval() -> None:
    result = run(OVER, board(MATRIX[:2, :8], "aaaabbbb"))
    assert result.table.select("datasets", "low_prediction", "high_prediction").row(0) == (2, None, None)
    assert "one more" not in result.finding
    names = result.figure()[1].parts[0].view["layer"]
    assert isinstance(names, list)
    assert names[2]["encoding"]["y"]["sort"] == ["all datasets", "a", "b"]


def test_a_dataset_with_a_single_topic_is_excluded() -> None:
    with pytest.warns(match=r"MAP: 1 dataset with a single topic is excluded \(d\)"):
        result = run(OVER, board(MATRIX, "aaaabbbccccccd"))
    assert result.datasets["dataset"].unique().sort().to_list() == ["a", "b", "c"]
    assert result.table.equals(run(OVER, board(MATRIX[:, :13], "aaaabbbcccccc")).table)


def test_runs_that_are_alike() -> None:
    same = np.tile(MATRIX[0], (3, 1))
    result = run(OVER, board(same))
    assert result.table.select("difference", "p_value", "i2", "better", "worse").rows() == [
        (0.0, 1.0, 0.0, "p", "q"),
        (0.0, 1.0, 0.0, "p", "r"),
        (0.0, 1.0, 0.0, "q", "r"),
    ]
    assert result.finding == (
        "No two runs differ significantly in MAP over datasets like these 3. For the median pair, the variation between the 3 "
        "datasets is no larger than chance explains (I2 = 0)."
    )


def test_a_dataset_on_which_the_difference_does_not_vary_outweighs_others() -> None:
    rows = np.array([[0.6, 0.6, 0.9, 0.5, 0.8, 0.6], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]])
    with pytest.warns(
        match="MAP: 1 pair of runs differs by the same amount, or not at all, on every topic of a dataset, so that this dataset "
    ):
        row = run(OVER, board(rows, "aabbcc")).table.row(0, named=True)
    # in the limit Q = sum over the others of w_j (D_j - .1)^2 = .01/.04 + .01/.01 < 2, so that tau2 is 0 and a decides alone
    assert (row["tau2"], row["difference"]) == (0.0, pytest.approx(0.1))
    rows = np.array([[0.6, 0.6, 0.99, 0.97, 0.2, 0.24], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]])
    with pytest.warns(match="outweighs"):
        row = run(OVER, board(rows, "aabbcc")).table.row(0, named=True)
    # Q = (.38/.01)^2 + (.38/.02)^2 = 1805, and tau2 = (Q - 2) / (2 (1/.0001 + 1/.0004)) = .07212
    assert row["tau2"] == pytest.approx(1803 / 25000)


def test_large_scores() -> None:
    usual = run(OVER, board(MATRIX)).table
    large = run(OVER, board(MATRIX * 2.0**400)).table
    assert large["p_value"].to_list() == usual["p_value"].to_list()
    assert large["low"].to_list() == [value * 2.0**400 for value in usual["low"]]


def test_what_the_data_cannot_answer() -> None:
    with pytest.raises(CollectionError, match=r"meta: expected a column named collection next to the scores, .*found dataset"):
        run(meta(MAP, within="collection"), board(MATRIX))
    with pytest.raises(CollectionError, match=r"meta: expected a column named dataset next to the scores, .*found none"):
        run(OVER, sample())
    with pytest.raises(
        CollectionError,
        match=r"meta: expected at least 2 datasets in the column dataset with 2 topics each for which MAP is defined, found 1 \(a\)",
    ):
        run(OVER, board(MATRIX[:, :4], "aaab"))
    with pytest.raises(CollectionError, match="meta: expected at least two runs to compare, found 1"):
        run(OVER, board(MATRIX[:1]))
    undefined = np.where(np.array(DATASETS) == "c", MATRIX, np.nan)
    with pytest.raises(CollectionError, match=r"MAP is defined, found 1 \(c\)"):
        run(OVER, board(undefined))


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ('meta(MAP, within="dataset")', 'meta(MAP, within="dataset")'),
        ("meta(MAP | BY, within='x')", 'meta(MAP, within="x")'),
        ('meta(MAP + P@10 | Holm, within="x", interval=0.9)', 'meta(MAP + P@10 | Holm, within="x", interval=0.9)'),
        ('meta(MAep ~ Gen5 + BinExh, correction=unadjusted, within="x")', 'meta(MAep ~ Gen5 + BinExh | unadjusted, within="x")'),
    ],
)
def test_the_canonical_text(text: str, canonical: str) -> None:
    assert str(parse(text, Meta)) == canonical
    assert parse(canonical) == parse(text)
    assert meta((MAP, P @ 10), correction=Holm, within="x", interval=0.9) == parse('meta(MAP + P@10 | Holm, within="x", interval=0.9)')


@pytest.mark.parametrize("text", ["meta(MAP)", "meta(MAP, within=3)", 'meta(MAP, within="")', 'meta(MAP | t, within="x")'])
def test_wrong_formulas(text: str) -> None:
    with pytest.raises(FormulaError):
        parse(text)


def test_findings() -> None:
    two = run(OVER, board(MATRIX[:2, :13], DATASETS[:13])).finding
    assert two.startswith("Over 3 datasets, ")
    assert " differ significantly in MAP: the mean difference is " in two
    assert " and one more dataset has a 95 % interval " in two
    ahead = np.array([[0.9, 0.89, 0.9, 0.89, 0.9, 0.88], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.1, 0.11, 0.1, 0.11, 0.1, 0.12]])
    assert run(OVER, board(ahead, "aabbcc")).finding.startswith(
        "All 3 pairs of runs differ significantly in MAP over datasets like these 3; "
        "all of these pairs probably also differ on one more dataset. "
    )
    twice = Scores(
        ("p", "q", "r"),
        tuple("123456"),
        {("MAP", "1"): ahead, ("P@10", "1"): np.tile(ahead[0], (3, 1))},
        clusters={"dataset": tuple("aabbcc")},
    )
    several = run(meta((MAP, P @ 10), within="dataset"), twice)
    assert several.finding.startswith("Over datasets: ")
    assert several.table["measure"].to_list() == ["MAP"] * 3 + ["P@10"] * 3


def test_the_command_line_reads_the_datasets_from_the_column_that_the_formula_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "board.csv"
    rows = [f"t{topic:02},{DATASETS[topic]},{MATRIX[0, topic]},{MATRIX[1, topic]}" for topic in range(13)]
    file.write_text("topic,dataset,p,q\n" + "\n".join(rows) + "\n")
    assert main(['meta(given("x"), within="dataset")', "--scores", str(file), "--format", "csv"]) == 0
    out, _ = capsys.readouterr()
    header, row = out.splitlines()
    assert header == (
        "measure,quantisation,better,worse,datasets,difference,low,high,low_prediction,high_prediction,tau2,i2,p_value,p_adjusted,significant"
    )
    expected = run(OVER, board(MATRIX[:2, :13], DATASETS[:13])).table.row(0)
    found = np.clip([float(cell) for cell in row.split(",")[5:14]], -1, 1)  # the range of x is unknown, that of MAP is not
    assert found.tolist() == pytest.approx(expected[5:14], abs=1e-12)
    assert main(['meta(given("x"), within="family")', "--scores", str(file), "--ignore", "dataset"]) == 1
    assert "expected a column named family" in capsys.readouterr().err


def test_an_executor_changes_no_bit() -> None:
    here = run(OVER, board(MATRIX)).to_json()
    with ThreadPoolExecutor(2) as pool:
        assert run(OVER, board(MATRIX), executor=pool).to_json() == here


def test_a_forest_plot_has_the_clearest_and_the_most_varying_pairs() -> None:
    result = run(OVER, board(MATRIX))
    notes, panels = result.figure()
    rest = result.table.slice(2).sort("tau2", descending=True, maintain_order=True).head(2)
    shown = pl.concat([result.table.head(2), rest])
    assert panels.names == [f"{better} minus {worse}" for better, worse in shown.select("better", "worse").rows()]
    assert notes[-1] == "4 of 6 pairs: those with the smallest p-values, then those whose differences vary most"


def test_the_interval_keeps_its_promise_over_datasets() -> None:
    # 40 boards of 6 datasets of 20 topics: true differences vary by .05 around .02, scores by .1
    random = np.random.default_rng(3)
    held = 0
    for _ in range(200):
        shifts = np.repeat(random.normal(0.02, 0.05, 6), 20)
        rows = np.stack([0.5 + shifts + random.normal(0, 0.1, 120), 0.5 + random.normal(0, 0.1, 120)])
        names = tuple(f"d{topic // 20}" for topic in range(120))
        scores = Scores(("p", "q"), tuple(f"t{topic:03}" for topic in range(120)), {("MAP", "1"): rows}, clusters={"dataset": names})
        row = run(OVER, scores).table.row(0, named=True)
        low, high = (row["low"], row["high"]) if row["better"] == "p" else (-row["high"], -row["low"])
        held += low <= 0.02 <= high
    assert 180 <= held <= 198


@pytest.mark.parametrize(
    ("topics", "varying", "share"),
    [(3, 0.0, 0.083), (3, 0.5, 0.072), (5, 0.0, 0.043), (10, 0.0, 0.019), (20, 0.5, 0.045), (20, 2.0, 0.047)],
)
def test_how_often_equal_runs_differ(topics: int, varying: float, share: float) -> None:
    # the table in the notes of `meta`: 6 datasets, differences of topics with a standard deviation of 1
    random = np.random.default_rng(0)
    values = [random.normal(0, 1, (topics, 20_000)) + varying * random.normal(0, 1, 20_000) for _ in range(6)]
    found = random_effects(
        np.stack([each.mean(axis=0) for each in values]), np.stack([each.var(axis=0, ddof=1) / topics for each in values])
    )
    assert float((found.p_values() <= 0.05).mean()) == pytest.approx(share, abs=0.006)


@pytest.mark.parametrize(
    ("topics", "warned"),
    [
        ((2, 2), ""),
        ((3, 3, 3), ""),
        ((5,) * 6, ""),
        ((3, 3, *(40,) * 8), ""),
        ((2, 2, 3), "2 to 3"),
        ((4,) * 6, "4"),
        ((7, 8, 9) * 5, "7 to 9"),
    ],
)
def test_datasets_of_few_topics_are_warned_of_where_p_values_are_too_small(topics: tuple[int, ...], warned: str) -> None:
    names = "".join(letter * count for letter, count in zip("abcdefghijklmno", topics, strict=False))
    rows = np.random.default_rng(8).normal(0.5, 0.1, size=(2, len(names)))
    result = OVER.answer(wide_board(rows, names), RunOptions())
    text = f"MAP: the {len(topics)} datasets have {warned} topics each, too few for reliable variances: if true differences hardly vary "
    assert [warning.startswith(text) for warning in result.warnings] == [True] * bool(warned)
    # the rates of random boards without differences
    random = np.random.default_rng(5)
    values = [random.normal(0, 1, (count, 20_000)) for count in topics]
    found = random_effects(
        np.stack([each.mean(axis=0) for each in values]), np.stack([each.var(axis=0, ddof=1) / len(each) for each in values])
    )
    assert bool((found.p_values() <= 0.05).mean() > 0.05) == bool(warned)


def wide_board(rows: FloatArray, names: str) -> Scores:
    """Scores of any number of runs and topics."""
    runs, topics = (tuple(f"{letter}{number:05}" for number in range(count)) for letter, count in zip("rt", rows.shape, strict=True))
    return Scores(runs, topics, {("MAP", "1"): rows}, clusters={"dataset": tuple(names)})


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gamma", "normal", "verdicts", "many topics"])
def test_skewed_differences_are_warned_of_where_they_bias_the_mean(kind: str) -> None:
    random, warned = np.random.default_rng(12), 0
    for _ in range(10):
        topics = 1200 if kind == "many topics" else 9
        rows = random.normal(0.4, 0.1, (6, 14 * topics))
        if kind in ("gamma", "many topics"):
            rows[:3] = random.gamma(0.3, 0.4, (3, 14 * topics))
        elif kind == "verdicts":
            rows = (random.uniform(size=rows.shape) < 0.7).astype(np.float64)
        names = "".join(letter * topics for letter in "abcdefghijklmn")
        text = " ".join(OVER.answer(wide_board(rows, names), RunOptions()).warnings)
        warned += "differences are skewed for " in text
        assert "skewed" not in text or 'significance(MAP | t(clusters="dataset") | BY) weights all topics equally' in text
    assert warned == (10 if kind == "gamma" else 0)


def test_the_skewness_is_that_of_scipy() -> None:
    rows = np.random.default_rng(2).gamma(0.4, 1.0, (2, 90))
    expected = np.array([scipy_skewness(part) for part in (rows[0] - rows[1]).reshape(6, 15)]) * np.sqrt(15 * 14) / 13
    parts = [np.ascontiguousarray(rows[:, start : start + 15]) for start in range(0, 90, 15)]
    pair = np.array([0]), np.array([1])
    assert np.ravel([skewness_of_pairs((part, *pair)) for part in parts]) == pytest.approx(expected, abs=1e-12)
    assert np.isnan(skewness_of_pairs((parts[0][:, :4], *pair)))


def test_a_dataset_on_which_two_runs_agree_is_warned_of() -> None:
    rows = np.random.default_rng(4).uniform(0.1, 0.9, (3, 30)).round(2)
    rows[1, 20:] = rows[0, 20:]
    with pytest.warns(
        match=r"MAP: 1 pair of runs differs by the same amount, or not at all, on every topic of a dataset, .* \(c\); signif"
    ):
        result = run(OVER, board(rows, "a" * 10 + "b" * 10 + "c" * 10))
    assert result.meta.filter(better="p", worse="q").height + result.meta.filter(better="q", worse="p").height == 1
    rows[1] = rows[0]  # agrees everywhere: no dataset outweighs others
    assert run(OVER, board(rows, "a" * 10 + "b" * 10 + "c" * 10)).warnings == ()


def test_the_finding_states_the_median_heterogeneity() -> None:
    random = np.random.default_rng(6)
    rows = random.normal(0.5, 0.1, (12, 120)) + np.repeat(random.normal(0.0, 0.02, (12, 6)), 20, axis=1)
    result = OVER.answer(wide_board(rows, "".join(letter * 20 for letter in "abcdef")), RunOptions())
    ratios = result.meta["i2"].to_numpy()
    middle = float(np.median(ratios))
    assert 0.0 < middle < 0.5 < ratios.max()
    share = f"I2 (heterogeneity beyond chance) is estimated at {round(100 * middle)} % of the variation between the 6 datasets"
    assert f"For the median pair, {share}; Welch's test tells it from 0 for " in result.finding
    told = re.search(r"for (\d+) of the 66 pairs \(p <= 0\.05, not corrected\)\.$", result.finding)
    assert told is not None
    p_values = [anova_of(rows[first] - rows[second]) for first in range(12) for second in range(first)]
    assert int(told[1]) == sum(p_value <= 0.05 for p_value in p_values)


def anova_of(differences: FloatArray) -> float:
    """Returns the p-value of Welch's analysis of variance of six datasets of 20 topics."""
    parts = differences.reshape(6, 20)
    weights = 20 / parts.var(axis=1, ddof=1)
    shares = weights / weights.sum()
    q = (weights * (parts.mean(axis=1) - (shares * parts.mean(axis=1)).sum()) ** 2).sum()
    uncertain = ((1 - shares) ** 2 / 19).sum()
    return float(fdtrc(5, 35 / 3 / uncertain, q / 5 / (1 + 2 * 4 / 35 * uncertain)))


def test_heterogeneity_is_tested_as_in_scipy() -> None:
    # scipy.stats.f_oneway([.1, .3, .2, .4], [.5, .1, .4, .6, .9], [.2, .8, .7], equal_var=False).pvalue  (scipy 1.17.1)
    parts = [np.array(values) for values in ([0.1, 0.3, 0.2, 0.4], [0.5, 0.1, 0.4, 0.6, 0.9], [0.2, 0.8, 0.7])]
    means, variances = ([[float(of(part)) for part in parts]] for of in (np.mean, lambda part: part.var(ddof=1) / len(part)))
    found = varying(np.array(means), np.array(variances), np.array([[4, 5, 3]]))
    assert found.tolist() == pytest.approx([0.22878347574063726], rel=1e-9)
    assert varying(np.array(means), np.array([[0.0, 0.1, 0.1]]), np.array([[4, 5, 3]])).tolist() == [1.0], "one dataset does not vary"


@pytest.mark.parametrize(
    ("effect", "told"), [(0.0, "not told apart from 0 by Welch's test (p = "), (0.3, "above 0 by Welch's test (p < 0.001)")]
)
def test_the_heterogeneity_of_one_pair_is_an_estimate(effect: float, told: str) -> None:
    rows = np.random.default_rng(5).normal(0.5, 0.1, (2, 60)) + np.array([[1.0], [0.0]]) * np.repeat([0.0, effect, -effect], 20)
    result = OVER.answer(wide_board(rows, "".join(letter * 20 for letter in "abc")), RunOptions())
    assert f"; I2 is estimated at {round(100 * result.meta['i2'].item())} %, {told}" in result.finding


def test_without_true_variation_heterogeneity_is_found_in_5_of_100_cases() -> None:
    random = np.random.default_rng(9)
    parts = random.normal(0.0, 1.0, (2000, 6, 10))
    found = varying(parts.mean(axis=2), parts.var(axis=2, ddof=1) / 10, np.full((2000, 6), 10))
    assert 60 <= int((found <= 0.05).sum()) <= 140


def test_no_other_test_is_taken() -> None:
    with pytest.raises(FormulaError):
        meta(MAP, correction=t, within="x")  # type: ignore[arg-type]
    assert meta(given("x"), correction=unadjusted, within="y").clusters == "y"
