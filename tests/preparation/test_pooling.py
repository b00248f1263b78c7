from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import Assessments, CollectionError, from_frames, pool, pool_coverage
from inexmetrics.collection.schemas import ASSESSORS, GRADES
from tests.by_hand import Listed, runs_of
from tests.reference import assessors as reference

ITEMS = ["a", "b", "c", "d", "e", "c:/x[1]", "c:/x[2]", "e:/x[1]"]


@st.composite
def rankings(draw: st.DrawFn) -> dict[str, dict[str, list[str]]]:
    """Returns rankings of documents and elements, with several results per document."""
    topics = draw(st.lists(st.sampled_from(["1", "10", "2"]), min_size=1, unique=True))
    found = {}
    for run in draw(st.lists(st.sampled_from(["x", "Y", "z"]), min_size=1, unique=True)):
        answered = draw(st.lists(st.sampled_from(topics), min_size=1, unique=True))
        found[run] = {topic: draw(st.lists(st.sampled_from(ITEMS), min_size=1, max_size=8, unique=True)) for topic in answered}
    return found


@given(rankings(), st.integers(1, 8))
def test_as_the_definition_reads(found: dict[str, dict[str, list[str]]], n: int) -> None:
    listed: dict[str, dict[str, Listed]] = {
        run: {topic: [(item, None) for item in items] for topic, items in by.items()} for run, by in found.items()
    }
    documents = {run: {topic: [item.partition(":")[0] for item in items] for topic, items in by.items()} for run, by in found.items()}
    pooled = pool(runs_of(listed), n)
    assert pooled.schema == {"topic_id": pl.String, "doc_id": pl.String, "round": pl.Int64}
    assert pooled.rows() == reference.pool(documents, n)


def test_by_hand() -> None:
    # rounds: a a b | b (c's second part) c d. Three documents are reached in round 2, which is gone through to its end
    found = runs_of(
        {
            "1": {"t": [("a", None), ("b", None), ("e", None)]},
            "2": {"t": [("a", None), ("c", None)]},
            "3": {"t": [("b:/x[1]", None), ("d", None), ("f", None)]},
        }
    )
    assert pool(found, 2).rows() == [("t", "a", 1), ("t", "b", 1)]
    assert pool(found, 3).rows() == [("t", "a", 1), ("t", "b", 1), ("t", "c", 2), ("t", "d", 2)]
    assert pool(found, 100)["doc_id"].to_list() == ["a", "b", "c", "d", "e", "f"]


@pytest.mark.parametrize(("n", "shown"), [(0, "0"), (True, "True"), (2.5, "2.5"), ("3", '"3"')])
def test_n_is_a_whole_number(n: int, shown: str) -> None:
    with pytest.raises(CollectionError, match=rf"^pool: n: expected an integer of at least 1, found {shown}$"):
        pool(runs_of({"1": {"t": [("a", None)]}}), n)


def test_coverage() -> None:
    grades = pl.DataFrame([("1", "a", 1.0), ("1", "b", 0.0), ("1", "c", 2.0), ("3", "z", 0.5)], schema=GRADES, orient="row")
    found = runs_of({"r": {"1": [("a", None), ("b", None), ("x", None), ("y", None)], "2": [("a", None)]}})
    table = pool_coverage(pool(found, 10), Assessments(grades=grades))
    assert table.columns == ["topic_id", "pooled", "assessed", "both", "coverage", "relevant", "relevant_pooled", "recall"]
    assert table.rows() == [("1", 4, 3, 2, 0.5, 2, 1, 0.5), ("2", 1, 0, 0, 0.0, 0, 0, None), ("3", 0, 1, 0, None, 0, 0, None)]


def test_an_unjudged_document_is_not_assessed() -> None:
    assessments = from_frames({"1": {"a": 1, "b": -1, "c": -1}}).assessments
    pooled = pl.DataFrame({"topic_id": ["1", "1"], "doc_id": ["a", "b"], "round": [1, 2]})
    assert pool_coverage(pooled, assessments).rows() == [("1", 2, 1, 1, 0.5, 1, 1, 1.0)]


def test_coverage_of_what_anybody_assessed() -> None:
    rows = [("1", "ann", "a", 0.0), ("1", "bob", "a", 1.0), ("1", "bob", "b", 0.0)]
    several = pl.DataFrame(rows, schema=ASSESSORS, orient="row")
    found = runs_of({"r": {"1": [("a", None), ("x", None)]}})
    assert pool_coverage(pool(found, 10), Assessments(assessors=several)).rows() == [("1", 2, 2, 1, 0.5, 1, 1, 1.0)]


def test_coverage_of_documents_that_are_named_by_integers() -> None:
    pooled = pl.DataFrame({"topic_id": [1, 1], "doc_id": [7, 8]})
    assert pool_coverage(pooled, from_frames({"1": {"7": 1}}).assessments)["both"].to_list() == [1]


def test_coverage_needs_a_pool() -> None:
    with pytest.raises(
        CollectionError, match=r"^pool_coverage: expected a pool with the columns topic_id and doc_id, found none named doc_id$"
    ):
        pool_coverage(pl.DataFrame({"topic_id": ["1"]}), Assessments(grades=pl.DataFrame(schema=GRADES)))
