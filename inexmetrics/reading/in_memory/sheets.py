"""Reads sheets of documents to judge: tables with the columns topic_id, doc_id, grade, probability and stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import polars as pl

from inexmetrics.collection.sheets import SHEET, Sheet, SheetTable
from inexmetrics.common.errors import Problem
from inexmetrics.common.messages import plural
from inexmetrics.reading import rules
from inexmetrics.reading.checker import Checked, Rule, Unchecked, checked
from inexmetrics.reading.findings import Findings, shown

__all__ = ["is_sheet", "sheet_of"]

COLUMNS: Final = tuple(replace(column, holds=None) if column.name == "probability" else column for column in rules.columns(SheetTable))
"""The declared columns. Wrong probabilities are counted in one message."""


def is_sheet(table: Unchecked) -> bool:
    """Returns whether a table has all columns of a sheet."""
    return SHEET.keys() <= {*table.frame.columns}


def sheet_of(table: Unchecked, findings: Findings, grade: Rule, facts: Mapping[str, str], topics: tuple[str, ...] = ()) -> Sheet:
    """Returns the sheet in a table; problems are added to `findings`.

    Args:
        table: The table.
        findings: The object to which problems are added. Documents in several rows and wrong probabilities are one problem each.
        grade: The condition that a valid grade satisfies.
        facts: What the lines above the table state.
        topics: Topics of the plan without a document in the table.

    Raises:
        CollectionError: A column is missing.
    """
    found = checked(table, COLUMNS, [grade])
    findings.rows.extend(found.problems)
    rows = _without(
        found, pl.struct("topic_id", "doc_id").is_duplicated(), "expected each document in one row, found {} in several", findings
    )
    outside = ~((rows["probability"] > 0.0) & (rows["probability"] <= 1.0))
    rows = _without(Checked(rows, []), outside, "expected probabilities above 0 and at most 1, found {} with another one", findings)
    return Sheet(rows.select(list(SHEET)), facts, table.what if table.lines is not None else "", topics)


def _without(found: Checked, wrong: pl.Expr | pl.Series, message: str, findings: Findings) -> pl.DataFrame:
    """Returns the rows that are not wrong; the others are one problem, with their number and the first of them."""
    rows = found.rows.with_columns(wrong=wrong)
    bad = rows.filter("wrong")
    if not bad.is_empty():
        first = bad.row(0, named=True)
        documents = bad.select("topic_id", "doc_id").n_unique()
        text = message.format(plural(documents, "document"))
        named = (
            f"such as {shown(first['doc_id'])} with {first['probability']:g}"
            if "probabilities" in message
            else f"such as {shown(first['doc_id'])}"
        )
        findings.rows.append(Problem(f"{text}, {named}", file=first["file"], line=first["line"], topic_id=first["topic_id"]))
    return rows.filter(~pl.col("wrong")).drop("wrong")
