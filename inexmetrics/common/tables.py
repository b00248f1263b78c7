"""Formatting of tables as text or JSON.

In text tables, all characters except those of the values are ASCII. JSON contains numbers in full precision; text tables contain rounded
numbers.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

import polars as pl

from inexmetrics.common.cells import P_VALUES, UNBOUNDED, FormattedColumn, columns_of, heading_pieces, pieces, width_of, wrapped
from inexmetrics.common.messages import canonical, plural

__all__ = [
    "DESCRIPTIVE",
    "NO_QUANTISATION",
    "NO_ROWS",
    "constant_cells",
    "constant_columns",
    "fits",
    "json_text",
    "more_rows",
    "rests_on_tests",
    "same_p_values",
    "text_lines",
    "text_table",
    "with_quantisations",
]

TESTED: Final = P_VALUES | {"best_rank", "better_than", "n_both", "n_open", "power", "significant", "tied_with_best"}
"""Names of columns whose values depend on significance tests, or count their conclusions."""
NO_QUANTISATION: Final = ("quantisation", canonical(None))
"""Name of the column that contains quantisations, and the column's value for a measure without a quantisation."""
NO_ROWS: Final = "(no rows)"
DESCRIPTIVE: Final = frozenset(
    {"measure", "quantisation", "predictor", "truth", "run_id", "judge", "pairs", "topics", "runs", "of", "method", "n"}
)
"""Names of the columns that identify a row. All other columns contain results."""


def constant_columns(frame: pl.DataFrame) -> list[str]:
    """Returns the names of the columns with a single value; empty if all columns are constant or the table has fewer than two rows.

    If every column with results is constant, only the constant columns that identify rows are returned. A column whose name is a number, or
    a range such as 1-10, is a column of a matrix, which is read whole; it is never returned.

    Examples:
        >>> constant_columns(pl.DataFrame({"measure": ["MAP", "RR"], "topics": 29, "significant": 0}))
        ['topics']
        >>> constant_columns(
        ...     pl.DataFrame({"run_id": "a", "better": ["run", "opponent"], "1": ["*", "-"], "2": "-"})
        ... )
        ['run_id']
    """
    constant = [column.name for column in frame.iter_columns() if frame.height > 1 and column.n_unique() == 1]
    if len(constant) == frame.width:
        return []
    if DESCRIPTIVE.issuperset({*frame.columns} - {*constant}):
        return [name for name in constant if name in DESCRIPTIVE]
    return [name for name in constant if not name.replace("-", "").isdecimal()]


def constant_cells(frame: pl.DataFrame, names: Sequence[str], smallest_p: Mapping[str, float]) -> dict[str, str]:
    """Returns the formatted values of constant columns, keyed by column name."""
    return {column.name: column.cells[0] for column in columns_of(frame.select(names).head(1), smallest_p)}


def rests_on_tests(frame: pl.DataFrame) -> bool:
    """Returns whether a table contains values that depend on significance tests: p-values, power, ranges of ranks, or numbers of conclusions.

    The grid of `versus` has a row for the better runs of each pair of a run and an opponent.
    """
    return not TESTED.isdisjoint(frame.columns) or {"run_id", "better"} <= {*frame.columns}


def with_quantisations(frame: pl.DataFrame) -> pl.DataFrame:
    """Returns the table without the column of quantisations if no measure in the table has a quantisation.

    Examples:
        >>> with_quantisations(pl.DataFrame({"measure": ["MAP"], "quantisation": ["1"]})).columns
        ['measure']
    """
    name, none = NO_QUANTISATION
    return frame.drop(name) if name in frame.columns and frame.width > 1 and {*frame[name]} == {none} else frame


def same_p_values(frame: pl.DataFrame) -> bool:
    """Returns whether all adjusted p-values equal the unadjusted p-values, which is the case if nothing was corrected."""
    return {"p_value", "p_adjusted"} <= set(frame.columns) and frame["p_value"].equals(frame["p_adjusted"])


