"""Tables of judgements and results in files: separated values with a header, JSON Lines, Parquet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from inexmetrics.collection.runs import Order
from inexmetrics.collection.schemas import RESULTS
from inexmetrics.common.errors import CollectionError
from inexmetrics.reading.checker import Rule, Unchecked
from inexmetrics.reading.files import bare_name, first_line
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.in_memory.judgements import judgement_tables
from inexmetrics.reading.in_memory.spreadsheets import table_of
from inexmetrics.reading.in_memory.whole_runs import by_run, ignored_instead_of_offsets, once, results_in, unordered
from inexmetrics.reading.json_lines import json_table
from inexmetrics.reading.line_files.rows import Retrieved, Rows
from inexmetrics.reading.recognise import Source

__all__ = ["read_judgement_files", "read_result_file", "table_in"]


def read_judgement_files(
    sources: Sequence[Source], beside: Sequence[Unchecked], findings: Findings, *, merge_passages: bool, grade: Rule
) -> dict[str, pl.DataFrame]:
    """The judgements in tables, by their name in `Assessments`; all but the passages with their place.

    Args:
        sources: The files.
        beside: Tables that are read from elsewhere.
        findings: Where problems go; the rows concerned are left out.
        merge_passages: Whether passages that overlap or touch become one.
        grade: What holds of each grade of a document.
    """
    tables = [table for source in sources if (table := table_in(source, findings)) is not None]
    try:
        return judgement_tables([*tables, *beside], None, findings, merge_passages=merge_passages, grade=grade)
    except CollectionError as error:
        findings.files += error.problems
        return {}


def read_result_file(source: Source, findings: Findings, order: Order | None) -> list[Retrieved]:
    """The results in a table: one run, named as the file is, or those that its column ``run_id`` names.

    The order of a run is taken from its scores where it has them, else from its ranks, else from the rows as they stand.

    Args:
        source: The file.
        findings: Where problems go; the rows concerned are left out.
        order: What the order is taken from instead.
    """
    table = table_in(source, findings)
    if table is None:
        return []
    try:
        found = results_in(table, Path(bare_name(source.path)).stem, order)
        findings.warnings += unordered(table, order)
    except CollectionError as error:
        findings.files += error.problems
        return []
    once(found)
    findings.rows.extend(found.problems)
    ignored = ignored_instead_of_offsets(table)
    runs = []
    for run_id, taken, rows in by_run(found.rows, order):
        lines = rows.select(pl.coalesce("line", "row")).to_series().to_numpy()
        results = Rows(rows.select("topic_id", *RESULTS), source.name, lines)
        runs.append(Retrieved(results, run_id, taken, ignored=ignored))
    return runs


def table_in(source: Source, findings: Findings) -> Unchecked | None:
    """The table in a file; None for one that cannot be read."""
    try:
        raw = source.content()
        if first_line(raw).startswith(b"{"):
            return json_table(raw, source.name, findings)
        return table_of(raw, source.name, findings)
    except CollectionError as error:
        findings.files += error.problems
        return None
