"""Complete tables, compared with slow reference implementations on random scores with undefined topics and many ties."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import BH, MAP, BinExh, Correction, Gen5, MAep, Scores, agreement, error_rate, scores, sign, significance, t, versus
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.corrections import SteppedCorrection
from inexmetrics.inference.error_rates import halves
from tests import examples
from tests.profiles import up_to
from tests.reference import experiments as reference
from tests.reference.inference import true_by_formula

ALPHA = Fraction(3, 10)
# The reference forms compare p-values with levels, which only stepped corrections have.
CORRECTIONS: tuple[Correction, ...] = tuple(
    correction(alpha=0.3) for correction in examples.CORRECTIONS.values() if isinstance(correction, SteppedCorrection)
)
corrections = st.sampled_from(CORRECTIONS)


@st.composite
def matrices(draw: st.DrawFn, runs: int = 4, least: int = 0) -> reference.Rows:
    """Returns scores in multiples of .25; up to three topics are undefined."""
    topics = draw(st.integers(max(least, 1), 9))
    undefined = draw(st.sets(st.integers(0, topics - 1), max_size=min(3, topics - max(least, 1))))
    return {
        f"run{run}": {f"t{topic}": None if topic in undefined else draw(st.integers(0, 4)) / 4 for topic in range(topics)}
        for run in range(runs)
    }


def array(rows: reference.Rows) -> Scores:
    return together({("MAP", "1"): rows})


def together(conditions: dict[tuple[str, str], reference.Rows]) -> Scores:
    runs = next(iter(conditions.values()))
    topics = tuple(next(iter(runs.values())))
    values = {
        texts: np.array([[np.nan if score is None else score for score in by.values()] for by in rows.values()])
        for texts, rows in conditions.items()
    }
    return Scores(tuple(runs), topics, values)


@given(matrices())
def test_scores(rows: reference.Rows) -> None:
    table = scores(MAP).answer(array(rows), RunOptions()).table
    expected = reference.scores(rows)
    assert table.select("run_id", "topics").rows() == [row[:2] for row in expected]
    assert table["mean"].to_list() == pytest.approx([float(row[2]) for row in expected], abs=1e-15)


@given(matrices(), corrections, st.booleans())
def test_significance(rows: reference.Rows, correction: Correction, directed: bool) -> None:
    experiment = significance(MAP, test=sign(tails=1), correction=correction, pairs="directed" if directed else "observed")
    result = experiment.answer(array(rows), RunOptions())
    expected = reference.significance(rows, correction.word, ALPHA, directed)
    assert result.table.select("better", "worse", "significant").rows() == [(row[0], row[1], row[4]) for row in expected]
    assert result.table["p_value"].to_list() == pytest.approx([float(row[3]) for row in expected], rel=1e-12)
    assert result.table["difference"].to_list() == pytest.approx([float(row[2]) for row in expected], abs=1e-15)
    significant = sum(row[4] for row in expected)
    # In a family of both directions, the direction that is not observed counts with a p-value of 1.
    p_values = [float(row[3]) for row in expected]
    claimed = [p for p, row in zip(p_values, expected, strict=True) if row[4]]
    true = true_by_formula(claimed, [*p_values, *([1.0] * 6 if directed else [])], float(ALPHA))
    expected_summary = ("MAP", "1", 6, significant, significant / 6, 12 if directed else 6, len(reference.defined(rows)), true)
    assert result.tables["summary"].rows() == [expected_summary]


@st.composite
def two_matrices(draw: st.DrawFn) -> tuple[reference.Rows, reference.Rows]:
    """Returns two score matrices; in the second, runs are exchanged and perhaps one more topic is undefined, so that conclusions differ."""
    rows = draw(matrices(least=4))
    exchanged = draw(st.permutations(list(rows)))
    missing = draw(st.none() | st.sampled_from(list(rows["run0"])))
    return rows, {
        run: {topic: None if topic == missing else score for topic, score in rows[other].items()}
        for run, other in zip(rows, exchanged, strict=True)
    }


@given(two_matrices(), corrections)
def test_agreement(pair: tuple[reference.Rows, reference.Rows], correction: Correction) -> None:
    predictor, truth = pair
    source = together({("MAep", "Gen5"): predictor, ("MAep", "BinExh"): truth})
    result = agreement(Gen5, BinExh, measure=MAep, test=sign(tails=1), correction=correction).answer(source, RunOptions())
    precision, recall, f1 = reference.agreement(predictor, truth, correction.word, ALPHA)
    assert (result.precision, result.recall) == (precision, recall)
    assert result.f1 == pytest.approx(f1)


@given(matrices(), corrections)
def test_versus(rows: reference.Rows, correction: Correction) -> None:
    table = versus("run1", MAP, test=sign(tails=1), correction=correction).answer(array(rows), RunOptions()).table
    expected = reference.versus("run1", rows, correction.word, ALPHA)
    assert table.select("opponent", "statistic", "significant").rows() == [(row[0], row[2], row[4]) for row in expected]
    assert table["difference"].to_list() == pytest.approx([float(row[1]) for row in expected], abs=1e-15)
    assert table["p_value"].to_list() == pytest.approx([float(row[3]) for row in expected], rel=1e-12)


@given(st.lists(st.lists(st.integers(0, 1), min_size=12, max_size=12), min_size=3, max_size=3), st.integers(0, 5))
@up_to(30)
def test_error_rate(lifts: list[list[int]], seed: int) -> None:
    # run0 is mostly below run1, and run1 below run2, so that halves of six topics conclude something
    rows: reference.Rows = {
        f"run{run}": {f"t{topic:02}": (2 * run + lift * 3) / 8 for topic, lift in enumerate(lifted)} for run, lifted in enumerate(lifts)
    }
    table = error_rate(MAP, tests=(sign(tails=1), t(tails=1)), splits=6, seed=seed).answer(array(rows), RunOptions()).table
    splits = [tuple(half.tolist() for half in halves(12, seed, split)) for split in range(6)]
    made, refuted, repeated = reference.errors(rows, [(first, second) for first, second in splits])
    row = table.row(0, named=True)
    assert (row["test"], row["rejected"], row["errors"], row["both_halves"]) == ("sign(tails=1)", made, refuted, repeated)
    assert row["error_rate"] == (refuted / made if made else None)


@given(matrices())
def test_topics_have_no_order(rows: reference.Rows) -> None:
    """Renaming the topics, as by reading them in another order, changes only the rows by topic."""
    reversed_names = {run: dict(zip(by, reversed(list(by.values())), strict=True)) for run, by in rows.items()}
    experiment = significance(MAP, test=t(tails=1), correction=BH)
    here, there = (experiment.answer(array(given_rows), RunOptions()).table for given_rows in (rows, reversed_names))
    names = ["better", "worse"]
    assert here.select(*names, "significant").sort(names).equals(there.select(*names, "significant").sort(names))
    assert here.sort("better", "worse")["p_value"].to_list() == pytest.approx(there.sort("better", "worse")["p_value"].to_list(), abs=1e-12)


@given(matrices(least=2), corrections)
def test_experiments_agree_with_each_other(rows: reference.Rows, correction: Correction) -> None:
    source = together({("MAep", "Gen5"): rows, ("MAep", "BinExh"): rows})
    found = significance(MAep, Gen5, test=t(tails=1), correction=correction).answer(source, RunOptions())
    shared = (
        agreement(Gen5, BinExh, measure=MAep, test=t(tails=1), correction=correction).answer(source, RunOptions()).table.row(0, named=True)
    )
    # one-tailed with alpha < 1/2, only the direction of the higher mean can be rejected
    significant = found.tables["summary"]["significant"].item()
    assert (shared["n_predictor"], shared["n_truth"], shared["n_both"], shared["f1"]) == (significant, significant, significant, 1.0)
    against = versus("run2", MAep, Gen5).answer(source, RunOptions()).table
    pairs = significance(MAep, Gen5).answer(source, RunOptions()).table
    every = pairs.filter((pairs["better"] == "run2") | (pairs["worse"] == "run2"))
    assert sorted(against["p_value"]) == every["p_value"].to_list()
