"""The word `weighted`: scores estimated from a weighted sample of documents."""

from __future__ import annotations

import pickle
import re
import warnings
from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import (
    DCG,
    ERR,
    MAP,
    RBP,
    RR,
    Collection,
    CollectionError,
    CollectionWarning,
    FormulaError,
    Gen5,
    Measure,
    P,
    R,
    agreement,
    assessor,
    from_frames,
    jury,
    nDCG,
    parse,
    pooled,
    run,
    sampled,
    scores,
    scores_from,
    topics,
    weighted,
)
from inexmetrics.common.arrays import FloatArray
from inexmetrics.judgements.estimating import Bound, Sample
from inexmetrics.judgements.weighted import WeightedSample
from inexmetrics.judgements.weighted_samples import drawn, probabilities, values
from inexmetrics.measures.linear import LinearScore, which_are_linear
from inexmetrics.quantisations.base import Criterion
from inexmetrics.report.charts.drawing import specification
from inexmetrics.scoring.condition import Condition
from tests.profiles import up_to
from tests.reference import weighted as reference

HUMAN, LLM = assessor("human"), assessor("llm")
LINEAR = (P @ 3, P(rel=2) @ 2, RBP(p=0.5), DCG @ 3, DCG(gains="exponential") @ 2)


def quietly(judged: object, found: object) -> Collection:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return from_frames(judged, found)  # type: ignore[arg-type]


def random_collection(seed: int, runs: int = 4, topics: int = 6, documents: int = 12, length: int = 8) -> tuple[Collection, reference.Runs]:
    """Returns a collection in which people graded every document and a judge graded most, and its rankings."""
    generator = np.random.default_rng(seed)
    rankings = {
        f"r{run}": {f"t{topic}": [f"d{place}" for place in generator.permutation(documents)[:length]] for topic in range(topics)}
        for run in range(runs)
    }
    rows = [
        (f"t{topic}", name, f"d{document}", float(generator.integers(0, 4)))
        for topic in range(topics)
        for document in range(documents)
        for name in ("human", "llm")
        if name == "human" or generator.random() < 0.8
    ]
    judged = pl.DataFrame(rows, schema=["topic_id", "assessor", "doc_id", "grade"], orient="row")
    found = {
        run: {topic: {name: -float(rank) for rank, name in enumerate(listed)} for topic, listed in by_topic.items()}
        for run, by_topic in rankings.items()
    }
    return quietly(judged, found), rankings


def linear(measure: Measure) -> LinearScore:
    score = LinearScore.of(measure)
    assert score is not None
    return score


def sample_of(collection: Collection, choice: WeightedSample, measure: Measure) -> Sample:
    assert collection.runs is not None
    found = choice.sample(collection.assessments, collection.runs, linear(measure))
    assert found is not None
    return found


def grades_of(collection: Collection, name: str) -> dict[tuple[str, str], float]:
    judged = collection.assessments.assessors
    assert judged is not None
    return {
        (topic, document): grade for topic, document, grade in judged.filter(assessor=name).select("topic_id", "doc_id", "grade").rows()
    }


@pytest.mark.parametrize("measure", LINEAR, ids=str)
@pytest.mark.parametrize("with_judge", [True, False])
@given(seed=st.integers(0, 10**6), share=st.sampled_from([0.1, 0.3, 0.5, 0.9]))
@up_to(12)
def test_values_equal_those_written_out_document_by_document(measure: Measure, with_judge: bool, seed: int, share: float) -> None:
    collection, rankings = random_collection(seed)
    score = linear(measure)

    def gain(grade: float) -> float:
        return float(score.gains_of(np.array([grade]))[0])

    human, judge = grades_of(collection, "human"), grades_of(collection, "llm") if with_judge else None
    pooled_pairs = {*reference.weights_of(rankings, lambda rank: float(score.weights(np.array([rank]))[0]))}

    def highest(certain: list[tuple[str, str]]) -> float:
        known = [human[pair] for pair in certain] + [grade for pair, grade in (judge or {}).items() if pair in pooled_pairs]
        return max([gain(grade) for grade in known], default=0.0) or 1.0

    expected, _ = reference.estimated(
        rankings,
        lambda rank: float(score.weights(np.array([rank]))[0]),
        {pair: gain(grade) for pair, grade in human.items()},
        judge=judge,
        highest=highest,
        share=share,
        seed=seed,
    )
    choice = weighted(share, HUMAN, judge=LLM if with_judge else None, seed=seed)
    estimates = sample_of(collection, choice, measure).estimates()
    found = dict(zip(estimates.select("topic_id", "doc_id").rows(), estimates["value"], strict=True))
    assert list(found) == list(expected)
    np.testing.assert_allclose([*found.values()], [*expected.values()], rtol=1e-9, atol=1e-12)


