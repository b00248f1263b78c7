from __future__ import annotations

import math
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import special, stats

from inexmetrics import CollectionError, FormulaError, Scores, bootstrap, parse, randomisation, run, sample, scores_from, t
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference.bootstrap import Randomisation
from inexmetrics.inference.means import directed_pairs, observed_pairs
from inexmetrics.inference.paired_t import PairedT
from tests.reference.inference import block_weights, cluster_flips_p, clustered_t, difference

few_clusters = pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
CODES = ("x", "y", "x", "z", "y", "x", "w", "w", "z", "v")


def matrix() -> FloatArray:
    return np.round(np.random.default_rng(2).random((4, 10)), 2)


def by_definition(scores: FloatArray, b: int) -> FloatArray:
    """Returns mean scores of each run on every resample of clusters, each drawn with all its topics."""
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


def test_scores_that_are_no_numbers_are_named_by_their_topic() -> None:
    # Topic 2 is of cluster 1.
    test = bootstrap(b=50, clusters="c").on_clusters({"c": ("x", "x", "y")})
    scores = np.array([[0.5, 0.5, 0.5], [0.1, 0.2, np.inf]])
    for asked in (test.p_values, partial(test.intervals, interval=0.95)):
        with pytest.raises(ValueError, match=r"found inf at index \[1, 2\]"):
            asked(scores, np.array([0]), np.array([1]), setting=RunOptions())


def test_two_clusters_say_something() -> None:
    # Both are drawn twice as often as each alone; the better run wins in either.
    scores = np.array([[0.5, 0.5, 0.9, 0.9], [0.1, 0.1, 0.5, 0.1]])
    test = bootstrap(b=500, clusters="c").on_clusters({"c": ("x", "x", "y", "y")})
    forward = np.array([0]), np.array([1])
    assert test.p_values(scores, *forward, RunOptions()).tolist() == [0.0]
    low, high = test.intervals(scores, *forward, 0.95, RunOptions())
    assert (low[0], high[0]) == pytest.approx((0.4, 0.6), abs=1e-11)  # the means of either cluster alone


def test_without_topics_clusters_say_nothing() -> None:
    test = bootstrap(b=50, clusters="c").on_clusters({"c": ()})
    pair = np.array([0]), np.array([1])
    assert test.p_values(np.empty((2, 0)), *pair, RunOptions()).tolist() == [1.0]
    assert np.isnan(test.intervals(np.empty((2, 0)), *pair, 0.95, RunOptions())).all()


def board(family: list[object]) -> pl.DataFrame:
    rows = matrix().T
    return pl.DataFrame({"topic": list("abcdefghij"), "family": family, **{f"s{place}": rows[:, place] for place in range(4)}})


@pytest.mark.parametrize("tails", [1, 2])
def test_t_of_clusters_of_equal_size_is_the_t_test_of_their_means(tails: int) -> None:
    codes = ("x", "y", "z", "w") * 5
    scores = np.random.default_rng(3).random((5, 20)) * np.array([1.0, 0.9, 1e-3, 1e3, 0.5])[:, None]
    test = t(tails=tails, clusters="family").on_clusters({"family": codes})
    better, worse = directed_pairs(5)
    means = np.stack([scores[:, np.array(codes) == name].mean(axis=1) for name in sorted(set(codes))], axis=1)
    expected = stats.ttest_rel(means[better], means[worse], axis=1, alternative="greater" if tails == 1 else "two-sided")
    assert test.p_values(scores, better, worse, RunOptions()) == pytest.approx(expected.pvalue, rel=1e-12)
    assert test.statistics(scores, better, worse) == pytest.approx(expected.statistic, rel=1e-12)
    low, high = test.intervals(scores, better, worse, 0.9, RunOptions())
    ends = stats.ttest_rel(means[better], means[worse], axis=1).confidence_interval(0.9)
    assert low == pytest.approx(ends.low, rel=1e-11, abs=1e-12)
    assert high == pytest.approx(ends.high, rel=1e-11, abs=1e-12)


