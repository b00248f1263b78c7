"""Measures for incomplete judgements, computed by hand and by their definitions; `tests/peers` compares them with trec_eval."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import numpy as np
import pytest

from inexmetrics import (
    ERR,
    MAP,
    RBP,
    RR,
    BinExh,
    Collection,
    CollectionError,
    FormulaError,
    Gen5,
    Judged,
    Measure,
    P,
    Quantisation,
    R,
    RBPresidual,
    Rprec,
    Success,
    assessor,
    bpref,
    degradation,
    from_frames,
    infAP,
    nDCG,
    parse,
    run,
    sample,
)
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.messages import canonical
from inexmetrics.common.options import RunOptions
from inexmetrics.scoring.condition import Condition
from inexmetrics.scoring.evaluate import scores_of
from tests.by_hand import Written
from tests.reference import documents as reference
from tests.reference import gains as of_gains

Grades = dict[str, dict[str, float]]
Lists = dict[str, dict[str, list[str]]]


Table = Mapping[str, Sequence[str | int | float | None]]


def quietly(judged: Grades | Table, results: Table) -> Collection:
    """Returns a collection, without emitting its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return from_frames(judged, results)


def collected(grades: Grades, lists: Lists) -> Collection:
    rows = [
        (name, topic, doc, -rank) for name, by_topic in lists.items() for topic, docs in by_topic.items() for rank, doc in enumerate(docs)
    ]
    columns = dict(zip(("run_id", "topic_id", "doc_id", "score"), map(list, zip(*rows, strict=True)), strict=True))
    return quietly(grades, columns)


def matrix(collection: Collection, measure: Measure, quantisation: Quantisation | None = None) -> FloatArray:
    """Returns scores, runs x topics."""
    return scores_of(collection, [Condition(measure, quantisation)], RunOptions()).matrix(measure.name, canonical(quantisation))


# x is not judged; n stands in the pool and was not judged; a, b, c are relevant, u and v are not. Of topic 2 nothing is relevant.
BY_HAND = collected(
    {"1": {"a": 2.0, "b": 1.0, "c": 1.0, "u": 0.0, "v": 0.0, "n": -1.0}, "2": {"u": 0.0}, "3": {"a": 1.0}},
    {"run": {"1": ["x", "a", "u", "n", "b", "y"], "2": ["u", "x"]}, "other": {"1": ["a"], "2": ["x"], "3": ["a"]}},
)
NAN = float("nan")
STORED = collected(
    {"1": {"a": 2.0, "b": 1.0, "c": 1.0, "u": 0.0, "v": 0.0, "n": -1.0}, "3": {"a": 1.0, "v": 0.0, "w": 0.0}},
    {"run": {"1": ["x", "a", "u", "n", "b", "y"], "3": ["v", "z", "a", "w"]}},
)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # of the three results at the top one is relevant; topic 3 is missing from the run
        (Rprec, [1 / 3, NAN, 0.0]),
        (Rprec(rel=2), [0.0, NAN, NAN]),
        # condensed: a, u, b
        (Rprec(judged_only=True), [2 / 3, NAN, 0.0]),
        (MAP(judged_only=True), [(1 + 2 / 3) / 3, NAN, 0.0]),
        (RR(judged_only=True), [1.0, NAN, 0.0]),
        (P(judged_only=True) @ 3, [2 / 3, NAN, 0.0]),
        (R(judged_only=True) @ 1, [1 / 3, NAN, 0.0]),
        (Success @ 1, [0.0, NAN, 0.0]),
        (Success @ 2, [1.0, NAN, 0.0]),
        (Success(rel=2) @ 5, [1.0, NAN, NAN]),
        (Success(judged_only=True) @ 1, [1.0, NAN, 0.0]),
        # grades 2 and 1 on a scale to 4, at ranks 2 and 5
        (ERR @ 20, [3 / 16 / 2 + (1 - 3 / 16) * (1 / 16) / 5, NAN, 0.0]),
        (ERR @ 4, [3 / 16 / 2, NAN, 0.0]),
        (ERR(max_grade=2) @ 5, [3 / 4 / 2 + (1 - 3 / 4) * (1 / 4) / 5, NAN, 0.0]),
        (ERR(judged_only=True) @ 2, [3 / 16, NAN, 0.0]),
        (RBP, [0.2 * (0.8 + 0.8**4), NAN, 0.0]),
        (RBP(p=0.5), [0.5 * (0.5 + 0.5**4), NAN, 0.0]),
        (RBP(rel=2, p=0.5, judged_only=True), [0.5, NAN, NAN]),
        # unjudged at ranks 1, 4 and 6 of 6; at rank 2 of 2; no results
        (RBPresidual(p=0.5), [0.5 * (1 + 0.5**3 + 0.5**5) + 0.5**6, 0.25 + 0.25, 1.0]),
        # R = 3, two judged not relevant: none above a, one above b
        (bpref, [(1 + (1 - 1 / 2)) / 3, NAN, 0.0]),
        # above b three are in the pool (a, u, n), of which one is relevant and one is not; above a none is
        (infAP, [(1 / 2 + 1 / 5 + 4 / 5 * (3 / 4) * (1.00001 / 2.00002)) / 3, NAN, 0.0]),
        (Judged @ 2, [1 / 2, 1 / 2, 0.0]),
        (Judged @ 4, [2 / 4, 1 / 2, 0.0]),
        (Judged @ 100, [3 / 6, 1 / 2, 0.0]),
    ],
    ids=str,
)
def test_by_hand(measure: Measure, expected: list[float]) -> None:
    np.testing.assert_allclose(matrix(BY_HAND, measure)[1], expected, rtol=0, atol=1e-15)


