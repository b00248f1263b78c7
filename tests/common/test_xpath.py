"""Position, containing elements and depth of an element, from its path."""

from __future__ import annotations

import polars as pl
import pytest

from inexmetrics.common.elements import WHOLE, parent, place, steps


def valued(expression: pl.Expr) -> object:
    return pl.select(expression).item()


@pytest.mark.parametrize(
    ("path", "where"),
    [
        (None, WHOLE),
        ("/article[1]", WHOLE),
        ("/article", WHOLE),
        ("/article[1]/bdy[1]", "/article[1]/bdy[1]"),
        ("article[1]/bdy[1]", "article[1]/bdy[1]"),
    ],
)
def test_the_whole_document_has_one_place(path: str | None, where: str) -> None:
    assert valued(place(pl.lit(path, dtype=pl.String))) == where
    assert valued(place(pl.lit(where))) == where


@pytest.mark.parametrize(
    ("where", "above", "depth"),
    [
        (WHOLE, WHOLE, 1),
        ("/article[1]/bdy[1]", WHOLE, 2),
        ("/article[1]/bdy[1]/sec[12]", "/article[1]/bdy[1]", 3),
        ("/article[1]/bdy[1]/sec[12]/p[3]/it[1]", "/article[1]/bdy[1]/sec[12]/p[3]", 5),
        ("article[1]/bdy[1]", WHOLE, 2),
    ],
)
def test_parents_and_steps(where: str, above: str, depth: int) -> None:
    assert valued(parent(pl.lit(where))) == above
    assert valued(steps(pl.lit(where))) == depth
