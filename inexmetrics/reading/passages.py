"""Finds overlapping highlighted passages of a document, and merges passages that overlap or touch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

__all__ = ["MERGING", "merged", "overlapping"]

MERGING: Final = "; merge_passages=True (--merge-passages) merges overlapping passages"
"""Advice at the end of error messages about overlapping passages."""


def overlapping(passages: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Returns each passage that overlaps an earlier passage of its document; passages are ordered by start, then by length.

    Args:
        passages: A table of passages with start, length and the columns in `keys`; other columns are kept.
        keys: The columns that identify a document.

    Returns:
        The overlapping passages, ordered by start, with an additional column ``reached``, the largest end of the earlier passages.

    Examples:
        >>> table = pl.DataFrame({"doc_id": ["a", "a", "a"], "start": [5, 0, 3], "length": [4, 5, 1]})
        >>> overlapping(table, ["doc_id"]).rows()
        [('a', 3, 1, 5)]
    """
    return _reached(passages, keys).filter(pl.col("start") < pl.col("reached"))


def merged(passages: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Merges passages that overlap or touch.

    Args:
        passages: A table of passages with start, length and the columns in `keys`. In all other columns, a merged passage has the values of
            the first of its passages.
        keys: The columns that identify a document.

    Returns:
        A table with the same columns; documents keep the order of their first passages, and the passages of a document are ordered by
        start.

    Examples:
        >>> table = pl.DataFrame(
        ...     {"doc_id": ["a", "a", "b", "a"], "start": [5, 0, 7, 20], "length": [4, 5, 1, 2]}
        ... )
        >>> merged(table, ["doc_id"]).rows()
        [('a', 0, 9), ('a', 20, 2), ('b', 7, 1)]
    """
    apart = (pl.col("start") > pl.col("reached")).fill_null(value=True)
    numbered = _reached(passages, keys).with_columns(passage=apart.cum_sum().over(keys), end=pl.col("start") + pl.col("length"))
    others = [name for name in passages.columns if name not in {*keys, "start", "length"}]
    made = numbered.group_by(*keys, "passage", maintain_order=True).agg(
        pl.col("start", *others).first(), length=pl.col("end").max() - pl.col("start").first()
    )
    order = passages.select(keys).unique(maintain_order=True).with_row_index("met")
    return made.join(order, on=keys, how="left", nulls_equal=True).sort("met", "start", maintain_order=True).select(passages.columns)


def _reached(passages: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Sorts passages by start, then by length, and adds a column with the largest end of the earlier passages of the same document."""
    end = pl.col("start") + pl.col("length")
    return passages.sort("start", "length", maintain_order=True).with_columns(reached=end.cum_max().shift(1).over(keys))
