"""Reads qrels, which contain the judgement of one document on each line: TREC qrels, and FOL qrels of INEX with highlighted passages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.common.errors import Problem
from inexmetrics.reading import rules
from inexmetrics.reading.checker import Rule, Unchecked, checked
from inexmetrics.reading.column_types import WORDS_READ, only_words
from inexmetrics.reading.findings import Findings, shown
from inexmetrics.reading.formats import Format
from inexmetrics.reading.line_files.lines import LineFormat, read_lines, tokens
from inexmetrics.reading.recognise import Source

__all__ = ["read_fol_qrels", "read_qrels"]

QRELS: Final = LineFormat({"topic_id": pl.String, "assessor": pl.String, "doc_id": pl.String, "grade": pl.Float64}, 4)
PAIRS: Final = LineFormat({"topic_id": pl.String, "doc_id": pl.String}, 2)
"""Columns of the judgements of MS MARCO without grades, which name the relevant documents only."""
ITERATION: Final = re.compile(r"q0|[+-]?[0-9]+(\.[0-9]+)?", re.IGNORECASE)
"""Regular expression for the second column of qrels if the column does not contain names of assessors."""
FOL_QRELS: Final = {"topic_id": 0, "doc_id": 2, "relchars": 3, "docchars": 4, "bep": 5}
"""Columns of FOL qrels, each with its position in the line."""
FOL_COLUMNS: Final = (
    rules.TOPIC,
    rules.DOCUMENT,
    *(replace(rules.integer(name), needed=True) for name in ("relchars", "docchars")),
    rules.integer("bep", -1),  # which marks a document without an entry point
)
PASSAGE: Final = r"^([0-9]{1,18}):([0-9]{1,18})$"
"""Regular expression for a passage in FOL qrels."""


def read_qrels(
    sources: Sequence[Source], findings: Findings, grade: Rule = rules.BOUNDED_GRADE
) -> tuple[list[pl.DataFrame], list[pl.DataFrame]]:
    """Reads TREC qrels; returns the tables of the files with a single assessor, and those of the files with several assessors.

    The second column of a file is read as names of assessors if any value is a name, or if the same topic and document occur with different
    values in this column. Otherwise the second column is an iteration (`0`, `Q0`, or the number of a round), and is ignored.

    A file of two columns, `topic doc`, names relevant documents, whose grade is 1.

    Args:
        sources: The files.
        findings: The object to which the problems of invalid rows are added; invalid rows are dropped.
        grade: The condition that a valid grade satisfies.

    Returns:
        The tables of files with a single assessor, and of files with several assessors. Each table has the columns topic_id, assessor,
        doc_id, grade and the columns of `PLACE`.
    """
    single: list[pl.DataFrame] = []
    several: list[pl.DataFrame] = []
    for source in sources:
        read = read_lines(source, PAIRS if source.format is Format.PAIRS else QRELS, findings)
        if source.format is Format.PAIRS:
            relevant = read.frame.with_columns(assessor=pl.lit("0"), grade=pl.lit(1.0))
            single.append(checked(Unchecked(relevant, source.name, read.numbers), rules.ASSESSORS, [grade]).valid())
            continue
        rows = checked(Unchecked(read.frame, source.name, read.numbers), rules.ASSESSORS, [grade]).told(findings)
        if only_words(read.frame["grade"]):
            layout = findings.layouts.pop()
            findings.layouts.append(replace(layout, notes=(*layout.notes, WORDS_READ)))
        assessors = rows["assessor"].unique()
        by_several = not all(map(ITERATION.fullmatch, assessors))
        if len(assessors) > 1 and not by_several:
            judgements = pl.struct("topic_id", "doc_id", "assessor").n_unique()
            by_several = rows.select(judgements > pl.struct("topic_id", "doc_id").n_unique()).item()
        (several if by_several else single).append(rows)
    return single, several


def read_fol_qrels(sources: Sequence[Source], findings: Findings) -> pl.DataFrame:
    """Reads FOL qrels; an invalid row is excluded, and its problem is added to `findings`.

    Each row contains the number of highlighted characters and the length of the document. If text is highlighted, the row also contains the
    best entry point (-1 if missing) and the passages. If a row has an entry point but no passages, the positions of its highlighted
    characters are unknown, and only their number is read.

    Returns:
        A table with one row for each passage, or for a document without passages: topic_id, doc_id, relchars, docchars, bep, start, length and
        the columns of `PLACE`. The passages of a line have the same number of a row, which is unique among all files.
    """
    parts, before = [], 0
    for source in sources:
        lines = tokens(source, findings)
        few = pl.col("tokens").list.len() < 5
        for line, words in lines.filter(few).iter_rows():
            text = f"expected at least 5 columns (topic_id Q0 doc_id relchars docchars), found {len(words)}: {shown(' '.join(words))}"
            findings.rows.append(Problem(text, file=source.name, line=line, topic_id=words[0]))
        lines = lines.filter(~few)
        words = lines.select(pl.col("tokens").list.get(place, null_on_oob=True).alias(name) for name, place in FOL_QRELS.items())
        table = Unchecked(words, source.name, lines["line"].to_numpy(), numbers=np.arange(before, before + lines.height))
        found = checked(table, FOL_COLUMNS)
        tokens_of = lines["tokens"][found.rows["row"] - before]
        others = pl.element().filter(~pl.element().str.contains(PASSAGE))
        found.rows = found.rows.with_columns(
            pl.when(tokens_of.list.len() > 6)
            .then(tokens_of.list.slice(6))
            .alias("passages"),  # a null, which versions of polars explode alike
            without=tokens_of.list.len() == 5,
            unreadable=tokens_of.list.slice(6).list.eval(others).list.first(),
        )
        unreadable = found.rows.filter(pl.col("unreadable").is_not_null())
        unreadable = unreadable.with_columns(pl.col("unreadable").map_elements(shown, pl.String))
        found.leave_out(unreadable, "expected passages as offset:length, found {unreadable}")
        found.leave_out(
            found.rows.filter("without", pl.col("relchars") > 0),
            "relchars: expected the sum of the passages' lengths (0), found {relchars}",
        )
        before += lines.height
        parts.append(found.told(findings).drop("without", "unreadable"))
    numbers = (pl.col("passages").str.extract(PASSAGE, group).cast(pl.Int64) for group in (1, 2))
    rows = pl.concat(parts).explode("passages").with_columns(pl.when(pl.col("bep") >= 0).then("bep").alias("bep"))
    return rows.with_columns(number.alias(name) for name, number in zip(("start", "length"), numbers, strict=True))
