"""Runs of one result a line: TREC's six columns, and those with a place in the document after them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection.offsets import UNRESOLVED
from inexmetrics.collection.runs import Order
from inexmetrics.collection.schemas import FURTHEST
from inexmetrics.collection.score_matrices import BOUNDED_SCORE, LARGEST_SCORE
from inexmetrics.common.arrays import BoolArray
from inexmetrics.reading.checker import EXACT, WHOLE
from inexmetrics.reading.findings import Findings, shown
from inexmetrics.reading.line_files.lines import Column, read_rows
from inexmetrics.reading.line_files.rows import Retrieved, Rows
from inexmetrics.reading.recognise import UNPLACED, Format, Source

__all__ = ["read_run_lines"]

TREC: Final = (
    Column("topic_id"),
    Column("Q0", ignored=True),
    Column("doc_id"),
    Column("rank", pl.Int64, "an integer rank"),
    Column("score", pl.Float64, "a number as score"),
    Column("run_id"),
)
PLACED: Final = {
    Format.TREC_RUN: TREC,
    Format.FOL_RUN: (
        *TREC,
        Column("start", pl.Int64, "an integer offset", unknown=UNPLACED[0]),
        Column("length", pl.Int64, "an integer length", optional=True, unknown=UNPLACED[0]),
    ),
    Format.XPATH_RUN: (*TREC, Column("path"), Column("end", optional=True)),
}


def read_run_lines(source: Source, findings: Findings, *, end_offsets: bool, order: Order | None = None) -> Retrieved | None:
    """The results of a run file of a line format; None for a file without any that are right.

    A run in which a result is a document takes its order from the scores, as trec_eval does; one with places in
    documents from the file, as the INEX evaluator does.

    Args:
        source: The file.
        findings: Where problems go; the rows concerned are left out.
        end_offsets: Whether the eighth column is the offset of the passage's end, in place of its length.
        order: What the order of results is taken from instead.
    """
    rows = read_rows(source, PLACED[source.format], findings)
    if not rows.frame.height:
        return None
    run_id, good = _one_run(rows, findings)
    good &= _bounded(rows, findings)
    taken: Order = "score" if source.format is Format.TREC_RUN else "file"
    if (order or taken) == "score":
        good &= _exact(rows, source, findings)
    if source.format is Format.FOL_RUN:
        rows, fits = _with_passages(rows, findings, end_offsets)
        good &= fits
    elif source.format is Format.XPATH_RUN:
        rows, fits = _with_paths(rows, findings)
        good &= fits
    return Retrieved(replace(rows, frame=rows.frame.drop("run_id")).kept(good), run_id, taken)


def _one_run(rows: Rows, findings: Findings) -> tuple[str, BoolArray]:
    """The run of a file, which its first line names, and which rows are of it."""
    written = rows.frame["run_id"]
    run_id: str = written[0]
    good: BoolArray = written.eq(run_id).to_numpy()
    if good.all():
        return run_id, good
    for row in (~good & written.ne_missing(written.shift(1)).to_numpy()).nonzero()[0].tolist():
        findings.rows.append(rows.problem(row, f"expected one run in a file, {shown(run_id)} as before, found {shown(written[row])}"))
    return run_id, good


def _bounded(rows: Rows, findings: Findings) -> BoolArray:
    """Which rows have a finite score of a size that is taken."""
    scores = rows.frame["score"].to_numpy()
    bounded: BoolArray = np.abs(scores) <= LARGEST_SCORE
    for row in np.flatnonzero(~bounded).tolist():
        expected = BOUNDED_SCORE if np.isfinite(scores[row]) else "a finite score"
        findings.rows.append(rows.problem(row, f"expected {expected}, found {scores[row]}"))
    return bounded


def _exact(rows: Rows, source: Source, findings: Findings) -> BoolArray:
    """Return which rows have a score that is not a whole number too large for a float: different ones would tie."""
    exact = np.ones(rows.frame.height, dtype=np.bool_)
    large = np.flatnonzero(np.abs(rows.frame["score"].to_numpy()) >= FURTHEST)
    if large.size:
        # Few files have scores of this size; what was written is read again as text.
        texts = [replace(column, dtype=pl.String) if column.name == "score" else column for column in PLACED[source.format]]
        again = read_rows(source, texts, Findings())
        written = again.frame["score"].gather(np.searchsorted(again.lines(), rows.lines()[large]))
        for row, text in zip(large.tolist(), written, strict=True):
            if re.fullmatch(WHOLE, text):
                exact[row] = False
                findings.rows.append(rows.problem(row, f"expected {EXACT}, found {shown(text)}"))
    return exact


def _with_passages(rows: Rows, findings: Findings, end_offsets: bool) -> tuple[Rows, BoolArray]:
    """The rows with the start and length of their passages, and which of them are passages."""
    start = rows.frame["start"].to_numpy()
    last = rows.frame["length"].fill_null(0).to_numpy()
    entry = rows.frame["length"].is_null().to_numpy()
    unresolved = (start == UNRESOLVED) & (entry | (last == UNRESOLVED))
    length = np.where(unresolved, UNRESOLVED, np.where(entry | (not end_offsets), last, last - start))
    good = unresolved | ((start >= 0) & (length >= 0) & (np.maximum(start, last) <= FURTHEST))
    for row in np.flatnonzero(~good):
        if not 0 <= start[row] <= FURTHEST:
            message = f"expected an offset from 0 to {FURTHEST}, found {start[row]}"
        elif end_offsets:
            message = f"expected an end offset from {start[row]}, where the passage starts, to {FURTHEST}, found {last[row]}"
        else:
            message = f"expected a length from 0 to {FURTHEST}, found {length[row]}"
        findings.rows.append(rows.problem(int(row), message))
    frame = rows.frame.with_columns(pl.Series("length", length))
    return replace(rows, frame=frame), good


def _with_paths(rows: Rows, findings: Findings) -> tuple[Rows, BoolArray]:
    """The rows with their paths, two for a range of elements, and which of them are paths, or places that are not known."""
    good = np.ones(rows.frame.height, dtype=np.bool_)
    unknown = [rows.frame[column].is_in(UNPLACED) for column in ("path", "end")]
    unresolved = unknown[0] & (rows.frame["end"].is_null() | unknown[1])
    for column in ("path", "end"):
        wrong = (~(rows.frame[column].str.starts_with("/") | unresolved)).fill_null(False).to_numpy()
        for row in np.flatnonzero(wrong):
            message = f"expected a path that starts with /, found {shown(rows.frame[column][int(row)])}"
            findings.rows.append(rows.problem(int(row), message))
        good &= ~wrong
    both = pl.col("end").is_not_null() & (pl.col("end") != pl.col("path"))
    path = pl.when(both).then(pl.concat_str("path", pl.lit(" "), "end")).otherwise("path")
    frame = rows.frame.with_columns(
        pl.when(~unresolved).then(path).alias("path"),
        *(pl.when(unresolved).then(pl.lit(UNRESOLVED, pl.Int64)).alias(name) for name in ("start", "length")),
    ).drop("end")
    return replace(rows, frame=frame), good
