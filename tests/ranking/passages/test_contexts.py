"""Documents in context: valid rankings, the errors of invalid rankings, and the documents at their ranks."""

from __future__ import annotations

import warnings

import polars as pl
import pytest

from inexmetrics import CollectionError, CollectionWarning, MAgP, Measure, from_frames, gP, gR, run, scores
from inexmetrics.common.options import Compat, RunOptions
from inexmetrics.ranking import JudgedRuns, batches
from inexmetrics.ranking.passages.contexts import Contexts
from tests.highlighted import Highlighted, shown
from tests.reference.in_context import UNPLACED, Document, Result

ASSESSED = {"1": {"a": Document(10, 0, ((0, 10),)), "b": Document(0), "c": Document(5, 2, ((2, 5),))}}
LENGTHS = {"a": 40, "b": 30, "c": 20}


def listed(*results: Result, lengths: dict[str, int | None] | None = None) -> Highlighted:
    return Highlighted(ASSESSED, {"run": {"1": results}}, LENGTHS if lengths is None else lengths)


def contexts(found: Highlighted, compat: Compat | None = None) -> Contexts:
    (evidence,) = batches(found.collection(), RunOptions(compat=compat))
    return evidence.contexts


def test_relevant_documents_stand_at_their_ranks_among_all() -> None:
    found = contexts(listed(*shown("x", (0, 9), (20, 9)), *shown("c", (10, 5), (0, 4)), *shown("b"), *shown("a", (30, 20), (5, 10))))
    assert found.lengths.tolist() == [[4]]
    assert found.lists.tolist() == [0, 0]
    assert found.ranks.tolist() == [2, 4]
    assert found.relchars.tolist() == [5, 10]
    assert found.counts.tolist() == [2, 2]
    assert found.sizes.tolist() == [9, 30]  # text past the end of a document was retrieved
    assert found.found.tolist() == [0 + 2, 0 + 5]


def test_a_result_whose_place_is_not_known_has_18_characters_and_overlaps_nothing() -> None:
    found = contexts(listed(*shown("a", UNPLACED, (0, 30), UNPLACED)))
    assert found.sizes.tolist() == [18 + 30 + 18]
    assert found.found.tolist() == [10]


def test_a_result_without_characters_changes_nothing() -> None:
    found = listed(*shown("a", (5, 0), (0, 30), (7, 0)))
    assert contexts(found).sizes.tolist() == [30]
    (evidence,) = batches(found.collection())
    for measure in (gP @ 1, gP(score="t2i", tolerance=5) @ 1):
        (alone,) = batches(listed(*shown("a", (0, 30))).collection())
        assert measure.evaluate(evidence, None)[0, 0] == measure.evaluate(alone, None)[0, 0] > 0


def refusal(found: Highlighted, measure: Measure = MAgP, compat: Compat | None = None) -> list[str]:
    with pytest.raises(CollectionError) as refused:
        run(scores(measure), found.collection(), compat=compat)
    return [str(problem) for problem in refused.value.problems]


GROUP = "group_by_document (--prepare group_by_document) groups the results of each document"
REMOVING = """remove_overlap("correlation") (--prepare 'remove_overlap("correlation")') keeps the best of them"""


@pytest.mark.parametrize("measure", [MAgP, gR @ 1, MAgP(score="bep"), MAgP(score="t2i")], ids=str)
def test_lists_that_return_to_a_document_are_refused(measure: Measure) -> None:
    found = Highlighted(
        ASSESSED | {"2": {"a": Document(1, 0, ((0, 1),))}},
        {
            "p": {
                "1": [*shown("a", (0, 5)), *shown("x", (0, 5)), *shown("a", (9, 5)), *shown("x", UNPLACED)],
                "2": list(shown("a", (0, 1))),
            },
            "q": {"2": [*shown("c"), *shown("b"), *shown("a", (0, 1)), *shown("b", (0, 4))]},
        },
        LENGTHS,
    )
    assert refusal(found, measure) == [
        f"topic 1: run p: expected the results of document a one after the other, found results 1 and 3 apart; {GROUP}",
        f"topic 2: run q: expected the results of document b one after the other, found results 2 and 4 apart; {GROUP}",
    ]