@pytest.mark.filterwarnings("ignore:.*undefined under")
@pytest.mark.parametrize("measure", [*LINEAR, P @ 50], ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_the_mean_over_all_second_stages_is_the_score_under_all_judgements(measure: Measure, seed: int) -> None:
    collection, rankings = random_collection(seed)
    choice = weighted(0.4, HUMAN, judge=LLM, seed=seed)
    sample = sample_of(collection, choice, measure)
    score = linear(measure)
    human = grades_of(collection, "human")
    pairs = sample.pool.documents.rows()
    gains = score.gains_of(np.array([human[topic, document] for topic, document in pairs]))
    by_rank = reference.weights_of(rankings, lambda rank: float(score.weights(np.array([rank]))[0]))
    names = [(run, topic) for run in rankings for topic in collection.topics]
    weights = np.array([[by_rank[pair].get(run, 0.0) if pair[0] == topic else 0.0 for pair in pairs] for run, topic in names])
    others = sample.probabilities < 1.0
    certain = ~others

    def estimate(u: float) -> FloatArray:
        judged = certain.copy()
        judged[others] = drawn(sample.probabilities[others], u)
        found: FloatArray = weights @ values(gains, sample.expected, sample.probabilities, judged)
        return found

    assert others.any()
    mean = reference.mean_over_u(estimate, sample.probabilities[others].tolist())
    np.testing.assert_allclose(mean, weights @ gains, atol=1e-9)
    table = run(scores(measure, HUMAN), collection).tables["per_topic"]
    full = {(name, topic): value for name, topic, value in table.select("run_id", "topic_id", "score").rows()}
    np.testing.assert_allclose(mean, [full[name] or 0.0 for name in names], atol=1e-9)


@pytest.mark.filterwarnings("ignore:.*undefined under")
@pytest.mark.parametrize("measure", [*LINEAR, nDCG @ 3, nDCG(gains="exponential") @ 5], ids=str)
def test_a_share_of_1_is_full_judging_to_the_last_bit(measure: Measure) -> None:
    collection, _ = random_collection(3)
    asked = scores(measure, (weighted(1, HUMAN, judge=LLM), HUMAN))
    by = run(asked, collection).tables["per_topic"].pivot(on="quantisation", index=["run_id", "topic_id"], values="score")
    assert by[str(HUMAN)].to_list() == by[str(weighted(1, HUMAN, judge=LLM))].to_list()


@pytest.mark.filterwarnings("ignore:.*undefined under", "ignore:.*each topic is divided by")
@pytest.mark.parametrize("measure", [*LINEAR, nDCG @ 8], ids=str)
def test_a_budget_of_the_whole_pool_leaves_nothing_to_estimate(measure: Measure) -> None:
    """A share just below 1, rounded up, judges every pooled document. Under nDCG@8 the pool holds all judged documents."""
    collection, _ = random_collection(5, documents=8, length=8)
    nearly = weighted(0.9999, HUMAN, judge=LLM)
    by = run(scores(measure, (nearly, HUMAN)), collection).tables["per_topic"]
    found, full = (by.filter(quantisation=str(each))["score"] for each in (nearly, HUMAN))
    assert full.null_count() < len(full) / 2
    assert found.to_list() == full.fill_null(0.0).to_list()


def test_two_of_four_documents_by_hand() -> None:
    """Both runs have the weights 1/2 at ranks 1 and 2; a and b differ, so that both sizes are the same."""
    found = {"x": {"1": {"a": 2.0, "c": 1.0}}, "y": {"1": {"b": 2.0, "c": 1.0}}}
    collection = quietly({"1": {"a": 1, "b": 0, "c": 1}}, found)
    choice = weighted(2 / 3, seed=4)
    sample = sample_of(collection, choice, P @ 2)
    np.testing.assert_allclose(sample.pool.spread, [0.5, 0.5, 0.0])
    assert sample.judged.sum() == 2
    (pilot,) = np.flatnonzero(sample.judged & (sample.probabilities == 1.0)).tolist()
    gain = [1.0, 0.0, 1.0][pilot]
    mu = (gain + 1) / 3
    np.testing.assert_allclose(sample.expected, np.full(3, (gain + 4 * mu) / 5))
    sizes = np.delete(np.array([0.5, 0.5, 0.0]), pilot)
    mean = sizes.mean()
    np.testing.assert_allclose(np.delete(sample.probabilities, pilot), np.maximum(sizes, 0.1 * mean) / np.maximum(sizes, 0.1 * mean).sum())


def test_probabilities_add_up_and_are_proportional_below_1() -> None:
    generator = np.random.default_rng(0)
    for count, number in ((1, 1), (5, 2), (40, 39), (300, 17), (300, 250)):
        sizes = generator.exponential(size=count) + 0.01
        found = probabilities(sizes, number)
        assert found.sum() == pytest.approx(number, abs=1e-9)
        below = found < 1.0
        if below.any():
            ratios = found[below] / sizes[below]
            np.testing.assert_allclose(ratios, ratios[0])
            assert (sizes[~below] * ratios[0] >= 1.0 - 1e-9).all()


@pytest.mark.parametrize("u", [0.0, 0.25, 0.5, 0.999999])
def test_a_systematic_sample_has_as_many_documents_as_planned(u: float) -> None:
    sizes = np.random.default_rng(1).exponential(size=200) + 0.01
    found = probabilities(sizes, 60)
    assert abs(int(drawn(found, u).sum()) - 60) <= (u == 0.0)


def test_the_same_seed_draws_the_same_documents_and_another_seed_others() -> None:
    collection, _ = random_collection(0)
    first, again, other = (sample_of(collection, weighted(0.3, HUMAN, seed=seed), DCG @ 3).judged for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()
    results = [run(scores(DCG @ 3, weighted(0.3, HUMAN, seed=1)), random_collection(0)[0]).to_json() for _ in range(2)]
    assert results[0] == results[1]


def test_every_topic_with_a_pool_is_defined_below_a_share_of_1() -> None:
    found = {run: {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 2.0, "d": 1.0}} for run in ("x", "y")}
    collection = quietly({"1": {"a": 1, "b": 0}, "2": {"c": 0, "d": 0}}, found)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = run(scores(P @ 2, (weighted(0.75), weighted(1), None)), collection).table
        normalised = run(scores(nDCG @ 2, weighted(0.75)), collection).tables["per_topic"]
    assert table.filter(run_id="x")["topics"].to_list() == [2, 1, 1]
    assert normalised["score"].null_count() == 0


def test_topics_without_judgements_have_no_pool() -> None:
    judged = {"topic_id": ["1", "1", "2"], "assessor": ["human", "human", "llm"], "doc_id": ["a", "b", "a"], "grade": [1, 0, 1]}
    found = {run: {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0, "b": 0.5}} for run in ("x", "y")}
    collection = quietly(judged, found)
    assert sample_of(collection, weighted(0.9, HUMAN), P @ 2).pool.documents["topic_id"].unique().to_list() == ["1"]