def test_a_list_without_results_of_a_topic() -> None:
    assert matrix(BY_HAND, Judged @ 10)[:, 2].tolist() == [1.0, 0.0]
    assert matrix(BY_HAND, RBPresidual)[:, 2].tolist() == [pytest.approx(0.8), 1.0]


def at_random(seed: int) -> tuple[Grades, Lists]:
    """Returns twenty topics and five runs, with grades from -1 to 3, unjudged documents, and missing rankings."""
    draw = random.Random(seed)
    topics = [f"t{number:02d}" for number in range(20)]
    documents = [f"d{number:02d}" for number in range(24)]
    grades = {
        topic: {doc: draw.choice([-1.0, 0.0, 0.0, 1.0, 1.5, 2.0, 3.0]) for doc in draw.sample(documents, draw.randint(1, 16))}
        for topic in topics
    }
    lists = {
        name: {topic: draw.sample(documents, draw.randint(1, 20)) for topic in topics if topic == "t00" or draw.random() < 0.9}
        for name in ("a", "b", "c", "d", "e")
    }
    return grades, lists


Definition = Callable[[reference.Found, list[float]], float | None]


def by_relevance(definition: Callable[[list[bool], int], float | None], rel: float = 1.0) -> Definition:
    return lambda found, assessed: definition(
        [reference.is_relevant(grade, rel) for grade in found], reference.relevant_there(assessed, rel)
    )


