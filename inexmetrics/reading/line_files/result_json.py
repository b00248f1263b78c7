"""Reads the scores by topic in a result that this library wrote as JSON."""

from __future__ import annotations

import codecs
import json
from typing import Final

import polars as pl

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.files import text_of
from inexmetrics.reading.findings import shown

__all__ = ["is_result", "result_table"]

OPENING: Final = b'{"schema":"inexmetrics-result/'
"""Beginning of a result, without white space."""
COLUMNS: Final = {"run_id": pl.String, "topic_id": pl.String, "measure": pl.String, "quantisation": pl.String, "score": pl.Float64}


def is_result(raw: bytes) -> bool:
    """Returns whether a file begins as a result of this library in JSON.

    Examples:
        >>> is_result(b'{ "schema": "inexmetrics-result/1.0", "tables": {} }'), is_result(b'{"schema": 1}')
        (True, False)
    """
    return b"".join(raw.removeprefix(codecs.BOM_UTF8)[:200].split()).startswith(OPENING)


def result_table(raw: bytes, file: str) -> Unchecked:
    """Returns the table ``per_topic`` of a result.

    Args:
        raw: The content of the file, as bytes.
        file: The name of the file.

    Raises:
        CollectionError: The file is not JSON, or the result does not contain scores by topic.
    """
    try:
        result = json.loads(text_of(raw, file))
        rows = result["tables"].get("per_topic")
        asked = str(result.get("experiment"))
        table = None if rows is None else pl.DataFrame([{name: row[name] for name in COLUMNS} for row in rows], schema=COLUMNS)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, pl.exceptions.PolarsError):
        raise CollectionError(Problem("expected a complete result in JSON, found a file that was cut or changed", file=file)) from None
    if table is None or table.is_empty():
        expected = "expected a result with scores by topic, such as that of scores(MAP)"
        raise CollectionError(Problem(f"{expected}, found the result of {shown(asked)}", file=file))
    return Unchecked(table, file)
