"""Tables that share a screen: each as wide as the terminal, and all of them together as long as one can read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import polars as pl

from inexmetrics.common.cells import UNBOUNDED, Column, columns_of, intervals
from inexmetrics.common.messages import filled, plural
from inexmetrics.common.options import Rows
from inexmetrics.common.tables import (
    DESCRIPTIVE,
    NO_ROWS,
    constant_cells,
    constant_columns,
    fits,
    more_rows,
    rests_on_tests,
    same_p_values,
    text_lines,
    with_quantisations,
)

__all__ = ["HOW", "ROWS", "Block", "Printed", "Shown", "arranged", "on_screen", "with_named"]

ROWS: Final = 40
LINES: Final = 60
HEAD: Final = 5
"""Rows that a table has at least, where there are others."""
SPARE: Final = ("statistic", "effect_size", "p_value")
"""Columns left out where a table is too wide, in this order; p_value only beside p_adjusted."""
HOW: Final = "all rows: --rows all; one table: --table NAME; data: --table NAME --format csv"


@dataclass(frozen=True, slots=True)
class Printed:
    """A table of a result, or a part of it, in the form in which it is printed.

    Attributes:
        table: The name of the table.
        frame: What is printed.
        above: What is said above it.
        constants: Whether columns that hold one value on every row are said above it, too.
        breaks: Rows above which a line is left free, by their number from 0.
        right: Columns of text that stand to the right, as numbers do, whether they hold one value or not.
        without: Columns of the table that this form leaves out.
        narrower: The form to take where this one is too wide.
        named: Whether it is named only, and shown where it is asked for.
        head: Rows that it has at least, where there is room.
    """

    table: str
    frame: pl.DataFrame
    above: str = ""
    constants: bool = True
    breaks: tuple[int, ...] = ()
    right: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    narrower: Printed | None = None
    named: bool = False
    head: int = HEAD


def with_named(printed: Iterable[Printed], tables: Mapping[str, pl.DataFrame]) -> list[Printed]:
    """Return the forms of a result, and for each table that has none a form that is shown where it is asked for."""
    forms = list(printed)
    return forms + [Printed(name, frame, named=True) for name, frame in tables.items() if all(form.table != name for form in forms)]


def on_screen(
    head: str,
    tables: Mapping[str, pl.DataFrame],
    forms: Sequence[Printed],
    *,
    width: int,
    rows: Rows = None,
    smallest_p: Mapping[str, float] = UNBOUNDED,
    note: str | None = None,
) -> str:
    """A text, and below it the tables in their forms, of which several may be parts of one table.

    Without a number of rows, at most 40 of each table are shown, and at most 60 lines in all. The note stands under tables that rest on tests.
    """
    lines = sum(max(-(-len(line) // width), 1) for line in head.splitlines())
    shown, tail = arranged(tables, forms, width=width, above=lines, rows=rows, smallest_p=smallest_p, note=note)
    return "\n\n".join(part for part in (head, *(part.block.text(part.rows, part.note) for part in shown), tail) if part)


def arranged(
    tables: Mapping[str, pl.DataFrame],
    forms: Sequence[Printed],
    *,
    width: int,
    above: int = 0,
    rows: Rows = None,
    smallest_p: Mapping[str, float] = UNBOUNDED,
    note: str | None = None,
    how: str = HOW,
) -> tuple[list[Shown], str]:
    """Return the tables as they share a screen, and what is said below them: what is left out, and how to have it.

    Args:
        tables: The tables by name.
        forms: The forms of the tables, of which several may be parts of one table.
        width: Columns of the screen.
        above: Lines that are taken already.
        rows: Rows of each table, or "all"; None shows at most 40 of each, and at most 60 lines in all.
        smallest_p: What p-values of 0 are below, by column.
        note: The note under tables that rest on tests.
        how: How to have what is left out.
    """
    limit = None if rows == "all" else ROWS if rows is None else rows
    blocks: list[Block] = []
    for form in forms:
        if not form.named or rows is not None or len(tables) == 1:
            first = all(block.table != form.table for block in blocks)
            title = form.table if first and len(tables) > 1 else ""
            under = note if first and note and rests_on_tests(tables[form.table]) else ""
            blocks.append(Block.of(_Fitted.of(form, limit, smallest_p), title, under, width))
    if rows is None:
        # what is left out is known only when the room is shared: the longest such line is reckoned with
        reserved = _tail(tables, [], blocks, width, how).count("\n") + 2
        counts = _shared(blocks, LINES - above - reserved)
    else:
        counts = [len(block.rows) for block in blocks]
    kept = blocks[: len(counts)]
    cut = any(count < block.height for block, count in zip(kept, counts, strict=True))
    last = {block.table: place for place, block in enumerate(kept)}
    note_of = {block.table: block.note for block in reversed(kept)}  # that of a table's first part stands under its last
    shown = [
        Shown(block, count, note_of[block.table] if last[block.table] == place else "")
        for place, (block, count) in enumerate(zip(kept, counts, strict=True))
    ]
    return shown, _tail(tables, kept, blocks, width, how, cut=cut)


@dataclass(frozen=True, slots=True)
class Block:
    """A table in text, in pieces.

    Attributes:
        table: Its name.
        above: Lines above it.
        heading: Lines of its heading.
        rows: Lines of each row that may be shown.
        height: How many rows it has.
        note: The line under it, or under the last part of the same table.
        without: Columns left out.
        columns: The formatted columns.
        breaks: Rows above which a line is left free, by their number from 0.
        head: Rows that it has at least, where there is room.
    """

    table: str
    above: tuple[str, ...]
    heading: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    height: int
    note: str
    without: tuple[str, ...]
    columns: tuple[Column, ...]
    breaks: tuple[int, ...]
    head: int = HEAD

    @classmethod
    def of(cls, fitted: _Fitted, title: str, note: str, width: int) -> Block:
        while not fits(fitted.columns, width) and (narrower := fitted.narrower()):
            fitted = narrower
        above = "; ".join(part for part in (fitted.constants, fitted.form.above) if part)
        heading, rows = text_lines(fitted.columns, width) if fitted.columns else (["(no columns)"], [])
        for row in fitted.form.breaks:
            if row < len(rows):
                rows[row].insert(0, "")
        return cls(
            table=fitted.form.table,
            above=tuple(part for part in (title, filled(above, width)) if part),
            heading=tuple(heading if fitted.form.frame.height else [*heading, NO_ROWS]),
            rows=tuple(map(tuple, rows)),
            height=fitted.form.frame.height,
            note=filled(note, width),
            without=(*fitted.form.without, *fitted.spared),
            columns=tuple(fitted.columns),
            breaks=fitted.form.breaks,
            head=fitted.form.head,
        )

    def text(self, count: int, note: str) -> str:
        """The table with so many rows, and a note under it."""
        lines = [*self.heading, *(line for row in self.rows[:count] for line in row)]
        if count < self.height:
            lines.append(more_rows(self.height - count))
        return "\n\n".join(part for part in (*self.above, "\n".join(lines), note) if part)

    def lines(self, count: int) -> int:
        """The number of lines with so many rows, and the one above it that is free."""
        return self.text(count, self.note).count("\n") + 2


@dataclass(frozen=True, slots=True)
class Shown:
    """A table, or a part of one, as it shares a screen: how many of its rows, and the note under it."""

    block: Block
    rows: int
    note: str


@dataclass(frozen=True, slots=True)
class _Fitted:
    """A form as it is laid out: intervals in one column, constant columns above, and some left out."""

    form: Printed
    limit: int | None
    smallest_p: Mapping[str, float]
    frame: pl.DataFrame
    constants: str
    columns: Sequence[Column]
    spared: tuple[str, ...] = ()

    @classmethod
    def of(cls, form: Printed, limit: int | None, smallest_p: Mapping[str, float]) -> _Fitted:
        frame, said = with_quantisations(form.frame), []
        if form.constants:
            constant = [name for name in constant_columns(frame) if name not in form.right]  # a value of a column heads no sentence
            apart = {end for ends in _ends_of_intervals(frame) if not set(ends) <= set(constant) for end in ends}
            constant = [name for name in constant if name not in apart]
            said = [_said(frame, constant, smallest_p)] if constant else []
            frame = frame.drop(constant)
        if same_p_values(frame):
            said.append("p_value: not corrected")
            frame = frame.drop("p_adjusted")
        frame, right = frame.head(frame.height if limit is None else limit), [*form.right]
        for low, high in _ends_of_intervals(frame):  # in one column
            right.append(name := f"[{low}, {high}]")
            cells = pl.Series(name, intervals(frame[low], frame[high]), dtype=pl.String)
            frame = frame.insert_column(frame.get_column_index(low), cells).drop(low, high)
        return cls(form, limit, smallest_p, frame, "; ".join(said), columns_of(frame, smallest_p, right))

    def narrower(self) -> _Fitted | None:
        """The next narrower form, or this one with what a single row is of above it, or with a column less; None if there is none."""
        if self.form.narrower is not None:
            return _Fitted.of(self.form.narrower, self.limit, self.smallest_p)
        said = [name for name in self.frame.columns if name in DESCRIPTIVE] if self.form.frame.height == 1 and self.form.constants else []
        if 0 < len(said) < self.frame.width:
            above = "; ".join(filter(None, [_said(self.frame, said, self.smallest_p), self.constants]))
            return replace(self._without(said), constants=above)
        spare = [name for name in SPARE if name in self.frame.columns and (name != "p_value" or "p_adjusted" in self.frame.columns)]
        return replace(self._without(spare[:1]), spared=(*self.spared, spare[0])) if spare else None

    def _without(self, names: Sequence[str]) -> _Fitted:
        return replace(self, frame=self.frame.drop(names), columns=[column for column in self.columns if column.name not in names])


def _said(frame: pl.DataFrame, names: Sequence[str], smallest_p: Mapping[str, float]) -> str:
    """The columns that hold one value, as they are said above a table."""
    return "; ".join(f"{name}: {cell}" for name, cell in constant_cells(frame, names, smallest_p).items())


def _ends_of_intervals(frame: pl.DataFrame) -> list[tuple[str, str]]:
    """Return the columns of the two ends of each interval, such as low and high, next_low and next_high."""
    parts = [name.split("_") for name in frame.columns]
    ends = [("_".join(name), "_".join("high" if part == "low" else part for part in name)) for name in parts if "low" in name]
    return [(low, high) for low, high in ends if high in frame.columns]


def _shared(blocks: Sequence[Block], room: int) -> list[int]:
    """Return the rows of each block that share so many lines: first the least of each, then those wanted, then a row of each in turn."""
    counts: list[int] = []
    for block in blocks:
        count = min(len(block.rows), HEAD)
        if counts and block.lines(count) > room:
            break
        counts.append(count)
        room -= block.lines(count)

    def grown(place: int) -> bool:
        nonlocal room
        block, count = blocks[place], counts[place]
        if count == len(block.rows) or (more := block.lines(count + 1) - block.lines(count)) > room:
            return False
        counts[place] += 1
        room -= more
        return True

    for place in range(len(counts)):
        while counts[place] < blocks[place].head and grown(place):
            pass
    growing = True
    while growing:
        growing = False
        for place in range(len(counts)):
            growing = grown(place) or growing
    return counts


def _tail(
    tables: Mapping[str, pl.DataFrame], kept: Sequence[Block], blocks: Sequence[Block], width: int, how: str, *, cut: bool = True
) -> str:
    """What is not shown, and how to have it; empty where all is shown."""
    shown = {block.table for block in kept}
    dropped = {name: sum(block.height for block in blocks[len(kept) :] if block.table == name) for name in shown}
    left = [f"{name} ({plural(frame.height, 'row')})" for name, frame in tables.items() if name not in shown]
    left += [f"{name} ({plural(rows, 'more row')})" for name, rows in dropped.items() if rows]
    without = {block.table: block.without for block in kept or blocks if block.without}
    said = [f"also: {', '.join(left)}"] if left else []
    said += [f"without {', '.join(names)} of {table}" for table, names in without.items()]
    return "\n".join(filled(text, width) for text in ("; ".join(said), how if said or cut else "") if text)
