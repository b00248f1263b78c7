"""Printed forms of results and of their tables, for example with conditions side by side or recall levels in columns."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, Protocol

import polars as pl

from inexmetrics.collection.condition_names import condition_column
from inexmetrics.collection.origin import Origin
from inexmetrics.common.cells import MISSING, decimal, decimals_of, in_few_decimals
from inexmetrics.common.messages import printable
from inexmetrics.common.options import Compat, Rows
from inexmetrics.common.schema import Table
from inexmetrics.common.tables import NO_QUANTISATION
from inexmetrics.report.charts.parts import Drawable
from inexmetrics.report.text import Printed
from inexmetrics.terms import Term

__all__ = [
    "CONDITION", "Reportable", "across", "alternative_text", "caption_of", "changes", "condition_tables", "in_parts", "lead", "levels_beside", "narrowing",
    "numbered", "side_by_side", "spread_levels", "stated",
]  # fmt: skip

CONDITION: Final = ("measure", "quantisation")


class Reportable(Drawable, Protocol):
    """Protocol for results that can be reported; `Result` implements it and documents its members."""

    @property
    def experiment(self) -> Term: ...
    @property
    def finding(self) -> str: ...
    @property
    def tables(self) -> Mapping[str, pl.DataFrame]: ...
    def named(self, table: str | None = None) -> pl.DataFrame: ...
    def as_displayed(self, table: str | None = None) -> pl.DataFrame: ...
    def as_asked(self, table: str | None = None) -> pl.DataFrame: ...

    def as_printed(self, table: str | None = None) -> pl.DataFrame: ...
    def printed(self) -> Iterable[Printed]: ...
    def text_of(self, forms: Sequence[Printed], tables: Mapping[str, pl.DataFrame], *, width: int | None, rows: Rows) -> str: ...
    def markdown_of(self, frame: pl.DataFrame, said: str = "") -> str: ...
    @property
    def stated(self) -> Mapping[str, type[Table]]: ...
    @property
    def origin(self) -> Origin: ...
    @property
    def compat(self) -> Compat | None: ...
    @property
    def warnings(self) -> tuple[str, ...]: ...
    @property
    def smallest_p(self) -> Mapping[str, float]: ...
    @property
    def same_p(self) -> str | None: ...
    @property
    def tested(self) -> str | None: ...
    def tested_in(self, columns: Collection[str]) -> str | None: ...
    @property
    def notes(self) -> Mapping[str, str]: ...


def alternative_text(result: Reportable) -> str:
    """Returns the text for readers who cannot see a chart: the finding of the result, followed by its warnings."""
    return printable(" ".join([f"chart: {result.finding}", *(f"Warning: {warning.removesuffix('.')}." for warning in result.warnings)]))


def caption_of(table: type, frame: pl.DataFrame) -> str:
    """Returns the content of a table: the first sentence of its documentation, without the order of rows, and without conditions if there is only one.

    Examples:
        >>> class Declared:
        ...     '''The mean of each run under each condition, sorted by measure, then by `run_id`. One row for each run.'''
        >>> (
        ...     caption_of(Declared, pl.DataFrame({"measure": ["MAP", "RR"]})),
        ...     caption_of(Declared, pl.DataFrame({"measure": ["MAP"]})),
        ... )
        ('The mean of each run under each condition.', 'The mean of each run.')
    """
    sentence = re.split(r"(?<=\.)\s", " ".join((table.__doc__ or "").split()), maxsplit=1)[0].replace("`", "")
    sentence = re.sub(r"[,;] sorted by [^.;]*|, then by [^.;]*|,? in (?:formula order|one row)", "", sentence)
    named = [column for column in (*CONDITION, "predictor", "truth") if column in frame.columns]
    if named and frame.select(named).n_unique() <= 1:
        sentence = re.sub(r",? (?:under|of) each (?:condition\b|pair of conditions)| and condition\b", "", sentence)
    return sentence


def lead(lower: Collection[str]) -> pl.Expr:
    """Returns an expression for the difference of a row, negated under the measures in `lower`: above 0 if the first run is ahead."""
    return pl.when(pl.col("measure").is_in([*lower])).then(-pl.col("difference")).otherwise(pl.col("difference"))


def stated(frame: pl.DataFrame, *names: str) -> str:
    """Returns a line with the name and the value of each named column that is constant.

    Examples:
        >>> stated(pl.DataFrame({"measure": ["MAP", "MAP"], "topics": [2, 3]}), "measure", "topics")
        'measure: MAP'
    """
    said = {name: MISSING if frame[name][0] is None else str(frame[name][0]) for name in names if frame[name].n_unique() == 1}
    return "; ".join(f"{name}: {text}" for name, text in said.items() if (name, text) != NO_QUANTISATION)


def changes(frame: pl.DataFrame, *names: str) -> tuple[int, ...]:
    """Returns the indices, counted from 0, of the rows that differ from the row above in one of the named columns."""
    rows = frame.select(names).rows()
    return tuple(place for place in range(1, len(rows)) if rows[place] != rows[place - 1])


def condition_tables(frame: pl.DataFrame, *others: str) -> Iterator[pl.DataFrame]:
    """Yields the rows of each condition as a separate table; the conditions are in the order of the formula."""
    for _, part in frame.group_by(*CONDITION, *others, maintain_order=True):
        yield part


def in_parts(table: str, parts: Iterable[pl.DataFrame], above: str = "") -> Iterator[Printed]:
    """Yields a separate printed form for each part of a table.

    If the output is too long for the screen, each form is shortened separately. If every part has only one row, a single form with all rows
    is yielded instead.
    """
    parts = list(parts)
    if parts and all(part.height == 1 for part in parts):
        parts = [pl.concat(parts)]
    yield from (Printed(table, part, above) for part in parts)


def side_by_side(frame: pl.DataFrame, index: str, cells: str | Iterable[str]) -> pl.DataFrame:
    """Returns a table with a row per value of `index`, such as run_id, and a column per condition, in the order of first occurrence."""
    values = pl.col(cells) if isinstance(cells, str) else pl.Series("cell", list(cells), dtype=pl.String)
    rows = frame.select(index, condition_column(), values.alias("cell"))
    return rows.pivot(on="condition", index=index, values="cell", maintain_order=True)


def across(frame: pl.DataFrame, on: str, index: Sequence[str], cells: Iterable[str]) -> pl.DataFrame:
    """Pivots the cells into a column per value of `on`; missing cells are empty strings."""
    rows = frame.select(on, *index).with_columns(pl.Series("cell", list(cells), dtype=pl.String))
    wide = rows.pivot(on=on, index=list(index), values="cell", maintain_order=True)
    return wide.with_columns(pl.exclude(index).fill_null(""))


def numbered(form: Printed, index: int = 1) -> Printed:
    """Replaces the column headings, except for the first `index` headings, with numbers that are explained above the table."""
    names = form.frame.columns[index:]
    places = {name: str(place) for place, name in enumerate(names, start=1)}
    legend = "; ".join([*filter(None, [form.above]), *(f"{place}: {name}" for name, place in places.items())])
    return replace(form, frame=form.frame.rename(places), above=legend, right=tuple(places.get(name, name) for name in form.right))


def levels_beside(table: str, frame: pl.DataFrame, index: str, above: str, called: str = "level") -> Printed:
    """Returns curves as a table with a row per value of `index` and a column per level; narrower versions have fewer levels or decimals."""
    levels = frame["level"].unique().sort().to_list()
    forms = []
    for points in (11, 6):
        chosen = spread_levels(levels, points)
        without = (f"{len(levels) - len(chosen)} {called}s",) if len(chosen) < len(levels) else ()
        said = f"{above}; columns: {called}"
        shown = frame.filter(pl.col("level").is_in(chosen))
        names = dict(zip(chosen, in_few_decimals(chosen), strict=True))
        most = decimals_of(shown)["value"]
        for fewer in (0, 1):
            cells = shown.select(
                index,
                pl.Series("level", [names[level] for level in shown["level"]], dtype=pl.String),
                pl.Series(
                    "cell", [decimal(value, places - fewer) for value, places in zip(shown["value"], most, strict=True)], dtype=pl.String
                ),
            )
            wide = cells.pivot(on="level", index=index, values="cell", maintain_order=True)
            forms.append(Printed(table, wide, said, constants=False, right=tuple(wide.columns[1:]), without=without))
    return narrowing(forms)


def narrowing(forms: Sequence[Printed]) -> Printed:
    """Returns the widest printed form of a table, linked to the narrower forms that replace it if it is too wide."""
    *wider, form = forms
    for each in reversed(wider):
        form = replace(each, narrower=form)
    return form


def spread_levels(levels: Sequence[float], points: int) -> list[float]:
    """Returns at most `points` recall levels or ranks, spread as evenly as possible from 0 to the last level."""
    if len(levels) <= points:
        return list(levels)
    targets = [levels[-1] * place / (points - 1) for place in range(points)]
    return sorted({min(levels, key=lambda level: abs(level - target)) for target in targets})
