"""The scores of one run by topic and measure in the output of evaluation tools, as a long table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.reading.checker import Unchecked

__all__ = ["long_table"]

SUMMARY: Final = "all"
"""The word for all topics, with which tools print means."""


def long_table(rows: Sequence[tuple[int, str | None, str, str]], run: str, file: str, command: str) -> Unchecked:
    """Returns the scores by topic; those of all topics are excluded.

    Args:
        rows: Line, topic (None for a mean without a topic), measure and value.
        run: The name of the run.
        file: The file's name.
        command: The command that prints scores by topic.

    Raises:
        CollectionError: Scores by topic are missing.
    """
    kept = [row for row in rows if row[1] not in {None, SUMMARY}]
    if not kept:
        raise CollectionError(Problem(f"expected scores by topic, as {command} prints them, found only those of all topics", file=file))
    frame = pl.DataFrame(
        {
            "run_id": run,
            "topic_id": [topic for _, topic, _, _ in kept],
            "measure": [measure for _, _, measure, _ in kept],
            "score": [value for _, _, _, value in kept],
        }
    )
    return Unchecked(frame, file, [line for line, _, _, _ in kept])
