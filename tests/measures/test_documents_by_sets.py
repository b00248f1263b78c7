"""Measures on many sets of judgements: each set has the same bits as the measure on this set alone."""

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
    Collection,
    Judged,
    MAep,
    P,
    R,
    RBPresidual,
    Rprec,
    bpref,
    from_frames,
    infAP,
    nDCG,
    nxCG,
    run,
    scores,
)
from inexmetrics.common.arrays import FloatArray
from inexmetrics.measures.document_measures import DocumentScore, scored_by_sets
from inexmetrics.ranking.retrieved import RankedJudged, RetrievedBySets
from tests.laws.test_measures import LAWFUL
from tests.profiles import up_to

WITH_PARAMETERS = (
    *(MAP(rel=2), P(rel=2) @ 30, R(rel=2) @ 10, RR(rel=3), bpref(rel=2), infAP(rel=3), RBP(p=0.3, rel=2), ERR(max_grade=3) @ 40),
    *(DCG(gains="exponential") @ 40, nDCG(gains="exponential") @ 3, MAP(judged_only=True), P(judged_only=True) @ 3),
    *(DCG(judged_only=True) @ 3, nDCG(judged_only=True) @ 3, ERR(judged_only=True) @ 3, Rprec(rel=2, judged_only=True)),
)
MEASURES = (*(measure for of_word in LAWFUL.values() for measure in of_word if DocumentScore.of(measure)), *WITH_PARAMETERS)
"""Every document measure of the lexicon, and some of them with other parameters."""
DOCUMENTS = [f"d{number:02d}" for number in range(14)]
GRADES = st.sampled_from([0.0, 0.0, 1.0, 2.0, 3.0])


def scored_by_itself(sets: FloatArray, lists: list[list[str]]) -> dict[str, FloatArray]:
    """Returns the runs' scores on each set under each measure, as `scores` computes them on a topic of its own; NaN where undefined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        judged = {f"{topic}": dict(zip(DOCUMENTS, grades, strict=False)) for topic, grades in enumerate(sets.T.tolist())}
        rows = [(f"run{number}", topic, document) for topic in judged for number, documents in enumerate(lists) for document in documents]
        collection: Collection = from_frames(judged, pl.DataFrame(rows, schema=["run_id", "topic_id", "doc_id"], orient="row"))
        table = run(scores(MEASURES), collection).tables["per_topic"].sort("run_id", "topic_id")
    return {str(measure): table.filter(measure=str(measure))["score"].to_numpy().reshape(len(lists), -1) for measure in MEASURES}


@st.composite
def drawn(draw: st.DrawFn) -> tuple[FloatArray, list[list[str]]]:
    count = draw(st.integers(1, 9))
    sets = draw(st.lists(st.lists(GRADES, min_size=count, max_size=count), min_size=1, max_size=3))
    lists = draw(st.lists(st.lists(st.sampled_from(DOCUMENTS), min_size=1, max_size=14, unique=True), min_size=1, max_size=4))
    return np.array(sets).T, lists


@given(drawn())
@up_to(24)
def test_a_set_scores_as_if_it_had_been_read(found: tuple[FloatArray, list[list[str]]]) -> None:
    sets, lists = found
    held = []
    for place, names in enumerate(lists):
        judged = [(rank, int(name[1:])) for rank, name in enumerate(names, 1) if int(name[1:]) < len(sets)]
        held += [(place, rank, number, code) for number, (rank, code) in enumerate(judged, 1)]
    columns = zip(*held, strict=True) if held else [()] * 4
    run_, rank, among_judged, code = (np.array(column, dtype=np.int64) for column in columns)
    expected = scored_by_itself(sets, lists)
    for measure in MEASURES:
        score = DocumentScore.of(measure)
        assert score is not None
        worths = sets if score.least == 0.0 else (sets >= score.least).astype(np.float64)
        found_scores = scored_by_sets(score, RankedJudged.of(len(lists), run_, rank, among_judged, code), worths)
        np.testing.assert_array_equal(found_scores, expected[str(measure)], str(measure))


def test_holdings_stand_by_how_many_there_are() -> None:
    # run 0 holds nothing, run 1 documents 2 and 0 at ranks 3 and 9, run 2 documents 1, 0, 2 at 1, 2, 4
    run_, rank, code = np.array([1, 2, 2, 1, 2]), np.array([9, 2, 1, 3, 4]), np.array([0, 0, 1, 2, 2])
    held = RankedJudged.of(3, run_, rank, np.array([2, 2, 1, 1, 3]), code)
    assert held.runs.tolist() == [2, 1, 0]
    assert held.counts.tolist() == [3, 2, 0]
    assert held.codes.tolist() == [[1, 0, 2], [2, 0, 0], [0, 0, 0]]
    assert held.ranks.tolist() == [[1, 2, 4], [3, 9, 1], [1, 1, 1]]
    assert held.judged.tolist() == [[1, 2, 3], [1, 2, 1], [1, 1, 1]]
    worths = np.array([[1.0, 0.0], [0.5, 0.0], [0.0, 2.0]])
    retrieved = RetrievedBySets(np.count_nonzero(worths, axis=0), held, worths, binary=False, condensed=False)
    assert retrieved.summed(lambda hits: hits.gains / hits.ranks, within=4).tolist() == [[1.0, 0.5], [0.0, 2 / 3], [0.0, 0.0]]
    assert retrieved.summed(lambda hits: hits.nonrelevant / hits.ranks).tolist() == [[1.5, 2 / 4], [1 / 9, 2 / 3], [0.0, 0.0]]
    assert retrieved.summed(lambda hits: np.asarray(hits.numbers, dtype=np.float64), within=4).tolist() == [
        [3.0, 1.0],
        [0.0, 1.0],
        [0.0, 0.0],
    ]


def test_average_precision_by_hand() -> None:
    # documents a, b, c; the run: b, x, a. Sets {a}, {b}, {a, b}, {c}, {a, b, c}, none
    sets = np.array([[1, 0, 1, 0, 1, 0], [0, 1, 1, 0, 1, 0], [0, 0, 0, 1, 1, 0]], dtype=np.float64)
    held = RankedJudged.of(1, np.array([0, 0]), np.array([1, 3]), np.array([1, 2]), np.array([1, 0]))
    score = DocumentScore.of(MAP)
    assert score is not None
    expected = [1 / 3, 1, (1 + 2 / 3) / 2, 0, (1 + 2 / 3) / 3, np.nan]
    assert scored_by_sets(score, held, sets)[0].tolist() == pytest.approx(expected, abs=1e-15, nan_ok=True)


def test_measures_that_sets_do_not_change_and_those_of_other_units_are_not_known() -> None:
    for measure in (MAep, nxCG @ 10, Judged @ 10, RBPresidual, P(unit="results") @ 10):
        assert DocumentScore.of(measure) is None