def test_only_the_first_result_of_a_document_counts() -> None:
    """Chunk results: the document stands at its first result, so that b is the second document."""
    rows = {"run_id": ["x"] * 3, "topic_id": ["1"] * 3, "doc_id": ["a", "a", "b"], "start": [0, 10, 0], "length": [5, 5, 5]}
    judged = {"topic_id": ["1"] * 3, "doc_id": ["a", "b", "c"], "grade": [1, 1, 0]}
    collection = quietly(judged, rows)
    pool = sample_of(collection, weighted(0.9), P @ 2).pool
    assert pool.documents["doc_id"].to_list() == ["a", "b"]
    np.testing.assert_array_equal(pool.spread, [0.5, 0.5])


def test_a_run_alone_draws_by_its_weights() -> None:
    collection = quietly({"1": {"a": 1, "b": 1, "c": 0}}, {"x": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}})
    np.testing.assert_allclose(sample_of(collection, weighted(0.9), RBP(p=0.5)).pool.spread, [0.5, 0.25, 0.125])


def test_documents_without_a_judgement_are_counted() -> None:
    collection = quietly({"1": {"a": 1}, "2": {"a": 1}}, {run: {"1": {"a": 2.0, "u": 1.0}, "2": {"a": 1.0}} for run in ("x", "y")})
    with pytest.warns(
        CollectionWarning, match=r"weighted\(0\.8\): 1 of 3 pooled documents were not judged, and count as judged not relevant"
    ):
        run(scores(P @ 2, weighted(0.8)), collection)


