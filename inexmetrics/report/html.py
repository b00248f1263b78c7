"""Pages of results, and the display of results in notebooks, as HTML without scripts.

A page is self-contained. It contains question, finding, data, a chart, tables, and the command that repeats the result. In a notebook,
tables have the same layout as in a terminal, and the chart is a picture.
"""

from __future__ import annotations

import base64
import importlib.util
import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from html import escape
from typing import Final

import polars as pl

from inexmetrics.collection.topics import Topics
from inexmetrics.common import errors, public_names
from inexmetrics.common.cells import FormattedColumn, columns_of
from inexmetrics.common.messages import filled, install_command, plural, printable
from inexmetrics.common.tables import constant_cells, constant_columns, rests_on_tests, with_quantisations
from inexmetrics.report.charts.drawing import drawn, inline, longest, notes_of
from inexmetrics.report.forms import CONDITION, Reportable, alternative_text, caption_of
from inexmetrics.report.text import Printed, Shown, arranged, with_named
from inexmetrics.simulations.sample import sample

__all__ = ["OWN_ID", "notebook_html", "page_of", "python_again", "table_html"]

ROWS: Final = 500
"""Maximum number of rows of a table that the page shows; more rows make the page slow."""

FOLDED: Final = 100
"""Maximum number of rows of a table that is not collapsed; the first table on the page is never collapsed."""
EMBEDDED: Final = 2_000_000
"""Maximum size in bytes of a table's CSV that is embedded in the page."""
KEYS: Final = (*CONDITION, "predictor", "truth", "judge")
"""Columns that identify the condition of a row; a shortened table has the same maximum number of rows for each condition."""

MARK: Final = re.compile(r'<path aria-label="([^"]*)" (role="graphics-symbol"[^>]*?)(?:/>|></path>)')
"""Matches a chart mark that has a title."""
WIDE: Final = re.compile(r'<svg\b[^>]* width="(\d+)')
"""Matches the beginning of an SVG picture, up to its width."""
OWN_ID: Final = re.compile(r'(\bid="|url\(#|href="#)')
"""Matches identifiers in SVG pictures, and references to identifiers, so that each picture's identifiers can be given a prefix."""
ROWS_IN_PRINT: Final = 60
"""A chart with at most this number of rows has the same form in print and on screen. A longer chart is printed with only the first rows
that fit on a page."""
WIDTH: Final = 160
"""Maximum width, in characters, of a table with conditions side by side."""

