from __future__ import annotations

import numpy as np

from benchmarks.sample.documents import Documents, documents


def test_equal_seeds_give_equal_documents_and_others_do_not() -> None:
    first, again, other = documents(1, 5), documents(1, 5), documents(2, 5)
    assert first.frame().equals(again.frame())
    assert not first.frame().equals(other.frame())


def test_a_smaller_collection_is_the_beginning_of_a_larger_one(trees: Documents) -> None:
    few = documents(seed=11, n=20)
    assert few.path == trees.path[: len(few.path)]
    assert few.start.tolist() == trees.start[: len(few.path)].tolist()


def test_identifiers_are_in_string_order_and_different(trees: Documents) -> None:
    assert list(trees.doc_ids) == sorted(set(trees.doc_ids))
    assert len(documents(3, 400).doc_ids) == len(set(documents(3, 400).doc_ids)) == 400


def test_every_element_lies_inside_its_parent_after_its_elder_sibling(trees: Documents) -> None:
    end = trees.start + trees.length
    free = trees.start.copy()  # where the next child of an element may begin
    for element, parent in enumerate(trees.parent.tolist()):
        if parent == element:
            assert trees.start[element] == 0
            assert trees.depth[element] == 0
        else:
            assert parent < element
            assert trees.document[parent] == trees.document[element]
            assert trees.depth[element] == trees.depth[parent] + 1
            assert free[parent] <= trees.start[element]
            assert end[element] <= end[parent]
            free[parent] = end[element]
    assert trees.length.min() > 0


def test_paths_count_siblings_of_a_name(trees: Documents) -> None:
    counts: dict[tuple[int, int, str], int] = {}
    for element, (parent, tag) in enumerate(zip(trees.parent.tolist(), trees.tag, strict=True)):
        if parent == element:
            assert trees.path[element] == "/article[1]"
        else:
            key = int(trees.document[element]), parent, tag
            counts[key] = counts.get(key, 0) + 1
            assert trees.path[element] == f"{trees.path[parent]}/{tag}[{counts[key]}]"


def test_articles_have_a_realistic_shape(trees: Documents) -> None:
    sizes = np.diff(trees.first)
    assert sizes.min() >= 20
    assert sizes.max() <= 200
    assert 70 < sizes.mean() < 100
    assert trees.depth.max() == 5
    assert {"article", "fm", "bdy", "bm", "sec", "ss1", "p", "it", "st", "fig", "list", "abs"} <= set(trees.tag)
    # Some text stands outside the children of its element: paragraphs around emphasised words, white space elsewhere.
    children = np.bincount(trees.parent, weights=np.where(trees.depth > 0, trees.length, 0), minlength=len(trees.path))
    parents = np.bincount(trees.parent[trees.depth > 0], minlength=len(trees.path)) > 0
    assert np.all(children[parents] < trees.length[parents])


def test_within_lists_the_elements_of_documents_in_the_order_given(trees: Documents) -> None:
    elements = trees.within(np.array([7, 2]))
    expected = [number for document in (7, 2) for number in range(trees.first[document], trees.first[document + 1])]
    assert elements.tolist() == expected
