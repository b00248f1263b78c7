"""Positions inside the text of an element, as INEX 2006 wrote the ends of passages: ``/article[1]/p[2]/text()[1].55``.

``text()[k]`` is the k-th text node directly in an element, between its children; ``.55`` is the position
after 55 characters of it, or after 55 characters of the whole text of an element. A structure gives the offsets of elements,
and so of the text between them. It does not show that a comment or a processing instruction divides
a text node in two; and it has to contain all children of the element.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from inexmetrics.common.elements import parent, place

__all__ = ["is_point", "points"]

TEXT: Final = r"/text\(\)(?:\[([0-9]{1,9})\])?(?:\.([0-9]{1,15}))?$"
"""The end of a path to a text node, or to a character of it."""
OFFSET: Final = r"\]\.([0-9]{1,15})$"
"""The end of a path to a character of an element."""


def is_point(path: pl.Expr) -> pl.Expr:
    """Returns whether a path leads to text, or to a position in it, instead of an element."""
    return path.str.contains(TEXT) | path.str.contains(OFFSET)


def points(named: pl.DataFrame, elements: pl.DataFrame) -> pl.DataFrame:
    """Returns the offsets of positions inside elements.

    Args:
        named: doc_id and path, each once; paths for which `is_point` holds.
        elements: doc_id, place, start and end of all elements of these documents.

    Returns:
        doc_id, path, start and end of existing positions: the range of the text node, or for a character the same offset twice.

    Examples:
        >>> elements = [("d", "/a[1]/p[1]", 0, 20), ("d", "/a[1]/p[1]/b[1]", 4, 9)]
        >>> structure = pl.DataFrame(elements, schema=["doc_id", "place", "start", "end"], orient="row")
        >>> paths = [
        ...     "/a[1]/p[1]/text()[2]",
        ...     "/a[1]/p[1]/text()[2].3",
        ...     "/a[1]/p[1].3",
        ...     "/a[1]/p[1]/text()[1].5",
        ... ]
        >>> points(pl.DataFrame({"doc_id": "d", "path": paths}), structure).rows()
        [('d', '/a[1]/p[1]/text()[2]', 9, 20), ('d', '/a[1]/p[1]/text()[2].3', 12, 12), ('d', '/a[1]/p[1].3', 3, 3)]
    """
    text = pl.col("path").str.extract_groups(TEXT).struct
    in_text = pl.col("path").str.contains(TEXT)
    read = named.with_columns(
        element=place(pl.when(in_text).then(pl.col("path").str.replace(TEXT, "")).otherwise(pl.col("path").str.replace(OFFSET, "]"))),
        node=pl.when(in_text).then(text[0].cast(pl.Int64).fill_null(1)),
        offset=pl.when(in_text).then(text[1]).otherwise(pl.col("path").str.extract(OFFSET)).cast(pl.Int64),
    ).with_row_index("row")
    holders = read.select("doc_id", pl.col("element").alias("place")).unique().join(elements, on=["doc_id", "place"])
    whole = holders.select("doc_id", "place", "start", "end", node=pl.lit(None, pl.Int64))
    stretches = pl.concat([whole, _texts(holders, elements).select(whole.columns)])
    found = read.join(
        stretches.rename({"place": "element"}), on=["doc_id", "element", "node"], how="inner", nulls_equal=True, maintain_order="left"
    ).filter(pl.col("offset").is_null() | (pl.col("start") + pl.col("offset") <= pl.col("end")))
    there = pl.col("start") + pl.col("offset")
    return found.sort("row").select("doc_id", "path", start=pl.coalesce(there, "start"), end=pl.coalesce(there, "end"))


def _texts(holders: pl.DataFrame, elements: pl.DataFrame) -> pl.DataFrame:
    """Returns the text nodes directly in some elements: doc_id, place, node (from 1), start, end."""
    key = ["doc_id", "place"]
    children = (
        elements.filter(pl.col("place") != "")
        .with_columns(child=pl.col("place"), place=parent(pl.col("place")))
        .join(holders.select(*key, begin="start", close="end"), on=key)
        .sort(*key, "start", "end", "child")
    )
    # There may be text before each child, after the previous one; and after the last child.
    before = children.select(*key, start=pl.col("end").shift(1).over(key).fill_null(pl.col("begin")), end="start")
    last = children.group_by(key).agg(pl.col("end").max().alias("last"))
    after = holders.join(last, on=key, how="left").select(*key, start=pl.coalesce("last", "start"), end="end")
    texts = pl.concat([before, after]).filter(pl.col("end") > pl.col("start")).sort(*key, "start")
    return texts.with_columns(node=pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over(key))
