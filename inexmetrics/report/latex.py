r"""Tables as LaTeX for papers, with words as headings, shared values written once, a caption, and the rules of ``booktabs``."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import get_args

from inexmetrics.common.cells import MISSING, UNBOUNDED, FormattedColumn, columns_of
from inexmetrics.common.messages import printable
from inexmetrics.common.options import PaperWidth
from inexmetrics.report.paper_tables import PAGE_ROWS, Fitted, PaperTable, escaped, fitted, heading
from inexmetrics.terms.parameter_types import Choice, Optional, argument

__all__ = ["latex_table"]


def latex_table(paper: PaperTable, smallest_p: Mapping[str, float] = UNBOUNDED, width: PaperWidth | None = None) -> str:
    r"""Returns the table as a LaTeX float that needs the package ``booktabs``; a table longer than a page also needs ``longtable``.

    A table that is fitted to a page is a ``table*``, which spans both columns of a two-column text.

    Args:
        paper: The table.
        smallest_p: The upper bound that is printed instead of a p-value of 0, by column.
        width: ``"column"`` or ``"page"``; None fits a table of at most five columns to a column, and others to a page.

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
    # texts are left-aligned, numbers are right-aligned, and markers follow the aligned numbers
    alignment = "".join("r@{}l" if column.name in paper.marks else "r" if column.numeric else "l" for column in columns)
    opening = [f"% {printable(paper.source)}"] if paper.source else []
    if paper.without:
        opening.append(f"% without {', '.join(paper.without)}")
    if fit.without:
        opening.append(f"% without {', '.join(fit.without)}, which would make it wider than a {fit.width}")
    opening.append(r"% \usepackage{booktabs,longtable}" if long else r"% \usepackage{booktabs}")
    top = [r"\toprule", *_heads(fit), r"\midrule"]
    body = list(_rows(fit))
    if long:
        opening.append("% longtable needs text in one column: \\onecolumn")
        begin = [r"\begingroup", *fit.commands, rf"\begin{{longtable}}{{@{{}}{alignment}@{{}}}}", *about]
        end = [r"\end{longtable}", r"\endgroup"]
        body = [r"\endfirsthead", *top, r"\endhead", r"\bottomrule", r"\endlastfoot", *body]
    else:
        float_ = "table" if fit.width == "column" else "table*"
        begin = [rf"\begin{{{float_}}}", r"\centering", *about, r"\medskip", *fit.commands, rf"\begin{{tabular}}{{@{{}}{alignment}@{{}}}}"]
        end = [r"\bottomrule", r"\end{tabular}", rf"\end{{{float_}}}"]
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
            # the measure and the quantisation are written as in a formula, and any other value after the heading of its column
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
        best = {column.cells[values.index(max(known))]} if known else set()
        cells = [rf"\textbf{{{cell}}}" if shown in best else cell for cell, shown in zip(cells, column.cells, strict=True)]
    if column.name in paper.marks:
        marks = paper.marks[column.name]
        cells = [f"{cell} & {f'${mark}$' if mark else ''}" for cell, mark in zip(cells, marks, strict=True)]
    return cells
