"""The rows of a table that satisfy a condition in SQL, in the forms of a result."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

import polars as pl
from polars.exceptions import PanicException, PolarsError

from inexmetrics.common.messages import did_you_mean, plural, printable, with_hint
from inexmetrics.common.options import PaperWidth, Rows
from inexmetrics.report.forms import Reportable
from inexmetrics.report.text import Printed
from inexmetrics.terms import Text, argument

__all__ = ["ChosenRows", "chosen_rows", "satisfied"]

QUOTED: Final = re.compile(r"'(?:[^']|'')*'|\"((?:[^\"]|\"\")*)\"")
"""Matches a quoted part of a condition; the group is the content of double quotes."""
TOKEN: Final = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|[\w.]+|[<>=!]+|[^\s\w]""")
COMPARISONS: Final = frozenset({"=", "==", "!=", "<>", "<", ">", "<=", ">=", "in"})
TRUTH: Final = {"yes": "true", "no": "false", "true": "true", "false": "false"}
"""Words for truth values, as texts and CSV show them."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ChosenRows:
    """The rows of one table of a result that satisfy a condition; `Result.where` makes it.

    The finding, the warnings and the line below the table are those of the whole result.

    Attributes:
        result: The whole result.
        name: The name of the table.
        condition: The condition, as written.
        table: The chosen rows.
        places: Their positions in the whole table.
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

    @property
    def _above(self) -> str:
        """The text above the rows."""
        return "; ".join(filter(None, [self.said, self.result.notes.get(self.name)]))

    def to_text(self, *, width: int | None = None, rows: Rows = None) -> str:
        """Returns the text for a terminal, with the chosen rows as the single table; see `Result.to_text`."""
        rows_shown = self.result.as_displayed(self.name)[self.places]
        form = Printed(self.name, rows_shown, self._above, constants=self.table.height > 0)
        return self.result.text_of([form], {self.name: self.table}, width=width, rows=rows)

    def to_markdown(self) -> str:
        """Returns the chosen rows in Markdown; see `Result.to_markdown`."""
        return self.result.markdown_of(self.result.as_printed(self.name)[self.places], self._above)

    def to_latex(self, *, width: PaperWidth | None = None) -> str:
        """Returns the chosen rows as a LaTeX float; see `Result.to_latex`."""
        from inexmetrics.report.formats import latex_table
        from inexmetrics.report.papers import paper_table

        return latex_table(paper_table(self.result, self.name, self.places, self.said), self.result.smallest_p, width)

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__  # notebooks show it


def chosen_rows(result: Reportable, condition: str, table: str | None) -> ChosenRows:
    """Returns the rows of a table that satisfy a condition; `Result.where` documents the arguments."""
    frame = result.named(table)
    places = satisfied(frame, condition)
    return ChosenRows(result, next(iter(result.tables)) if table is None else table, condition, frame[places], places)


def satisfied(frame: pl.DataFrame, condition: str) -> list[int]:
    """Returns the positions of the rows that satisfy a condition in SQL.

    Text is in single quotes. Double quotes contain the name of a column, as in SQL, or else a text; a word that may be either is an error. A
    column of truth values may be compared with true and false, and with yes and no in quotes, as texts show them.

    Raises:
        ValueError: The condition is not SQL, names an unknown column, is not a condition, compares truth values with other values, or
            contains in double quotes both the name of a column and a text of the table.

    Examples:
        >>> frame = pl.DataFrame({"better": ["bm25", "dpr"], "p_value": [0.01, 0.2]})
        >>> satisfied(frame, 'better == "bm25"'), satisfied(frame, "p_value < 0.5 AND better LIKE 'd%'")
        ([0], [1])
        >>> satisfied(frame.with_columns(significant=pl.col("p_value") < 0.05), "significant = 'yes'")
        [0]
    """

    def text_or_column(part: re.Match[str]) -> str:
        name = part[1]
        if name is None or name.replace('""', '"') in frame.columns:
            return part[0]
        return "'" + name.replace('""', '"').replace("'", "''") + "'"

    asked = argument("where", Text(), condition)
    if ";" in QUOTED.sub("", asked):  # some versions of polars ignore what follows
        raise ValueError(with_hint(f"where: expected a condition in SQL, found {asked!r}: several statements", EXAMPLE))
    _check_unambiguous(asked, frame)
    try:
        test = pl.sql_expr(_with_truth_values(QUOTED.sub(text_or_column, asked), frame))
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


