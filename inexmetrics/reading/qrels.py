"""Judgements of one document a line: TREC qrels, those of several assessors, and INEX's with highlighted passages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.columns import DOCUMENTS, PASSAGES
from inexmetrics.errors import Problem
from inexmetrics.reading.findings import Findings, shown
from inexmetrics.reading.lines import Column, Rows, read_rows, tokens
from inexmetrics.reading.recognise import Source

__all__ = ["Highlighted", "read_fol_qrels", "read_qrels"]

QRELS: Final = (Column("topic_id"), Column("assessor"), Column("doc_id", varies=True), Column("grade", pl.Float64, "a number as grade"))
ITERATION: Final = re.compile(r"q0|[+-]?\d+(\.\d+)?", re.IGNORECASE)
"""What stands in the second column of qrels that nobody is named in."""
NO_ENTRY: Final = -1
"""Written for the entry point of a document that has none."""


def read_qrels(sources: Sequence[Source], findings: Findings) -> tuple[pl.DataFrame | None, pl.DataFrame | None]:
    """The rows of qrels of four columns: those of one assessor, and those of files in which several assess.

    A file is one of several assessors where its second column holds a name, or where a document is judged for one topic
    more than once, with another second column each time; otherwise that column is an iteration (`0`, `Q0`, or the
    number of a round), and is passed over.

    Returns:
        Two tables of topic_id, assessor, doc_id and grade, with file and line; None where there is no such file.
    """
    rows = read_rows(sources, QRELS, findings)
    grades = rows.frame["grade"].to_numpy()
    finite = np.isfinite(grades)
    for row in np.flatnonzero(~finite).tolist():
        findings.rows.append(rows.problem(row, f"expected a finite grade, found {grades[row]}"))
    rows = rows.kept(finite)
    frame = placed(rows)
    of_file = rows.of_file()
    several = np.array([_has_several(frame.filter(pl.Series(of_file == file)), rows, file) for file in range(len(rows.files))], dtype=np.bool_)
    single = frame.filter(pl.Series(~several[of_file])) if not several.all() else None
    return single, frame.filter(pl.Series(several[of_file])) if several.any() else None


def placed(rows: Rows) -> pl.DataFrame:
    """Rows with the file and line that each stands on."""
    files = pl.Series("file", rows.files, dtype=pl.String).gather(rows.of_file())
    return rows.frame.with_columns(files, pl.Series("line", rows.lines()))


def _has_several(frame: pl.DataFrame, rows: Rows, file: int) -> bool:
    """Whether the qrels of a file are those of several assessors."""
    there = rows.stretches("assessor")
    found = {value for value, of_file in zip(there.values, there.files, strict=True) if of_file == file}
    if any(not ITERATION.fullmatch(value) for value in found):
        return True
    if len(found) < 2:
        return False
    return frame.select(pl.struct("topic_id", "doc_id", "assessor").n_unique() > pl.struct("topic_id", "doc_id").n_unique()).item() is True


@dataclass(frozen=True, slots=True, eq=False)
class Highlighted:
    """Documents with their highlighted passages.

    Attributes:
        documents: The columns of `DOCUMENTS`, and file and line.
        passages: The columns of `PASSAGES`, and line and file of their document.
    """

    documents: pl.DataFrame
    passages: pl.DataFrame


def read_fol_qrels(sources: Sequence[Source], findings: Findings) -> Highlighted:
    """The documents and passages of FOL qrels; a row that is wrong is told in the findings, and left out.

    A row has the characters highlighted and those of the document; where text is highlighted, the best entry point (-1
    for none) and the passages. A row with an entry point but no passage keeps its highlighted characters, whose place
    is not known.
    """
    parts = [_fol_qrels(source, findings) for source in sources]
    return Highlighted(pl.concat([part.documents for part in parts]), pl.concat([part.passages for part in parts]))


def _fol_qrels(source: Source, findings: Findings) -> Highlighted:
    words = tokens(source, findings)
    count = pl.col("tokens").list.len()
    topic = pl.col("tokens").list.get(0)
    integers = {"relchars": 3, "docchars": 4, "bep": 5}
    rows = words.select(
        topic.alias("topic_id"),
        pl.col("tokens").list.get(2, null_on_oob=True).alias("doc_id"),
        *(pl.col("tokens").list.get(place, null_on_oob=True).cast(pl.Int64, strict=False).alias(name) for name, place in integers.items()),
        pl.lit(source.name).alias("file"),
        "line",
        "tokens",
        count.alias("columns"),
    )
    passages = (
        words.select(topic.alias("topic_id"), pl.col("tokens").list.get(2, null_on_oob=True).alias("doc_id"), "line", pl.col("tokens").list.slice(6).alias("written"))
        .explode("written", empty_as_null=False)
        .with_columns(pl.col("written").str.extract_groups(r"^(\d{1,18}):(\d{1,18})$").alias("numbers"))
        .with_columns(pl.col("numbers").struct[place].cast(pl.Int64, strict=False).alias(name) for place, name in enumerate(("start", "length")))
    )
    sums = passages.group_by("line").agg(
        pl.col("length").sum().alias("highlighted"),
        (pl.col("start").is_null() | pl.col("length").is_null()).any().alias("unreadable"),
        (pl.col("start").sort() < (pl.col("start") + pl.col("length")).sort_by("start").shift(1)).any().alias("overlapping"),
        (pl.col("start") + pl.col("length")).max().alias("end"),
    )
    known = rows.join(sums, on="line", how="left", maintain_order="left")
    wrong = _faults(known, findings)
    good = known.filter(~pl.col("line").is_in(wrong))
    past = good.filter(pl.col("end") > pl.col("docchars")).height
    if past:
        documents = "1 document ends" if past == 1 else f"{past} documents end"
        findings.notices.append(Problem(f"passages of {documents} past the end of the document", file=source.name, severity="warning"))
    documents = good.with_columns(pl.when(pl.col("bep") >= 0).then("bep").alias("bep")).select(*DOCUMENTS, "file", "line")
    kept = passages.filter(~pl.col("line").is_in(wrong)).with_columns(pl.lit(source.name).alias("file"))
    return Highlighted(documents, kept.select(*PASSAGES, "file", "line"))
