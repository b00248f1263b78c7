"""The judgements of each assessor of a collection, whatever the form of input."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from inexmetrics import Assessments, Collection, CollectionError, CollectionWarning
from inexmetrics.collection import judged_by, judgements_by_assessor
from inexmetrics.collection.assessors import by_assessor
from inexmetrics.collection.schemas import ASSESSORS, DOCUMENTS, ELEMENTS, GRADES, PASSAGES
from tests.by_hand import runs_of


def graded(*rows: tuple[str, str, float]) -> Assessments:
    return Assessments(grades=pl.DataFrame(list(rows), schema=GRADES, orient="row"))


def highlighted(*rows: tuple[str, str, int, int, int | None]) -> Assessments:
    documents = pl.DataFrame(list(rows), schema=DOCUMENTS, orient="row")
    passages = documents.filter(pl.col("relchars") > 0).select("topic_id", "doc_id", start=pl.lit(0, pl.Int64), length="relchars")
    return Assessments(documents=documents, passages=passages.cast(pl.Schema(PASSAGES)))


def elements(*rows: tuple[str, str, str, str, float, int]) -> Assessments:
    return Assessments(elements=pl.DataFrame(list(rows), schema=ELEMENTS, orient="row"))


SEVERAL = by_assessor(
    {
        "ann": graded(("1", "d", 1.0), ("2", "e", 0.0)),
        "bob": graded(("1", "d", 0.0)),
        "llm": highlighted(("1", "d", 5, 9, None), ("3", "f", 0, 7, None)),
        "old": elements(("2", "e", "/a[1]", "3", 1.0, 50)),
    }
)


def test_graders_stand_in_one_table_and_others_by_name() -> None:
    graders = by_assessor({"bob": graded(("1", "d", 0.0)), "ann": graded(("1", "d", 1.0), ("2", "e", 0.0))})
    assert graders.kinds == ("assessors",)
    assert graders.assessors is not None
    assert graders.assessors.schema == pl.Schema(ASSESSORS)
    assert graders.assessors.rows() == [("1", "bob", "d", 0.0), ("1", "ann", "d", 1.0), ("2", "ann", "e", 0.0)]
    assert not graders.judges
    assert (SEVERAL.kinds, SEVERAL.topics) == (("assessors",), ("1", "2", "3"))
    assert SEVERAL.assessor_names == ("ann", "bob", "llm", "old")
    assert SEVERAL.assessors is None
    assert list(SEVERAL.judges) == ["ann", "bob", "llm", "old"]


def test_an_assessor_of_whom_a_part_holds_nothing_stays_named() -> None:
    graders = by_assessor({"bob": graded(("1", "d", 0.0)), "ann": graded(("1", "d", 1.0), ("2", "e", 0.0))})
    for part in (graders.only(topics=["2"]), graders.of_documents(pl.DataFrame({"topic_id": ["2"], "doc_id": ["e"]}))):
        assert part.assessor_names == ("ann", "bob")
        by_bob = judged_by(part, "bob")
        assert (by_bob.topics, by_bob.kinds, by_bob.judged.height) == (part.topics, ("documents",), 0)
        assert judgements_by_assessor(part).rows() == [("2", "ann", "e", 0.0)]
    assert not graders.only(topics=["1"]).judges


def test_whoever_is_named_first_is_first_whatever_the_kind() -> None:
    named = {"llm": highlighted(("1", "d", 5, 9, None)), "ann": graded(("1", "d", 0.0))}
    assert judgements_by_assessor(by_assessor(named))["assessor"].to_list() == ["llm", "ann"]
    assert judgements_by_assessor(by_assessor(dict(reversed(named.items()))))["assessor"].to_list() == ["ann", "llm"]


def test_each_is_judged_by_alone_for_the_topics_of_all() -> None:
    bob, llm, old = (judged_by(SEVERAL, name) for name in ("bob", "llm", "old"))
    assert {one.topics for one in (bob, llm, old)} == {("1", "2", "3")}
    assert (bob.kinds, llm.kinds, old.kinds) == (("documents",), ("passages",), ("elements",))
    assert bob.grades is not None
    assert bob.grades.schema == pl.Schema(GRADES)
    assert bob.grades.rows() == [("1", "d", 0.0)]
    assert old.scale == "inex2004"
    assert judged_by(SEVERAL, "bob") is bob, "computed once"


def test_opinions_are_those_of_all() -> None:
    table = judgements_by_assessor(SEVERAL)
    assert table.schema == pl.Schema(ASSESSORS)
    assert table.rows() == [
        ("1", "ann", "d", 1.0),
        ("2", "ann", "e", 0.0),
        ("1", "bob", "d", 0.0),
        ("1", "llm", "d", 1.0),
        ("3", "llm", "f", 0.0),
        ("2", "old", "e", 1.0),
    ]
    with pytest.raises(CollectionError, match=r"^expected judgements by named assessors, found none$"):
        judgements_by_assessor(graded(("1", "d", 1.0)))


def test_unknown_assessors() -> None:
    with pytest.raises(CollectionError, match=r"^unknown assessor 'lm'; did you mean llm\?$"):
        judged_by(SEVERAL, "lm")
    with pytest.raises(CollectionError, match=r"^expected judgements by named assessors, including 'llm', found none$"):
        judged_by(graded(("1", "d", 1.0)), "llm")


def test_a_part_of_the_topics_keeps_every_assessor() -> None:
    part = SEVERAL.only("3")
    assert part.topics == ("3",)
    assert part.assessor_names == SEVERAL.assessor_names
    assert judgements_by_assessor(part).rows() == [("3", "llm", "f", 0.0)], "the others judged nothing of it"
    llm, old = judged_by(part, "llm"), judged_by(part, "old")
    assert llm.documents is not None
    assert llm.documents["doc_id"].to_list() == ["f"]
    assert old.elements is not None
    assert old.elements.is_empty()
    assert old.scale == "inex2004"


def test_the_fingerprint_tells_who_judged_what() -> None:
    def of(judged: Assessments) -> str:
        return Collection(judged).fingerprint

    one, other = highlighted(("1", "d", 5, 9, None)), highlighted(("1", "d", 4, 9, None))
    told = [
        by_assessor({"a": one, "b": other}),
        by_assessor({"b": other, "a": one}),
        by_assessor({"a": other, "b": one}),
        by_assessor({"a": one}),
        by_assessor({"c": one}),
        one,
    ]
    assert len({of(judged) for judged in told}) == len(told)


def test_passages_past_the_end_are_told_by_any_assessors_lengths() -> None:
    results = runs_of({"r": {topic: [("d", None)] for topic in ("1", "2", "3")}})
    table = results.packed.with_columns(start=pl.lit(4, pl.Int64), length=pl.lit(8, pl.Int64))
    with pytest.warns(CollectionWarning, match="3 passages end past the document's end, .* one ends at character 12 of 9"):
        Collection(SEVERAL, replace(results, packed=table))
