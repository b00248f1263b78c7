from __future__ import annotations

import itertools

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import Assessments, CollectionError, CollectionWarning, FormulaError, assessor_agreement, sample
from inexmetrics.collection.schemas import ASSESSORS

# topic 9: ann and bob differ on b and c, and cid, who saw a and b only, says yes to both; topic 10: one assessor
ROWS = [
    ("9", "ann", "a", 1.0), ("9", "ann", "b", 0.0), ("9", "ann", "c", 2.0), ("9", "ann", "d", 0.0),
    ("9", "bob", "a", 1.0), ("9", "bob", "b", 1.0), ("9", "bob", "c", 0.0), ("9", "bob", "d", 0.0),
    ("9", "cid", "b", 1.0), ("9", "cid", "a", 1.0),
    ("10", "bob", "e", 1.0), ("10", "bob", "f", 0.0),
    ("11", "bob", "a", 0.0), ("11", "ann", "a", 1.0),
]  # fmt: skip


pytestmark = pytest.mark.filterwarnings("ignore:assessor_agreement. .* judged by one assessor only:inexmetrics.CollectionWarning")


def judged(rows: list[tuple[str, str, str, float]]) -> Assessments:
    return Assessments(assessors=pl.DataFrame(rows, schema=ASSESSORS, orient="row"))


def test_disagreement_by_hand() -> None:
    with pytest.warns(CollectionWarning, match="2 of 7 documents were judged by one assessor only, and cannot be disputed"):
        found = assessor_agreement(judged(ROWS))
    assert found.disagreement.columns == [
        "topic_id", "documents", "assessors", "disagreements", "agreement", "pairwise_agreement", "kappa",
    ]  # fmt: skip
    assert found.disagreement.drop("pairwise_agreement", "kappa").rows() == [
        ("10", 2, 1, 0, 1.0),
        ("11", 1, 2, 1, 0.0),
        ("9", 4, 3, 2, 0.5),
    ]
    # topic 9: pairs agree on a 3 of 3, on b 1 of 3, on c 0 of 1, on d 1 of 1; 6 of 10 say yes
    pairwise = (1 + 1 / 3 + 0 + 1) / 4
    assert found.disagreement["pairwise_agreement"].to_list() == [None, 0.0, pytest.approx(pairwise)]
    assert found.disagreement["kappa"].to_list() == [None, pytest.approx(-1), pytest.approx((pairwise - 0.52) / 0.48)]
    row = found.disagreement_overall.row(0, named=True)
    assert (row["topics"], row["documents"], row["mean_documents"], row["assessors"], row["disagreements"]) == (3, 7, 7 / 3, 6, 3)
    assert row["agreement"] == 4 / 7
    assert row["pairwise_agreement"] == pytest.approx(pairwise * 4 / 5)  # and a of topic 11
    assert row["kappa"] == pytest.approx((pairwise * 4 / 5 - (49 + 25) / 144) / (70 / 144))  # 7 of 12 say yes


def test_overlap_by_hand() -> None:
    found = assessor_agreement(judged(ROWS))
    assert found.overlap.columns == [
        "topic_id", "asked", "assessor", "documents", "intersection", "union", "mean_intersection", "mean_union",
    ]  # fmt: skip
    nine = found.overlap.filter(topic_id="9")
    # ann: a c; bob: a b; cid: a b. In pairs: {a} | {a, b, c}, the same, and {a, b} | {a, b}
    assert nine.drop("topic_id", "mean_intersection", "mean_union").rows() == [
        (1, "ann", 4, 2, 2),
        (2, "bob", 4, 1, 3),
        (3, "cid", 4, 1, 3),
    ]
    assert nine["mean_intersection"].to_list() == pytest.approx([2, 4 / 3, 1])
    assert nine["mean_union"].to_list() == pytest.approx([2, 8 / 3, 3])
    # of topic 11, bob was first: nothing, then still nothing in common, and a together
    assert found.overlap_overall.columns == ["asked", "topics", "documents", "intersection", "union", "mean_intersection", "mean_union"]
    assert found.overlap_overall.drop("mean_intersection", "mean_union").rows() == [(1, 3, 7, 3, 3), (2, 2, 5, 1, 4), (3, 1, 4, 1, 3)]
    assert found.overlap_overall["mean_union"].to_list() == pytest.approx([2 + 1 + 0.5, 8 / 3 + 1, 3])


