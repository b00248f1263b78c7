"""Statements of Ogilvie & Lalmas (CIKM 2006) that a program can recompute, through the public interface."""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl
import pytest

from inexmetrics import BinExh, Gen5, MAep, Scores, agreement, bootstrap, correlation, given, run, sample, scores_from, significance, t
from inexmetrics.common.arrays import FloatArray

# Of 435 pairs, BY asks for more than 10,000 resamples, which a warning says; the paper's procedure has so many.
pytestmark = pytest.mark.filterwarnings("ignore:the smallest p-value of bootstrap")


def two_groups(reverse: bool) -> FloatArray:
    """Returns 40 runs x 40 topics: 20 good and 20 poor runs, almost equal within a group; the order within a group can be reversed."""
    random = np.random.Generator(np.random.PCG64(40))
    # Within a group, runs differ by 0.0001 in the mean and by far more from topic to topic.
    noise = random.uniform(-0.1, 0.1, (40, 40))
    noise -= noise.mean(axis=1, keepdims=True)
    places = np.arange(20)[:: -1 if reverse else 1]
    means = np.concatenate([0.8 - 0.0001 * places, 0.2 - 0.0001 * places])
    return means[:, np.newaxis] + noise


def long(matrix: FloatArray, quantisation: str) -> pl.DataFrame:
    runs, topics = matrix.shape
    return pl.DataFrame(
        {
            "run_id": np.repeat([f"r{number:02d}" for number in range(runs)], topics),
            "topic_id": np.tile([f"{number:02d}" for number in range(topics)], runs),
            "measure": "MAep",
            "quantisation": quantisation,
            "score": matrix.ravel(),
        }
    )


@pytest.fixture(scope="module")
def groups() -> Scores:
    return scores_from([long(two_groups(reverse=False), "Gen5"), long(two_groups(reverse=True), "BinExh")])


@pytest.mark.parametrize(
    ("method", "coefficient", "p_value"),
    [  # 400 pairs across the groups agree, 380 within them disagree: tau = 20/780
        ("kendall", 1 / 39, 0.8157),
        # Reversed within a group, the 20 rank differences are 19, 17 .. -19: sum of squares 2 x 2660, rho = 1 - 6 x 5320 / (40 x 1599)
        ("spearman", 267 / 533, 0.00099358),
    ],
)
def test_rank_correlations_of_equivalent_conditions_are_low(
    groups: Scores, method: Literal["kendall", "spearman"], coefficient: float, p_value: float
) -> None:
    """Section 3.4: two groups of 20 systems, in reverse order within each group."""
    row = run(correlation(MAep, (Gen5, BinExh), of="runs", method=method), groups).table.row(0, named=True)
    assert row["coefficient"] == pytest.approx(coefficient, abs=1e-12)
    assert row["p_value"] == pytest.approx(p_value, abs=5e-5 if method == "kendall" else 5e-9)


def test_comparing_conclusions_finds_them_equivalent(groups: Scores) -> None:
    """Section 3.4: the conclusions are the 400 differences between the groups, under both conditions."""
    result = run(agreement(Gen5, BinExh, measure=MAep, test=bootstrap), groups)
    row = result.table.row(0, named=True)
    assert (row["pairs"], row["n_predictor"], row["n_truth"], row["n_both"]) == (780, 400, 400, 400)
    assert (result.precision, result.recall, result.f1) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(("positive", "expected"), [(1, 0.3624), (2, 0.1273), (3, 0.0433)])
def test_the_bootstrap_rejects_on_few_topics(positive: int, expected: float) -> None:
    """A run is ahead on k of 34 topics and equal on the others: p tends to (1 - k/34)^34, the probability of drawing none of the k topics."""
    ahead = np.zeros(34)
    ahead[:positive] = 0.5
    matrix = pl.DataFrame({"topic": [f"{number:02d}" for number in range(34)], "a": ahead, "b": np.zeros(34)})
    pairs = run(significance(given("x"), test=bootstrap), scores_from(matrix, measure="x")).table
    exact = (1 - positive / 34) ** 34
    assert exact == pytest.approx(expected, abs=5e-5)
    assert pairs["better"].item() == "a"
    assert pairs["p_value"].item() == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 10_000))


@pytest.mark.parametrize(("runs", "pairs"), [(70, 2415), (55, 1485)])
def test_numbers_of_pairs(runs: int, pairs: int) -> None:
    """Section 2.3: 70 runs in 2004, 55 in 2005."""
    random = np.random.Generator(np.random.PCG64(1))
    matrix = pl.DataFrame({"topic": ["1", "2", "3"], **{f"r{number:02d}": random.random(3) for number in range(runs)}})
    summary = run(significance(given("x"), test=t(tails=1)), scores_from(matrix, measure="x")).tables["summary"]
    assert summary["pairs"].item() == pairs


@pytest.mark.parametrize(("better", "worse"), [(("Gen5", "GenLifted"), ("FullySpec", "Strict5"))])
def test_the_sample_tells_the_papers_story(better: tuple[str, str], worse: tuple[str, str]) -> None:
    """Section 4.2: Gen5 and GenLifted agree; FullySpec recalls Strict5's differences and predicts many more."""
    good = run(f"agreement({better[0]}, {better[1]}, measure=MAep, test=bootstrap)", sample()).table.row(0, named=True)
    poor = run(f"agreement({worse[0]}, {worse[1]}, measure=MAep, test=bootstrap)", sample()).table.row(0, named=True)
    assert good["f1"] > poor["f1"] + 0.1
    assert poor["recall"] > poor["precision"]
