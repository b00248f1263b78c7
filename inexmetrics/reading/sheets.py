"""Reads sheets of documents to judge, in memory or in files, as `plan` writes them and as spreadsheets save them."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

import polars as pl

from inexmetrics.collection import sheets as graded_sheets
from inexmetrics.common.errors import Problem
from inexmetrics.common.messages import plural
from inexmetrics.reading import rules
from inexmetrics.reading.checker import Rule, Unchecked, checked
from inexmetrics.reading.files import is_parquet, text_of
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.recognise import SEPARATORS, Source
from inexmetrics.reading.rules import BOUNDED_GRADE, grade_rule
from inexmetrics.reading.table_files import ParquetTable, table_of

__all__ = ["WITHOUT_DOCUMENT", "is_sheet", "read_sheet", "sheet_of"]

COLUMNS: Final = tuple(
    rules.PROBABILITY if column.name == "probability" else replace(column, words=column.name == "grade")
    for column in rules.columns(graded_sheets.SheetTable)
)
CERTAIN: Final = Rule("probability", "1 in the stages 0 and 1", (pl.col("stage") == graded_sheets.DRAWN) | (pl.col("probability") == 1.0))


def is_sheet(table: Unchecked) -> bool:
    """Returns whether a table has all columns of a sheet."""
    return graded_sheets.SHEET.keys() <= {*table.frame.columns}


def sheet_of(
    table: Unchecked, findings: Findings, grade: Rule, facts: Mapping[str, str], topics: tuple[str, ...] = ()
) -> graded_sheets.Sheet:
    """Returns the sheet in a table; problems are added to `findings`.

    Args:
        table: The table.
        findings: The object to which problems are added.
        grade: The condition that a valid grade satisfies.
        facts: The statements above the table.
        topics: Topics of the plan without a document in the table.

    Raises:
        CollectionError: A column is missing.
    """
    found = checked(table, COLUMNS, [grade, CERTAIN])
    if table.frame.is_empty():
        findings.files.append(Problem("expected documents to judge, found none", file=table.what))
    found.once(("topic_id", "doc_id"), "row")
    findings.rows.extend(found.problems)
    if found.rows.height == table.frame.height:
        findings.files.extend(_changes(found.rows, facts, table.what))
    return graded_sheets.Sheet(found.rows.select(list(graded_sheets.SHEET)), facts, table.what if table.lines is not None else "", topics)


def _changes(rows: pl.DataFrame, facts: Mapping[str, str], file: str) -> Iterator[Problem]:
    """Yields errors about a valid sheet whose documents or probabilities are not those that the lines above its table state."""
    if facts.get(graded_sheets.DOCUMENTS, found := graded_sheets.documents_fingerprint(rows)) != found:
        yield Problem(
            "expected the documents and the stages that the plan states, found others; somebody replaced rows, or a spreadsheet changed names, "
            "such as 007 to 7",
            file=file,
        )
        return
    try:
        stated = float(facts[graded_sheets.PROBABILITIES])
    except (KeyError, ValueError):  # an older sheet, or somebody changed the line
        return
    if not math.isclose(graded_sheets.probabilities_check(rows), stated, rel_tol=graded_sheets.ROUNDING):
        yield Problem(
            "expected the probabilities that the plan states, found others; somebody changed, moved or rounded them. The same plan with the "
            "same seed, written to another file, shows them again",
            file=file,
        )


WITHOUT_DOCUMENT: Final = "topic without a document to judge"
"""Fact that names a topic of the plan for which no document was drawn; one line for each."""


def read_sheet(source: Source, findings: Findings, grade: Rule) -> graded_sheets.Sheet | None:
    """Returns the sheet in a file; None if the file is unreadable. Problems are added to `findings`."""
    with findings:
        raw = source.content()
        if is_parquet(raw):
            return sheet_of(ParquetTable(raw, source.name, source.columns).whole("assessments"), findings, grade, {})
        text = text_of(raw, source.name)
        lines = text.splitlines(keepends=True)
        above = next((number for number, line in enumerate(lines) if line.strip().strip('",;\t') and not _is_fact(line)), len(lines))
        stated = [_fact(line) for line in lines[:above] if _is_fact(line)]
        # The lines above the table are replaced by empty lines, so that messages give the line numbers of the file.
        body = "".join("\n" for _ in lines[:above]) + "".join(lines[above:])
        table = table_of(body.encode(), source.name, findings)
        table = _as_written(replace(table, role="assessments").renamed(source.columns))
        topics = tuple(value for name, value in stated if name == WITHOUT_DOCUMENT)
        facts = {name: value for name, value in stated if value and name != WITHOUT_DOCUMENT}
        planned = facts.get(graded_sheets.COUNT)
        if planned is not None and planned != str(table.frame.height):
            expected = f"expected the {planned} documents that the plan states, found {plural(table.frame.height, 'row')}"
            parts = planned.isdigit() and int(planned) > table.frame.height
            way = "join the parts that several people graded to one file, with one heading below the # lines; " if parts else ""
            findings.files.append(Problem(f"{expected}; {way}with other documents the estimates would be biased", file=source.name))
            facts = {name: value for name, value in facts.items() if name not in (graded_sheets.DOCUMENTS, graded_sheets.PROBABILITIES)}
        return sheet_of(table, findings, _scale(facts, grade), facts, topics)
    return None


def _as_written(table: Unchecked) -> Unchecked:
    """Returns a table as `plan` wrote it: without the decimal commas with which spreadsheets save it.

    A comma is a decimal comma only where values are separated by semicolons or tabs.
    """
    frame = table.frame
    if table.separator in (";", "\t"):
        numbers = [table.own[name] for name in ("grade", "probability") if name in table.own]
        frame = frame.with_columns(pl.col(name).str.replace(r"^(-?\d+),(\d+)$", "$1.$2") for name in numbers)
    return replace(table, frame=frame)


def _scale(facts: Mapping[str, str], grade: Rule) -> Rule:
    """Returns the rule for grades: the scale that the plan states, unless the caller states a scale."""
    stated = re.fullmatch(r"(\S+) to (\S+)", facts.get(graded_sheets.GRADES, ""))
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
