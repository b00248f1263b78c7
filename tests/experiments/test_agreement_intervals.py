from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl
import pytest

from inexmetrics import (
    BH,
    BY,
    MAP,
    Agreement,
    AgreementResult,
    BinExh,
    CollectionWarning,
    FormulaError,
    Gen5,
    GenLifted,
    MAep,
    P,
    Scores,
    SignificanceTest,
    agreement,
    bootstrap,
    parse,
    run,
    sample,
    scores_from,
    sign,
    t,
    wilcoxon,
)
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.tables import tables_of
from inexmetrics.inference import topic_sets
from inexmetrics.inference.conclusions import conclude
from inexmetrics.inference.means import means
from inexmetrics.inference.topic_sets import Outcome, PairOfMatrices, TopicSets, ratios, statistics_on_topic_sets
from tests.examples import quietly
from tests.reference.topic_sets import interval_ends, resampled_topics, simulated_scores

pytestmark = [
    pytest.mark.filterwarnings("ignore:.* the intervals depend strongly on the seed:inexmetrics.CollectionWarning"),
    pytest.mark.filterwarnings("ignore:.* precision, recall and F1 are rough:inexmetrics.CollectionWarning"),
]


def matrices() -> list[FloatArray]:
    """Returns scores of five runs on twelve topics under three conditions; the second is undefined on one topic, and all are undefined on another topic."""
    random = np.random.default_rng(4)
    base = random.random((5, 12)) * 0.3 + np.arange(5)[:, None] * 0.08
    found = [base + random.normal(0, 0.05, base.shape) for _ in range(3)]
    found[1][:, 3] = np.nan
    for matrix in found:
        matrix[:, 7] = np.nan
    return found


def pairs() -> list[list[PairOfMatrices]]:
    first, second, third = matrices()
    return [[PairOfMatrices(first, second)], [PairOfMatrices(first, third)], [PairOfMatrices(second, third)]]


def on_sets(sets: TopicSets, test: SignificanceTest = t, setting: RunOptions | None = None) -> list[list[tuple[float | None, ...]]]:
    """Returns precision, recall and F1 of each pair on each set."""
    found = statistics_on_topic_sets(pairs(), (test, BH), ratios, sets, setting or RunOptions())
    return [[tuple(None if math.isnan(value) else value for value in row) for row in values.tolist()] for values, _ in found]


def by_definition(sets: TopicSets, test: SignificanceTest, *, resampled: bool) -> list[list[tuple[float | None, ...]]]:
    found = []
    for [pair] in pairs():
        rows = []
        for number in range(sets.resamples):
            if resampled:
                of_conditions = resampled_topics([pair.predictor, pair.truth], sets.seed, number)
                drawn = [matrix[:, topics] for matrix, (topics, _) in zip((pair.predictor, pair.truth), of_conditions, strict=True)]
            else:
                drawn = [*simulated_scores(pair.predictor, pair.truth, sets.seed, number)]
            outcomes = [Outcome(means(scores), conclude(scores, test, BH, RunOptions()).rejected) for scores in drawn]
            rows.append(ratios([(outcomes[0], outcomes[1])]))
        found.append(rows)
    return found


@pytest.mark.parametrize(("test", "resampled"), [(t, False), (t(tails=1), False), (wilcoxon, True), (sign(tails=1), True)], ids=str)
def test_equals_its_definition(test: SignificanceTest, resampled: bool) -> None:
    """Simulated scores have no ties, which matter to tests of ranks and signs: for these, topics are resampled."""
    sets = TopicSets(45, 3, 0.9)
    found = on_sets(sets, test)
    assert found == by_definition(sets, test, resampled=resampled)
    assert len({row for values in found for row in values}) > 20, "the sets differ"


def test_is_the_same_on_threads_and_begins_alike() -> None:
    found = on_sets(TopicSets(45, 3, 0.9))
    with ThreadPoolExecutor(3) as executor:
        assert on_sets(TopicSets(45, 3, 0.9), setting=RunOptions(executor=executor)) == found
    assert [values[:45] for values in on_sets(TopicSets(60, 3, 0.9))] == found, "more sets begin with those of fewer"


