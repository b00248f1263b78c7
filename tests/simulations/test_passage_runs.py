"""Runs of parts of relevant documents: computed by hand, and compared with a reference implementation on single characters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from inexmetrics import Assessments, Collection, CollectionError, Runs, Structure
from inexmetrics.collection.schemas import DOCUMENTS, PASSAGES, STRUCTURE
from inexmetrics.simulations.passage_runs import PARTS, RANKINGS, run_of, runs_of_parts
from tests.profiles import up_to
from tests.reference import passage_runs as reference
from tests.reference.passage_runs import Document, Range

Highlighted = Mapping[str, Mapping[str, Sequence[Range]]]
"""For each topic, the passages of each assessed document."""

# An article of 100 characters: a title, and two sections of which the second has two paragraphs, one with an empty figure.
ARTICLE = Document(
    100,
    {
        "/article[1]": (0, 100),
        "/article[1]/title[1]": (2, 10),
        "/article[1]/sec[1]": (12, 40),
        "/article[1]/sec[1]/p[1]": (13, 39),
        "/article[1]/sec[2]": (42, 98),
        "/article[1]/sec[2]/p[1]": (44, 60),
        "/article[1]/sec[2]/p[1]/fig[1]": (60, 60),
        "/article[1]/sec[2]/p[2]": (62, 96),
        "/article[1]/sec[2]/p[2]/it[1]": (70, 80),
    },
)


def assessments(topics: Highlighted, documents: Mapping[str, Document]) -> Assessments:
    judged = [
        (topic, doc, sum(end - start for start, end in passages), documents[doc].length, None)
        for topic, by_doc in topics.items()
        for doc, passages in by_doc.items()
    ]
    marked = [
        (topic, doc, start, end - start) for topic, by_doc in topics.items() for doc, passages in by_doc.items() for start, end in passages
    ]
    return Assessments(
        documents=pl.DataFrame(judged, schema=DOCUMENTS, orient="row"),
        passages=pl.DataFrame(marked, schema=PASSAGES, orient="row"),
        topics=tuple(topics),
    )


def structure(documents: Mapping[str, Document]) -> Structure:
    rows = [(doc, path, start, end - start) for doc, held in documents.items() for path, (start, end) in held.elements.items()]
    return Structure(pl.DataFrame(rows, schema=STRUCTURE, orient="row"))


def results(runs: Runs, parts: str, ranking: str, topic: str) -> list[tuple[str, int | None, int | None]]:
    mine = (pl.col("run_id") == run_of(parts, ranking)) & (pl.col("topic_id") == topic)
    return runs.results.filter(mine).select("doc_id", "start", "length").rows()


def retrieved(parts: str, passages: Sequence[Range], document: Document = ARTICLE) -> list[Range]:
    """Returns the retrieved parts of one relevant document."""
    runs = runs_of_parts(assessments({"1": {"d": passages}}, {"d": document}), structure({"d": document}))
    rows = results(runs, parts, "R", "1")
    return [(start, start + length) for _, start, length in rows if start is not None and length is not None]


@pytest.mark.parametrize(
    ("parts", "passages", "expected"),
    [
        ("S", [(45, 50), (65, 82)], [(45, 50), (65, 82)]),
        # In document order, whatever the order they are listed in; touching ones are two.
        ("S", [(50, 55), (45, 50)], [(45, 50), (50, 55)]),
        ("SL", [(45, 50), (71, 75)], [(44, 60), (70, 80)]),
        # Both in the same paragraph: it is retrieved once.
        ("SL", [(63, 65), (72, 85)], [(62, 96)]),
        # One in the second section as a whole, one in its first paragraph: the section alone.
        ("SL", [(44, 50), (55, 61)], [(42, 98)]),
        ("SL", [(44, 60)], [(44, 60)]),
        ("SL", [(39, 42)], [(0, 100)]),
        ("SLD", [(45, 50), (71, 75)], [(0, 100)]),
        # The second paragraph whole; the first is not, and holds nothing that is.
        ("SS", [(50, 97)], [(62, 96)]),
        ("SS", [(42, 98)], [(42, 98)]),
        ("SS", [(13, 39), (44, 62)], [(13, 39), (44, 60)]),
        ("SS", [(71, 75)], [(0, 0)]),
        # Without child elements: the emphasised words; the first paragraph has one, without text.
        ("SST", [(42, 98)], [(70, 80)]),
        ("SST", [(0, 100)], [(2, 10), (13, 39), (70, 80)]),
        ("SST", [(44, 60)], [(0, 0)]),
    ],
)
def test_parts_by_hand(parts: str, passages: list[Range], expected: list[Range]) -> None:
    assert retrieved(parts, passages) == expected


def test_passages_that_no_element_holds_or_stands_in() -> None:
    # As where a passage runs past the end that the structure knows.
    assert retrieved("SL", [(90, 110), (45, 50)]) == [(44, 60)]
    assert retrieved("SL", [(90, 110)]) == [(0, 0)]


@pytest.mark.parametrize("parts", PARTS)
def test_passages_of_no_text_have_no_parts(parts: str) -> None:
    """The emphasised words end at the start of this passage, and so contain it; only the other passage has text."""
    assert retrieved(parts, [(13, 39), (80, 80)]) == retrieved(parts, [(13, 39)])


def test_equal_elements_are_retrieved_once() -> None:
    wrapped = Document(10, {"/a[1]": (0, 10), "/a[1]/b[1]": (2, 8), "/a[1]/b[1]/c[1]": (2, 8)})
    assert retrieved("SL", [(3, 5)], wrapped) == [(2, 8)]
    assert retrieved("SS", [(1, 9)], wrapped) == [(2, 8)]
    assert retrieved("SST", [(1, 9)], wrapped) == [(2, 8)]


TEXT = Document(50, {"/a[1]": (0, 50)})


def test_rankings_by_hand() -> None:
    """Documents are ordered by highlighted text; b and a are equal in that and in length, and the passage of b begins earlier.

    The documents without highlighted text have 80, 50 and 20 characters, of which y has the median.
    """
    highlighted = {"w": [(0, 5)], "c": [(0, 30)], "a": [(10, 20)], "b": [(0, 10)], "x": [], "z": [], "y": []}
    documents = {**dict.fromkeys(highlighted, TEXT), "x": Document(80, {"/a[1]": (0, 80)}), "z": Document(20, {"/a[1]": (0, 20)})}
    runs = runs_of_parts(assessments({"1": highlighted}, documents), structure(documents))
    found = {ranking: [doc for doc, *_ in results(runs, "S", ranking, "1")] for ranking in RANKINGS}
    assert found == {
        "R": ["c", "b", "a", "w"],
        "RS": ["b", "c", "a", "w"],
        "RI": ["y", "c", "b", "a", "w"],
        "RSI": ["y", "b", "c", "a", "w"],
    }
    assert all(results(runs, parts, "RI", "1")[0] == ("y", 0, 50) for parts in PARTS)
    rows = runs.results.filter(pl.col("run_id") == "SLDRSI")
    assert rows["rank"].to_list() == [1, 2, 3, 4, 5]


def test_one_relevant_document_and_no_other() -> None:
    """No documents can be exchanged; an empty document, which was not assessed, is first."""
    runs = runs_of_parts(assessments({"1": {"doc": [(0, 5)]}}, {"doc": TEXT}), structure({"doc": TEXT}))
    assert results(runs, "S", "R", "1") == results(runs, "S", "RS", "1") == [("doc", 0, 5)]
    assert results(runs, "S", "RI", "1") == results(runs, "S", "RSI", "1") == [("----", 0, 0), ("doc", 0, 5)]


def test_topics_without_relevant_documents() -> None:
    documents = {"a": TEXT, "b": TEXT}
    runs = runs_of_parts(assessments({"1": {"a": []}, "2": {"b": [(1, 2)]}}, documents), structure(documents))
    assert [results(runs, "S", ranking, "1") for ranking in RANKINGS] == [[], [], [("a", 0, 50)], [("a", 0, 50)]]


def test_a_document_of_unknown_length_is_retrieved_whole() -> None:
    judged = assessments({"1": {"a": [(1, 2)], "b": []}}, {"a": TEXT, "b": TEXT})
    assert judged.documents is not None
    unknown = Assessments(documents=judged.documents.with_columns(docchars=pl.lit(None, pl.Int64)), passages=judged.passages)
    runs = runs_of_parts(unknown, structure({"a": TEXT}))
    assert results(runs, "SLD", "RI", "1") == [("b", None, None), ("a", None, None)]
    assert results(runs, "S", "RI", "1") == [("b", None, None), ("a", 1, 1)]


def test_relevant_without_passages_keeps_its_rank() -> None:
    judged = assessments({"1": {"a": [(1, 40)], "b": [(1, 20)]}}, {"a": TEXT, "b": TEXT})
    assert judged.documents is not None
    untold = Assessments(documents=judged.documents)
    runs = runs_of_parts(untold, structure({"a": TEXT, "b": TEXT}))
    assert results(runs, "S", "RS", "1") == [("b", 0, 0), ("a", 0, 0)]
    assert results(runs, "SLD", "RS", "1") == [("b", 0, 50), ("a", 0, 50)]


def test_what_cannot_be_simulated() -> None:
    documents = {"a": TEXT, "b": TEXT}
    with pytest.raises(CollectionError, match=r"^expected documents with highlighted text, found none$"):
        runs_of_parts(assessments({"1": {"a": []}}, documents), structure(documents))
    lacking = "topic 2: expected the structure to contain document b, found none of its elements; the document has highlighted text"
    with pytest.raises(CollectionError, match=f"^{re.escape(lacking)}$"):
        runs_of_parts(assessments({"1": {"a": [(1, 2)], "b": []}, "2": {"b": [(1, 2)]}}, documents), structure({"a": TEXT}))


# ------------------------------------------------------------------------------------------------ against the reference


@st.composite
def trees(draw: st.DrawFn) -> Document:
    """Returns documents as trees of elements, some of them empty, some as long as their parent."""
    elements: dict[str, Range] = {}
    at = 0

    def element(path: str, depth: int) -> None:
        nonlocal at
        start = at
        elements[path] = (start, start)
        for number in range(draw(st.integers(0, 3 if depth < 3 else 0))):
            at += draw(st.integers(0, 3))
            element(f"{path}/{draw(st.sampled_from('pq'))}[{number + 1}]", depth + 1)
        at += draw(st.integers(0, 4))
        elements[path] = (start, at)

    element("/article[1]", 0)
    return Document(at, elements)


@st.composite
def passages(draw: st.DrawFn, document: Document) -> list[Range]:
    """Passages that do not overlap, some of them touching, many of them as long as an element."""
    bounds = sorted({bound for place in document.elements.values() for bound in place})
    cuts = draw(st.lists(st.sampled_from(bounds) | st.integers(0, document.length), max_size=6, unique=True).map(sorted))
    return [place for place in pairwise(cuts) if draw(st.booleans())]


@st.composite
def marked(draw: st.DrawFn) -> tuple[Highlighted, Mapping[str, Document]]:
    documents = {name: draw(trees()) for name in draw(st.lists(st.sampled_from(["b", "a1", "a", "c"]), min_size=1, unique=True))}
    topics = {
        topic: {doc: draw(passages(documents[doc])) for doc in draw(st.lists(st.sampled_from(sorted(documents)), min_size=1, unique=True))}
        for topic in draw(st.lists(st.sampled_from(["1", "10", "2"]), min_size=1, unique=True))
    }
    return topics, documents


@given(marked())
@up_to(50)
def test_against_sets_of_characters(found: tuple[Highlighted, Mapping[str, Document]]) -> None:
    topics, documents = found
    highlighted = {
        topic: {doc: sum(end - start for start, end in of_doc) for doc, of_doc in by_doc.items()} for topic, by_doc in topics.items()
    }
    assume(any(count for counts in highlighted.values() for count in counts.values()))
    runs = runs_of_parts(assessments(topics, documents), structure(documents))
    for parts in PARTS:
        for ranking in RANKINGS:
            for topic, counts in highlighted.items():
                expected = []
                for doc in reference.ranked(ranking, topics[topic], documents):
                    if doc is None:
                        places = [(0, 0)]
                    elif counts[doc]:
                        places = reference.parts(parts, topics[topic][doc], documents[doc])
                    else:
                        places = [(0, documents[doc].length)]
                    expected += [(doc, start, end - start) for start, end in places]
                got = [(doc if doc in documents else None, *place) for doc, *place in results(runs, parts, ranking, topic)]
                assert got == expected, (parts, ranking, topic)


@given(marked())
@up_to(20)
def test_the_order_of_rows_means_nothing(found: tuple[Highlighted, Mapping[str, Document]]) -> None:
    topics, documents = found
    judged, placed = assessments(topics, documents), structure(documents)
    assert judged.documents is not None
    assert judged.passages is not None
    assume(judged.documents["relchars"].sum() > 0)
    turned = Assessments(documents=judged.documents.reverse(), passages=judged.passages.reverse(), topics=judged.topics)
    expected = runs_of_parts(judged, placed).results
    assert runs_of_parts(turned, Structure(placed.elements.reverse())).results.equals(expected)


def test_runs_fit_the_collection_they_are_made_from() -> None:
    """The runs are grouped by run and topic in lexicographic order, and have no warnings, as if they had been read."""
    documents = {"a": ARTICLE, "b": ARTICLE}
    judged = assessments({"1": {"a": [(1, 20)], "b": []}, "2": {"a": [], "b": [(42, 98)]}}, documents)
    runs = runs_of_parts(judged, structure(documents))
    assert Collection(judged, runs, structure(documents)).warnings == ()
    assert runs.run_ids == tuple(sorted(run_of(parts, ranking) for parts in PARTS for ranking in RANKINGS))
    assert runs.order == "file"
