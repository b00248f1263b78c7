"""A result as a notebook shows it: frozen HTML, with the chart as a picture, and without scripts."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from html import escape
from typing import Final

from inexmetrics.common.cells import columns_of
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import plural, printable
from inexmetrics.common.tables import constant_cells, constant_columns, rests_on_tests
from inexmetrics.report.charts.drawing import drawn
from inexmetrics.report.reportable import Reportable

__all__ = ["notebook_html"]

ROWS: Final = 10
"""Rows of the first table that are shown."""
NUMBER: Final = ' style="text-align: right; font-variant-numeric: tabular-nums"'


def notebook_html(result: Reportable) -> str:
    """The formula, the data, the finding, the head of the first table, and the chart, where the extra ``plot`` is installed."""
    facts = "<br>".join(escape(printable(text)) for text in (str(result.origin), *result.warnings))
    head = f"<p><code>{escape(str(result.experiment))}</code><br>{facts}</p>\n<p>{escape(printable(result.finding))}</p>"
    return "\n".join(["<div>", head, *_table(result), *_chart(result), "</div>"])


def _table(result: Reportable) -> Iterator[str]:
    name, rows = next(iter(result.tables)), result.as_asked()
    constant = constant_columns(rows)
    if said := "; ".join(f"{column}: {cell}" for column, cell in constant_cells(rows, constant, result.smallest_p).items()):
        yield f"<p>{escape(said)}</p>"
    columns = columns_of(rows.drop(constant).head(ROWS), result.smallest_p)
    marks = [NUMBER if column.numeric else "" for column in columns]
    yield '<div style="overflow-x: auto"><table>'
    yield f"<thead><tr>{''.join(f'<th{mark}>{escape(column.name)}</th>' for column, mark in zip(columns, marks, strict=True))}</tr></thead>"
    yield "<tbody>"
    for cells in zip(*(column.cells for column in columns), strict=True):
        yield f"<tr>{''.join(f'<td{mark}>{escape(cell)}</td>' for cell, mark in zip(cells, marks, strict=True))}</tr>"
    yield "</tbody></table></div>"
    notes = [result.tested] if result.tested is not None and rests_on_tests(rows) else []
    if rows.height > ROWS:
        notes.append(f"the first {ROWS} of {plural(rows.height, 'row')}; all: .table")
    if others := [f".tables[{other!r}]" for other in result.tables if other != name]:
        notes.append(f"further tables: {', '.join(others)}")
    if notes:
        yield f"<p>{'<br>'.join(map(escape, notes))}</p>"


def _chart(result: Reportable) -> Iterator[str]:
    """The chart on white, as the themes of notebooks do not say whether they are dark."""
    if importlib.util.find_spec("vl_convert") is None:
        return
    try:
        yield f'<div style="background: white; color: black; overflow-x: auto">{drawn(result, ".svg").decode()}</div>'
    except CollectionError:
        return