def test_ndcg_says_that_its_ideal_is_known_beforehand() -> None:
    collection, _ = random_collection(0)
    with pytest.warns(
        CollectionWarning, match=r"weighted\(0\.5, assessor\(\"human\"\)\): each topic is divided by the ideal list that is known"
    ):
        run(scores(nDCG @ 3, weighted(0.5, HUMAN)), collection)


@pytest.mark.parametrize(("measure", "clipped"), [(P @ 1, True), (nDCG @ 1, False)], ids=str)
def test_intervals_of_estimated_ndcg_may_reach_beyond_1(measure: Measure, clipped: bool) -> None:
    """The mean over all samples of an estimated precision is at most 1; that of an estimated nDCG, under an ideal of expected gains, is not."""
    one = {f"t{topic}": {f"d{place}": 9.5 - 2 * place for place in range(4)} for topic in range(12)}
    other = {topic: {name: 9.5 - score for name, score in there.items()} for topic, there in one.items()}
    grades = {topic: {name: int(name == "d0" or topic < "t3") for name in there} for topic, there in one.items()}
    collection = quietly({"human": grades}, {"x": one, "y": other})
    samples = tuple(weighted(0.5, HUMAN, seed=seed) for seed in range(12))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        within = run(scores(measure, samples), collection).table.filter(pl.col("mean") <= 1.0, pl.col("high").is_not_null())
    assert (within["high"] <= 1.0).all() == clipped
    assert within.height > 2


def test_documents_drawn_with_very_small_probabilities_are_warned_of() -> None:
    count = 400
    judged = {"1": {f"d{place:03}": place % 2 for place in range(count)}}
    ranked = {
        "x": {"1": {f"d{place:03}": -float(place) for place in range(count)}},
        "y": {"1": {f"d{place:03}": place + 0.5 for place in range(count)}},
    }
    collection = quietly(judged, ranked)
    with pytest.warns(CollectionWarning, match=r"drawn with a probability below 0\.02 \(the smallest is 0\.0\d+\)"):
        run(scores(RBP(p=0.97), weighted(0.04)), collection)


