"""Reads files of documents to judge, as `plan` writes them and as spreadsheets save them."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from inexmetrics.collection.sheets import COUNT, GRADES, Sheet
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import plural
from inexmetrics.reading.checker import Rule, Unchecked
from inexmetrics.reading.files import text_of
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.in_memory.sheets import sheet_of
from inexmetrics.reading.parquet import ParquetTable, is_parquet
from inexmetrics.reading.recognise import SEPARATORS, Source
from inexmetrics.reading.rules import BOUNDED_GRADE, grade_rule
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
        return sheet_of(table, findings, _scale(facts, grade), facts, topics)
    except CollectionError as error:
        findings.files += error.problems
        return None


def _scale(facts: Mapping[str, str], grade: Rule) -> Rule:
    """Returns the rule for grades: the scale that the plan states, unless the caller states a scale."""
    stated = re.fullmatch(r"(\S+) to (\S+)", facts.get(GRADES, ""))
    if grade is not BOUNDED_GRADE or stated is None:
        return grade
    try:
        rule = grade_rule(tuple(map(float, stated.groups())))
    except ValueError:  # somebody changed the line
        return grade
    return replace(rule, expected=f"{rule.expected} as the plan states (grades=, --grades state another scale)")


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
