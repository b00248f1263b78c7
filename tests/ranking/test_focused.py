"""Focused gains: each rule computed by hand, and a literal implementation of the definition, result by result."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inexmetrics import Assessments, BinExh, Collection, CollectionError, Runs
from inexmetrics.collection.schemas import ELEMENTS, RESULTS
from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.ranking import batches, focused
from inexmetrics.ranking.focused import Seen, Trees, credited_gains
from inexmetrics.ranking.recall_base import Ideal, ideal_recall_base
from tests.profiles import up_to
from tests.reference.focused import Element, Path, Place, gains_of, ideal_by_greed, ideal_by_paths

IDEALS: tuple[Ideal, ...] = ("paths", "greedy")
REFERENCE = {"paths": ideal_by_paths, "greedy": ideal_by_greed}
ITEMS = {"topic": pl.Int32, "doc_id": pl.String, "path": pl.String}

R: Path = ("a[1]",)
B, C = (*R, "b[1]"), (*R, "c[1]")
S = (*R, "s[1]")
P1, P2 = (*S, "p[1]"), (*S, "p[2]")
X = (*R, "x[1]")

# The root by paths, both children by greed.
GOLDEN = {R: Element(0.5, 100), B: Element(0.9, 40), C: Element(0.3, 60)}
# By paths the root: p2 wins its path, but the root that of p1, and p2 stands in it.
DEEP = {R: Element(0.8, 1000), S: Element(0.6, 600), P1: Element(0.5, 200), P2: Element(1.0, 300)}
# b is not assessed, though what it holds is.
GAP = {R: Element(0.6, 1000), (*B, "p[1]"): Element(0.2, 100), C: Element(0.4, 300)}
# s is not relevant, what it holds is and has children.
FAR = {
    R: Element(0.6, 1000),
    S: Element(0.0, 600),
    P1: Element(0.2, 400),
    (*P1, "q[1]"): Element(0.2, 100),
    (*P1, "q[2]"): Element(0.4, 100),
}
# Equal but for rounding, so that the root wins.
NEAR = {R: Element(100.0 - 5e-13, 100), C: Element(100.0, 60)}
TINY = {R: Element(0.6, 1), B: Element(0.2, 1), C: Element(0.4, 1)}


def written(path: Path) -> str:
    return "/" + "/".join(path)


def credited(topics: Sequence[dict[Place, Element]], runs: Sequence[Sequence[Sequence[Place]]], ideal: Ideal) -> list[list[list[float]]]:
    """Returns the gains of each run's ranking for each topic."""
    items = [(topic, doc, written(path)) for topic, elements in enumerate(topics) for doc, path in elements]
    elements = [element for topic in topics for element in topic.values()]
    trees = Trees.of(pl.DataFrame(items, schema=ITEMS, orient="row"))
    gains = np.array([element.gain for element in elements])
    sizes = np.array([element.size for element in elements], dtype=np.int64)
    found = _credited(trees, gains, sizes, runs, ideal)
    lists = [[found.pop(0) for _ in lists] for run in runs for lists in run]
    return [[lists.pop(0) for _ in run] for run in runs]


def _credited(trees: Trees, gains: FloatArray, sizes: IntArray, runs: Sequence[Sequence[Sequence[Place]]], ideal: Ideal) -> list[float]:
    rows = [(t, doc, written(path), None, r) for r, run in enumerate(runs) for t, places in enumerate(run) for doc, path in places]
    results = pl.DataFrame(rows, schema={**ITEMS, "start": pl.Int64, "run": pl.Int64}, orient="row")
    seen = Seen.of(trees, results, results["run"].to_numpy(), len(runs))
    found: list[float] = credited_gains(seen, gains, sizes, ideal_recall_base(trees, gains, ideal)).tolist()
    return found


