"""The forms in which a result is shown: text, charts, HTML, Markdown and LaTeX."""

from __future__ import annotations

import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

import polars as pl

from inexmetrics.collection.origin import Origin
from inexmetrics.common import cells, frozen, messages
from inexmetrics.common.files import Width, picture_of, write_files
from inexmetrics.common.options import Compat, PaperWidth, Rows
from inexmetrics.common.schema import Table
from inexmetrics.experiments.findings import with_short_names
from inexmetrics.experiments.tables import tables_of
from inexmetrics.report.charts.parts import Figure
from inexmetrics.report.text import Printed, on_screen, with_named
from inexmetrics.terms import Choice, Integer, Optional, Term, Text, argument, flags, parameter_types

__all__ = ["FEW", "ResultForms"]

if TYPE_CHECKING:
    import altair

    from inexmetrics.report.paper_tables import PaperTable

FEW: Final = 12
"""Maximum number of rows of a short table; short tables are printed before long tables."""
PAGE: Final = 120
"""Text width in characters if output is not a terminal and the environment variable COLUMNS is not set."""


def _with_short_names(finding: Callable[[ResultForms], str]) -> Callable[[ResultForms], str]:
    @wraps(finding)
    def shortened(result: ResultForms) -> str:
        return with_short_names(finding(result), result.tables.values())

    return shortened


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ResultForms(frozen.Frozen, ABC):
    """The forms in which a result is shown, and what the result states for them; `Result` documents the attributes."""

    in_papers: ClassVar[str | None] = None
    """Name of the table that `to_latex` uses by default; None for the first table."""

    experiment: Term
    tables: Mapping[str, pl.DataFrame]
    origin: Origin
    compat: Compat | None
    warnings: tuple[str, ...]

    def __init_subclass__(cls) -> None:
        """Shortens long names in the finding of each class, because only the finished finding and the tables show which names differ."""
        super(ResultForms, cls).__init_subclass__()
        written = vars(cls).get("finding")
        if isinstance(written, property) and written.fget is not None:
            cls.finding = property(_with_short_names(written.fget))  # type: ignore[assignment, method-assign]

    @property
    def table(self) -> pl.DataFrame:
        """The first table of the result."""
        return next(iter(self.tables.values()))

    @property
    def stated(self) -> Mapping[str, type[Table]]:
        """The `Table` classes that declare the columns of the result's tables, keyed by table name."""
        return tables_of(type(self))

    def named(self, table: str | None = None) -> pl.DataFrame:
        """Returns the table with this name, or the first table if the name is None.

        Raises:
            ValueError: The result does not have a table of this name.
        """
        if table is None:
            return self.table
        if argument("table", Text(), table) not in self.tables:
            known = ", ".join(self.tables)
            hint = messages.did_you_mean(table, self.tables)
            raise ValueError(messages.with_hint(f"expected the name of a table ({known}), found {table!r}", hint))
        return self.tables[table]

    def as_displayed(self, table: str | None = None) -> pl.DataFrame:
        """Returns a table with the values that text, Markdown, LaTeX and HTML display: those of the data, unless a value would mislead."""
        return self.named(table)

    def as_asked(self, table: str | None = None) -> pl.DataFrame:
        """Returns a displayed table with the experiment's argument values as text, with the fewest decimals that represent each exactly."""
        frame, stated = self.as_displayed(table), self.stated.get(table or next(iter(self.tables)), Table)
        asked = [name for name, column in stated.columns(frame.columns).items() if column.asked]
        return frame.with_columns(pl.Series(name, cells.in_few_decimals(frame[name].to_list(), exact=True), pl.String) for name in asked)

    @property
    @abstractmethod
    def finding(self) -> str:
        """The finding: one or two sentences, computed from the tables, that can be understood with only the formula above them.

        The finding names the runs, measures and quantisations. Counts are given with their total (216 of the 243), shares as percentages,
        and statistics with three decimals. With several conditions, the finding states a fact that is true for all conditions, or compares
        the conditions with the lowest and the highest value.
        """

    @property
    def smallest_p(self) -> Mapping[str, float]:
        """For each column of p-values, the bound that is printed instead of a p-value of 0; empty if no p-value can be 0.

        For example, the bound is 1/b for a bootstrap of b resamples.
        """
        return {}

    @property
    def same_p(self) -> str | None:
        """The text printed instead of a column p_adjusted that equals the column p_value; None to print both columns.

        The columns are equal if the p-values are not corrected, or if the test itself corrects them. The text states which reason applies.
        """
        return None

    @property
    def tested(self) -> str | None:
        """The line printed under tables with tests: the test and its tails, the number of hypotheses, the correction and its level."""
        return None

    def tested_in(self, columns: Collection[str]) -> str | None:
        """Returns the part of `tested` that concerns tables with the given columns."""
        del columns
        return self.tested

    def as_printed(self, table: str | None = None) -> pl.DataFrame:
        """Returns a table as Markdown and LaTeX show it: `as_asked`, except that the grid of `versus` has a column for each ten opponents."""
        return self.as_asked(table)

    @property
    def notes(self) -> Mapping[str, str]:
        """What Markdown and the captions of LaTeX add about a table, by table name."""
        return {}

    @abstractmethod
    def figure(self) -> Figure:
        """Returns the content of the result's chart."""

    def printed(self) -> Iterable[Printed]:
        """Returns the tables to print, in their printed forms; the other tables are only named, and are shown on request.

        By default, all short tables are printed first. If the result's first table is long, it is printed after the short tables.
        """
        few_first = sorted(self.tables.items(), key=lambda item: item[1].height > FEW)
        return [Printed(name, table) for name, table in few_first if table.height <= FEW or table is self.table]

    def to_text(self, table: str | None = None, *, width: int | None = None, rows: Rows = None) -> str:
        """Returns the text for a terminal: the formula, the data, the finding, the warnings, and the tables, with conditions in adjacent columns.

        Args:
            table: The single table to show. If None, all rows of short tables are shown, and only the first rows of long tables.
            width: Text width in characters; None uses the terminal's width, or 120 if output is not a terminal.
            rows: Number of rows to show of each table, or "all"; None shows at most 40 rows of each table and at most 60 lines in total.

        Raises:
            ValueError: The result does not have a table of this name, or width or rows are invalid.
        """
        return self._text(self.printed(), table, width=width, rows=rows)

    def _text(
        self, printed: Iterable[Printed], table: str | None, *, width: int | None, rows: Rows, warnings: Sequence[str] | None = None
    ) -> str:
        """Returns the text of the result, in which each table has the given printed form; `warnings` replaces the result's warnings."""
        tables = self.tables
        forms = with_named(printed, {name: self.as_displayed(name) for name in tables})
        if table is not None:
            tables = {table: self.named(table)}
            forms = [form for form in forms if form.table == table]
        return self.text_of(forms, tables, width=width, rows=rows, warnings=warnings)

    def text_of(
        self,
        forms: Sequence[Printed],
        tables: Mapping[str, pl.DataFrame],
        *,
        width: int | None,
        rows: Rows,
        warnings: Sequence[str] | None = None,
    ) -> str:
        """Returns the text of the result with the given printed forms of tables; `warnings` replaces the result's warnings."""
        columns = argument("width", Optional(Integer(at_least=1)), width) or shutil.get_terminal_size((PAGE, 24)).columns
        if isinstance(rows, str):
            argument("rows", Choice(("all",)), rows)
        elif rows is not None:
            rows = argument("rows", Integer(at_least=1), rows)
        head = f"{messages.filled_formula(str(self.experiment), columns)}\n{messages.filled(str(self.origin), columns)}\n\n{messages.filled(self.finding, columns)}"
        warned = self.warnings if warnings is None else warnings
        head = "\n\n".join([head, *(messages.filled(f"warning: {messages.printable(text)}", columns, "  ") for text in warned)])
        note = self.tested_in({name for table in tables.values() for name in table.columns})
        return on_screen(head, tables, forms, width=columns, rows=rows, smallest_p=self.smallest_p, note=note, same_p=self.same_p)

    def chart(self, panel: str | None = None) -> altair.TopLevelMixin:
        """Returns the result's chart as an altair chart, for display in a notebook, for saving or for modification.

        Args:
            panel: Name of the only panel to draw, such as ``"MAep ~ Gen5"``; None draws all panels.

        Raises:
            ImportError: The extra ``plot`` is not installed: ``pip install "inexmetrics[plot]"``.
            ValueError: The chart does not have a panel of this name.
            CollectionError: The result contains no values to draw.

        Examples:
            >>> from inexmetrics import MAep, Gen5, run, sample, scores
            >>> type(run(scores(MAep, Gen5), sample()).chart()).__name__
            'LayerChart'
        """
        from inexmetrics.report.charts.drawing import chart_of  # imported only when a chart is drawn

        return chart_of(self, panel)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        width: Width | None = None,
        panel: str | None = None,
        title: bool | None = None,
        dark: bool = False,
    ) -> None:
        """Writes the result's chart to a file. Equal results give byte-identical files.

        Args:
            path: The file, with the ending ``.svg``, ``.png``, ``.pdf`` or ``.html``. The file is written completely or not at all. An HTML
                file is self-contained: it does not load other files.
            width: The printed width for which the chart is laid out: ``"column"`` (3.33 inches), ``"page"`` (7 inches), a number of
                centimetres, or a length such as ``"3.3in"``, ``"84mm"`` or ``"240pt"`` (72 points per inch). The file has exactly this
                width, so that other programs need not scale the chart. The chart's text is at least 7 pt. With None, panels have the same
                size as on screen.
            panel: Name of the only panel to draw; None draws all panels.
            title: Whether the formula and the notes are drawn above the chart. With None, they are, except at the width ``"column"``, where
                the caption of the paper has them.
            dark: Whether the chart's colours are for a dark page.

        Raises:
            ImportError: The extra ``plot`` is not installed: ``pip install "inexmetrics[plot]"``.
            ValueError: The file's ending or the width is invalid, the chart does not fit the width, or the panel does not exist.
            CollectionError: The result contains no values to draw.
            OSError: The file cannot be written.

        Notes:
            * Width: PNG files have 300 dots per inch. If the width is too small, the error states the smallest possible one.
            * Height: If a printed chart would be taller than 9 inches, only its first runs or panels are drawn, or panels are lower, and a
              note in the chart says so. A chart has at most 36 panels.
            * Panels are named after their condition or what they show, such as ``switches`` of `assessors`; the error for an unknown name
              lists them. All panels have their runs in one order.
            * Measures that differ only in a number, such as a budget, share one panel of `scores` if there are three or more.
        """
        from inexmetrics.report.charts.drawing import drawn  # imported only when a chart is drawn

        file = Path(argument("path", parameter_types.PATH, path))
        flags(dark=dark, **({} if title is None else {"title": title}))
        write_files({file: drawn(self, picture_of(file), width=width, panel=panel, title=title, dark=dark)})

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the result as one self-contained HTML page: the data, the tables, the chart, and how to repeat the experiment.

        Args:
            path: The file, with the ending ``.html``. The file is written completely or not at all.

        Raises:
            ValueError: The file's ending is not ``.html`` or ``.htm``.
            OSError: The file cannot be written.
        """
        from inexmetrics.report.html import page_of  # imported here because the module is slow to load

        write_files({_html_file(path): page_of(self).encode()})

    def card(self, path: str | os.PathLike[str] | None = None) -> str:
        """Returns the result as an HTML fragment for embedding: the finding, the chart, short tables, and how to repeat the experiment.

        The fragment does not contain scripts and does not load other files. The fragment's styles do not affect the page around it, and the
        page's styles do not affect the fragment. The fragment is light or dark according to the user's preference, or to
        ``--inexmetrics-scheme: light`` (or ``dark``) in the page's styles.

        Args:
            path: The file to which the fragment is written, with the ending ``.html``. The file is written completely or not at all.

        Raises:
            ValueError: The file's ending is not ``.html`` or ``.htm``.
            OSError: The file cannot be written.

        Examples:
            >>> from inexmetrics import MAP, ranks, run, sample
            >>> run(ranks(MAP), sample()).card()[:34]
            '<section class="inexmetrics-card" '
        """
        from inexmetrics.report.card import card_of  # imported here because the module is slow to load

        text = card_of(self)
        if path is not None:
            write_files({_html_file(path): text.encode()})
        return text

    def _repr_html_(self) -> str:
        """Returns the content of `to_text` as HTML for notebooks, with tables and the chart."""
        from inexmetrics.report.html import notebook_html  # imported here because the module is slow to load

        return notebook_html(self)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return str(self)

    def to_markdown(self, table: str | None = None) -> str:
        """Returns a table in Markdown, by default the first table. The text below the table describes the data and the tests, and contains the warnings.

        Raises:
            ValueError: The result does not have a table of this name.
        """
        return self.markdown_of(self.as_printed(table), self.notes.get(table or next(iter(self.tables)), ""))

    def markdown_of(self, frame: pl.DataFrame, said: str = "") -> str:
        """Returns a table in Markdown; below it are `said`, the result's data and tests, and its warnings."""
        from inexmetrics.report.formats import markdown_table  # imported here because only this method uses it

        facts, note = "; ".join(filter(None, [said, str(self.origin)])), self.tested_in(frame.columns)
        return markdown_table(frame, smallest_p=self.smallest_p, facts=facts, note=note, warnings=self.warnings)

    def to_latex(self, table: str | None = None, *, width: PaperWidth | None = None) -> str:
        """Returns a table, by default the first, as a LaTeX float with a caption and the rules of the package booktabs.

        The caption contains the values of constant columns, and the test, its tails, the number of hypotheses, the correction and its
        level. The warnings are printed below the table. If the first table would be too long for a paper, `to_latex` uses a shorter table by default. For `significance` and
        `assessors`, the default table is ``summary``. For `curve`, the default table has eleven recall levels in adjacent columns. For
        `degradation`, the default table contains the measures without their curves. A table that is requested by name contains all its
        rows.

        Args:
            table: The table's name.
            width: The maximum width: ``"column"`` for one of two text columns (229 points), or ``"page"`` for a table across both columns
                (345 points). A table that is too wide first omits columns that repeat other columns; a LaTeX comment names the omitted
                columns. If the table is still too wide, the font size is reduced and long texts are cut where they do not differ. With None,
                tables of at most five columns that fit there in a legible font have the width ``"column"``, and other tables ``"page"``; a
                comment says if a table is too wide even so.

        Raises:
            ValueError: The result does not have a table of this name, or the width is invalid.
        """
        from inexmetrics.report.formats import latex_table  # imported here because only this method uses it

        return latex_table(self._paper_table(self.in_papers if table is None else table), self.smallest_p, width)

    def _paper_table(self, table: str | None) -> PaperTable:
        """Returns a table in the form that `to_latex` prints."""
        from inexmetrics.report.papers import paper_table  # imported here because only this method uses it

        return paper_table(self, table)


def _html_file(path: str | os.PathLike[str]) -> Path:
    """Returns the path of an HTML file.

    Raises:
        ValueError: The file's ending is not ``.html`` or ``.htm``.
    """
    file = Path(argument("path", parameter_types.PATH, path))
    if file.suffix.lower() not in {".html", ".htm"}:
        raise ValueError(f"expected a file that ends in .html, found {file}")
    return file
