"""Trees of assessed elements: containment, and the positions of results in the trees."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from inexmetrics.ranking.focused import NEVER, Trees

SCHEMA = {"topic": pl.Int32, "doc_id": pl.String, "path": pl.String}
A, B, S1, S2, S10, P = "/a[1]", "/a[1]/b[1]", "/a[1]/b[1]/s[1]", "/a[1]/b[1]/s[2]", "/a[1]/b[1]/s[10]", "/a[1]/b[1]/s[1]/p[1]"


def items(*rows: tuple[int, str, str | None]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def results(*rows: tuple[int, str, str | None, int | None]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={**SCHEMA, "start": pl.Int64}, orient="row")


@pytest.fixture
def trees() -> Trees:
    """Returns the trees of two topics; in the first tree, b and the document were not assessed."""
    return Trees.of(items((1, "d", None), (0, "d", S2), (0, "d", S1), (0, "d", P), (0, "d", S10), (0, "e", A)))


def test_nodes_are_assessed_elements_and_what_holds_them(trees: Trees) -> None:
    assert trees.keys.rows() == [
        (0, "d", ""),
        (0, "d", B),
        (0, "d", S10),  # s[1 is followed by ] or 0: brothers may stand in any order
        (0, "d", S1),
        (0, "d", P),
        (0, "d", S2),
        (0, "e", ""),
        (1, "d", ""),
    ]
    assert trees.items.tolist() == [-1, -1, 4, 2, 3, 1, 5, 0]
    assert trees.nodes.tolist() == [7, 5, 3, 4, 2, 6]
    assert trees.trees.tolist() == [0, 0, 0, 0, 0, 0, 1, 2]
    assert trees.parents.tolist() == [0, 0, 1, 1, 3, 1, 6, 7]
    assert trees.ends.tolist() == [6, 6, 3, 5, 5, 6, 7, 8]
    assert [level.tolist() for level in trees.levels] == [[0, 6, 7], [1], [2, 3, 5], [4]]


def test_values_of_elements_are_values_of_nodes(trees: Trees) -> None:
    by_node = trees.of_items(np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]))
    assert by_node.tolist() == [0, 0, 0.5, 0.3, 0.4, 0.2, 0.6, 0.1]


def test_results_stand_at_a_node_or_below_one(trees: Trees) -> None:
    rows, nodes, is_node = trees.place(
        results(
            (0, "d", P, None),
            (0, "d", P + "/it[2]/b[1]", None),  # below p
            (0, "d", "/a[1]/fm[1]/tl[1]", None),  # below the document
            (0, "d", None, 5),  # a passage
            (0, "d", None, None),  # the document
            (0, "x", A, None),  # not assessed
            (1, "d", S1, None),  # below the document: its topic's tree is this alone
            (0, "d", S1, None),
            (1, "e", A, None),  # assessed for another topic
        )
    )
    assert list(zip(rows.tolist(), nodes.tolist(), is_node.tolist(), strict=True)) == [
        (0, 4, True),
        (1, 4, False),
        (2, 0, False),
        (4, 0, True),
        (6, 7, False),
        (7, 3, True),
    ]


def test_passes_over_trees(trees: Trees) -> None:
    marked = np.array([False, True, False, False, True, False, True, False])
    assert trees.holders(marked).tolist() == [-1, 1, 1, 1, 4, 1, 6, -1]
    assert trees.counted(marked).tolist() == [2, 2, 0, 1, 1, 0, 1, 0]
    values = np.array([9, 8, 3, 7, 5, 6, 4, 2])
    assert trees.least_around(values).tolist() == [9, 8, 3, 7, 5, 6, 4, 2]
    assert trees.least_around(values[::-1].copy()).tolist() == [2, 2, 2, 2, 2, 2, 8, 9]
    none = np.full(8, NEVER)
    assert trees.least_inside(values, none).tolist() == [3, 3, NEVER, 5, NEVER, NEVER, NEVER, NEVER]
    inside = none.copy()
    inside[4] = 1  # something in p that is no node
    assert trees.least_inside(values, inside).tolist() == [1, 1, NEVER, 1, 1, NEVER, NEVER, NEVER]


def test_passes_take_a_column_for_each_run(trees: Trees) -> None:
    values = np.arange(16).reshape(8, 2)[::-1].copy()
    for run in range(2):
        assert (trees.least_around(values)[:, run] == trees.least_around(values[:, run].copy())).all()
        assert (trees.least_inside(values, values)[:, run] == trees.least_inside(values[:, run].copy(), values[:, run].copy())).all()


def test_nothing_assessed_is_no_tree() -> None:
    trees = Trees.of(items())
    assert len(trees) == 0
    assert trees.levels == ()
    assert trees.of_items(np.zeros(0)).tolist() == []
    rows, nodes, is_node = trees.place(results((0, "d", S1, None)))
    assert rows.size == nodes.size == is_node.size == 0
