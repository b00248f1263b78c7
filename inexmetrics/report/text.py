"""Tables as text for a screen; tables are fitted to the width of the screen, and long outputs are shortened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import polars as pl
import polars.selectors as cs

from inexmetrics.common import tables as printing
from inexmetrics.common.cells import MISSING, UNBOUNDED, FormattedColumn, columns_of, decimals_of, intervals
from inexmetrics.common.messages import filled, plural
from inexmetrics.common.options import Rows

__all__ = ["HOW", "NOT_CORRECTED", "ROWS", "Block", "Printed", "Shown", "arranged", "on_screen", "with_named"]

NOT_CORRECTED: Final = "not corrected"
"""Default reason why adjusted p-values equal the unadjusted p-values. A table shows the reason if it omits the adjusted p-values."""
ROWS: Final = 40
LINES: Final = 60
HEAD: Final = 5
"""Minimum number of rows shown for each table if several tables share the screen."""
IDENTITY: Final = printing.DESCRIPTIVE | {"better", "worse", "datasets", "opponent"}
"""Columns that are printed as text above a table if the table has only one row and is too wide."""
SPARE: Final = ("statistic", "effect_size", "tau2", "i2", "p_value")
"""Columns that are omitted if a table is too wide, in the order of omission; p_value is omitted only if p_adjusted is shown."""
HOW: Final = "all rows: --rows all; one table: --table NAME; data: --table NAME --format csv"


@dataclass(frozen=True, slots=True)
class Printed:
    """The printed form of a table of a result, or of a part of the table.

    Attributes:
        table: The name of the table.
        frame: The printed rows and columns.
        above: The text above the table.
        constants: Whether constant columns are stated above the table instead of in the table.
        breaks: Indices of the rows that have a blank line above them, counted from 0.
        right: Text columns that are right-aligned, like numbers, even if they are constant.
        without: The omitted columns of the table.
        narrower: The narrower version of the table that is printed if this version is too wide.
        named: Whether the output gives only the name of the table, whose rows are shown on request.
        head: The number of rows that are shown if the screen has enough lines. If lines remain, more rows are shown.
        both_ends: Whether the first and the last rows are shown if rows are omitted; for tables sorted by a signed number.
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
    both_ends: bool = False


