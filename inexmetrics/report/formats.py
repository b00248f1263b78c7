"""Tables in Markdown, pandas and LaTeX, and test cases in JUnit XML.

LaTeX tables are tables for papers, with readable headings, shared values written once, a caption, and the rules of ``booktabs``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple, get_args

import polars as pl

from inexmetrics.common import messages, tables
from inexmetrics.common.cells import MISSING, UNBOUNDED, FormattedColumn, columns_of
from inexmetrics.common.options import PaperWidth
from inexmetrics.report.paper_tables import PAGE_ROWS, POINTS, Fitted, PaperTable, escaped, fitted, heading
from inexmetrics.terms import Choice, Optional, argument

if TYPE_CHECKING:
    import pandas

OTHER_SIGNS: Final = re.compile("[\u0250-\u1dff\u2190-\U0010ffff]")
"""Matches characters that are neither Latin letters nor punctuation, which pdfLaTeX does not know."""
__all__ = ["Case", "junit", "latex_table", "markdown_table", "pandas_frame"]


def markdown_table(
    frame: pl.DataFrame,
    *,
    smallest_p: Mapping[str, float] = UNBOUNDED,
    facts: str = "",
    note: str | None = None,
    right: Collection[str] = (),
    warnings: Iterable[str] = (),
) -> str:
    """Formats a table as a Markdown pipe table with right-aligned numbers, followed by the constant columns, the note on tests and the warnings.

    Args:
        frame: The table.
        smallest_p: The upper bound that is printed instead of a p-value of 0, by column.
        facts: A sentence about the data that is written below the table.
        note: A line about the tests, written below tables that are based on tests.
        right: Text columns that are right-aligned, like numbers.
        warnings: The warnings of the result, each written as a paragraph.

    Examples:
        >>> print(markdown_table(pl.DataFrame({"run_id": ["a"], "mean": [0.5]})))
        | run_id | mean |
        | :--- | ---: |
        | a | 0.5000 |
    """
    frame = tables.with_quantisations(frame)
    constant = tables.constant_columns(frame)
    said = [f"{name}: {cell}" for name, cell in tables.constant_cells(frame, constant, smallest_p).items() if cell != MISSING]
    columns = columns_of(frame.drop(constant), smallest_p, right)
    rules = ("---:" if column.numeric else ":---" for column in columns)
    rows = zip(*([_markdown(cell) for cell in column.cells] for column in columns), strict=True)
    lines = [f"| {' | '.join(row)} |" for row in ([_markdown(column.name) for column in columns], rules, *rows)]
    tested = note if note is not None and tables.rests_on_tests(frame) else ""
    below = ["; ".join(filter(None, [*said, facts])), tested, *(f"Warning: {messages.printable(text)}" for text in warnings)]
    return "\n\n".join(["\n".join(lines), *(_markdown(text) for text in below if text)])


def _markdown(text: str) -> str:
    """Escapes the characters that Markdown would read as markup; underscores within words, which are not markup, remain."""
    text = re.sub(r"([\\`*|\[\]<>$]|&(?=#?\w+;)|(?<! )~|~(?! ))", r"\\\1", text)
    return re.sub(r"(?<!\w)_|_(?!\w)", r"\\_", text)


NOT_XML: Final = "[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
"""Regular expression for the characters that XML documents may not contain; it takes long to compile, and few results need it."""


class Case(NamedTuple):
    """A test case.

    Attributes:
        group: The group of the test case, such as the measure.
        name: The name of the test case, which states the tested requirement.
        kind: The kind of failure; empty if the test case passed.
        message: The reason for the failure; empty if the test case passed.
    """

    group: str
    name: str
    kind: str = ""
    message: str = ""


def junit(suite: str, text: str, cases: Iterable[Case]) -> bytes:
    """Returns the contents of a JUnit file with one suite.

    The file does not contain a timestamp, so that identical cases produce identical bytes.

    Examples:
        >>> print(
        ...     junit("s", "one of two", [Case("MAP", "a"), Case("MAP", "b", "better", "behind")]).decode()
        ... )
        <?xml version='1.0' encoding='utf-8'?>
        <testsuites name="inexmetrics" tests="2" failures="1" errors="0">
          <testsuite name="s" tests="2" failures="1" errors="0" skipped="0">
            <testcase classname="MAP" name="a" />
            <testcase classname="MAP" name="b">
              <failure type="better" message="behind" />
            </testcase>
            <system-out>one of two</system-out>
          </testsuite>
        </testsuites>
        <BLANKLINE>
    """
    from xml.etree import ElementTree as ET  # only this form needs it

    cases = list(cases)
    counts = {"tests": str(len(cases)), "failures": str(sum(bool(case.kind) for case in cases)), "errors": "0"}
    root = ET.Element("testsuites", {"name": "inexmetrics", **counts})
    held = ET.SubElement(root, "testsuite", {"name": _safe(suite), **counts, "skipped": "0"})
    for case in cases:
        element = ET.SubElement(held, "testcase", {"classname": _safe(case.group), "name": _safe(case.name)})
        if case.kind:
            ET.SubElement(element, "failure", {"type": case.kind, "message": _safe(case.message)})
    ET.SubElement(held, "system-out").text = _safe(text)
    ET.indent(root)
    written: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _safe(text: str) -> str:
    """Replaces characters that XML does not allow, and escapes characters that a terminal would interpret as commands."""
    return re.sub(NOT_XML, "\ufffd", messages.printable(text))


def pandas_frame(table: pl.DataFrame) -> pandas.DataFrame:
    """Returns a table as a pandas frame with the same columns and rows; a missing number is NaN, and any other missing value is None.

    Raises:
        ImportError: pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise ImportError("to_pandas needs the package pandas: pip install pandas") from None
    # numeric columns, and Boolean columns without nulls, are converted by numpy, which represents nulls as NaN
    in_numpy = {column.name: column.dtype.is_numeric() or (column.dtype == pl.Boolean and not column.has_nulls()) for column in table}
    return pandas.DataFrame({column.name: column.to_numpy() if in_numpy[column.name] else column.to_list() for column in table})


