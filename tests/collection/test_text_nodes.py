"""Positions inside elements: text between child elements, characters of this text, and positions missing from a structure."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics import Assessments, Structure, read_structure
from inexmetrics.collection.structure import extents
from inexmetrics.reading.xml_documents import element_places
from tests.profiles import up_to

Stretch = tuple[int, int]


def stretches(structure: Structure, *results: tuple[str, str]) -> list[Stretch]:
    """Returns start and length of results, each given by a document and one or two paths."""
    schema = {"doc_id": pl.String, "path": pl.String, "start": pl.Int64, "length": pl.Int64}
    frame = pl.DataFrame([(doc, path, None, None) for doc, path in results], schema=schema, orient="row")
    return extents(frame, Assessments(), structure).rows()


@pytest.fixture(scope="module")
def example(shared: Path) -> Structure:
    return read_structure(shared / "inex2005-example" / "structure.tsv")


P = "/article[1]/bdy[1]/sec[2]/ss1[2]/p[1]"
"""A paragraph with the characters 560 to 696, which contains the element `it` with the characters 614 to 625."""


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (P, (560, 136)),
        (f"{P}/text()[1]", (560, 54)),
        (f"{P}/text()", (560, 54)),
        (f"{P}/text()[2]", (625, 71)),
        (f"{P}/text()[3]", (-1, -1)),
        (f"{P}/text()[1].0", (560, 0)),
        (f"{P}/text()[2].71", (696, 0)),
        (f"{P}/text()[2].72", (-1, -1)),
        (f"{P}.100", (660, 0)),
        (f"{P}.137", (-1, -1)),
        (f"{P}/it[1]/text()[1].11", (625, 0)),
        (f"{P}/it[2]/text()[1].1", (-1, -1)),
        (f"{P}/text()[1].0 {P}/text()[2].16", (560, 81)),
        (f"{P}/text()[2] {P}", (625, 71)),
        (f"{P}/text()[1].9 {P}/text()[1].9", (569, 0)),
        (f"{P}/text()[2].16 {P}/text()[1].0", (-1, -1)),  # it ends before it begins
        ("/article[1].5 /article[1]/fm[1]/text()[1].3", (-1, -1)),  # fm has no text of its own
        ("/article[1].5 /article[1].9", (5, 4)),
        # The line breaks around fm, bdy and bm, and one after them: text of the article itself.
        ("/article[1]/text()[1] /article[1]/text()[4]", (0, 739)),
    ],
)
def test_places_in_the_example(example: Structure, path: str, expected: Stretch) -> None:
    assert stretches(example, ("an/1995/a1004", path)) == [expected]


def test_a_range_to_itself_is_the_element_and_documents_are_apart(example: Structure) -> None:
    found = stretches(example, ("an/1995/a1004", f"{P} {P}"), ("co/2000/r7108", f"{P}/text()[1].2"), ("co/2000/r7108", "/article[1].2"))
    assert found == [(560, 136), (-1, -1), (2, 0)]


TREES = st.recursive(
    st.text("ab ", max_size=3),
    lambda inner: st.lists(st.tuples(st.sampled_from("pq"), st.lists(inner, max_size=4)), max_size=3),
    max_leaves=12,
)


def written(tree: object) -> str:
    if isinstance(tree, str):
        return tree
    if isinstance(tree, tuple):
        return f"<{tree[0]}>{''.join(map(written, tree[1]))}</{tree[0]}>"
    assert isinstance(tree, list)
    return "".join(map(written, tree))


def texts_of(element: ElementTree.Element, path: str, start: int) -> tuple[dict[str, Stretch], int]:
    """Returns the start and end of the text stretches directly in an element and in its descendants, and the end of the element."""
    found: dict[str, Stretch] = {}
    pieces, counts = 0, dict[str, int]()
    place = start

    def take(text: str | None) -> None:
        nonlocal pieces, place
        if text:
            pieces += 1
            found[f"{path}/text()[{pieces}]"] = place, place + len(text)
            place += len(text)

    take(element.text)
    for child in element:
        counts[child.tag] = counts.get(child.tag, 0) + 1
        inner, place = texts_of(child, f"{path}/{child.tag}[{counts[child.tag]}]", place)
        found |= inner
        take(child.tail)
    return found, place


@up_to(60)
@given(TREES, st.integers(0, 4))
def test_text_stands_where_an_xml_parser_finds_it(tree: object, offset: int) -> None:
    document = f"<a>{written(tree)}</a>"
    places = [("d", *placed) for placed in element_places(document.encode(), "d.xml")]
    structure = Structure(pl.DataFrame(places, schema=["doc_id", "path", "start", "length"], orient="row"))
    found, _ = texts_of(ElementTree.fromstring(document), "/a[1]", 0)
    expected = [(begin, end - begin) for begin, end in found.values()]
    assert stretches(structure, *(("d", path) for path in found)) == expected
    inside = [(begin + offset, 0) if begin + offset <= end else (-1, -1) for begin, end in found.values()]
    assert stretches(structure, *(("d", f"{path}.{offset}") for path in found)) == inside
    for path in {path.rpartition("/")[0] for path in found}:
        count = sum(one.rpartition("/")[0] == path for one in found)
        assert stretches(structure, ("d", f"{path}/text()[{count + 1}]")) == [(-1, -1)]
