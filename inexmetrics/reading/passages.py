"""Finds overlapping highlighted passages, merges passages, and compares the texts of passages with their offsets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

from inexmetrics.common.errors import Problem
from inexmetrics.common.messages import plural
from inexmetrics.reading.checker import Unchecked

__all__ = ["MERGING", "merged", "overlapping", "text_warnings"]

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


UNLIKE: Final = 0.25
"""Largest relative difference between the length of a text and its offsets that white space and markup explain."""


def text_warnings(table: Unchecked, lengths: pl.Series) -> list[Problem]:
    """Returns a warning if the texts in a table have other lengths than their offsets state, in more than half of the rows.

    A text has another length if the lengths differ by more than a quarter, or if the offsets state its length in bytes.

    Args:
        table: The table; its column ``text`` contains the texts.
        lengths: The length that the offsets of each row state, in characters; null or negative for rows without known offsets.

    Examples:
        >>> table = Unchecked(pl.DataFrame({"text": ["two words", "three more words"]}), "chunks")
        >>> [problem.message for problem in text_warnings(table, pl.Series([2, 3]))]
        ['the text in column text has another length than its offsets in 2 of 2 rows, such as 9 characters for a length of 2; offsets in tokens?']
        >>> text_warnings(table, pl.Series([9, 15]))
        []
    """
    name = table.own.get("text")
    if name is None or table.frame.schema[name] != pl.String or len(lengths) != table.frame.height:
        return []
    texts = table.frame[name]
    rows = pl.DataFrame({"characters": texts.str.len_chars(), "bytes": texts.str.len_bytes(), "length": lengths}).cast(pl.Int64)
    rows = rows.filter((pl.col("length") >= 0) & pl.col("characters").is_not_null())
    characters, of_bytes, length = (pl.col(each) for each in ("characters", "bytes", "length"))
    in_bytes = (characters != of_bytes) & (length == of_bytes)
    told = rows.select(in_bytes.sum(), other=(characters != of_bytes).sum()).row(0)
    wrong = rows.filter(in_bytes | ((characters - length).abs() > UNLIKE * pl.max_horizontal(characters, length)))
    bytes_stated = 2 * told[0] > told[1]
    if not wrong.height or (2 * wrong.height <= rows.height and not bytes_stated):
        return []
    first = wrong.row(0, named=True)
    unit = "bytes" if bytes_stated else "tokens"
    text = (
        f"the text in column {name} has another length than its offsets in {wrong.height} of {plural(rows.height, 'row')}, such as "
        f"{plural(first['characters'], 'character')} for a length of {first['length']}; offsets in {unit}?"
    )
    return [Problem(text, file=table.what, severity="warning")]
