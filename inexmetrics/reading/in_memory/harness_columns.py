"""Names of columns in score tables: names in evaluation harnesses, and names that the caller gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from typing import Final

import polars as pl

from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import describe, did_you_mean, enumerate_names
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.column_names import ALIASES, lacks_column, understood
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.rules import SCORES

__all__ = ["HARNESS_NAMES", "KNOWN", "LONG", "checked_columns", "has_long_columns", "is_long", "own_names", "with_own_names"]

LONG: Final = ("run_id", "topic_id", "score")
"""Columns that every long table has."""
OURS: Final = tuple(column.name for column in SCORES)
"""All columns of long tables, including optional columns."""
HEADINGS: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "run_id": (("model", "system"),),
    "topic_id": (("sample_id", "item_id", "question_id"), ("task",)),
    "score": (("value", "correct", "accuracy"),),
}
"""Names of the columns of long tables in evaluation harnesses, by this package's name; sample identifiers have priority over tasks."""
HARNESS_NAMES: Final = frozenset(name for groups in HEADINGS.values() for group in groups for name in group)
KNOWN: Final = HARNESS_NAMES.union(*({column.name, *ALIASES[column.name]} for column in SCORES))
"""All names of columns of long tables that have a role."""
TRUE_OR_FALSE: Final = {"true": "1", "false": "0"}


def is_long(names: Iterable[str]) -> bool:
    """Returns whether a table with these column names is a long table; harnesses' names are not recognised."""
    return understood(names).keys() >= set(LONG)


def has_long_columns(names: Iterable[str]) -> bool:
    """Returns whether a table with these column names is a long table; harnesses' names are recognised.

    Examples:
        >>> has_long_columns(["model", "sample_id", "correct"]), has_long_columns(["task", "a", "b"])
        (True, False)
    """
    there = set(names)
    return all(there & own_names(name) for name in LONG)


def own_names(name: str) -> frozenset[str]:
    """Returns all known names of a column of long tables, including the names of harnesses."""
    return frozenset({name, *ALIASES[name], *(each for group in HEADINGS[name] for each in group)})


def checked_columns(columns: object, others: Iterable[str]) -> dict[str, str]:
    """Returns the caller's column names, each with the name in this package; `others` are columns with another role.

    Raises:
        CollectionError: `columns` is not a mapping of names, contains a column that long tables do not have, or maps two names to one.
    """
    if not isinstance(columns, Mapping) or not all(isinstance(name, str) for pair in columns.items() for name in pair):
        raise CollectionError(f'columns: expected names of columns, as in {{"theirs": "run_id"}}, found {describe(columns)}')
    taken: dict[str, str] = {}
    for theirs, ours in columns.items():
        if ours not in OURS:
            hint = did_you_mean(ours, OURS)
            raise CollectionError(f"columns: expected one of {', '.join(OURS)} for {theirs}, found {ours}" + (f"; {hint}" if hint else ""))
        if ours in taken:
            raise CollectionError(f"columns: expected one column for {ours}, found {taken[ours]} and {theirs}")
        taken[ours] = theirs
    if twice := [name for name in others if name in columns]:
        raise CollectionError(
            f"expected columns= to name other columns than topics=, runs=, clusters=, ignore= and systems=, found {enumerate_names(twice)}"
        )
    return dict(columns)


def with_own_names(table: Unchecked, columns: Mapping[str, str], kept: Set[str], findings: Findings) -> Unchecked:
    """Returns a table with this package's column names; a harness's column names are replaced only in a long table.

    Args:
        table: The table.
        columns: The caller's column names, each with the name in this package.
        kept: Columns that keep their names, because they have another role or are not read.
        findings: Receives a warning that names the renamed columns of a harness.

    Raises:
        CollectionError: A column is missing, or two columns would have the same name.
    """
    header = table.frame.columns
    if lacking := [theirs for theirs in columns if theirs not in header]:
        raise CollectionError(f"{table.what}: {lacks_column(lacking[0], 'columns', header)}")
    names = dict(columns)
    if both := [(theirs, ours) for theirs, ours in names.items() if ours in header and ours not in kept]:
        name, ours = both[0]
        raise CollectionError(f"{table.what}: columns: expected one column {ours}, found {ours}, and {name} renamed to {ours}")
    others = [name for name in header if name not in kept and name not in names]
    if has_long_columns([*others, *names.values()]):
        headings = {ours: _heading(table.what, ours, others, names.values()) for ours in LONG}
        found = {theirs: ours for ours, theirs in headings.items() if theirs is not None}
        if found:
            findings.warnings.append(table.read_as(found))
        names |= found
    frame = table.frame.drop([ours for ours in names.values() if ours in header and ours in kept]).rename(names)
    if "score" in names.values():
        frame = frame.with_columns(_as_numbers(frame["score"]))
    return table if frame is table.frame else replace(table, frame=frame)


def _heading(what: str, ours: str, header: Iterable[str], given: Iterable[str]) -> str | None:
    """Returns the harness's name for a column of this package; None if the table already has this package's name for the column.

    Raises:
        CollectionError: Several columns of the table have names that harnesses use for this column.
    """
    there, known = set(header), {ours, *ALIASES[ours]}
    for group in HEADINGS[ours]:
        if ours in given or (there & known).difference(group):
            return None
        found = [name for name in group if name in there]
        if len(found) > 1:
            raise CollectionError(
                f'{what}: expected one column {ours}, found {enumerate_names(found)}; columns={{"{found[0]}": "{ours}"}} '
                f"(--columns {found[0]}={ours}) names the column to read"
            )
        if found:
            return None if found[0] in known else found[0]
    return None


def _as_numbers(scores: pl.Series) -> pl.Series:
    """Returns scores with true replaced by 1 and false by 0, if a text column contains only true and false; else the scores unchanged."""
    if scores.dtype != pl.String:
        return scores
    words = scores.str.strip_chars().str.to_lowercase()
    only = words.drop_nulls().replace("", None).drop_nulls()
    return words.replace(TRUE_OR_FALSE).alias("score") if len(only) and only.is_in(list(TRUE_OR_FALSE)).all() else scores