def test_simulated_scores_have_the_means_and_covariances_of_the_scores() -> None:
    """Over many sets, the means of two statistics that are sums of scores agree with those of normal scores."""
    first, second, _ = matrices()
    drawn: list[FloatArray] = []

    def collect(draws: Sequence[tuple[Outcome, Outcome]]) -> tuple[float | None, ...]:
        ((predictor, truth),) = draws
        drawn.append(np.concatenate([predictor.means, truth.means]))
        return ()

    [(_, topics)] = statistics_on_topic_sets([[PairOfMatrices(first, second)]], (t, BH), collect, TopicSets(1500, 0, 0.9), RunOptions())
    both = ~np.isnan(first[0] + second[0])
    scores = np.vstack([first[:, both], second[:, both]])
    assert topics == both.sum() == 10
    covariance = np.cov(scores)
    standard_error = np.sqrt(np.diag(covariance) / topics / 1500)
    assert (np.abs(np.mean(drawn, axis=0) - scores.mean(axis=1)) < 4 * standard_error).all()
    assert np.cov(np.array(drawn).T) * topics == pytest.approx(covariance, abs=3 * covariance.max() / math.sqrt(1500))


def test_sums_are_exact_whatever_the_number_of_topics_drawn_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found = statistics_on_topic_sets(pairs(), (t, BH), means_of_runs, TopicSets(3, 0, 0.9), RunOptions())
    monkeypatch.setattr(topic_sets, "DRAWN", 3)
    again = statistics_on_topic_sets(pairs(), (t, BH), means_of_runs, TopicSets(3, 0, 0.9), RunOptions())
    assert all((one == other).all() for (one, _), (other, _) in zip(found, again, strict=True))


def means_of_runs(draws: Sequence[tuple[Outcome, Outcome]]) -> list[float]:
    ((predictor, truth),) = draws
    return [*predictor.means.tolist(), *truth.means.tolist()]


def test_progress_counts_tasks() -> None:
    seen: list[tuple[str, int, int]] = []
    on_sets(TopicSets(45, 0, 0.95), setting=RunOptions(progress=lambda what, done, total: seen.append((what, done, total))))
    assert seen == [("resamples", 0, 3), ("resamples", 1, 3), ("resamples", 2, 3), ("resamples", 3, 3)]


