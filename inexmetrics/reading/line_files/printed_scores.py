"""The scores of one run by topic and measure, as evaluation tools print them, as a long table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.reading.checker import Unchecked

__all__ = ["long_table"]

SUMMARY: Final = "all"
"""What stands in place of a topic where a tool prints the mean over all of them."""


def long_table(rows: Sequence[tuple[int, str | None, str, str]], run: str, file: str, command: str) -> Unchecked:
    """What was printed by topic; what was printed of all topics is left out.

    Args:
        rows: Line, topic (None for a mean that names none), measure and value.
        run: What the run is called.
        file: The file's name.
        command: What prints scores by topic.

    Raises:
        CollectionError: There are no scores by topic.
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