@pytest.mark.parametrize(
    ("elements", "returned", "ideal", "expected"),
    [
        # Nothing seen: f(c).
        (GOLDEN, [R], "paths", [0.5]),
        # b is worth .9, but the ideal root only .5. Then of the root c is unseen, .3 * 60/100, but nothing is left.
        (GOLDEN, [B, R], "paths", [0.5, 0.0]),
        # c: .3. Of the root b is unseen, .9 * 40/100 = .36, of which .5 - .3 is left.
        (GOLDEN, [C, R], "paths", [0.3, 0.2]),
        (GOLDEN, [B, C], "paths", [0.5, 0.0]),
        # The root stands above both ideals: left of b .9, of c .3, so its .5 is credited, to both.
        (GOLDEN, [R], "greedy", [0.5]),
        # b: .9, all of it. The root: .3 * 60/100 = .18; left of b 0, of c .3.
        (GOLDEN, [B, R], "greedy", [0.9, 0.18]),
        # c: .3, all of it. The root: .9 * 40/100 = .36; left of b .9, of c 0.
        (GOLDEN, [C, R], "greedy", [0.3, 0.36]),
        # After both, the root holds nothing unseen.
        (GOLDEN, [C, B, R], "greedy", [0.3, 0.9, 0.0]),
        # Once the root is returned, what it holds is seen.
        (GOLDEN, [R, B, C], "greedy", [0.5, 0.0, 0.0]),
        # A duplicate gains nothing.
        (GOLDEN, [C, C, B, B], "greedy", [0.3, 0.0, 0.9, 0.0]),
        # Nested: g(s) = 1 * 300/600 = .5, g(root) = .5 * 600/1000 = .3; and .8 - .5 is left.
        (DEEP, [P1, R], "paths", [0.5, 0.3]),
        # s: g = .5, but .8 - .5 = .3 is left. Of the root's only child nothing is unseen.
        (DEEP, [P1, S, R], "paths", [0.5, 0.3, 0.0]),
        # p2: 1, but the root is worth .8, which leaves nothing.
        (DEEP, [P2, S, R, P1], "paths", [0.8, 0.0, 0.0, 0.0]),
        # By greed p2 and p1 are ideal. s: .5 * 200/600; left of p1 .5.
        (DEEP, [P2, S], "greedy", [1.0, 0.5 * 200 / 600]),
        # s: f(s) = .6; left of p2 1. It counts against both, p1 and p2; both are seen.
        (DEEP, [S, P2, P1], "greedy", [0.6, 0.0, 0.0]),
        # What is not relevant is seen, too: of the root s is left, .6 * 600/1000.
        (DEEP, [X, R], "paths", [0.0, 0.36]),
        # A part of p1 that was not assessed: p1 is partly seen, and has no relevant children.
        (DEEP, [(*P1, "it[1]"), P1], "paths", [0.0, 0.0]),
        # ... and to s, of which p2 is unseen, 1 * 300/600.
        (DEEP, [(*P1, "it[1]"), S], "paths", [0.0, 0.5]),
        # c was returned, and p is no direct child of the root: b, which holds it, is not relevant.
        (GAP, [C, R], "paths", [0.4, 0.0]),
        # b was not assessed and gains nothing, but what it holds is seen; of the root, c is left: .4 * 300/1000.
        (GAP, [B, (*B, "p[1]"), R], "paths", [0.0, 0.0, 0.12]),
        # p1 is no child of the root, and neither are its children, of which q2 is unseen.
        (FAR, [(*P1, "q[1]"), R], "paths", [0.2, 0.0]),
        # A single character, as which c counts, too.
        (TINY, [B, R], "paths", [0.2, 0.4]),
        # c is worth 100, of which the ideal root leaves 100 - 5e-13.
        (NEAR, [C], "paths", [100.0 - 5e-13]),
        (NEAR, [C], "greedy", [100.0 - 5e-13]),
        # By greed p2, b and p1 are ideal. s stands above p1 and p2 alone: what it is credited is not taken from b, which stands before it.
        (DEEP | {B: Element(0.9, 40)}, [P2, S, B], "greedy", [1.0, 0.5 * 200 / 600, 0.9]),
        # Not in the recall base at all.
        (GOLDEN, [X, (*X, "y[1]")], "paths", [0.0, 0.0]),
        (GOLDEN, [], "paths", []),
        # Assessed, not relevant, and no ideal element near.
        ({B: Element(0.9, 40), X: Element(0.0, 10)}, [X], "paths", [0.0]),
    ],
)
def test_worked_by_hand(elements: dict[Path, Element], returned: list[Path], ideal: Ideal, expected: list[float]) -> None:
    in_document = {("d", path): element for path, element in elements.items()}
    places = [("d", path) for path in returned]
    assert list(gains_of(places, in_document, REFERENCE[ideal](in_document))) == pytest.approx(expected, abs=1e-15)
    assert credited([in_document], [[places]], ideal)[0][0] == pytest.approx(expected, abs=1e-15)


