"""Properties of elements: paths such as ``/article[1]/bdy[1]/sec[2]``, as expressions over columns of paths, and assessment scales.

A whole document is written without a path or as its root element, which has a single step; its canonical path is `WHOLE`.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import polars as pl

__all__ = ["ANY_SCALE", "WHOLE", "Scale", "parent", "place", "steps"]

WHOLE: Final = ""
"""Canonical path of a whole document."""


def place(path: pl.Expr) -> pl.Expr:
    """Returns the canonical path of an element.

    Examples:
        >>> frame = pl.DataFrame({"path": [None, "/article[1]", "/article[1]/bdy[1]"]})
        >>> frame.select(place(pl.col("path"))).to_series().to_list()
        ['', '', '/article[1]/bdy[1]']
    """
    # The slash at the beginning of the path is skipped, so that the path of a root element does not contain a slash.
    return pl.when(path.str.slice(1).str.contains("/", literal=True)).then(path).otherwise(pl.lit(WHOLE))


def parent(place_of: pl.Expr) -> pl.Expr:
    """Returns the canonical path of the parent of an element; the parent of a whole document is the document itself.

    Examples:
        >>> frame = pl.DataFrame({"place": ["/article[1]/bdy[1]/sec[2]", "/article[1]/bdy[1]", ""]})
        >>> frame.select(parent(pl.col("place"))).to_series().to_list()
        ['/article[1]/bdy[1]', '', '']
    """
    return place(place_of.str.replace(r"/[^/]*$", ""))


def steps(place_of: pl.Expr) -> pl.Expr:
    """Returns the number of steps of a path from the document to an element; 1 for the root element.

    Examples:
        >>> frame = pl.DataFrame({"place": ["/article[1]/bdy[1]/sec[2]", ""]})
        >>> frame.select(steps(pl.col("place"))).to_series().to_list()
        [3, 1]
    """
    return place_of.str.slice(1).str.count_matches("/", literal=True).cast(pl.Int64) + 1


Scale: TypeAlias = Literal["inex2004", "inex2005"]
"""Scale of assessments. INEX 2004: exhaustivity and specificity from 0 to 3. INEX 2005: exhaustivity 0, ?, 1 or 2; specificity a share."""

ANY_SCALE: Final[frozenset[Scale]] = frozenset(("inex2004", "inex2005"))
