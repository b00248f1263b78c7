"""A result as an HTML fragment for another page, such as a leaderboard, with the finding, a chart, short tables and the command.

The styles of the fragment do not affect the page, and the styles of the page do not affect the fragment. Every CSS rule of the fragment
begins with the fragment's identifier, written twice, so that the rule takes precedence over the page's rules for elements, classes and
identifiers. Only ``!important`` rules of the page override the fragment's rules.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
from html import escape
from typing import Final

from inexmetrics.common import errors, messages, public_names
from inexmetrics.report.charts import composition, drawing, parts
from inexmetrics.report.forms import Reportable, alternative_text
from inexmetrics.report.html import OWN_ID, python_again, table_html
from inexmetrics.report.text import arranged

__all__ = ["card_of"]

ROWS: Final = 12
"""Maximum number of rows of each table in the fragment."""
WIDTH: Final = 110
"""Maximum width of a table in characters; wider tables omit columns that repeat other columns."""
SMALLEST: Final = 0.8
"""Minimum width of a chart, as a share of its full width; if less space is available, the chart scrolls so that its text stays legible."""
HOW: Final = "some rows or columns are not shown; repeat the evaluation to see all of the result"
DRAWN: Final = re.compile(r"<[^>]+>")
ATTRIBUTE: Final = re.compile(r' ([\w-]+)="([^"]*)"')
INHERITED: Final = (
    "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "font-family", "font-size", "font-weight", "font-style",
    "text-anchor",
)  # fmt: skip
"""SVG properties that the CSS of a page might override; the fragment's own CSS rules set these properties to the values of the chart."""
STYLE: Final = """
§ { all: initial; color-scheme: var(--inexmetrics-scheme, light dark); display: flow-root; box-sizing: border-box; max-width: 860px;
  --ink: #1b1f23; --page: #fff; --faint: #57616b; --line: #d5dade; --strip: #f5f7f899; --more: #57616b60;
  margin: 16px 0; padding: 16px 20px; border: 1px solid var(--line); border-radius: 8px; overflow-wrap: anywhere;
  font: 15px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; color: var(--ink); background: var(--page); }
@supports (color: light-dark(#000, #fff)) { § {
  --ink: light-dark(#1b1f23, #e3e7ea); --page: light-dark(#fff, #14171a); --faint: light-dark(#57616b, #a3aeb9);
  --line: light-dark(#d5dade, #3a424a); --strip: light-dark(#f5f7f899, #1d222799); --more: light-dark(#57616b60, #a3aeb960); } }
§ :where(:not(svg, svg *)) { all: revert; box-sizing: border-box; }
§ p { margin: 0 0 8px; }
§ .finding { font-size: 17px; font-weight: 600; line-height: 1.4; }
§ .note { color: var(--faint); font-size: 13px; }
§ figure { margin: 12px 0; overflow-x: auto; }
§ figcaption { margin-bottom: 6px; }
§ svg { all: initial; display: block; color: inherit; max-width: 100%; height: auto; }
§ details { margin: 8px 0 0; }
§ summary { cursor: pointer; font-weight: 600; }
§ details p { font-size: 13px; }
§ .scroll { overflow-x: auto; margin: 6px 0; background: linear-gradient(90deg, var(--page) 40%, #0000) 0 0 / 48px 100% no-repeat local,
  linear-gradient(-90deg, var(--page) 40%, #0000) 100% 0 / 48px 100% no-repeat local, linear-gradient(90deg, var(--more), #0000) 0 0 / 16px 100% no-repeat,
  linear-gradient(-90deg, var(--more), #0000) 100% 0 / 16px 100% no-repeat; }
§ table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
§ th, § td { padding: 3px 10px; white-space: nowrap; }
§ th { border-bottom: 1px solid var(--line); }
§ tbody tr:nth-child(even) { background: var(--strip); }
§ pre { margin: 6px 0; padding: 8px 12px; border-radius: 6px; background: var(--strip); white-space: pre-wrap; }
§ pre, § code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 13px; }
""".strip()
"""CSS rules of the fragment, in which ``§`` represents the fragment's identifier."""


