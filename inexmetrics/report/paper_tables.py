"""Tables as papers print them, fitted to the width of a column or a page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import polars as pl

from inexmetrics.common.cells import MISSING, Column, columns_of
from inexmetrics.common.options import PaperWidth
from inexmetrics.report.tex import escaped, heading

__all__ = ["PAGE_ROWS", "Fitted", "PaperTable", "fitted"]

POINTS: Final[Mapping[PaperWidth, float]] = {"column": 229.0, "page": 345.0}
"""Points of a column of LaTeX's article in two columns, and of the text of its article in one."""
FEW_COLUMNS: Final = 5
"""Columns of a table that is fitted to a column unless a width is given."""
PAGE_ROWS: Final = 45
"""Rows that fit on a page; a table of more is broken over pages."""
SIZES: Final = (("", 1.0, 6), (r"\footnotesize", 0.85, 3), (r"\scriptsize", 0.8, 2))
"""Sizes of type: the width of a letter relative to 10 points, and the space at each side of a column in points."""
REDUNDANT: Final = (("mean", "opponent_mean"), ("statistic", "difference"), ("p_value", "p_adjusted"), ("tied_with_best", "best_rank"))
"""Columns that are left out before letters are made smaller, each beside the column that makes it dispensable."""
MINOR: Final = (
    ("effect_size", "difference"), ("opponent_mean", "difference"), ("top_shared", "f1"), ("judged", "f1"), ("alpha", "kappa"), ("n_both", "recall"),
    ("mean_judge", "mean"), ("topics_truth", "mean"), ("weight", "mean"), ("low_truth", "mean"), ("high_truth", "mean"),
)  # fmt: skip
"""Columns that are left out where the smallest letters are too large, each beside one that stays."""
TEXTS: Final = (24, 16, 12, 8)
"""Characters to which texts are shortened where a table is too wide, one after the other."""
POINTS_OF_SIGNS: Final = (
    ("il.,:;!|'", 2.8), ("jfrst()[]-_ ", 4.0), ("0123456789", 5.0), ("ABCDEFGHIJKLNOPQRSTUVXYZ+<>=~&", 7.9), ("mw%", 8.4),
)  # fmt: skip
"""Characters of Computer Modern at 10 points by their width."""