DEFINITIONS: dict[Measure, Definition] = {
    Rprec: lambda found, assessed: reference.r_precision(found, assessed, 1),
    Rprec(rel=1.5): lambda found, assessed: reference.r_precision(found, assessed, 1.5),
    Success @ 3: lambda found, assessed: reference.success(found, assessed, 1, 3),
    Success(rel=2) @ 1: lambda found, assessed: reference.success(found, assessed, 2, 1),
    ERR @ 5: lambda found, assessed: reference.err(found, assessed, 4, 5),
    ERR(max_grade=3) @ 40: lambda found, assessed: reference.err(found, assessed, 3, 40),
    RBP: lambda found, assessed: reference.rbp(found, assessed, 1, 0.8),
    RBP(rel=2, p=0.95): lambda found, assessed: reference.rbp(found, assessed, 2, 0.95),
}
"""Measures with the parameter `judged_only`."""
OTHERS: dict[Measure, Definition] = {
    RBPresidual: lambda found, assessed: reference.rbp_residual(found, assessed, 0.8),
    RBPresidual(p=0.3): lambda found, assessed: reference.rbp_residual(found, assessed, 0.3),
    bpref: lambda found, assessed: reference.bpref(found, assessed, 1),
    bpref(rel=2): lambda found, assessed: reference.bpref(found, assessed, 2),
    infAP: lambda found, assessed: reference.inferred_ap(found, assessed, 1),
    infAP(rel=1.5): lambda found, assessed: reference.inferred_ap(found, assessed, 1.5),
    Judged @ 1: lambda found, assessed: reference.judged_at(found, assessed, 1),
    Judged @ 10: lambda found, assessed: reference.judged_at(found, assessed, 10),
}
CONDENSED: dict[Measure, Definition] = {
    Rprec(judged_only=True): DEFINITIONS[Rprec],
    Success(judged_only=True) @ 3: DEFINITIONS[Success @ 3],
    ERR(judged_only=True) @ 5: DEFINITIONS[ERR @ 5],
    RBP(judged_only=True): DEFINITIONS[RBP],
    MAP(judged_only=True): by_relevance(of_gains.average_precision),
    RR(rel=2, judged_only=True): by_relevance(of_gains.reciprocal_rank, 2),
    P(judged_only=True) @ 5: by_relevance(lambda found, n: of_gains.precision_at(found + [False] * 5, n, 5)),
    R(judged_only=True) @ 4: by_relevance(lambda found, n: of_gains.recall_at(found, n, 4)),
    nDCG(judged_only=True) @ 5: lambda found, assessed: of_gains.ndcg(
        [grade or 0.0 for grade in found], sorted((grade for grade in assessed if grade > 0), reverse=True), 5
    ),
}


@pytest.mark.parametrize("seed", range(20))
def test_as_the_definitions_read(seed: int) -> None:
    """Tested on two thousand rankings."""
    grades, lists = at_random(seed)
    found = scores_of(collected(grades, lists), [Condition(measure) for measure in (DEFINITIONS | OTHERS | CONDENSED)], RunOptions())
    for measure, definition in (DEFINITIONS | OTHERS | CONDENSED).items():
        expected = np.empty((len(found.runs), len(found.topics)))
        for cell in np.ndindex(expected.shape):
            topic = found.topics[cell[1]]
            listed: reference.Found = [grades[topic].get(doc) for doc in lists[found.runs[cell[0]]].get(topic, ())]
            score = definition(reference.condensed(listed) if measure in CONDENSED else listed, list(grades[topic].values()))
            expected[cell] = np.nan if score is None else score
        np.testing.assert_allclose(found.matrix(measure.name), expected, rtol=1e-12, atol=1e-14, err_msg=str(measure))


