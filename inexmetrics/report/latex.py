r"""Tables as LaTeX for papers: words above the columns, what holds of all rows said once, a caption, the rules of ``booktabs``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from types import MappingProxyType
from typing import Final

import polars as pl

from inexmetrics.common.cells import MISSING, UNBOUNDED, Column, columns_of, width_of
from inexmetrics.common.messages import printable

__all__ = ["PaperTable", "escaped", "heading", "latex_table"]

PAGE_ROWS: Final = 45
"""Rows that fit on a page; a table of more is broken over pages."""
LINE: Final = 345.0
"""Points that a line of LaTeX's article has; a wider table is set smaller."""
SIZES: Final = (("", 5.0, 6), (r"\footnotesize", 4.25, 3), (r"\scriptsize", 3.75, 2))
"""Sizes of type, the mean width of a sign in points, and the space at each side of a column."""

HEADINGS: Final[Mapping[str, str]] = MappingProxyType({
    "run_id": "Run", "topic_id": "Topic", "opponent_mean": "Opponent's mean", "sd": "Standard deviation", "df": "df", "n": "$n$",
    "n_predictor": "Predictor rejects", "n_truth": "Truth rejects", "n_judge": "Judge rejects", "n_both": "Both reject", "f1": "F1",
    "p_value": "$p$", "p_adjusted": "Adjusted $p$", "p_predictor": "Predictor's $p$", "p_truth": "Truth's $p$", "topics_truth": "Truth's topics",
    "difference_predictor": "Predictor's difference", "difference_truth": "Truth's difference", "mean_judge": "Judge's mean",
    "mean_truth": "Truth's mean", "low_truth": "Truth's low", "high_truth": "Truth's high", "margin_truth": "Truth's margin",
    "significant_truth": "Significant by truth", "judge_grade": "Judge's grade", "truth_grade": "Truth's grade",
    "f": "$F$", "t": "$t$", "e_rho2": r"$E\rho^2$", "phi": r"$\Phi$",
    "var_run": r"$\sigma^2$ of runs", "var_topic": r"$\sigma^2$ of topics", "var_residual": r"$\sigma^2$ of residual",
    "rho": r"$\rho$", "mean_rho": r"Mean $\rho$", "min_rho": r"Lowest $\rho$", "share_above_0_98": "Share above 0.98",
    "kappa": r"$\kappa$", "kappa_weighted": r"Weighted $\kappa$", "alpha": r"$\alpha$", "tau": r"$\tau$", "tau_ap": r"$\tau_{\mathrm{AP}}$",
})  # fmt: skip
"""What papers write above a column, where it is not the words of its name."""

SIGNS: Final = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    "<": "$<$",
    ">": "$>$",
    '"': r"\char34{}",
    "[": "{[}",  # at the start of a row a bracket would be an option of the line end above it
    "]": "{]}",
    "*": "{*}",
    "`": "{}`{}",  # after ? and ! a grave accent would make another sign, as two of them do
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


@dataclass(frozen=True, slots=True)
class PaperTable:
    r"""A table as a paper prints it.

    Attributes:
        frame: The rows.
        label: What ``\ref`` calls it.
        caption: What it shows and how it was made, sentence by sentence.
        columns: The columns that are headed by words; others are headed by their names as they stand.
        spans: Words over columns that stand side by side, with the names of these.
        blocks: The columns whose values stand once above the rows that share them.
        gap: The column at whose changes rows stand apart.
        bold: The columns whose highest number is bold.
        marks: Signs after the cells of a column, row by row, as mathematics in LaTeX, such as ``^{ab}``.
        source: How the table was made, as a comment.
    """

    frame: pl.DataFrame
    label: str = ""
    caption: tuple[str, ...] = ()
    columns: frozenset[str] = frozenset()
    spans: tuple[tuple[str, tuple[str, ...]], ...] = ()
    blocks: tuple[str, ...] = ()
    gap: str | None = None
    bold: frozenset[str] = frozenset()
    marks: Mapping[str, Sequence[str]] = field(default_factory=dict)
    source: str = ""


def heading(name: str) -> str:
    """The words above a column, in LaTeX.

    Examples:
        >>> heading("effect_size"), heading("p_value"), heading("run_id")
        ('Effect size', '$p$', 'Run')
    """
    return HEADINGS.get(name, escaped(name.replace("_", " ").capitalize()))


