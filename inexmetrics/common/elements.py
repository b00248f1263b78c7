"""Polars expressions for the paths of elements, such as ``/article[1]/bdy[1]/sec[2]``, and the scales of assessments.

In the data, a whole document has either no path or the path of its root element. The path of a root element has a single step. The
canonical path of a whole document is `WHOLE`.
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
    # The first character is the only slash in the path of a root element.
    return pl.when(path.str.slice(1).str.contains("/", literal=True)).then(path).otherwise(pl.lit(WHOLE))


def parent(place_of: pl.Expr) -> pl.Expr:
    """Returns the canonical path of an element's parent; a whole document is its own parent.

    Examples:
        >>> frame = pl.DataFrame({"place": ["/article[1]/bdy[1]/sec[2]", "/article[1]/bdy[1]", ""]})
        >>> frame.select(parent(pl.col("place"))).to_series().to_list()
        ['/article[1]/bdy[1]', '', '']
    """
    return place(place_of.str.replace(r"/[^/]*$", ""))


def steps(place_of: pl.Expr) -> pl.Expr:
    """Returns the number of steps in an element's path; 1 for the root element.

    Examples:
        >>> frame = pl.DataFrame({"place": ["/article[1]/bdy[1]/sec[2]", ""]})
        >>> frame.select(steps(pl.col("place"))).to_series().to_list()
        [3, 1]
    """
    return place_of.str.slice(1).str.count_matches("/", literal=True).cast(pl.Int64) + 1


Scale: TypeAlias = Literal["inex2004", "inex2005"]
"""Scale of assessments. In INEX 2004, exhaustivity and specificity are 0 to 3. In INEX 2005, exhaustivity is 0, ?, 1 or 2, and specificity
is a number from 0 to 1."""

ANY_SCALE: Final[frozenset[Scale]] = frozenset(("inex2004", "inex2005"))
