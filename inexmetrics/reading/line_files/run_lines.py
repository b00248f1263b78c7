"""Reads runs with one result on each line: the six columns of TREC runs, and optionally the position of the result in its document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection.layout import Layout
from inexmetrics.collection.runs import Order
from inexmetrics.collection.schemas import FURTHEST, RESULTS
from inexmetrics.collection.structure import UNRESOLVED
from inexmetrics.common.arrays import IntArray
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.files import bare_name, unmarked, without_comments
from inexmetrics.reading.findings import Findings, shown
from inexmetrics.reading.formats import HEADER, UNPLACED, Format
from inexmetrics.reading.line_files.lines import LineFormat, Lines, read_lines, tidy
from inexmetrics.reading.parts import NOTHING, Part
from inexmetrics.reading.recognise import Source
from inexmetrics.reading.result_doubts import rounded_ties
from inexmetrics.reading.result_tables import part_of

__all__ = ["read_run_lines", "read_small_runs"]

TOGETHER: Final = 1 << 16
"""Maximum decompressed size in bytes of a file that may be parsed together with other files."""

EXACT: Final = 16
"""Characters of a number with 15 digits and a point; floats tell all numbers with at most 15 digits apart, unless they are `TINY`."""
TINY: Final = 1e-290
TREC: Final = {"topic_id": pl.String, "Q0": pl.String, "doc_id": pl.String, "rank": pl.Int64, "score": pl.Float64, "run_id": pl.String}
UNUSED: Final = "Q0"
"""The column of TREC runs that is not used."""
OF_TREC: Final = [pl.col(name) if name in TREC else pl.lit(None, dtype).alias(name) for name, dtype in RESULTS.items()]
"""The columns of results, of which TREC runs lack some."""
RANKS: Final = LineFormat({"topic_id": pl.String, "doc_id": pl.String, "rank": pl.Int64}, 3)
SCORED: Final = f"if the column contains scores, {HEADER.format('query_id docno score')}"
"""Advice about a file whose third column does not contain ranks."""
FORMATS: Final = {
    Format.TREC_RUN: LineFormat(TREC, 6, UNUSED),
    Format.FOL_RUN: LineFormat({**TREC, "start": pl.Int64, "length": pl.Int64}, 7, UNUSED),
    Format.XPATH_RUN: LineFormat({**TREC, "path": pl.String, "end": pl.String}, 7, UNUSED),
}


def read_run_lines(source: Source) -> Part:
    """Reads a TREC, FOL or XPath run.

    By default the results of a TREC run are ordered by score, as in trec_eval. The results of FOL and XPath runs keep the order of the
    file, as in the INEX evaluator.
    """
    if source.format is Format.RANKS:
        return _ranks(source)
    findings, format_ = Findings(), FORMATS[source.format]
    read = read_lines(source, format_, findings)
    frame = read.frame
    if frame.schema["score"] == pl.Float64 and not _are_small(frame["score"]):
        # Few scores are so large that a float may round them. If a file contains such a score, the scores are checked as they are written.
        frame = frame.with_columns(read.written["score"])
    taken: Order = "score" if source.format is Format.TREC_RUN else "file"
    if not frame.height:
        return Part(NOTHING, taken, findings)
    run_id: str = frame["run_id"][0]
    numbers, others = read.numbers, frame["run_id"] != run_id
    if others.any():
        for row in (others & frame["run_id"].ne_missing(frame["run_id"].shift(1))).arg_true():  # first lines of other runs
            message = f"expected only run {shown(run_id)} in this file, as on earlier lines, found run {shown(frame['run_id'][row])}"
            findings.rows.append(Problem(message, file=source.name, line=int(numbers[row]), topic_id=frame["topic_id"][row]))
        numbers, frame = numbers[~others.to_numpy()], frame.filter(~others)
    if (source.order or taken) == "score" and frame.schema["score"] == pl.Float64 and _may_round(read):
        written = read.written["score"].filter(~others)
        for row, problem in rounded_ties(frame, written.gather):
            findings.rows.append(replace(problem, file=source.name, line=int(numbers[row]), topic_id=frame["topic_id"][row]))
    if source.format is Format.FOL_RUN:
        frame = _with_passages(frame, end_offsets=source.end_offsets)
    elif source.format is Format.XPATH_RUN:
        frame = _with_paths(frame)
    elif frame.schema["score"] == pl.Float64:
        return Part(_rows(frame, run_id, source.name, numbers), source.order or taken, findings)
    table = Unchecked(frame.drop("run_id"), source.name, numbers)
    return replace(part_of(table, run_id, source.order, findings, taken=taken), whole=(run_id, source.name))


def _ranks(source: Source) -> Part:
    """Reads a run of MS MARCO: topic, document and rank; the run has the name of its file.

    Raises:
        CollectionError: The third column does not contain the ranks of a topic, from 0 or 1 on and each once.
    """
    findings = Findings()
    read = read_lines(source, RANKS, findings)
    name = Path(bare_name(source.path)).stem
    table = Unchecked(read.frame, source.name, read.numbers)
    part = part_of(table, name, source.order, findings, taken="rank")
    topics = part.rows.group_by("topic_id", maintain_order=True).agg(
        first=pl.col("rank").min(), unlike=pl.col("rank").n_unique() == pl.len()
    )
    for topic, first, unlike in topics.filter((pl.col("first") > 1) | ~pl.col("unlike")).head(1).iter_rows():
        found = f"ranks from {first}" if unlike else "a rank twice"
        text = f"expected the ranks of each topic in column 3, from 1 (or 0) and each once, found {found}; {SCORED}"
        raise CollectionError(text, file=source.name, topic_id=topic)
    return replace(part, whole=(name, source.name))


def read_small_runs(sources: Sequence[Source]) -> Part | None:
    """Concatenates small TREC runs and parses them together; returns None if a line is invalid, or if two files contain the same run."""
    texts: list[bytes] = []
    for source in sources:
        try:
            texts.append(unmarked(source.content()))
            if without_comments(texts[-1])[1]:
                return None
        except CollectionError:
            return None
        if len(texts[-1]) > TOGETHER:  # the decompressed size of a small file may be large
            return None
    texts = [text if text.endswith(b"\n") else text + b"\n" for text in texts]
    read = tidy(b"".join(texts), FORMATS[Format.TREC_RUN])
    if read is None or not _are_small((frame := read.frame)["score"]):
        return None
    lengths = np.array([text.count(b"\n") for text in texts])
    firsts = np.cumsum(lengths) - lengths
    if lengths.sum() != frame.height:
        return None
    run_ids = frame["run_id"].gather(firsts)
    of_row = np.repeat(np.arange(len(lengths), dtype=np.uint32), lengths)
    if run_ids.is_duplicated().any() or (frame["run_id"] != run_ids.gather(of_row)).any():
        return None
    order = sources[0].order or "score"
    if order == "score" and _may_round(read) and rounded_ties(frame, read.written["score"].gather):
        return None
    files = pl.Series("file", [source.name for source in sources]).gather(of_row)
    lines = np.arange(1, frame.height + 1) - np.repeat(firsts, lengths)
    layouts = [Layout("runs", tuple(source.name for source in sources), Format.TREC_RUN.called)]
    return Part(_rows(frame, frame["run_id"], files, lines), order, Findings(layouts=layouts))


def _may_round(read: Lines) -> bool:
    """Returns whether scores that are written differently may be equal as floats: only if a score has more than 15 digits or is almost 0."""
    longest = read.written["score"].str.len_bytes().max()
    return bool(isinstance(longest, int) and longest > EXACT) or bool(np.abs(read.frame["score"].to_numpy()).min(initial=1) < TINY)


def _are_small(scores: pl.Series) -> bool:
    """Returns whether all scores are finite, and small enough that a float represents every integer of this magnitude exactly."""
    return bool((np.abs(scores.to_numpy()) < FURTHEST).all())


def _rows(frame: pl.DataFrame, run_id: str | pl.Series, file: str | pl.Series, lines: IntArray) -> pl.DataFrame:
    """Returns the rows of TREC runs with the columns of `Part.rows`."""
    # A name that all rows have is encoded: the rows take a byte each, and are compared much faster than text.
    names = (
        pl.lit(value, pl.Enum([value]) if isinstance(value, str) else None).alias(name)
        for name, value in (("run_id", run_id), ("file", file))
    )
    place = (pl.lit(pl.Series(lines, dtype=pl.Int64)).alias("line"), pl.lit(None, pl.Int64).alias("row"))
    return frame.select(*names, "topic_id", *OF_TREC, *place)


def _with_passages(frame: pl.DataFrame, *, end_offsets: bool) -> pl.DataFrame:
    """Returns the rows of a FOL run with start and length (or end). A missing length becomes 0; each unknown value (``X``) becomes -1."""
    start, length = pl.col("start"), pl.col("length")
    if frame.schema["start"] == pl.String:
        start, length = (column.replace(UNPLACED[0], str(UNRESOLVED)) for column in (start, length))
    unknown, nothing = (pl.lit(value).cast(frame.schema["start"]) for value in (UNRESOLVED, 0))
    entry = pl.when(start == unknown).then(unknown).otherwise(start if end_offsets else nothing)
    return frame.with_columns(start, pl.coalesce(length, entry).alias("end" if end_offsets else "length")).drop(
        "length" if end_offsets else []
    )


def _with_paths(frame: pl.DataFrame) -> pl.DataFrame:
    """Joins the two paths of a range in one column; an unknown path (``X``) becomes null, with a start and a length of -1."""
    unresolved = pl.col("path").is_in(UNPLACED) & (pl.col("end").is_null() | pl.col("end").is_in(UNPLACED))
    both = pl.col("end").is_not_null() & (pl.col("end") != pl.col("path"))
    path = pl.when(both).then(pl.concat_str("path", pl.lit(" "), "end")).otherwise("path")
    unknown = (pl.when(unresolved).then(pl.lit(UNRESOLVED, pl.Int64)).alias(name) for name in ("start", "length"))
    return frame.with_columns(pl.when(~unresolved).then(path).alias("path"), *unknown).drop("end")