STYLE: Final = """
:root { color-scheme: light dark; --line: #8c96a044; --faint: #57616b; --strip: #8c96a014; --more: #57616b60; --page: #fff; --link: #0b5fa5; }
@media (prefers-color-scheme: dark) { :root { --faint: #a3aeb9; --more: #a3aeb960; --page: #14171a; --link: #7db8f0; } }
body { font: 15px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; max-width: 76rem; margin: 2.5rem auto; padding: 0 1.5rem; background: var(--page); }
a { color: var(--link); }
h1 { font: 600 1.25rem/1.4 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; margin-bottom: .3rem; }
h2 { font-size: 1.05rem; margin: 2.2rem 0 .4rem; }
p { margin: .4rem 0; max-width: 52rem; overflow-wrap: break-word; }
.finding { font-size: 1.15rem; margin: 1rem 0; }
nav ul { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; padding: 0; margin: 1rem 0; list-style: none; }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .15rem 1.2rem; margin: 1rem 0; }
dt { color: var(--faint); overflow-wrap: anywhere; } dd { margin: 0; overflow-wrap: anywhere; }
.columns { display: none; font-size: 13px; }
@media (hover: none) { .columns { display: grid; } }
abbr { text-decoration: underline dotted; text-underline-offset: .2em; cursor: help; }
summary { cursor: pointer; margin: .4rem 0; }
.scroll { overflow: auto; max-height: 34rem; border: 1px solid var(--line); border-radius: 6px; width: fit-content; max-width: 100%; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: .28rem .8rem; text-align: left; white-space: nowrap; }
th { position: sticky; top: 0; background: var(--page); box-shadow: inset 0 -1px var(--line); font-weight: 600; }
tbody tr:nth-child(even) { background: var(--strip); }
.number { text-align: right; }
.note { color: var(--faint); font-size: 13px; overflow-wrap: anywhere; }
.title { color: var(--faint); margin-left: .6em; }
.warnings { border-left: 3px solid #E69F00; margin: 1rem 0; padding: .1rem 0 .1rem 1.8rem; overflow-wrap: anywhere; }
figure { margin: 0; } figure svg { max-width: 100%; height: auto; }
@media screen and (max-width: 44em) { figure svg { max-width: max(100%, calc(.7 * var(--drawn))); } figure { overflow-x: auto; } figcaption { position: sticky; left: 0; } }
@media screen and (min-width: 44em) { .scroll table { margin-right: 15px; } }  /* room for a scroll bar of long tables */
@media screen { figure, .scroll { background: linear-gradient(90deg, var(--page) 40%, #0000) 0 0 / 3rem 100% no-repeat local,
  linear-gradient(-90deg, var(--page) 40%, #0000) 100% 0 / 3rem 100% no-repeat local, linear-gradient(90deg, var(--more), #0000) 0 0 / 1rem 100% no-repeat,
  linear-gradient(-90deg, var(--more), #0000) 100% 0 / 1rem 100% no-repeat; } }  /* many browsers hide scroll bars: a shadow at a side where more can be scrolled into view */
pre { background: var(--strip); border-radius: 6px; padding: .8rem 1rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 13px; }
.print { display: none; }
@media print {
  .screen { display: none; }
  .print { display: block; }
  @page { margin: 15mm; }
  body { font-size: 10pt; max-width: none; margin: 0; padding: 0; }
  nav, .download { display: none; }
  .columns { display: grid; font-size: 8pt; }
  .scroll { max-height: none; overflow: visible; border: 0; }
  table { font-size: 7.5pt; }
  thead { display: table-header-group; }
  th { position: static; }
  th, td { padding: .1rem .35rem; white-space: normal; }
  th { overflow-wrap: anywhere; }
  .number { white-space: nowrap; }
  tr, figure, pre, dl.facts { break-inside: avoid; }
  figure svg { max-height: 15cm; width: auto; }  /* beneath the finding and the facts, so that the first page is not left empty */
  h2 { break-after: avoid; }
  abbr { text-decoration: none; }
}
""".strip()


def page_of(result: Reportable, command: str | None = None, topics: Topics | None = None, reading: str | None = None) -> str:
    """Returns the HTML page of a result; if the packages of the extra ``plot`` are not installed, a note replaces the chart.

    Args:
        result: The result.
        command: The command that repeats the result; None if the result was computed in Python.
        topics: Topics, whose titles are shown in the tables.
        reading: Python code that reads the data into `collection`; None if the code is unknown.
    """
    question = " ".join((inspect.getdoc(type(result.experiment)) or "").partition("\n\n")[0].split())
    warned = [f"<li>{escape(printable(text))}</li>" for text in result.warnings]
    # the summary is first, then short tables, then long tables; within each group, tables are in the order of the result
    tables = sorted(result.tables, key=lambda name: (name != "summary", result.tables[name].height > FOLDED))
    links = {"chart": "chart", **{f"table-{name}": name for name in tables}, "data": "data", "again": "how to repeat it"}
    body = [
        f"<h1>{escape(str(result.experiment))}</h1>",
        f"<p>{escape(question)}</p>",
        f'<p class="finding">{escape(printable(result.finding))}</p>',
        f'<p class="note">{escape(printable(str(result.origin)))}</p>',
        *(['<ul class="warnings">', *warned, "</ul>"] if warned else []),
        "<nav><ul>",
        *(f'<li><a href="#{escape(place)}">{escape(text)}</a></li>' for place, text in links.items()),
        "</ul></nav>",
        *_chart(result),
    ]
    for place, name in enumerate(tables):
        body += _table(result, name, topics, first=place == 0)
    origin = result.origin
    facts = {
        "data": origin.name,
        "topics": str(origin.topics),
        "runs": str(origin.runs or ""),
        "averaged": str(origin.systems or ""),
        "assessments": ", ".join(origin.assessments),
        "order of results": origin.order,
        "preparation": ", ".join(origin.prepare),
        "evaluator followed": result.compat or "",
        "fingerprint of the data": origin.fingerprint,
        "inexmetrics": public_names.__version__,
    }
    body += [
        '<h2 id="data">Data</h2>',
        '<dl class="facts">',
        *(f"<dt>{name}</dt><dd>{escape(printable(text))}</dd>" for name, text in facts.items() if text),
        "</dl>",
        '<h2 id="again">How to repeat it</h2>',
        *(f"<pre>{escape(text)}</pre>" for text in (command, python_again(result, reading)) if text is not None),
        f'<p class="note">With version {public_names.__version__} and data of fingerprint {escape(origin.fingerprint)}, '
        "the scores are the same to the last bit on any machine; other numbers differ at most in the last digits.</p>",
    ]
    title = escape(str(result.experiment))
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            f'<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>',
            f"<style>{STYLE}</style></head>",
            "<body><main>",
            *body,
            "</main></body>",
            "</html>",
            "",
        ]
    )


