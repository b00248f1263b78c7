from __future__ import annotations

import hashlib
import itertools
import math
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import (
    BY,
    MAP,
    CollectionWarning,
    FormulaError,
    Holm,
    Scores,
    error_rate,
    parse,
    run,
    sample,
    scores_from,
    significance,
    stepdown,
    unadjusted,
    versus,
)
from inexmetrics.collection.condition_names import UNNAMED
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.inference import all_pairs as module
from inexmetrics.inference.all_pairs import Stepdown
from inexmetrics.inference.conclusions import conclude
from inexmetrics.inference.means import observed_pairs
from tests.profiles import up_to
from tests.reference.inference import stepdown_p

HERE = RunOptions()


def drawn(runs: int, topics: int, seed: int = 0, effect: float = 0.0) -> FloatArray:
    random = np.random.default_rng(seed)
    return random.normal(0.5, 0.1, (runs, topics)) + random.normal(0, 0.2, topics) + effect * np.arange(runs)[:, None]


def of_pairs(test: Stepdown, scores: FloatArray) -> dict[tuple[int, int], float]:
    first, second = np.triu_indices(len(scores), 1)
    p_values = test.p_values(scores, first, second, HERE)
    return dict(zip(zip(first.tolist(), second.tolist(), strict=True), p_values.tolist(), strict=True))


@up_to(30)
@given(
    st.integers(2, 6).flatmap(
        lambda topics: st.lists(st.lists(st.integers(0, 99), min_size=topics, max_size=topics), min_size=2, max_size=4)
    ),
    st.sampled_from([1, 60, 501]),
    st.integers(0, 3),
    st.sampled_from([1, 100]),
    st.integers(2, 4),
)
def test_is_as_its_definition_reads(rows: list[list[int]], b: int, seed: int, decimals: int, clusters: int) -> None:
    # Whole numbers and decimals below 100, with ties of draws and pairs, topics alone and in clusters of unequal size.
    scores = np.array(rows) / decimals
    topics = tuple(map(str, range(scores.shape[1])))
    assert of_pairs(stepdown(b=b, seed=seed), scores) == stepdown_p(scores.tolist(), topics, b, seed)
    codes = tuple(str(min(topic, clusters - 1)) for topic in range(scores.shape[1]))
    if len(set(codes)) >= 2:
        test = stepdown(b=b, seed=seed, clusters="c").on_clusters({"c": codes})
        assert of_pairs(test, scores) == stepdown_p(scores.tolist(), codes, b, seed)


def test_is_as_its_definition_reads_on_more_runs_and_topics() -> None:
    scores = np.round(drawn(7, 12, seed=4, effect=0.03), 3)
    found = of_pairs(stepdown(b=600, seed=2), scores)
    assert found == stepdown_p(scores.tolist(), tuple("abcdefghijkl"), 600, 2)
    assert 0 < sum(p <= 0.05 for p in found.values()) < len(found)
    assert list(dict(sorted(found.items(), key=lambda item: item[1])).values()) == sorted(found.values())


def test_one_pair_equals_the_enumeration_of_all_signs() -> None:
    scores = np.stack([np.array([0.31, 0.12, 0.05, 0.44, -0.08, 0.27, 0.13, -0.02]), np.zeros(8)])
    difference = scores[0]
    t_value = difference.mean() / (difference.std(ddof=1) / math.sqrt(8))
    centred = difference - difference.mean()
    signed = np.array(
        [[sign * value for sign, value in zip(signs, centred, strict=True)] for signs in itertools.product((1, -1), repeat=8)]
    )
    drawn = signed.mean(axis=1) / (signed.std(axis=1, ddof=1) / math.sqrt(8))
    exact = np.mean(np.abs(drawn) >= t_value)
    assert 0.01 < exact < 0.1
    p_value = stepdown(b=100_000).p_values(scores, np.array([0]), np.array([1]), HERE)[0]
    assert p_value == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 100_000))


def test_a_pair_without_spread_enters_no_maximum() -> None:
    # Runs 0 and 1 differ by .1 on every topic, runs 2 and 3 on none; run 4 is like no other.
    base = drawn(1, 9, seed=1)[0]
    other = drawn(1, 9, seed=2)[0]
    scores = np.stack([base, base - 0.1, other, other, drawn(1, 9, seed=3)[0]])
    found = of_pairs(stepdown(b=999), scores)
    assert found[0, 1] == 1 / 1000
    assert found[2, 3] == 1.0
    assert found == {**stepdown_p(np.round(scores, 9).tolist(), tuple("abcdefghi"), 999, 0), (0, 1): 1 / 1000}
    low, high = stepdown(b=999).intervals(scores, np.array([0]), np.array([1]), 0.95, HERE)
    assert (low[0], high[0]) == pytest.approx((0.1, 0.1), abs=1e-9)