def test_rank_biased_precision_lies_between_the_bounds_that_the_residual_gives() -> None:
    """The bounds are the values if all unjudged documents are not relevant, and if all are relevant."""
    grades, lists = at_random(99)
    documents = [f"d{number:02d}" for number in range(24)]
    # Judged documents keep their grades; a document with a negative grade is unjudged.
    filled = {
        topic: {doc: grade if (grade := judged.get(doc, 1.0)) >= 0.0 else 1.0 for doc in documents} for topic, judged in grades.items()
    }
    low, residual = (matrix(collected(grades, lists), measure) for measure in (RBP, RBPresidual))
    high = matrix(collected(filled, lists), RBP)
    lengths = np.array([[len(lists[name].get(topic, ())) for topic in sorted(grades)] for name in sorted(lists)])
    defined = ~np.isnan(low)
    np.testing.assert_allclose((low + residual)[defined], (high + 0.8**lengths)[defined], rtol=1e-12)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # pytrec_eval.RelevanceEvaluator(qrels, {"Rprec", "bpref", "infAP", "success.1,5"}).evaluate(run)
        (Rprec, [0.3333333333333333, 0.0]),
        (bpref, [0.5, 0.0]),
        (infAP, [0.3333333333333333, 0.33333666660000133]),
        (Success @ 1, [0.0, 0.0]),
        (Success @ 5, [1.0, 1.0]),
        # ir_measures.iter_calc([AP(judged_only=True), nDCG(judged_only=True)@3, P(judged_only=True)@3, Judged@2], qrels, run)
        (MAP(judged_only=True), [0.5555555555555555, 0.5]),
        (nDCG(judged_only=True) @ 3, [0.7984848580994974, 0.6309297535714575]),
        (P(judged_only=True) @ 3, [0.6666666666666666, 0.3333333333333333]),
        (Judged @ 2, [0.5, 0.5]),
    ],
    ids=str,
)
def test_the_values_of_trec_eval_and_ir_measures(measure: Measure, expected: list[float]) -> None:
    """Values of pytrec-eval-terrier 0.5.11 and ir_measures 0.4.3, for these judgements and this order."""
    assert matrix(STORED, measure)[0].tolist() == expected


def test_a_negative_grade_is_no_judgement() -> None:
    """Document n of topic 1 has the grade -1; trec_eval -m unj.10 prints 0.5000 unjudged, and -m rbp_resid counts n; ir_measures prints .6667."""
    assert matrix(STORED, Judged @ 10)[0].tolist() == [0.5, 0.75]
    only = collected({"1": {"a": -1.0, "b": -2.0}, "2": {"a": 1.0}}, {"run": {"1": ["a"], "2": ["a"]}})
    for measure in (Judged @ 5, RBPresidual):
        assert np.isnan(matrix(only, measure)[0, 0])


def test_the_residual_bounds_a_sampled_pool() -> None:
    """The only relevant document is below a hundred documents that were sampled out."""
    pool = {f"n{place:03d}": -1.0 for place in range(100)}
    listed = {"run": {"1": [*pool, "a"]}}
    low, residual = (matrix(collected({"1": {**pool, "a": 1.0}}, listed), measure).item() for measure in (RBP(p=0.9), RBPresidual(p=0.9)))
    high = matrix(collected({"1": {**dict.fromkeys(pool, 1.0), "a": 1.0}}, listed), RBP(p=0.9)).item()
    assert high <= low + residual + 1e-15


def test_the_values_of_gdeval() -> None:
    """Values of ir_measures.iter_calc([ERR@20], qrels, run), by gdeval.pl, which prints five digits."""
    assert matrix(STORED, ERR @ 20)[0].round(5).tolist() == [0.10391, 0.02083]


