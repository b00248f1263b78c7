"""The rows of a table that satisfy a condition in SQL, in the forms of a result."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import polars as pl
from polars.exceptions import PanicException, PolarsError

from inexmetrics.common.messages import did_you_mean, plural, printable, with_hint
from inexmetrics.common.options import PaperWidth, Rows
from inexmetrics.report.forms import Reportable
from inexmetrics.report.text import Printed
from inexmetrics.terms.parameter_types import Text, argument

__all__ = ["ChosenRows", "chosen_rows", "satisfied"]

QUOTED: Final = re.compile(r"'(?:[^']|'')*'|\"((?:[^\"]|\"\")*)\"")
"""Matches a quoted part of a condition; the group is the content of double quotes."""


@dataclass(frozen=True, slots=True, eq=False)
class ChosenRows:
    """The rows of one table of a result that satisfy a condition; `Result.where` makes it.

    The finding, the warnings and the line below the table are those of the whole result.

    Attributes:
        result: The whole result.
        name: The name of the table.
        condition: The condition, as written.
        table: The chosen rows.
        places: The positions of these rows in the whole table.
    """

    result: Reportable
    name: str
    condition: str
    table: pl.DataFrame
    places: list[int]

    @property
    def said(self) -> str:
        """How many rows were chosen, and by which condition."""
        return f"{self.table.height} of {plural(self.result.tables[self.name].height, 'row')}; where: {printable(self.condition)}"

    def to_text(self, *, width: int | None = None, rows: Rows = None) -> str:
        """Returns the text for a terminal, with the chosen rows as the single table; see `Result.to_text`."""
        form = Printed(self.name, self.table, self.said, constants=self.table.height > 0)
        return self.result.text_of([form], {self.name: self.table}, width=width, rows=rows)

    def to_markdown(self) -> str:
        """Returns the chosen rows in Markdown; see `Result.to_markdown`."""
        return self.result.markdown_of(
            self.result.as_asked(self.name)[self.places], "; ".join(filter(None, [self.said, self.result.notes.get(self.name)]))
        )

    def to_latex(self, *, width: PaperWidth | None = None) -> str:
        """Returns the chosen rows as a LaTeX float; see `Result.to_latex`."""
        from inexmetrics.report.formats import latex_table
        from inexmetrics.report.papers import paper_table

        return latex_table(paper_table(self.result, self.name, self.places, self.said), self.result.smallest_p, width)

    def __str__(self) -> str:
        return self.to_text()


def chosen_rows(result: Reportable, condition: str, table: str | None) -> ChosenRows:
    """Returns the rows of a table that satisfy a condition; `Result.where` documents the arguments."""
    frame = result.named(table)
    places = satisfied(frame, condition)
    return ChosenRows(result, next(iter(result.tables)) if table is None else table, condition, frame[places], places)


def satisfied(frame: pl.DataFrame, condition: str) -> list[int]:
    """Returns the positions of the rows that satisfy a condition in SQL.

    Text is in single quotes. Double quotes contain the name of a column, as in SQL, or else a text.

    Raises:
        ValueError: The condition is not SQL, names an unknown column, or is not a condition.

    Examples:
        >>> frame = pl.DataFrame({"better": ["bm25", "dpr"], "p_value": [0.01, 0.2]})
        >>> satisfied(frame, 'better == "bm25"'), satisfied(frame, "p_value < 0.5 AND better LIKE 'd%'")
        ([0], [1])
    """

    def text_or_column(part: re.Match[str]) -> str:
        name = part[1]
        if name is None or name.replace('""', '"') in frame.columns:
            return part[0]
        return "'" + name.replace('""', '"').replace("'", "''") + "'"

    asked = argument("where", Text(), condition)
    try:
        test = pl.sql_expr(QUOTED.sub(text_or_column, asked))
        unknown = [name for name in test.meta.root_names() if name not in frame.columns]
        found = frame.select(pl.int_range(pl.len()).alias("place"), test.alias("chosen")) if not unknown else frame.clear()
    except (PolarsError, PanicException) as error:
        reason = next(iter(str(error).splitlines()), "")
        raise ValueError(with_hint(f"where: expected a condition in SQL, found {asked!r}: {reason}", EXAMPLE)) from None
    if unknown:
        hint = did_you_mean(unknown[0], frame.columns) or EXAMPLE
        raise ValueError(with_hint(f"where: expected a column ({', '.join(frame.columns)}), found {unknown[0]}", hint))
    if found["chosen"].dtype != pl.Boolean:
        raise ValueError(with_hint(f"where: expected a condition, found the values of {asked!r}", EXAMPLE))
    return found.filter("chosen")["place"].to_list()


EXAMPLE: Final = "write it as in \"better = 'bm25' AND p_value < 0.05\""
