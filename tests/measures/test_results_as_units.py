"""Measures whose units are results, computed by hand and by their definitions on arbitrary rankings."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import MAP, RR, Collection, CollectionWarning, F, Measure, P, R, SetF, Success, curve, from_frames, nDCG, run, scores
from inexmetrics.common.options import RunOptions
from inexmetrics.scoring.condition import Condition
from inexmetrics.scoring.evaluate import scores_of
from tests.batches import same_bits_in_batches
from tests.highlighted import Highlighted, highlighted
from tests.profiles import up_to
from tests.reference.evidence import Piece, Shown
from tests.reference.in_context import ENDLESS, Document, Result

Definition = Callable[[Shown], float | None]

MEASURES: dict[Measure, Definition] = {
    MAP(unit="results"): lambda shown: shown.average_precision(),
    MAP(unit="results") @ 3: lambda shown: shown.average_precision(3),
    R(unit="results") @ 2: lambda shown: shown.recall(2),
    R(unit="results") @ 30: lambda shown: shown.recall(30),
    P(unit="results") @ 3: lambda shown: shown.precision_at(3),
    F(unit="results") @ 3: lambda shown: shown.f_score(3),
    SetF(unit="results"): lambda shown: shown.f_score(max(len(shown.results), 1)),
    RR(unit="results"): lambda shown: shown.reciprocal_rank(),
    RR(unit="results") @ 2: lambda shown: shown.reciprocal_rank(2),
    nDCG(unit="results"): lambda shown: shown.ndcg(),
    nDCG(unit="results") @ 1: lambda shown: shown.ndcg(1),
    nDCG(unit="results") @ 4: lambda shown: shown.ndcg(4),
}


def pieces_of(documents: dict[str, Document]) -> dict[Piece, float]:
    """Returns the passages, and the document itself if it has highlighted text but no passages."""
    passages: list[Piece] = [(doc, passage) for doc, document in documents.items() for passage in document.passages]
    unplaced: list[Piece] = [(doc, None) for doc, document in documents.items() if document.relchars and not document.passages]
    return dict.fromkeys((*passages, *unplaced), 1.0)


def shows(result: Result, piece: Piece) -> bool:
    doc, passage = piece
    if result.doc != doc or passage is None or result.place is None:
        return bool(result.doc == doc and result.place is None)
    return bool(result.characters(ENDLESS) & set(range(passage[0], sum(passage))))


def assert_equal(collection: Collection, shown: dict[tuple[str, str], Shown]) -> None:
    found = scores_of(collection, [Condition(measure) for measure in MEASURES], RunOptions())
    for measure, definition in MEASURES.items():
        expected = [[definition(shown[name, topic]) for topic in found.topics] for name in found.runs]
        np.testing.assert_allclose(found.matrix(str(measure)), np.array(expected, dtype=np.float64), rtol=1e-12, err_msg=str(measure))


@given(found=highlighted(tidy=False))
@up_to(50)
def test_results_that_show_passages(found: Highlighted) -> None:
    shown = {}
    for name in found.runs:
        for topic, documents in found.assessed.items():
            pieces = pieces_of(dict(documents))
            results = [{piece for piece in pieces if shows(result, piece)} for result in found.runs[name].get(topic, ())]
            shown[name, topic] = Shown(results, pieces)
    assert_equal(found.collection(), shown)


@given(found=highlighted(), size=st.integers(1, 30))
@up_to(25)
def test_the_size_of_a_batch_changes_no_bit(found: Highlighted, size: int) -> None:
    same_bits_in_batches(found.collection(), [Condition(measure) for measure in MEASURES], size)


CHUNKS = st.lists(st.tuples(st.sampled_from("abcdx"), st.integers(0, 3)), min_size=1, max_size=10, unique=True)


@given(grades=st.dictionaries(st.sampled_from("abcde"), st.sampled_from([-1, 0, 1, 2, 3]), min_size=1), chunks=CHUNKS)
@up_to(50)
def test_results_of_graded_documents(grades: dict[str, int], chunks: list[tuple[str, int]]) -> None:
    frame = pl.DataFrame(
        {
            "run_id": ["r"] * len(chunks),
            "topic_id": ["1"] * len(chunks),
            "doc_id": [doc for doc, _ in chunks],
            "start": [10 * number for _, number in chunks],
            "length": [10] * len(chunks),
        }
    )
    pieces: dict[Piece, float] = {(doc, None): float(grade) for doc, grade in grades.items() if grade > 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        collection = from_frames({"1": grades}, frame)
    assert_equal(collection, {("r", "1"): Shown([{(doc, None)} & pieces.keys() for doc, _ in chunks], pieces)})


EVIDENCE = {"topic_id": ["1"] * 3, "doc_id": ["a", "a", "b"], "start": [10, 50, 90], "length": [10, 10, 10]}
LISTS: dict[str, list[str] | list[int]] = {
    "run_id": ["r"] * 5,
    "topic_id": ["1"] * 5,
    # rank 1 shows nothing, 2 the first passage, 3 both of a (one of them again), 4 that of b, 5 both of a again
    "doc_id": ["x", "a", "a", "b", "a"],
    "start": [0, 0, 15, 95, 0],
    "length": [50, 30, 60, 5, 100],
}


@pytest.fixture(scope="module")
def by_hand() -> Collection:
    return from_frames(EVIDENCE, LISTS)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (MAP(unit="results"), (1 / 2 + 2 / 3 + 3 / 4) / 3),
        (MAP(unit="results") @ 3, (1 / 2 + 2 / 3) / 3),
        (MAP(unit="results", judged_only=True), 1.0),
        (R(unit="results") @ 2, 1 / 3),
        (R(unit="results") @ 5, 1.0),
        (RR(unit="results"), 1 / 2),
        (RR(unit="results") @ 1, 0.0),
        (nDCG(unit="results"), (1 / np.log2(3) + 1 / 2 + 1 / np.log2(5)) / (1 + 1 / np.log2(3) + 1 / 2)),
        (nDCG(unit="results", gains="exponential") @ 2, (1 / np.log2(3)) / (1 + 1 / np.log2(3))),
    ],
    ids=str,
)
def test_by_hand(by_hand: Collection, measure: Measure, expected: float) -> None:
    assert run(scores(measure), by_hand).table["mean"].item() == pytest.approx(expected, abs=1e-12)


def test_documents_that_hold_all_evidence_and_nothing_before_it_score_1() -> None:
    whole = from_frames(EVIDENCE, {"run_id": ["r"] * 2, "topic_id": ["1"] * 2, "doc_id": ["a", "b"]})
    measures = MAP(unit="results"), MAP(unit="results") @ 2, RR(unit="results"), nDCG(unit="results"), nDCG(unit="results") @ 2
    assert set(run(scores(measures), whole).table["mean"]) == {1.0}


def test_the_curve_of_average_precision(by_hand: Collection) -> None:
    assert set(run(curve(MAP(unit="results")), by_hand).table["value"]) == {3 / 4}


def test_where_every_document_is_one_result_with_one_passage_the_units_are_equal() -> None:
    evidence = {"topic_id": ["1"] * 3, "doc_id": ["a", "b", "c"], "start": [0, 5, 9], "length": [3, 3, 3]}
    collection = from_frames(evidence, {"run_id": ["r"] * 4, "topic_id": ["1"] * 4, "doc_id": ["x", "b", "y", "a"]})
    of_results = RR(unit="results"), MAP(unit="results"), nDCG(unit="results"), R(unit="results"), Success(unit="results")
    rr, ap, ndcg, recall, success = of_results
    pairs = [(RR, rr), (RR @ 1, rr @ 1), (MAP, ap), (MAP @ 3, ap @ 3), (nDCG, ndcg), (nDCG @ 3, ndcg @ 3)]
    for pair in [*pairs, (R @ 3, recall @ 3), (Success @ 1, success @ 1)]:
        first, second = run(scores(pair), collection).table["mean"]
        assert first == second, pair
