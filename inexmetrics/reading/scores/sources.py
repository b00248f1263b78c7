"""Finds the tables of scores in files, folders of harnesses and tables in memory, and reads the scores in each."""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import polars as pl

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import enumerate_names, plural
from inexmetrics.common.options import Direction
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.files import Found, bare_name, content, existing, is_json, is_parquet, shown_path, text_of
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.formats import no_table
from inexmetrics.reading.json_files import is_text
from inexmetrics.reading.line_files.score_outputs import IR_MEASURES, is_result, output_table, program_of, result_table
from inexmetrics.reading.parquet import ParquetTable
from inexmetrics.reading.recognise import separator_of
from inexmetrics.reading.scores.given import Given, given_of, of_output
from inexmetrics.reading.scores.harnesses import Folder, Score, inspect_scores, lm_eval_scores, mteb_scores
from inexmetrics.reading.scores.joining import Shard
from inexmetrics.reading.scores.stated import LONG, Stated, role_of
from inexmetrics.reading.scores.tables import of_columns
from inexmetrics.reading.scores.values import json_scores, tables_in
from inexmetrics.reading.table_files import holds_numbers, table_of
from inexmetrics.reading.tabular import Frame, Nested, Table
from inexmetrics.terms.lexicon import measure_here

__all__ = ["HARNESSES", "ScorePath", "ScoreSource", "parts_of", "shards_of"]

ScorePath: TypeAlias = str | os.PathLike[str]
ScoreSource: TypeAlias = ScorePath | Table | Nested | Mapping[str, Table] | Iterable[ScorePath | Table]
"""Scores by topic, given as a path, a table, nested dictionaries, or several paths or tables."""

HARNESSES: Final[Mapping[str, Callable[[Folder], Sequence[Score]]]] = {
    "mteb": mteb_scores,
    "lm-eval": lm_eval_scores,
    "inspect": inspect_scores,
}
"""Functions that read the folders of evaluation harnesses; each key is the prefix of a path to such a folder."""
BEGINNING: Final = 4096
"""Number of bytes of a JSON file in which the names of a harness occur."""
HARNESS_NAMES: Final = (
    ("mteb", {b"scores", b"hf_subset", b"main_score"}),
    ("lm-eval", {b"doc_id", b"doc", b"target"}),
    ("lm-eval", {b"results", b"alias"}),
    ("inspect", {b"version", b"status", b"eval"}),
)
"""Names at the beginning of JSON files by which the files of a harness are recognised."""
HARNESS_COLUMNS: Final = {**dict.fromkeys(("run_id", "topic_id", "task", "measure"), pl.String()), "score": pl.Float64()}


def parts_of(source: ScoreSource, findings: Findings) -> list[Found | str | tuple[object, str]]:
    """Splits a source into parts. A part is a file, a folder of a harness (``mteb:DIR``), or a pair of a table and its name in messages."""
    if isinstance(source, Frame | np.ndarray | Mapping) or not isinstance(source, (Iterable, os.PathLike)):
        return [(source, "scores")]
    parts = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    paths = [part for part in parts if isinstance(part, (str, os.PathLike))]
    if not parts:
        findings.files.append(Problem("expected at least one path or table, found none"))
    elif len(paths) == len(parts):
        folders = [written for written in map(os.fsdecode, paths) if _of_folder(written)]
        files = [path for path in paths if os.fsdecode(path) not in folders]
        return [*folders, *(existing(files, findings) if files else ())]
    elif all(isinstance(part, Frame | np.ndarray) for part in parts):
        return [(part, f"scores {number}") for number, part in enumerate(parts, start=1)]
    return [(parts, "scores")] if parts else []


def _of_folder(path: str) -> bool:
    """Returns whether a path has the prefix of a harness, such as ``mteb:results``."""
    prefix, colon, folder = path.partition(":")
    return bool(colon and folder) and prefix in HARNESSES


def shards_of(
    parts: Sequence[Found | str | tuple[object, str]], stated: Stated, findings: Findings, chosen: Callable[[str], bool]
) -> tuple[list[Shard], list[str]]:
    """Reads the scores in each file, folder or table; returns the scores, and the column names of the tables that have errors."""
    read: list[tuple[Given, bool, Mapping[str, Direction]]] = []
    shards: list[Shard] = []
    lacking: list[str] = []

    def failed(error: CollectionError, columns: Sequence[str]) -> None:
        findings.files += [problem for problem in error.problems if problem not in findings.files]
        lacking.extend(columns)

    for part in parts:
        columns: list[str] = []
        try:
            if isinstance(part, str):
                table, directions = _of_harness(part, findings, chosen)
                read.append((given_of(table, stated, "run"), False, directions))
            elif isinstance(part, Found):
                if (found := _of_file(part, stated, findings)) is not None:
                    table, run, printed = found
                    columns = [*table.frame.columns]
                    read.append((of_output(table, stated, run) if printed else given_of(table, stated, run), printed, {}))
            elif isinstance(part[0], np.ndarray) and part[0].dtype.names is None:
                read.append((given_of(_of_array(part[0], part[1]), replace(stated, topics=False), "run"), False, {}))
            else:
                if not stated.header:
                    raise CollectionError(f"{part[1]}: expected text files for header=False (--no-header), found a table in memory")
                for table, run, index in tables_in(*part, stated):
                    columns += table.frame.columns
                    read.append((given_of(table, stated, run, index), False, {}))
        except CollectionError as error:
            failed(error, columns)
    together = tuple(given.table for given, _, _ in read)
    for given, printed, directions in read:  # all are read first, because the advice on one table depends on the others
        try:
            shard = of_columns(replace(given, tables=together), findings, printed=printed)
            shards.append(replace(shard, directions=directions) if directions else shard)
        except CollectionError as error:
            failed(error, given.header)
    return shards, lacking


