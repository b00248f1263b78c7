"""Highlighted text before and within stretches of documents, and in elements, compared with sets of characters."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import Assessments, CollectionError, Structure
from inexmetrics.collection import assessed_elements
from inexmetrics.collection.derived_judgements import LONGEST, HighlightedText
from inexmetrics.collection.schemas import DOCUMENTS, PASSAGES, STRUCTURE
from inexmetrics.common.arrays import IntArray
from tests.profiles import up_to

Passage = tuple[str, str, int, int]
Element = tuple[str, str, int, int]


def highlighted(documents: Sequence[tuple[str, str, int, int | None]], passages: Sequence[Passage]) -> Assessments:
    """Assessments of documents, each with its topic, highlighted characters and length, and of passages."""
    return Assessments(
        documents=pl.DataFrame([(*document, None) for document in documents], schema=DOCUMENTS, orient="row"),
        passages=pl.DataFrame(passages, schema=PASSAGES, orient="row"),
        topics=tuple(sorted({topic for topic, *_ in documents})),
    )


def structured(elements: Sequence[Element]) -> Structure:
    return Structure(pl.DataFrame(elements, schema=STRUCTURE, orient="row"))


@st.composite
def collections(draw: st.DrawFn) -> tuple[Assessments, Structure]:
    """Returns collections of two topics and three documents with elements at any position, some of them empty, and passages that may touch."""
    documents, passages, elements = [], [], []
    for doc in "abc":
        length = draw(st.integers(1, 30))
        places = draw(st.lists(st.tuples(st.integers(0, length), st.integers(0, length)), max_size=6))
        elements.append((doc, "/article[1]", 0, length))
        elements += [(doc, f"/article[1]/p[{number}]", start, size) for number, (start, size) in enumerate(places, start=1)]
        for topic in draw(st.lists(st.sampled_from("12"), unique=True)):
            bounds = sorted(draw(st.lists(st.integers(0, length), max_size=6)))
            marked = [(topic, doc, start, end - start) for start, end in zip(bounds[::2], bounds[1::2], strict=False)]
            documents.append((topic, doc, sum(size for *_, size in marked), length))
            passages += marked
    documents.append(("1", "d", 0, 7))
    return highlighted(documents, draw(st.permutations(passages))), structured(elements)


@given(found=collections())
@up_to(200)
def test_elements_hold_the_characters_of_their_sets(found: tuple[Assessments, Structure]) -> None:
    assessments, structure = found
    assert assessments.documents is not None
    assert assessments.passages is not None
    expected: list[tuple[str, str, str, float, int]] = []
    for topic, doc, *_ in assessments.documents.rows():
        marked = {
            character
            for start, size in assessments.passages.filter(topic_id=topic, doc_id=doc).select("start", "length").rows()
            for character in range(start, start + size)
        }
        for _, path, start, size in structure.elements.filter(doc_id=doc).rows():
            held = len(marked & set(range(start, start + size)))
            expected += [(topic, doc, path, held / size, size)] if held else []
    told = assessed_elements(assessments, structure).select("topic_id", "doc_id", "path", "specificity", "size")
    assert sorted(told.rows()) == sorted(expected)


@given(
    bounds=st.lists(st.lists(st.integers(0, 40), max_size=8), min_size=1, max_size=3),
    offsets=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 60), st.integers(0, 60)), min_size=1),
)
@up_to(200)
def test_highlighted_text_is_counted_before_and_within(bounds: list[list[int]], offsets: list[tuple[int, int, int]]) -> None:
    pairs = [(number, *sorted(bounds[number])[at : at + 2]) for number in range(len(bounds)) for at in range(0, len(bounds[number]) - 1, 2)]
    passages = [(number, start, end - start) for number, start, end in pairs if end > start]
    marked = {(number, character) for number, start, size in passages for character in range(start, start + size)}

    def column(values: list[int]) -> IntArray:
        return pl.Series(values, dtype=pl.Int64).to_numpy()

    text = HighlightedText.of(*(column([passage[place] for passage in passages]) for place in range(3)))
    documents, starts, lengths = (column([offset[place] for offset in offsets]) for place in range(3))
    expected = [len({one for one in marked if one < (document, start)}) for document, start, _ in offsets]
    assert text.before(documents, starts).tolist() == expected
    within = [len(marked & {(document, character) for character in range(start, start + size)}) for document, start, size in offsets]
    assert text.within(documents, starts, lengths).tolist() == within


def test_text_too_far_on_is_refused_where_elements_are_found_in_it() -> None:
    names = [f"d{number}" for number in range(3000)]
    structure = structured([(name, "/a[1]", 0, 100) for name in names])
    told = [("1", name, 10, 100) for name in names]
    near = [("1", name, 0, 10) for name in names[1:]]
    elements = assessed_elements(highlighted(told, [*near, ("1", "d0", LONGEST - 10, 10)]), structure)
    assert elements["doc_id"].to_list() == names[1:], "the others are none the worse for it"
    assert (elements["specificity"] == 0.1).all()
    with pytest.raises(CollectionError, match=f"^topic 1: expected highlighted text within the first {LONGEST} characters of document d0"):
        assessed_elements(highlighted(told, [*near, ("1", "d0", LONGEST - 9, 10)]), structure)
