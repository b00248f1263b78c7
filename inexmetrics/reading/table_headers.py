"""Column names of a file that may be a table: Parquet, JSON Lines, or separated values with a header."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Final

from inexmetrics.reading.files import content, first_line
from inexmetrics.reading.parquet import is_parquet, parquet_columns

__all__ = ["SEPARATORS", "column_names"]

SEPARATORS: Final = (",", "\t", ";")


def column_names(path: Path, start: bytes) -> list[str]:
    """Returns the names of a table's columns; empty for other files.

    Args:
        path: The file.
        start: The first bytes of the file, decompressed.
    """
    if is_parquet(start):
        return parquet_columns(content(path))
    first = first_line(start).decode(errors="replace").rstrip("\r")
    if first.startswith("{"):
        try:
            return list(json.loads(first))
        except (ValueError, RecursionError):
            return []
    separator = max(SEPARATORS, key=first.count)
    # Carriage returns are replaced, because csv rejects carriage returns inside a line, and only a line feed ends a line.
    cells = next(csv.reader([first.replace("\r", " ")], delimiter=separator), [])
    return [cell.strip() for cell in cells] if separator in first else []
