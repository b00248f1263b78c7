from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl
import pytest

from inexmetrics import MAP, BinExh, Correlation, FormulaError, FullySpec, Gen5, MAep, P, Scores, Strict5, correlation, nxCG, run
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.correlation import Parts, Points

COLUMNS = ["first", "second", "of", "method", "n", "coefficient", "p_value"]


def test_every_pair_of_conditions(small: Scores) -> None:
    table = correlation(MAep, (Gen5, BinExh, Strict5)).answer(small, RunOptions()).table
    assert table.columns == COLUMNS
    assert table.select(COLUMNS[:5]).rows() == [
        ("MAep ~ Gen5", "MAep ~ BinExh", "topics", "pearson", 12),
        ("MAep ~ Gen5", "MAep ~ Strict5", "topics", "pearson", 9),  # one of the four topics is undefined
        ("MAep ~ BinExh", "MAep ~ Strict5", "topics", "pearson", 9),
    ]
    # on t1, t2 and t4 Gen5 and Strict5 hold the same scores
    assert table["coefficient"][1] == pytest.approx(1.0, abs=1e-15)


def test_pearson_by_hand() -> None:
    # deviations -1 0 1 and -1 1 0 (in units of .1): r = 1/2, with 1 degree of freedom t = .5/sqrt(.75) = 1/sqrt 3, p = 2/3
    source = Scores(("a",), ("1", "2", "3"), {("MAP", "1"): np.array([[0.1, 0.2, 0.3]]), ("P@10", "1"): np.array([[0.1, 0.3, 0.2]])})
    row = correlation((MAP, P @ 10)).answer(source, RunOptions()).table.row(0)
    assert row[:5] == ("MAP", "P@10", "topics", "pearson", 3)
    assert row[5:] == pytest.approx((0.5, 2 / 3))


def test_means_of_runs(small: Scores) -> None:
    table = correlation((MAP, P @ 10), of="runs", method="kendall").answer(small, RunOptions()).table
    # means .65 .4 .45 and .65 .4 .3: of 3 pairs of runs one is reversed, tau = 1/3, and every tau of 3 points is as likely
    assert table.row(0)[:5] == ("MAP", "P@10", "runs", "kendall", 3)
    assert table.row(0)[5:] == pytest.approx((1 / 3, 1.0))
    spearman = correlation((MAP, P @ 10), of="runs", method="spearman").answer(small, RunOptions()).table
    # ranks 3 1 2 and 3 2 1: rho = 1 - 6 * 2/(3 * 8) = 1/2
    assert spearman["coefficient"][0] == pytest.approx(0.5)
    assert spearman["p_value"][0] == 1.0, "every rho of 3 points is at least 1/2 from 0"


@pytest.mark.parametrize("method", ["pearson", "spearman", "kendall"])
@pytest.mark.parametrize(("runs", "p_value"), [(3, 1 / 3), (4, 1 / 12), (5, 1 / 60)])
def test_few_runs_in_equal_order_are_no_certainty(method: Literal["pearson", "spearman", "kendall"], runs: int, p_value: float) -> None:
    rising = np.arange(1.0, 2 * runs + 1)[:, None] * np.array([0.02, 0.03])
    source = Scores(tuple("abcdefghij"[: 2 * runs]), ("x", "y"), {("MAP", "1"): rising, ("P@10", "1"): rising / 2})
    result = correlation((MAP, P @ 10), of="runs", method=method, top=runs).answer(source, RunOptions())
    assert result.tables["parts"]["p_value"].to_list() == pytest.approx([p_value, p_value])
    few = Scores(source.runs[:runs], source.topics, {key: matrix[:runs] for key, matrix in source.matrices.items()})
    assert correlation((MAP, P @ 10), of="runs", method=method).answer(few, RunOptions()).table["p_value"][0] == pytest.approx(p_value)


