"""Scores by topic from score matrices and long tables, in files or in memory."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import polars as pl

from inexmetrics.foundation.errors import CollectionError, Problem
from inexmetrics.foundation.forking import refuse_fork
from inexmetrics.foundation.names import counted, listed
from inexmetrics.foundation.notices import announce
from inexmetrics.language.terms import Term
from inexmetrics.reading.files import Found, content, existing
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.in_memory.joining import Shard, joined
from inexmetrics.reading.in_memory.sheets import ALIASES, Sheet
from inexmetrics.reading.in_memory.spreadsheets import holds_numbers, spreadsheet
from inexmetrics.reading.in_memory.tabular import Table, is_frame, tabular
from inexmetrics.reading.places import Places
from inexmetrics.score_matrices import Scores, plain_name

__all__ = ["ScoreSource", "scores_from"]

ScorePath: TypeAlias = str | os.PathLike[str]
ScoreSource: TypeAlias = ScorePath | Table | Iterable[ScorePath | Table]
"""Scores by topic: a path, a table, or several of either."""

TOPIC_HEADINGS = ("topic", "topic_id", "query_id", "qid", "")
LONG = ("run_id", "topic_id", "score")
"""Columns by which a long table is known from a matrix."""


def scores_from(source: ScoreSource, measure: Term | str | None = None, quantisation: Term | str | None = None) -> Scores:
    """Scores by topic, which `run` takes in place of a collection.

    A matrix has topics in rows and runs in columns; its first column holds topic ids where it is headed topic,
    topic_id, query_id, qid or nothing, otherwise the topics are 1, 2, .. n. A long table has the columns run_id,
    topic_id, score and perhaps measure and quantisation, as the table `per_topic` of an experiment. Files are CSV
    (separated by commas, tabs or semicolons) or Parquet, compressed or not; of a folder, files without scores are
    skipped, and named in a warning. Tables are any frames, rows with named
    values, or an array of topics x runs. Several are joined; each run and topic may have one score under a condition.

    A score left empty for all runs is a topic undefined under the measure. A run that lacks a topic scores 0, which is
    warned of with a count.

    Args:
        source: A path, a folder, a table, or several paths or tables.
        measure: The measure of scores that name none; of those that do, the only one to keep. A text may name its
            quantisation with it, ``"MAep ~ Gen5"``.
        quantisation: Likewise.

    Raises:
        CollectionError: Every wrong cell with its file and line; scores that stand twice; a run without any score under
            a measure.

    Examples:
        >>> import polars as pl
        >>> scores = scores_from(pl.DataFrame({"topic": [401, 402], "bm25": [0.5, 0.25], "lm": [0.75, 0.0]}), "MAP")
        >>> scores
        Scores(MAP: 2 runs, 2 topics)
        >>> scores.matrix("MAP").tolist()
        [[0.5, 0.25], [0.75, 0.0]]
    """
    refuse_fork("scores_from")
    if measure is None and quantisation is not None:
        raise CollectionError("expected the measure that goes with the quantisation, found none")
    findings = Findings()
    shards: list[Shard] = []
    for part in _parts(source, findings):
        try:
            shard = _of_file(part, findings) if isinstance(part, Found) else _of_table(*part)
        except CollectionError as error:
            findings.files += error.problems
        else:
            shards += [shard] if shard is not None else []
    if not shards and not findings.files:
        there = listed([str(problem.file) for problem in findings.notices])
        findings.files.append(Problem(f"expected scores by topic, found {f'only {there}' if there else 'no file'}"))
    skipped = tuple(map(str, findings.settled(strict=True)))
    if isinstance(measure, str) and quantisation is None:
        measure, _, quantisation = measure.partition(" ~ ")
    scores = joined(shards, None if measure is None else plain_name(str(measure)), str(quantisation) if quantisation else None)
    scores = replace(scores, notices=(*skipped, *scores.notices))
    announce(scores.notices)
    return scores


def _parts(source: ScoreSource, findings: Findings) -> list[Found | tuple[object, str]]:
    """The files, and the tables with what they are called."""
    if isinstance(source, (str, os.PathLike)):
        return list(existing(source, findings))
    if is_frame(source) or isinstance(source, np.ndarray) or not isinstance(source, Iterable):
        return [(source, "scores")]
    parts = list(source)
    paths = [part for part in parts if isinstance(part, (str, os.PathLike))]
    if not parts:
        findings.files.append(Problem("expected at least one path or table, found none"))
    elif len(paths) == len(parts):
        return list(existing(paths, findings))
    elif all(is_frame(part) or isinstance(part, np.ndarray) for part in parts):
        return [(part, f"scores {number}") for number, part in enumerate(parts, start=1)]
    return [(parts, "scores")] if parts else []


def _of_file(file: Found, findings: Findings) -> Shard | None:
    """The scores of a file; None for a file of a folder that holds none."""
    raw = content(file.path)
    if raw.startswith(b"PAR1"):
        try:
            return _of_table(pl.read_parquet(io.BytesIO(raw)), file.name)
        except pl.exceptions.PolarsError as error:
            raise CollectionError(Problem(f"expected a readable Parquet file, found: {error}", file=file.name)) from error
    if file.folder is not None and not holds_numbers(raw):
        findings.notices.append(Problem("skipped, expected scores by topic, found none", file=file.name, severity="warning"))
        return None
    sheet = spreadsheet(raw, file.name)
    twice = sorted({name for name in sheet.header if sheet.header.count(name) > 1})
    if twice:
        raise CollectionError(Problem(f"expected each column once, found {listed(twice)} twice", file=file.name, line=1))
    if _is_long(sheet.header):
        frame = pl.DataFrame([column.alias(name) for name, column in zip(sheet.header, sheet.columns, strict=True)])
        return _long(Sheet(frame, file.name, sheet.lines))
    return _matrix(sheet.header, sheet.columns, Places(file.name, sheet.lines))


def _of_table(table: object, what: str) -> Shard:
    """The scores of a table in memory."""
    if isinstance(table, np.ndarray):
        if table.ndim != 2:
            raise CollectionError(f"{what}: expected an array of topics x runs, found one of {counted(table.ndim, 'dimension')}")
        frame = pl.DataFrame(table, schema=[str(number) for number in range(1, table.shape[1] + 1)], orient="row")
    else:
        frame = tabular(table, what)
    return _long(Sheet(frame, what)) if _is_long(frame.columns) else _matrix(frame.columns, frame.get_columns(), Places(what))


def _is_long(names: Iterable[str]) -> bool:
    """Whether a table of these columns is a long one."""
    there = set(names)
    return all(there.intersection((name, *ALIASES[name])) for name in LONG)


def _long(sheet: Sheet) -> Shard:
    """The scores of a long table."""
    columns = {
        "run_id": sheet.ids("run_id"),
        "topic_id": sheet.ids("topic_id"),
        "measure": sheet.texts("measure"),
        "quantisation": sheet.texts("quantisation"),
        "score": sheet.numbers("score", missing=True),
    }
    frame = sheet.rows(columns)
    sheet.check()
    return Shard(frame, sheet.places)


def _matrix(header: Sequence[str], columns: Sequence[pl.Series], places: Places) -> Shard:
    """The scores of a matrix with topics in rows and runs in columns."""
    height = len(columns[0]) if columns else 0
    named = bool(header) and header[0].lower() in TOPIC_HEADINGS
    runs = header[1:] if named else header
    if not runs or not height:
        there = f"{counted(len(runs), 'run')} and {counted(height, 'topic')}"
        raise CollectionError(f"{places.what}: expected scores of topics (rows) and runs (columns), found {there}")
    if places.lines is not None and _are_scores(runs):
        raise CollectionError(Problem("expected a header with the names of runs, found numbers", file=places.what, line=1))
    ids = Sheet(pl.DataFrame([columns[0].alias("topic_id")]), places.what, places.lines)
    topics = ids.ids("topic_id") if named else pl.Series([str(number) for number in range(1, height + 1)])
    ids.check()
    problems: list[Problem] = []
    parts: list[pl.DataFrame] = []
    for run, column in zip(runs, columns[named:], strict=True):
        cells = Sheet(pl.DataFrame([column.alias("score")]), places.what, places.lines, f"run {run}")
        scores = cells.numbers("score", missing=True)
        problems += cells.found
        parts.append(pl.DataFrame({"topic_id": topics, "score": scores}).with_row_index("row").with_columns(pl.lit(run).alias("run_id")))
    if problems:
        raise CollectionError(sorted(problems, key=lambda problem: problem.line or 0))
    untold = (pl.lit(None, dtype=pl.String).alias(name) for name in ("measure", "quantisation"))
    return Shard(pl.concat(parts).with_columns(untold), places, counted=None if named else height)


def _are_scores(names: Sequence[str]) -> bool:
    """Whether what should be names are numbers, not all of them integers: scores, in a file without a header."""
    numbers = pl.Series(names).cast(pl.Float64, strict=False)
    return numbers.null_count() == 0 and bool((numbers != numbers.round()).any())