class TestUnderAQuantisation:
    """Results are the units, and are judged if they are assessed elements."""

    FOUND = Written(
        {"1": {"a:/a[1]/s[1]": 0.5, "a:/a[1]/s[2]": 0.0, "b:/a[1]/s[1]": 1.0, "c:/a[1]/s[1]": 0.0}},
        {"run": {"1": [(item, None) for item in ("c:/a[1]/s[1]", "a:/a[1]/s[9]", "a:/a[1]/s[1]", "a:/a[1]/s[2]", "b:/a[1]/s[1]")]}},
    ).collection()

    @pytest.mark.parametrize(
        ("measure", "expected"),
        [
            (Judged @ 2, 1 / 2),
            (RBPresidual(p=0.5), 0.5 * 0.5 + 0.5**5),
            (bpref, ((1 - 1 / 2) + 0) / 2),
            (MAP(judged_only=True), (1 / 2 + 2 / 4) / 2),
            (Rprec, 0.0),
            (ERR(max_grade=1) @ 5, (2**0.5 - 1) / 2 / 3 + (1 - (2**0.5 - 1) / 2) * (1 / 2) / 5),
        ],
        ids=str,
    )
    def test_by_hand(self, measure: Measure, expected: float) -> None:
        assert matrix(self.FOUND, measure, BinExh)[0, 0] == pytest.approx(expected, abs=1e-15)

    @pytest.mark.parametrize("measure", [bpref, infAP, Judged @ 5, RBPresidual, MAP(judged_only=True)], ids=str)
    def test_highlighted_passages_name_relevant_elements_alone(self, measure: Measure) -> None:
        evidence = {"topic_id": ["1", "1"], "doc_id": ["d", "e"], "start": [0, None], "length": [10, None], "docchars": [50, 50]}
        structure = {"doc_id": ["d", "d", "e"], "path": ["/a[1]", "/a[1]/s[1]", "/a[1]"], "start": [0, 0, 0], "length": [50, 20, 50]}
        results = {"run_id": ["r", "r"], "topic_id": ["1", "1"], "doc_id": ["d", "e"], "path": ["/a[1]/s[1]", "/a[1]"]}
        collection = from_frames(evidence, results, structure)
        assert 0.0 <= matrix(collection, measure)[0, 0] <= 1.0
        with pytest.raises(CollectionError, match=r"^expected assessed elements, including elements judged not relevant, found highl"):
            matrix(collection, measure, BinExh)


def test_a_topic_on_which_an_assessor_judged_nothing_is_undefined() -> None:
    judged = {"topic_id": ["1", "1", "2"], "assessor": ["ann", "bob", "bob"], "doc_id": ["a", "a", "b"], "grade": [0, 1, 1]}
    results = {"run_id": ["r", "r"], "topic_id": ["1", "2"], "doc_id": ["a", "b"]}
    collection = from_frames(judged, results)
    found = scores_of(collection, [Condition(measure, assessor("ann")) for measure in (Judged @ 1, RBPresidual)], RunOptions())
    np.testing.assert_array_equal(found.matrix("Judged@1", 'assessor("ann")'), [[1.0, np.nan]])
    np.testing.assert_allclose(found.matrix("RBPresidual", 'assessor("ann")'), [[0.8, np.nan]])


EVIDENCE: Table = {
    "topic_id": ["1", "1", "1", "2"],
    "doc_id": ["a", "b", "c", "c"],
    "start": [10, 90, None, None],
    "length": [10, 10, None, None],
}
CHUNKS: Table = {
    "run_id": ["r"] * 7,
    "topic_id": ["1"] * 7,
    "doc_id": ["x", "a", "c", "a", "a", "b", "b"],
    "start": [0, 20, 0, 19, 0, 0, 95],
    "length": [50, 30, 50, 5, 30, 90, 5],
}


