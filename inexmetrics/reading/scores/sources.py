"""Finds the tables of scores in files, folders of harnesses and tables in memory, and reads the scores in each."""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import polars as pl

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import enumerate_names, option, plural
from inexmetrics.common.options import Direction
from inexmetrics.reading import formats, json_files, recognise, stated_columns
from inexmetrics.reading import tabular as memory
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.files import Found, bare_name, content, existing, is_json, is_parquet, shown_path, text_of
from inexmetrics.reading.findings import Findings, about
from inexmetrics.reading.line_files.score_outputs import IR_MEASURES, is_result, output_table, program_of, result_table
from inexmetrics.reading.names import headings
from inexmetrics.reading.scores.column_facts import beside_scores, cells_of, floats, says_of_failures
from inexmetrics.reading.scores.columns import row_numbers, texts
from inexmetrics.reading.scores.given import Given, given_of, of_output
from inexmetrics.reading.scores.harnesses import Folder, Score, inspect_scores, lm_eval_scores, mteb_scores
from inexmetrics.reading.scores.joining import Shard
from inexmetrics.reading.scores.stated import LONG, Stated, role_of
from inexmetrics.reading.scores.tables import of_columns
from inexmetrics.reading.table_files import ParquetTable, holds_numbers, scores_below_comments, table_of
from inexmetrics.reading.tabular import AnyTable, Frame, Nested
from inexmetrics.terms.lexicon import like_a_measure, measure_here

__all__ = ["HARNESSES", "ScorePath", "ScoreSource", "parts_of", "shards_of"]

ScorePath: TypeAlias = str | os.PathLike[str]
ScoreSource: TypeAlias = ScorePath | AnyTable | Nested | Mapping[str, AnyTable] | Iterable[ScorePath | AnyTable]
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
    read: list[Given] = []
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
                read.append(replace(given_of(table, stated, "run"), directions=directions))
            elif isinstance(part, Found):
                if (found := _of_file(part, stated, findings)) is not None:
                    table, run, with_roles = found
                    columns = table.frame.columns
                    read.append(with_roles(table, stated, run))
            elif isinstance(part[0], np.ndarray) and part[0].dtype.names is None:
                read.append(given_of(_of_array(part[0], part[1]), replace(stated, topics=False), "run"))
            elif not stated.header:
                raise CollectionError(f"{part[1]}: expected text files for header=False (--no-header), found a table in memory")
            else:
                for table, run, index in tables_in(*part, stated):
                    columns += table.frame.columns
                    read.append(given_of(table, stated, run, index))
        except CollectionError as error:
            failed(error, columns)
    together = tuple(given.table for given in read)
    for given in read:  # all are read first, because the advice on one table depends on the others
        try:
            shards.append(of_columns(replace(given, tables=together), findings))
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
    if not json_files.is_text([*{cell for row in rows for cell in row if isinstance(cell, str)}]):
        raise CollectionError("expected text that UTF-8 can encode, found other text", file=folder.written)
    frame = pl.DataFrame([row for row in rows if chosen(row[0])] or rows, schema=HARNESS_COLUMNS, orient="row")
    of_measures = frame["measure"].unique().to_list()
    directions = {measure_here(name): direction for name, direction in folder.directions.items() if name in of_measures}
    return Unchecked(frame.drop("measure") if frame["measure"].null_count() == frame.height else frame, folder.written), directions