def test_points_are_what_the_coefficients_are_of(small: Scores) -> None:
    result = correlation(MAep, (Gen5, Strict5)).answer(small, RunOptions())
    points = result.tables["points"]
    assert Points.validate(points).height == result.table["n"][0] == 9, "three runs on the three topics for which both are defined"
    for first, second, run_id, topic_id, first_value, second_value in points.iter_rows():
        assert (first, second) == ("MAep ~ Gen5", "MAep ~ Strict5")
        row, topic = small.runs.index(run_id), small.topics.index(topic_id)
        assert first_value == small.matrix("MAep", "Gen5")[row, topic]
        assert second_value == small.matrix("MAep", "Strict5")[row, topic]
    of_runs = correlation((MAP, P @ 10), of="runs").answer(small, RunOptions()).tables["points"]
    assert of_runs["run_id"].to_list() == list(small.runs)
    assert of_runs["topic_id"].is_null().all()
    assert of_runs["first_value"].to_list() == pytest.approx([0.65, 0.4, 0.45])


def test_the_highest_points_by_hand() -> None:
    # ranks 1 2 3 4 and 1 3 2 4: sums 2 5 5 8, so that the highest three are the topics 2, 3, 4. There the deviations are
    # -.1 0 .1 and -1/30 -4/30 5/30, r = .02 / sqrt(.02 * 42/900) = sqrt(3/7); the other is one point
    values = {("MAP", "1"): np.array([[0.1, 0.2, 0.3, 0.4]]), ("P@10", "1"): np.array([[0.1, 0.3, 0.2, 0.5]])}
    result = correlation((MAP, P @ 10), top=3).answer(Scores(("a",), ("1", "2", "3", "4"), values), RunOptions())
    top, others = Parts.validate(result.tables["parts"]).rows()
    assert top[:4] == ("MAP", "P@10", "top", 3)
    assert top[4] == pytest.approx((3 / 7) ** 0.5)
    assert others == ("MAP", "P@10", "others", 1, None, None)
    assert list(result.tables) == ["correlation", "parts", "points"]


def test_equal_points_are_taken_in_their_order(small: Scores) -> None:
    # of the means .65 .4 .45 and .65 .4 .3 a stands first, then by ranks 1 + 2 and 2 + 1 b, before c
    parts = correlation((MAP, P @ 10), of="runs", method="kendall", top=2).answer(small, RunOptions()).tables["parts"]
    assert parts.rows() == [("MAP", "P@10", "top", 2, 1.0, 1.0), ("MAP", "P@10", "others", 1, None, None)]


def test_parts_hold_all_points_between_them(small: Scores) -> None:
    result = correlation(MAep, (Gen5, BinExh, Strict5), top=100).answer(small, RunOptions())
    assert result.tables["parts"].group_by("first", "second", maintain_order=True).agg(pl.col("n").sum())["n"].equals(result.table["n"])
    assert result.tables["parts"].filter(part="top")["coefficient"].equals(result.table["coefficient"])
    assert result.tables["parts"].filter(part="others")["n"].to_list() == [0, 0, 0]


def test_points_are_there_for_up_to_six_pairs_of_conditions(small: Scores) -> None:
    four = correlation(MAep, (Gen5, BinExh, Strict5, FullySpec)).answer(small, RunOptions())
    assert four.tables["points"].group_by("first", "second").len().height == 6
    five = correlation((P @ 1, P @ 2, P @ 3, P @ 4, P @ 5)).answer(
        Scores(small.runs, small.topics, {(f"P@{cut}", "1"): small.matrices["MAP", "1"] for cut in range(1, 6)}), RunOptions()
    )
    assert five.table.height == 10
    assert list(five.tables) == ["correlation"]


def test_tau_ap_compares_the_rankings_of_runs(small: Scores) -> None:
    # means .65 .4 .45 and .65 .4 .3: by the first a, c, b stand in this order, and the truth has a above both, and b above c
    row = correlation((MAP, P @ 10), of="runs", method="tau_ap").answer(small, RunOptions()).table.row(0)
    assert row[:5] == ("MAP", "P@10", "runs", "tau_ap", 3)
    assert row[5:] == (pytest.approx(2 / 2 * (1 / 1 + 1 / 2) - 1), None)
    turned = correlation((P @ 10, MAP), of="runs", method="tau_ap")
    assert turned.answer(small, RunOptions()).tested is None
    with pytest.raises(FormulaError, match=r'correlation: expected of="runs" with method="tau_ap".*found of="topics"'):
        correlation((MAP, P @ 10), method="tau_ap")


def test_a_constant_has_no_correlation(small: Scores) -> None:
    # every run has the mean .375 under FullySpec
    assert correlation(MAep, (Gen5, FullySpec), of="runs").answer(small, RunOptions()).table.row(0)[4:] == (3, None, None)


