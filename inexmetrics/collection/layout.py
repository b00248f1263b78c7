"""How the tables of a collection were read: their formats, and the columns that were read under another name."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from inexmetrics.common.frozen import Frozen
from inexmetrics.common.messages import NO_HEADING, and_more, shortened

__all__ = ["Layout", "Role", "merged_layouts", "taken"]

Role: TypeAlias = Literal["assessments", "runs", "structure", "scores"]
"""The option that named a table; it decides the meaning of columns such as ``score``."""

SHOWN: Final = 8
"""Maximum number of renamed columns, and of notes, that a line of text names; the JSON of a result has all."""


@dataclass(frozen=True, slots=True)
class Layout(Frozen):
    """How tables with the same columns were read.

    Attributes:
        role: The option that named the tables.
        tables: Names of the files, or nouns for tables in memory.
        format: The format, such as *TREC qrels* or *a table of judgements*.
        columns: Pairs of a column of this package and its name in the tables; empty for formats without named columns.
        notes: Further statements about the reading, one phrase each, such as *-1 means no score*.
        unread: Columns that were not read and may be measures, in tables with one score in each row.
        unnamed: What a column without a heading is, such as the index of a pandas frame; empty if it is nothing else.

    Examples:
        >>> layout = Layout(
        ...     "assessments",
        ...     ("qrels.tsv",),
        ...     "a table of judgements",
        ...     (("topic_id", "query-id"), ("grade", "grade")),
        ... )
        >>> taken([layout])
        ('query-id read as topic_id',)
        >>> layout.as_dict()["columns"]
        {'topic_id': 'query-id', 'grade': 'grade'}
    """

    role: Role
    tables: tuple[str, ...]
    format: str
    columns: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    unnamed: str = ""

    def without(self, tables: Container[str]) -> Layout:
        """Returns the layout of the other tables."""
        return replace(self, tables=tuple(table for table in self.tables if table not in tables))

    def as_dict(self) -> dict[str, object]:
        """Returns the layout as plain values, for JSON."""
        return {
            "role": self.role,
            "tables": list(self.tables),
            "format": self.format,
            "columns": dict(self.columns),
            "notes": list(self.notes),
        }


def merged_layouts(layouts: Iterable[Layout]) -> tuple[Layout, ...]:
    """Joins the layouts that differ only in their tables. The order of the layouts and of their tables does not depend on that of the files.

    Examples:
        >>> [
        ...     layout.tables
        ...     for layout in merged_layouts(
        ...         Layout("runs", (file,), "a TREC run") for file in ("a.run", "b.run")
        ...     )
        ... ]
        [('a.run', 'b.run')]
    """
    found: dict[Layout, set[str]] = {}
    for layout in layouts:
        found.setdefault(replace(layout, tables=()), set()).update(layout.tables)
    merged = (replace(layout, tables=tuple(sorted(tables))) for layout, tables in found.items())
    return tuple(sorted(merged, key=lambda layout: (layout.role, layout.format, layout.columns, layout.notes)))


def taken(layouts: Sequence[Layout]) -> tuple[str, ...]:
    """Returns a phrase for each column that was read under another name, and all notes; each phrase once, and at most `SHOWN` of a kind."""
    renamed = (
        f"{shortened(theirs) or layout.unnamed or NO_HEADING} read as {ours}"
        for layout in layouts
        for ours, theirs in layout.columns
        if ours not in {theirs, f"{theirs.lower()}_id"}
    )
    kinds = (list(dict.fromkeys(found)) for found in (renamed, (note for layout in layouts for note in layout.notes)))
    return tuple(each for found in kinds for each in (found if len(found) <= SHOWN else [and_more(found[:SHOWN], len(found))]))
