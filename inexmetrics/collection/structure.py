"""The structure of documents: offsets and lengths of their elements, and conversion between paths and offsets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

from inexmetrics.collection.assessments import Assessments
from inexmetrics.common.elements import WHOLE, parent, place
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.frozen import Frozen
from inexmetrics.common.messages import plural
from inexmetrics.terms.parameter_types import Made

__all__ = ["GIVEN_STRUCTURE", "UNKNOWN", "UNRESOLVED", "Structure", "extents", "mean_document_length", "no_structure"]


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Structure(Frozen):
    r"""Offset and length of each element in each document.

    Attributes:
        elements: One row for each element (`StructureTable`): doc_id, path, start and length in characters.
        warnings: Warnings from reading the files.

    Examples:
        >>> import tempfile
        >>> from inexmetrics import read_structure
        >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        ...     _ = file.write("doc_id,path,start,length\na,/article[1],0,9\na,/article[1]/p[1],4,5\n")
        ...     file.flush()
        ...     structure = read_structure(file.name)
        >>> structure.elements.row(1)
        ('a', '/article[1]/p[1]', 4, 5)
    """

    elements: pl.DataFrame
    warnings: tuple[Problem, ...] = ()

    def check_holds(self, relevant: pl.DataFrame) -> None:
        """Raises an error unless the structure contains the elements of all documents with highlighted text.

        Args:
            relevant: Documents with highlighted text: columns topic_id and doc_id.

        Raises:
            CollectionError: Documents are missing from the structure; the error names the documents and their topics.
        """
        lacking = relevant.join(self.elements, on="doc_id", how="anti", maintain_order="left")
        if not lacking.is_empty():
            raise CollectionError(
                Problem(
                    f"expected the structure to contain document {row['doc_id']}, found none of its elements; the document has highlighted text",
                    topic_id=row["topic_id"],
                    kind="expected the elements of documents with highlighted text, found {count} documents that the structure lacks",
                    detail=f"document {row['doc_id']}",
                )
                for row in lacking.iter_rows(named=True)
            )

    def __repr__(self) -> str:
        return f"Structure({plural(self.elements.height, 'element')} of {plural(self.elements['doc_id'].n_unique(), 'document')})"


GIVEN_STRUCTURE: Final = Made(Structure, "a structure as read_structure makes it")
"""Type of an argument whose value is a `Structure` object."""


UNRESOLVED: Final = -1
"""Value of the start of a result whose position is unknown, and of its length if that is unknown too."""
UNKNOWN: Final = -1
"""Length that is returned for a whole document if neither the assessments nor the structure contains its length."""


def extents(results: pl.DataFrame, assessments: Assessments, structure: Structure | None = None) -> pl.DataFrame:
    """Returns the position of each result in the text of its document.

    If a result has an offset, the offset is used. If a result has a path instead, or the two paths of a range, the paths are looked up in
    the structure. A path may also lead to text inside an element (`points`). If a path is missing from the structure, the result is
    unresolved. A result with neither offset nor path is treated as its whole document. The length of a document is the length of its root
    in the structure or, if the structure lacks the root, the largest length of the document in the assessments.

    Args:
        results: Columns doc_id, path, start and length.
        assessments: Judgements.
        structure: Offsets of the elements in documents.

    Returns:
        Columns start and length, in the order of the results. Both columns contain `UNRESOLVED` for an unresolved path. A whole
        document of unknown length has start 0 and length `UNKNOWN`.

    Raises:
        CollectionError: Results have paths, but a structure is not given.

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
    named = _end_paths(unplaced)
    lost = named.filter(pl.col("first") != WHOLE)
    if structure is None and not lost.is_empty():
        raise no_structure(unplaced.join(lost, on="row", how="semi", maintain_order="left"))
    lengths = assessments.lengths.select("doc_id", pl.lit(WHOLE).alias("place"), pl.lit(0, pl.Int64).alias("start"), end="docchars")
    places = lengths
    if structure is not None:
        path, end = place(pl.col("path")).alias("place"), pl.col("start") + pl.col("length")
        # If both the structure and the assessments contain the length of a document, the length in the structure is used.
        places = pl.concat([structure.elements.select("doc_id", path, "start", end=end), lengths])
    places = places.unique(["doc_id", "place"], keep="first", maintain_order=True)
    # Results may begin or end at positions inside elements.
    inside = pl.concat(named.select("doc_id", path=name).filter(is_point(pl.col("path"))) for name in ("first", "last"))
    if not inside.is_empty():
        places = pl.concat([places, points(inside.unique(maintain_order=True), places).rename({"path": "place"})])
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
    """Returns the error about results whose positions cannot be found without a structure.

    Args:
        elements: Columns doc_id and path of the results; at least one row.
    """
    doc_id, path = elements.select("doc_id", "path").row(0)
    return CollectionError(
        f"expected a structure with the offsets of {plural(elements.height, 'element')} of the runs, such as {path} of document {doc_id}, found none; "
        "read a structure with --structure PATH, or in Python with read_structure(path) and Collection(…, structure=…)"
    )