def with_named(printed: Iterable[Printed], tables: Mapping[str, pl.DataFrame]) -> list[Printed]:
    """Returns the printed forms of a result; a table without a printed form gets a form that shows only its name."""
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
    same_p: str | None = NOT_CORRECTED,
) -> str:
    """Formats a text, followed by the printed forms of tables; a table may be printed in several forms, one for each of its parts.

    By default, at most 40 rows of each table and 60 lines in total are shown. `note` is printed below tables that are based on tests.
    """
    lines = sum(max(-(-len(line) // width), 1) for line in head.splitlines())
    shown, tail = arranged(tables, forms, width=width, above=lines, rows=rows, smallest_p=smallest_p, note=note, same_p=same_p)
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
    same_p: str | None = NOT_CORRECTED,
    how: str = HOW,
) -> tuple[list[Shown], str]:
    """Returns the tables, or parts of tables, that fit on a screen, and a text that lists the omissions and explains how to show it.

    Args:
        tables: The tables by name.
        forms: The printed forms of the tables; a table may be printed in several forms, one for each of its parts.
        width: Width of the screen in characters.
        above: Number of lines above the tables.
        rows: Number of rows of each table, or "all"; None limits each table to 40 rows, and all tables together to 60 lines.
        smallest_p: The upper bound that is printed instead of a p-value of 0, by column.
        note: The note below the last shown table that is based on tests.
        same_p: The text printed instead of a column p_adjusted that equals the column p_value; None to print both columns.
        how: The text that explains how to show omitted rows and columns.
    """
    limit = None if rows == "all" else ROWS if rows is None else rows
    blocks: list[Block] = []
    for form in forms:
        if not form.named or rows is not None or len(tables) == 1:
            first = all(block.table != form.table for block in blocks)
            title = form.table if first and len(tables) > 1 else ""
            under = note if first and note and printing.rests_on_tests(tables[form.table]) else ""
            blocks.append(Block.of(_Fitted.of(form, limit, smallest_p, same_p), title, under, width))
    if rows is None:
        # lines are reserved for the longest possible note on omitted tables, because it is not yet known which tables are omitted
        reserved = _tail(tables, [], blocks, width, how).count("\n") + 2
        counts = _shared(blocks, LINES - above - reserved)
    else:
        counts = [len(block.rows) for block in blocks]
    kept = blocks[: len(counts)]
    cut = any(count < block.height for block, count in zip(kept, counts, strict=True))
    last = {block.table: place for place, block in enumerate(kept)}
    noted = last[[block.table for block in kept if block.note][-1]] if any(block.note for block in kept) else None
    shown = [
        Shown(block, count, next(each.note for each in kept if each.table == block.table and each.note) if place == noted else "")
        for place, (block, count) in enumerate(zip(kept, counts, strict=True))
    ]
    return shown, _tail(tables, kept, blocks, width, how, cut=cut)


@dataclass(frozen=True, slots=True)
class Block:
    """The lines of text of a table, or of a part of a table.

    Attributes:
        table: The name of the table.
        above: The lines above the table.
        heading: The lines of the heading.
        rows: For each row that may be shown, the lines of text of the row.
        height: Number of rows of the table.
        note: The line below the table, or below the last part of the same table.
        without: The omitted columns.
        columns: The formatted columns.
        breaks: Indices of the rows that have a blank line above them, counted from 0.
        head: The number of rows that are shown if the screen has enough lines. If lines remain, more rows are shown.
        both_ends: Whether the first and the last rows are shown if rows are omitted.
    """

    table: str
    above: tuple[str, ...]
    heading: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    height: int
    note: str
    without: tuple[str, ...]
    columns: tuple[FormattedColumn, ...]
    breaks: tuple[int, ...]
    head: int = HEAD
    both_ends: bool = False

    @classmethod
    def of(cls, fitted: _Fitted, title: str, note: str, width: int) -> Block:
        while not printing.fits(fitted.columns, width) and (narrower := fitted.narrower()):
            fitted = narrower
        above = "; ".join(part for part in (fitted.constants, fitted.form.above) if part)
        heading, rows = printing.text_lines(fitted.columns, width) if fitted.columns else (["(no columns)"], [])
        for row in fitted.form.breaks:
            if row < len(rows):
                rows[row].insert(0, "")
        return cls(
            table=fitted.form.table,
            above=tuple(part for part in (title, filled(above, width)) if part),
            heading=tuple(heading if fitted.form.frame.height else [*heading, printing.NO_ROWS]),
            rows=tuple(map(tuple, rows)),
            height=fitted.form.frame.height,
            note=filled(note, width),
            without=(*fitted.form.without, *fitted.spared),
            columns=tuple(fitted.columns),
            breaks=fitted.form.breaks,
            head=fitted.form.head,
            both_ends=fitted.form.both_ends,
        )

    def chosen(self, count: int) -> tuple[Sequence[int], str, Sequence[int]]:
        """Returns the indices of the shown rows above the line on omitted rows, this line, and the indices of those below it.

        The line is empty if no row is omitted.
        """
        if count == self.height:
            return range(count), "", ()
        first = -(-count // 2) if self.both_ends else count
        below = range(len(self.rows) - (count - first), len(self.rows))
        return range(first), printing.more_rows(self.height - count, between=len(below) > 0), below

    def text(self, count: int, note: str) -> str:
        """Formats the table as text, with the given number of rows, and with a note below."""
        first, omitted, last = self.chosen(count)
        lines = [*self.heading, *(line for row in first for line in self.rows[row])]
        lines += [*([omitted] if omitted else []), *(line for row in last for line in self.rows[row])]
        return "\n\n".join(part for part in (*self.above, "\n".join(lines), note) if part)

    def lines(self, count: int) -> int:
        """Returns the number of lines that the block needs for the given number of rows, including the blank line above the block."""
        return self.text(count, self.note).count("\n") + 2


@dataclass(frozen=True, slots=True)
class Shown:
    """A table, or a part of a table, with the number of rows that are shown and the note below the table."""

    block: Block
    rows: int
    note: str


@dataclass(frozen=True, slots=True)
class _Fitted:
    """A layout of a printed table: each interval is in one column, constant columns are above the table, and columns may be omitted."""

    form: Printed
    limit: int | None
    smallest_p: Mapping[str, float]
    same_p: str | None
    frame: pl.DataFrame
    constants: str
    columns: Sequence[FormattedColumn]
    spared: tuple[str, ...] = ()

    @classmethod
    def of(cls, form: Printed, limit: int | None, smallest_p: Mapping[str, float], same_p: str | None) -> _Fitted:
        frame, said = printing.with_quantisations(form.frame), []
        if form.constants:
            constant = [
                name for name in printing.constant_columns(frame) if name not in form.right
            ]  # right-aligned columns remain in the table even if constant
            apart = {end for ends in _ends_of_intervals(frame) if not set(ends) <= set(constant) for end in ends}
            constant = [name for name in constant if name not in apart]
            said = list(filter(None, [_said(frame, constant, smallest_p)]))
            frame = frame.drop(constant)
        if same_p is not None and printing.same_p_values(frame):
            said.append(f"p_value: {same_p}")
            frame = frame.drop("p_adjusted")
        frame, right = _cut(frame, limit, both_ends=form.both_ends), [*form.right]
        decimals = decimals_of(frame)
        for low, high in _ends_of_intervals(frame):  # one column for both ends of an interval
            right.append(name := f"[{low}, {high}]")
            cells = pl.Series(name, intervals(frame[low], frame[high], decimals[low]), dtype=pl.String)
            frame = frame.insert_column(frame.get_column_index(low), cells).drop(low, high)
        return cls(form, limit, smallest_p, same_p, frame, "; ".join(said), columns_of(frame, smallest_p, right, decimals))

    def narrower(self) -> _Fitted | None:
        """Returns the next narrower layout (a column is omitted, or columns of a one-row table are moved above it), or None."""
        if self.form.narrower is not None:
            return _Fitted.of(self.form.narrower, self.limit, self.smallest_p, self.same_p)
        said = [name for name in self.frame.columns if name in IDENTITY] if self.form.frame.height == 1 and self.form.constants else []
        if 0 < len(said) < self.frame.width:
            above = "; ".join(filter(None, [_said(self.frame, said, self.smallest_p), self.constants]))
            return replace(self._without(said), constants=above)
        numeric = self.frame.select(cs.numeric()).columns  # only numbers are omitted, because names identify rows
        spare = [name for name in SPARE if name in numeric and (name != "p_value" or "p_adjusted" in numeric)]
        return replace(self._without(spare[:1]), spared=(*self.spared, spare[0])) if spare else None

    def _without(self, names: Sequence[str]) -> _Fitted:
        return replace(self, frame=self.frame.drop(names), columns=[column for column in self.columns if column.name not in names])


def _cut(frame: pl.DataFrame, limit: int | None, *, both_ends: bool) -> pl.DataFrame:
    """Returns at most `limit` rows of a table: the first, or the first and the last."""
    if limit is None or frame.height <= limit:
        return frame
    last = limit // 2 if both_ends else 0
    return pl.concat([frame.head(limit - last), frame.tail(last)])


def _said(frame: pl.DataFrame, names: Sequence[str], smallest_p: Mapping[str, float]) -> str:
    """Formats constant columns as a line of names and values; names without values come last, except a measure that does not apply."""
    cells = printing.constant_cells(frame, names, smallest_p)
    missing = [name for name, cell in cells.items() if cell == MISSING and name != "measure"]
    values = [f"{name}: {cell}" for name, cell in cells.items() if cell != MISSING]
    return "; ".join([*values, *([f"no value: {', '.join(missing)}"] if missing else [])])


def _ends_of_intervals(frame: pl.DataFrame) -> list[tuple[str, str]]:
    """Returns pairs of columns that contain the two ends of an interval, such as low and high, or next_low and next_high."""
    parts = [name.split("_") for name in frame.columns]
    ends = [("_".join(name), "_".join("high" if part == "low" else part for part in name)) for name in parts if "low" in name]
    return [(low, high) for low, high in ends if high in frame.columns]


def _shared(blocks: Sequence[Block], room: int) -> list[int]:
    """Returns the number of rows that are shown of each block, for the blocks that fit; at least one block is shown.

    Each block first gets `HEAD` rows, or all rows if it has fewer. The remaining lines are filled with rows up to `Block.head`, block after
    block, and then with one row of each block in turn.
    """
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
    """Returns a text that names the omitted tables, rows and columns and explains how to show them; empty if nothing is omitted."""
    shown = {block.table for block in kept}
    dropped = {name: sum(block.height for block in blocks[len(kept) :] if block.table == name) for name in shown}
    left = [f"{name} ({plural(frame.height, 'row')})" for name, frame in tables.items() if name not in shown]
    left += [f"{name} ({plural(rows, 'more row')})" for name, rows in dropped.items() if rows]
    without = {block.table: block.without for block in kept or blocks if block.without}
    said = [f"also: {', '.join(left)}"] if left else []
    said += [f"without {', '.join(names)} of {table}" for table, names in without.items()]
    return "\n".join(filled(text, width) for text in ("; ".join(said), how if said or cut else "") if text)