class TestUnits:
    """Document a shows evidence at offsets 10 to 20, and b at 90 to 100; c was judged and has no evidence."""

    @pytest.mark.parametrize(
        ("measure", "expected"),
        [
            # ranks 4, 5 and 7 touch evidence; x is not judged
            (P(unit="results") @ 3, 0.0),
            (P(unit="results") @ 5, 2 / 5),
            (P(unit="results") @ 10, 3 / 10),
            (P(unit="results", judged_only=True) @ 3, 1 / 3),
            (P(unit="results", rel=2) @ 10, NAN),
            (Success(unit="results") @ 3, 0.0),
            (Success(unit="results") @ 4, 1.0),
            (Success(unit="results", judged_only=True) @ 3, 1.0),
            # documents x, a, c, b
            (P @ 3, 1 / 3),
            (Success @ 2, 1.0),
        ],
        ids=str,
    )
    def test_chunks_that_touch_evidence(self, measure: Measure, expected: float) -> None:
        np.testing.assert_allclose(matrix(quietly(EVIDENCE, CHUNKS), measure), [[expected, NAN]])

    def test_a_whole_document_touches_what_it_has(self) -> None:
        collection = quietly(EVIDENCE, {"run_id": ["r"] * 3, "topic_id": ["1"] * 3, "doc_id": ["b", "c", "a"]})
        assert matrix(collection, P(unit="results") @ 3)[0, 0] == pytest.approx(2 / 3)

    def test_documents_judged_as_wholes(self) -> None:
        """Every chunk of a relevant document is relevant."""
        chunks = {"run_id": ["r"] * 4, "topic_id": ["1"] * 4, "doc_id": ["a", "a", "b", "c"], "start": [0, 9, 0, 0], "length": [9] * 4}
        collection = from_frames({"1": {"a": 2, "b": 1, "c": 0}}, chunks)
        assert [matrix(collection, P(unit="results", rel=rel) @ 4)[0, 0] for rel in (1, 2)] == [3 / 4, 2 / 4]
        assert matrix(collection, P @ 4)[0, 0] == 2 / 4

    def test_lower_grades_are_no_evidence(self) -> None:
        """Of the documents b, a and c with grades 1, 2 and 0, only a is evidence of grade 2."""
        chunks = {"run_id": ["r"] * 4, "topic_id": ["1"] * 4, "doc_id": ["b", "a", "a", "c"], "start": [0, 0, 9, 0], "length": [9] * 4}
        collection = from_frames({"1": {"a": 2, "b": 1, "c": 0}}, chunks)
        measures = [R(rel=2, unit="results") @ 1, R(rel=2, unit="results") @ 2, RR(rel=2, unit="results"), RR(unit="results")]
        assert [matrix(collection, measure)[0, 0] for measure in measures] == [0.0, 1.0, 1 / 2, 1.0]

    def test_with_a_quantisation_results_are_the_units_anyhow(self) -> None:
        small = sample().only(runs=["group01-a"])
        np.testing.assert_array_equal(matrix(small, P(unit="results") @ 10, Gen5), matrix(small, P @ 10, Gen5))

    def test_elements_need_a_quantisation(self) -> None:
        with pytest.raises(
            CollectionError, match=r'^unit="results": expected highlighted passages or graded documents, found assessed elements'
        ):
            matrix(TestUnderAQuantisation.FOUND, Success(unit="results") @ 1)

    def test_numbers_of_characters_do_not_say_which_chunk_is_relevant(self) -> None:
        counts: Table = {"topic_id": ["1", "1"], "doc_id": ["a", "b"], "relchars": [5, 0]}
        with pytest.raises(
            CollectionError, match=r'^unit="results": expected highlighted passages, found only the number of highlighted characters'
        ):
            matrix(quietly(counts, CHUNKS), P(unit="results") @ 3)
        documents: Table = {"run_id": ["r"] * 2, "topic_id": ["1"] * 2, "doc_id": ["b", "a"]}
        assert matrix(quietly(counts, documents), P(unit="results") @ 2)[0, 0] == 1 / 2

    def test_the_default_is_left_out(self) -> None:
        assert str(P(unit="documents") @ 5) == "P@5"
        with pytest.raises(FormulaError, match=r'^Success: unit: expected "documents" or "results", found "chunks"$'):
            Success(unit="chunks")  # type: ignore[arg-type]  # what a user may write


def test_a_grade_above_the_scale_is_an_error() -> None:
    collection = collected({"1": {"a": 3.0, "b": 1.0}}, {"r": {"1": ["b"]}})
    with pytest.raises(CollectionError, match=r"^ERR\(max_grade=2\): expected grades of at most 2, found 3; write ERR\(max_grade=3\)$"):
        matrix(collection, ERR(max_grade=2) @ 10)
    assert matrix(collection, ERR(max_grade=3) @ 10)[0, 0] == 1 / 8