def text_table(frame: pl.DataFrame, width: int = 120, limit: int | None = None, *, smallest_p: Mapping[str, float] = UNBOUNDED) -> str:
    """Formats a table as aligned columns of plain text.

    If the table is too wide, it is narrowed in these steps: headings are broken at underscores and spaces, the space between columns is
    reduced, headings are staggered over several lines, long texts are wrapped at operators, and then anywhere. Only tables
    with very many columns are still too wide after all steps.

    Args:
        frame: Table.
        width: Width of the terminal or page in characters.
        limit: Maximum number of rows that are shown; None shows all rows. If rows are omitted, a last line says how many.
        smallest_p: Smallest p-value that a test can compute, by column name, such as 1/b for a bootstrap with b resamples.

    Examples:
        >>> frame = pl.DataFrame({"run_id": ["a", "b"], "topics": [29, 29], "mean": [0.30119, None]})
        >>> print(text_table(frame))
        run_id  topics    mean
        ------  ------  ------
        a           29  0.3012
        b           29       -
    """
    shown = frame if limit is None else frame.head(limit)
    columns = columns_of(shown, smallest_p)
    if not columns:
        return "(no columns)"
    heading, rows = text_lines(columns, width)
    lines = [*heading, *(line for row in rows for line in row)]
    if frame.height == 0:
        lines.append(NO_ROWS)
    hidden = frame.height - shown.height
    if hidden:
        lines.append(more_rows(hidden))
    return "\n".join(lines)


def more_rows(count: int, *, between: bool = False) -> str:
    """Returns the line that says how many rows of a table are omitted: below the shown rows, or between the first and the last rows."""
    return f"... {plural(count, 'row')} between these ..." if between else f"... and {plural(count, 'more row')}"


def fits(columns: Sequence[FormattedColumn], width: int) -> bool:
    """Returns whether a table fits into the width without wrapping cells and without staggering headings."""
    whole = [max((width_of(cell) for cell in column.cells), default=0) for column in columns]
    return _natural_width(1, [_longest(heading_pieces(column.name)) for column in columns], whole) <= width


def text_lines(columns: Sequence[FormattedColumn], width: int) -> tuple[list[str], list[list[str]]]:
    """Returns the lines of a table's heading, including the rule below the heading, and the lines of each row."""
    widths, gap, headings = _layout(columns, width)
    numeric = [column.numeric for column in columns]
    rows = [
        list(_row([wrapped(cell, size) for cell, size in zip(cells, widths, strict=True)], widths, numeric, gap))
        for cells in zip(*(column.cells for column in columns), strict=True)
    ]
    return [*headings, (" " * gap).join("-" * size for size in widths)], rows


def _row(cells: Sequence[Sequence[str]], widths: Sequence[int], numeric: Sequence[bool], gap: int) -> Iterator[str]:
    """Yields the lines of one row. Numbers are right-aligned, and cells with several lines are top-aligned."""
    for line in range(max(len(cell) for cell in cells)):
        parts = []
        for cell, size, right in zip(cells, widths, numeric, strict=True):
            text = cell[line] if line < len(cell) else ""
            blank = " " * (size - width_of(text))
            parts.append(blank + text if right else text + blank)
        yield (" " * gap).join(parts).rstrip()


def _layout(columns: Sequence[FormattedColumn], width: int) -> tuple[list[int], int, list[str]]:
    """Selects the widest layout that fits; returns the width of each column, the space between columns, and the lines of the heading."""
    contents = [max((width_of(cell) for cell in column.cells), default=0) for column in columns]
    floors = [
        size if column.numeric else _longest(piece for cell in set(column.cells) for piece in pieces(cell))
        for column, size in zip(columns, contents, strict=True)
    ]
    numbers = [content if column.numeric else min(content, 6) for column, content in zip(columns, contents, strict=True)]
    whole = [width_of(column.name) for column in columns]
    parted = [_longest(heading_pieces(column.name)) for column in columns]
    none = [1] * len(columns)
    layouts = (
        (2, whole, contents),
        (2, parted, contents),
        (1, whole, contents),
        (1, parted, contents),
        (1, none, contents),
        (1, parted, floors),
        (1, none, floors),
        (1, none, numbers),
    )
    words_of: Callable[[str], list[str]] = re.compile("[^ ]+ ?").findall
    gap, heads, narrowest = next((layout for layout in layouts if _natural_width(*layout) <= width), layouts[-1])
    widths = [max(pair) for pair in zip(parted if heads is none else heads, contents, strict=True)]
    least = [max(pair) for pair in zip(heads, narrowest, strict=True)]
    room = width - gap * (len(columns) - 1)
    # The widest column is narrowed repeatedly, but no column is narrower than its minimum width.
    while sum(widths) > room and (loose := [place for place, size in enumerate(widths) if size > least[place]]):
        widths[max(loose, key=widths.__getitem__)] -= 1
    if heads is none:
        return widths, gap, _stagger_headings(columns, widths, width)
    # A heading is broken only at spaces if all its words fit into the column; otherwise, it may also be broken at underscores.
    broken = [
        wrapped(column.name, size, words_of if _longest(words_of(column.name)) <= size else heading_pieces)
        for column, size in zip(columns, widths, strict=True)
    ]
    tallest = max(map(len, broken))
    low = [[""] * (tallest - len(heading)) + heading for heading in broken]
    return widths, gap, [*_row(low, widths, [column.numeric for column in columns], gap)]