def test_pairs_are_looked_at_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gains do not depend on the number of pairs of nested elements that are processed together."""
    topic = {(doc, path): element for doc, elements in (("d", GOLDEN), ("e", DEEP)) for path, element in elements.items()}
    lists: list[list[Place]] = [[("d", C), ("d", R), ("e", P1), ("e", R)], [("e", P2), ("e", S), ("d", B), ("d", R)]]
    whole = credited([topic], [[places] for places in lists], "greedy")
    monkeypatch.setattr(focused, "PAIRS", 1)
    assert credited([topic], [[places] for places in lists], "greedy") == whole
    assert whole[1][0] == pytest.approx([1.0, 0.5 * 200 / 600, 0.9, 0.18])


def test_documents_do_not_see_each_other() -> None:
    elements = {(doc, path): element for doc in ("d", "e") for path, element in GOLDEN.items()}
    returned = [("d", C), ("e", R), ("x", R), ("d", R), ("e", B)]
    assert credited([elements], [[returned]], "paths")[0][0] == pytest.approx([0.3, 0.5, 0.0, 0.2, 0.0])


@st.composite
def forests(draw: st.DrawFn) -> tuple[list[dict[Place, Element]], list[list[list[Place]]]]:
    """Returns assessed elements of two topics, and three runs on these topics with any results, overlapping or repeated."""
    gains = st.one_of(st.sampled_from((0.0, 0.25, 0.5, 0.75, 1.0, 3.0)), st.floats(0, 1))
    topics, everywhere = [], []
    for _ in range(2):
        elements: dict[Place, Element] = {}
        places: list[Place] = [("x", R)]
        for doc in ("d", "e")[: draw(st.integers(1, 2))]:
            paths: list[Path] = [R]
            for _ in range(draw(st.integers(0, 14))):
                paths.append((*draw(st.sampled_from(paths)), f"s[{draw(st.integers(1, 3))}]"))
            for path in sorted(set(paths)):
                places.append((doc, path))
                if draw(st.integers(0, 3)):
                    elements[doc, path] = Element(draw(gains), draw(st.integers(1, 5000)))
        topics.append(elements)
        everywhere.append(places)
    runs = [[draw(st.lists(st.sampled_from(places), max_size=12)) for places in everywhere] for _ in range(3)]
    return topics, runs


@given(forest=forests(), ideal=st.sampled_from(IDEALS))
@up_to(100)
def test_as_the_definition_reads(forest: tuple[list[dict[Place, Element]], list[list[list[Place]]]], ideal: Ideal) -> None:
    topics, runs = forest
    for run, found in zip(runs, credited(topics, runs, ideal), strict=True):
        for elements, places, gains in zip(topics, run, found, strict=True):
            base = REFERENCE[ideal](elements)
            np.testing.assert_allclose(gains, list(gains_of(places, elements, base)), rtol=0, atol=1e-12)
            worth = sum(elements[place].gain for place in base)
            assert sum(gains) <= worth + 1e-9 * worth, "no run gains more than the ideal one"


@given(forest=forests(), ideal=st.sampled_from(IDEALS))
@example(forest=([{("d", R): Element(0.9999999999999999, 1), ("d", C): Element(1.0, 1)}], []), ideal="paths")
@up_to(40)
def test_the_ideal_run_gains_what_is_ideal(forest: tuple[list[dict[Place, Element]], list[list[list[Place]]]], ideal: Ideal) -> None:
    topics, _ = forest
    lists = [sorted(REFERENCE[ideal](elements), key=lambda place: -elements[place].gain) for elements in topics]
    expected = [[elements[place].gain for place in places] for elements, places in zip(topics, lists, strict=True)]
    assert credited(topics, [lists], ideal) == [expected]


@given(forest=forests(), ideal=st.sampled_from(IDEALS))
@up_to(40)
def test_a_run_has_the_same_bits_in_any_batch(forest: tuple[list[dict[Place, Element]], list[list[list[Place]]]], ideal: Ideal) -> None:
    topics, runs = forest
    together = credited(topics, runs, ideal)
    assert together == [credited(topics, [run], ideal)[0] for run in runs]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("inexmetrics.ranking.focused.PAIRS", 2)
        assert credited(topics, runs, ideal) == together


def test_the_whole_document_is_the_root_however_it_is_written() -> None:
    items = pl.DataFrame([(0, "d", None), (0, "d", written(C))], schema=ITEMS, orient="row")
    gains, sizes = np.array([0.5, 0.3]), np.array([100, 60])
    for path in (None, "/a[1]"):
        results = pl.DataFrame(
            {"topic": [0, 0], "doc_id": ["d", "d"], "path": [written(C), path], "start": [None, None]}, schema={**ITEMS, "start": pl.Int64}
        )
        seen = Seen.of(Trees.of(items), results, np.array([0, 0]), 1)
        # c: .3; of the root nothing else is relevant.
        assert credited_gains(seen, gains, sizes, np.array([True, False])).tolist() == [0.3, 0.0]


def test_a_passage_is_no_element_and_shows_none() -> None:
    items = pl.DataFrame([(0, "d", None)], schema=ITEMS, orient="row")
    results = pl.DataFrame(
        {"topic": [0, 0], "doc_id": ["d", "d"], "path": [None, None], "start": [7, None]}, schema={**ITEMS, "start": pl.Int64}
    )
    seen = Seen.of(Trees.of(items), results, np.array([0, 0]), 1)
    assert credited_gains(seen, np.array([0.5]), np.array([100]), np.array([True])).tolist() == [0.0, 0.5]


def test_sizes_are_needed_of_what_stands_in_one_another() -> None:
    items = pl.DataFrame([(0, "d", written(path)) for path in (R, B, C)] + [(0, "e", None)], schema=ITEMS, orient="row")
    trees = Trees.of(items)
    results = pl.DataFrame(schema={**ITEMS, "start": pl.Int64})
    none = np.zeros(0, dtype=np.int64)
    seen = Seen.of(trees, results, none, 1)
    gains, base = np.array([0.5, 0.9, 0.3, 0.7]), np.array([True, False, False, True])
    for unknown in (-1, 0):
        with pytest.raises(CollectionError) as caught:
            credited_gains(seen, gains, np.array([unknown, 40, unknown, -1]), base)
        assert str(caught.value) == (
            "the focused task needs the size of nested relevant elements, but 2 of 3 have none, "
            "such as d (the document); a structure with these elements can supply the size"
        )
    assert credited_gains(seen, gains, np.array([100, 40, 60, -1]), base).tolist() == [], "e stands alone"
    assert credited_gains(seen, np.array([0.5, 0.0, 0.0, 0.7]), np.full(4, -1), base).tolist() == [], "so does d, without relevant parts"


def test_from_a_collection() -> None:
    """The tree of the example as assessments of topic 2, and a second topic with one document."""
    judged = [("1", "e", "/a[1]", 0.25, 50)] + [("2", "d", written(path), element.gain, element.size) for path, element in GOLDEN.items()]
    elements = pl.DataFrame([(t, d, path, "2", s, size) for t, d, path, s, size in judged], schema=ELEMENTS, orient="row")
    retrieved = [
        ("a", "1", "e", None),
        ("a", "2", "d", written(C)),
        ("a", "2", "d", written(X)),
        ("a", "2", "d", None),
        ("b", "1", "e", None),
        ("b", "2", "d", written(B)),
    ]
    names = {"run_id": pl.Enum(["a", "b"]), "topic_id": pl.Enum(["1", "2"])}
    results = pl.DataFrame([(*row, None, None, None, None) for row in retrieved], schema={**names, **RESULTS}, orient="row")
    collection = Collection(
        Assessments(elements=elements, scale="inex2005", topics=("1", "2")), Runs.of(results, {"a": "file", "b": "file"})
    )
    (evidence,) = batches(collection)
    by_paths = evidence.focused(BinExh, "paths")
    # c: .3; x is not relevant; of the root b is unseen, .36, of which .2 is left. b is worth .5, the root's.
    np.testing.assert_allclose(by_paths.gains, [[[0.25, 0, 0], [0.3, 0, 0.2]], [[0.25, 0, 0], [0.5, 0, 0]]], rtol=0, atol=1e-15)
    assert by_paths.ideal.gains.tolist() == [[0.25], [0.5]]
    assert by_paths.ideal.counts.tolist() == [1, 1]
    by_greed = evidence.focused(BinExh, "greedy")
    np.testing.assert_allclose(by_greed.gains[0, 1], [0.3, 0, 0.36], rtol=0, atol=1e-15)
    assert by_greed.ideal.gains.tolist() == [[0.25, 0], [0.9, 0.3]]
    assert by_greed.ideal.counts.tolist() == [1, 2]
