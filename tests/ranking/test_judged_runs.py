"""Properties of a batch of results besides gains: which results are passages, which runs have assessed results, and what is known of the pool."""

from __future__ import annotations

import polars as pl
import pytest

from inexmetrics import Assessments, BinExh, CollectionError, Runs, Structure
from inexmetrics.collection.schemas import ELEMENTS, RESULTS, STRUCTURE
from inexmetrics.ranking import JudgedRuns, batches
from inexmetrics.ranking.passages.texts import Highlights
from inexmetrics.ranking.recall_base import JudgedItems
from tests.by_hand import Written, collected, runs_of
from tests.highlighted import Highlighted, shown
from tests.reference.in_context import Document

STRUCTURED = Structure(pl.DataFrame([("a", "/a[1]", 0, 40), ("a", "/a[1]/s[1]", 5, 10)], schema=STRUCTURE, orient="row"))


def one(assessments: Assessments, runs: Runs, structure: Structure | None = None) -> JudgedRuns:
    (evidence,) = batches(collected(assessments, runs, structure))
    return evidence


def retrieved(*results: tuple[str, str | None, int | None, int | None]) -> Runs:
    schema = {"run_id": pl.Enum(["r"]), "topic_id": pl.Enum(["1"]), **RESULTS}
    return Runs.of(pl.DataFrame([("r", "1", *result, None, None) for result in results], schema=schema, orient="row"), {"r": "file"})


def test_passages_are_results_without_a_path_that_start_somewhere() -> None:
    runs = retrieved(("a", None, None, None), ("a", None, 3, 5), ("a", "/a[1]/s[1]", 5, 10), ("a", "/a[1]/s[1]/p[1]", None, None))
    assert one(Written({"1": {"a": 1.0}}, {}).collection().assessments, runs).passages == 1


def test_runs_that_found_nothing_assessed() -> None:
    found = Highlighted(
        {"1": {"a": Document(5, 0, ((0, 5),))}}, {"p": {"1": [*shown("x")]}, "q": {"1": [*shown("x"), *shown("a")]}}, {"a": 9}
    )
    (evidence,) = batches(found.collection())
    for unit in ("text", "documents", "results"):
        assert evidence.assessed_by_run(unit).tolist() == [False, True]


def test_a_pool_is_not_known_where_the_structure_tells_what_holds_highlighted_text() -> None:
    highlighted = Highlighted({"1": {"a": Document(5, 0, ((0, 5),))}}, {}, {"a": 40}).assessments
    elements = Assessments(elements=pl.DataFrame([("1", "a", "/a[1]", "2", 1.0, 40)], schema=ELEMENTS, orient="row"))
    runs = retrieved(("a", None, None, None))
    one(elements, runs, STRUCTURED).check_pool()
    one(highlighted, runs).check_pool()
    one(Assessments(documents=highlighted.documents), runs, STRUCTURED).check_pool()
    with pytest.raises(CollectionError, match=r"^expected assessed elements, including elements judged"):
        one(highlighted, runs, STRUCTURED).check_pool()


def test_graded_documents_are_evidence_beside_assessed_elements() -> None:
    (both,) = batches(Written({"1": {"a": 0.5}}, {"r": {"1": [("a", None)]}}).collection())
    assert both.evidence.gains.tolist() == [[[0.5]]]
    (elements,) = batches(Written({"1": {"a:/a[1]/s[1]": 0.5}}, {"r": {"1": [("a", None)]}}).collection())
    with pytest.raises(
        CollectionError, match=r'^unit="results": expected highlighted passages or graded documents, found assessed elements'
    ):
        _ = elements.evidence


def test_results_of_the_focused_task_are_those_that_are_credited() -> None:
    items = {"a:/a[1]/s[1]": 1.0, "a:/a[1]/s[2]": 0.0, "b": 0.5}
    listed = [(item, None) for item in ("x", "a:/a[1]/s[2]", "a:/a[1]/s[1]", "b", "a:/a[1]/s[1]/p[1]")]
    (evidence,) = batches(Written({"1": items}, {"r": {"1": listed}}).collection())
    assert evidence.focused(BinExh, "paths").coded.judged.ranks.tolist() == [3, 4]


def test_ideal_elements_are_those_of_the_recall_base_with_their_gains() -> None:
    items = {"a:/a[1]/s[1]": 1.0, "a:/a[1]": 0.25, "a:/a[1]/s[2]": 0.0, "b": 0.5}
    ideals = JudgedItems(Written({"1": items}, {}).collection()).ideal_elements(BinExh, "paths")
    assert ideals.rows() == [("1", "a", "/a[1]/s[1]", 1.0), ("1", "b", None, 0.5)]


def test_characters_that_nobody_tells_are_below_0() -> None:
    elements = pl.DataFrame([("1", "a", "/a[1]", "2", 1.0, None), ("1", "b", "/a[1]", "2", 1.0, 7)], schema=ELEMENTS, orient="row")
    assert JudgedItems(collected(Assessments(elements=elements), runs_of({}))).sizes.tolist() == [-1, 7]


def test_highlighted_text_by_topic_and_document() -> None:
    assessed = {"1": {"a": Document(1, None, ((3, 1), (9, 0))), "b": Document(0)}, "2": {"a": Document(5, 2, ((2, 2), (8, 3)))}}
    written = Highlighted(assessed, {}, {"b": 30})
    assert JudgedItems(written.collection()).highlighted.gains.tolist() == [1.0, 0.0, 1.0, 0.0]
    found = Highlights.of(written.assessments, ("1", "2"))
    assert found.relchars.tolist() == [1, 0, 5]
    assert found.docchars.tolist() == [-1, 30, -1]
    assert found.bep.tolist() == [-1, -1, 2]
    assert (found.totals.tolist(), found.counts.tolist()) == ([1, 5], [1, 1])
    assert (found.documents.tolist(), found.starts.tolist(), found.lengths.tolist()) == ([0, 2, 2], [3, 2, 8], [1, 2, 3])
    assert found.firsts.tolist() == [0, 1, 1, 3]
