"""Reads tables in JSON files: lines, arrays of records, nested dictionaries, and the forms that pandas writes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain
from typing import Final

import polars as pl

from inexmetrics.collection.layout import Role
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.findings import Findings, shown
from inexmetrics.reading.in_memory.tabular import from_columns, is_columns, is_split, of_split, tabular, unnested
from inexmetrics.reading.json_values import NESTED, Row, columns_in, distinct, single_value
from inexmetrics.reading.line_files.lines import lines_of
from inexmetrics.reading.names import HEADINGS, headings, names_runs, understood
from inexmetrics.reading.stated_columns import rows_of_records

__all__ = ["json_table"]

KNOWN: Final = frozenset(chain.from_iterable(map(headings, HEADINGS)))
"""The names and alternative names of all known columns."""


def json_table(raw: bytes, file: str, findings: Findings, stated: Set[str] = frozenset(), role: Role | None = None) -> Unchecked | None:
    """Returns the table in a JSON file, or None if no record is valid; values that a record does not contain are missing.

    The file contains one object per line, an array of objects, nested dictionaries ``{topic: {document: value}}`` or
    ``{run: {topic: {document: score}}}``, or a table that pandas wrote by columns or as ``{"columns": …, "data": …}``.

    Args:
        raw: The content of the file, as bytes.
        file: The name of the file.
        findings: The object to which the problems of invalid records are added; invalid records are excluded.
        stated: Columns, or paths into nested records, that are read in addition to the known columns.
        role: The option that names the file; the values of nested dictionaries are grades or scores.

    Raises:
        CollectionError: Nested dictionaries contain other values, rows of a table have different lengths, or a path drops items of a list.
    """
    try:
        return _read(raw, file, findings, stated, role)
    except CollectionError as error:
        raise CollectionError(replace(problem, file=problem.file or file) for problem in error.problems) from None


def _read(raw: bytes, file: str, findings: Findings, stated: Set[str], role: Role | None) -> Unchecked | None:
    try:
        value = single_value(raw)
    except CollectionError:
        if b"\n" in raw.strip():
            raise
        value = None  # the reader of lines reports the line
    named = columns_in(value)
    if isinstance(value, dict) and named is not None:
        return _table(value, named, file, role)
    columns: dict[str, list[object]] = {}
    passed_over: Row = {}
    numbers: list[int] = []
    known: dict[tuple[str, ...], set[str]] = {}
    records = [*(_items(value, file, findings) if isinstance(value, list) else _lines(raw, file, findings))]
    rows, lists = rows_of_records([record for _, record in records], stated)
    others = {*stated, *(filter(names_runs, records[0][1] if records else ()) if role == "runs" else ())}
    for place, row in rows:
        number = records[place][0]
        if (names := tuple(row)) not in known:
            known[names] = {name for name in names if name.strip().lower() in KNOWN or name in others}
        read = known[names]
        nested = next((name for name in row if name in read and isinstance(row[name], (dict, list)) and name in _meant(row, others)), None)
        if nested is not None:
            text = f"{nested}: expected a string or a number, found {shown(json.dumps(row[nested]))}"
            row_number = f"row {number}: " if isinstance(value, list) else ""
            findings.rows.append(Problem(row_number + text, file=file, line=None if row_number else number))
            continue
        # Unknown keys are recorded only from the first object, because each object may have different keys.
        passed_over = passed_over if numbers else {name: each for name, each in row.items() if name not in read}
        for name in read - columns.keys():
            columns[name] = [None] * len(numbers)
        for name, values in columns.items():
            values.append(row.get(name))
        numbers.append(number)
    if not numbers:
        return None
    flat = {name: [None if isinstance(each, (dict, list)) else each for each in columns[name]] for name in sorted(columns)}
    lines = None if isinstance(value, list) else numbers
    notes = tuple(f"each item of {name} is a row" for name in lists)
    return Unchecked(from_columns(flat), file, lines, elsewhere=passed_over, role=role, notes=notes)


def _meant(row: Mapping[str, object], others: Set[str]) -> Set[str]:
    """Returns the names of a record whose values are read: one name for each known column, and all other requested names."""
    return {*understood(row).values()} | (others & row.keys())


def _items(value: Sequence[object], file: str, findings: Findings) -> Iterator[tuple[int, Row]]:
    """Yields the objects in an array, each with its number; other values are added to the findings."""
    for number, record in enumerate(value):
        if isinstance(record, dict):
            yield number, record
        else:
            findings.rows.append(Problem(f"row {number}: expected a JSON object, found {shown(json.dumps(record))}", file=file))


def _lines(raw: bytes, file: str, findings: Findings) -> Iterator[tuple[int, Row]]:
    """Yields the object on each line with its line number; other lines are added to the findings."""
    for number, line in enumerate(lines_of(raw, file, findings), start=1):
        if line.strip():
            try:
                found = json.loads(line, object_pairs_hook=distinct)
            except CollectionError as error:
                findings.rows.extend(replace(problem, file=file, line=number) for problem in error.problems)
                continue
            except (ValueError, RecursionError):
                found = None
            if isinstance(found, dict):
                yield number, found
            else:
                findings.rows.append(Problem(f"expected a JSON object, found {shown(line)}", file=file, line=number))


def _table(value: Mapping[str, object], named: Sequence[str], file: str, role: Role | None) -> Unchecked:
    """Returns the table in nested dictionaries, or in the forms that pandas writes."""
    if is_columns(value):
        return Unchecked(of_split(value, file) if is_split(value) else tabular(value, "table"), file, role=role)
    content = "grade" if role == "assessments" else "score"
    if [*named] == [*NESTED]:
        return Unchecked(unnested(value, content, "table"), file, role=role)
    parts = [
        unnested(topics, content, f"run {run}").with_columns(pl.lit(run).alias("run_id"))
        for run, topics in value.items()
        if isinstance(topics, dict)
    ]
    return Unchecked(pl.concat(parts, how="vertical_relaxed"), file, role=role)
