"""Reads tables in JSON Lines, with a JSON object on each line; the keys of the objects are the columns of the table."""

from __future__ import annotations

import json
from collections.abc import Set
from dataclasses import replace
from itertools import chain
from typing import Final

from inexmetrics.common.errors import CollectionError
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.column_names import ALIASES, understood
from inexmetrics.reading.files import first_line
from inexmetrics.reading.findings import Findings, shown
from inexmetrics.reading.in_memory.tabular import from_columns
from inexmetrics.reading.line_files.lines import lines_of

__all__ = ["json_table", "names_of"]

NAMES: Final = frozenset(chain(ALIASES, *ALIASES.values()))
"""The names and alternative names of all known columns."""
DECODER: Final = json.JSONDecoder(object_pairs_hook=tuple)
"""Decoder that returns JSON objects as tuples of pairs, so that repeated keys are recognised."""


def names_of(raw: bytes) -> list[str]:
    r"""Returns the keys of the JSON object on the first line; empty if the first line is not an object.

    Examples:
        >>> names_of(b'{"run_id": "a", "score": 0.5}\n'), names_of(b"run_id,score\n")
        (['run_id', 'score'], [])
    """
    try:
        return list(_object(first_line(raw).decode()))
    except (CollectionError, UnicodeDecodeError):
        return []


def json_table(raw: bytes, file: str, findings: Findings, others: Set[str] = frozenset()) -> Unchecked | None:
    """Returns a table with one row for each JSON object, or None if no line is valid; values that an object does not contain are missing.

    Args:
        raw: The content of the file, as bytes.
        file: The name of the file.
        findings: The object to which the problems of invalid lines are added; invalid lines are excluded.
        others: Columns that are read in addition to the known columns.
    """
    read = NAMES | others
    columns: dict[str, list[object]] = {}
    passed_over: dict[str, object] = {}
    lines: list[int] = []
    for number, line in enumerate(lines_of(raw, file, findings), start=1):
        if line.strip():
            try:
                row = _object(line)
            except CollectionError as error:
                findings.rows.extend(replace(problem, file=file, line=number) for problem in error.problems)
            else:
                # Unknown keys are recorded only from the first JSON object, because each object may have different keys.
                passed_over = passed_over if lines else {name: value for name, value in row.items() if name not in read}
                for name in (row.keys() & read) - columns.keys():
                    columns[name] = [None] * len(lines)
                for name, values in columns.items():
                    values.append(row.get(name))
                lines.append(number)
    table = from_columns({name: columns[name] for name in sorted(columns)})
    return Unchecked(table, file, lines, elsewhere=passed_over) if lines else None


def _object(line: str) -> dict[str, object]:
    """Returns the JSON object on a line; raises `CollectionError` for other text, repeated keys, or nested values in known columns."""
    try:
        pairs = DECODER.decode(line)
    except (ValueError, RecursionError):
        pairs = None
    if not isinstance(pairs, tuple):
        raise CollectionError(f"expected a JSON object, found {shown(line)}")
    row: dict[str, object] = {}
    for name, value in pairs:
        if name in row:
            raise CollectionError(f"expected distinct names in a JSON object, found {shown(name)} twice")
        row[name] = value
    if any(isinstance(value, (tuple, list)) for value in row.values()):
        nested = [name for name in understood(row).values() if isinstance(row[name], (tuple, list))]
        if nested:
            raise CollectionError(f"{nested[0]}: expected a string or a number, found {shown(json.dumps(json.loads(line)[nested[0]]))}")
    return row