def _of_file(file: Found, stated: Stated, findings: Findings) -> tuple[Unchecked, str, Callable[[Unchecked, Stated, str], Given]] | None:
    """Returns the table of scores in a file, the name of its run, and the function that finds the roles of its columns.

    None is returned if the file was found in a folder and contains no scores.
    """
    raw, name = content(file.path), bare_name(Path(file.path.name))
    stem = Path(name).stem
    if is_parquet(raw):
        return ParquetTable(raw, file.name, paths=stated.read).whole(), stem, given_of
    if not stated.header:
        return _without_header(raw, file.name, stated), stem, given_of
    if is_result(raw):
        return result_table(raw, file.name), stem, given_of
    program = program_of(raw)
    if program is not None and not (program is IR_MEASURES and (stated.topics is not None or stated.runs is not None)):
        run = name.removesuffix(".txt")  # other endings may be parts of the name, as in bm25-0.9
        return output_table(raw, file.name, run, program, findings), run, of_output
    other = formats.no_table(raw)
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
                return table, stem, given_of
    except CollectionError:
        if file.folder is None:
            raise
    if file.folder is not None and (other is not None or not holds_numbers(raw)):
        findings.warnings.append(Problem("skipped: expected scores by topic, found none", file=file.name, severity="warning"))
        return None
    if other is not None:
        expected = "scores by topic (CSV, JSON, Parquet or the output of trec_eval -q, ir_measures -q or INEX's evaluator -q)"
        raise CollectionError(f"expected {expected}, found {other}", file=file.name)
    return scores_below_comments(raw, file.name), stem, given_of


def _without_header(raw: bytes, file: str, stated: Stated) -> Unchecked:
    """Returns the table in a text file without headings: topics in the first column, and other columns named by the caller."""
    text = text_of(raw, file)
    lines = text.split("\n")
    first, separator = next((line for line in lines if line.strip()), ""), recognise.separator_of(text)
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
    top, scores = table.frame.row(0), [] if stated.missing_values is not None else [floats(cells) for cells in table.frame[:, 1:]]
    if scores and all(cell is not None and numbers[0] is None and numbers.count() for cell, numbers in zip(top[1:], scores, strict=True)):
        text = f"expected scores on the first line (header=False, --no-header), found {enumerate_names([str(cell) for cell in top])}"
        raise CollectionError(f"{text}; without this option, the line is read as headings", file=file, line=1)
    return replace(table, lines=None if table.lines is None else [line - 1 for line in table.lines])


def _of_array(array: np.ndarray[tuple[int, ...], np.dtype[np.generic]], what: str) -> Unchecked:
    """Returns the table in an array of topics x runs."""
    if array.ndim != 2:
        raise CollectionError(f"{what}: expected an array of topics x runs, found one of {plural(array.ndim, 'dimension')}")
    return Unchecked(pl.DataFrame(array, schema=row_numbers(array.shape[1]).to_list(), orient="row"), what)


Named: TypeAlias = tuple[Unchecked, str, str | None]
"""A table, the name of its run if no column names runs, and the column that contains the index of a pandas frame, if any."""
ONLY_RUN: Final = "run"
"""Name of the run of a table in memory if no column names runs."""
SHAPES: Final = "lines or an array of records, {run: {topic: score}}, or an object with columns and data"


def json_scores(raw: bytes, file: str, stated: Stated, findings: Findings) -> Unchecked:
    """Returns the table in a JSON file.

    Raises:
        CollectionError: The values are not scores by run and topic, a line is not a record, or a name occurs twice in an object.
    """
    text_of(raw, file)  # rejects values that are not text
    with about(file):
        value = json_files.single_value(raw)
    told = Findings()
    numbered = [] if value is not None else [*json_files.records_of_lines(raw, file, told)]
    if value is None and not numbered:
        raise CollectionError(told.rows[0])  # the other lines probably have the same problem
    record = numbered[0][1] if numbered else value[0] if isinstance(value, list) and value else value
    if isinstance(record, dict) and (foreign := formats.foreign_json(record, stated.paths)):
        raise CollectionError(f"expected scores in JSON ({SHAPES}), found {foreign}", file=file)
    if numbered:
        findings.add(told)
        return _of_records([record for _, record in numbered], stated, file, [line for line, _ in numbered])
    if isinstance(value, dict) and value and not any(isinstance(inner, dict | list) for inner in value.values()):
        value = [value]
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        return _of_records(value, stated, file)
    if isinstance(value, dict) and value and (memory.is_split(value) or all(isinstance(inner, dict) for inner in value.values())):
        return _of_dictionaries(value, file, stated)
    kind = "an object" if isinstance(value, dict) else "an array"
    names = f" with {enumerate_names(list(value))}" if isinstance(value, dict) and value else ""
    raise CollectionError(f"expected scores in JSON ({SHAPES}), found {kind}{names}", file=file)