@pytest.mark.parametrize(
    ("experiment", "text"),
    [
        (correlation((MAep, nxCG @ 25), Gen5), "correlation(MAep + nxCG@25 ~ Gen5)"),
        (
            correlation((MAep, nxCG @ 25), Gen5, of="runs", method="kendall"),
            'correlation(MAep + nxCG@25 ~ Gen5, of="runs", method="kendall")',
        ),
        (correlation(MAep, (Gen5, BinExh), of="topics", method="pearson"), "correlation(MAep ~ Gen5 + BinExh)"),
        (correlation(MAep, (Gen5, BinExh), top=48), "correlation(MAep ~ Gen5 + BinExh, top=48)"),
    ],
)
def test_canonical_text(experiment: Correlation, text: str) -> None:
    assert str(experiment) == text


def test_two_conditions_are_due() -> None:
    with pytest.raises(FormulaError) as caught:
        correlation(MAep, Gen5)
    assert caught.value.message == "correlation: expected two or more conditions, found one: MAep ~ Gen5"
    with pytest.raises(FormulaError, match=r"^correlation: top: expected an integer of at least 2.*, found 1$"):
        correlation((MAP, P @ 10), top=1)
    with pytest.raises(FormulaError, match=r'^correlation: of: expected "topics" or "runs", found "systems"$'):
        correlation((MAP, P @ 10), of="systems")  # type: ignore[arg-type]


def test_means_over_different_topics_are_warned_of() -> None:
    matrix = np.array([[0.1, 0.4, 0.2, np.nan], [0.3, 0.5, 0.9, np.nan], [0.2, 0.8, 0.4, np.nan]])
    other = matrix[:, ::-1]
    source = Scores(("a", "b", "c"), ("1", "2", "3", "4"), {("MAP", "1"): matrix, ("P@10", "1"): other})
    warnings = correlation((MAP, P @ 10), of="runs").answer(source, RunOptions()).warnings
    told = "correlation: the means under MAP and P@10 are over different topics: 2 in common, 1 only under the first and 1 only under the second"
    assert told in warnings
    assert told not in correlation((MAP, P @ 10), of="topics").answer(source, RunOptions()).warnings
    within = Scores(("a", "b", "c"), ("1", "2", "3", "4"), {("MAP", "1"): matrix, ("P@10", "1"): np.nan_to_num(matrix)})
    assert told[:40] not in " ".join(correlation((MAP, P @ 10), of="runs").answer(within, RunOptions()).warnings)


RISING, FLAT, UNEVEN = (np.array(values)[:, None] * np.ones(3) for values in ([0.1, 0.3, 0.4], [0.2, 0.2, 0.2], [0.1, 0.5, 0.3]))


@pytest.mark.filterwarnings("ignore:every difference between two runs is the same")
@pytest.mark.parametrize(
    ("runs", "matrices", "options", "finding"),
    [
        (2, (RISING, UNEVEN), "", "Pearson's r of the means of runs shows nothing, as two points give 1 or -1 unless they are tied."),
        (2, (RISING, UNEVEN), ', method="tau_ap"', "tau_AP of the means of runs shows nothing, as two points give 1 or -1 unless they are tied."),
        (2, (RISING, UNEVEN, FLAT), "", "Pearson's r of the means of runs shows nothing, as two points give 1 or -1 unless they are tied."),
        (1, (RISING, UNEVEN), "", "Pearson's r of the means of runs is undefined, as they do not vary or are too few."),
        (3, (RISING, FLAT), "", "Pearson's r of the means of runs is undefined, as they do not vary or are too few."),
        (
            3, (RISING, UNEVEN, FLAT), "",
            "Pearson's r of the means of runs is 0.655 for MAP and P@10; 2 of the 3 pairs show nothing, as the values of a condition do not vary.",
        ),
    ],
)  # fmt: skip
def test_a_finding_states_no_coefficient_that_shows_nothing(
    runs: int, matrices: tuple[FloatArray, ...], options: str, finding: str
) -> None:
    names = ("MAP", "P@10", "RR")[: len(matrices)]
    source = Scores(tuple("abc"[:runs]), ("x", "y", "z"), {(name, "1"): each[:runs] for name, each in zip(names, matrices, strict=True)})
    assert run(f'correlation({" + ".join(names)}, of="runs"{options})', source).finding == finding
