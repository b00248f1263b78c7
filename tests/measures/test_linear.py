"""Measures that are linear in gains equal their weighted sums, and no other measure claims to be linear."""

from __future__ import annotations

import warnings

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
    F,
    Family,
    Measure,
    P,
    R,
    Rprec,
    Success,
    assessor,
    bpref,
    from_frames,
    infAP,
    nDCG,
    run,
    scores,
    weighted,
)
from inexmetrics.measures.linear import Linear, LinearScore
from inexmetrics.ranking import JudgedRuns, batches
from tests.by_hand import Written
from tests.examples import own
from tests.profiles import up_to

LINEAR = (
    P @ 1,
    P(rel=2) @ 3,
    P @ 50,
    RBP,
    RBP(p=0.3, rel=2),
    DCG @ 2,
    DCG(gains="exponential") @ 20,
    nDCG @ 3,
    nDCG(gains="exponential") @ 20,
)
NAMED = [entry.value for entry in own(Measure, Family) if issubclass(entry.sort, Linear)]
"""The words of measures that claim to be linear, with default parameters."""
CUT = [value @ 4 for value in NAMED if isinstance(value, Family)]


@st.composite
def judged_runs(draw: st.DrawFn) -> JudgedRuns:
    grades = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-1, 3).map(float), min_size=1)
    found = st.lists(st.sampled_from("abcdefghxyz"), unique=True, min_size=1).map(lambda names: [(name, None) for name in names])
    written = Written({topic: draw(grades) for topic in ("1", "2")}, {run: {"1": draw(found), "2": draw(found)} for run in ("x", "y")})
    (judged,) = batches(written.collection())
    return judged


@pytest.mark.parametrize("measure", dict.fromkeys((*LINEAR, *CUT, *(value for value in NAMED if LinearScore.of(value)))), ids=str)
@given(judged=judged_runs())
@up_to(20)
def test_the_sum_of_weighted_gains_is_the_score_to_the_last_bit(measure: Measure, judged: JudgedRuns) -> None:
    score = LinearScore.of(measure)
    assert score is not None
    gains = score.gains_of(judged.assessed.documents.items["grade"].to_numpy())
    scores = measure.evaluate(judged, None)
    defined = ~np.isnan(scores)  # sums are defined even for a topic without relevant documents, which then score 0
    sums = score.of_values(judged, gains, gains)
    np.testing.assert_array_equal(sums[defined], scores[defined])
    assert not sums[~defined].any()


@pytest.mark.parametrize("measure", [P @ 2, nDCG @ 2], ids=str)
def test_a_topic_without_documents_to_draw_is_undefined(measure: Measure) -> None:
    """Nobody has judged topic 2 for the assessor whose documents are drawn; topic 3 has no relevant document, and scores 0."""
    names = {"topic_id": list("11233"), "assessor": ["ann", "ann", "bob", "ann", "ann"], "doc_id": list("ababc")}
    found = {name: {topic: {"a": 2.0, "b": 1.5} for topic in "123"} for name in ("x", "y")}
    collection = from_frames(pl.DataFrame(names).with_columns(grade=pl.Series([1, 1, 1, 0, 0])), found)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = run(scores(measure, weighted(0.99, assessor("ann"))), collection).tables["per_topic"]
    assert table.filter(topic_id="2")["score"].to_list() == [None, None]
    assert table.filter(pl.col("topic_id") != "2")["score"].null_count() == 0


@pytest.mark.parametrize("measure", [P @ 10, RBP(p=0.5), DCG @ 10], ids=str)
def test_weights_are_the_scores_of_one_relevant_document_at_each_rank(measure: Measure) -> None:
    score = LinearScore.of(measure)
    assert score is not None
    ranks = np.arange(1, 13)
    alone = []
    for rank in ranks.tolist():
        found = Written({"1": {"a": 1.0}}, {"run": {"1": [("a" if place == rank else f"u{place}", None) for place in ranks.tolist()]}})
        (judged,) = batches(found.collection())
        alone.append(measure.evaluate(judged, None)[0, 0])
    np.testing.assert_array_equal(score.weights(ranks), alone)


@pytest.mark.parametrize(
    "measure",
    [
        *(MAP, MAP @ 10, RR, ERR @ 10, R @ 10, F @ 10, Rprec, Success @ 10, bpref, infAP, nDCG),
        *(P(judged_only=True) @ 10, nDCG(unit="results") @ 10, DCG(judged_only=True) @ 10, RBP(judged_only=True)),
    ],
    ids=str,
)
def test_no_other_measure_is_linear(measure: Measure) -> None:
    assert LinearScore.of(measure) is None


def test_only_ndcg_has_a_normaliser() -> None:
    assert [score.normalised for measure in LINEAR if (score := LinearScore.of(measure)) is not None] == [False] * 7 + [True] * 2