def mean_document_length(assessments: Assessments, structure: Structure | None = None) -> float:
    """Returns the mean length of documents in characters, from the structure if it contains whole documents, or else from the assessments.

    Args:
        assessments: Judgements; if a document has different lengths for different topics, the largest length is used.
        structure: Offsets of the elements in documents, including root elements.

    Raises:
        CollectionError: Neither the structure nor the assessments contain a document with text.

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


def _end_paths(unplaced: pl.DataFrame) -> pl.DataFrame:
    """Returns the paths of the beginning and the end of each result; the two paths are equal unless the result is a range of paths."""
    paths = unplaced["path"].cast(pl.String)
    # Usually, all paths lead to elements; checking this is fast.
    elements_alone = not (paths.str.contains("text()", literal=True) | ~paths.str.ends_with("]")).any()
    ends = pl.lit(paths).str.split_exact(" ", 1).struct
    sides = {"first": ends[0], "last": pl.coalesce(ends[1], ends[0])}
    if elements_alone:
        return unplaced.select("row", "doc_id", **{name: place(path) for name, path in sides.items()})
    named = {name: pl.when(is_point(path)).then(path).otherwise(place(path)) for name, path in sides.items()}
    return unplaced.select("row", "doc_id", **named)


TEXT: Final = r"/text\(\)(?:\[([0-9]{1,9})\])?(?:\.([0-9]{1,15}))?$"
"""Pattern that matches the end of a path if the path leads to a text node or to a character in a text node."""
OFFSET: Final = r"\]\.([0-9]{1,15})$"
"""Pattern that matches the end of a path if the path leads to a character in an element."""


def is_point(path: pl.Expr) -> pl.Expr:
    """Returns whether a path leads to a text node or a character instead of an element."""
    return path.str.contains(TEXT) | path.str.contains(OFFSET)


def points(named: pl.DataFrame, elements: pl.DataFrame) -> pl.DataFrame:
    """Returns the offsets of the text nodes and characters that the given paths identify.

    Args:
        named: Columns doc_id and path, without duplicates; `is_point` is true for all paths.
        elements: Columns doc_id, place, start and end of all elements of the documents.

    Returns:
        Columns doc_id, path, start and end; paths that do not lead to text are omitted. For a path to a single character, start and end are
        equal.

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
    """Returns the text nodes that are children of the given elements: columns doc_id, place, node (counted from 1), start and end."""
    key = ["doc_id", "place"]
    children = (
        elements.filter(pl.col("place") != "")
        .with_columns(child=pl.col("place"), place=parent(pl.col("place")))
        .join(holders.select(*key, begin="start", close="end"), on=key)
        .sort(*key, "start", "end", "child")
    )
    # A text node may occur before each child element (after the preceding child element, if any) and after the last child element.
    before = children.select(*key, start=pl.col("end").shift(1).over(key).fill_null(pl.col("begin")), end="start")
    last = children.group_by(key).agg(pl.col("end").max().alias("last"))
    after = holders.join(last, on=key, how="left").select(*key, start=pl.coalesce("last", "start"), end="end")
    texts = pl.concat([before, after]).filter(pl.col("end") > pl.col("start")).sort(*key, "start")
    return texts.with_columns(node=pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over(key))