def _chart(result: Reportable) -> Iterator[str]:
    if importlib.util.find_spec("vl_convert") is None:
        yield f'<p class="note" id="chart">No chart: charts need the extra plot. {escape(install_command("plot"), quote=False)}.</p>'
        return
    try:
        picture = MARK.sub(_titled, inline(result, title=False))
        label = f'<svg role="graphics-document" aria-label="{escape(alternative_text(result))}"'
        said = "<br>".join(escape(printable(note)) for note in notes_of(result))
        shown = picture.replace("<svg", label, 1)
        if longest(result) > ROWS_IN_PRINT:
            of_page = OWN_ID.sub(r"\1print-", inline(result, width="page", title=False)).replace("<svg", label, 1)
            shown = f'<div class="screen">{shown}</div><div class="print">{of_page}</div>'
        yield f'<figure id="chart" style="--drawn: {_width(picture)}px"><figcaption class="note">{said}</figcaption>{shown}</figure>'
    except errors.CollectionError as error:
        yield f'<p class="note" id="chart">No chart: {escape(str(error))}.</p>'


def _width(picture: str) -> int:
    """Returns the width at which an SVG picture was drawn, in pixels."""
    found = WIDE.search(picture)
    return int(found[1]) if found else 0


def _titled(mark: re.Match[str]) -> str:
    """Returns a chart mark with a title, which is shown on hover and read by screen readers.

    Numbers in the title are rounded to four significant digits. The title of a line omits all numbers, because they would describe only the
    first point of the line.
    """
    line = "line mark" in mark[2]
    parts = [part for part in mark[1].split("; ") if not (line and re.search(r": [-\d.e]+$", part))]
    title = re.sub(r"\d+\.\d{5,}(?:e-?\d+)?", lambda number: f"{float(number[0]):.4g}", "; ".join(parts))
    return f"<path {mark[2]}><title>{title}</title></path>"