def test_few_or_no_topics() -> None:
    pair = np.array([0]), np.array([1])
    for topics in (0, 1):
        assert stepdown(b=9).p_values(np.ones((2, topics)), *pair, HERE).tolist() == [1.0]
        assert np.isnan(stepdown(b=9).intervals(np.ones((2, topics)), *pair, 0.95, HERE)).all()
    # Two topics: of signs that differ t* is infinite, which half of the draws are.
    two = np.array([[0.5, 0.9], [0.1, 0.2]])
    assert stepdown.p_values(two, *pair, HERE)[0] == pytest.approx(0.5, abs=0.02)
    assert np.isnan(stepdown.intervals(two, *pair, 0.95, HERE)).all()
    assert np.isfinite(stepdown.intervals(two, *pair, 0.3, HERE)).all()
    with pytest.raises(ValueError, match="expected finite scores"):
        stepdown.p_values(np.array([[0.5, np.nan], [0.25, 0.5]]), *pair, HERE)


def test_intervals_are_simultaneous_and_end_at_0_where_p_is_at_its_level() -> None:
    scores = drawn(5, 15, seed=6, effect=0.02)
    test = stepdown(b=1300)
    better, worse = observed_pairs(scores)
    difference = (scores[better] - scores[worse]).mean(axis=1)
    error = (scores[better] - scores[worse]).std(axis=1, ddof=1) / math.sqrt(15)
    low, high = test.intervals(scores, better, worse, 0.9, HERE)
    assert low + high == pytest.approx(2 * difference, abs=1e-12)
    quantiles = (high - low) / 2 / error
    assert quantiles == pytest.approx([quantiles[0]] * len(error), rel=1e-9)
    # by definition, the largest |t*| of each draw in plain floating point
    centred = (scores[better] - scores[worse]) - difference[:, None]
    largest = []
    for block in range(3):
        random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(0, spawn_key=(block,))))
        for flips in random.integers(0, 2, size=(500, 15))[: 1300 - 500 * block]:
            signed = centred * (1 - 2 * flips)
            largest.append(np.max(np.abs(signed.mean(axis=1) / (signed.std(axis=1, ddof=1) / math.sqrt(15)))))
    assert quantiles[0] == pytest.approx(np.sort(largest)[1170 - 1], rel=1e-9)
    # The pair of the largest |t| is compared with the same maximum as the intervals.
    first = np.argmax(np.abs(difference / error))
    p_value = test.p_values(scores, better, worse, HERE)[first]
    ends = [test.intervals(scores, better, worse, level, HERE)[0][first] for level in (1 - p_value - 0.005, 1 - p_value + 0.005)]
    assert ends[0] > 0 > ends[1] or p_value == 1 / 1301


def test_intervals_of_clusters_have_the_standard_error_of_the_test() -> None:
    codes = ("x", "x", "y", "z", "z", "z", "v", "w", "u", "u", "s")
    scores = drawn(3, 11, seed=8, effect=0.2)
    test = stepdown(b=700, clusters="c").on_clusters({"c": codes})
    better, worse = observed_pairs(scores)
    low, high = test.intervals(scores, better, worse, 0.9, HERE)
    t_values = test.statistics(scores, better, worse)
    difference = (scores[better] - scores[worse]).mean(axis=1)
    sums = np.stack([[d[[code == name for code in codes]].sum() for name in sorted(set(codes))] for d in scores[better] - scores[worse]])
    assert t_values == pytest.approx(sums.mean(axis=1) / (sums.std(axis=1, ddof=1) / math.sqrt(7)), rel=1e-9)
    margins = (high - low) / 2 / (difference / t_values)
    assert margins == pytest.approx([margins[0]] * 3, rel=1e-9)


def test_random_numbers_are_the_ones_results_were_published_with() -> None:
    p_values = stepdown(b=700, seed=7).p_values(drawn(6, 9, effect=0.02).round(3), *np.triu_indices(6, 1), HERE)
    assert hashlib.sha256(p_values.tobytes()).hexdigest()[:16] == "b1da37e485b9c567"


def test_the_same_bits_in_small_parts_on_threads_and_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = drawn(9, 14, effect=0.01)
    better, worse = observed_pairs(scores)
    test = stepdown(b=1700)
    here = test.p_values(scores, better, worse, HERE)
    ends = test.intervals(scores, better, worse, 0.95, HERE)
    for chunk in (500, 1000, 5000):
        monkeypatch.setattr(module, "_families", {})
        monkeypatch.setattr(module, "CHUNK", chunk)
        with ThreadPoolExecutor(3) as executor:
            there = RunOptions(executor=executor)
            assert np.array_equal(test.p_values(scores, worse, better, there), here)
            assert np.array_equal(test.intervals(scores, better, worse, 0.95, there), ends)
    monkeypatch.setattr(module, "_families", {})
    last = len(scores) - 1
    assert np.array_equal(test.p_values(np.ascontiguousarray(scores[::-1]), last - better, last - worse, HERE), here)