def test_pairs_by_hand() -> None:
    found = assessor_agreement(judged(ROWS))
    names = ["first", "second", "documents", "both", "first_only", "second_only", "neither"]
    assert found.pairs.columns == ["topic_id", *names, "agreement", "kappa"]
    assert found.pairs.select("topic_id", *names).rows() == [
        ("11", "bob", "ann", 1, 0, 0, 1, 0),
        ("9", "ann", "bob", 4, 1, 1, 1, 1),
        ("9", "ann", "cid", 2, 1, 0, 1, 0),
        ("9", "bob", "cid", 2, 2, 0, 0, 0),
    ]
    assert found.pairs["agreement"].to_list() == [0.0, 0.5, 0.5, 1.0]
    assert found.pairs["kappa"].to_list() == [0.0, 0.0, 0.0, None]
    # over all topics, whoever is met first stands first: bob, of topic 10
    assert found.pairs_overall.columns == [*names, "agreement", "kappa"]
    assert found.pairs_overall.select(names).rows() == [
        ("bob", "ann", 5, 1, 1, 2, 1), ("ann", "cid", 2, 1, 0, 1, 0), ("bob", "cid", 2, 2, 0, 0, 0),
    ]  # fmt: skip


def test_relevance_begins_where_it_is_said_to() -> None:
    found = assessor_agreement(judged(ROWS), rel=2)
    assert found.disagreement["disagreements"].to_list() == [0, 0, 1]
    with pytest.raises(FormulaError, match=r"^assessor_agreement: rel: expected a number above 0, found 0$"):
        assessor_agreement(judged(ROWS), rel=0)


names = st.lists(st.sampled_from(["p", "q", "r", "s", "t"]), min_size=1, unique=True)


@given(st.data())
def test_averages_over_all_orders(data: st.DataObject) -> None:
    assessors = data.draw(names)
    documents = st.sets(st.sampled_from("abcdef"))
    finds = {name: data.draw(documents) for name in assessors}
    seen = {name: finds[name] | data.draw(documents) | {"a"} for name in assessors}
    rows = [("1", name, document, float(document in finds[name])) for name in assessors for document in sorted(seen[name])]
    found = assessor_agreement(judged(rows)).overlap
    for row in found.iter_rows(named=True):
        first = [finds[name] for name in assessors[: row["asked"]]]
        assert (row["intersection"], row["union"]) == (len(set.intersection(*first)), len(set.union(*first)))
        assert row["documents"] == len(set.union(*(seen[name] for name in assessors[: row["asked"]])))
        orders = list(itertools.combinations(finds.values(), row["asked"]))
        assert row["mean_intersection"] == pytest.approx(sum(len(set.intersection(*order)) for order in orders) / len(orders))
        assert row["mean_union"] == pytest.approx(sum(len(set.union(*order)) for order in orders) / len(orders))
    # as assessors are added the intersection only falls and the union only rises
    for name, falls in (("intersection", True), ("union", False), ("mean_intersection", True), ("mean_union", False)):
        values = found[name].to_list()
        assert values == pytest.approx(sorted(values, reverse=falls), abs=1e-12)


def test_many_assessors() -> None:
    """The number of subsets of 40 out of 80 assessors exceeds a 64-bit integer."""
    rows = [("1", f"p{number:02d}", "a", float(number < 40)) for number in range(80)]
    found = assessor_agreement(judged(rows)).overlap
    assert found["mean_intersection"][0] == 0.5
    assert 0 < found["mean_intersection"][39] < 1e-22
    assert found["mean_union"].to_list()[40:] == [1.0] * 40


def test_of_a_collection_and_printed() -> None:
    found = assessor_agreement(sample())
    assert found.disagreement_overall.select("topics", "assessors").row(0) == (29, 4 * 29)
    assert found.disagreement_overall["disagreements"][0] == found.disagreement["disagreements"].sum()
    assert list(found.tables) == ["disagreement", "disagreement_overall", "overlap", "overlap_overall", "pairs", "pairs_overall"]
    assert str(found).startswith("disagreement\n\ntopic_id  documents  assessors  disagreements  agreement  pairwise_agreement   kappa\n")


def test_what_it_is_asked_of() -> None:
    with pytest.raises(CollectionError, match=r"^expected judgements by named assessors, found none$"):
        assessor_agreement(Assessments(topics=("1",)))
    with pytest.raises(CollectionError, match=r"^assessor_agreement: expected judgements by named assessors, found none$"):
        assessor_agreement(judged([]))
    with pytest.raises(CollectionError, match=r"^assessor_agreement: expected assessments or a collection, found 3$"):
        assessor_agreement(3)  # type: ignore[arg-type]
