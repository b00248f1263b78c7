"""A result as one page of HTML that needs nothing else: formula, data, tables, chart, and how to make it again."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from html import escape
from typing import Final

import polars as pl

from inexmetrics.collection.topics import Topics
from inexmetrics.common.cells import columns_of
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import printable
from inexmetrics.common.tables import rests_on_tests
from inexmetrics.common.version import __version__
from inexmetrics.report.charts.drawing import drawn
from inexmetrics.report.reportable import Reportable

__all__ = ["page_of"]

ROWS: Final = 500
"""Rows of a table that the page shows; more make it slow, and belong in a file of data."""

STYLE: Final = """
:root { color-scheme: light dark; --line: #8c96a044; --faint: #6b7680; --strip: #8c96a014; --page: #fff; }
@media (prefers-color-scheme: dark) { :root { --faint: #9aa5b1; --page: #14171a; } }
body { font: 15px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; max-width: 76rem; margin: 2.5rem auto; padding: 0 1.5rem; background: var(--page); }
h1 { font: 600 1.25rem/1.4 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 2.2rem 0 .6rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1.2rem; margin: 1rem 0; }
dt { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow: auto; scrollbar-gutter: stable; max-height: 34rem; border: 1px solid var(--line); border-radius: 6px; width: fit-content; max-width: 100%; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: .28rem .8rem; text-align: left; white-space: nowrap; }
th { position: sticky; top: 0; background: var(--page); box-shadow: inset 0 -1px var(--line); font-weight: 600; }
tbody tr:nth-child(even) { background: var(--strip); }
.number { text-align: right; }
.note { color: var(--faint); font-size: 13px; }
.title { color: var(--faint); margin-left: .6em; }
.warnings { border-left: 3px solid #E69F00; margin: 1rem 0; padding: .1rem 0 .1rem 1.8rem; }
figure { margin: 0; overflow-x: auto; } figure svg { max-width: 100%; height: auto; }
pre { background: var(--strip); border-radius: 6px; padding: .8rem 1rem; overflow-x: auto; font-size: 13px; }
""".strip()


def page_of(result: Reportable, command: str | None = None, topics: Topics | None = None) -> str:
    """The page.

    Without the packages of the extra ``plot`` a note takes the chart's place.

    Args:
        result: The result.
        command: The command line that makes it again, or None if it was made in Python.
        topics: The topics, whose titles are shown beside their identifiers.
    """
    body = [f"<h1>{escape(str(result.experiment))}</h1>", *_facts(result), *_chart(result)]
    for name in result.tables:
        body += _table(result, name, topics)
    body += _again(result, command)
    title = escape(str(result.experiment))
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            f'<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>',
            f"<style>{STYLE}</style></head>",
            "<body>",
            *body,
            "</body>",
            "</html>",
            "",
        ]
    )


def _facts(result: Reportable) -> Iterator[str]:
    """The data of the result, and its warnings."""
    origin = result.origin
    facts = {
        "topics": str(origin.topics),
        "runs": str(origin.runs),
        "assessments": ", ".join(origin.assessments),
        "order of results": origin.order,
        "preparation": ", ".join(origin.prepare),
        "evaluator followed": result.compat or "",
        "fingerprint of the data": origin.fingerprint,
        "inexmetrics": __version__,
    }
    yield "<dl>"
    yield from (f"<dt>{name}</dt><dd>{escape(printable(text))}</dd>" for name, text in facts.items() if text)
    yield "</dl>"
    if result.warnings:
        yield '<ul class="warnings">'
        yield from (f"<li>{escape(printable(text))}</li>" for text in result.warnings)
        yield "</ul>"


def _chart(result: Reportable) -> Iterator[str]:
    if importlib.util.find_spec("vl_convert") is None:
        yield '<p class="note">No chart: it needs <code>pip install "inexmetrics[plot]"</code>.</p>'
        return
    try:
        yield f"<figure>{drawn(result, '.svg', background='transparent').decode()}</figure>"
    except CollectionError as error:
        yield f'<p class="note">No chart: {escape(str(error))}.</p>'


def _table(result: Reportable, name: str, topics: Topics | None) -> Iterator[str]:
    rows: pl.DataFrame = result.tables[name]
    columns = columns_of(rows.head(ROWS), result.smallest_p)
    marks = [' class="number"' if column.numeric else "" for column in columns]
    yield f"<h2>{escape(name)}</h2>"
    yield '<div class="scroll"><table>'
    yield f"<thead><tr>{''.join(f'<th{mark}>{escape(column.name)}</th>' for column, mark in zip(columns, marks, strict=True))}</tr></thead>"
    yield "<tbody>"
    titles = [_titles(topics) if column.name == "topic_id" else {} for column in columns]
    for cells in zip(*(column.cells for column in columns), strict=True):
        shown = (f"<td{mark}>{escape(cell)}{of.get(cell, '')}</td>" for cell, mark, of in zip(cells, marks, titles, strict=True))
        yield f"<tr>{''.join(shown)}</tr>"
    yield "</tbody></table></div>"
    if result.tested is not None and rests_on_tests(rows):
        yield f'<p class="note">{escape(result.tested)}</p>'
    if rows.height > ROWS:
        yield f'<p class="note">The first {ROWS} of {rows.height} rows.</p>'


def _titles(topics: Topics | None) -> dict[str, str]:
    """The title of each topic that has one, as shown after its identifier."""
    known = () if topics is None else topics.topics
    return {topic.topic_id: f' <span class="title">{escape(topic.title)}</span>' for topic in known if topic.title is not None}


def _again(result: Reportable, command: str | None) -> Iterator[str]:
    """How to make the result again, with the same bits."""
    yield "<h2>To make this again</h2>"
    if command is not None:
        yield f"<pre>{escape(command)}</pre>"
    compat = "" if result.compat is None else f", compat={str(result.compat)!r}"
    python = f"from inexmetrics import run\n\nresult = run({str(result.experiment)!r}, collection{compat})"
    yield f"<pre>{escape(python)}</pre>"
    yield (
        f'<p class="note">With version {__version__} and data of fingerprint {escape(result.origin.fingerprint)}, '
        "on any machine, the numbers are the same to the last bit.</p>"
    )
