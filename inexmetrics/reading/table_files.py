"""Tables of judgements and results in files: separated values with a header, JSON Lines, Parquet."""

from __future__ import annotations

import codecs
import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Final

import polars as pl

from inexmetrics.collection.runs import Order
from inexmetrics.collection.schemas import RESULTS
from inexmetrics.common.errors import CollectionError
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.column_names import ALIASES, understood
from inexmetrics.reading.files import bare_name
from inexmetrics.reading.findings import Findings, shown
from inexmetrics.reading.in_memory.judgements import judgement_tables
from inexmetrics.reading.in_memory.spreadsheets import table_of
from inexmetrics.reading.in_memory.tabular import from_columns
from inexmetrics.reading.in_memory.whole_runs import by_run, once, results_in, unordered
from inexmetrics.reading.line_files.lines import lines_of
from inexmetrics.reading.line_files.rows import Retrieved, Rows
from inexmetrics.reading.recognise import Source

__all__ = ["read_judgement_files", "read_result_file", "table_in"]

NAMES: Final = frozenset(chain(ALIASES, *ALIASES.values()))
"""All names of the columns that are understood."""
DECODER: Final = json.JSONDecoder(object_pairs_hook=tuple)
"""Reads objects as pairs, so that a name that stands twice is seen."""


def read_judgement_files(
    sources: Sequence[Source], beside: Sequence[Unchecked], findings: Findings, *, merge_passages: bool
) -> dict[str, pl.DataFrame]:
    """The judgements in tables, by their name in `Assessments`; all but the passages with their place.

    Args:
        sources: The files.
        beside: Tables that are read from elsewhere.
        findings: Where problems go; the rows concerned are left out.
        merge_passages: Whether passages that overlap or touch become one.
    """
    tables = [table for source in sources if (table := table_in(source, findings)) is not None]
    try:
        return judgement_tables([*tables, *beside], None, findings, merge_passages=merge_passages)
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
    runs = []
    for run_id, taken, rows in by_run(found.rows, order):
        lines = rows.select(pl.coalesce("line", "row")).to_series().to_numpy()
        results = Rows(rows.select("topic_id", *RESULTS), source.name, lines)
        runs.append(Retrieved(results, run_id, taken))
    return runs


def table_in(source: Source, findings: Findings) -> Unchecked | None:
    """The table in a file; None for one that cannot be read."""
    try:
        raw = source.content()
        if raw.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{"):
            return _json_lines(raw, source, findings)
        return table_of(raw, source.name, findings)
    except CollectionError as error:
        findings.files += error.problems
        return None


def _json_lines(raw: bytes, source: Source, findings: Findings) -> Unchecked | None:
    """The objects of a file, one a line; what one lacks is missing. None where all lines are wrong."""
    columns: dict[str, list[object]] = {}
    others: dict[str, object] = {}
    lines: list[int] = []
    for number, line in enumerate(lines_of(raw, source, findings), start=1):
        if line.strip():
            try:
                row = _json_object(line)
            except CollectionError as error:
                findings.rows.extend(replace(problem, file=source.name, line=number) for problem in error.problems)
            else:
                # Others of later lines are not looked for: each line may have its own.
                others = others if lines else {name: value for name, value in row.items() if name not in NAMES}
                for name in (row.keys() & NAMES) - columns.keys():
                    columns[name] = [None] * len(lines)
                for name, values in columns.items():
                    values.append(row.get(name))
                lines.append(number)
    table = from_columns({name: columns[name] for name in sorted(columns)})
    return Unchecked(table, source.name, lines, elsewhere=others) if lines else None


def _json_object(line: str) -> dict[str, object]:
    """The object on a line, whose understood values are texts and numbers; raises `CollectionError` for anything else."""
    try:
        pairs = DECODER.decode(line)
    except (ValueError, RecursionError):
        pairs = None
    if not isinstance(pairs, tuple):
        raise CollectionError(f"expected a JSON object, found {shown(line)}")
    row: dict[str, object] = {}
    for name, value in pairs:
        if name in row:
            raise CollectionError(f"expected each name of a JSON object once, found {shown(name)} again")
        row[name] = value
    if any(isinstance(value, (tuple, list)) for value in row.values()):
        nested = [name for name in understood(row).values() if isinstance(row[name], (tuple, list))]
        if nested:
            raise CollectionError(f"{nested[0]}: expected a text or a number, found {shown(json.dumps(json.loads(line)[nested[0]]))}")
    return row