def _of_dictionaries(value: Mapping[str, Any], what: str, stated: Stated) -> Unchecked:
    """Returns the table in nested dictionaries, or in a dictionary with columns and data."""
    frame = memory.of_split(value, what) if memory.is_split(value) else nested_scores(value, what, stated)
    return Unchecked(frame, what, notes=("read as {run: {topic: score}}",) if frame.columns[:2] == ["run_id", "topic_id"] else ())


def tables_in(source: object, what: str, stated: Stated) -> Iterator[Named]:
    """Yields the tables in a value, each with the name of its run, if no column names runs.

    A value is a frame, rows with named values, a dictionary of columns, ``{run: {topic: score}}``, ``{run: table}``, or a dictionary with
    columns and data, as pandas makes it.

    Raises:
        CollectionError: The value does not contain a table.
    """
    if isinstance(source, Mapping) and source and (memory.is_split(source) or not memory.is_columns(source)):
        memory.check_names("runs", source, what)
        if memory.is_split(source) or all(
            isinstance(inner, Mapping) and not memory.is_columns(inner) and not memory.is_split(inner) for inner in source.values()
        ):
            table = _of_dictionaries(source, what, stated)
            yield table, ONLY_RUN, "" if "" in table.frame.columns else None
        else:
            for name, inner in source.items():
                for found, _, index in tables_in(inner, f"run {name}", stated):
                    yield found, memory.without_blanks(name), index
    else:
        frame, index = _with_index(source, memory.tabular(source, what, stated.read, [*beside_scores(stated)]))
        yield Unchecked(frame, what), ONLY_RUN, index


def _of_records(records: Sequence[Mapping[str, object]], stated: Stated, file: str, lines: Sequence[int] | None = None) -> Unchecked:
    """Returns a table of records; `lines` are the lines of the records in the file, if each is on one line.

    A name with points in an option is a path into nested records, such as ``evaluation.score``. Nested values that no option names are not
    read, and values that a record lacks are missing.
    """
    with about(file):
        rows, read = stated_columns.rows_of_records(records, stated.read, [*beside_scores(stated)])
    names = dict.fromkeys(name for _, row in rows for name in row)
    flat = [name for name in names if says_of_failures(name) or not any(isinstance(row.get(name), dict | list) for _, row in rows)]
    frame = memory.from_columns({name: cells_of(name, [row.get(name) for _, row in rows]) for name in flat})
    numbers = None if lines is None else [lines[place] for place, _ in rows]
    nested = {name: value for record in reversed(records) for name, value in record.items() if isinstance(value, dict | list)}
    return Unchecked(frame, file, numbers, elsewhere=nested, notes=stated_columns.lists_read(read))


def _with_index(source: object, frame: pl.DataFrame) -> tuple[pl.DataFrame, str | None]:
    """Returns a frame with the index of a pandas frame as a column, and the name of this column; an index that counts rows is left."""
    index = getattr(source, "index", None)
    names = list(getattr(index, "names", ()))
    rows = list(index) if len(names) == 1 and isinstance(index, Iterable) else []
    if len(rows) != frame.height or not rows or (names == [None] and rows == list(range(len(rows)))):
        return frame, None
    heading = "" if names[0] is None else str(names[0])
    return frame if heading in frame.columns else frame.insert_column(0, pl.Series(heading, rows, strict=False)), heading


def nested_scores(value: Mapping[str, Mapping[str, object]], what: str, stated: Stated) -> pl.DataFrame:
    """Returns the table in ``{run: {topic: score}}``; a score may be a record with several values.

    If the options name measures, ``{topic: {measure: score}}`` and ``{measure: {topic: score}}`` are tables with topics in rows. If a
    heading states that the dictionaries are the columns or the rows of a table of pandas, the table is returned.

    Raises:
        CollectionError: The names of topics or of runs are those of measures.
    """
    memory.check_names("runs", value, what)
    inner: dict[str, dict[str, object]] = {}
    for run, topics in value.items():
        memory.check_names("topics", topics, what)
        inner[str(run)] = {str(topic): score for topic, score in topics.items()}
    by_column = _transposed(inner)
    for table in (inner, by_column):
        if (found := _of_columns(table)) is not None and (table is inner or _numbered(inner)):
            return found
    for by_measure in (by_column, inner):
        named = [*stated.measures, *(name for name in stated.asked if not stated.measures)]
        if named and by_measure.keys() >= {*named} and "topic_id" not in by_measure:
            return _wide(by_measure, "topic_id")
    _refuse_measures(by_column, inner, what, stated)
    return _of_runs(inner, what)