@pytest.mark.parametrize(
    ("results", "told"),
    [
        ([(0, 5), (4, 2)], "found result 2, 5 characters from 0 on, and result 3, 2 characters from 4 on"),
        ([(20, 5), (3, 1), (0, 9)], "found result 3, 1 character from 3 on, and result 4, 9 characters from 0 on"),
        ([(0, 9), (9, 9), UNPLACED, (3, 6)], "found result 2, 9 characters from 0 on, and result 5, 6 characters from 3 on"),
        ([(7, 3), (7, 3)], "found result 2, 3 characters from 7 on, and result 3, 3 characters from 7 on"),
    ],
)
@pytest.mark.parametrize("doc", ["a", "b", "x"])
def test_results_that_overlap_are_refused_whatever_the_document(doc: str, results: list[tuple[int, int]], told: str) -> None:
    found = listed(*shown("c", (0, 1)), *shown(doc, *results))
    assert refusal(found) == [f"topic 1: run run: expected results of document {doc} that do not overlap, {told}; {REMOVING}"]


def test_the_second_list_may_be_the_first_that_is_refused() -> None:
    again = [*shown("a", (0, 1)), *shown("b", (0, 1)), *shown("a", (2, 1))]
    found = Highlighted(ASSESSED | {"2": ASSESSED["1"]}, {"run": {"1": list(shown("a", (0, 1))), "2": again}}, LENGTHS)
    assert [problem[:15] for problem in refusal(found)] == ["topic 2: run ru"]


def test_each_document_stands_by_itself() -> None:
    """The retrieved parts of the first document do not affect those of the second document."""
    first, second = list(shown("a", (0, 50), (60, 5))), list(shown("b", (10, 5), (20, 5), (25, 1)))
    assert contexts(listed(*first, *second)).sizes.tolist() == [55]
    told = "found result 4, 5 characters from 20 on, and result 5, 1 character from 24 on"
    assert refusal(listed(*first, *second[:2], *shown("b", (24, 1)))) == [
        f"topic 1: run run: expected results of document b that do not overlap, {told}; {REMOVING}"
    ]


def test_a_document_with_one_highlighted_character_is_relevant() -> None:
    found = Highlighted({"1": {"a": Document(1, 0, ((3, 1),))}}, {"run": {"1": list(shown("a", (0, 5)))}}, LENGTHS)
    assert contexts(found).found.tolist() == [1]


def test_a_whole_document_overlaps_its_parts() -> None:
    told = "found result 1, 40 characters from 0 on, and result 2, 2 characters from 39 on"
    assert refusal(listed(*shown("a"), *shown("a", (39, 2)))) == [
        f"topic 1: run run: expected results of document a that do not overlap, {told}; {REMOVING}"
    ]
    told = "found result 1, 2 characters from 500 on, and result 2, the whole document"
    assert refusal(listed(*shown("x", (500, 2)), *shown("x"))) == [
        f"topic 1: run run: expected results of document x that do not overlap, {told}; {REMOVING}"
    ]
    assert contexts(listed(*shown("a"), *shown("a", (40, 2)))).sizes.tolist() == [42]


@pytest.mark.parametrize(
    ("results", "refused"),
    [
        ([(10, 5), (10, 0)], True),
        ([(10, 5), (14, 0)], True),
        ([(10, 5), (15, 0)], False),
        ([(10, 5), (9, 0)], False),
        ([(12, 0), (10, 5)], False),  # it came first
        ([(0, 3), (10, 5), (3, 0), (11, 0)], True),
    ],
)
def test_the_evaluator_refuses_results_without_characters_in_earlier_ones(results: list[tuple[int, int]], refused: bool) -> None:
    found = listed(*shown("a", *results))
    contexts(found)
    if refused:
        (start, _), rank = results[-1], len(results)
        (problem,) = refusal(found, compat="inex_eval")
        assert problem.endswith(
            f"{results[-2 if rank == 2 else 1][1]} characters from 10 on, and result {rank}, 0 characters from {start} on"
        )
    else:
        contexts(found, "inex_eval")


