"""Checks the highlighted passages of documents, merges passages that overlap, and compares the texts of passages with their offsets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

from inexmetrics.collection.schemas import DOCUMENTS, FURTHEST, PASSAGES
from inexmetrics.common.errors import Problem
from inexmetrics.common.messages import plural
from inexmetrics.reading.checker import PLACE, Checked, Unchecked
from inexmetrics.reading.findings import Findings

__all__ = ["PAIR", "highlights", "merged", "overlapping", "text_warnings"]

PAIR: Final = ("topic_id", "doc_id")

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


COUNTS: Final = ("relchars", "docchars", "bep")
"""Columns with numbers of characters of a document."""


def highlights(
    found: Checked, findings: Findings, keys: Sequence[str] = PAIR, *, merge_passages: bool
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Returns the judged documents with their numbers of highlighted characters, and the highlighted passages.

    Excludes rows that contradict each other, and adds their problems to `findings`: passages that overlap, different counts
    for a document, and a number of highlighted characters that differs from the passages' total or exceeds the document's length.

    Args:
        found: Rows with topic_id, doc_id, start, length, relchars, docchars, bep and the columns of `PLACE`. A row without a start judges its
            document. Several passages may share a row of the file.
        findings: The object to which the problems of `found` and warnings are added.
        keys: The columns that identify the judgement of a document.
        merge_passages: Whether passages that overlap or touch are merged; otherwise overlap is an error.

    Returns:
        A table with the columns of `DOCUMENTS` and `PLACE`, and a table with the columns of `PASSAGES` and row.
    """
    start, length, placed = pl.col("start"), pl.col("length"), pl.col("start").is_not_null()
    relchars, docchars = (pl.col(f"{name} of the document") for name in ("relchars", "docchars"))
    far = f"expected a passage that ends at {FURTHEST} at most, found one from {{start}} with {{length}} characters"
    found.leave_out(found.rows.filter(start + length > FURTHEST), far)
    # Nulls are removed by a filter, because in polars 1.32 drop_nulls().first() over groups may return a value from another group.
    found.rows = found.rows.with_columns(
        *(pl.col(name).filter(pl.col(name).is_not_null()).first().over(keys).alias(f"{name} of the document") for name in COUNTS),
        written=pl.when(placed.any().over(keys)).then(length.sum().over(keys)),
    )
    for name in COUNTS:
        other = found.rows.filter(pl.col(name) != pl.col(f"{name} of the document"))
        found.leave_out(other, f"{name}: expected {{{name} of the document}} as in another row, found {{{name}}}")
    passages = found.rows.filter(placed)
    if merge_passages:
        passages = merged(passages, keys)
    else:
        found.leave_out(
            overlapping(passages, keys),
            f"expected passages that do not overlap, found a passage from {{start}} after a passage to {{reached}}{MERGING}",
        )
    total = passages.group_by(keys).agg(length.sum().alias("highlighted"))
    for wrong, message in (
        (
            (relchars != pl.col("written")) & (relchars != pl.col("highlighted")),
            "relchars: expected the sum of the passages' lengths ({written}), found {relchars of the document}",
        ),
        (
            pl.coalesce("highlighted", relchars) > docchars,
            "expected at most {docchars of the document} highlighted characters, the length of the document, found {highlighted}",
        ),
    ):
        summed = found.rows.join(total, on=keys, how="left", maintain_order="left").filter(wrong)
        summed = summed.with_columns(highlighted=pl.coalesce("highlighted", relchars))
        found.leave_out(summed.unique(["file", "row"], keep="first", maintain_order=True), message)
    passages = passages.join(found.rows, on=["file", "row"], how="semi", maintain_order="left")
    late = passages.filter(start + length > docchars).group_by("file", maintain_order=True).len()
    for file, count in late.iter_rows():
        kind = "passages in {count} files end past the document's end"
        text = f"{plural(count, 'passage', 'ends', 'end')} past the document's end"
        findings.warnings.append(Problem(text, file=file, severity="warning", kind=kind, detail=plural(count, "passage")))
    findings.rows.extend(found.problems)
    total = passages.group_by(keys).agg(length.sum().alias("highlighted"))
    documents = (
        found.rows.group_by(keys, maintain_order=True)
        .agg(*(pl.col(f"{name} of the document").first().alias(name) for name in COUNTS), pl.col(*{*PAIR, *PLACE} - {*keys}).first())
        .join(total, on=keys, how="left", maintain_order="left")
        # The sum of the lengths of the passages takes precedence over a given number of highlighted characters.
        .with_columns(relchars=pl.coalesce("highlighted", "relchars", pl.lit(0, pl.Int64)))
    )
    return documents.select(*DOCUMENTS, *PLACE), passages.select(*PASSAGES, "row")


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
