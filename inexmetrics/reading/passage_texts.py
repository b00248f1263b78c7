"""Compares the texts in tables of passages with their offsets, and with the texts of other passages at the same characters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import polars as pl

from inexmetrics.common.errors import Problem
from inexmetrics.common.messages import plural
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.findings import shown
from inexmetrics.reading.names import folded
from inexmetrics.reading.stated_columns import values_below

__all__ = ["column_of_texts", "text_warnings"]

UNLIKE: Final = 0.25
"""Largest relative difference between the length of a text and its offsets that white space and markup explain."""
MOST: Final = 10_000
"""Maximum number of rows whose texts are compared with each other."""
LEAST: Final = 8
"""Minimum number of characters that two passages share for a comparison of their texts; white space may explain fewer."""
HEAD: Final = 16
"""Number of characters by which a text is searched for in another text."""
PAIRS: Final = 3
"""Minimum number of passages with other characters than those of ASCII, followed by another passage, for a doubt about their starts."""
FIT: Final = 0.8
"""Minimum share of these passages whose distance to the next passage, in bytes, is the same; in characters, fewer are."""
SHOWN: Final = 30
"""Number of characters of each text in a message."""
BYTES: Final = "bytes"
OTHER: Final = "other"
PARTS: Final = frozenset({"page", "pagenumber", "pageno", "pageindex", "pagelabel", "part", "section", "chapter"})
"""Names of the part of a document, without punctuation."""


def column_of_texts(table: Unchecked) -> str | None:
    """Returns the column with the texts of passages; None if there is none. Beside a quotation, another text may be the whole document."""
    names = ("quotation", "text") if table.role == "assessments" else ("text", "quotation")
    return next((table.own[name] for name in names if name in table.own), None)


def text_warnings(table: Unchecked, rows: pl.DataFrame) -> list[Problem]:
    """Returns a warning if texts in a table contradict their offsets, or the texts of other passages at the same characters.

    A text contradicts its offsets if the lengths differ by more than a quarter, if the offsets state its length in bytes, or if it is
    longer by one character, as beside an inclusive end. A warning needs more than half of the rows. Passages that follow each other
    contradict their starts if these fit the lengths of the texts in bytes.

    Args:
        table: The table.
        rows: The rows that were read: doc_id, start, and length in characters, null or negative for rows without known offsets.

    Examples:
        >>> table = Unchecked(pl.DataFrame({"text": ["two words", "three more words"]}), "chunks")
        >>> rows = pl.DataFrame({"doc_id": ["a", "b"], "start": [0, 0], "length": [2, 3]})
        >>> [problem.message for problem in text_warnings(table, rows)]
        ['the text in column text has another length than its offsets in 2 of 2 rows, such as 9 characters for a length of 2; offsets in tokens?']
        >>> text_warnings(table, rows.with_columns(length=pl.Series([9, 15])))
        []
    """
    name = column_of_texts(table)
    if name is None or table.frame.schema[name] != pl.String or rows.height != table.frame.height:
        return []
    texts = rows.select("doc_id", "start", pl.col("length").cast(pl.Int64)).with_columns(table.frame[name].alias("text"))
    texts = texts.filter((pl.col("start") >= 0) & (pl.col("length") >= 0) & pl.col("text").is_not_null())
    ends = "end" in table.own and "length" not in table.own
    found = _of_lengths(texts, name, ends=ends) or _of_neighbours(table, texts) or _of_starts(texts, name)
    return [Problem(found, file=table.what, severity="warning")] if found else []


def _of_lengths(texts: pl.DataFrame, name: str, *, ends: bool) -> str:
    """Returns the warning about texts of other lengths than their offsets; empty if there is none."""
    rows = texts.select("length", characters=pl.col("text").str.len_chars(), bytes=pl.col("text").str.len_bytes()).cast(pl.Int64)
    characters, of_bytes, length = (pl.col(each) for each in ("characters", "bytes", "length"))
    in_bytes = (characters != of_bytes) & (length == of_bytes)
    told = rows.select(in_bytes.sum(), other=(characters != of_bytes).sum()).row(0)
    wrong = rows.filter(in_bytes | ((characters - length).abs() > UNLIKE * pl.max_horizontal(characters, length)))
    bytes_stated = 2 * told[0] > told[1]
    cause = "offsets in bytes?" if bytes_stated else "offsets in tokens?"
    longer = rows.filter(characters - length == 1)
    if ends and 2 * longer.height > rows.height:
        wrong, cause = longer, "end is exclusive: if the ends are those of the last characters, add 1 to each end"
    elif not wrong.height or (2 * wrong.height <= rows.height and not bytes_stated):
        return ""
    first = wrong.row(0, named=True)
    return (
        f"the text in column {name} has another length than its offsets in {wrong.height} of {plural(rows.height, 'row')}, such as "
        f"{plural(first['characters'], 'character')} for a length of {first['length']}; {cause}"
    )


def _of_neighbours(table: Unchecked, texts: pl.DataFrame) -> str:
    """Returns the warning about passages whose texts differ in the characters that they share; empty if there is none.

    Each passage is compared with the next one of its document.
    """
    text, start, end = pl.col("text"), pl.col("start"), pl.col("start") + pl.min_horizontal("length", pl.col("text").str.len_chars())
    distinct = texts.head(MOST).unique(["doc_id", "start", "text"], maintain_order=True).sort("doc_id", "start", maintain_order=True)
    if distinct.height < 2:
        return ""
    pairs = distinct.with_row_index("place").with_columns(
        other=text.shift(-1),
        apart=start.shift(-1) - start,
        shared=pl.min_horizontal(end, end.shift(-1)) - start.shift(-1),
        same=pl.col("doc_id") == pl.col("doc_id").shift(-1),
    )
    pairs = pairs.filter("same", pl.col("shared") >= LEAST)
    first, second = text.str.slice(pl.col("apart"), pl.col("shared")), pl.col("other").str.slice(0, pl.col("shared"))
    unequal = pairs.filter(first != second).with_columns(first=first, second=second).to_dicts()
    wrong = [(row, unit) for row in unequal if (unit := _contradiction(row)) is not None]
    if not wrong:
        return ""
    row = wrong[0][0]
    count = len({row["place"] + more for row, _ in wrong for more in (0, 1)})
    of_all = f"{count} of {plural(distinct.height, 'passage')}" + (f" in the first {MOST} rows" if texts.height > MOST else "")
    found = f"{shown(row['first'][:SHOWN])} and {shown(row['second'][:SHOWN])} from {row['start'] + row['apart']} of {row['doc_id']}"
    in_bytes = 2 * sum(unit == BYTES for _, unit in wrong) > len(wrong)
    return (
        f"expected passages with the same text at the same characters, found others in {of_all}, such as {found}; {_way(table, in_bytes)}"
    )


def _of_starts(texts: pl.DataFrame, name: str) -> str:
    """Returns the warning about starts that are probably counted in bytes; empty if there is none.

    The distance from the end of a passage to the next passage of its document is usually the same if the unit is right.

    Examples:
        >>> texts = pl.DataFrame({"text": ["één", "twee à", "drieëndertig", "vier"]})
        >>> passages = texts.with_columns(doc_id=pl.lit("a"), start=pl.Series([0, 6, 14, 28]))
        >>> (
        ...     _of_starts(passages, "text")[:52],
        ...     _of_starts(passages.with_columns(start=pl.Series([0, 4, 11, 24])), "text"),
        ... )
        ('the starts of 3 of 3 passages fit the texts in colum', '')
    """
    text = pl.col("text")
    rows = texts.drop_nulls("start").unique(["doc_id", "start"]).sort("doc_id", "start")
    rows = rows.with_columns(apart=pl.col("start").shift(-1) - pl.col("start"), same=pl.col("doc_id") == pl.col("doc_id").shift(-1))
    between = rows.filter("same", text.str.len_chars() != text.str.len_bytes()).select(
        bytes=pl.col("apart") - text.str.len_bytes().cast(pl.Int64), characters=pl.col("apart") - text.str.len_chars().cast(pl.Int64)
    )
    fitting = {unit: int(between[unit].value_counts()["count"].max() or 0) for unit in between.columns}  # type: ignore[arg-type]  # counts
    if between.height < PAIRS or fitting["bytes"] < FIT * between.height or fitting["characters"] > FIT * fitting["bytes"]:
        return ""
    found = f"the starts of {fitting['bytes']} of {plural(between.height, 'passage')} fit the texts in column {name} if bytes are counted"
    return f"{found}, and not if characters are; offsets in bytes?"


def _contradiction(pair: Mapping[str, Any]) -> str | None:
    """Returns the unit in which a passage's offsets are probably counted if its text contradicts the previous one; None if it does not.

    White space that the texts lack explains that a text begins earlier in another one than its start says. So do offsets in bytes.
    """
    head, text, apart = _solid(pair["second"]), pair["text"], pair["apart"]
    if _begin_alike(_solid(pair["first"]), head):
        return None
    solid = _solid(text)
    at = solid.rfind(head[:HEAD], 0, len(_solid(text[:apart])) + HEAD)
    if at < 0 or not _begin_alike(solid[at:], head):
        return OTHER
    before = text[: [place for place, character in enumerate(text) if not character.isspace()][at]]
    if len(before.encode()) == apart:
        return BYTES
    return None if 0 <= apart - len(before) <= len(before) - at else OTHER


def _solid(text: str) -> str:
    """Returns a text without white space."""
    return "".join(text.split())


def _begin_alike(first: str, second: str) -> bool:
    """Returns whether one text begins with the other."""
    return first.startswith(second) or second.startswith(first)


def _way(table: Unchecked, in_bytes: bool) -> str:
    """Returns what the user can do about texts that contradict each other."""
    if in_bytes:
        return "offsets in bytes? characters are counted"
    below = (path for name, value in table.passed_over.items() for path, _ in values_below(name, value))
    part = next((path for path in below if folded(path.rpartition(".")[2]) in PARTS), None)
    where = "a page or a part" if part is None else f"a page or a part ({part})"
    return (
        f"if offsets are counted within {where}, its number is needed in doc_id, such as a.pdf#3, in evidence and results; "
        "if they are counted in tokens or bytes, characters are needed"
    )