def _longest(texts: Iterable[str]) -> int:
    """Returns the width of the widest text, ignoring trailing spaces."""
    return max((width_of(text.rstrip()) for text in texts), default=0)


def _stagger_headings(columns: Sequence[FormattedColumn], widths: Sequence[int], width: int) -> list[str]:
    """Places headings that are wider than their columns on several lines; each heading is on the lowest line with enough space.

    A vertical bar connects a heading to its column, unless two headings cover each other's columns.
    """
    places, own, left = [], [], 0
    for column, size in zip(columns, widths, strict=True):
        start = max(min(left, width - len(column.name)) if not column.numeric else left + size - len(column.name), 0)
        places.append(range(start, start + len(column.name)))
        own.append(range(left, left + size)[:: -1 if column.numeric else 1])
        left += size + 1
    # a heading that covers another column is above the heading of this column; otherwise, it would interrupt the bar of that heading
    covered = [
        {other for other, within in enumerate(own) if other != at and all(place.start - 1 <= spot <= place.stop for spot in within)}
        for at, place in enumerate(places)
    ]
    numbers: dict[int, int] = {}
    lines: list[dict[range, str]] = []
    while waiting := [at for at in range(len(columns)) if at not in numbers]:
        at = next((each for each in waiting if covered[each].isdisjoint(waiting)), waiting[0])
        lowest = max((numbers[other] + 1 for other in covered[at] if other in numbers), default=0)
        free = (
            line for line in range(lowest, len(lines)) if all(places[at].stop < o.start or o.stop < places[at].start for o in lines[line])
        )
        numbers[at] = next(free, len(lines))
        lines += [{} for _ in range(numbers[at] + 1 - len(lines))]
        lines[numbers[at]][places[at]] = columns[at].name
    above = [(numbers[at], within) for at, within in enumerate(own)]
    for number, within in above:
        below = lines[:number]
        texts_below = [place for line in below for place in line]
        # within the width of the column, the first position where a vertical bar does not touch any heading on a lower line
        free_at = next((at for at in within if all(at < place.start - 1 or place.stop < at for place in texts_below)), None)
        if free_at is not None:
            for line in below:
                line[range(free_at, free_at + 1)] = "|"
    texts = []
    for line in reversed(lines):
        text = ""
        for place in sorted(line, key=lambda taken: taken.start):
            text = text.ljust(place.start) + line[place]
        texts.append(text)
    return texts


def _natural_width(gap: int, heads: Sequence[int], contents: Sequence[int]) -> int:
    """Returns the width of a table in which every column is as wide as its heading and its contents require."""
    return sum(max(pair) for pair in zip(heads, contents, strict=True)) + gap * (len(heads) - 1)


def json_text(document: Mapping[str, object]) -> str:
    """Formats a document as JSON, with floats in full precision, undefined numbers as null, and one line per row of a table.

    Examples:
        >>> print(
        ...     json_text({"compat": None, "tables": {"scores": [{"run_id": "a", "mean": float("nan")}]}}),
        ...     end="",
        ... )
        {
         "compat": null,
         "tables": {
          "scores": [
           {"run_id": "a", "mean": null}
          ]
         }
        }
    """
    return "".join(_json(document, 0)) + "\n"


def _json(value: object, depth: int) -> Iterator[str]:
    """Yields the JSON text of a value in pieces. A container is split over several lines only if it contains a nonempty container."""
    inner = "\n" + " " * (depth + 1)
    if isinstance(value, Mapping) and _spread(value.values()):
        yield "{"
        for place, (key, item) in enumerate(value.items()):
            yield f"{',' if place else ''}{inner}{json.dumps(str(key))}: "
            yield from _json(item, depth + 1)
        yield "\n" + " " * depth + "}"
    elif isinstance(value, (list, tuple)) and _spread(value):
        yield "["
        for place, item in enumerate(value):
            yield f"{',' if place else ''}{inner}"
            yield from _json(item, depth + 1)
        yield "\n" + " " * depth + "]"
    else:
        yield json.dumps(_plain(value), allow_nan=False)


def _spread(values: Iterable[object]) -> bool:
    """Returns whether any value is a nonempty container."""
    return any(isinstance(value, (Mapping, list, tuple)) and len(value) > 0 for value in values)


def _plain(value: object) -> object:
    """Returns a value for JSON, in which NaN and infinite numbers are replaced by None."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
