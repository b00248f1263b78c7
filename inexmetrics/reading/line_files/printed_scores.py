"""Makes a long table of the scores of one run by topic and measure, as printed by evaluation tools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.reading.checker import Unchecked

__all__ = ["long_table"]

SUMMARY: Final = "all"
"""Word that evaluation tools print in place of a topic on lines with means over all topics."""


def long_table(rows: Sequence[tuple[int, str | None, str, str]], run: str, file: str, command: str) -> Unchecked:
    """Returns the scores by topic as a long table; means over all topics are excluded.

    Args:
        rows: Line number, topic (None for a mean without a topic), measure and value of each line.
        run: The name of the run.
        file: The name of the file.
        command: The command that prints scores by topic, for error messages.

    Raises:
        CollectionError: Scores by topic are missing.
    """
    kept = [row for row in rows if row[1] not in {None, SUMMARY}]
    if not kept:
        raise CollectionError(Problem(f"expected scores by topic, as {command} prints them, found only means over all topics", file=file))
    frame = pl.DataFrame(
        {
            "run_id": run,
            "topic_id": [topic for _, topic, _, _ in kept],
            "measure": [measure for _, _, measure, _ in kept],
            "score": [value for _, _, _, value in kept],
        }
    )
    return Unchecked(frame, file, [line for line, _, _, _ in kept])
