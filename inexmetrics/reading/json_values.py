"""Recognises the tables in JSON files, and finds the names of their columns."""

from __future__ import annotations

import codecs
import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, TypeAlias

from inexmetrics.common.errors import CollectionError
from inexmetrics.reading.files import first_line
from inexmetrics.reading.findings import shown
from inexmetrics.reading.names import understood
from inexmetrics.reading.stated_columns import rows_of_records

__all__ = ["NESTED", "Row", "columns_in", "distinct", "is_json", "json_names", "single_value"]

NESTED: Final = ("topic_id", "doc_id")
"""Columns of nested dictionaries ``{topic: {document: value}}``."""
BY_RUN: Final = ("run_id", *NESTED)
"""Columns of nested dictionaries ``{run: {topic: {document: score}}}``."""

Row: TypeAlias = dict[str, object]


def is_json(raw: bytes) -> bool:
    """Returns whether the first non-blank line of a file starts a JSON object or array."""
    return first_line(raw).startswith((b"{", b"["))


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
    try:
        value = single_value(raw, check=False)
        if value is None:
            value = json.loads(first_line(raw).decode())
    except (ValueError, RecursionError):
        return []
    if (named := columns_in(value)) is not None:
        return named
    record = value[0] if isinstance(value, list) and value else value
    if not isinstance(record, dict):
        return []
    rows, _ = rows_of_records([record], columns, check=False)
    return list({**record, **dict.fromkeys(name for _, row in rows for name in row)})


def columns_in(value: object) -> list[str] | None:
    """Returns the columns of a JSON value that is a table without records; None for other values."""
    if not isinstance(value, dict) or not value:
        return None
    if value.keys() >= {"columns", "data"} and isinstance(value["columns"], list) and isinstance(value["data"], list):
        return [str(name) for name in value["columns"]]
    kinds = {*map(type, value.values())}
    if kinds <= {dict, list} and understood(value).keys() >= {*NESTED}:
        return list(value)
    if kinds == {dict}:
        deeper = {type(inner) for values in value.values() for inner in values.values()}
        return list(BY_RUN if deeper == {dict} else NESTED)
    return None


def single_value(raw: bytes, *, check: bool = True) -> object:
    """Returns the value of a file that contains a single JSON value; None for one JSON object per line, and for other text.

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
        return json.loads(text.decode(), object_pairs_hook=distinct if check else None)
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
