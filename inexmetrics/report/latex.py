r"""Tables as LaTeX for papers: words above the columns, what holds of all rows said once, a caption, the rules of ``booktabs``."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import get_args

from inexmetrics.common.cells import MISSING, UNBOUNDED, Column, columns_of
from inexmetrics.common.messages import printable
from inexmetrics.common.options import PaperWidth
from inexmetrics.report.paper_tables import PAGE_ROWS, Fitted, PaperTable, fitted
from inexmetrics.report.tex import escaped, heading
from inexmetrics.terms.parameter_types import Choice, Optional, argument

__all__ = ["latex_table"]


def latex_table(paper: PaperTable, smallest_p: Mapping[str, float] = UNBOUNDED, width: PaperWidth | None = None) -> str:
    r"""Return the table as a float for the package ``booktabs``; one longer than a page for the package ``longtable`` as well.

    A table as wide as a page is a ``table*``, which spans both columns of a text in two.

    Args:
        paper: The table.
        smallest_p: Bound below which a p-value of 0 lies, by column.
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
    # texts to the left, numbers to the right, marks right of their numbers, which stay below each other
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


def _taken(column: Column, paper: PaperTable) -> int:
    """How many columns of TeX a column takes."""
    return 2 if column.name in paper.marks else 1


def _heads(fit: Fitted) -> list[str]:
    """Return the lines between the first rule and the rows."""
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
    under = [_head(column, fit) for column in columns]
    return [*lines, f"{' & '.join(under)} \\\\"]


def _head(column: Column, fit: Fitted) -> str:
    """Return the heading of a column; one much wider than its cells is on two lines."""
    lines = fit.head(column)
    words = lines[0] if len(lines) == 1 else rf"\shortstack[{'r' if column.numeric else 'l'}]{{{lines[0]}\\{lines[1]}}}"
    return rf"\multicolumn{{2}}{{c}}{{{words}}}" if column.name in fit.paper.marks else words


def _rows(fit: Fitted) -> Iterator[str]:
    """Yield the rows, with the values that blocks share above them."""
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
            yield rf"\multicolumn{{{taken}}}{{l}}{{\emph{{{_block(paper.blocks, block)}}}}} \\"
        before = block
        yield f"{' & '.join(texts[place] for texts in cells)} \\\\"


def _block(names: Sequence[str], values: Sequence[str]) -> str:
    """What the rows of a block share, in words: the measure and the quantisation as a formula writes them, others by name."""
    said = dict(zip(names, values, strict=True))
    condition = [said.pop(name) for name in ("measure", "quantisation") if name in said]
    parts = [" ~ ".join(text for text in condition if text not in {MISSING, "1"})] if condition else []
    rest = [f"{heading(name)} {escaped(value)}" for name, value in said.items() if value != MISSING]
    return ", ".join([*(escaped(part) for part in parts), *(text[0].lower() + text[1:] if parts else text for text in rest)])


def _cells(column: Column, paper: PaperTable) -> list[str]:
    cells = [_number(cell) if column.numeric else escaped(cell) for cell in column.cells]
    if column.name in paper.bold and len(cells) > 1:
        values = paper.frame[column.name].to_list()
        known = [value for value in values if value is not None and math.isfinite(value)]
        best = {column.cells[values.index(max(known))]} if known else set()
        cells = [rf"\textbf{{{cell}}}" if shown in best else cell for cell, shown in zip(cells, column.cells, strict=True)]
    if column.name in paper.marks:
        marks = paper.marks[column.name]
        cells = [f"{cell} & {f'${mark}$' if mark else ''}" for cell, mark in zip(cells, marks, strict=True)]
    return cells


def _number(cell: str) -> str:
    """A number: a true minus, and what is missing as a dash."""
    if cell == MISSING:
        return "--"
    return f"$-${cell[1:]}" if cell.startswith("-") else escaped(cell)