def test_t_and_randomisation_of_clusters_of_any_size_are_as_defined() -> None:
    scores, (better, worse) = matrix(), directed_pairs(4)
    asked = t(clusters="family").on_clusters({"family": CODES})
    found = asked.p_values(scores, better, worse, RunOptions())
    low, high = asked.intervals(scores, better, worse, 0.95, RunOptions())
    statistics = asked.statistics(scores, better, worse)
    flipped = {tails: randomisation(b=700, seed=3, tails=tails, clusters="family").on_clusters({"family": CODES}) for tails in (1, 2)}
    p_flipped = {tails: test.p_values(scores, better, worse, RunOptions()) for tails, test in flipped.items()}
    assert flipped[2].intervals(scores, better, worse, 0.95, RunOptions())[0].tolist() == low.tolist()
    for pair, (i, j) in enumerate(zip(better, worse, strict=True)):
        x, y = scores[i].tolist(), scores[j].tolist()
        expected, error = clustered_t(x, y, CODES)
        assert statistics[pair] == pytest.approx(expected, rel=1e-12)
        assert found[pair] == pytest.approx(2 * special.stdtr(4, -abs(expected)), rel=1e-11)
        margin = special.stdtrit(4, 0.975) * error
        assert (low[pair] + high[pair], high[pair] - low[pair]) == pytest.approx((2 * expected * error, 2 * margin), rel=1e-10)
        for tails in (1, 2):
            assert p_flipped[tails][pair] == cluster_flips_p(difference(x, y), CODES, 700, 3, tails)


def test_clusters_whose_means_are_equal_say_what_t_says_without_spread() -> None:
    # The topics differ by 1, 3 and 2, 2: both clusters' means by 2. In the other pair they cancel out in each cluster.
    scores = np.array([[1.0, 3.0, 2.0, 2.0], [0.0, 0.0, 0.0, 0.0], [1.0, -1.0, 0.1, -0.1]])
    test = t(clusters="c").on_clusters({"c": ("x", "x", "y", "y")})
    assert test.p_values(scores, np.array([0, 2]), np.array([1, 1]), RunOptions()).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("test", [t, randomisation(b=50)])
def test_one_cluster_or_no_topic_says_nothing(test: PairedT | Randomisation) -> None:
    pair = np.array([0]), np.array([1])
    for scores, codes in ((matrix(), ("same",) * 10), (np.empty((2, 0)), ())):
        asked = test(clusters="c").on_clusters({"c": codes})
        assert asked.p_values(scores, *pair, RunOptions()).tolist() == [1.0]
        assert np.isnan(asked.intervals(scores, *pair, 0.95, RunOptions())).all()


@few_clusters
@pytest.mark.parametrize(
    ("alone", "test"),
    [
        ("t", 't(clusters="family")'),
        ("t(tails=1)", 't(tails=1, clusters="family")'),
        ("randomisation(b=600)", 'randomisation(b=600, clusters="family")'),
    ],
)
def test_every_experiment_on_all_topics_takes_clusters(alone: str, test: str) -> None:
    assert str(parse(f'significance(given("score") | {test})')) == f'significance(given("score") | {test})'
    scores = scores_from(board(list(CODES)), clusters="family")
    found = run(f'significance(given("score") | {test} | BH)', scores)
    plain = run(f'significance(given("score") | {alone} | BH)', scores)
    assert found.table["effect_size"].sort().to_list() == pytest.approx(plain.table["effect_size"].sort().to_list())
    assert not found.table["p_value"].sort().equals(plain.table["p_value"].sort())
    assert run(f'ranks(given("score") | {test} | BH)', scores).table.height == 4
    table = run(f'versus("s0", given("score") | {test})', scores).table
    both = found.table.filter((pl.col("better") == "s0") | (pl.col("worse") == "s0"))
    assert table["p_value"].sort().to_list() == both["p_value"].sort().to_list()
    assert run(f'versus("s0", given("score") | {test})', scores).table["statistic"].is_not_null().all()
    for asked in (f"significance(MAP | {test})", f'versus("group01-a", MAP | {test})',
                  f'judges(MAP ~ assessor("second") | {test}, truth=assessor("first"))', f"agreement(MAP + P@10 | {test})"):  # fmt: skip
        with pytest.raises(CollectionError, match=r"expected a column named family next to the scores, .* found none"):
            run(asked, sample())


@pytest.mark.filterwarnings("ignore:topics with the same .* are treated as independent:inexmetrics.CollectionWarning")
def test_agreement_of_scores_in_clusters() -> None:
    long = board(list(CODES)).unpivot(index=["topic", "family"], variable_name="run", value_name="score")
    measures = pl.concat([long.with_columns(measure=pl.lit("a")), long.with_columns(pl.col("score") ** 2, measure=pl.lit("b"))])
    scores = scores_from(measures, clusters="family")
    plain, clustered = (run(f'agreement(given("a") + given("b") | {test} | unadjusted(alpha=0.4))', scores).tables["differences"]
                        for test in ("t", 't(clusters="family")'))  # fmt: skip
    assert not plain["p_truth"].equals(clustered["p_truth"])


