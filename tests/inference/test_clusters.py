from __future__ import annotations

import math
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from inexmetrics import CollectionError, FormulaError, parse, run, scores_from
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.bootstrap import bootstrap
from inexmetrics.inference.pairs import directed_pairs, observed_pairs
from inexmetrics.inference.resampling import block_weights

CODES = ("x", "y", "x", "z", "y", "x", "w", "w", "z", "v")


def matrix() -> FloatArray:
    return np.round(np.random.default_rng(2).random((4, 10)), 2)


def by_definition(scores: FloatArray, b: int) -> FloatArray:
    """Mean scores of each run on every sample of whole clusters, with all their topics."""
    clusters = sorted(set(CODES))
    weights = np.concatenate([block_weights(bootstrap, block, len(clusters)) for block in range(math.ceil(b / 500))])[:b]
    samples = []
    for counts in weights:
        drawn = [
            topic
            for cluster, count in zip(clusters, counts, strict=True)
            for topic in np.flatnonzero(np.array(CODES) == cluster).tolist() * count
        ]
        samples.append([math.fsum(scores[run, drawn]) / len(drawn) for run in range(len(scores))])
    return np.array(samples)


def test_whole_clusters_are_drawn_with_all_their_topics() -> None:
    scores = matrix()
    test = bootstrap(b=700, clusters="family").on_clusters({"family": CODES})
    means = by_definition(scores, 700)
    better, worse = directed_pairs(4)
    differences = means[:, better] - means[:, worse]
    assert test.p_values(scores, better, worse, RunOptions()).tolist() == (differences <= 1e-10).mean(axis=0).tolist()
    low, high = test.intervals(scores, better, worse, 0.9, RunOptions())
    assert low == pytest.approx(np.quantile(differences, 0.05, axis=0), abs=1e-11)
    assert high == pytest.approx(np.quantile(differences, 0.95, axis=0), abs=1e-11)


def test_topics_that_are_each_a_cluster_are_topics() -> None:
    scores = matrix()
    alone = bootstrap(b=900, clusters="topic").on_clusters({"topic": tuple("abcdefghij")})
    plain = bootstrap(b=900)
    pairs = observed_pairs(scores)
    assert alone.p_values(scores, *pairs, RunOptions()).tolist() == plain.p_values(scores, *pairs, RunOptions()).tolist()
    for one, other in zip(
        alone.intervals(scores, *pairs, 0.95, RunOptions()), plain.intervals(scores, *pairs, 0.95, RunOptions()), strict=True
    ):
        assert one == pytest.approx(other, abs=1e-14)


def test_a_single_cluster_says_nothing() -> None:
    test = bootstrap(b=50, clusters="c").on_clusters({"c": ("same",) * 10})
    pairs = observed_pairs(matrix())
    assert set(test.p_values(matrix(), *pairs, RunOptions()).tolist()) == {1.0}
    assert np.isnan(test.intervals(matrix(), *pairs, 0.95, RunOptions())).all()
    assert test.smallest_p_value(10) == 1.0


def test_scores_that_are_no_numbers_are_named_by_their_topic() -> None:
    # Topic 2 is of cluster 1.
    test = bootstrap(b=50, clusters="c").on_clusters({"c": ("x", "x", "y")})
    scores = np.array([[0.5, 0.5, 0.5], [0.1, 0.2, np.inf]])
    for asked in (test.p_values, partial(test.intervals, interval=0.95)):
        with pytest.raises(ValueError, match="found inf for run 1 and topic 2"):
            asked(scores, np.array([0]), np.array([1]), setting=RunOptions())


def test_two_clusters_say_something() -> None:
    # Both are drawn twice as often as each alone; the better run wins in either.
    scores = np.array([[0.5, 0.5, 0.9, 0.9], [0.1, 0.1, 0.5, 0.1]])
    test = bootstrap(b=500, clusters="c").on_clusters({"c": ("x", "x", "y", "y")})
    forward = np.array([0]), np.array([1])
    assert test.smallest_p_value(4) == 0.0
    assert test.p_values(scores, *forward, RunOptions()).tolist() == [0.0]
    low, high = test.intervals(scores, *forward, 0.95, RunOptions())
    assert (low[0], high[0]) == pytest.approx((0.4, 0.6), abs=1e-11)  # the means of either cluster alone


def test_without_topics_clusters_say_nothing() -> None:
    test = bootstrap(b=50, clusters="c").on_clusters({"c": ()})
    pair = np.array([0]), np.array([1])
    assert test.p_values(np.empty((2, 0)), *pair, RunOptions()).tolist() == [1.0]
    assert np.isnan(test.intervals(np.empty((2, 0)), *pair, 0.95, RunOptions())).all()
    assert test.smallest_p_value(0) == 1.0


