"""A result as text for a terminal: the formula, its data, what was found, and its tables."""

from __future__ import annotations

from typing import Final

import polars as pl

from inexmetrics.common.messages import filled
from inexmetrics.common.tables import captioned_table
from inexmetrics.report.reportable import Reportable

__all__ = ["result_text"]

SMALL: Final = 12
"""Rows that a table may have to be shown beside the first one."""


def result_text(result: Reportable, table: str | None = None, width: int = 120, limit: int | None = 100) -> str:
    """The result in plain text.

    Shows the table asked for; or, if none is, the first one in full measure and the others where they are small.

    Args:
        result: The result.
        table: The name of the one table to show.
        width: Columns of the terminal.
        limit: Rows shown of a table; None shows all.

    Raises:
        ValueError: The result has no table of this name.
    """
    first = next(iter(result.tables))
    parts = [f"{result.experiment}\n{filled(str(result.origin), width)}", filled(result.finding, width)]
    if table is not None:
        return "\n\n".join([*parts, _shown(result, result.named(table), width, limit)])
    left = []
    for name, rows in result.tables.items():
        if name != first and rows.height > SMALL:
            left.append(f"{name} ({rows.height} rows)")
            continue
        shown = _shown(result, rows, width, limit)
        parts.append(shown if len(result.tables) == 1 else f"{name}\n\n{shown}")
    if left:
        parts.append(filled(f"also: {', '.join(left)}", width))
    return "\n\n".join(parts)


def _shown(result: Reportable, rows: pl.DataFrame, width: int, limit: int | None) -> str:
    return captioned_table(rows, width, limit, smallest_p=result.smallest_p, note=result.tested)