@few_clusters
def test_a_column_that_is_named_has_the_clusters_of_topics() -> None:
    scores = scores_from(board(list(CODES)), clusters="family")
    assert scores.runs == ("s0", "s1", "s2", "s3")
    assert dict(scores.clusters) == {"family": CODES}
    assert scores.only(topics=["b", "a"]).clusters == {"family": ("x", "y")}
    assert scores.fingerprint != scores_from(board(list(CODES)).drop("family")).fingerprint
    asked = 'significance(given("score") | bootstrap(b=400, clusters="family") | Holm)'
    assert str(parse(asked)) == asked
    table = run(asked, scores).table
    assert not table["p_value"].equals(run('significance(given("score") | bootstrap(b=400) | Holm)', scores).table["p_value"])
    for experiment in ('ranks(given("score") | {})', 'versus("s0", given("score") | {})'):
        assert run(experiment.format('bootstrap(b=400, clusters="family")'), scores).table.height >= 3


def test_a_column_of_numbers_is_a_run_unless_it_is_named() -> None:
    numbered = board([ord(code) for code in CODES])
    scores = scores_from(numbered.with_columns(pl.col("family") / 200))
    assert "family" in scores.runs
    with pytest.raises(CollectionError, match=r"found family \(values from 118 to 122, .*clusters=\"family\""):
        scores_from(numbered)
    scores = scores_from(numbered, clusters="family")
    assert scores.runs == ("s0", "s1", "s2", "s3")
    assert scores.clusters["family"] == tuple(str(ord(code)) for code in CODES)


@few_clusters
def test_clusters_of_topics_without_names_and_of_long_tables() -> None:
    numbered = board([ord(code) for code in CODES])
    unnamed = scores_from(numbered.drop("topic"), topics=False, clusters="family")
    assert unnamed.runs == ("s0", "s1", "s2", "s3")
    long = numbered.unpivot(index=["topic", "family"], variable_name="run", value_name="score")
    asked = 'significance(given("score") | bootstrap(b=400, clusters="family"))'
    wide = run(asked, scores_from(numbered, clusters="family")).table
    assert run(asked, unnamed).table["p_value"].equals(wide["p_value"])
    assert run(asked, scores_from(long, clusters="family")).table.equals(wide)
    other = long.with_columns(family=pl.col("family") + (pl.col("run") == "s3"))
    with pytest.raises(CollectionError, match="scores: topic a: family: expected 120, as before, found 121"):
        scores_from(other, clusters="family")


def test_clusters_that_are_missing_or_differ_are_refused(tmp_path: Path) -> None:
    with pytest.raises(
        CollectionError, match=r'bootstrap\(clusters="famly"\): expected a column named famly .* found family; did you mean family'
    ):
        run('ranks(given("score") | bootstrap(clusters="famly"))', scores_from(board(list(CODES)), clusters="family"))
    with pytest.raises(
        CollectionError, match=r"^expected a column named famly \(clusters or within\), found topic, family, .*; did you mean family"
    ):
        scores_from(board(list(CODES)), clusters=["famly", "family"])
    with pytest.raises(CollectionError, match="topic c: family: expected x, as before, found y"):
        scores_from(
            [board(list(CODES)).select("topic", "family", "s0"), board([*"xyyzyxwwzv"]).select("topic", "family", "s1")], clusters="family"
        )
    with pytest.raises(CollectionError, match="clusters c: expected the clusters of 1 topics, found 2"):
        Scores(("a",), ("1",), {("MAP", "1"): np.array([[0.5]])}, clusters={"c": ("x", "y")})
    with pytest.raises(CollectionError, match="family"):
        scores_from(board([None, *CODES[1:]]), clusters="family")
    for word in ("n/a", "-", "None", "NaN"):
        with pytest.raises(CollectionError, match=f'^scores: row 0: family: expected a cluster, found "{word}"'):
            scores_from(board([word, *CODES[1:]]), clusters="family")


@pytest.mark.parametrize("text", ['error_rate(MAP, tests=bootstrap(clusters="c"))', 'error_rate(MAP, tests=t(clusters="c"))'])
def test_halves_of_topics_have_no_clusters(text: str) -> None:
    with pytest.raises(FormulaError, match="expected a test without clusters, found"):
        parse(text)


def of_sizes(sizes: list[int], runs: int = 2, seed: int = 4) -> Scores:
    """Returns scores of equally good runs on topics in clusters of the given sizes; each cluster has a random effect on each run."""
    random = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    scores = random.normal(30, 1, (len(clusters), runs)) + random.normal(0, 1, (len(sizes), runs))[clusters]
    names = {f"m{place}": scores[:, place] for place in range(runs)}
    return scores_from(
        pl.DataFrame({"topic": [f"q{place}" for place in range(len(clusters))], "source": [f"d{c:02}" for c in clusters], **names}),
        clusters="source",
        keep=list(names),
    )