@dataclass(frozen=True, slots=True)
class PaperTable:
    r"""A table as a paper prints it.

    Attributes:
        frame: The rows.
        label: The name for ``\ref``.
        caption: The sentences of the caption.
        columns: The columns that are headed by words; others are headed by their names.
        spans: Words over neighbouring columns, with the names of these.
        blocks: The columns whose values are written once above the rows that share them.
        gap: The column whose changes separate groups of rows.
        bold: The columns whose highest number is bold.
        marks: Signs after the cells of a column, row by row, as mathematics in LaTeX, such as ``^{ab}``.
        source: The origin of the table, for a comment.
        without: The columns of the result's table that it leaves out, for a comment.
        narrower: The table to take where this one is too wide.
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
    without: tuple[str, ...] = ()
    narrower: PaperTable | None = None


@dataclass(frozen=True, slots=True)
class Fitted:
    """A table in the form that fits a width.

    Attributes:
        paper: The table.
        columns: Its formatted columns.
        width: The width.
        size: Index of the size of type in `SIZES`.
        short: Whether headings are shortened.
        most: The number of characters to which texts are shortened, or None.
        without: The columns that were left out.
    """

    paper: PaperTable
    columns: tuple[Column, ...]
    width: PaperWidth
    size: int = 0
    short: bool = False
    most: int | None = None
    without: tuple[str, ...] = ()

    @classmethod
    def of(cls, paper: PaperTable, smallest_p: Mapping[str, float], width: PaperWidth) -> Fitted:
        return cls(paper, tuple(columns_of(paper.frame.drop(paper.blocks), smallest_p)), width)

    @property
    def commands(self) -> list[str]:
        """The commands that set the size of type."""
        size, _, space = SIZES[self.size]
        return [size, rf"\setlength{{\tabcolsep}}{{{space}pt}}"] if size else []

    @property
    def points(self) -> float:
        """The width of the table in points, estimated rather too large than too small."""
        _, scale, space = SIZES[self.size]
        inside = sum(self._points(column) * scale + 2 * space for column in self.columns) - 2 * space
        shared = max(map(_points, _shared_texts(self.paper)), default=0.0) * scale if self.paper.blocks else 0.0
        return max(inside, shared)

    @property
    def fits(self) -> bool:
        """Whether the table is no wider than its width."""
        return self.points <= POINTS[self.width]

    def head(self, column: Column) -> list[str]:
        """Return the lines above a column, in LaTeX: two where one would be much wider than the cells."""
        if column.name in self.paper.columns:
            words = heading(column.name, short=self.short)
        else:
            over = any(column.name in members for _, members in self.paper.spans)
            words = escaped(_middle_out(column.name.rpartition(" ~ ")[2] if over else column.name, self.most))
        first, space, second = words.partition(" ")
        alone = not space or _points(_plain(words)) <= max(map(_points, (*column.cells, "0" * 9)))
        return [words] if alone else [first, second]

    def forms(self) -> Iterator[Fitted]:
        """Yield ever narrower forms: fewer columns, smaller letters, shorter headings and texts."""
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
        for most in TEXTS[1:]:
            yield narrow.shortened(most)

    def dropped(self, name: str) -> Fitted:
        """Return the table without a column."""
        paper = replace(
            self.paper,
            frame=self.paper.frame.drop(name),
            spans=tuple((words, left) for words, members in self.paper.spans if (left := tuple(each for each in members if each != name))),
        )
        columns = tuple(column for column in self.columns if column.name != name)
        return replace(self, paper=paper, columns=columns, without=(*self.without, name))

    def shortened(self, most: int) -> Fitted:
        """Return the table with texts of at most so many characters, which lose their middle, where they stay different."""
        return replace(self, most=most, columns=tuple(_shortened(column, most) for column in self.columns))

    def _points(self, column: Column) -> float:
        """Return the width of a column in points, at 10 points."""
        heavier = 1.15 if column.name in self.paper.bold else 1.0
        texts = (f"+{cell[1:]}" if column.numeric and cell.startswith("-") else cell for cell in column.cells)  # a minus is as wide
        cells = max(map(_points, texts), default=0.0) * heavier
        marks = max((_points(re.sub(r"[\\^_{}]|agger", "", mark)) for mark in self.paper.marks.get(column.name, ())), default=0.0) * 0.75
        head = max(_points(_plain(line)) for line in self.head(column))
        return max(cells + marks, head)


def fitted(paper: PaperTable, smallest_p: Mapping[str, float], width: PaperWidth | None) -> Fitted:
    """Return the table in the roomiest form that fits.

    Without a width, a table of at most five columns is fitted to a column, and to a page if that takes more than smaller letters; a
    table that is too wide for a page has the narrowest form.

    Raises:
        ValueError: No form fits the width that is given.
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
    """Return the first form that fits, or the last one."""
    forms = list(Fitted.of(paper, smallest_p, width).forms())
    found = next((form for form in forms if form.fits), None)
    if found is None and paper.narrower is not None:
        return _narrowest(paper.narrower, smallest_p, width)
    return found or forms[-1]


def _spare(paper: PaperTable, among: Sequence[tuple[str, str]]) -> list[str]:
    shown = set(paper.frame.columns)
    return [name for name, beside in among if {name, beside} <= shown and name not in paper.marks]


def _shared_texts(paper: PaperTable) -> Iterator[str]:
    return (" ".join(map(str, row)) for row in paper.frame.select(paper.blocks).unique().iter_rows())


def _plain(words: str) -> str:
    """Return a heading without the signs of mathematics and commands."""
    return re.sub(r"[\\${}]", "", re.sub(r"\\[a-zA-Z]+", "xx", words))


def _points(text: str) -> float:
    """Return the width of a text in points, in Computer Modern at 10 points, rather too large than too small."""
    return sum(map(_sign_points, text))


def _sign_points(sign: str) -> float:
    for signs, points in POINTS_OF_SIGNS:
        if sign in signs:
            return points
    return 5.6 if sign.isascii() and sign.islower() else 10.3


def _shortened(column: Column, most: int) -> Column:
    cells = tuple(_middle_out(cell, most) for cell in column.cells)
    return column if column.numeric or len({*cells}) < len({*column.cells}) else replace(column, cells=cells)


def _middle_out(text: str, most: int | None) -> str:
    """Return a text of at most so many characters, with an ellipsis in its middle.

    Examples:
        >>> _middle_out("bm25-dense-hybrid-monoT5-large", 16), _middle_out("bm25", 16)
        ('bm25-de…T5-large', 'bm25')
    """
    return text if most is None or len(text) <= most else f"{text[: most // 2 - 1]}…{text[-(most // 2) :]}"