@pytest.mark.parametrize(("grade", "hint"), [(100, "; write ERR(max_grade=100)"), (101, "")])
def test_the_scale_that_a_message_suggests_is_one_that_may_be_given(grade: int, hint: str) -> None:
    collection = collected({"1": {"a": float(grade)}}, {"r": {"1": ["a"]}})
    with pytest.raises(CollectionError) as caught:
        matrix(collection, ERR @ 10)
    assert str(caught.value) == f"ERR: expected grades of at most 4, found {grade}{hint}"


def test_scales_end_at_100() -> None:
    assert str(ERR(max_grade=100) @ 5) == "ERR(max_grade=100)@5"
    with pytest.raises(FormulaError, match=r"^ERR: max_grade: expected .* at most 100, found 101$"):
        ERR(max_grade=101)


def test_grades_below_1_count_where_grades_are_gains() -> None:
    collection = collected({"1": {"a": 0.5, "b": 0.0}}, {"r": {"1": ["b", "a"]}})
    assert matrix(collection, nDCG)[0, 0] == pytest.approx(1 / np.log2(3))
    assert matrix(collection, ERR(max_grade=0.5) @ 5)[0, 0] == pytest.approx((2**0.5 - 1) / 2**0.5 / 2)
    assert np.isnan(matrix(collection, MAP)[0, 0])  # rel=1
    assert matrix(collection, MAP(rel=0.5))[0, 0] == 1 / 2


@pytest.mark.parametrize(("p", "found"), [(0, "0"), (1, "1"), (NAN, "nan")])
def test_persistence_lies_between_0_and_1(p: float, found: str) -> None:
    for measure in (RBP, RBPresidual):
        with pytest.raises(FormulaError, match=rf"^{measure}: p: expected a number above 0 and below 1, found {found}$"):
            measure(p=p)


def test_degraded_runs_have_no_pool() -> None:
    for measure in (bpref, Judged @ 10, MAP(judged_only=True)):
        with pytest.raises(FormulaError, match="expected a measure that treats unjudged results as not relevant"):
            degradation(measure, Gen5)


def test_ties_and_runs_without_judged_results_are_counted_by_results() -> None:
    places: Table = {"doc_id": ["a", "a", "x"], "start": [0, 50, 0], "length": [30] * 3, "score": [1.0] * 3}
    collection = quietly(EVIDENCE, {"run_id": ["r", "r", "s"], "topic_id": ["1"] * 3, **places})
    found = scores_of(collection, [Condition(P(unit="results") @ 1)], RunOptions()).warnings
    assert found[0] == "1 run retrieved no assessed document: s"
    assert found[1] == '1 of 2 rankings has results with equal scores on both sides of rank 1 (P(unit="results")@1)'


