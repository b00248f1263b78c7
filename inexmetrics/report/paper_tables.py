"""Tables for papers: LaTeX text, column headings, and layouts that fit a column or a page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Final

import polars as pl

from inexmetrics.common.cells import MISSING, FormattedColumn, columns_of, decimals_of
from inexmetrics.common.messages import printable, told_apart
from inexmetrics.common.options import PaperWidth

__all__ = ["PAGE_ROWS", "POINTS", "Fitted", "PaperTable", "escaped", "fitted", "heading"]

HEADINGS: Final[Mapping[str, str]] = MappingProxyType({
    "run_id": "Run", "topic_id": "Topic", "opponent_mean": "Opponent's mean", "sd": "Standard deviation", "df": "df", "n": "$n$",
    "n_predictor": "Predictor", "n_truth": "Truth", "n_judge": "Judge", "n_both": "Both", "f1": "F1", "n_opposite": "Opposite", "n_overstated": "Overstated",
    "n_open": "Open", "n_same_direction": "Same direction", "precision_high": "Highest precision",
    "p_value": "$p$", "p_adjusted": "Adjusted $p$", "p_predictor": "Predictor's $p$", "p_truth": "Truth's $p$", "topics_truth": "Truth's topics",
    "difference_predictor": "Predictor's difference", "difference_truth": "Truth's difference", "mean_judge": "Judge's mean",
    "mean_truth": "Truth's mean", "low_truth": "Truth's low", "high_truth": "Truth's high", "margin_truth": "Truth's margin",
    "difference_judge": "Judge's difference", "p_judge": "Judge's $p$", "p_differs": "Differs, $p$", "significant_truth": "Significant by truth", "judge_grade": "Judge's grade", "truth_grade": "Truth's grade",
    "f": "$F$", "t": "$t$", "e_rho2": r"$E\rho^2$", "phi": r"$\Phi$",
    "var_run": r"$\sigma^2$ of runs", "var_topic": r"$\sigma^2$ of topics", "var_residual": r"$\sigma^2$ of residual", "var_system": r"$\sigma^2$ of systems",
    "rho": r"$\rho$", "mean_rho": r"Mean $\rho$", "min_rho": r"Lowest $\rho$", "share_above_0_98": "Share above 0.98",
    "kappa": r"$\kappa$", "kappa_weighted": r"Weighted $\kappa$", "alpha": r"$\alpha$", "tau": r"$\tau$", "tau_ap": r"$\tau_{\mathrm{AP}}$",
})  # fmt: skip
"""Column headings in papers, by column name; other headings are the words of the column name."""
SHORT: Final[Mapping[str, str]] = MappingProxyType({
    "opponent_mean": "Opp. mean", "difference": "Diff.", "effect_size": "Effect", "p_adjusted": "Adj. $p$", "significant": "Sig.",
    "n_predictor": "Pred.", "precision": "Prec.", "recall": "Rec.", "expected_better": "Better", "expected_worse": "Worse", "hypotheses": "Hyp.", "quantisation": "Quant.",
    "best_rank": "Best rank", "worst_rank": "Worst rank", "statistic": "Stat.",
    "n_opposite": "Opp.", "n_overstated": "Overst.", "n_same_direction": "Same dir.", "precision_high": "Prec. high",
    "kappa_weighted": r"Wtd. $\kappa$", "coefficient": "Coeff.",
})  # fmt: skip
"""Short column headings, for tables that would otherwise be too wide."""

SIGNS: Final = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    "<": "$<$",
    ">": "$>$",
    '"': r"\char34{}",
    "[": "{[}",  # at the start of a row, LaTeX would read [ as an option of the preceding \\
    "]": "{]}",
    "*": "{*}",
    "`": "{}`{}",  # prevents ligatures, because LaTeX prints ?`, !` and two grave accents as single characters
    "…": "...",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
ESCAPES: Final = str.maketrans(SIGNS)


def heading(name: str, *, short: bool = False) -> str:
    """Returns the heading of a column, in LaTeX.

    Examples:
        >>> heading("effect_size"), heading("p_value"), heading("run_id"), heading("precision", short=True)
        ('Effect size', '$p$', 'Run', 'Prec.')
    """
    words = SHORT.get(name) if short else None
    return words or HEADINGS.get(name, escaped(name.replace("_", " ").capitalize()))


def escaped(text: str) -> str:
    r"""Escapes every character with a special meaning in TeX.

    Examples:
        >>> print(escaped("50% of a_b & {c}"))
        50\% of a\_b \& \{c\}
    """
    return printable(text).translate(ESCAPES).replace("--", "-{}-").replace("''", "'{}'")


POINTS: Final[Mapping[PaperWidth, float]] = {"column": 229.0, "page": 345.0}
"""Widths, in points: of a column in LaTeX's two-column article class, and of the text in its one-column article class."""
FEW_COLUMNS: Final = 5
"""Maximum number of columns of a table with the default width "column". By default, a table with more columns has the width "page"."""
PAGE_ROWS: Final = 45
"""Maximum number of rows of a table on one page; longer tables are split over pages."""
SIZES: Final = (("", 1.0, 6), (r"\footnotesize", 0.85, 3), (r"\scriptsize", 0.8, 2))
"""Font sizes, each with the width of text relative to a font of 10 points, and the space, in points, on each side of a column."""
REDUNDANT: Final = (
    ("mean", "opponent_mean"), ("statistic", "difference"), ("p_value", "p_adjusted"), ("tied_with_best", "best_rank"),
    ("precision_high", "n_open"), ("n_same_direction", "n_open"), ("same_direction", "verdict"),
)  # fmt: skip
"""Columns that are omitted before the font size is reduced, each with the column that makes it redundant."""
MINOR: Final = (
    ("effect_size", "difference"), ("opponent_mean", "difference"), ("top_shared", "f1"), ("judged", "f1"), ("alpha", "kappa"), ("n_both", "recall"), ("f1", "n_open"),
    ("n_open", "n_overstated"),
    ("mean_judge", "mean"), ("topics_truth", "mean"), ("weight", "mean"), ("low_truth", "mean"), ("high_truth", "mean"),
    ("var_topic", "phi"),
)  # fmt: skip
"""Pairs of columns. If a table is too wide even in the smallest font, the first column of a pair may be omitted. The column is omitted only
if the table contains the second column."""
LAST: Final = (
    ("significant", "p_adjusted"), ("tau_ap", "tau"), ("kappa_weighted", "kappa"), ("n_truth", "recall"), ("topics", "recall"),
)  # fmt: skip
"""Pairs of columns as in `MINOR`, for tables that are too wide even without these columns and with the shortest texts."""
TEXTS: Final = (24, 16, 12, 8)
"""Maximum lengths of texts in characters, tried in this order until a table fits."""
CRITERION: Final = re.compile(r'\b[a-z_]\w*\("([^"\\]+)"\)')
"""Matches a criterion with a single text, such as assessor("human"); the group is the text."""
POINTS_OF_SIGNS: Final = (
    ("il.,:;!|'", 2.8), ("jfrst()[]-_ ", 4.0), ("0123456789", 5.0), ("ABCDEFGHIJKLNOPQRSTUVXYZ+<>=~&", 7.9), ("mw%", 8.4),
)  # fmt: skip
"""Groups of characters with their width in points, in Computer Modern at 10 points."""
WIDTHS: Final = {sign: points for signs, points in POINTS_OF_SIGNS for sign in signs}


