"""Scores by topic from score matrices and long tables, in files or in memory."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
import polars as pl

from inexmetrics.errors import CollectionError, Problem
from inexmetrics.notices import announce
from inexmetrics.reading.files import content, found
from inexmetrics.reading.joining import Shard, joined
from inexmetrics.reading.places import Places
from inexmetrics.reading.sheets import ALIASES, Sheet
from inexmetrics.reading.spreadsheets import spreadsheet
from inexmetrics.reading.tabular import Table, is_frame, tabular
from inexmetrics.score_matrices import Scores, plain_name
from inexmetrics.selection import listed
from inexmetrics.terms import Term

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
    (separated by commas, tabs or semicolons) or Parquet, compressed or not; tables are any frames, rows with named
    values, or an array of topics x runs. Several are joined; each run and topic may have one score under a condition.

    A score left empty for all runs is a topic undefined under the measure. A run that lacks a topic scores 0, which is
    warned of with a count.

    Args:
        source: A path, a folder, a table, or several paths or tables.
        measure: The measure of scores that name none; of those that do, the only one to keep.
        quantisation: Likewise.

    Raises:
        CollectionError: Every wrong cell with its file and line; scores that stand twice; a run without any score under
            a measure.

    Examples:
        >>> scores = scores_from(pl.DataFrame({"topic": [401, 402], "bm25": [0.5, 0.25], "lm": [0.75, 0.0]}), "MAP")
        >>> scores
        Scores(MAP: 2 runs, 2 topics)
        >>> scores.matrix("MAP").tolist()
        [[0.5, 0.25], [0.75, 0.0]]
    """
    if measure is None and quantisation is not None:
        raise CollectionError("expected the measure that goes with the quantisation, found none")
    shards: list[Shard] = []
    problems: list[Problem] = []
    for part, file in _parts(source):
        try:
            shards.append(_shard(part, file))
        except CollectionError as error:
            problems += error.problems
    if problems:
        raise CollectionError(problems)
    scores = joined(shards, None if measure is None else plain_name(str(measure)), None if quantisation is None else str(quantisation))
    announce(scores.notices)
    return scores


def _parts(source: ScoreSource) -> Iterator[tuple[object, str | None]]:
    """The tables, and the paths of files with their names."""
    if isinstance(source, (str, os.PathLike)):
        yield from ((file.path, str(file.path)) for file in found(source))
    elif is_frame(source) or isinstance(source, np.ndarray) or not isinstance(source, Iterable):
        yield source, None
    else:
        parts = source if isinstance(source, Sequence) else list(source)
        if parts and all(isinstance(part, (str, os.PathLike)) for part in parts):
            yield from ((file.path, str(file.path)) for file in found([part for part in parts if isinstance(part, (str, os.PathLike))]))
        elif parts and all(is_frame(part) or isinstance(part, np.ndarray) for part in parts):
            yield from ((part, None) for part in parts)
        else:
            yield parts, None


def _shard(part: object, file: str | None) -> Shard:
    """The scores of one file or table."""
    if isinstance(part, Path):
        raw = content(part)
        if raw[:4] != b"PAR1":
            return _written(raw, str(file))
        frame = pl.read_parquet(io.BytesIO(raw))
    elif isinstance(part, np.ndarray):
        if part.ndim != 2:
            raise CollectionError(f"scores: expected an array of topics x runs, found one of {part.ndim} dimensions")
        frame = pl.DataFrame(part, schema=[str(number) for number in range(1, part.shape[1] + 1)])
    else:
        frame = tabular(part, "scores")
    if _is_long(frame.columns):
        return _long(Sheet(frame, file or "scores"))
    return _matrix(frame.columns, frame.get_columns(), Places(file or "scores"))


def _written(raw: bytes, file: str) -> Shard:
    """The scores of a text file."""
    sheet = spreadsheet(raw, file)
    twice = sorted({name for name in sheet.header if sheet.header.count(name) > 1})
    if twice:
        raise CollectionError(Problem(f"expected each column once, found {listed(twice)} twice", file=file, line=1))
    if _is_long(sheet.header):
        frame = pl.DataFrame([column.alias(name) for name, column in zip(sheet.header, sheet.columns, strict=True)])
        return _long(Sheet(frame, file, sheet.lines))
    return _matrix(sheet.header, sheet.columns, Places(file, sheet.lines))


def _is_long(names: Iterable[str]) -> bool:
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
    sheet.close(strict=True)
    return Shard(frame, sheet.places)


def _matrix(header: Sequence[str], columns: Sequence[pl.Series], places: Places) -> Shard:
    """The scores of a matrix with topics in rows and runs in columns."""
    height = len(columns[0]) if columns else 0
    named = bool(header) and header[0].lower() in TOPIC_HEADINGS
    runs = header[1:] if named else header
    if not runs or not height:
        raise CollectionError(
            f"{places.what}: expected scores of topics (rows) and runs (columns), found {len(runs)} runs and {height} topics"
        )
    ids = Sheet(pl.DataFrame([columns[0].alias("topic_id")]), places.what, places.lines)
    topics = ids.ids("topic_id") if named else pl.Series([str(number) for number in range(1, height + 1)])
    ids.close(strict=True)
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