def card_of(result: Reportable, command: str | None = None) -> str:
    """Returns the HTML fragment of a result; if the packages of the extra ``plot`` are not installed, a note replaces the chart.

    Args:
        result: The result.
        command: The command that repeats the result; None if the result was computed in Python.
    """
    forms = [form for form in result.printed() if not form.named]
    shown, below = arranged(
        result.tables, forms, width=WIDTH, rows=ROWS, smallest_p=result.smallest_p, note=result.tested, same_p=result.same_p, how=HOW
    )
    body = [
        f'<p class="finding">{escape(messages.printable(result.finding))}</p>',
        f'<p class="note"><code>{escape(str(result.experiment))}</code><br>{escape(messages.printable(str(result.origin)))}</p>',
        *(f'<p class="note">Warning: {escape(messages.printable(text))}</p>' for text in result.warnings),
        "<details><summary>Tables</summary>",
        *(line for part in shown for line in table_html(part)),
        *(f'<p class="note">{escape(line)}</p>' for line in below.splitlines()),
        "</details>",
        "<details><summary>How to repeat it</summary>",
        f"<pre>{escape(command or python_again(result, None))}</pre>",
        f'<p class="note">inexmetrics {public_names.__version__}; fingerprint of the data: {escape(result.origin.fingerprint)}</p>',
        "</details>",
    ]
    above = 2 + len(result.warnings)
    name = f"inexmetrics-{hashlib.sha256(chr(10).join(body).encode(errors='backslashreplace')).hexdigest()[:8]}"
    scope = f"#{name}#{name}"
    rules, chart = _chart(result, name, scope)
    style = STYLE.replace("§", scope)
    lines = [
        f'<section class="inexmetrics-card" id="{name}" lang="en" aria-label="{escape(str(result.experiment))}">',
        f"<style>{style}\n{rules}</style>",
        *body[:above],
        chart,
        *body[above:],
        "</section>",
    ]
    return "\n".join(line for line in lines if line) + "\n"


def _chart(result: Reportable, name: str, scope: str) -> tuple[str, str]:
    """Returns CSS rules that protect the chart from the page's styles, and the chart, whose identifiers get the prefix `name`."""
    if importlib.util.find_spec("vl_convert") is None:
        return "", f'<p class="note">No chart: charts need the extra plot. {escape(messages.install_command("plot"), quote=False)}.</p>'
    try:
        picture = OWN_ID.sub(rf"\1{name}-", drawing.lean(result, title=False))
    except errors.CollectionError as error:
        return "", f'<p class="note">No chart: {escape(str(error))}.</p>'
    width, _ = composition.size_of(picture)
    label = f'<svg role="img" aria-label="{escape(alternative_text(result))}"'
    said = "<br>".join(escape(messages.printable(note)) for note in drawing.notes_of(result))
    drawn = f'<div class="scroll" tabindex="0" role="region" aria-label="chart">{picture.replace("<svg", label, 1)}</div>'
    rules = [f"{scope} svg {{ width: {width:g}px; min-width: {SMALLEST * width:g}px; }}"]
    # rules that repeat the SVG attributes of the chart (in light and dark colours), because CSS rules of a page override SVG attributes
    values = {pair for tag in DRAWN.findall(picture) for pair in ATTRIBUTE.findall(tag) if pair[0] in {*INHERITED, "opacity"}}
    rules += [f"{scope} svg :not([{role}]) {{ {role}: inherit; }}" for role in INHERITED]
    rules.append(f"{scope} svg :not([opacity]) {{ opacity: 1; }}")
    for role, value in sorted(values):
        dark = f" {role}: light-dark({value}, {parts.DARK[value]});" if value in parts.DARK else ""
        rules.append(f'{scope} svg [{role}="{value}"] {{ {role}: {value};{dark} }}')
    return "\n".join(rules), f'<figure><figcaption class="note">{said}</figcaption>{drawn}</figure>'
