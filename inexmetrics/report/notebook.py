"""Display of results in notebooks: static HTML without scripts, with the same tables as on a terminal, and the chart as a picture."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import suppress
from html import escape
from typing import Final

from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import filled, printable
from inexmetrics.common.tables import more_rows
from inexmetrics.report.charts.drawing import drawn
from inexmetrics.report.forms import Reportable
from inexmetrics.report.text import Shown, arranged, with_named

__all__ = ["notebook_html", "table_html"]

WIDTH: Final = 160
"""Maximum width of a table in characters; notebooks are wider than terminals, and wide tables can be scrolled."""
HOW: Final = 'all rows: .to_text(rows="all"); data: .table, .tables["NAME"]'
NUMBER: Final = "text-align: right; font-variant-numeric: tabular-nums"
TEXT: Final = "text-align: left"
GROUP: Final = "; border-top: 1px solid #8c96a0"


def notebook_html(result: Reportable) -> str:
    """Returns HTML with the formula, the data, the finding and the tables, and, if the extra ``plot`` is installed, the chart."""
    facts = "<br>".join(escape(printable(text)) for text in (str(result.origin), *result.warnings))
    head = f"<p><code>{escape(str(result.experiment))}</code><br>{facts}</p>\n<p>{escape(printable(result.finding))}</p>"
    forms = with_named(result.printed(), result.tables)
    above = len(filled(str(result.origin), WIDTH).splitlines()) + len(filled(result.finding, WIDTH).splitlines()) + 2
    shown, below = arranged(
        result.tables, forms, width=WIDTH, above=above, smallest_p=result.smallest_p, note=result.tested, same_p=result.same_p, how=HOW
    )
    parts = [html for part in shown for html in table_html(part)]
    chart: list[str] = []
    if importlib.util.find_spec("vl_convert") is not None:
        with suppress(CollectionError):  # Nothing can be drawn.
            # The background is white, because HTML cannot determine whether the theme of the notebook is dark.
            chart = [f'<div style="background: white; color: black; overflow-x: auto">{drawn(result, ".svg").decode()}</div>']
    return "\n".join(["<div>", head, *parts, *_lines(below), *chart, "</div>"])


def table_html(part: Shown) -> Iterator[str]:
    """Yields a table, or a part of a table, as HTML that can be scrolled by keyboard."""
    for text in part.block.above:
        yield from [f"<p><b>{escape(text)}</b></p>"] if text == part.block.table else _lines(text)
    styles = [NUMBER if column.numeric else TEXT for column in part.block.columns]
    heads = (f'<th style="{style}">{escape(column.name)}</th>' for column, style in zip(part.block.columns, styles, strict=True))
    yield f'<div class="scroll" style="overflow-x: auto" tabindex="0" role="region" aria-label="table {escape(part.block.table)}"><table>'
    yield f"<thead><tr>{''.join(heads)}</tr></thead>"
    yield "<tbody>"
    rows = zip(*(column.cells for column in part.block.columns), strict=True)
    for number, cells in zip(range(part.rows), rows, strict=False):
        above = GROUP if number in part.block.breaks else ""
        shown = (f'<td style="{style}{above}">{escape(cell)}</td>' for cell, style in zip(cells, styles, strict=True))
        yield f"<tr>{''.join(shown)}</tr>"
    yield "</tbody></table></div>"
    if part.rows < part.block.height:
        yield from _lines(more_rows(part.block.height - part.rows))
    yield from _lines(part.note)


def _lines(text: str) -> Iterator[str]:
    """Yields the text as an HTML paragraph; yields nothing if the text is empty."""
    if text:
        yield f"<p>{'<br>'.join(map(escape, text.splitlines()))}</p>"