@pytest.mark.parametrize(("work", "tasks"), [(7 * 900, 7), (1, 45)])
def test_large_sets_are_fewer_a_task(work: int, tasks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # 3 pairs, each of whose two conditions have 5 runs on 12 topics: 3 * 5 * 5 * 12 = 900 differences a set
    monkeypatch.setattr(topic_sets, "WORK", work)
    totals = set[int]()
    found = on_sets(TopicSets(45, 3, 0.9), setting=RunOptions(progress=lambda what, done, total: totals.add(total)))
    assert totals == {tasks}
    assert found == by_definition(TopicSets(45, 3, 0.9), t, resampled=False)


@pytest.mark.parametrize(("test", "resampled"), [(t, False), (sign, True)], ids=str)
def test_draws_are_counted_together_on_the_same_sets(test: SignificanceTest, *, resampled: bool) -> None:
    """The draws of a pair share the topics of a set, also where a draw leaves a topic undefined."""
    first, second, third = matrices()
    third[:, 5] = np.nan
    draws = [PairOfMatrices(first, third), PairOfMatrices(second, third)]
    sets = TopicSets(9, 2, 0.9)
    [(found, topics)] = statistics_on_topic_sets([draws], (test, BH), ratios, sets, RunOptions())
    expected = []
    for number in range(9):
        outcomes = []
        for draw in draws:
            if resampled:
                chosen = next(topics for topics, _ in resampled_topics([first, second, third], 2, number))
                boards = [
                    matrix[:, [topic for topic in chosen if not np.isnan(matrix[0, topic])]] for matrix in (draw.predictor, draw.truth)
                ]
            else:
                boards = [*simulated_scores(draw.predictor, draw.truth, 2, number, among=~np.isnan(first[0] + third[0]))]
            one, other = (Outcome(means(scores), conclude(scores, test, BH, RunOptions()).rejected) for scores in boards)
            outcomes.append((one, other))
        expected.append(ratios(outcomes))
    assert found.tolist() == [[math.nan if value is None else value for value in row] for row in expected]
    assert topics == (11 if resampled else 9)


@pytest.mark.filterwarnings("ignore:.* undefined under P@5 ~ sampled:inexmetrics.CollectionWarning")
def test_values_over_draws_of_documents_lie_in_their_intervals() -> None:
    result = run(parse("agreement(P@5 ~ sampled(0.3, seed=4) + 1, draws=4, resamples=20)", Agreement), sample())
    shown = dict(result.intervals.select("statistic", "value").iter_rows())
    assert shown == result.table.select("precision", "recall", "f1").row(0, named=True)
    assert shown["recall"] not in result.draws["recall"].to_list()
    assert result.intervals.select((pl.col("low") <= pl.col("value")) & (pl.col("value") <= pl.col("high")))["low"].all()
    with pytest.raises(FormulaError, match=r"resamples: expected a single draw of topics, found draws=2"):
        parse("agreement(P@5 + MAP ~ topics(9), draws=2, resamples=20)")


def test_a_single_run_shares_nothing() -> None:
    first, second, _ = matrices()
    alone = PairOfMatrices(first[:1], second[:1])
    [(found, _)] = statistics_on_topic_sets([[alone]], (t, BH), ratios, TopicSets(2, 0, 0.9), RunOptions())
    assert found.tolist() == [[1.0, 1.0, 1.0]] * 2


@pytest.mark.parametrize("test", [bootstrap(b=200, clusters="part"), t(clusters="part")], ids=str)
def test_clusters_are_resampled_as_wholes(test: SignificanceTest) -> None:
    """A cluster that is drawn twice is treated as two clusters."""
    random = np.random.default_rng(5)
    scores = random.random((4, 18)) * 0.2 + np.arange(4)[:, None] * 0.05
    other = scores + random.normal(0, 0.05, scores.shape)
    clusters = np.arange(18) % 7
    pair = PairOfMatrices(scores, other, clusters)
    [(found, units)] = statistics_on_topic_sets([[pair]], (test, BH), ratios, TopicSets(12, 1, 0.9), RunOptions())
    assert units == 7
    expected = []
    for number in range(12):
        outcomes = []
        for matrix, (topics, draws) in zip((scores, other), resampled_topics([scores, other], 1, number, clusters.tolist()), strict=True):
            on_clusters = test.on_clusters({"part": tuple(map(str, draws))})
            outcomes.append(Outcome(means(matrix[:, topics]), conclude(matrix[:, topics], on_clusters, BH, RunOptions()).rejected))
        expected.append([math.nan if value is None else value for value in ratios([(outcomes[0], outcomes[1])])])
    assert np.array_equal(found, np.array(expected), equal_nan=True)


def test_agreement_resamples_clusters_of_score_matrices() -> None:
    random = np.random.default_rng(5)
    base = random.random((6, 20)) * 0.2 + np.arange(6)[:, None] * 0.04
    part = {"cheap": base + random.normal(0, 0.03, base.shape), "dear": base}
    rows = [
        {"run_id": f"r{run}", "topic_id": f"{topic:02}", "part": f"p{topic % 8}", "measure": name, "score": float(matrix[run, topic])}
        for name, matrix in part.items()
        for run, topic in np.ndindex(matrix.shape)
    ]
    formula = 'agreement(given("cheap") + given("dear") | bootstrap(b=100, clusters="part"), resamples=8)'
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        result = run(formula, scores_from(pl.DataFrame(rows), clusters="part"))
    table = result.tables["intervals"]
    pair = PairOfMatrices(part["cheap"], part["dear"], np.arange(20) % 8)
    rule = (bootstrap(b=100, clusters="part"), BY)
    [(drawn, units)] = statistics_on_topic_sets([[pair]], rule, ratios, TopicSets(8, 0, 0.95), RunOptions())
    assert units == 8
    expected = [TopicSets(8, 0, 0.95).ends(value, of, 8) for value, of in zip(table["value"], drawn.T, strict=True)]
    assert table.select("low", "high", "next_low", "next_high").rows() == expected


@pytest.mark.parametrize(("topics", "values"), [(1, [0.1, 0.2]), (9, [0.1]), (9, [0.1, math.nan]), (9, [])])
def test_ends_are_undefined_without_topics_or_sets(topics: int, values: list[float]) -> None:
    assert TopicSets(3, 0, 0.95).ends(0.5, np.array(values), topics) == (None, None, None, None)


def test_ends_are_centred_at_the_value_and_cut_to_its_range() -> None:
    drawn = [None, 0.2, 0.3, 0.25, 0.4]
    values = np.array([math.nan if value is None else value for value in drawn])
    quantile = 2.2621571627409915  # R: qt(.975, 9)
    for value, smallest in ((0.5, 0.0), (0.95, 0.0), (-0.9, -1.0), (0.05, 0.0)):
        expected = interval_ends(value, drawn, quantile, smallest)
        assert TopicSets(5, 0, 0.95).ends(value, values, 10, smallest) == pytest.approx(expected)
    assert TopicSets(5, 0, 0.95).ends(None, values, 10) == (None, None, None, None)


def test_table_intervals() -> None:
    asked = agreement(MAep, (Gen5, GenLifted, BinExh), test=t(tails=1), resamples=50, interval=0.9)
    result = asked.answer(sample(), RunOptions())
    assert list(result.tables) == ["agreement", "differences", "intervals"]
    table = result.intervals
    assert table.columns == list(tables_of(AgreementResult)["intervals"].columns())
    assert tables_of(AgreementResult)["intervals"].validate(table).height == 9
    assert table["statistic"].to_list() == ["precision", "recall", "f1"] * 3
    shown = [value for row in result.table.select("precision", "recall", "f1").rows() for value in row]
    assert table["value"].to_list() == shown
    assert (table["low"] <= table["high"]).all()
    wider = agreement(MAep, (Gen5, GenLifted, BinExh), test=t(tails=1), resamples=50).answer(sample(), RunOptions()).intervals
    assert (wider["low"] <= table["low"]).all()
    assert (wider["high"] >= table["high"]).all()
    other = agreement(MAep, (Gen5, GenLifted, BinExh), test=t(tails=1), resamples=50, seed=1, interval=0.9).answer(sample(), RunOptions())
    assert not other.intervals.equals(table)


def test_of_pairs_that_reject_nothing(small: Scores) -> None:
    rows = agreement((MAP, P @ 10), resamples=5, test=t(tails=1)).answer(small, RunOptions()).intervals
    assert rows["measure"].to_list() == [None] * 3
    assert rows["statistic"].to_list() == ["precision", "recall", "f1"]


@pytest.mark.filterwarnings("ignore:agreement. overstated differences were not tested")
@pytest.mark.filterwarnings("ignore:.* not means; write t:inexmetrics.CollectionWarning")
def test_each_interval_holds_its_value_and_lies_within_the_next() -> None:
    """Tested on many runs and few topics, where resampled topics change the conclusions."""
    random = np.random.default_rng(0)
    truth = np.linspace(0, 0.2, 20)[:, None] + random.normal(0, 0.2, 12) + random.normal(0, 0.1, (20, 12))
    rows = [
        {"run_id": f"r{run:02}", "topic_id": f"{topic:02}", "measure": measure, "score": float(scores[run, topic])}
        for measure, scores in (("cheap", truth + random.normal(0, 0.02, truth.shape)), ("dear", truth))
        for run, topic in np.ndindex(scores.shape)
    ]
    for test in ("t(tails=1)", "sign(tails=1) | unadjusted"):
        table = run(f'agreement(given("cheap") + given("dear") | {test}, resamples=60)', scores_from(pl.DataFrame(rows))).tables[
            "intervals"
        ]
        assert table.select((pl.col("next_low") <= pl.col("low")).all(), (pl.col("low") <= pl.col("value")).all()).row(0) == (True, True)
        assert table.select((pl.col("value") <= pl.col("high")).all(), (pl.col("high") <= pl.col("next_high")).all()).row(0) == (True, True)


def test_both_intervals_are_printed() -> None:
    text = str(run("agreement(Gen5, BinExh, measure=MAep, resamples=9)", sample()))
    assert "[low, high]  [next_low, next_high]" in text


def test_without_resamples_there_is_none() -> None:
    result = agreement(Gen5, BinExh, measure=MAep, test=t(tails=1)).answer(sample(), RunOptions())
    assert "intervals" not in result.tables
    with pytest.raises(ValueError, match="expected the name of a table"):
        result.intervals  # noqa: B018


@pytest.mark.parametrize(("resamples", "told"), [(0, False), (2, True), (199, True), (200, False)])
@pytest.mark.parametrize(
    "formula", ['agreement(MAP ~ assessor("third") + assessor("second"){})', 'judges(MAP ~ assessor("third"), truth=assessor("second"){})']
)
def test_intervals_of_few_topic_sets_are_warned_of_and_not_stated(formula: str, resamples: int, told: bool) -> None:
    """With two topic sets, the intervals of eight seeds were 0 to 60 points wide."""
    result = run(formula.format(f", resamples={resamples}"), sample().only(runs=[f"group0{n}-{x}" for n in (1, 2, 3) for x in "ab"]))
    word = formula.partition("(")[0]
    few = f"{word}: resamples={resamples}: with fewer than 200, the intervals depend strongly on the seed; write resamples=1000"
    assert [text for text in result.warnings if "resamples" in text] == [few] * told
    rough = (
        f"{word}: the truth finds only 7 significant differences; with fewer than 10, the intervals of precision, recall and F1 are rough"
    )
    assert [text for text in result.warnings if "rough" in text] == [rough] * (resamples > 0)
    assert ("interval" in result.finding) == (resamples >= 200 and word == "agreement")
    assert ("intervals" in result.tables) == (resamples > 0)


def test_texts() -> None:
    short = "agreement(Gen5, BinExh, measure=MAep, test=t(tails=1), resamples=20)"
    assert str(parse(short)) == short
    assert str(parse("agreement(MAep ~ Gen5 + BinExh | t(tails=1), resamples=20)")) == short
    long = "agreement(MAep ~ Gen5 + GenLifted + BinExh | t(tails=1), resamples=50, seed=2, interval=0.9)"
    assert str(parse(long)) == long
    assert str(parse("agreement(MAP + P@10, resamples=0)")) == "agreement(MAP + P@10)"
    with pytest.raises(FormulaError, match="no parameter takes a negative number"):
        parse("agreement(MAP + P@10, resamples=-1)")
    with pytest.raises(FormulaError, match=r"resamples: expected an integer of at least 0|expected an integer from 0 to 1000000"):
        agreement((MAP, P @ 10), resamples=-1)


def test_pairs_of_conditions_agree_best_only_if_the_intervals_tell_them_apart() -> None:
    random = np.random.default_rng(6)
    truth = random.normal(0.4, 0.05, (8, 40)) + np.linspace(0, 0.08, 8)[:, None]
    near, far = (truth + random.normal(0, spread, truth.shape) for spread in (0.01, 0.03))
    none = random.normal(0.4, 0.05, truth.shape)

    def found(*predictors: FloatArray, options: str) -> str:
        of = {(f"P@{place}", "1"): scores for place, scores in enumerate(predictors, start=1)}
        board = Scores(tuple("abcdefgh"), tuple(f"t{topic:02}" for topic in range(40)), {("MAP", "1"): truth, **of})
        return quietly(f"agreement(MAP + P@1 + P@2 | BH{options})", board).finding

    lead = "Of 3 pairs of conditions, MAP and P@1 have the highest F1 ("
    assert found(near, far, options="").startswith(lead)
    assert "), a lead that resamples=1000 would test; MAP and P@2 have the lowest (F1 " in found(near, far, options="")
    assert "a lead that resamples=1000 would test" in found(near, far, options=", resamples=100")  # too few
    told = found(near, far, options=", resamples=400")
    assert told.startswith(lead)
    assert ", but the intervals do not tell it from 2 others (F1 up to 0." in told
    assert found(near, none, options=", resamples=400").startswith("Of 3 pairs of conditions, MAP and P@1 agree best (F1 ")