def latex_table(paper: PaperTable, smallest_p: Mapping[str, float] = UNBOUNDED, width: PaperWidth | None = None) -> str:
    r"""Returns the table as a LaTeX float that needs the package ``booktabs``; a table longer than a page also needs ``longtable``.

    A table that is fitted to a page is a ``table*``, which spans both columns of a two-column text.

    Args:
        paper: The table.
        smallest_p: The upper bound that is printed instead of a p-value of 0, by column.
        width: ``"column"`` or ``"page"``; if None, a table of at most five columns is fitted to the width of a text column, and a table
            with more columns to the width of the page.

    Examples:
        >>> import polars as pl
        >>> frame = pl.DataFrame({"run_id": ["a_1", "b"], "mean": [0.5, 0.25]})
        >>> print(latex_table(PaperTable(frame, "means", ("Two runs.",), frozenset(frame.columns), bold=frozenset({"mean"}))))
        % \usepackage{booktabs}
        \begin{table}
        \centering
        \caption{Two runs.}
        \label{tab:means}
        \medskip
        \begin{tabular}{@{}lr@{}}
        \toprule
        Run & Mean \\
        \midrule
        a\_1 & \textbf{0.5000} \\
        b & 0.2500 \\
        \bottomrule
        \end{tabular}
        \end{table}
    """
    argument("width", Optional(Choice(get_args(PaperWidth))), width)
    fit = fitted(paper, smallest_p, width)
    paper, columns = fit.paper, fit.columns
    long = paper.frame.height > PAGE_ROWS
    about = [rf"\caption{{{' '.join(paper.caption)}}}", rf"\label{{tab:{paper.label}}}" + (r" \\" if long else "")]
    # text is left-aligned, numbers are right-aligned, and markers follow the aligned numbers
    alignment = "".join("r@{}l" if column.name in paper.marks else "r" if column.numeric else "l" for column in columns)
    opening = [f"% {messages.printable(paper.source)}"] if paper.source else []
    if paper.without:
        opening.append(f"% without {', '.join(paper.without)}")
    if fit.without:
        opening.append(f"% without {', '.join(fit.without)}, which would make it wider than a {fit.width}")
    if not fit.fits:
        opening.append(
            f"% needs about {fit.points:.0f} points, more than the {POINTS[fit.width]:g} of a {fit.width}; fewer rows or columns fit"
        )
    written = [*paper.caption, *paper.warnings, *(cell for column in columns for cell in column.cells)]
    if any(map(OTHER_SIGNS.search, written)):
        opening.append("% needs LuaLaTeX or XeLaTeX, and a font with its characters outside Latin")
    opening.append(r"% \usepackage{booktabs,longtable}" if long else r"% \usepackage{booktabs}")
    under = [rf"\par\smallskip{{\footnotesize Warning: {escaped(messages.printable(text))}.\par}}" for text in paper.warnings]
    top = [r"\toprule", *_heads(fit), r"\midrule"]
    body = list(_rows(fit))
    if long:
        opening.append("% longtable needs text in one column: \\onecolumn")
        begin = [r"\begingroup", *fit.commands, rf"\begin{{longtable}}{{@{{}}{alignment}@{{}}}}", *about]
        end = [r"\end{longtable}", r"\endgroup", *under]
        body = [r"\endfirsthead", *top, r"\endhead", r"\bottomrule", r"\endlastfoot", *body]
    else:
        float_ = "table" if fit.width == "column" else "table*"
        begin = [rf"\begin{{{float_}}}", r"\centering", *about, r"\medskip", *fit.commands, rf"\begin{{tabular}}{{@{{}}{alignment}@{{}}}}"]
        end = [r"\bottomrule", r"\end{tabular}", *under, rf"\end{{{float_}}}"]
    return "\n".join([*opening, *begin, *top, *body, *end])


