"""Reads tables in JSON files: lines, arrays of records, nested dictionaries, and the forms that pandas writes."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import chain, islice
from threading import Lock
from typing import Final, TypeAlias

import polars as pl

from inexmetrics.collection.layout import Role
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import option
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.files import first_line, lines_of
from inexmetrics.reading.findings import Findings, shown
from inexmetrics.reading.names import HEADINGS, headings, names_runs, understood
from inexmetrics.reading.scores.column_facts import cells_of, says_of_failures
from inexmetrics.reading.stated_columns import OF_JUDGEMENTS, OF_RESULTS, lists_read, rows_of_records, values_below
from inexmetrics.reading.tabular import from_columns, has_pairs, is_columns, is_indexed, is_split, of_split, refuse_lists, tabular, unnested

__all__ = ["is_text", "json_names", "json_table", "records_of_lines", "single_value"]

NESTED: Final = ("topic_id", "doc_id")
"""Columns of nested dictionaries ``{topic: {document: value}}``."""
BY_RUN: Final = ("run_id", *NESTED)
"""Columns of nested dictionaries ``{run: {topic: {document: score}}}``."""

Row: TypeAlias = dict[str, object]
Number: TypeAlias = Callable[[str], object]


def json_names(raw: bytes, columns: Sequence[str] = ()) -> list[str]:
    r"""Returns the names of the columns of the table in a JSON file; empty if the file does not contain a table.

    Args:
        raw: The content of the file.
        columns: Names that the caller stated, which may be paths into nested records.

    Examples:
        >>> json_names(b'[{"qid": "1",\n "meta": {"score": 0.5}}]', ["meta.score"])
        ['qid', 'meta', 'meta.score']
        >>> json_names(b'{"q1": {"d1": 1}}')
        ['topic_id', 'doc_id']
    """
    value = _first_value(raw)
    if (named := columns_in(value)) is not None:
        return named
    record = value[0] if isinstance(value, list) and value else value
    if not isinstance(record, dict):
        return []
    rows, _ = rows_of_records([record], columns, check=False)
    return list({**record, **dict.fromkeys(name for _, row in rows for name in row)})


def _first_value(raw: bytes) -> object:
    """Returns the value in a JSON file, or in its first line; None if there is none."""
    try:
        value = single_value(raw, check=False)
        return json.loads(first_line(raw).decode()) if value is None else value
    except (ValueError, RecursionError):
        return None


def columns_in(value: object) -> list[str] | None:
    """Returns the columns of a JSON value that is a table without records; None for other values."""
    if not isinstance(value, dict) or not value:
        return None
    if value.keys() >= {"columns", "data"} and isinstance(value["columns"], list) and isinstance(value["data"], list):
        return [str(name) for name in value["columns"]]
    kinds = {*map(type, value.values())}
    if is_indexed(value) or (kinds <= {dict, list} and has_pairs(value)):
        return list(value if has_pairs(value) else next(iter(value.values())))
    if kinds == {dict}:
        deeper = {type(inner) for values in value.values() for inner in values.values()}
        return list(BY_RUN if deeper == {dict} else NESTED)
    return None


def single_value(raw: bytes, *, check: bool = True, parse: Number | None = None) -> object:
    """Returns the value of a file that contains a single JSON value; None for one JSON object per line, and for other text.

    Args:
        raw: The content of the file.
        check: Whether names must be distinct.
        parse: The function that reads numbers; None for floats and integers.

    Raises:
        CollectionError: An object contains a name twice, and `check` is True.
    """
    text = raw.removeprefix(codecs.BOM_UTF8).strip()  # decoded as UTF-8, because the module json also accepts other encodings
    first, _, rest = text.partition(b"\n")
    if rest and first.startswith(b"{"):
        with suppress(ValueError, RecursionError):
            json.loads(first.decode())
            return None
    try:
        return json.loads(text.decode(), object_pairs_hook=distinct if check else None, parse_float=parse, parse_int=parse)
    except CollectionError:
        raise
    except (ValueError, RecursionError):
        return None


def distinct(pairs: list[tuple[str, object]]) -> Row:
    """Returns a JSON object as a dictionary; raises `CollectionError` for repeated names."""
    row: Row = {}
    for name, value in pairs:
        if name in row:
            raise CollectionError(f"expected distinct names in a JSON object, found {shown(name)} twice")
        row[name] = value
    return row


KNOWN: Final = frozenset(chain.from_iterable(map(headings, HEADINGS)))
"""The names and alternative names of all known columns."""
READ: Final[Mapping[Role, Collection[str]]] = {"assessments": OF_JUDGEMENTS, "runs": OF_RESULTS}
"""The known columns that are read from the files of an option."""
LONGEST_LABEL: Final = 60
"""Maximum number of characters of a value that may distinguish runs."""


def json_table(raw: bytes, file: str, findings: Findings, stated: Mapping[str, str], role: Role) -> Unchecked | None:
    """Returns the table in a JSON file, or None if no record is valid; values that a record does not contain are missing.

    The file contains one object per line, an array of objects, nested dictionaries ``{topic: {document: value}}`` or
    ``{run: {topic: {document: score}}}``, or a table that pandas wrote by columns or as ``{"columns": …, "data": …}``.

    Args:
        raw: The content of the file, as bytes.
        file: The name of the file.
        findings: The object to which the problems of invalid records are added; invalid records are excluded.
        stated: Columns, or paths into nested records, that are read in addition to the known columns, each with its name in this package.
        role: The option that names the file; the values of nested dictionaries are grades or scores.

    Raises:
        CollectionError: Nested dictionaries contain other values, rows of a table have different lengths, or a path drops items of a list.
    """
    try:
        table = _read(raw, file, findings, stated, role)
    except CollectionError as error:
        raise CollectionError(replace(problem, file=problem.file or file) for problem in error.problems) from None
    if table is None or role == "assessments" or "score" not in table.own:
        return table

    @cache
    def texts() -> pl.Series:
        again = _read(raw, file, Findings(), stated, role, parse=str)
        return table.frame[table.own["score"]] if again is None else again.frame[table.own["score"]].cast(pl.String)

    reading = Lock()  # threads that compare the parts of a large table wait for the first, which reads the texts of all rows

    def written() -> pl.Series:
        with reading:
            return texts()

    return replace(table, written=written)


def _read(
    raw: bytes, file: str, findings: Findings, stated: Mapping[str, str], role: Role, *, parse: Number | None = None
) -> Unchecked | None:
    try:
        value = single_value(raw, parse=parse)
    except CollectionError:
        if b"\n" in raw.strip():
            raise
        value = None  # the reader of lines reports the line
    led = {path.partition(".")[0] for path in stated} - stated.keys()  # records in which the caller names values
    named = columns_in(value)
    if isinstance(value, dict) and named is not None:
        return _table(value, named, file, role)
    if isinstance(value, dict):
        refuse_lists(value, "table", led | stated.keys())
    if isinstance(value, dict) and b"\n" in raw.strip():
        value = [value]
    records = [*(_items(value, file, findings) if isinstance(value, list) else records_of_lines(raw, file, findings, parse))]
    rows, lists = rows_of_records([record for _, record in records], stated.keys())
    others = {**(dict.fromkeys(filter(names_runs, records[0][1]), "run_id") if role == "runs" and records else {}), **stated}
    wanted = {*READ[role]}.difference(others.values())  # one column is read for each known one, and all that the caller names
    labels = _labels(records[0][1]) if records else set()
    failing = {name for _, row in rows for name in row if says_of_failures(name)}
    read = {name for _, row in rows for name in row if name.strip().lower() in KNOWN or name in others or name in labels}
    kept: list[tuple[int, Row]] = []
    for place, row in rows:
        number = records[place][0]
        nested = [name for name in read & row.keys() - failing if isinstance(row[name], dict | list)]
        meant = {theirs: ours for ours, theirs in understood(row, role).items() if ours in wanted} | others if nested else {}
        if wrong := [name for name in row if name in nested and name in meant and name not in led]:
            within = {path: meant[name] for name in wrong for path, _ in islice(values_below(name, row[name]), 1)}
            way = f"; {option(columns=within)} reads values within" if within else ""
            text = f"{wrong[0]}: expected a string or a number, found {shown(json.dumps(row[wrong[0]]))}{way}"
            row_number = f"row {number}: " if isinstance(value, list) else ""
            findings.rows.append(Problem(row_number + text, file=file, line=None if row_number else number))
        else:
            kept.append((number, row))
    if not kept:
        return None
    read |= failing if role == "assessments" else set()
    flat = {name for _, row in kept for name in read & row.keys() if name in failing or not isinstance(row[name], dict | list)}
    columns = {name: cells_of(name, [row.get(name) for _, row in kept]) for name in sorted(flat)}
    # Unknown keys are named only from the first object, because each object may have different keys.
    passed_over = {name: each for name, each in kept[0][1].items() if name not in flat}
    lines = None if isinstance(value, list) else [number for number, _ in kept]
    return Unchecked(from_columns(columns), file, lines, elsewhere=passed_over, role=role, notes=lists_read(lists))


def _labels(record: Row) -> set[str]:
    """Returns the columns that may distinguish runs or assessors: short values of a record that does not name its run."""
    if "run_id" in understood(record):
        return set()
    short = {name for name, value in record.items() if isinstance(value, int) or (isinstance(value, str) and len(value) <= LONGEST_LABEL)}
    return short - {*understood(record).values()}


def is_text(value: object) -> bool:
    r"""Returns whether all names and texts in a JSON value can be written as UTF-8; text such as ``"\ud800"`` cannot.

    Examples:
        >>> is_text({"a": ["b"]}), is_text(["\ud800"])
        (True, False)
    """
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        return False
    return True


def _items(value: Sequence[object], file: str, findings: Findings) -> Iterator[tuple[int, Row]]:
    """Yields the objects in an array, each with its number; other values are added to the findings."""
    for number, record in enumerate(value):
        if isinstance(record, dict):
            yield number, record
        else:
            findings.rows.append(Problem(f"row {number}: expected a JSON object, found {shown(json.dumps(record))}", file=file))


def records_of_lines(raw: bytes, file: str, findings: Findings, parse: Number | None = None) -> Iterator[tuple[int, Row]]:
    """Yields the object on each line with its line number; other lines are added to the findings."""
    for number, line in enumerate(lines_of(raw, file, findings), start=1):
        if line.strip():
            try:
                found = json.loads(line, object_pairs_hook=distinct, parse_float=parse, parse_int=parse)
            except CollectionError as error:
                findings.rows.extend(replace(problem, file=file, line=number) for problem in error.problems)
                continue
            except RecursionError:
                found = "brackets that are nested too deeply"
            except ValueError as error:
                found = "a number of more than 4300 digits" if "integer string conversion" in str(error) else shown(line)
            else:
                found = found if isinstance(found, dict) else shown(line)
            if isinstance(found, dict):
                yield number, found
            else:
                findings.rows.append(Problem(f"expected a JSON object, found {found}", file=file, line=number))


def _table(value: Mapping[str, object], named: Sequence[str], file: str, role: Role) -> Unchecked:
    """Returns the table in nested dictionaries, or in the forms that pandas writes."""
    if is_columns(value):
        return Unchecked(of_split(value, file) if is_split(value) else tabular(value, "table"), file, role=role)
    content = "grade" if role == "assessments" else "score"
    if [*named] == [*NESTED]:
        return Unchecked(unnested(value, content, "table"), file, role=role)
    runs = {run: unnested(topics, content, f"run {run}") for run, topics in value.items() if isinstance(topics, dict)}
    parts = [frame.with_columns(pl.lit(run).alias("run_id")) for run, frame in runs.items()]
    return Unchecked(pl.concat(parts, how="vertical_relaxed"), file, role=role)
