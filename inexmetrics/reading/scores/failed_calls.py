"""Rows of tables of scores that say that their call failed: they have no scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import polars as pl

from inexmetrics.common.errors import Problem
from inexmetrics.common.messages import describe, enumerate_names, option, plural, shortened
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.names import folded
from inexmetrics.reading.scores.stated import Stated

__all__ = ["beside_scores", "without_failures"]

ANY_TEXT: Final = r"\S"
FAILED: Final = {
    "failureReason": "^2",
    "error": ANY_TEXT,
    "error_message": ANY_TEXT,
    "exception": ANY_TEXT,
    "status": "^(error|exception|crash|invalid|time(d[ _-]?)?out|fail)",
    "invalid_result": "^(true|yes|1)",
}
"""Headings of columns that say that a call failed, each with a regular expression for the values in lower case that say so."""
NONE: Final = ("false", "no", "none", "null", "n/a", "ok", "-")
"""Words for no error in a column of errors."""
VERDICT: Final = "^pass"
"""Regular expression for a status that says that an answer is right; a column with such a status says nothing on calls."""


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

    A call failed if any column of `FAILED` says so; if promptfoo states a reason, only the reason counts. These columns are left out.

    Args:
        table: The table, with one row for each call.
        stated: The options of the caller.
        scored: The columns of scores.
        findings: The object to which the warning is added.
    """
    frame = table.frame
    free = [name for name in frame.columns if name not in {*stated.elsewhere, *stated.columns, *scored}]
    named = {heading: [name for name in free if folded(name.rpartition(".")[2]) == folded(heading)] for heading in FAILED}
    failures = {name: found for heading, names in named.items() for name in names if (found := _failures(frame[name], heading)) is not None}
    if not failures:
        return table
    deciding = [name for name in named["failureReason"] if name in failures] or [*failures]
    scores = pl.any_horizontal(pl.col(scored).is_not_null())
    lost = frame.select(failed=scores & pl.any_horizontal(*(failures[name] for name in deciding)))["failed"]
    kept = frame.drop(failures)
    if not lost.any():
        return replace(table, frame=kept, notes=(*table.notes, f"no failed call in {enumerate_names([*failures])}"))
    count = f"{plural(int(lost.sum()), 'row')} of {len(lost)}"
    first = int(lost.arg_max() or 0)
    cause = next(f"{name} {describe(shortened(_words(frame[name])[first], 40))}" for name in deciding if failures[name][first])
    way = f"{option(ignore=[*failures])} reads the scores"
    text = f"{count} with a failed call ({cause}) {'has' if lost.sum() == 1 else 'have'} no score; {way}"
    kind = f"rows with failed calls in {{count}} tables have no score; {way}"
    findings.warnings.append(Problem(text, file=table.what, severity="warning", kind=kind, detail=f"{count}, {cause}"))
    return replace(table, frame=kept.with_columns(pl.when(~lost).then(pl.col(name)).alias(name) for name in scored))


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