def _transposed(inner: Mapping[str, Mapping[str, object]]) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    for first, values in inner.items():
        for second, value in values.items():
            found.setdefault(second, {})[first] = value
    return found


def _numbered(names: Iterable[str]) -> bool:
    """Returns whether all names are whole numbers, as those of rows in pandas are."""
    return all(re.fullmatch("[0-9]+", name) for name in names)


def _of_columns(table: Mapping[str, Mapping[str, object]]) -> pl.DataFrame | None:
    """Returns the table whose columns are dictionaries; None if no column contains names.

    A column of names has a heading of topics or runs, or text beside rows that are numbered.
    """
    known = {heading for ours in ("topic_id", "run_id") for heading in headings(ours, "scores")}
    headed = {name for name in table if name.strip().lower() in known}
    kinds = {type(each) for values in table.values() for each in values.values()}
    if len(table) < 2 or not (headed or str in kinds) or any(issubclass(kind, Mapping) for kind in kinds):
        return None
    frame = _wide(table, None)
    words = texts(frame, frame.columns)
    return frame if headed.intersection(words) or (_numbered(next(iter(table.values()))) and (headed or words)) else None


def _wide(table: Mapping[str, Mapping[str, object]], rows: str | None) -> pl.DataFrame:
    """Returns the table with these columns; `rows` is the heading of a column with the names of the rows, or None to leave them out."""
    names = list(dict.fromkeys(row for values in table.values() for row in values))
    first: dict[str, Sequence[object]] = {} if rows is None else {rows: names}
    return memory.from_columns(first | {name: [values.get(row) for row in names] for name, values in table.items()})


def _refuse_measures(
    by_topic: Mapping[str, Mapping[str, object]], by_run: Mapping[str, Mapping[str, object]], what: str, stated: Stated
) -> None:
    """Raises `CollectionError` if most names of topics, or of runs, are names of measures that no option keeps."""
    for nouns, table, shape in (("topics", by_topic, "{topic: {measure: score}}"), ("runs", by_run, "{measure: {topic: score}}")):
        named = [name for name in table if like_a_measure(name)]
        ignored = stated.matched([*table]).ignored
        doubted = [name for name in named if name not in stated.kept | ignored]
        if doubted and 2 * len(named) >= len(table) and (len(named) > 1 or len(table) == 1):
            numbers = [name for name in table if name not in ignored]
            ways = f"{option(measures=numbers)} reads {shape}, the scores of one run, {option(keep=doubted)} reads them as {nouns}"
            which = "is the name of a measure" if len(doubted) == 1 else "are names of measures"
            found = f"found {enumerate_names(doubted)}, which {which}"
            raise CollectionError(f"expected names of {nouns} in {{run: {{topic: score}}}}, {found}; {ways}", file=what)


def _of_runs(inner: Mapping[str, Mapping[str, object]], what: str) -> pl.DataFrame:
    """Returns the long table of scores by run and topic."""
    rows = [(run, topic, score) for run, topics in inner.items() for topic, score in topics.items()]
    columns: dict[str, Sequence[object]] = {"run_id": [run for run, _, _ in rows], "topic_id": [topic for _, topic, _ in rows]}
    records = [score for _, _, score in rows if isinstance(score, Mapping)]
    if rows and len(records) == len(rows):
        names = dict.fromkeys(name for record in records for name in record)
        memory.check_names("measures", names, what)
        columns |= {str(name): [record.get(name) for record in records] for name in names}
    else:
        columns["score"] = [score for _, _, score in rows]
    return memory.from_columns(columns)
