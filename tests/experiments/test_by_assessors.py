"""Every experiment on one collection with the judgements of several assessors."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import (
    MAEPRUM,
    MAP,
    RR,
    Agreement,
    Assessments,
    BinExh,
    Collection,
    CollectionError,
    CollectionWarning,
    Correlation,
    Gen5,
    GenLifted,
    MAep,
    MAgP,
    MAiP,
    Measure,
    P,
    Result,
    Scoring,
    agreement,
    assessor,
    correlation,
    from_frames,
    iMAep,
    nDCG,
    nxCG,
    parse,
    run,
    sample,
    scores,
    threshold,
)
from inexmetrics.collection.assessors import by_assessor, judged_by
from inexmetrics.quantisations.base import Criterion
from inexmetrics.simulations.sample import ASSESSOR_NAMES
from tests.profiles import up_to

RUNS = {"a": {"1": {"d": 3.0, "e": 2.0}, "2": {"f": 1.0}}, "b": {"1": {"e": 3.0, "d": 2.0}, "2": {"g": 2.0, "f": 1.0}}}


def quietly(experiment: Scoring | str, collection: Collection) -> Result:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        return run(experiment, collection)


def per_topic(measure: Measure, quantisation: Criterion | None, collection: Collection) -> list[float | None]:
    table = quietly(scores(measure, quantisation), collection).tables["per_topic"]
    return table.sort("run_id", "topic_id")["score"].to_list()


@cache
def of_one(name: str) -> Collection:
    """Returns the sample with only one of its assessors."""
    whole = sample()
    return Collection(judged_by(whole.assessments, name), whole.runs, whole.structure)


@pytest.mark.parametrize("name", ASSESSOR_NAMES)
def test_documents_are_scored_as_if_there_were_no_other_assessor(name: str) -> None:
    for measure in (MAP, P @ 10, RR, nDCG @ 20):
        assert per_topic(measure, assessor(name), sample()) == per_topic(measure, None, of_one(name))


def test_assessors_stand_beside_the_judgements_of_the_collection() -> None:
    table = run(scores(MAP, (None, assessor("first"), assessor("second"))), sample()).table
    assert table["quantisation"].unique(maintain_order=True).to_list() == ["1", 'assessor("first")', 'assessor("second")']
    means = [of.sort("run_id")["mean"].to_list() for _, of in table.group_by("quantisation", maintain_order=True)]
    # The first assessor made the sample's own judgements.
    assert means[0] == means[1] != means[2]


def test_the_same_bits_in_small_batches_and_for_many_assessors(monkeypatch: pytest.MonkeyPatch) -> None:
    named = {f"{name} {number}": judged_by(sample().assessments, name) for name in ASSESSOR_NAMES for number in (1, 2)}
    part = Collection(by_assessor(named), sample().runs).only(topics=sample().topics[:5], runs=["group01-a", "group03-a", "group07-c"])
    asked = scores((MAP, nDCG @ 10, P @ 5), tuple(assessor(name) for name in named))
    whole = quietly(asked, part).tables["per_topic"]
    by_name = {name: of["score"].to_list() for (name,), of in whole.group_by("quantisation")}
    for name in ASSESSOR_NAMES:
        assert by_name[str(assessor(f"{name} 1"))] == by_name[str(assessor(f"{name} 2"))]
    monkeypatch.setattr("inexmetrics.ranking.judged_runs.BATCH", 40)
    assert quietly(asked, part).tables["per_topic"].equals(whole)


EXPERIMENTS = (
    'scores(MAP + nDCG@10 ~ assessor("first") + assessor("fourth"))',
    'significance(MAP ~ assessor("second") | t(tails=1))',
    'agreement(MAP ~ assessor("first") + assessor("second") + assessor("third") | t(tails=1))',
    'agreement(MAP ~ assessor("first") + assessor("second") | t(tails=1))',
    'error_rate(MAP ~ assessor("first"), tests=(t(tails=1), sign), splits=3)',
    'versus("group03-a", MAP ~ assessor("third"))',
    'curve(MAP ~ assessor("second"))',
    'correlation(MAP ~ assessor("first") + assessor("second"), of="runs", method="kendall")',
)


@pytest.mark.parametrize("text", EXPERIMENTS)
def test_experiments_run_and_print_as_they_were_written(text: str) -> None:
    result = run(text, sample())
    assert str(result).startswith(text + "\n")
    assert result.table.height
    assert [warning for warning in result.warnings if "significant differences depend on runs" not in warning] == []


def test_assessors_who_agree_lead_to_the_same_conclusions() -> None:
    first = judged_by(sample().assessments, "first")
    twins = Collection(by_assessor({"one": first, "two": first}), sample().runs)
    same = run(agreement(MAP, (assessor("one"), assessor("two"))), twins)
    assert (same.precision, same.recall, same.f1) == (1.0, 1.0, 1.0)
    (coefficient,) = run(correlation(MAP, (assessor("one"), assessor("two"))), twins).table["coefficient"]
    assert coefficient == pytest.approx(1.0)


def of_elements(*rows: tuple[str, str, str, str, float]) -> Assessments:
    table = pl.DataFrame(list(rows), schema=["topic_id", "doc_id", "path", "exhaustivity", "specificity"], orient="row")
    return from_frames(table.with_columns(size=100)).assessments


ANN = of_elements(("1", "d", "/a[1]", "1", 0.5), ("1", "d", "/a[1]/s[1]", "2", 1.0), ("2", "f", "/a[1]", "2", 0.3))
LLM = of_elements(("1", "d", "/a[1]", "2", 0.9), ("1", "e", "/a[1]/s[2]", "1", 0.4))
LISTED = pl.DataFrame(
    [
        ("r", "1", "d", "/a[1]/s[1]"),
        ("r", "1", "e", "/a[1]/s[2]"),
        ("r", "2", "f", "/a[1]"),
        ("s", "1", "d", "/a[1]"),
        ("s", "2", "d", "/a[1]"),
    ],
    schema=["run_id", "topic_id", "doc_id", "path"],
    orient="row",
)
BOTH = from_frames({"ann": ANN, "llm": LLM}, LISTED)


@pytest.mark.parametrize("measure", [MAep, iMAep(task="focused"), nxCG @ 2, MAP, nDCG, MAep(task="focused", ideal="greedy")], ids=str)
@pytest.mark.parametrize("quantisation", [Gen5, BinExh, GenLifted], ids=str)
def test_elements_are_those_of_the_assessor(measure: Measure, quantisation: Criterion) -> None:
    for name, judged in (("ann", ANN), ("llm", LLM)):
        alone = from_frames(replace(judged, topics=("1", "2")), LISTED)
        found = per_topic(measure, assessor(name, quantisation), BOTH)
        assert found == per_topic(measure, quantisation, alone)
        assert any(found)


def test_elements_of_an_assessor_are_documents_without_a_quantisation() -> None:
    # ann finds d relevant on topic 1, and f on topic 2; r and s both find d first, r finds f.
    assert per_topic(MAP, assessor("ann"), BOTH) == [1.0, 1.0, 1.0, 0.0]
    # llm finds d and e relevant on topic 1, and judged nothing of topic 2.
    assert per_topic(MAP, assessor("llm"), BOTH) == [1.0, None, 0.5, None]


@pytest.mark.parametrize("measure", [MAiP, MAgP, MAP, MAEPRUM], ids=str)
def test_passages_are_those_of_the_assessor(measure: Measure) -> None:
    names = ["topic_id", "doc_id", "start", "length", "docchars"]
    ann = pl.DataFrame([("1", "d", 0, 10, 50), ("1", "e", None, None, 20), ("2", "e", 5, 5, 20)], schema=names, orient="row")
    llm = pl.DataFrame([("1", "d", 20, 30, 50), ("2", "e", 0, 20, 20)], schema=names, orient="row")
    found = pl.DataFrame(
        [("r", "1", "d", 0, 25), ("r", "2", "e", 0, 10), ("s", "1", "e", 0, 9)], schema=["run_id", *names[:-1]], orient="row"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        both, alone = from_frames({"ann": ann, "llm": llm}, found), {"ann": from_frames(ann, found), "llm": from_frames(llm, found)}
    for name, collection in alone.items():
        scored = per_topic(measure, assessor(name), both)
        assert scored == per_topic(measure, None, collection)
        assert any(scored)


def test_thresholds_stand_outside_or_inside() -> None:
    outside = per_topic(MAep, threshold(assessor("ann", Gen5), 0.5), BOTH)
    assert outside == per_topic(MAep, assessor("ann", threshold(Gen5, 0.5)), BOTH)
    # Only the section gains 1, e·s/2 = 1; f's gain is .3, the article's .25: topic 2 is left without a relevant element.
    assert outside == [1.0, None, 0.0, None]


def test_topics_that_an_assessor_did_not_judge_are_left_out_and_counted() -> None:
    with pytest.warns(CollectionWarning) as caught:
        result = run(scores(MAP, (assessor("ann"), assessor("llm"))), BOTH)
    assert [str(warning.message) for warning in caught] == [
        '1 topic is undefined under MAP ~ assessor("llm") and excluded: 2',
        "assessor ann: 1 of the 2 documents that llm judged among the first 10 results of the runs is not judged by ann; "
        "most measures count an unjudged document as not relevant",
    ]
    assert result.table.select("run_id", "quantisation", "topics", "mean").rows() == [
        ("r", 'assessor("ann")', 2, 1.0),
        ("s", 'assessor("ann")', 2, 0.5),
        ("r", 'assessor("llm")', 1, 1.0),
        ("s", 'assessor("llm")', 1, 0.5),
    ]


def test_runs_that_find_nothing_that_an_assessor_judged_are_named() -> None:
    judged = from_frames({"x": {"1": {"d": 1}}, "y": {"1": {"z": 1}}}, {"run": {"1": {"d": 1.0}}})
    with pytest.warns(CollectionWarning) as caught:
        run('scores(MAP ~ assessor("x") + assessor("y"))', judged)
    assert [str(warning.message) for warning in caught] == [
        "1 run retrieved no document assessed by y: run",
        "assessor y: 1 of the 1 documents that x judged among the first 10 results of the runs is not judged by y; "
        "most measures count an unjudged document as not relevant",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('scores(MAP ~ assessor("second "))', "unknown assessor 'second '; did you mean second?"),
        (
            'scores(MAep ~ assessor("second", Gen5))',
            "assessor second: expected assessed elements or highlighted passages, found graded documents, which have no specificity; to quantise documents, use by_grade or votes",
        ),
    ],
)
def test_what_an_assessor_cannot_answer(text: str, message: str) -> None:
    with pytest.raises(CollectionError) as caught:
        run(text, sample())
    assert str(caught.value) == message


NOBODY = 'expected a formula that selects an assessor, found judgements by 2 named assessors ("x", "y"); write '
OF_TWO = '~ assessor("x") after the measure, or ~ jury("x", "y")'
FOL = pl.DataFrame({"topic_id": ["1"], "doc_id": ["d"], "start": [0], "length": [5], "docchars": [9]})
GRADED = pl.DataFrame({"topic_id": ["1", "2", "3"], "doc_id": ["d"] * 3, "grade": [1] * 3})


@pytest.mark.parametrize(
    ("formula", "judged", "example"),
    [
        ("scores(MAP)", GRADED, OF_TWO),
        ("scores(nDCG@10 ~ topics(2))", GRADED, OF_TWO),
        ("scores(P@1)", FOL, OF_TWO),
        ("scores(char_prec)", FOL, OF_TWO),
        ("scores(MAep ~ Gen5)", FOL, '~ assessor("x", Gen5) after the measure'),
    ],
)
def test_the_judgements_of_nobody_in_particular_are_asked_for(formula: str, judged: pl.DataFrame, example: str) -> None:
    collection = from_frames({"x": judged, "y": judged}, {"run": {topic: {"d": 1.0} for topic in judged["topic_id"]}})
    with pytest.raises(CollectionError) as caught:
        quietly(formula, collection)
    message = str(caught.value)
    assert message.endswith(NOBODY + example)
    assert message.removesuffix(NOBODY + example) in ("", "topics(2): ")


def test_an_error_of_one_assessors_judgements_says_whose_they_are() -> None:
    fol = pl.DataFrame({"topic_id": ["1"], "doc_id": ["d"], "start": [0], "length": [5], "docchars": [9]})
    judged = from_frames({"ann": fol, "bob": fol}, {"run": {"1": {"d": 1.0}}})
    with pytest.raises(CollectionError) as caught:
        run('scores(MAep ~ assessor("bob", Gen5))', judged)
    assert str(caught.value) == "assessor bob: Gen5 needs the exhaustivity of elements, but highlighted passages have none"
    assert per_topic(MAep, assessor("bob", BinExh), judged) == [1.0]


@st.composite
def opinions_of(draw: st.DrawFn) -> dict[str, dict[str, dict[str, int]]]:
    """Grades by assessor, topic and document."""
    grades = st.dictionaries(st.sampled_from("defgh"), st.integers(-1, 2), min_size=1)
    topics = st.dictionaries(st.sampled_from("12"), grades, min_size=1)
    found = draw(st.dictionaries(st.sampled_from("xyz"), topics, min_size=1))
    if not {"1", "2"} <= {topic for judged in found.values() for topic in judged}:
        found["w"] = {"1": {"d": 1}, "2": {"f": 1}}
    return found


@given(opinions_of())
@up_to(40)
def test_any_assessor_scores_runs_as_alone(opinions: dict[str, dict[str, dict[str, int]]]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        together = from_frames(opinions, RUNS)
        measures = (MAP, nDCG, MAP(rel=2))
        found = run(scores(measures, tuple(map(assessor, opinions))), together).tables["per_topic"]
        for name, judged in opinions.items():
            alone = run(scores(measures), from_frames({topic: judged.get(topic, {}) for topic in ("1", "2")}, RUNS)).tables["per_topic"]
            of_name = found.filter(quantisation=str(assessor(name)))
            columns = ["measure", "run_id", "topic_id", "score"]
            assert of_name.select(columns).sort(columns[:3]).rows() == alone.select(columns).sort(columns[:3]).rows()


# ------------------------------------------------------------------------------------------------ seven workers of a crowd

TOPICS = 40


@pytest.fixture(scope="module")
def crowd(shared: Path) -> Collection:
    """Returns crowd judgements of which only counts are known, so that the k-th worker represents "at least k workers said relevant", and simulated runs."""
    counts = pl.read_csv(shared / "crowd_counts.csv.gz", schema_overrides={"topic": pl.String, "doc": pl.String})
    some = counts.filter(pl.col("topic").is_in(counts["topic"].unique().sort()[:TOPICS].to_list()))
    votes = some.with_columns(assessor=pl.int_ranges(1, pl.col("n_assessors") + 1)).explode("assessor")
    judged = votes.select(
        topic_id="topic",
        assessor=pl.format("worker {}", pl.col("assessor")),
        doc_id="doc",
        grade=(pl.col("assessor") <= pl.col("n_relevant")).cast(pl.Int64),
    )
    rng = np.random.default_rng(5)
    runs = {}
    for number in range(8):
        noise = 0.2 + 0.25 * number
        scored = some.with_columns(score=pl.col("n_relevant") / pl.col("n_assessors") + noise * pl.Series(rng.normal(size=some.height)))
        runs[f"run{number}"] = scored.select(topic_id="topic", doc_id="doc", score="score")
    return from_frames(judged, runs)


@pytest.mark.filterwarnings("ignore:agreement. conditions have scores for different topics:inexmetrics.CollectionWarning")
def test_workers_of_a_crowd(crowd: Collection) -> None:
    assert len(crowd.topics) == TOPICS
    assert crowd.assessments.assessor_names[:7] == tuple(f"worker {number}" for number in range(1, 8))
    asked = parse("agreement(MAP ~ " + " + ".join(f'assessor("worker {number}")' for number in (1, 4, 7)) + " | t(tails=1))", Agreement)
    with pytest.warns(CollectionWarning, match=r'topics? (is|are) undefined under MAP ~ assessor\("worker 7"\)'):
        found = run(asked, crowd)
    assert found.table["pairs"].to_list() == [28, 28, 28]
    assert (found.table["f1"] > 0.5).all()
    related = parse('correlation(MAP ~ assessor("worker 1") + assessor("worker 4"), of="runs", method="spearman")', Correlation)
    (coefficient,) = run(related, crowd).table["coefficient"]
    assert coefficient > 0.9, "runs of graded quality are ordered alike by the lenient and by the majority"


def test_a_stricter_worker_finds_fewer_documents(crowd: Collection) -> None:
    """The k-th vote is for a document if at least k workers found it relevant, counted here directly."""
    held = crowd.assessments.assessors
    assert held is not None
    relevant = held.filter(pl.col("grade") > 0)
    counts = dict(relevant.group_by("assessor").len().iter_rows())
    by_document = relevant.group_by("topic_id", "doc_id").len()["len"].to_numpy()
    assert [counts[f"worker {number}"] for number in range(1, 8)] == [int((by_document >= number).sum()) for number in range(1, 8)]
    best = crowd.only(runs="run0")
    fewer = quietly(scores(P @ 5, tuple(assessor(f"worker {number}") for number in (1, 4, 7))), best).tables["per_topic"]
    means = (
        fewer.with_columns(pl.col("score").fill_null(0.0))
        .group_by("quantisation", maintain_order=True)
        .agg(pl.col("score").mean())["score"]
    )
    assert means.is_sorted(descending=True)
