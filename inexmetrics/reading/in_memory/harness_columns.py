"""Renames the columns of score tables that use the column names of evaluation harnesses, or column names declared by the caller."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from typing import Final

import polars as pl

from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import describe, did_you_mean, enumerate_names, with_hint
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.names import HEADINGS, headings, lacks_column, understood
from inexmetrics.reading.rules import SCORES

__all__ = ["HARNESS_NAMES", "KNOWN", "LONG", "checked_columns", "has_long_columns", "is_long", "own_names", "with_own_names"]

LONG: Final = ("run_id", "topic_id", "score")
"""Required columns of a long table of scores."""
OURS: Final = tuple(column.name for column in SCORES)
"""Required and optional columns of a long table of scores."""
HARNESS: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "run_id": (("model", "system"),),
    "topic_id": (("sample_id", "item_id", "question_id"), ("task",)),
    "score": (("value", "correct", "accuracy"),),
}
"""For each required column, the names that evaluation harnesses use for the column, in groups of decreasing priority; names for identifiers
of samples come before names for tasks."""
HARNESS_NAMES: Final = frozenset(name for groups in HARNESS.values() for group in groups for name in group)
KNOWN: Final = HARNESS_NAMES.union(*(headings(column.name) for column in SCORES))
"""All column names that are recognised in long tables."""
TRUE_OR_FALSE: Final = {"true": "1", "false": "0"}


def is_long(names: Iterable[str]) -> bool:
    """Returns whether a table with these column names is a long table; names that only evaluation harnesses use are not recognised."""
    return understood(names).keys() >= set(LONG)


def has_long_columns(names: Iterable[str]) -> bool:
    """Returns whether a table with these column names is a long table; names that evaluation harnesses use are recognised.

    Examples:
        >>> has_long_columns(["model", "sample_id", "correct"]), has_long_columns(["task", "a", "b"])
        (True, False)
    """
    there = set(names)
    return all(there & own_names(name) for name in LONG)


def own_names(name: str) -> frozenset[str]:
    """Returns all known names of a column of long tables, including the names that evaluation harnesses use."""
    return frozenset({*headings(name), *(each for group in HARNESS[name] for each in group)})


def checked_columns(columns: object, others: Iterable[str]) -> dict[str, str]:
    """Checks and returns the column names that the caller declares, each with the corresponding name in this package.

    Raises:
        CollectionError: `columns` is not a mapping of names, or maps a name to an unknown column. The error is also raised if `columns`
            maps two names to one column, or contains a name in `others`. The columns in `others` have another role.
    """
    if not isinstance(columns, Mapping) or not all(isinstance(name, str) for pair in columns.items() for name in pair):
        raise CollectionError(f'columns: expected names of columns, as in {{"theirs": "run_id"}}, found {describe(columns)}')
    taken: dict[str, str] = {}
    for theirs, ours in columns.items():
        if ours not in OURS:
            hint = did_you_mean(ours, OURS)
            raise CollectionError(with_hint(f"columns: expected one of {', '.join(OURS)} for {theirs}, found {ours}", hint))
        if ours in taken:
            raise CollectionError(f"columns: expected one column for {ours}, found {taken[ours]} and {theirs}")
        taken[ours] = theirs
    if twice := [name for name in others if name in columns]:
        raise CollectionError(
            f"expected columns= to name columns other than those of topics=, runs=, clusters=, ignore= and systems=, found {enumerate_names(twice)}"
        )
    return dict(columns)


def with_own_names(table: Unchecked, columns: Mapping[str, str], kept: Set[str], findings: Findings) -> Unchecked:
    """Renames columns of a table to the names that this package uses.

    The columns in `columns` are renamed. In a long table, columns with names that evaluation harnesses use are also renamed. If a renamed
    column of scores contains only true and false, true is converted to 1 and false to 0.

    Args:
        table: The table.
        columns: The column names that the caller declares, each with the corresponding name in this package.
        kept: Columns that are not renamed, because they have another role or are not read.
        findings: The object to which a warning is added if columns of an evaluation harness are renamed.

    Raises:
        CollectionError: A column in `columns` is missing, or two columns would have the same name.
    """
    header = table.frame.columns
    if lacking := [theirs for theirs in columns if theirs not in header]:
        raise CollectionError(f"{table.what}: {lacks_column(lacking[0], 'columns', header)}")
    names = dict(columns)
    if both := [(theirs, ours) for theirs, ours in names.items() if ours in header and ours not in kept]:
        name, ours = both[0]
        raise CollectionError(
            f"{table.what}: columns: expected one column named {ours}, found {ours} and {name}, which columns= renames to {ours}"
        )
    others = [name for name in header if name not in kept and name not in names]
    if has_long_columns([*others, *names.values()]):
        headings = {ours: _heading(table.what, ours, others, names.values()) for ours in LONG}
        found = {theirs: ours for ours, theirs in headings.items() if theirs is not None}
        if found:
            findings.warnings.append(table.read_as(found))
        names |= found
    frame = table.frame.drop([ours for ours in names.values() if ours in header and ours in kept]).rename(names)
    if "score" in names.values() and frame.schema["score"] == pl.String:
        words = frame["score"].str.strip_chars().str.to_lowercase()
        known = words.drop_nulls().replace("", None).drop_nulls()
        if len(known) and known.is_in(list(TRUE_OR_FALSE)).all():
            frame = frame.with_columns(words.replace(TRUE_OR_FALSE).alias("score"))
    return table if frame is table.frame else replace(table, frame=frame)


def _heading(what: str, ours: str, header: Iterable[str], given: Iterable[str]) -> str | None:
    """Finds the column to rename to `ours`, by the names that evaluation harnesses use; returns None if no column needs to be renamed.

    Raises:
        CollectionError: Several columns could be read as this column.
    """
    there, known = set(header), {ours, *(HEADINGS[ours] or ((),))[0]}
    for group in HARNESS[ours]:
        if ours in given or (there & known).difference(group):
            return None
        found = [name for name in group if name in there]
        if len(found) > 1:
            raise CollectionError(
                f'{what}: expected one column named {ours}, found {enumerate_names(found)}; columns={{"{found[0]}": "{ours}"}} '
                f"(--columns {found[0]}={ours}) selects the column to read"
            )
        if found:
            return None if found[0] in known else found[0]
    return None