def _taken(column: FormattedColumn, paper: PaperTable) -> int:
    """Returns the number of LaTeX columns for a column of the table: two if the column has markers."""
    return 2 if column.name in paper.marks else 1


def _heads(fit: Fitted) -> list[str]:
    """Returns the lines of the column headings in LaTeX."""
    paper, columns = fit.paper, fit.columns
    over = {name: (words, members) for words, members in paper.spans for name in members}
    lines = []
    if over:
        cells, rules, place = [], [], 1
        for (words, _), group in groupby(columns, key=lambda column: over.get(column.name, ("", ()))):
            taken = sum(_taken(column, paper) for column in group)
            cells.append(rf"\multicolumn{{{taken}}}{{c}}{{{words}}}" if words else "& " * (taken - 1))
            rules += [rf"\cmidrule(lr){{{place}-{place + taken - 1}}}"] if words else []
            place += taken
        lines = [f"{' & '.join(cells)} \\\\", "".join(rules)]
    under = []
    for column in columns:
        words, *second = fit.head(column)  # two lines if the heading is much wider than the cells
        if second:
            words = rf"\shortstack[{'r' if column.numeric else 'l'}]{{{words}\\{second[0]}}}"
        under.append(rf"\multicolumn{{2}}{{c}}{{{words}}}" if column.name in paper.marks else words)
    return [*lines, f"{' & '.join(under)} \\\\"]


def _rows(fit: Fitted) -> Iterator[str]:
    """Yields the rows in LaTeX; values that a block of rows shares are written once, above the block."""
    paper, columns = fit.paper, fit.columns
    cells = [_cells(column, paper) for column in columns]
    shared = [column.cells for column in columns_of(paper.frame.select(paper.blocks), UNBOUNDED)]
    apart = paper.frame[paper.gap].to_list() if paper.gap is not None else [None] * paper.frame.height
    taken = sum(_taken(column, paper) for column in columns)
    before: tuple[str, ...] | None = None
    if paper.frame.is_empty():
        yield rf"\multicolumn{{{taken}}}{{l}}{{(no rows)}} \\"
    for place in range(paper.frame.height):
        block = tuple(texts[place] for texts in shared)
        if place and (block != before or apart[place] != apart[place - 1]):
            yield r"\addlinespace"
        if shared and block != before:
            # the measure and the quantisation are written as in a formula; any other value is written after the heading of its column
            said = dict(zip(paper.blocks, block, strict=True))
            condition = [said.pop(name) for name in ("measure", "quantisation") if name in said]
            parts = [" ~ ".join(text for text in condition if text not in {MISSING, "1"})] if condition else []
            rest = [f"{heading(name)} {escaped(value)}" for name, value in said.items() if value != MISSING]
            head = ", ".join([*map(escaped, parts), *(text[0].lower() + text[1:] if parts else text for text in rest)])
            yield rf"\multicolumn{{{taken}}}{{l}}{{\emph{{{head}}}}} \\"
        before = block
        yield f"{' & '.join(texts[place] for texts in cells)} \\\\"


def _cells(column: FormattedColumn, paper: PaperTable) -> list[str]:
    cells = list(map(escaped, column.cells))
    if column.numeric:  # negative numbers have a minus sign, not a hyphen; a dash represents a missing value
        cells = ["--" if cell == MISSING else f"$-${cell[1:]}" if cell.startswith("-") else escaped(cell) for cell in column.cells]
    if column.name in paper.bold and len(cells) > 1:
        values = paper.frame[column.name].to_list()
        known = [value for value in values if value is not None and math.isfinite(value)]
        of_column = min if column.name in paper.falling else max
        best = {column.cells[values.index(of_column(known))]} if known else set()
        cells = [rf"\textbf{{{cell}}}" if shown in best else cell for cell, shown in zip(cells, column.cells, strict=True)]
    if column.name in paper.marks:
        marks = paper.marks[column.name]
        cells = [f"{cell} & {f'${mark}$' if mark else ''}" for cell, mark in zip(cells, marks, strict=True)]
    return cells
