"""Judgements in the form that measures need: elements with a specificity, documents with a grade, or highlighted text.

Judgements of one kind are converted to another kind if the definitions allow the conversion. A document with highlighted text is treated
as one element, whose specificity is the highlighted share of the document. A document with a relevant part is treated as relevant.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.schemas import ELEMENTS, GRADES
from inexmetrics.collection.structure import Structure
from inexmetrics.common.arrays import IntArray
from inexmetrics.common.elements import place
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.frozen import cached_by_identity
from inexmetrics.common.messages import canonical, enumerate_names, plural

__all__ = ["LONGEST", "HighlightedText", "assessed_as_wholes", "assessed_documents", "assessed_elements", "check_chosen", "check_reach"]

KINDS = {"elements": "elements", "passages": "passages", "documents": "graded documents", "assessors": "judgements by assessors"}


@cached_by_identity
def assessed_elements(assessments: Assessments, structure: Structure | None = None) -> pl.DataFrame:
    """Returns the assessed elements that measures with a quantisation use. The result is cached.

    Assessed elements are returned as judged; if the assessments lack the size of an element, the size is taken from the structure. If the
    assessments lack elements, elements are derived from highlighted passages, without an exhaustivity. Without a structure, each document
    is one element with specificity relchars/docchars. With a structure, the elements are those with length > 0 that contain highlighted
    characters, and their specificity is rsize/length.

    Args:
        assessments: Judgements.
        structure: Offsets of the elements in documents.

    Returns:
        One row per element, with the columns of `ELEMENTS`; ``path`` is null for a whole document.

    Raises:
        CollectionError: There are neither elements nor passages (graded documents lack a specificity), the length of a document with
            highlighted text is unknown, a document with highlighted text is missing from the structure, or text is highlighted at an offset
            beyond `LONGEST`.

    Examples:
        >>> fol = pl.DataFrame(
        ...     {"topic_id": ["1"], "doc_id": ["d"], "relchars": [30], "docchars": [40], "bep": [None]}
        ... )
        >>> assessed_elements(Assessments(documents=fol)).select("doc_id", "specificity", "size").row(0)
        ('d', 0.75, 40)
    """
    if (elements := assessments.elements) is not None:
        if structure is None or not elements["size"].null_count():
            return elements
        # An element without a path is the root element of its document, whatever the name of the root.
        lengths = structure.elements.select("doc_id", place(pl.col("path")).alias("place"), "length").unique(["doc_id", "place"])
        placed = elements.with_columns(place(pl.col("path")).alias("place"))
        known = placed.join(lengths, on=["doc_id", "place"], how="left", maintain_order="left")
        return known.with_columns(pl.coalesce("size", "length").alias("size")).select(list(ELEMENTS))
    if assessments.documents is None:
        check_chosen(assessments, {"elements", "passages"}, ", Gen5")
        raise CollectionError(
            f"expected assessed elements or highlighted passages, found {_describe_kinds(assessments)}, which have no specificity; to quantise documents, use by_grade or votes"
        )
    if structure is not None and assessments.passages is not None:
        return _highlighted_elements(assessments.documents, assessments.passages, structure)
    highlighted = pl.col("relchars") > 0
    unknown = assessments.documents.filter(highlighted & pl.col("docchars").is_null())
    if not unknown.is_empty():
        row = unknown.row(0, named=True)
        text = f"expected the length of every document with highlighted text (docchars), found {unknown.height} without, such as {row['doc_id']}"
        raise CollectionError(Problem(text, topic_id=row["topic_id"]))
    share = pl.when(highlighted).then(pl.col("relchars") / pl.col("docchars")).otherwise(0.0)
    return _to_elements(assessments.documents, path=pl.lit(None), specificity=share, size=pl.col("docchars"))


def assessed_documents(assessments: Assessments) -> pl.DataFrame:
    """Returns the graded documents for document measures.

    Grades are used if present, otherwise passages, otherwise elements. A document with highlighted passages has grade 1, and an assessed
    document without highlighted passages has grade 0. A document with assessed elements has grade 1 if any of its elements has an
    exhaustivity other than 0 (including "too small"), and grade 0 otherwise. If the exhaustivity of an element was not judged, a
    specificity above 0 is sufficient.

    Returns:
        One row per topic and document, with the columns of `GRADES`.

    Raises:
        CollectionError: There are no judgements of documents, passages or elements, or only judgements of named assessors, one of whom must
            be selected.

    Examples:
        >>> fol = pl.DataFrame(
        ...     {"topic_id": ["1", "1"], "doc_id": ["d", "e"], "relchars": [30, 0], "docchars": [40, 9]}
        ... )
        >>> assessed_documents(Assessments(documents=fol)).rows()
        [('1', 'd', 1.0), ('1', 'e', 0.0)]
    """
    if assessments.grades is not None:
        return assessments.grades
    if assessments.documents is not None:
        relevant = assessments.documents.with_columns((pl.col("relchars") > 0).alias("relevant"))
    elif assessments.elements is not None:
        asked = pl.col("exhaustivity").is_not_null()
        is_relevant = pl.when(asked).then(pl.col("exhaustivity").cast(pl.String) != "0").otherwise(pl.col("specificity") > 0)
        relevant = assessments.elements.with_columns(is_relevant.alias("relevant"))
    else:
        check_chosen(assessments, {"elements", "passages", "documents"})
        raise CollectionError(f"expected judgements of documents, passages or elements, found {_describe_kinds(assessments)}")
    documents = relevant.group_by("topic_id", "doc_id", maintain_order=True).agg(pl.col("relevant").any().cast(pl.Float64).alias("grade"))
    return documents.select(list(GRADES))


def assessed_as_wholes(assessments: Assessments, shares: pl.DataFrame) -> Assessments:
    """Returns judgements in which each document is one element.

    The specificity of the element is the share of users for whom the document is ideal.

    Args:
        assessments: Judgements from which the shares were computed; their topics, lengths and best entry points are kept.
        shares: Shares of users: columns topic_id, doc_id and share, one row for each judged document.
    """
    sized = shares.join(assessments.lengths.select("doc_id", size="docchars"), on="doc_id", how="left", maintain_order="left")
    elements = _to_elements(sized, path=pl.lit(None), specificity=pl.col("share"), size=pl.col("size"))
    return Assessments(
        elements=elements,
        documents=assessments.documents,
        grades=shares.rename({"share": "grade"}).select(list(GRADES)),
        topics=assessments.topics,
        warnings=assessments.warnings,
        dropped=assessments.dropped,
        source=assessments.source,
    )


def check_chosen(assessments: Assessments, kinds: AbstractSet[str], inside: str = "") -> None:
    """Raises `CollectionError` if all judgements of the given kinds are by named assessors, and no assessor was selected.

    Args:
        assessments: Judgements.
        kinds: Kinds of judgements that the measure can use.
        inside: Text after the name of the assessor in the example.
    """
    of_name = {
        name: set(assessments.judges[name].kinds) if name in assessments.judges else {"documents"} for name in assessments.assessor_names
    }
    named = [canonical(name) for name, found in of_name.items() if found & kinds]
    if not named:
        return
    written = f"write ~ assessor({named[0]}{inside}) after the measure"
    if len(named) > 1 and not inside:
        jury = f"~ jury({', '.join(named)}"  # with all names, because it is meant to be copied
        written += f", or {jury})"
        if all(re.fullmatch(r"\"[0-9]{1,2}\"", name) for name in named):
            written = f'if these are the subtopics of a topic, write {jury}, by="max") after the measure; if they are assessors, {written}'
    found = f"judgements by {plural(len(named), 'named assessor')} ({enumerate_names(named)})"
    raise CollectionError(f"expected a formula that selects an assessor, found {found}; {written}")


def _describe_kinds(assessments: Assessments) -> str:
    """Describes the kinds of judgements for a message."""
    return " and ".join(KINDS[kind] for kind in assessments.kinds) or "none"


def _highlighted_elements(documents: pl.DataFrame, passages: pl.DataFrame, structure: Structure) -> pl.DataFrame:
    """Returns all elements of the structure that contain highlighted characters, with their specificity."""
    relevant = documents.filter(pl.col("relchars") > 0).select("topic_id", "doc_id").with_row_index("pair")
    structure.check_holds(relevant)
    check_reach("highlighted text", passages, pl.col("start") + pl.col("length"))
    elements = relevant.join(structure.elements.filter(pl.col("length") > 0), on="doc_id", how="inner", maintain_order="left")
    highlights = (
        passages.filter(pl.col("length") > 0).join(relevant, on=["topic_id", "doc_id"], how="inner").sort("pair", "start", "length")
    )
    text = HighlightedText.of(highlights["pair"].cast(pl.Int64).to_numpy(), highlights["start"].to_numpy(), highlights["length"].to_numpy())
    rsize = text.within(elements["pair"].cast(pl.Int64).to_numpy(), elements["start"].to_numpy(), elements["length"].to_numpy())
    held = elements.with_columns(pl.Series("rsize", rsize)).filter(pl.col("rsize") > 0)
    return _to_elements(held, path=pl.col("path"), specificity=pl.col("rsize") / pl.col("length"), size=pl.col("length"))


def _to_elements(frame: pl.DataFrame, path: pl.Expr, specificity: pl.Expr, size: pl.Expr) -> pl.DataFrame:
    """Returns the rows of a table, which has the columns topic_id and doc_id, as assessed elements without exhaustivity."""
    known = {"path": path, "exhaustivity": pl.lit(None), "specificity": specificity, "size": size}
    columns = [known.get(name, pl.col(name)).cast(dtype).alias(name) for name, dtype in ELEMENTS.items()]
    return frame.select(columns)


LONGEST: Final = 1 << 32
"""Maximum offset in a document, so that the characters of all documents together can be counted with 64-bit integers."""


def check_reach(what: str, judged: pl.DataFrame, reach: pl.Expr) -> None:
    """Raises an error if a judgement extends beyond the first `LONGEST` characters of its document.

    Args:
        what: Name of the kind of judgement, for the error message.
        judged: Judgements: columns topic_id and doc_id, and the columns that `reach` uses.
        reach: Polars expression for the offset at which each judgement ends.

    Raises:
        CollectionError: A judgement extends beyond this offset; the error describes the first case.
    """
    beyond = judged.select("topic_id", "doc_id", reach=reach).filter(pl.col("reach") > LONGEST)
    if not beyond.is_empty():
        topic, document, reached = beyond.row(0)
        message = f"expected {what} within the first {LONGEST} characters of document {document}, found {reached}"
        raise CollectionError(Problem(message, topic_id=topic))


@dataclass(frozen=True, slots=True, eq=False)
class HighlightedText:
    """P highlighted passages, with offsets in the concatenation of all documents, where each document is padded to the same length.

    Attributes:
        stride: Length of each padded document in characters, which is larger than the end offset of every passage.
        begins: Offset of the beginning of each passage in the concatenation, increasing, shape (P,).
        lengths: Number of characters of each passage, shape (P,).
        cumulated: Number of highlighted characters before each passage, followed by their total number, shape (P + 1,).
    """

    stride: int
    begins: IntArray
    lengths: IntArray
    cumulated: IntArray

    @classmethod
    def of(cls, documents: IntArray, starts: IntArray, lengths: IntArray) -> HighlightedText:
        """Creates the object from passages sorted by document, then by start. Passages of the same document do not overlap.

        Args:
            documents: Index of the document of each passage, shape (P,).
            starts: Offset of each passage in its document, shape (P,).
            lengths: Number of characters of each passage, shape (P,).
        """
        stride = int((starts + lengths).max(initial=0)) + 1
        return cls(stride, documents * stride + starts, lengths, np.concatenate(([0], np.cumsum(lengths))))

    def before(self, documents: IntArray, offsets: IntArray) -> IntArray:
        """Returns, for each offset, the number of highlighted characters before the offset in its document and in all earlier documents.

        Args:
            documents: Indices of documents, any shape.
            offsets: Offset in each of the documents, in characters, at least 0, same shape as `documents`.

        Examples:
            >>> text = HighlightedText.of(np.array([0, 0, 1]), np.array([5, 20, 0]), np.array([10, 10, 10]))
            >>> text.before(np.array([0, 0, 0, 1]), np.array([7, 25, 1000, 3])).tolist()
            [2, 15, 20, 23]
        """
        places = documents * self.stride + np.minimum(offsets, self.stride - 1)
        begun = np.searchsorted(self.begins, places)
        if not len(self.begins):
            return np.zeros_like(begun)
        last = np.maximum(begun - 1, 0)
        # The last passage that begins before the offset may extend beyond the offset; its remaining characters are not counted.
        unread = np.where(begun > 0, np.maximum(self.begins[last] + self.lengths[last] - places, 0), 0)
        before: IntArray = self.cumulated[begun] - unread
        return before

    def overlapping(self, documents: IntArray, starts: IntArray, lengths: IntArray) -> tuple[IntArray, IntArray]:
        """Returns, for each range of characters, the index of the first overlapping passage, and the index after the last.

        Examples:
            >>> text = HighlightedText.of(np.array([0, 0, 1]), np.array([5, 20, 0]), np.array([10, 10, 10]))
            >>> [
            ...     found.tolist()
            ...     for found in text.overlapping(np.array([0, 0]), np.array([0, 15]), np.array([21, 5]))
            ... ]
            [[0, 1], [2, 1]]
        """
        begin, end = (documents * self.stride + np.minimum(offsets, self.stride - 1) for offsets in (starts, starts + lengths))
        return np.searchsorted(self.begins + self.lengths, begin, side="right"), np.searchsorted(self.begins, end)

    def within(self, documents: IntArray, starts: IntArray, lengths: IntArray) -> IntArray:
        """Returns the number of highlighted characters in each range of characters (rsize)."""
        return self.before(documents, starts + lengths) - self.before(documents, starts)