def _table(result: Reportable, name: str, topics: Topics | None, *, first: bool) -> Iterator[str]:
    whole = result.tables[name]
    stated = result.stated.get(name)
    explained = (
        {} if stated is None else {column: f"{said.text} ({said.type_text})".replace("`", "") for column, said in stated.columns().items()}
    )
    yield f'<h2 id="table-{escape(name)}">{escape(name)}</h2>'
    if stated is not None and stated.__doc__:
        yield f"<p>{escape(caption_of(stated, whole))}</p>"
    forms = [form for form in result.printed() if form.table == name]
    if forms and sum(form.frame.height for form in forms) < whole.height:
        yield from _side_by_side(result, forms, explained)
    else:
        yield from _long(result, name, explained, topics, first=first)
    if (tested := result.tested_in(whole.columns)) is not None and rests_on_tests(whole):
        yield f'<p class="note">{escape(tested)}</p>'
    yield '<dl class="columns">'
    yield from (f"<dt>{escape(column)}</dt><dd>{escape(explained[column])}</dd>" for column in whole.columns if column in explained)
    yield "</dl>"
    content = whole.write_csv().encode()
    if len(content) <= EMBEDDED:
        file = f"{escape(name)}.csv"
        link = f'<a download="{file}" href="data:text/csv;charset=utf-8;base64,{base64.b64encode(content).decode()}">{file}</a>'
        yield f'<p class="note download">{link}, {plural(whole.height, "row")} at full precision</p>'
    else:
        yield (
            f'<p class="note">All {whole.height} rows are {len(content) / 1e6:.0f} MB of CSV: <code>--table {escape(name)} --format csv '
            f"--output {escape(name)}.csv</code>, or in Python <code>result.tables[{escape(repr(name))}].write_csv(…)</code>.</p>"
        )


def _side_by_side(result: Reportable, forms: Sequence[Printed], explained: Mapping[str, str]) -> Iterator[str]:
    """Formats a table as on a terminal, with conditions, levels or numbers of topics in columns; collapses later parts of long tables."""
    name = forms[0].table
    shown, _ = arranged({name: result.tables[name]}, forms, width=WIDTH, rows="all", smallest_p=result.smallest_p, same_p=result.same_p)
    fold = sum(part.block.height for part in shown) > FOLDED
    for number, part in enumerate(shown):
        folded = fold and number > 0
        above = escape(" ".join(" ".join(part.block.above).split()))
        yield f"<details><summary>{above or plural(part.block.height, 'row')}</summary>" if folded else f'<p class="note">{above}</p>'
        yield from _rows(name, part.block.columns, explained, None)
        if folded:
            yield "</details>"


