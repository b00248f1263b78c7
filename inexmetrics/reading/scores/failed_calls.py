"""Rows of tables that say that their call failed: they have no scores, and judge no document."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import polars as pl

from inexmetrics.common.errors import Problem
from inexmetrics.common.messages import describe, enumerate_names, option, plural, shortened
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.names import folded
from inexmetrics.reading.scores.stated import Stated

__all__ = ["beside_scores", "cells_of", "failed_rows", "says_of_failures", "without_failures"]

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
    failed = failed_rows(table, {*stated.elsewhere, *stated.columns, *scored}, scored)
    if failed is None:
        return table
    kept = table.frame.drop(failed.columns)
    if not failed.rows.any():
        return replace(table, frame=kept, notes=(*table.notes, f"no failed call in {enumerate_names(failed.columns)}"))
    findings.warnings.append(failed.warning("score", option(ignore=[*failed.columns]) + " reads the scores"))
    return replace(table, frame=kept.with_columns(pl.when(~failed.rows).then(pl.col(name)).alias(name) for name in scored))


@dataclass(frozen=True, slots=True, eq=False)
class FailedRows:
    """The rows of a table whose call failed.

    Attributes:
        rows: Whether each row has a value and its call failed.
        columns: The columns that say so.
        cause: The column and the value that say so for the first of these rows; empty if there are none.
        what: The name of the table.
    """

    rows: pl.Series
    columns: tuple[str, ...]
    cause: str
    what: str

    def warning(self, noun: str, way: str) -> Problem:
        """Returns a warning that counts the rows, which have no value of this kind, and states how they are read."""
        lost = int(self.rows.sum())
        count = f"{plural(lost, 'row')} of {len(self.rows)}"
        text = f"{count} with a failed call ({self.cause}) {'has' if lost == 1 else 'have'} no {noun}; {way}"
        kind = f"rows with failed calls in {{count}} tables have no {noun}; {way}"
        return Problem(text, file=self.what, severity="warning", kind=kind, detail=f"{count}, {self.cause}")


def failed_rows(table: Unchecked, taken: Collection[str], values: Sequence[str]) -> FailedRows | None:
    """Returns the rows that have a value, and whose call failed because any column of `FAILED` says so; None if there is no such column.

    If promptfoo states a reason, only the reason counts.

    Args:
        table: The table, with one row for each call.
        taken: The columns that have another role.
        values: The columns of scores or grades.
    """
    frame = table.frame
    free = [name for name in frame.columns if name not in taken]
    named = {heading: [name for name in free if folded(name.rpartition(".")[2]) == folded(heading)] for heading in FAILED}
    failures = {name: found for heading, names in named.items() for name in names if (found := _failures(frame[name], heading)) is not None}
    if not failures:
        return None
    deciding = [name for name in named["failureReason"] if name in failures] or [*failures]
    valued = pl.any_horizontal(pl.col(values).is_not_null())
    lost = frame.select(failed=valued & pl.any_horizontal(*(failures[name] for name in deciding)))["failed"]
    first = int(lost.arg_max() or 0)
    causes = (f"{name} {describe(shortened(_words(frame[name])[first], 40))}" for name in deciding if failures[name][first])
    return FailedRows(lost, tuple(failures), next(causes) if lost.any() else "", table.what)


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
