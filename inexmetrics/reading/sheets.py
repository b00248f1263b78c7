"""Reads files of documents to judge, as `plan` writes them and as spreadsheets save them."""

from __future__ import annotations

import csv
from typing import Final

from inexmetrics.collection.sheets import COUNT, Sheet
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import plural
from inexmetrics.reading.checker import Rule, Unchecked
from inexmetrics.reading.files import text_of
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.in_memory.sheets import sheet_of
from inexmetrics.reading.parquet import ParquetTable, is_parquet
from inexmetrics.reading.recognise import SEPARATORS, Source
from inexmetrics.reading.table_files import table_of

__all__ = ["WITHOUT_DOCUMENT", "read_sheet"]

WITHOUT_DOCUMENT: Final = "topic without a document to judge"
"""Fact that names a topic of the plan for which no document was drawn; one line for each."""


def read_sheet(source: Source, findings: Findings, grade: Rule) -> Sheet | None:
    """Returns the sheet in a file; None if the file is unreadable. Problems are added to `findings`."""
    try:
        raw = source.content()
        if is_parquet(raw):
            there = ParquetTable(raw, source.name, source.columns)
            return sheet_of(Unchecked(there.read(), source.name, called=there.called(), role="assessments"), findings, grade, {})
        text = text_of(raw, source.name)
        lines = text.splitlines(keepends=True)
        above = next((number for number, line in enumerate(lines) if line.strip().strip('",;\t') and not _is_fact(line)), len(lines))
        stated = [_fact(line) for line in lines[:above] if _is_fact(line)]
        # The lines above the table are replaced by empty lines, so that messages give the line numbers of the file.
        body = "".join("\n" for _ in lines[:above]) + "".join(lines[above:])
        table = table_of(body.encode(), source.name, findings)
        table = Unchecked(table.frame, table.what, table.lines, separator=table.separator, role="assessments").renamed(source.columns)
        topics = tuple(value for name, value in stated if name == WITHOUT_DOCUMENT)
        facts = {name: value for name, value in stated if value and name != WITHOUT_DOCUMENT}
        planned = facts.get(COUNT)
        if planned is not None and planned != str(table.frame.height):
            expected = f"expected the {planned} documents that the plan states, found {plural(table.frame.height, 'row')}"
            findings.files.append(Problem(f"{expected}; without some of the documents the estimates would be biased", file=source.name))
        return sheet_of(table, findings, grade, facts, topics)
    except CollectionError as error:
        findings.files += error.problems
        return None


def _is_fact(line: str) -> bool:
    return line.lstrip('"').startswith("#")


def _fact(line: str) -> tuple[str, str]:
    r"""Returns the name and the value that a line above the table states; spreadsheets may have split the line into cells.

    Examples:
        >>> _fact("# measure: P(rel=2)@10\n"), _fact('"# measure: RBP(p=0.5"; rel=2);;;\n')
        (('measure', 'P(rel=2)@10'), ('measure', 'RBP(p=0.5, rel=2)'))
    """
    written = line.strip("\r\n")
    separator = max(SEPARATORS, key=lambda each: (written.endswith(each), written.count(each)))
    cells = next(csv.reader([written], delimiter=separator), [])
    while cells and not cells[-1].strip():
        cells.pop()
    name, _, value = ",".join(cells).lstrip("# ").partition(":")
    return name.strip(), value.strip()