def warned(formula: str, collection: Collection, text: str) -> list[str]:
    """Returns the warnings of a result that contain a text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [warning for warning in run(formula, collection).warnings if text in warning]


class TestJudgementsOfRelevantDocumentsAlone:
    """Without documents judged not relevant, measures of incomplete judgements have no information beyond the relevant documents."""

    LISTS: ClassVar[Lists] = {"x": {"1": ["u", "a", "v", "b"], "2": ["d", "u"]}, "y": {"1": ["a", "b"], "2": ["u", "v", "d"]}}

    def collected(self, *, unjudged: bool = False, nonrelevant: bool = False) -> Collection:
        grades: Grades = {"1": {"a": 1, "b": 2, "c": 1}, "2": {"d": 1}}
        if unjudged:
            grades["2"]["u"] = -1
        if nonrelevant:
            grades["2"]["v"] = 0
        return from_frames(
            grades, {name: {t: {d: -float(r) for r, d in enumerate(ds)} for t, ds in of.items()} for name, of in self.LISTS.items()}
        )

    @pytest.mark.parametrize(
        ("measure", "effect", "same"),
        [
            ("bpref", "is recall", "R@9"),
            ("infAP", "is MAP", "MAP"),
            ("Judged@2", "is the share of relevant results", "P@2"),
            ("MAP(judged_only=True)", "ranks only relevant documents", "R@9"),
        ],
    )
    def test_the_warning_says_what_the_measure_is_then(self, measure: str, effect: str, same: str) -> None:
        collection = self.collected()
        assert warned(f"scores({measure} + MAP)", collection, "judged not relevant") == [
            f"no document was judged not relevant, so that all other documents are unjudged: {measure} {effect}"
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found, other = (run(f"scores({each})", collection).table.sort("run_id")["mean"] for each in (measure, same))
        assert found.to_list() == pytest.approx(other.to_list(), abs=1e-4)

    def test_only_grades_of_at_least_0_are_judgements(self) -> None:
        assert warned("scores(bpref)", self.collected(unjudged=True), "judged not relevant")
        assert not warned("scores(bpref)", self.collected(nonrelevant=True), "judged not relevant")
        assert not warned("scores(MAP + P@5)", self.collected(), "judged not relevant")
        assert not warned("scores(bpref(rel=2))", self.collected(), "judged not relevant"), "grade 1 is not relevant under rel=2"


@pytest.mark.parametrize(
    "word",
    [
        "ranks({})",
        'versus("x", {})',
        "significance({})",
        "agreement({} + MAP)",
        "calibration({})",
        "error_rate({})",
        'meta({}, within="c")',
    ],
)
@pytest.mark.parametrize("measure", ["RBPresidual(p=0.5)", "Judged@10"])
def test_coverage_is_no_quality(word: str, measure: str) -> None:
    with pytest.raises(FormulaError, match="expected a measure of quality, found") as raised:
        parse(word.format(measure))
    assert raised.value.hint == f"scores({measure}) lists its values"
    parse(f"scores({measure})")
    parse(f"correlation({measure} + MAP)")


TOPICS = "0123456789"


class TestRunsThatAreJudgedUnequally:
    """Two runs whose judged shares differ much cannot be compared by measures that treat unjudged documents as not relevant."""

    def collected(self, unjudged: int, *, nonrelevant: bool = True) -> Collection:
        grades: Grades = {topic: {f"d{n}": 1 if n == 3 or not nonrelevant else 0 for n in range(9)} for topic in TOPICS}
        pool = {f"d{n}": 0.5 - n for n in range(9)}
        others = {f"u{n}": 20.5 - n for n in range(unjudged)} | {f"d{n}": 0.5 - n for n in range(9 - unjudged)}
        return from_frames(grades, {"early": dict.fromkeys(TOPICS, pool), "late": dict.fromkeys(TOPICS, others)})

    @pytest.mark.parametrize("formula", ["scores(MAP)", "significance(MAP)", "ranks(MAP)", 'versus("late", MAP)', "power(MAP)"])
    def test_every_comparison_warns(self, formula: str) -> None:
        [found] = warned(formula, self.collected(6), "were judged")
        assert found.startswith(
            "MAP: of the first 10 results, 33 % of late were judged, and 100 % of early; unjudged documents count as not"
        )
        assert "Judged@10" in found
        assert "judged_only=True" in found

    @pytest.mark.parametrize(
        ("formula", "unjudged", "nonrelevant"),
        [
            ("scores(MAP)", 4, True),  # more than half are judged
            ("scores(bpref + MAP(judged_only=True))", 6, True),
            ("scores(Judged@5)", 6, True),
            ("scores(MAP)", 6, False),  # a list of relevant documents
            ("scores(P@1)", 1, True),  # ten results are too few
            ("agreement(MAP ~ pooled(1) + pooled(2))", 6, True),
        ],
    )
    def test_no_other_result_does(self, formula: str, unjudged: int, *, nonrelevant: bool) -> None:
        assert not warned(formula, self.collected(unjudged, nonrelevant=nonrelevant), "were judged")

    def test_the_cutoff_is_the_depth(self) -> None:
        [found] = warned("scores(P@2 + P@50)", self.collected(2), "were judged")
        assert found.startswith("P@2: of the first 2 results, 0 % of late were judged")
