"""Intersections of results and ideal elements, by hand and character by character."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

from inexmetrics import Assessments, BinExh, CollectionError, Structure
from inexmetrics.collection.schemas import DOCUMENTS, ELEMENTS, STRUCTURE
from inexmetrics.ranking.navigation.ideals import ideal_documents, ideal_elements
from inexmetrics.ranking.navigation.routes import IdealElements, Meetings
from inexmetrics.ranking.recall_base import JudgedItems
from tests.by_hand import collected, runs_of

Place = tuple[str, str | None, int | None, int | None]
"""doc_id, path, start and length."""
S1, S2, S3 = "/a[1]/s[1]", "/a[1]/s[2]", "/a[1]/s[3]"


def ideal(*places: Place, beside: Sequence[Place] = ()) -> IdealElements:
    """Returns ideal elements, with their offsets and those of their siblings in a structure, if any offsets are given."""
    elements = [("1", doc, path, "2", 1.0, None) for doc, path, *_ in places]
    structure = [place for place in (*places, *beside) if place[2] is not None]
    return ideal_elements(
        JudgedItems(
            collected(
                Assessments(elements=pl.DataFrame(elements, schema=ELEMENTS, orient="row")),
                runs_of({}),
                Structure(pl.DataFrame(structure, schema=STRUCTURE, orient="row")) if structure else None,
            )
        ),
        BinExh,
    )


def points(*places: Place) -> pl.DataFrame:
    schema = {"topic": pl.Int32, "doc_id": pl.String, "path": pl.String, "start": pl.Int64, "length": pl.Int64}
    return pl.DataFrame([(0, *place) for place in places], schema=schema, orient="row")


def met(ideals: IdealElements, *places: Place) -> Meetings:
    return ideals.meetings(points(*places))


WHOLE, FIRST, SECOND = ("d", "/a[1]", 0, 100), ("d", S1, 10, 40), ("d", S2, 50, 50)


def test_places_stand_where_they_say_or_else_as_is_known() -> None:
    found = ideal(FIRST, beside=(WHOLE, SECOND)).located(
        points(
            ("d", S1, None, None),
            ("d", S1, 3, 9),
            ("d", None, None, None),
            ("d", None, 7, None),  # a document entered at 7
            ("d", None, 5, 50),  # a passage
            ("d", f"{S1} {S2}", None, None),
            ("d", f"{S1} {S2}", 1, 2),
            ("d", S3, None, None),  # the structure does not have it
            ("x", None, None, None),
        )
    )
    assert found.select("place", "start", "length").rows() == [
        (S1, 10, 40),
        (S1, 3, 9),
        ("", 0, 100),
        ("", 7, 100),
        (None, 5, 50),
        (None, 10, 90),
        (None, 1, 2),
        (S3, -1, -1),
        ("", 0, -1),
    ]


def test_without_a_structure_ranges_stand_nowhere() -> None:
    found = ideal(("d", S1, None, None)).located(points(("d", f"{S1} {S2}", None, None), ("d", S1, None, None)))
    assert found.select("place", "start", "length").rows() == [(None, -1, -1), (S1, -1, -1)]


def test_a_chance_of_0_is_no_route() -> None:
    found = met(ideal(FIRST, SECOND), ("d", S1, None, None)).routes(np.array([0.0, 0.25]))
    assert (found.points.tolist(), found.ideals.tolist(), found.chances.tolist()) == ([0], [1], [0.25])


def test_elements_without_characters() -> None:
    """The first section is empty, and so are two passages; one passage begins before unread text."""
    ideals = ideal(("d", S1, 10, 0), SECOND)
    empty = met(ideals, ("d", None, 10, 0), ("d", None, 60, 1), ("d", S1, None, None))
    assert empty.frame.select("point", "ideal").rows() == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]
    assert empty.shared("m").tolist() == [0.0, 0.0, 0.0, 1 / 50, 1.0, 0.0]
    assert empty.ahead("m").tolist() == [0, 40, -1, 0, 0, 40]
    assert empty.apart("m").tolist() == [0, 40, 50, 10, 0, 40]


def test_a_single_character_before_an_element_may_be_ideal() -> None:
    assert met(ideal(FIRST, SECOND), ("d", None, 49, 1), ("d", None, 9, 1)).ahead("m").tolist() == [0, 0, 1, 1]


def test_what_is_not_known_is_named_first_come() -> None:
    beside = ideal(FIRST, ("d", S3, None, None), beside=[WHOLE])
    around = met(beside, ("d", S1, None, None), ("d", "/a[1]", None, None))
    with pytest.raises(CollectionError, match=r"^topic 1: m: expected the length of d /a\[1\]/s\[3\], found nothing; a structure can"):
        around.shared("m")
    with pytest.raises(CollectionError, match=r"^topic 1: m: expected the start of d /a\[1\]/s\[3\], found nothing"):
        around.apart("m")
    with pytest.raises(CollectionError, match=r"^topic 1: m: expected the length of d /a\[1\]/s\[3\], found nothing"):
        around.ahead("m")
    assert met(beside, ("d", S1, None, None)).shared("m").tolist() == [0.0, 1.0], "neither holds the other"
    assert met(ideal(FIRST, beside=(WHOLE, SECOND)), ("d", S3, None, None)).shared("m").tolist() == [0.0]
    with pytest.raises(CollectionError, match=r"^topic 1: m: expected the place in the text of d /a\[1\]/s\[3\], found nothing"):
        met(beside, ("d", None, 0, 5)).shared("m")


def test_where_a_document_is_entered_must_be_known() -> None:
    documents = pl.DataFrame([("1", "d", 50, 1000, 200)], schema=DOCUMENTS, orient="row")
    ideals = ideal_documents(JudgedItems(collected(Assessments(documents=documents), runs_of({}))))
    assert met(ideals, ("d", None, 300, 10), ("d", None, -1, -1)).apart("m")[0] == 100
    with pytest.raises(CollectionError, match=r"^topic 1: m: expected the start of d, found nothing"):
        met(ideals, ("d", None, 300, 10), ("d", S1, None, None)).apart("m")


@pytest.mark.parametrize("seed", range(3))
def test_passages_meet_ideal_elements_character_by_character(seed: int) -> None:
    """Twenty documents with a few disjoint ideal sections each, and passages at any offset."""
    draw = random.Random(seed)
    sections: dict[str, list[tuple[int, int]]] = {}
    for number in range(20):
        bounds = sorted(draw.sample(range(16), 2 * draw.randint(1, 3)))
        sections[f"d{number:02d}"] = [(start, end - start) for start, end in zip(bounds[::2], bounds[1::2], strict=True)]
    passages = [(draw.choice(list(sections)), draw.randint(0, 15), draw.randint(0, 8)) for _ in range(100)]
    named = [(doc, f"/a[1]/s[{number}]", *section) for doc, of_doc in sections.items() for number, section in enumerate(of_doc)]
    found = met(ideal(*named), *((doc, None, start, length) for doc, start, length in passages))
    shared, ahead, apart = [], [], []
    for doc, start, length in passages:
        mine = set(range(start, start + length))
        relevant = {character for first, size in sections[doc] for character in range(first, first + size)}
        for first, size in sections[doc]:
            its = set(range(first, first + size))
            shared.append(min(length, size) / max(length, size) if mine <= its or its <= mine else 0.0)
            ahead.append(-1 if first + size <= start else len(set(range(start, first)) - relevant))
            apart.append(abs(start - first))
    assert found.shared("m").tolist() == shared
    assert found.ahead("m").tolist() == ahead
    assert found.apart("m").tolist() == apart
