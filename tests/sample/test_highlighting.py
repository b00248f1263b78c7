from __future__ import annotations

import numpy as np

from benchmarks.sample.documents import Documents
from benchmarks.sample.draws import Draws
from benchmarks.sample.highlighting import Highlighting, highlight


def test_every_chosen_document_has_disjoint_passages_inside_it(trees: Documents) -> None:
    marked = highlight(trees, np.arange(100), Draws(4))
    assert set(marked.document.tolist()) == set(range(100))
    assert marked.length.min() > 0
    assert marked.start.min() >= 0
    assert np.all(marked.start + marked.length <= trees.length[trees.first[marked.document]])
    same = marked.document[1:] == marked.document[:-1]
    assert np.all(marked.document[1:] >= marked.document[:-1])
    assert np.all((marked.start[1:] > marked.start[:-1] + marked.length[:-1])[same])  # a gap: what touches is one passage
    assert set(marked.richness.tolist()) == set(range(1, 9))


def test_highlighted_characters_by_sets_of_characters(trees: Documents) -> None:
    marked = highlight(trees, np.array([3, 50, 51, 119]), Draws(4))
    highlighted, said = marked.within(trees)
    text: dict[tuple[int, int], int] = {}  # richness of each highlighted character
    for document, start, length, richness in zip(marked.document, marked.start, marked.length, marked.richness, strict=True):
        text.update({(int(document), at): int(richness) for at in range(start, start + length)})
    for element in trees.within(np.array([2, 3, 50, 51, 118, 119])).tolist():
        span = range(trees.start[element], trees.start[element] + trees.length[element])
        found = [text[key] for at in span if (key := (int(trees.document[element]), at)) in text]
        assert highlighted[element] == len(found)
        assert said[element] == sum(found)


def test_weights_by_hand() -> None:
    """Two documents of 10 and 20 characters; the second has an element with characters 5 to 14."""
    trees = Documents(
        doc_ids=("a", "b"),
        first=np.array([0, 1, 3]),
        document=np.array([0, 1, 1]),
        parent=np.array([0, 1, 1]),
        depth=np.array([0, 0, 1]),
        tag=("article", "article", "p"),
        path=("/article[1]", "/article[1]", "/article[1]/p[1]"),
        start=np.array([0, 0, 5]),
        length=np.array([10, 20, 10]),
    )
    marked = Highlighting(
        document=np.array([0, 1, 1]), start=np.array([8, 0, 12]), length=np.array([2, 7, 6]), richness=np.array([3, 1, 5])
    )
    highlighted, said = marked.within(trees)
    assert highlighted.tolist() == [2, 13, 2 + 3]  # of the element: characters 5 and 6, then 12 to 14
    assert said.tolist() == [2 * 3, 7 * 1 + 6 * 5, 2 * 1 + 3 * 5]


def test_some_passages_cross_elements_and_some_are_whole_sections(trees: Documents) -> None:
    marked = highlight(trees, np.arange(100), Draws(4))
    sections = {
        (int(trees.document[element]), int(trees.start[element]), int(trees.length[element]))
        for element in range(len(trees.path))
        if trees.tag[element] in ("sec", "ss1")
    }
    passages = list(zip(marked.document.tolist(), marked.start.tolist(), marked.length.tolist(), strict=True))
    assert sum(passage in sections for passage in passages) > 20
    leaves = set(range(len(trees.path))) - set(trees.parent.tolist())
    starts = {(int(trees.document[element]), int(trees.start[element])) for element in leaves}
    assert sum((document, start) not in starts for document, start, _ in passages) > 5  # they begin inside a paragraph