@pytest.mark.parametrize("measure", [MAP, RR, R @ 10, ERR @ 10, nDCG, P(judged_only=True) @ 10, nDCG(unit="results") @ 10], ids=str)
@pytest.mark.parametrize("criterion", [weighted(0.5), weighted(1), topics(12, weighted(0.5))], ids=str)
def test_measures_that_are_not_linear_are_refused_and_those_that_are_named(measure: Measure, criterion: WeightedSample) -> None:
    with pytest.raises(FormulaError, match=r"expected a measure that is linear in gains under .*, found ") as caught:
        scores(measure, criterion)
    named = re.search(r"([\w@, ]+) and (\w+) are linear in gains", str(caught.value))
    assert named
    assert {"P@k", "DCG@k", "nDCG@k", "RBP"} <= {*named[1].strip().split(", "), named[2]}
    assert which_are_linear() in str(caught.value)


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("scores(P@10 ~ weighted(0))", "share: expected a number above 0 and of at most 1, found 0"),
        ("scores(P@10 ~ weighted(1.5))", "share: expected a number above 0 and of at most 1, found 1.5"),
        ("scores(P@10 ~ weighted())", "share"),
        ("scores(P@10 ~ weighted(0.5, judge=Gen5))", "judge: expected a selection of judgements"),
        ("scores(P@10 ~ weighted(0.5, judge=weighted(0.5)))", "judge: expected a selection of judgements"),
        ("scores(P@10 ~ weighted(0.5, judge=topics(12)))", "judge: expected a selection of judgements"),
        ("scores(P@10 ~ weighted(0.5, Gen5))", "expected a selection of judgements of whole documents, found a quantisation"),
        (
            "scores(P@10 ~ pooled(10, weighted(0.5)))",
            "expected the selection weighted outside other selections of judgements, found it inside pooled",
        ),
        ('scores(P@10 ~ sampled(0.5, estimated("x")))', "expected the selection estimated outside other selections of judgements"),
        (
            'agreement(P@10 ~ assessor("a") + assessor("b"), draws=3)',
            "draws: expected conditions that draw topics or documents, found none",
        ),
        ("agreement(P@10 ~ weighted(1) + 1, draws=3)", "draws: expected conditions that draw topics or documents, found none"),
    ],
)
def test_wrong_formulas(formula: str, message: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(formula)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "criterion",
    [
        weighted(0.5),
        weighted(0.25, HUMAN),
        weighted(0.25, judge=LLM),
        weighted(0.25, HUMAN, judge=jury("a", "b"), seed=3),
        topics(12, weighted(0.5, HUMAN)),
        weighted(0.5, sampled(0.5, HUMAN)),
        weighted(0.5, pooled(3)),
    ],
    ids=str,
)
def test_written_as_it_is_read(criterion: WeightedSample) -> None:
    asked = scores(P @ 10, criterion)
    assert parse(str(asked)) == asked
    assert pickle.loads(pickle.dumps(asked)) == asked


def test_the_first_of_many_samples_is_the_one_without_a_seed() -> None:
    assert weighted(0.5) == weighted(0.5, seed=0) != weighted(0.5, seed=1)


