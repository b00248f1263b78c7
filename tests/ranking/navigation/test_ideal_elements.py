"""Ideal elements and documents, their order, and the candidates that lead to them, by hand."""

from __future__ import annotations

import polars as pl

from inexmetrics import Assessments, BinExh, Structure
from inexmetrics.collection.schemas import DOCUMENTS, ELEMENTS, GRADES, STRUCTURE
from inexmetrics.ranking.navigation.ideals import candidates, ideal_documents, ideal_elements
from inexmetrics.ranking.recall_base import JudgedItems
from tests.by_hand import collected, runs_of

NOWHERE = pl.DataFrame(schema={"doc_id": pl.String, "place": pl.String})


def judged(assessments: Assessments, *structure: tuple[str, str, int, int]) -> JudgedItems:
    placed = Structure(pl.DataFrame(structure, schema=STRUCTURE, orient="row")) if structure else None
    return JudgedItems(collected(assessments, runs_of({}), placed))


def elements(*rows: tuple[str, str, str | None, float, int | None]) -> pl.DataFrame:
    """Returns topic, doc_id, path, gain and size of each element."""
    every = [(topic, doc, path, "2" if gain else "0", gain, size) for topic, doc, path, gain, size in rows]
    return pl.DataFrame(every, schema=ELEMENTS, orient="row")


def test_documents_without_an_entry_point_start_where_they_begin() -> None:
    grades = pl.DataFrame([("1", "b", 2.0), ("1", "a", 1.0), ("1", "c", 0.0)], schema=GRADES, orient="row")
    assert ideal_documents(judged(Assessments(grades=grades))).frame.select("doc_id", "start").rows() == [("a", 0), ("b", 0)]


def test_elements_stand_by_ideality_then_as_they_are_read() -> None:
    """In b, elements are ordered by their starts; in a, whose starts are unknown, the longer element is first, then by path."""
    assessed = elements(
        ("1", "b", "/a[1]/s[2]", 0.5, None),
        ("1", "b", "/a[1]/s[1]", 0.5, None),
        ("1", "c", "/a[1]", 1.0, None),
        ("1", "a", "/a[1]/s[10]", 0.5, 5),
        ("1", "a", "/a[1]/s[2]", 0.5, 5),
        ("1", "a", "/a[1]/s[3]", 0.5, 9),
    )
    ideals = ideal_elements(judged(Assessments(elements=assessed), ("b", "/a[1]/s[2]", 0, 5), ("b", "/a[1]/s[1]", 20, 9)), BinExh)
    assert ideals.frame.select("doc_id", "place", "start", "length").rows() == [
        ("c", "", 0, -1),
        ("a", "/a[1]/s[3]", -1, 9),
        ("a", "/a[1]/s[2]", -1, 5),
        ("a", "/a[1]/s[10]", -1, 5),
        ("b", "/a[1]/s[2]", 0, 5),
        ("b", "/a[1]/s[1]", 20, 9),
    ]
    assert ideals.idealities.tolist() == [1.0, 0.5, 0.5, 0.5, 0.5, 0.5]


def test_a_list_could_hold_all_that_is_known_of_documents_with_ideal_elements() -> None:
    """Candidates of d are an element that the structure lacks and the elements of the structure, in document order, and all given sources of links."""
    assessed = elements(("1", "d", "/a[1]/s[1]/p[1]", 1.0, None), ("1", "d", "/a[1]/x[1]", 0.0, None), ("1", "f", "/a[1]", 0.0, None))
    structure = [("/a[1]/s[2]", 50, 50), ("/a[1]/s[1]/p[1]", 0, 40), ("/a[1]/s[1]", 0, 40), ("/a[1]", 0, 100)]
    ideals = ideal_elements(judged(Assessments(elements=assessed), *(("d", *row) for row in structure), ("f", "/a[1]", 0, 9)), BinExh)
    found = candidates(ideals, pl.DataFrame([("e", "/a[1]/s[2]")], schema=NOWHERE.schema, orient="row"))
    names = ["/a[1]/x[1]", None, "/a[1]/s[1]", "/a[1]/s[1]/p[1]", "/a[1]/s[2]"]
    assert found.rows() == [*((0, "d", name or "", name, None, None) for name in names), (0, "e", "/a[1]/s[2]", "/a[1]/s[2]", None, None)]


def test_documents_are_best_entered_where_they_are_best_read_from() -> None:
    documents = pl.DataFrame([("1", "d", 50, 1000, 200)], schema=DOCUMENTS, orient="row")
    assert candidates(ideal_documents(judged(Assessments(documents=documents))), NOWHERE).rows() == [(0, "d", "", None, 200, None)]


def test_lengths_are_told_by_the_structure_then_of_documents_then_of_elements() -> None:
    """The length of a document is the greatest length given for it, and the length of an element the smallest."""
    documents = pl.DataFrame([("1", "d", 5, 30, None), ("2", "d", 5, 40, None), ("1", "e", 5, 60, None)], schema=DOCUMENTS, orient="row")
    sized = elements(
        *(("1", "d", None, 1.0, 50), ("1", "d", "/a[1]/s[1]", 1.0, 9), ("2", "d", "/a[1]/s[1]", 1.0, 7)),
        *(("1", "g", "/a[1]", 1.0, 3), ("1", "e", "/a[1]/s[1]", 1.0, 8)),
    )
    structure = [("e", "/a[1]", 0, 70), ("e", "/a[1]/s[1]", 20, 11)]
    found = ideal_elements(judged(Assessments(elements=sized, documents=documents), *structure), BinExh).extents
    assert sorted(found.rows()) == [
        ("d", "", 0, 40),
        ("d", "/a[1]/s[1]", -1, 7),
        ("e", "", 0, 70),
        ("e", "/a[1]/s[1]", 20, 11),
        ("g", "", 0, 3),
    ]
