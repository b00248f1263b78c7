"""The tables that data is held in once read: their columns, types and what holds of every row.

Identifiers are strings. Characters are counted as in the file's own convention. A missing value is null.
"""

from __future__ import annotations

from typing import Final

import polars as pl

__all__ = ["ASSESSORS", "DOCUMENTS", "ELEMENTS", "EXHAUSTIVITY", "FURTHEST", "GRADES", "PASSAGES", "RESULTS", "STRUCTURE"]

FURTHEST: Final = 2**53
"""The highest offset taken for one; sums of offsets stay exact."""

EXHAUSTIVITY: Final = pl.Enum(["0", "?", "1", "2", "3"])
"""Exhaustivity in increasing order; `?` is "too small"."""

ELEMENTS: Final[dict[str, pl.DataType]] = {
    "topic_id": pl.String(),
    "doc_id": pl.String(),
    "path": pl.String(),  # null: the whole document
    "exhaustivity": EXHAUSTIVITY,  # null: not asked
    "specificity": pl.Float64(),  # 0 to 1
    "size": pl.Int64(),  # characters; null: not told
}
DOCUMENTS: Final[dict[str, pl.DataType]] = {
    "topic_id": pl.String(),
    "doc_id": pl.String(),
    "relchars": pl.Int64(),  # highlighted characters
    "docchars": pl.Int64(),  # characters in the document; null: not told
    "bep": pl.Int64(),  # best entry point; null: none
}
PASSAGES: Final[dict[str, pl.DataType]] = {
    "topic_id": pl.String(),
    "doc_id": pl.String(),
    "start": pl.Int64(),
    "length": pl.Int64(),
}
GRADES: Final[dict[str, pl.DataType]] = {
    "topic_id": pl.String(),
    "doc_id": pl.String(),
    "grade": pl.Float64(),
}
ASSESSORS: Final[dict[str, pl.DataType]] = {
    "topic_id": pl.String(),
    "assessor": pl.String(),
    "doc_id": pl.String(),
    "grade": pl.Float64(),
}
RESULTS: Final[dict[str, pl.DataType]] = {
    # run_id and topic_id are Enum columns, whose categories are in string order
    "doc_id": pl.String(),
    "path": pl.String(),  # null: no element
    "start": pl.Int64(),  # null: no passage
    "length": pl.Int64(),
    "rank": pl.Int64(),  # as written; null: not written
    "score": pl.Float64(),  # retrieval status value; null: not written
}
STRUCTURE: Final[dict[str, pl.DataType]] = {
    "doc_id": pl.String(),
    "path": pl.String(),
    "start": pl.Int64(),
    "length": pl.Int64(),
}