def test_entry_points_are_one_a_document() -> None:
    found = Highlighted(
        ASSESSED,
        {
            "p": {"1": [*shown("c", (0, 5)), *shown("x", (0, 1), (5, 1), (9, 0)), *shown("b", (0, 1), (5, 1))]},
            "q": {"1": list(shown("a", (0, 1), UNPLACED))},
        },
        LENGTHS,
    )
    assert refusal(found, MAgP(score="bep")) == [
        "topic 1: run p: expected a single result (an entry point) for document x, found 3 results, the first at rank 2",
        "topic 1: run q: expected a single result (an entry point) for document a, found 2 results, the first at rank 1",
    ]
    assert contexts(found).ranks.tolist() == [1, 1]
    single = Highlighted(ASSESSED, {run: {"1": [*shown("a", (3, 1)), *shown("c", (9, 1))]} for run in "pq"}, LENGTHS)
    assert contexts(single).entries().tolist() == [3, 9, 3, 9]


def test_the_length_of_a_relevant_document_must_be_known_where_it_matters() -> None:
    unknown: dict[str, int | None] = {"a": None, "b": None, "c": 20}
    whole = listed(*shown("b"), *shown("a"), lengths=unknown)
    part = listed(*shown("b"), *shown("a", (0, 20)), lengths=unknown)
    told = "expected the assessments or the structure to contain the length of document a (result 2), found none"
    assert refusal(whole) == refusal(whole, MAgP(score="t2i")) == refusal(part, MAgP(score="t2i")) == [f"topic 1: run run: {told}"]
    assert contexts(part).sizes.tolist() == [20]
    assert contexts(whole).entries().tolist() == [0]


def test_no_length_of_any_document_is_known() -> None:
    found = listed(*shown("a", (0, 4)), lengths=dict.fromkeys("abc"))
    told = ["expected the length of the documents in the assessments or the structure, found none"]
    assert refusal(found, MAgP(score="bep", a=1)) == told


def test_lists_without_relevant_documents() -> None:
    found = contexts(listed(*shown("b"), *shown("x", (0, 3))))
    assert (found.lengths.tolist(), found.ranks.tolist(), found.sizes.tolist(), found.found.tolist()) == ([[2]], [], [], [])


PASSAGES = {"topic_id": ["1", "2"], "doc_id": ["a", "a"], "start": [0, 5], "length": [10, 5], "docchars": [None, 40]}
STRUCTURE = {
    "doc_id": ["a", "a", "b"],
    "path": ["/article[1]", "/article[1]/sec[1]", "/article[1]"],
    "start": [0, 0, 0],
    "length": [50, 20, 90],
}


def known(structure: bool, topics: bool = True) -> JudgedRuns:
    """Returns a document whose length is given for one topic of two, and perhaps by a structure."""
    runs = {"run_id": ["r"], "topic_id": ["1"], "doc_id": ["a"], "start": [0], "length": [20]}
    passages = pl.DataFrame(PASSAGES if topics else PASSAGES | {"docchars": [None, None]}, schema_overrides={"docchars": pl.Int64})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)
        collection = from_frames(passages, pl.DataFrame(runs), pl.DataFrame(STRUCTURE) if structure else None)
    (evidence,) = batches(collection)
    return evidence


def test_lengths_come_from_the_structure_or_other_topics_where_a_topic_tells_none() -> None:
    assert known(structure=False).assessed.document_lengths.tolist() == [40, 40]
    assert known(structure=True).assessed.document_lengths.tolist() == [50, 40]
    assert known(structure=True, topics=False).assessed.document_lengths.tolist() == [50, 50]
    measure = MAgP(score="t2i", tolerance=100)
    assert measure.evaluate(known(structure=False), None)[0, 0] == 10 / 40
    assert measure.evaluate(known(structure=True), None)[0, 0] == 10 / 50


def test_the_mean_length_of_documents_is_that_of_the_structure_or_of_those_assessed() -> None:
    assert known(structure=False).assessed.mean_document_length == 40.0
    assert known(structure=True).assessed.mean_document_length == (50 + 90) / 2
