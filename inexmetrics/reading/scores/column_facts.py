"""Facts about the values of columns and of rows, which doubts and errors are based on; rows that say that their call failed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.errors import Problem
from inexmetrics.common.messages import describe, enumerate_names, option, plural, shortened
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.names import folded
from inexmetrics.reading.scores.stated import Stated

__all__ = [
    "SMALL",
    "beside_scores",
    "cells_of",
    "counts",
    "distinguishing",
    "failed_rows",
    "floats",
    "fraction",
    "fractional",
    "half_units",
    "identifiers",
    "may_name",
    "only_fractions",
    "reordered",
    "says_of_failures",
    "without_failures",
]

IDENTIFIED: Final = 1000
"""Maximum number of columns that are searched for identifiers of topics; wider tables have runs in columns."""
SMALL: Final = 1e15
"""Larger numbers do not have decimals."""
_ADDRESS: Final = r"^\s*(https?://|www\.)"


def may_name(column: pl.Series) -> bool:
    """Returns whether a column of text may name the rows: its values are different, and are not addresses."""
    words = column.cast(pl.String)
    return bool(not words.null_count() and words.is_unique().all() and not words.str.contains(_ADDRESS).any())


def counts(column: pl.Series, *, again: bool = False) -> bool:
    """Returns whether a column numbers the rows from 0 or from 1; if `again`, the numbers may begin again, as those of joined tables do.

    Examples:
        >>> [counts(pl.Series(numbers)) for numbers in ([0, 1, 2], [1, 2, 3], [2, 3], [0, 1, 2, 0, 1])]
        [True, True, False, False]
        >>> [counts(pl.Series(numbers), again=True) for numbers in ([0, 1, 2, 0, 1], [0, 2])]
        [True, False]
    """
    numbers = column.cast(pl.String).str.strip_chars().cast(pl.Int64, strict=False)
    if numbers.null_count() or (len(numbers) and numbers[0] not in (0, 1)):
        return False
    follows = numbers.diff() == 1
    return bool((follows | (numbers == numbers[0]) if again else follows).slice(1).all())


def distinguishing(frame: pl.DataFrame, columns: Iterable[str], keys: Sequence[str]) -> list[str]:
    """Returns the columns that distinguish rows whose keys are equal.

    Examples:
        >>> rows = pl.DataFrame({"topic": [1, 1, 2], "judge": ["a", "b", "a"], "note": ["x", "x", "y"]})
        >>> distinguishing(rows, ["judge", "note"], ["topic"])
        ['judge']
    """
    return [name for name in columns if not frame.select(*keys, pl.col(name).alias("\n")).is_duplicated().any()]


def reordered(columns: Mapping[str, Sequence[pl.Series]]) -> str | None:
    """Returns the column of which several tables contain the same different names, mostly in other rows; None if there is none.

    A column that contains the same names in the same rows states that the tables have one order.

    Args:
        columns: For each column of text, its cells in each table.

    Examples:
        >>> ask, answer, other = (
        ...     pl.Series(["who", "why", "how"]),
        ...     pl.Series(["I", "so", "no"]),
        ...     pl.Series(["how", "who", "why"]),
        ... )
        >>> (
        ...     reordered({"ask": [ask, other]}),
        ...     reordered({"ask": [ask, ask], "b": [ask, other]}),
        ...     reordered({"ask": [ask, answer]}),
        ... )
        ('ask', None, None)
    """
    found = None
    for name, cells in columns.items():
        if len(cells) > 1 and all(each.is_unique().all() and not each.null_count() for each in cells):
            rows = pl.concat([each.cast(pl.String).alias("name").to_frame().with_row_index("row") for each in cells])
            shared = rows.group_by("name").agg(pl.len().alias("times"), pl.col("row").n_unique()).filter(pl.col("times") > 1)
            moved, most = int((shared["row"] > 1).sum()), 5 * len(shared) >= 4 * len(cells[0])
            if most and not moved:
                return None
            found = name if found is None and most and 2 * moved > len(shared) else found
    return found


def fraction(heading: str) -> bool:
    """Returns whether a heading is a number with a fractional part."""
    return re.fullmatch(r"[-+]?\d*\.\d+(e[-+]?\d+)?", heading.strip(), re.IGNORECASE) is not None


def floats(column: pl.Series) -> pl.Series:
    """Returns the numbers in a column; other values are null."""
    if column.dtype.is_nested() or column.dtype.is_object():
        return pl.Series([None] * len(column), dtype=pl.Float64)
    return (column.cast(pl.String).str.strip_chars() if not column.dtype.is_numeric() else column).cast(pl.Float64, strict=False)


def fractional(column: pl.Series) -> bool:
    """Returns whether a column contains a number with a fractional part."""
    numbers = floats(column).drop_nulls()
    return bool((numbers != numbers.round()).any())


def identifiers(frame: pl.DataFrame, columns: Sequence[str], kept: Collection[str]) -> list[str]:
    """Returns columns of different whole numbers, which are not only 0 and 1, next to columns with fractions: topics are numbered so."""
    if frame.height < 2 or len(columns) > IDENTIFIED:
        return []
    numbers = {name: floats(frame[name]) for name in columns if not fractional(frame[name])}
    if len(numbers) == len(columns):
        return []
    different = {name for name, values in numbers.items() if not values.null_count() and values.is_unique().all()}
    return [name for name in numbers if name in different and name not in kept and not numbers[name].is_in([0.0, 1.0]).all()]


def only_fractions(column: pl.Series) -> bool:
    """Returns whether all values of a column are numbers from 0 to 1, and one has a fractional part."""
    numbers = floats(column)
    return fractional(column) and not numbers.null_count() and numbers.is_between(0, 1).all()


def half_units(there: FloatArray) -> FloatArray:
    """Returns half of a unit of the last decimal of each row's scores; 0 if there are more than nine decimals.

    Examples:
        >>> half_units(np.array([[0.25, 0.5], [3, 10], [12.5, 7], [0, 5e-7]])).tolist()
        [0.005, 0.5, 0.05, 5e-08]
    """
    found = np.zeros(len(there))
    left = np.ones(len(there), dtype=np.bool_)
    small = np.where(np.abs(there) < SMALL, there, np.nan)
    for decimals in range(10):
        scaled = small[left] * 10.0**decimals
        # 1e-16 beside a whole number is an error of floats, but 5e-7 is no whole number.
        error = np.abs(scaled - np.round(scaled)) - np.minimum(1e-6, 1e-11 * np.abs(scaled))
        whole = ~(error > 0.0).any(axis=1)
        places = np.flatnonzero(left)[whole]
        found[places] = 0.5 * 10.0**-decimals
        left[places] = False
        if not left.any():
            break
    return found


ANY_TEXT: Final = r"\S"
ERRORS: Final = ("error", "errors", "error_message", "exception", "eval_error", "judge_error", "api_error", "parse_error")
FAILED: Final = {
    "failureReason": "^2",
    **dict.fromkeys(ERRORS, ANY_TEXT),
    "status": "^(error|exception|crash|invalid|time(d[ _-]?)?out|fail)",
    **dict.fromkeys(("invalid_result", "is_error", "has_error", "eval_failed", "judge_failed"), "^(true|yes|1)"),
    **dict.fromkeys(("finish_reason", "stop_reason"), "^(error|content_?filter|safety|blocklist|prohibited|recitation|refusal|malformed)"),
    **dict.fromkeys(("http_status", "status_code"), r"^[45]\d\d(\.0)?$"),
}
"""Headings of columns that say that a call failed, each with a regular expression for the values in lower case that say so."""
FOLDED: Final = frozenset(map(folded, FAILED))
NONE: Final = ("false", "no", "none", "null", "n/a", "ok", "-", "[]", "{}")
"""Words for no error in a column of errors."""
VERDICT: Final = "^pass"
"""Regular expression for a status that says that an answer is right; a column with such a status says nothing on calls."""


def says_of_failures(name: str) -> bool:
    """Returns whether a column of this name may say that a call failed.

    Examples:
        >>> says_of_failures("Status"), says_of_failures("grade")
        (True, False)
    """
    return folded(name) in FOLDED


def cells_of(name: str, values: Iterable[object]) -> list[object]:
    """Returns the values of a column of records without lists and records, which are texts only in a column that says that a call failed.

    Examples:
        >>> cells_of("error", [{"code": 429}, [], None]), cells_of("query", [{"id": 7}, "a"])
        (['{"code": 429}', None, None], [None, 'a'])
    """
    said = says_of_failures(name)
    return [(json.dumps(each) if said and each else None) if isinstance(each, dict | list) else each for each in values]


def beside_scores(stated: Stated) -> Iterator[str]:
    """Yields the paths into nested records at which values beside a stated score may say that the call failed.

    Examples:
        >>> list(beside_scores(Stated(columns={"metrics.score": "score"})))[:2]
        ['metrics.failureReason', 'metrics.error']
    """
    scores = (*stated.measures, *(theirs for theirs, ours in stated.columns.items() if ours == "score"))
    for record in dict.fromkeys(name.rpartition(".")[0] for name in scores if "." in name):
        yield from (f"{record}.{heading}" for heading in FAILED)


def without_failures(table: Unchecked, stated: Stated, scored: Sequence[str], findings: Findings) -> Unchecked:
    """Returns a table in which rows whose call failed have no scores, and adds a warning that counts them: harnesses write 0 as their score.

    The columns that say so are left out.

    Args:
        table: The table, with one row for each call.
        stated: The options of the caller.
        scored: The columns of scores.
        findings: The object to which the warning is added.
    """
    taken = {*stated.elsewhere, *stated.columns, *scored}
    lost, columns = failed_rows(
        table, taken, scored, findings, noun="score", way=lambda columns: f"{option(ignore=columns)} reads the scores"
    )
    note = f"no failed call in {enumerate_names(columns)}"
    kept = table.frame.drop(columns).with_columns(pl.when(~lost).then(pl.col(name)).alias(name) for name in scored if lost.any())
    return replace(table, frame=kept, notes=(*table.notes, *([note] if columns and not lost.any() else [])))


def failed_rows(
    table: Unchecked, taken: Collection[str], values: Sequence[str], findings: Findings, *, noun: str, way: Callable[[list[str]], str]
) -> tuple[pl.Series, list[str]]:
    """Returns whether each row has a value, but its call failed because any column of `FAILED` says so; and the columns that say so.

    If promptfoo states a reason, only the reason counts. A warning counts the rows.

    Args:
        table: The table, with one row for each call.
        taken: The columns that have another role.
        values: The columns of scores or grades.
        findings: The object to which the warning is added.
        noun: A noun for the values.
        way: A function that returns how these rows are read as others, by the columns that say so.
    """
    frame = table.frame
    free = [name for name in frame.columns if name not in taken]
    named = {heading: [name for name in free if folded(name.rpartition(".")[2]) == folded(heading)] for heading in FAILED}
    failures = {name: found for heading, names in named.items() for name in names if (found := _failures(frame[name], heading)) is not None}
    deciding = [name for name in named["failureReason"] if name in failures] or [*failures]
    valued = pl.any_horizontal(pl.col(values).is_not_null())
    lost = frame.select(failed=valued & pl.any_horizontal(pl.lit(value=False), *(failures[name] for name in deciding)))["failed"]
    if lost.any():
        first, columns = int(lost.arg_max() or 0), [*failures]
        causes = (f"{name} {describe(shortened(_words(frame[name])[first], 40))}" for name in deciding if failures[name][first])
        count, cause, advice = f"{plural(int(lost.sum()), 'row')} of {len(lost)}", next(causes), f"no {noun}; {way(columns)}"
        text = f"{count} with a failed call ({cause}) {'has' if lost.sum() == 1 else 'have'} {advice}"
        kind = f"rows with failed calls in {{count}} tables have {advice}"
        findings.warnings.append(Problem(text, file=table.what, severity="warning", kind=kind, detail=f"{count}, {cause}"))
    return lost, [*failures]


def _failures(column: pl.Series, heading: str) -> pl.Series | None:
    """Returns for each row whether a column says that the call failed; None if the column says something else, such as a number or a verdict."""
    if column.dtype.is_nested() or column.dtype.is_object():
        return None
    words, cells = FAILED[heading], _words(column).str.to_lowercase()
    failed = cells.str.contains(words).fill_null(value=False)
    if words == ANY_TEXT:
        return None if cells.cast(pl.Float64, strict=False).count() else failed & ~cells.is_in(NONE).fill_null(value=False)
    return None if heading == "status" and (not failed.any() or cells.str.contains(VERDICT).any()) else failed


def _words(column: pl.Series) -> pl.Series:
    return column.cast(pl.String).str.strip_chars()