SIZES = "the {} clusters have very different sizes ({} topics); "
REJECTS = SIZES + "the test, also that of a margin, rejects too often, and its intervals are too narrow; write {} without margin, "
HOLDS = SIZES + "this does not affect p-values, but intervals are too narrow, and p_differs is too small"


@pytest.mark.parametrize(
    ("sizes", "test", "expected"),
    [
        ([4] * 9, "t", None),
        ([2, 3, 3, 4, 4, 5, 6, 6], "t(floor=0.2)", None),
        ([1, 2, 2, 3, 4, 25], "t", (REJECTS, 6, "1 to 25", "randomisation{}")),
        ([2, 2, 3, 4, 5, 30, 4, 4, 3], "t(tails=1)", (REJECTS, 9, "2 to 30", "randomisation(tails=1, {}")),
        ([1] * 47 + [50], "bootstrap(b=900)", (REJECTS, 48, "1 to 50", "randomisation(tails=1, {}")),
        ([2] * 44, "bootstrap(b=900)", None),
        ([1, 2, 2, 3, 3, 4, 5, 5, 25], "randomisation(b=900)", (HOLDS, 9, "1 to 25", "")),
        ([3] * 9, "randomisation(b=900)", None),
        ([1, 2, 2, 3, 3, 4, 5, 5, 25], "stepdown(b=900)", (HOLDS, 9, "1 to 25", "")),
    ],
)
@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
def test_clusters_of_very_different_sizes_are_warned_of(sizes: list[int], test: str, expected: tuple[str, int, str, str] | None) -> None:
    asked = test[:-1] + ', clusters="source")' if test.endswith(")") else f'{test}(clusters="source")'
    result = run(f'significance(given("y") | {asked} | unadjusted)', of_sizes(sizes))
    if expected is None:
        assert result.warnings == ()
        return
    text, count, span, advised = expected
    advised = advised.format('clusters="source")' if advised.endswith("{}") and "(" in advised else '(clusters="source")')
    (warning,) = result.warnings
    written = str(parse(asked))
    assert warning.startswith(f"{written}: " + text.format(count, span, advised))
    if text == REJECTS:  # the advice works as it is written
        followed = run(f'significance(given("y") | {advised} | unadjusted)', of_sizes(sizes))
        assert not any("too often" in each for each in followed.warnings)


@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
def test_the_advised_test_of_few_clusters_depends_on_their_sizes() -> None:
    advice = {
        sizes: [run(f'significance(given("y") | {test}(b=900, clusters="source"))', of_sizes(list(sizes))).warnings[0] for test in tests]
        for sizes, tests in {(3, 4, 4, 5, 5): ("bootstrap", "stepdown"), (1, 1, 2, 2, 20): ("bootstrap", "stepdown")}.items()
    }
    ends = {sizes: [warning.partition("; write ")[2] for warning in warnings] for sizes, warnings in advice.items()}
    assert ends == {
        (3, 4, 4, 5, 5): ['t(clusters="source")', 't(clusters="source") | Holm'],
        (1, 1, 2, 2, 20): ['randomisation(tails=1, clusters="source")', 'randomisation(clusters="source") | Holm'],
    }


@pytest.mark.parametrize(
    ("sizes", "test", "bounds"),
    [([1, 1, 2, 2, 3, 3, 4, 34], "t", False), ([5] * 10, "t", True), ([1] * 20 + [30], "randomisation", True), ([50], "t(", True)],
)
@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
def test_true_differences_are_counted_where_the_test_holds_for_the_sizes(sizes: list[int], test: str, bounds: bool) -> None:
    random = np.random.default_rng(9)
    scores = random.normal(30, 1, (50, 3)) + np.array([7.0, 4.0, 0.0])
    table = pl.DataFrame(
        {**{f"m{place}": scores[:, place] for place in range(3)}, "source": np.repeat([f"d{n}" for n in range(len(sizes))], sizes)}
    )
    asked = "t" if test == "t(" else f'{test}(clusters="source")'
    finding = run(f'significance(given("y") | {asked})', scores_from(table, clusters="source")).finding
    assert finding.startswith("All 3 pairs of runs differ significantly")
    assert ("all 3 differences are true" in finding) == bounds


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::inexmetrics.CollectionWarning")
def test_the_advised_test_keeps_its_level_where_t_does_not() -> None:
    boards = [of_sizes([1, 1, 2, 2, 2, 3, 4, 45], seed=seed) for seed in range(40)]
    claims = {
        test: sum(run(f'versus("m0", given("y") | {test})', board).table["significant"].item() for board in boards)
        for test in ('t(clusters="source")', 'randomisation(b=500, clusters="source")')
    }
    assert claims['t(clusters="source")'] >= 10
    assert claims['randomisation(b=500, clusters="source")'] <= 4