def _long(result: Reportable, name: str, explained: Mapping[str, str], topics: Topics | None, *, first: bool) -> Iterator[str]:
    """Formats a table with all columns except constant columns, which are stated above the table."""
    whole = with_quantisations(result.tables[name])
    constant = [column for column in constant_columns(whole) if column in explained]
    keys = [key for key in KEYS if key in whole.columns]
    shown = result.as_asked(name).select(whole.columns)
    if shown.height > ROWS:  # the same number of rows is kept for each condition
        most = max(ROWS // shown.select(keys).n_unique(), 1) if keys else ROWS
        shown = shown.filter((pl.int_range(pl.len()).over(keys) if keys else pl.int_range(pl.len())) < most).head(ROWS)
    once = "; ".join(f"{column}: {cell}" for column, cell in constant_cells(shown, constant, result.smallest_p).items())
    if once:
        yield f'<p class="note">{escape(once)}</p>'
    folded = whole.height > FOLDED and not first
    if folded:
        yield f"<details><summary>{plural(whole.height, 'row')}</summary>"
    yield from _rows(name, columns_of(shown.drop(constant), result.smallest_p), explained, topics)
    if shown.height < whole.height:
        conditions = shown.select(keys).n_unique() if keys else 1
        each = f", {shown.height // conditions} of each condition." if conditions > 1 else "."
        yield f'<p class="note">The first {shown.height} of {whole.height} rows{each}</p>'
    if folded:
        yield "</details>"


def _rows(name: str, columns: Sequence[FormattedColumn], explained: Mapping[str, str], topics: Topics | None) -> Iterator[str]:
    """Formats rows as an HTML table that can be scrolled with the keyboard; hovering over a heading shows the meaning of the column."""
    marks = [' class="number"' if column.numeric else "" for column in columns]
    heads = [
        f'<abbr title="{escape(explained[column.name])}">{escape(column.name)}</abbr>' if column.name in explained else escape(column.name)
        for column in columns
    ]
    yield f'<div class="scroll" tabindex="0" role="region" aria-label="table {escape(name)}"><table>'
    yield f"<thead><tr>{''.join(f'<th{mark}>{head}</th>' for head, mark in zip(heads, marks, strict=True))}</tr></thead>"
    yield "<tbody>"
    known = () if topics is None else topics.topics
    titled = {topic.topic_id: f' <span class="title">{escape(printable(topic.title))}</span>' for topic in known if topic.title is not None}
    titles = [titled if column.name == "topic_id" else {} for column in columns]
    for cells in zip(*(column.cells for column in columns), strict=True):
        shown = (f"<td{mark}>{escape(cell)}{of.get(cell, '')}</td>" for cell, mark, of in zip(cells, marks, titles, strict=True))
        yield f"<tr>{''.join(shown)}</tr>"
    yield "</tbody></table></div>"


def python_again(result: Reportable, reading: str | None) -> str:
    """Returns Python code that repeats the result; `reading` is the code that reads the data into `collection`, or None if unknown."""
    compat = "" if result.compat is None else f", compat={str(result.compat)!r}"
    formula = repr(str(result.experiment))
    built_in = sample()
    facts = (len(built_in.topics), built_in.kinds)
    if (result.origin.topics, result.origin.assessments) == facts and result.origin.fingerprint == built_in.fingerprint:
        return f"from inexmetrics import run, sample\n\nresult = run({formula}, sample(){compat})"
    data = reading or "collection = …  # read the same data"
    return f"{data}\n\nfrom inexmetrics import run\n\nresult = run({formula}, collection{compat})"


NOTEBOOK_WIDTH: Final = 160
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
    above = len(filled(str(result.origin), NOTEBOOK_WIDTH).splitlines()) + len(filled(result.finding, NOTEBOOK_WIDTH).splitlines()) + 2
    shown, below = arranged(
        result.tables,
        forms,
        width=NOTEBOOK_WIDTH,
        above=above,
        smallest_p=result.smallest_p,
        note=result.tested,
        same_p=result.same_p,
        how=HOW,
    )
    parts = [html for part in shown for html in table_html(part)]
    chart: list[str] = []
    if importlib.util.find_spec("vl_convert") is not None:
        with suppress(errors.CollectionError):  # Nothing can be drawn.
            # The background is white, because HTML cannot determine whether the theme of the notebook is dark.
            chart = [f'<div style="background: white; color: black; overflow-x: auto">{drawn(result, ".svg").decode()}</div>']
    return "\n".join(["<div>", head, *parts, *_lines(below), *chart, "</div>"])


def table_html(part: Shown) -> Iterator[str]:
    """Yields a table, or a part of a table, as HTML that can be scrolled with the keyboard."""
    for text in part.block.above:
        yield from [f"<p><b>{escape(text)}</b></p>"] if text == part.block.table else _lines(text)
    styles = [NUMBER if column.numeric else TEXT for column in part.block.columns]
    heads = (f'<th style="{style}">{escape(column.name)}</th>' for column, style in zip(part.block.columns, styles, strict=True))
    yield f'<div class="scroll" style="overflow-x: auto" tabindex="0" role="region" aria-label="table {escape(part.block.table)}"><table>'
    yield f"<thead><tr>{''.join(heads)}</tr></thead>"
    yield "<tbody>"
    first, omitted, last = part.block.chosen(part.rows)
    yield from (_row_html(part, row, styles) for row in first)
    if last:
        yield f'<tr><td style="{TEXT}" colspan="{len(styles)}">{escape(omitted)}</td></tr>'
    yield from (_row_html(part, row, styles) for row in last)
    yield "</tbody></table></div>"
    if not last:
        yield from _lines(omitted)
    yield from _lines(part.note)


def _row_html(part: Shown, row: int, styles: Sequence[str]) -> str:
    above = GROUP if row in part.block.breaks else ""
    cells = (
        f'<td style="{style}{above}">{escape(column.cells[row])}</td>' for column, style in zip(part.block.columns, styles, strict=True)
    )
    return f"<tr>{''.join(cells)}</tr>"


def _lines(text: str) -> Iterator[str]:
    """Yields the text as an HTML paragraph; yields nothing if the text is empty."""
    if text:
        yield f"<p>{'<br>'.join(map(escape, text.splitlines()))}</p>"