def escaped(text: str) -> str:
    r"""The text with every sign that TeX would read as more than itself escaped.

    Examples:
        >>> print(escaped("50% of a_b & {c}"))
        50\% of a\_b \& \{c\}
    """
    return "".join(SIGNS.get(sign, sign) for sign in printable(text)).replace("--", "-{}-").replace("''", "'{}'")


def latex_table(paper: PaperTable, smallest_p: Mapping[str, float] = UNBOUNDED) -> str:
    r"""The table as a float for the package ``booktabs``; one longer than a page for the package ``longtable`` as well.

    Args:
        paper: The table.
        smallest_p: Bound below which a p-value of 0 lies, by column.

    Examples:
        >>> frame = pl.DataFrame({"run_id": ["a_1", "b"], "mean": [0.5, 0.25]})
        >>> print(latex_table(PaperTable(frame, "means", ("Two runs.",), frozenset(frame.columns), bold=frozenset({"mean"}))))
        % \usepackage{booktabs}
        \begin{table}
        \centering
        \caption{Two runs.}
        \label{tab:means}
        \medskip
        \begin{tabular}{lr}
        \toprule
        Run & Mean \\
        \midrule
        a\_1 & \textbf{0.5000} \\
        b & 0.2500 \\
        \bottomrule
        \end{tabular}
        \end{table}
    """
    names = [name for name in paper.frame.columns if name not in paper.blocks]
    columns = columns_of(paper.frame.select(names), smallest_p)
    heads = _heads(paper, columns)
    body = list(_rows(paper, columns))
    long = paper.frame.height > PAGE_ROWS
    caption = " ".join(paper.caption)
    about = [rf"\caption{{{caption}}}", rf"\label{{tab:{paper.label}}}" + (r" \\" if long else "")]
    # texts to the left, numbers to the right, marks right of their numbers, which stay below each other
    alignment = "".join("r@{}l" if column.name in paper.marks else "r" if column.numeric else "l" for column in columns)
    size = list(_size(columns))
    opening = [f"% {printable(paper.source)}"] if paper.source else []
    opening.append(r"% \usepackage{booktabs,longtable}" if long else r"% \usepackage{booktabs}")
    top = [r"\toprule", *heads, r"\midrule"]
    if long:
        begin = [r"\begingroup", *size, rf"\begin{{longtable}}{{{alignment}}}", *about]
        end = [r"\end{longtable}", r"\endgroup"]
        body = [r"\endfirsthead", *top, r"\endhead", r"\bottomrule", r"\endlastfoot", *body]
    else:
        begin = [r"\begin{table}", r"\centering", *about, r"\medskip", *size, rf"\begin{{tabular}}{{{alignment}}}"]
        end = [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
    return "\n".join([*opening, *begin, *top, *body, *end])


def _size(columns: Sequence[Column]) -> Iterator[str]:
    """How a table that is too wide for a line is set smaller."""
    signs = sum(max([*map(width_of, column.cells), *map(len, re.split("[_ ]", column.name))], default=0) for column in columns)
    size, _, space = next((each for each in SIZES if signs * each[1] + 2 * each[2] * len(columns) <= LINE), SIZES[-1])
    if size:
        yield size
        yield rf"\setlength{{\tabcolsep}}{{{space}pt}}"


def _taken(column: Column, paper: PaperTable) -> int:
    """How many columns of TeX a column takes."""
    return 2 if column.name in paper.marks else 1


def _heads(paper: PaperTable, columns: Sequence[Column]) -> list[str]:
    """The lines between the first rule and the rows."""
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
        words = heading(column.name) if column.name in paper.columns else escaped(column.name)
        if column.name in over and column.name not in paper.columns:
            words = escaped(column.name.rpartition(" ~ ")[2])
        under.append(_head(words, column, paper))
    return [*lines, f"{' & '.join(under)} \\\\"]


def _head(words: str, column: Column, paper: PaperTable) -> str:
    """A heading; one much wider than its numbers stands on two lines."""
    widest = max(map(width_of, column.cells), default=0)
    if column.numeric and " " in words and len(re.sub(r"[\\$]", "", words)) > max(widest, 9):
        first, _, second = words.partition(" ")
        words = rf"\shortstack[r]{{{first}\\{second}}}"
    return rf"\multicolumn{{2}}{{c}}{{{words}}}" if column.name in paper.marks else words


def _rows(paper: PaperTable, columns: Sequence[Column]) -> Iterator[str]:
    """The rows, with what blocks share above them."""
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