def _of_harness(written: str, findings: Findings, chosen: Callable[[str], bool]) -> tuple[Unchecked, Mapping[str, Direction]]:
    """Returns the scores in a folder of a harness as a table with one score in each row, and the directions of measures that it states.

    The columns are run_id, topic_id, task, measure and score.

    Raises:
        CollectionError: The folder does not contain scores, or a package that reads the files is not installed.
    """
    harness, _, path = written.partition(":")
    folder = Folder(Path(path), f"{harness}:{shown_path(Path(path))}", findings, chosen)
    before = len(findings.files)
    skipped = len(findings.warnings)
    rows = HARNESSES[harness](folder)
    if len(findings.files) > before:
        raise CollectionError([findings.files.pop() for _ in range(len(findings.files) - before)])
    if not rows:
        reasons = findings.warnings[skipped:]
        text = f"expected results of {harness}, found none"
        if reasons:
            text += f"; {plural(len(reasons), 'warning')}, such as: {reasons[0]}"
        raise CollectionError(text, file=folder.written)
    if not is_text([*{cell for row in rows for cell in row if isinstance(cell, str)}]):
        raise CollectionError("expected text that UTF-8 can encode, found other text", file=folder.written)
    frame = pl.DataFrame([row for row in rows if chosen(row[0])] or rows, schema=HARNESS_COLUMNS, orient="row")
    of_measures = frame["measure"].unique().to_list()
    directions = {measure_here(name): direction for name, direction in folder.directions.items() if name in of_measures}
    return Unchecked(frame.drop("measure") if frame["measure"].null_count() == frame.height else frame, folder.written), directions


def _of_file(file: Found, stated: Stated, findings: Findings) -> tuple[Unchecked, str, bool] | None:
    """Returns the table of scores in a file, the name of its run, and whether the table is the output of an evaluation tool.

    None is returned if the file was found in a folder and contains no scores.
    """
    raw, name = content(file.path), bare_name(Path(file.path.name))
    stem = Path(name).stem
    if is_parquet(raw):
        return Unchecked(ParquetTable(raw, file.name, paths=stated.read).read(), file.name), stem, False
    if not stated.header:
        return _without_header(raw, file.name, stated), stem, False
    if is_result(raw):
        return result_table(raw, file.name), stem, False
    program = program_of(raw)
    if program is not None and not (program is IR_MEASURES and (stated.topics is not None or stated.runs is not None)):
        return output_table(raw, file.name, name, program), name, True
    other = no_table(raw)
    if is_json(raw) and stated.topics is None and not stated.columns:
        names = {*re.findall(rb'"(\w+)"\s*:', raw[:BEGINNING])}
        if harness := next((prefix for prefix, known in HARNESS_NAMES if known <= names), None):
            where = shown_path(file.folder or file.path)
            text = f"expected scores by topic, found results of a harness; {harness}:{where} (--scores {harness}:{where}) reads them"
            raise CollectionError(text, file=where)
    try:
        if is_json(raw):
            table = json_scores(raw, file.name, stated, findings)
            named = stated.columns or stated.measures or stated.asked
            if file.folder is None or named or all(role_of(ours, table.frame.columns, file.name) is not None for ours in LONG):
                return table, stem, False
    except CollectionError:
        if file.folder is None:
            raise
    if file.folder is not None and (other is not None or not holds_numbers(raw)):
        findings.warnings.append(Problem("skipped: expected scores by topic, found none", file=file.name, severity="warning"))
        return None
    if other is not None:
        expected = "scores by topic (CSV, JSON, Parquet or the output of trec_eval -q, ir_measures -q or INEX's evaluator -q)"
        raise CollectionError(f"expected {expected}, found {other}", file=file.name)
    return table_of(raw, file.name), stem, False


def _without_header(raw: bytes, file: str, stated: Stated) -> Unchecked:
    """Returns the table in a text file without headings: topics in the first column, and other columns named by the caller."""
    text = text_of(raw, file)
    lines = text.split("\n")
    first, separator = next((line for line in lines if line.strip()), ""), separator_of(text)
    if not first.count(separator):  # columns are separated by blanks
        raw = "\n".join("\t".join(line.split()) for line in lines).encode()
        first, separator = "\t".join(first.split()), "\t"
    width = len(next(csv.reader([first], delimiter=separator), []))
    if beyond := [number for number in stated.columns if int(number) > width]:
        raise CollectionError(f"columns: expected numbers of the {plural(width, 'column')}, found {enumerate_names(beyond)}", file=file)
    names = [stated.columns.get(str(number), "topic_id" if number == 1 else f"column_{number}") for number in range(1, width + 1)]
    heading = io.StringIO(newline="")
    csv.writer(heading, delimiter=separator, lineterminator="\n").writerow(names)
    table = table_of(heading.getvalue().encode() + raw.removeprefix(codecs.BOM_UTF8), file)
    return replace(table, lines=None if table.lines is None else [line - 1 for line in table.lines])


def _of_array(array: np.ndarray[tuple[int, ...], np.dtype[np.generic]], what: str) -> Unchecked:
    """Returns the table in an array of topics x runs."""
    if array.ndim != 2:
        raise CollectionError(f"{what}: expected an array of topics x runs, found one of {plural(array.ndim, 'dimension')}")
    runs = [str(number) for number in range(1, array.shape[1] + 1)]
    return Unchecked(pl.DataFrame(array, schema=runs, orient="row"), what)
