"""Converts scores in JSON files, and the same values in Python, to tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

import polars as pl

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import enumerate_names
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.files import text_of
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.foreign import foreign_json
from inexmetrics.reading.in_memory.tabular import check_names, from_columns, is_columns, is_split, of_split, tabular
from inexmetrics.reading.json_files import records_of_lines, single_value
from inexmetrics.reading.scores.nested import nested_scores
from inexmetrics.reading.scores.stated import Stated
from inexmetrics.reading.stated_columns import lists_read, rows_of_records

__all__ = ["json_scores", "tables_in"]

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
    text_of(raw, file)  # refuses what is no text
    try:
        value = single_value(raw)
    except CollectionError as error:
        raise CollectionError(replace(problem, file=file) for problem in error.problems) from None
    record = value[0] if isinstance(value, list) and value else value
    if isinstance(record, dict) and (foreign := foreign_json(record)):
        raise CollectionError(Problem(f"expected scores in JSON ({SHAPES}), found {foreign}", file=file))
    if value is None:
        told = Findings()
        numbered = [*records_of_lines(raw, file, told)]
        if not numbered:
            raise CollectionError(told.rows[0])  # the other lines probably have the same problem
        findings.add(told)
        return _of_records([record for _, record in numbered], stated, file, [line for line, _ in numbered])
    if isinstance(value, dict) and value and not any(isinstance(inner, dict | list) for inner in value.values()):
        value = [value]
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        return _of_records(value, stated, file)
    if isinstance(value, dict) and is_split(value):
        return Unchecked(of_split(value, file), file)
    if isinstance(value, dict) and value and all(isinstance(inner, dict) for inner in value.values()):
        return Unchecked(nested_scores(value, file, stated), file)
    kind = "an object" if isinstance(value, dict) else "an array"
    names = f" with {enumerate_names(list(value))}" if isinstance(value, dict) and value else ""
    raise CollectionError(Problem(f"expected scores in JSON ({SHAPES}), found {kind}{names}", file=file))


def tables_in(source: object, what: str, stated: Stated) -> Iterator[Named]:
    """Yields the tables in a value, each with the name of its run, if no column names runs.

    A value is a frame, rows with named values, a dictionary of columns, ``{run: {topic: score}}``, ``{run: table}``, or a dictionary with
    columns and data, as pandas makes it.

    Raises:
        CollectionError: The value does not contain a table.
    """
    if isinstance(source, Mapping) and is_split(source):
        frame = of_split(source, what)
        yield Unchecked(frame, what), ONLY_RUN, "" if "" in frame.columns else None
    elif isinstance(source, Mapping) and source and not is_columns(source):
        check_names("runs", source, what)
        if all(isinstance(inner, Mapping) and not is_columns(inner) and not is_split(inner) for inner in source.values()):
            yield Unchecked(nested_scores(source, what, stated), what), ONLY_RUN, None
        else:
            for name, table in source.items():
                for found, _, index in tables_in(table, f"run {name}", stated):
                    yield found, str(name), index
    else:
        frame, index = _with_index(source, tabular(source, what, stated.paths))
        yield Unchecked(frame, what), ONLY_RUN, index


def _of_records(records: Sequence[Mapping[str, object]], stated: Stated, file: str, lines: Sequence[int] | None = None) -> Unchecked:
    """Returns a table of records; `lines` are the lines of the records in the file, if each is on one line.

    A name with points in an option is a path into nested records, such as ``evaluation.score``. Nested values that no option names are not
    read, and values that a record lacks are missing.
    """
    try:
        rows, read = rows_of_records(records, stated.paths)
    except CollectionError as error:
        raise CollectionError(replace(problem, file=file) for problem in error.problems) from None
    names = dict.fromkeys(name for _, row in rows for name in row)
    flat = [name for name in names if not any(isinstance(row.get(name), dict | list) for _, row in rows)]
    frame = from_columns({name: [row.get(name) for _, row in rows] for name in flat})
    numbers = None if lines is None else [lines[place] for place, _ in rows]
    return Unchecked(frame, file, numbers, elsewhere=_nested(records), notes=lists_read(read))


def _nested(records: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """Returns the values that are read only if an option names them: paths below the first record, and lists and records in all."""
    below = [(name, inner) for name, inner in records[0].items() if isinstance(inner, dict)]
    paths = {f"{name}.{key}": value for name, inner in below for key, value in inner.items() if not isinstance(value, dict | list)}
    return paths | {name: value for record in reversed(records) for name, value in record.items() if isinstance(value, dict | list)}


def _with_index(source: object, frame: pl.DataFrame) -> tuple[pl.DataFrame, str | None]:
    """Returns a frame with the index of a pandas frame as a column, and the name of this column; an index that counts rows is left."""
    index = getattr(source, "index", None)
    names = list(getattr(index, "names", ()))
    rows = list(index) if len(names) == 1 and isinstance(index, Iterable) else []
    if not names or not rows or (names == [None] and rows == list(range(len(rows)))):
        return frame, None
    heading = "" if names[0] is None else str(names[0])
    return frame if heading in frame.columns else frame.insert_column(0, pl.Series(heading, rows, strict=False)), heading