@dataclass(frozen=True, slots=True)
class PaperTable:
    r"""A table laid out for a paper.

    Attributes:
        frame: The rows.
        label: The name for ``\ref``.
        caption: The sentences of the caption.
        columns: The columns that have a heading in words; the headings of other columns are the column names.
        spans: Headings that span several neighbouring columns, each with the names of the columns.
        blocks: The columns whose values are written once, above each block of rows with equal values.
        gap: The column that groups rows; a space separates rows with different values.
        bold: The columns in which the best number is printed in bold: the highest, or the lowest in the columns in `falling`.
        falling: The columns in which lower numbers are better.
        marks: For each marked column, the markers that follow its cells, one per row, as LaTeX mathematics such as ``^{ab}``.
        source: The origin of the table, for a comment in the LaTeX source.
        without: The columns of the result's table that are omitted, for a comment in the LaTeX source.
        narrower: The table that is printed instead if this table is too wide.
        warnings: The warnings of the result, which are printed below the table.
    """

    frame: pl.DataFrame
    label: str = ""
    caption: tuple[str, ...] = ()
    columns: frozenset[str] = frozenset()
    spans: tuple[tuple[str, tuple[str, ...]], ...] = ()
    blocks: tuple[str, ...] = ()
    gap: str | None = None
    bold: frozenset[str] = frozenset()
    falling: frozenset[str] = frozenset()
    marks: Mapping[str, Sequence[str]] = field(default_factory=dict)
    source: str = ""
    without: tuple[str, ...] = ()
    narrower: PaperTable | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fitted:
    """A layout of a table for a given width.

    Attributes:
        paper: The table.
        columns: The formatted columns of the table.
        width: The available width.
        size: Index of the font size in `SIZES`.
        short: Whether headings are shortened.
        most: The maximum length of texts in characters; None does not shorten texts.
        without: The omitted columns.
    """

    paper: PaperTable
    columns: tuple[FormattedColumn, ...]
    width: PaperWidth
    size: int = 0
    short: bool = False
    most: int | None = None
    without: tuple[str, ...] = ()

    @classmethod
    def of(cls, paper: PaperTable, smallest_p: Mapping[str, float], width: PaperWidth) -> Fitted:
        columns = columns_of(paper.frame.drop(paper.blocks), smallest_p, decimals=decimals_of(paper.frame))
        return cls(paper, tuple(columns), width)

    @property
    def commands(self) -> list[str]:
        """The LaTeX commands that set the font size."""
        size, _, space = SIZES[self.size]
        return [size, rf"\setlength{{\tabcolsep}}{{{space}pt}}"] if size else []

    @property
    def points(self) -> float:
        """The estimated width of the table in points; estimates are more often too large than too small."""
        _, scale, space = SIZES[self.size]
        inside = sum(self._points(column) * scale + 2 * space for column in self.columns) - 2 * space
        if not self.paper.blocks:
            return inside
        shared = self.paper.frame.select(self.paper.blocks).unique().iter_rows()
        return max([inside, *(_points(" ".join(map(str, row))) * scale for row in shared)])

    @property
    def fits(self) -> bool:
        """Whether the table fits in the available width."""
        return self.points <= POINTS[self.width]

    def head(self, column: FormattedColumn) -> list[str]:
        """Returns the lines of a column heading in LaTeX: two lines if a single line would be much wider than the cells."""
        words = heading(column.name, short=self.short) if column.name in self.paper.columns else escaped(self._condition(column.name))
        first, space, second = words.partition(" ")
        alone = not space or _points(_plain(words)) <= max(map(_points, (*column.cells, "0" * 9)))
        return [words] if alone else [first, second]

    def _condition(self, name: str) -> str:
        """Returns the heading of a column that a condition names, as long as the headings below each measure remain distinct.

        If headings are shortened, a criterion with a single text is this text, such as human for assessor("human").
        """
        beside = next((members for _, members in self.paper.spans if name in members), None)
        together = beside or [each.name for each in self.columns if each.name not in self.paper.columns]
        full = {each: each.rpartition(" ~ ")[2] if beside else each for each in together}
        texts = {each: CRITERION.sub(r"\1", words) for each, words in full.items()} if self.short else full
        texts = texts if len({*texts.values()}) == len({*full.values()}) else full
        return texts[name] if self.most is None else told_apart(texts.values(), self.most)[texts[name]]

    def forms(self) -> Iterator[Fitted]:
        """Yields increasingly narrow layouts, with fewer columns, smaller fonts, and shorter headings and texts."""
        yield self
        narrow = self
        empty = [column.name for column in self.columns if {*column.cells} == {MISSING}]
        for name in dict.fromkeys([*empty, *_spare(self.paper, REDUNDANT)]):
            yield (narrow := narrow.dropped(name))
        yield replace(narrow, size=1)
        yield replace(narrow, size=1, short=True)
        yield replace(narrow.shortened(TEXTS[0]), size=1, short=True)
        yield (narrow := replace(narrow, size=2, short=True))
        if self.paper.narrower is not None:
            return
        for most in TEXTS[:2]:
            yield narrow.shortened(most)
        for name in _spare(narrow.paper, MINOR):
            yield (narrow := narrow.dropped(name)).shortened(TEXTS[1])
        yield from map(narrow.shortened, TEXTS[1:])
        for name in _spare(narrow.paper, LAST):
            narrow = narrow.dropped(name)
            yield from map(narrow.shortened, TEXTS[1:])

    def dropped(self, name: str) -> Fitted:
        """Returns the layout without the given column."""
        paper = replace(
            self.paper,
            frame=self.paper.frame.drop(name),
            spans=tuple((words, left) for words, members in self.paper.spans if (left := tuple(each for each in members if each != name))),
        )
        columns = tuple(column for column in self.columns if column.name != name)
        return replace(self, paper=paper, columns=columns, without=(*self.without, name))

    def shortened(self, most: int) -> Fitted:
        """Returns the layout with long texts shortened as far as they remain distinct."""
        short = [{} if column.numeric else told_apart(column.cells, most) for column in self.columns]
        columns = (
            replace(column, cells=tuple(names.get(cell, cell) for cell in column.cells))
            for column, names in zip(self.columns, short, strict=True)
        )
        return replace(self, most=most, columns=tuple(columns))

    def _points(self, column: FormattedColumn) -> float:
        """Estimates the width of a column in points, at a font size of 10 points."""
        heavier = 1.15 if column.name in self.paper.bold else 1.0
        texts = (
            f"+{cell[1:]}" if column.numeric and cell.startswith("-") else cell for cell in column.cells
        )  # a minus sign is printed as wide as a plus sign
        cells = max(map(_points, texts), default=0.0) * heavier
        marks = max((_points(re.sub(r"[\\^_{}]|agger", "", mark)) for mark in self.paper.marks.get(column.name, ())), default=0.0) * 0.75
        head = max(_points(_plain(line)) for line in self.head(column))
        return max(cells + marks, head)


