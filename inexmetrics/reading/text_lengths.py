"""Compares the texts in a table with their offsets, which may have been counted in tokens or bytes instead of characters."""

from __future__ import annotations

from typing import Final

import polars as pl

from inexmetrics.common.errors import Problem
from inexmetrics.common.messages import plural
from inexmetrics.reading.checker import Unchecked

__all__ = ["text_warnings"]

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
