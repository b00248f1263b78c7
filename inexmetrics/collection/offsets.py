"""Positions of results in the text of their documents: their own offsets, or those of a structure."""

from __future__ import annotations

from typing import Final

import polars as pl

from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.structure import Structure
from inexmetrics.common.elements import WHOLE, parent, place
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import plural

__all__ = ["UNKNOWN", "UNRESOLVED", "extents", "mean_document_length", "no_structure"]

UNRESOLVED: Final = -1
"""Start and length of a result with an unknown position."""
UNKNOWN: Final = -1
"""An offset or a length that neither assessments nor structure give: usually the length of a whole document."""


def extents(results: pl.DataFrame, assessments: Assessments, structure: Structure | None = None) -> pl.DataFrame:
    """Returns the position of each result in the text of its document.

    A result with an offset has that position. Otherwise its path, or the two paths of a range, are looked up in the structure;
    they may also lead to text inside an element (`points`). A path missing from the structure is unresolved. A result
    without either is its whole document, whose length is that of the document's root in the structure, otherwise the largest
    in the assessments under any topic.

    Args:
        results: doc_id, path, start and length.
        assessments: The judgements.
        structure: The offsets of the documents' elements.

    Returns:
        start and length of each result, in the order of the rows; `UNRESOLVED` twice, or 0 and `UNKNOWN`.

    Raises:
        CollectionError: There are paths, but no structure.

    Examples:
        >>> results = pl.DataFrame(
        ...     {"doc_id": ["d", "d"], "path": [None, None], "start": [7, None], "length": [3, None]}
        ... )
        >>> fol = pl.DataFrame(
        ...     {"topic_id": ["1"], "doc_id": ["d"], "relchars": [0], "docchars": [40], "bep": [None]}
        ... )
        >>> extents(results, Assessments(documents=fol)).rows()
        [(7, 3), (0, 40)]
    """
    known = results.select("start", "length")
    if not known["start"].null_count():
        return known
    unplaced = results.with_row_index("row").filter(pl.col("start").is_null()).select("row", "doc_id", "path")
    named = _named(unplaced)
    lost = named.filter(pl.col("first") != WHOLE)
    if structure is None and not lost.is_empty():
        raise no_structure(unplaced.join(lost, on="row", how="semi", maintain_order="left"))
    places = _places(assessments, structure)
    if not (inside := _inside(named)).is_empty():
        places = pl.concat([places, points(inside, places).rename({"path": "place"})])
    found = (
        named.join(places.rename({"place": "first", "end": "_"}), on=["doc_id", "first"], how="left", maintain_order="left")
        .join(places.select("doc_id", "end", last="place"), on=["doc_id", "last"], how="left", maintain_order="left")
        .with_columns(whole=(pl.col("first") == WHOLE) & (pl.col("last") == WHOLE), resolved=pl.col("end") >= pl.col("start"))
    )
    resolved = pl.col("resolved").fill_null(False)
    start = pl.when(resolved).then("start").when("whole").then(0).otherwise(UNRESOLVED)
    length = pl.when(resolved).then(pl.col("end") - pl.col("start")).when("whole").then(UNKNOWN).otherwise(UNRESOLVED)
    looked_up = found.select("row", start.cast(pl.Int64).alias("start"), length.cast(pl.Int64).alias("length"))
    rows = results.select(pl.int_range(pl.len(), dtype=pl.UInt32).alias("row"), "start", "length")
    return rows.update(looked_up, on="row", how="left", maintain_order="left").select("start", "length")


def no_structure(elements: pl.DataFrame) -> CollectionError:
    """Returns the error for elements whose position needs a structure.

    Args:
        elements: doc_id and path of each; at least one.
    """
    doc_id, path = elements.select("doc_id", "path").row(0)
    return CollectionError(
        f"expected a structure, to find {plural(elements.height, 'element')} of the runs in the text of their documents, found none: "
        f"such as {doc_id} {path}; read one with --structure PATH, in Python read_structure(path) and Collection(…, structure=…)"
    )


def mean_document_length(assessments: Assessments, structure: Structure | None = None) -> float:
    """Returns the mean length of the documents, in characters: in the structure or, if it lacks whole documents, in the assessments.

    Args:
        assessments: The judgements; a document's length is the largest that they state under any topic.
        structure: Offsets of the documents' elements, including their roots.

    Raises:
        CollectionError: Neither contains a document with text.

    Examples:
        >>> fol = pl.DataFrame(
        ...     {
        ...         "topic_id": ["1", "1"],
        ...         "doc_id": ["c", "d"],
        ...         "relchars": [0, 0],
        ...         "docchars": [40, 70],
        ...         "bep": [None, None],
        ...     }
        ... )
        >>> mean_document_length(Assessments(documents=fol))
        55.0
    """
    lengths = []
    if structure is not None:
        lengths.append(structure.elements.filter(place(pl.col("path")) == WHOLE)["length"])
    lengths.append(assessments.lengths["docchars"])
    for stated in lengths:
        if total := int(stated.sum()):
            return total / len(stated)
    raise CollectionError("expected the length of the documents in the assessments or the structure, found none")


def _named(unplaced: pl.DataFrame) -> pl.DataFrame:
    """Returns the paths at which results begin and end, as first and last; an element is the range from itself to itself."""
    paths = unplaced["path"].cast(pl.String)
    # Usually all are paths of elements, which is quick to check.
    elements_alone = not (paths.str.contains("text()", literal=True) | ~paths.str.ends_with("]")).any()
    ends = pl.lit(paths).str.split_exact(" ", 1).struct
    sides = {"first": ends[0], "last": pl.coalesce(ends[1], ends[0])}
    if elements_alone:
        return unplaced.select("row", "doc_id", **{name: place(path) for name, path in sides.items()})
    named = {name: pl.when(is_point(path)).then(path).otherwise(place(path)) for name, path in sides.items()}
    return unplaced.select("row", "doc_id", **named)


def _inside(named: pl.DataFrame) -> pl.DataFrame:
    """Returns the positions inside elements at which results begin or end, each once: doc_id and path."""
    parts = [named.select("doc_id", path=name).filter(is_point(pl.col("path"))) for name in ("first", "last")]
    return pl.concat(parts).unique(maintain_order=True)


def _places(assessments: Assessments, structure: Structure | None) -> pl.DataFrame:
    """Returns starts and ends of elements and documents: doc_id, place, start, end, each canonical path once."""
    parts = []
    if structure is not None:
        elements = structure.elements.select(
            "doc_id", place(pl.col("path")).alias("place"), "start", end=pl.col("start") + pl.col("length")
        )
        parts.append(elements)
    parts.append(assessments.lengths.select("doc_id", pl.lit(WHOLE).alias("place"), pl.lit(0, pl.Int64).alias("start"), end="docchars"))
    return pl.concat(parts).unique(["doc_id", "place"], keep="first", maintain_order=True)


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
        elements: doc_id, place, start and end of all elements of the documents.

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