def fitted(paper: PaperTable, smallest_p: Mapping[str, float], width: PaperWidth | None) -> Fitted:
    """Returns the table in the widest layout that fits.

    If the width is None, a table of at most five columns is first fitted to the width of a text column. This layout has all columns and
    does not use the smallest font. If it does not fit, or if the table has more than five columns, the table is fitted to the width of the
    page. A table that is too wide even for a page gets the narrowest layout, and its source says so.

    Raises:
        ValueError: A width is given, and no layout fits the width.
    """
    if width is None:
        column = Fitted.of(paper, smallest_p, "column")
        roomy = (form for form in column.forms() if form.size < len(SIZES) - 1 and not form.without)
        found = next((form for form in roomy if form.fits), None) if len(column.columns) <= FEW_COLUMNS else None
        return found or _narrowest(paper, smallest_p, "page")
    form = _narrowest(paper, smallest_p, width)
    if form.fits:
        return form
    needed = f"found one that needs {form.points:.0f}" + ('; width="page" has more room' if width == "column" else "")
    raise ValueError(f"width: expected a table that fits the {POINTS[width]:g} points of a {width}, {needed}")


def _narrowest(paper: PaperTable, smallest_p: Mapping[str, float], width: PaperWidth) -> Fitted:
    """Returns the first layout that fits, or the last layout if no layout fits."""
    form = widest = Fitted.of(paper, smallest_p, width)
    for form in widest.forms():
        if form.fits:
            return form
    return form if paper.narrower is None else _narrowest(paper.narrower, smallest_p, width)


def _spare(paper: PaperTable, among: Sequence[tuple[str, str]]) -> list[str]:
    shown = set(paper.frame.columns)
    return [name for name, beside in among if {name, beside} <= shown and name not in paper.marks]


def _plain(words: str) -> str:
    """Simplifies a heading to estimate its width: removes mathematical signs, and replaces each LaTeX command with a placeholder."""
    return re.sub(r"[\\${}]", "", re.sub(r"\\[a-zA-Z]+", "xx", words))


@lru_cache(maxsize=1 << 14)  # each layout of a table asks for the width of the same cells
def _points(text: str) -> float:
    """Estimates the width of a text in points, set in Computer Modern at 10 points; estimates are more often too large than too small."""
    return sum(WIDTHS.get(sign, 5.6 if sign.isascii() and sign.islower() else 10.3) for sign in text)
