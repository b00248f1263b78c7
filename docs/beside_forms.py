"""The forms of tables that compare printed numbers with computed ones."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Compared", "compared", "markdown", "minus", "signed"]


@dataclass(frozen=True, slots=True)
class Compared:
    """A whole table of a paper next to computed values, of which a page shows a few rows."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]

    def shown(self, first: Collection[str], without: Collection[str] = ()) -> str:
        """Returns the rows whose first cell is one of these, without the columns with some headings, as Markdown."""
        places = [place for place, head in enumerate(self.heads) if head not in without]
        return markdown([self.heads[place] for place in places], [[row[place] for place in places] for row in self.rows if row[0] in first])

    def csv(self) -> str:
        """Returns all rows as CSV, without the marks of code."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([cell.replace("`", "") for cell in row] for row in (self.heads, *self.rows))
        return text.getvalue()


def markdown(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown; all columns except the first contain numbers."""
    rule = f"|---|{'---:|' * (len(heads) - 1)}"
    return "\n".join([f"| {' | '.join(heads)} |", rule, *(f"| {' | '.join(row)} |" for row in rows)])


def minus(number: float, form: str = ".2f") -> str:
    """Return a number with a typographic minus sign."""
    return f"{number:{form}}".replace("-", "\N{MINUS SIGN}")


def signed(difference: float, decimals: int) -> str:
    """Return a difference with its sign; 0 is written without a sign."""
    text = minus(difference, f"+.{decimals}f")
    return text if float(f"{difference:.{decimals}f}") else f"{0:.{decimals}f}"


def compared(rows: Iterable[tuple[str, str, float]]) -> str:
    """Return printed values, each next to the computed value with the same number of decimals, and their difference; a printed percentage is compared with a share."""
    lines = []
    for what, printed, here in rows:
        percent = printed.endswith(" %")
        decimals = len(printed.removesuffix(" %").partition(".")[2])
        value = 100 * here if percent else here
        shown = f"{value:.{decimals}f}{' %' if percent else ''}"
        lines.append((what, printed, shown, signed(float(f"{value:.{decimals}f}") - float(printed.removesuffix(" %")), decimals)))
    return markdown(("", "value (paper)", "value (computed)", "difference"), lines)