def test_random_runs_without_differences_are_seldom_told_apart() -> None:
    # 100 boards of 12 equal runs on 24 topics; 11 false claims of 100 have a chance of .01 at .05.
    claims = sum((stepdown(b=499).p_values(drawn(12, 24, seed), *np.triu_indices(12, 1), HERE) <= 0.05).any() for seed in range(100))
    assert claims <= 11


def test_settles_more_pairs_of_trec_7_than_holm(shared: Path) -> None:
    scores = np.genfromtxt(shared / "trec7_ap.csv", delimiter=",", skip_header=1).T
    found = int(conclude(scores, stepdown, unadjusted, HERE).rejected.sum())
    assert found == 2215
    from inexmetrics import t

    assert int(conclude(scores, t, Holm, HERE).rejected.sum()) == 1962


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("significance(MAP | stepdown)", "significance(MAP | stepdown)"),
        ("ranks(MAP | unadjusted | stepdown)", "ranks(MAP | stepdown)"),
        ("significance(MAP | stepdown(b=99) | unadjusted(alpha=0.01))", "significance(MAP | stepdown(b=99) | unadjusted(alpha=0.01))"),
        ("agreement(MAep ~ Gen5 + BinExh | stepdown)", "agreement(Gen5, BinExh, measure=MAep, test=stepdown)"),
        ('ranks(MAP | stepdown(clusters="family"))', 'ranks(MAP | stepdown(clusters="family"))'),
    ],
)
def test_needs_no_correction(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical
    assert parse(canonical) == parse(text)


def test_what_does_not_go_with_it() -> None:
    for correction in (BY, Holm):
        with pytest.raises(FormulaError, match="significance: correction: expected unadjusted, found "):
            significance(MAP, test=stepdown, correction=correction)
    for make in (lambda: versus("a", MAP, test=stepdown), lambda: error_rate(MAP, tests=(stepdown,))):
        with pytest.raises(FormulaError, match="expected a test of one pair of runs, found stepdown, which compares all runs at once"):
            make()


def test_every_experiment_of_all_pairs_takes_it() -> None:
    found = run("significance(MAP | stepdown(b=999))", sample())
    assert found.tested == "stepdown, two-tailed; 435 hypotheses, corrected by the test at alpha = 0.05"
    assert found.table["p_adjusted"].equals(found.table["p_value"].alias("p_adjusted"))
    assert run("ranks(MAP | stepdown(b=999))", sample()).tables["summary"]["tiers"].item() > 1
    shared = run("agreement(MAP + P@10 | stepdown(b=999))", sample()).table.row(0, named=True)
    assert shared["n_predictor"] == found.tables["summary"]["significant"].item()
    judged = run('judges(MAP ~ assessor("second") | stepdown(b=999), truth=assessor("first"))', sample()).table.row(0, named=True)
    assert 0 < judged["n_both"] <= judged["n_judge"]


@pytest.mark.filterwarnings("ignore:topics with the same .* are treated as independent:inexmetrics.CollectionWarning")
def test_clusters_of_a_board() -> None:
    rows = drawn(4, 12, effect=0.06)
    frame = pl.DataFrame({"topic": range(12), "family": [f"f{i % 5}" for i in range(12)], **{f"s{i}": rows[i] for i in range(4)}})
    scores = scores_from(frame, clusters="family")
    with pytest.warns(CollectionWarning, match=r'found 5 clusters; with fewer than 8 clusters .* write t\(clusters="family"\) \\| Holm'):
        table = run('significance(given("a") | stepdown(b=999, clusters="family"))', scores).table
    assert not table["p_value"].equals(run('significance(given("a") | stepdown(b=999))', scores).table["p_value"])


@pytest.mark.parametrize(("test", "topics", "enough"), [("stepdown", n, 8) for n in (3, 7, 8)] + [("bootstrap", n, 10) for n in (2, 9, 10)])
def test_few_topics_are_warned_of_and_nothing_is_called_true(test: str, topics: int, enough: int) -> None:
    """With three topics, random signs give four statistics, so that a p-value of 1 / (b + 1) is no evidence."""
    values = np.linspace(0, 0.9, 4)[:, None] + np.linspace(0, 0.05, topics) * np.array([1, -1, 1, -1])[:, None]
    scores = Scores(tuple("abcd"), tuple(f"t{number}" for number in range(topics)), {UNNAMED: values})
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = run(f'significance(given("x") | {test})', scores)
    assert result.table["significant"].any()
    few = f"{test}: found {topics} topics; with fewer than {enough} topics the test rejects too often; write t"
    few += " | Holm" if test == "stepdown" else ""
    assert (few in map(str, (each.message for each in told))) == (topics < enough)
    assert (few in result.warnings) == (topics < enough)
    assert ("true" in result.finding) == (test == "stepdown" and topics >= enough)