def _check_unambiguous(condition: str, frame: pl.DataFrame) -> None:
    """Checks that no word in double quotes is both the name of a column and a text of the table: as a column, it would choose other rows.

    Raises:
        ValueError: A word is both.
    """
    quoted = [part[1].replace('""', '"') for part in QUOTED.finditer(condition) if part[1] is not None]
    names = [name for name in dict.fromkeys(quoted) if name in frame.columns]
    texts = [column for column in frame if column.dtype == pl.String or isinstance(column.dtype, (pl.Enum, pl.Categorical))]
    found = [(name, column.name) for name in names for column in texts if name in column.cast(pl.String).drop_nulls().unique()]
    if not found:
        return
    both = {name for name, _ in found}

    def written(part: re.Match[str], *, column: bool) -> str:
        name = None if part[1] is None else part[1].replace('""', '"')
        if name is None or name not in both:
            return part[0]
        if not column:
            return "'" + name.replace("'", "''") + "'"
        return name if re.fullmatch(r"[A-Za-z_]\w*", name) else f"`{name}`"

    text, column = (QUOTED.sub(partial(written, column=kind), condition) for kind in (False, True))
    raise ValueError(
        f'where: "{found[0][0]}" is the name of a column and a text in the column {found[0][1]}; write {text} for the text, '
        f"or {column} for the column"
    )


def _with_truth_values(condition: str, frame: pl.DataFrame) -> str:
    """Returns a condition in which yes and no, compared with a column of truth values, are true and false.

    Polars compares a truth value with a text as texts, so that the condition would never hold.

    Raises:
        ValueError: A truth value is compared with a value of another kind.
    """
    tokens = [(token[0], token.span()) for token in TOKEN.finditer(condition)]
    kinds = [_kind(token, frame) for token, _ in tokens]
    replaced: dict[tuple[int, int], str] = {}
    for place, (token, _) in enumerate(tokens):
        for one, other in _compared(tokens, place) if token.lower() in COMPARISONS else ():
            for mine, value in ((one, other), (other, one)):
                (column, _), (text, span) = tokens[mine], tokens[value]
                if kinds[mine] != "truth" or kinds[value] in ("truth", None) or text in ("0", "1"):
                    continue
                literal = text.strip("'").lower() if text.startswith("'") else ""
                if kinds[mine] == kinds[value] or literal not in TRUTH:
                    raise ValueError(_other_kind(column, text, frame))
                replaced[span] = TRUTH[literal]
    for (start, end), text in sorted(replaced.items(), reverse=True):
        condition = condition[:start] + text + condition[end:]
    return condition


def _compared(tokens: Sequence[tuple[str, tuple[int, int]]], place: int) -> Iterator[tuple[int, int]]:
    """Yields the places of the two values of each comparison that a token makes: both sides, or a value and each item of a list."""
    before = place - 2 if place > 1 and tokens[place - 1][0].lower() == "not" else place - 1
    if before < 0 or place + 1 >= len(tokens):
        return
    if tokens[place][0].lower() != "in":
        yield before, place + 1
        return
    for item in range(place + 2, len(tokens)):
        if tokens[item][0] == ")":
            return
        yield before, item


def _kind(token: str, frame: pl.DataFrame) -> Literal["truth", "text", "number"] | None:
    """Returns the kind of the values of a column, or of a literal, in a condition; None for other words and signs."""
    name = token[1:-1].replace('""', '"') if token.startswith('"') else token
    if name in frame.columns and not token.startswith("'"):
        dtype = frame.schema[name]
        return "truth" if dtype == pl.Boolean else "number" if dtype.is_numeric() else "text" if dtype == pl.String else None
    if token.lower() in ("true", "false"):
        return "truth"
    return "text" if token.startswith("'") else "number" if token[0].isdigit() else None


def _other_kind(column: str, value: str, frame: pl.DataFrame) -> str:
    """Returns the error message for a comparison of a truth value with a value of another kind; one of the two may be a column."""
    name, other = column.strip('"'), value.strip('"')
    if name in frame.columns:
        return f"where: {name} contains yes or no, found a comparison with {other}; write {name} = 'yes' or {name} = 'no'"
    holds = "text" if frame.schema[other] == pl.String else "numbers"
    return f"where: {other} contains {holds}, found a comparison with {name}; {EXAMPLE}"


EXAMPLE: Final = "write it as in \"better = 'bm25' AND p_value < 0.05\""
