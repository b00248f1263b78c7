"""Converts the highlighted passages of INEX 2005 and 2006 from paths of elements to character offsets."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import polars as pl

from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.offsets import UNRESOLVED, extents
from inexmetrics.collection.schemas import DOCUMENTS, PASSAGES
from inexmetrics.collection.structure import Structure
from inexmetrics.common.elements import WHOLE, place
from inexmetrics.common.errors import Problem
from inexmetrics.common.messages import plural
from inexmetrics.reading.findings import Findings, shown
from inexmetrics.reading.passages import MERGING, merged, overlapping
from inexmetrics.reading.xml_files.inex_xml import JudgedElements

__all__ = ["placed_highlights"]

PAIR: Final = ("topic_id", "doc_id")


def placed_highlights(
    judged: JudgedElements, structure: Structure, others: Collection[str], findings: Findings, *, merge_passages: bool
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Returns the judged documents and their highlighted passages as tables with the columns of `DOCUMENTS` and of `PASSAGES`.

    Args:
        judged: The judgements in INEX assessment files.
        structure: The offsets of the elements of documents.
        others: Topics whose passages were read from other files, and which are excluded.
        findings: The object to which problems are added: passages and entry points that are not in the structure, overlapping passages, and
            passages whose lengths in the file and in the structure are different.
        merge_passages: Whether passages that overlap or touch are merged; otherwise overlap is an error.
    """
    wanted = ~pl.col("topic_id").is_in(list(others))
    files = judged.files_frame().unique(PAIR, keep="first", maintain_order=True)
    relevant = judged.frame().filter((pl.col("exhaustivity").cast(pl.String) != "0").fill_null(True) & (pl.col("specificity") > 0))
    unknown = files.join(relevant, on=PAIR, how="semi", maintain_order="left").join(judged.passages_frame(), on=PAIR, how="anti")
    if not unknown.is_empty():  # if a document has relevant elements but no passages, its highlighted text is unknown
        message = f"{plural(unknown.height, 'document')} with relevant elements but no highlighted passages: only their elements are read"
        findings.warnings.append(Problem(message, severity="warning"))
    files = files.join(unknown, on=PAIR, how="anti", maintain_order="left").filter(wanted)
    passages = _placed(judged.passages_frame().filter(wanted), structure, "passage", findings)
    # Lengths are different if the structure is of another copy of the documents than the assessments.
    other = passages.filter(pl.col("size") != pl.col("length"))
    for row in other.head(1).iter_rows(named=True):
        message = (
            f"{plural(other.height, 'passage', 'has', 'have')} another length in the structure than in the file, such as "
            f"{shown(row['path'])} with {plural(row['length'], 'character')} instead of {row['size']}; the structure may be of another copy "
            "of the documents"
        )
        findings.warnings.append(Problem(message, file=row["file"], line=row["line"], topic_id=row["topic_id"], severity="warning"))
    if merge_passages:
        passages = merged(passages, PAIR)
    else:
        passages = passages.with_row_index("row")
        overlaps = overlapping(passages, PAIR).sort("row")
        _refuse(overlaps, "expected passages that do not overlap, found", findings, MERGING)
        passages = passages.join(overlaps, on="row", how="anti", maintain_order="left")
    entries = _placed(judged.entries_frame().filter(wanted), structure, "best entry point", findings)
    lengths = structure.elements.filter(place(pl.col("path")) == WHOLE).select("doc_id", docchars="length").unique("doc_id")
    documents = (
        files.join(passages.group_by(PAIR).agg(relchars=pl.col("length").sum()), on=PAIR, how="left", maintain_order="left")
        .join(lengths, on="doc_id", how="left", maintain_order="left")
        .join(entries.unique(PAIR, keep="first").select(*PAIR, bep="start"), on=PAIR, how="left", maintain_order="left")
        .with_columns(pl.col("relchars").fill_null(0))
    )
    return documents.select(list(DOCUMENTS)), passages.select(list(PASSAGES))


def _placed(named: pl.DataFrame, structure: Structure, noun: str, findings: Findings) -> pl.DataFrame:
    """Adds start and length to items that are given by a path; an item that is not in the structure is excluded, with an error."""
    unplaced = named.select("doc_id", "path", *(pl.lit(None, pl.Int64).alias(name) for name in ("start", "length")))
    placed = named.hstack(extents(unplaced, Assessments(), structure))
    lost = pl.col("start") == UNRESOLVED
    _refuse(placed.filter(lost), f"expected a {noun} in the structure, found", findings)
    return placed.filter(~lost)


def _refuse(rows: pl.DataFrame, expected: str, findings: Findings, hint: str = "") -> None:
    """Adds an error for each row of a table to `findings`; the message quotes the path of the row."""
    for row in rows.iter_rows(named=True):
        findings.rows.append(
            Problem(f"{expected} {shown(row['path'])}{hint}", file=row["file"], line=row["line"], topic_id=row["topic_id"])
        )
