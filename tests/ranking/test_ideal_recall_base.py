"""Ideal recall bases: the example of the definition, cases computed by hand, and a literal implementation of the definition."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inexmetrics.ranking.focused import Trees
from inexmetrics.ranking.recall_base import Ideal, ideal_recall_base
from tests.profiles import up_to
from tests.reference.focused import Element, Elements, Path, Place, ideal_by_greed, ideal_by_paths, overlap

IDEALS: tuple[Ideal, ...] = ("paths", "greedy")
REFERENCE = {"paths": ideal_by_paths, "greedy": ideal_by_greed}
R: Path = ("a[1]",)
B, C = (*R, "b[1]"), (*R, "c[1]")
B1, B2 = (*B, "p[1]"), (*B, "p[2]")


def chosen(topics: Sequence[Elements], ideal: Ideal) -> list[set[Place]]:
    """Returns the ideal recall base of each topic."""
    rows = [(topic, doc, "/" + "/".join(path)) for topic, elements in enumerate(topics) for doc, path in elements]
    trees = Trees.of(pl.DataFrame(rows, schema={"topic": pl.Int32, "doc_id": pl.String, "path": pl.String}, orient="row"))
    gains = np.array([element.gain for elements in topics for element in elements.values()])
    taken = iter(ideal_recall_base(trees, gains, ideal).tolist())
    return [{place for place in elements if next(taken)} for elements in topics]


def in_one_document(gains: dict[Path, float]) -> dict[Place, Element]:
    return {("d", path): Element(gain, 100) for path, gain in gains.items()}


@pytest.mark.parametrize(
    ("gains", "by_paths", "by_greed"),
    [
        # The golden example: b wins its path, the root that of c, and of the two the ancestor stays.
        ({R: 0.5, B: 0.9, C: 0.3}, {R}, {B, C}),
        # Both children win: the root wins no path.
        ({R: 0.2, B: 0.9, C: 0.3}, {B, C}, {B, C}),
        # Equal gains: the nearest to the root.
        ({R: 0.5, B: 0.5, B1: 0.5}, {R}, {R}),
        ({B: 0.5, B1: 0.5, C: 0.5}, {B, C}, {B, C}),
        # A chain: its highest, wherever that stands.
        ({R: 0.1, B: 0.7, B1: 0.3}, {B}, {B}),
        # p1 wins its path, b that of p2, and stays; greedily p1, p2, and c.
        ({R: 0.1, B: 0.6, B1: 0.8, B2: 0.5, C: 0.4}, {B, C}, {B1, B2, C}),
        # What is not relevant is not there: p1 hangs from the root.
        ({R: 0.4, B: 0.0, B1: 0.3, B2: 0.0, C: 0.0}, {R}, {R}),
        ({R: 0.0, B: 0.0}, set(), set()),
    ],
)
def test_worked_by_hand(gains: dict[Path, float], by_paths: set[Path], by_greed: set[Path]) -> None:
    elements = in_one_document(gains)
    for ideal, expected in (("paths", by_paths), ("greedy", by_greed)):
        places = {("d", path) for path in expected}
        assert REFERENCE[ideal](elements) == places
        assert chosen([elements], "paths" if ideal == "paths" else "greedy") == [places]


@pytest.mark.parametrize("ideal", IDEALS)
def test_gains_equal_but_for_rounding_are_equal(ideal: Ideal) -> None:
    # GenLifted of exhaustivity 1 and specificity .3, and of 2 and .2, which both are .2
    assert 2 * 0.3 / 3 < 3 * 0.2 / 3
    assert chosen([in_one_document({R: 2 * 0.3 / 3, B: 3 * 0.2 / 3})], ideal) == [{("d", R)}]


def test_the_root_may_be_written_without_a_path() -> None:
    items = pl.DataFrame({"topic": 0, "doc_id": "d", "path": [None, "/a[1]/b[1]", "/a[1]/c[1]"]})
    gains = np.array([0.5, 0.9, 0.3])
    assert ideal_recall_base(Trees.of(items), gains, "paths").tolist() == [True, False, False]


def test_documents_and_topics_are_apart() -> None:
    items = pl.DataFrame({"topic": [0, 0, 1, 0], "doc_id": ["d", "e", "d", "d"], "path": ["/a/b", "/a", "/a", "/a/b/c"]})
    gains = np.array([0.5, 0.4, 0.3, 0.2])
    for ideal in IDEALS:
        assert ideal_recall_base(Trees.of(items), gains, ideal).tolist() == [True, True, True, False]


def test_nothing_assessed() -> None:
    items = pl.DataFrame(schema={"topic": pl.Int32, "doc_id": pl.String, "path": pl.String})
    for ideal in IDEALS:
        assert ideal_recall_base(Trees.of(items), np.zeros(0), ideal).tolist() == []


@st.composite
def assessed(draw: st.DrawFn) -> dict[Place, Element]:
    """Returns assessed elements of a few documents, without some of their containing elements."""
    elements: dict[Place, Element] = {}
    gains = st.one_of(st.sampled_from((0.0, 0.25, 0.5, 1.0)), st.floats(0, 1))
    for doc in ("d", "e", "f")[: draw(st.integers(1, 3))]:
        paths: list[Path] = [R]
        for _ in range(draw(st.integers(0, 12))):
            above = draw(st.sampled_from(paths))
            paths.append((*above, f"s[{draw(st.integers(1, 3))}]"))
        for path in draw(st.permutations(sorted(set(paths)))):
            if draw(st.booleans()) or not elements:
                elements[doc, path] = Element(draw(gains), 100)
    return elements


@given(topics=st.lists(assessed(), min_size=1, max_size=8))
@up_to(80)
def test_as_the_definition_reads(topics: list[dict[Place, Element]]) -> None:
    for ideal in IDEALS:
        for elements, found in zip(topics, chosen(topics, ideal), strict=True):
            assert found == REFERENCE[ideal](elements)
            assert not any(one != other and overlap(one, other) for one in found for other in found)
            for place, element in elements.items():
                assert element.gain == 0 or any(overlap(place, other) for other in found), "each relevant element overlaps an ideal one"