def test_draws_vary_the_seed() -> None:
    collection, _ = random_collection(2, runs=3, topics=10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = run(agreement(P @ 3, (weighted(0.5, HUMAN, judge=LLM, seed=4), HUMAN), draws=3), collection)
        alone = [run(agreement(P @ 3, (weighted(0.5, HUMAN, judge=LLM, seed=seed), HUMAN)), collection) for seed in (4, 5, 6)]
    names = ["n_predictor", "n_truth", "n_both"]
    assert result.tables["draws"].select(names).rows() == [each.table.select(names).row(0) for each in alone]
    first = [each.tables["differences"].select("difference_predictor", "p_predictor").rows() for each in alone]
    assert result.tables["differences"].select("difference_predictor", "p_predictor").rows() == [row for rows in first for row in rows]
    assert "Over 3 draws of documents" in result.finding


def test_the_chart_of_draws_compares_ways_to_judge_by_share() -> None:
    collection, rankings = random_collection(2, runs=4, topics=10)
    ways: list[Criterion] = [weighted(share, HUMAN, judge=LLM) for share in (0.25, 0.5)]
    ways += [topics(5, HUMAN), sampled(0.5, HUMAN), pooled(1, HUMAN), pooled(3, HUMAN)]
    ways += [pooled(documents=1, quantisation=sampled(0.5, HUMAN)), HUMAN]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = run(agreement(P @ 3, ways, draws=3), collection)
    depths = [
        {(topic, name) for lists in rankings.values() for topic, listed in lists.items() for name in listed[:depth]} for depth in (1, 3)
    ]
    first = len(depths[0]) / len(depths[1])
    assert result.experiment.drawing.by_share(result.origin.shares) == {
        str(ways[0]): (0.25, 'weighted(…, assessor("human"), judge=assessor("llm"))'),
        str(ways[1]): (0.5, 'weighted(…, assessor("human"), judge=assessor("llm"))'),
        str(ways[2]): (0.5, 'topics(…, assessor("human"))'),
        str(ways[3]): (0.5, 'sampled(…, assessor("human"))'),
        str(ways[4]): (first, 'pooled(…, assessor("human"))'),
        str(ways[5]): (1.0, 'pooled(…, assessor("human"))'),
        str(ways[6]): (first / 2, 'pooled(quantisation=sampled(…, assessor("human")), documents=…)'),
    }
    assert pickle.loads(pickle.dumps(result)).origin.shares == result.origin.shares
    drawn_chart = str(specification(result))
    assert "share of the judgements" in drawn_chart
    assert 'truth: assessor("human")' in drawn_chart


def test_topics_and_documents_are_drawn_together() -> None:
    collection, _ = random_collection(2, runs=3, topics=12)
    asked = agreement(P @ 3, (topics(6, weighted(0.5, HUMAN)), HUMAN), draws=2, fresh=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = run(asked, collection)
    assert result.finding.startswith("Over 2 draws of topics and documents,")


def test_a_table_of_scores_cannot_be_sampled() -> None:
    board = scores_from(pl.DataFrame({"topic": ["1", "2"], "x": [0.5, 0.25], "y": [0.5, 0.75]}), measure="P@10")
    with pytest.raises(
        CollectionError, match=r"expected assessments and runs, to compute scores under the chosen judgements, found scores by topic"
    ):
        run(scores(P @ 10, weighted(0.5)), board)


def test_runs_are_needed_and_a_share_of_two_documents() -> None:
    collection = quietly({"1": {"a": 1, "b": 0}}, {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 1.0}}})
    with pytest.raises(CollectionError, match=r"weighted\(0\.5\): expected a share of at least 2 of 2 pooled documents, found 1 document"):
        run(scores(P @ 1, weighted(0.5)), collection)
    judgements = Condition(P @ 1, weighted(0.5)).judgements
    assert isinstance(judgements, Bound)
    with pytest.raises(CollectionError, match=r"weighted\(0\.5\): expected runs, whose differences decide which documents are judged"):
        judgements.read(collection.assessments, None)


def test_a_quantisation_is_never_estimated() -> None:
    with pytest.raises(FormulaError, match="found a quantisation"):
        scores(P @ 10, weighted(0.5, assessor("a", Gen5)))


ALTERED: dict[str, Callable[[float], float]] = {"doubled": lambda grade: 2 * grade, "reversed": lambda grade: 3 - grade}


@pytest.mark.parametrize("change", ALTERED)
def test_the_judge_only_groups_documents(change: str) -> None:
    """A judge on another scale leads to the same sample under a binary measure, because its grades only tell documents apart."""
    collection, _ = random_collection(7)
    judged = collection.assessments.assessors
    assert judged is not None
    of_judge = pl.col("assessor") == "llm"
    altered = judged.with_columns(grade=pl.when(of_judge).then(ALTERED[change](pl.col("grade"))).otherwise("grade"))  # type: ignore[arg-type]
    choice = weighted(0.5, HUMAN, judge=LLM)
    first = sample_of(collection, choice, P @ 3)
    second = sample_of(quietly(altered, collection.runs), choice, P @ 3)
    assert first.estimates().equals(second.estimates())


@pytest.mark.parametrize("measure", [DCG @ 3, DCG(gains="exponential") @ 3, nDCG @ 3], ids=str)
def test_graded_gains_need_a_judge_on_the_same_scale(measure: Measure) -> None:
    collection, _ = random_collection(7)
    judged = collection.assessments.assessors
    assert judged is not None
    percent = judged.with_columns(grade=pl.when(pl.col("assessor") == "llm").then(pl.col("grade") * 30).otherwise("grade"))
    message = r"expected a judge on the scale of the people's grades, found grades up to 90 by the judge and up to 3 by people; under "
    with pytest.raises(CollectionError, match=message):
        run(scores(measure, weighted(0.5, HUMAN, judge=LLM)), quietly(percent, collection.runs))