def board(family: list[object]) -> pl.DataFrame:
    rows = matrix().T
    return pl.DataFrame({"topic": list("abcdefghij"), "family": family, **{f"s{place}": rows[:, place] for place in range(4)}})


def test_a_column_that_is_named_has_the_clusters_of_topics() -> None:
    scores = scores_from(board(list(CODES)), clusters="family")
    assert scores.runs == ("s0", "s1", "s2", "s3")
    assert dict(scores.clusters) == {"family": CODES}
    assert scores.only(topics=["b", "a"]).clusters == {"family": ("x", "y")}
    assert scores.fingerprint != scores_from(board(list(CODES)).drop("family")).fingerprint
    asked = 'significance(given("a") | bootstrap(b=400, clusters="family") | Holm)'
    assert str(parse(asked)) == asked
    table = run(asked, scores).table
    assert not table["p_value"].equals(run('significance(given("a") | bootstrap(b=400) | Holm)', scores).table["p_value"])
    for experiment in ('ranks(given("a") | {})', 'versus("s0", given("a") | {})'):
        assert run(experiment.format('bootstrap(b=400, clusters="family")'), scores).table.height >= 3


def test_a_column_of_numbers_is_a_run_unless_it_is_named() -> None:
    numbered = board([ord(code) for code in CODES])
    scores = scores_from(numbered.with_columns(pl.col("family") / 200))
    assert "family" in scores.runs
    with pytest.raises(CollectionError, match=r"column family: .* found values from 118 to 122; .*clusters=\"family\""):
        scores_from(numbered)
    scores = scores_from(numbered, clusters="family")
    assert scores.runs == ("s0", "s1", "s2", "s3")
    assert scores.clusters["family"] == tuple(str(ord(code)) for code in CODES)


def test_clusters_of_topics_without_names_and_of_long_tables() -> None:
    numbered = board([ord(code) for code in CODES])
    unnamed = scores_from(numbered.drop("topic"), topics=False, clusters="family")
    assert unnamed.runs == ("s0", "s1", "s2", "s3")
    long = numbered.unpivot(index=["topic", "family"], variable_name="run", value_name="score")
    asked = 'significance(given("a") | bootstrap(b=400, clusters="family"))'
    wide = run(asked, scores_from(numbered, clusters="family")).table
    assert run(asked, unnamed).table["p_value"].equals(wide["p_value"])
    assert run(asked, scores_from(long, clusters="family")).table.equals(wide)
    other = long.with_columns(family=pl.col("family") + (pl.col("run") == "s3"))
    with pytest.raises(CollectionError, match="scores: topic a: family: expected 120, as before, found 121"):
        scores_from(other, clusters="family")


def test_clusters_that_are_missing_or_differ_are_refused(tmp_path: Path) -> None:
    with pytest.raises(
        CollectionError, match=r'bootstrap\(clusters="famly"\): expected a column famly .* found family; did you mean family'
    ):
        run('ranks(given("a") | bootstrap(clusters="famly"))', scores_from(board(list(CODES)), clusters="family"))
    with pytest.raises(CollectionError, match=r"^expected a column famly \(clusters\), found topic, family, .*; did you mean family"):
        scores_from(board(list(CODES)), clusters=["famly", "family"])
    with pytest.raises(CollectionError, match="topic c: family: expected x, as before, found y"):
        scores_from(
            [board(list(CODES)).select("topic", "family", "s0"), board([*"xyyzyxwwzv"]).select("topic", "family", "s1")], clusters="family"
        )
    with pytest.raises(CollectionError, match="clusters c: expected one of each of 1 topics, found 2"):
        Scores(("a",), ("1",), {("MAP", "1"): np.array([[0.5]])}, clusters={"c": ("x", "y")})
    with pytest.raises(CollectionError, match="family"):
        scores_from(board([None, *CODES[1:]]), clusters="family")
    for word in ("n/a", "-", "None", "NaN"):
        with pytest.raises(CollectionError, match=f'^scores: row 0: family: expected a cluster, found "{word}"'):
            scores_from(board([word, *CODES[1:]]), clusters="family")


def test_halves_of_topics_have_no_clusters() -> None:
    with pytest.raises(FormulaError, match="expected a test of topics one by one, as they are drawn, found bootstrap"):
        parse('error_rate(MAP, tests=bootstrap(clusters="c"))')
