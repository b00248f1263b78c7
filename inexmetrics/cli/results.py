"""What becomes of a result: how it is written, and where."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

from inexmetrics.cli.arguments import Form, UsageError
from inexmetrics.cli.console import to_standard_output
from inexmetrics.common.options import Rows
from inexmetrics.experiments.base import Result

if TYPE_CHECKING:
    from inexmetrics.experiments.significance import SignificanceResult

__all__ = ["print_bytes", "written"]


def written(result: Result, form: Form, table: str | None, width: int, *, rows: Rows, marks: SignificanceResult | None = None) -> bytes:
    """The result in a format.

    Args:
        result: The result.
        form: The form.
        table: The table, or None for the first or for all, as the format has it.
        width: Columns of a text table.
        rows: Rows shown of text tables.
        marks: Tests that mark the means of a LaTeX table of scores.

    Raises:
        UsageError: The result has no table of that name.
    """
    try:
        frame = result.named(table)
    except ValueError as error:
        raise UsageError(f"--table: {error}") from None
    match form:
        case "table":
            return _line(result.to_text(table, width=width, rows=rows))
        case "json":
            return result.to_json().encode()
        case "csv":
            return frame.write_csv().encode()
        case "markdown":
            return _line(result.to_markdown(table))
        case "latex":
            return _line(_latex(result, table, marks))
        case "parquet":
            content = io.BytesIO()
            frame.write_parquet(content)
            return content.getvalue()


def _latex(result: Result, table: str | None, marks: SignificanceResult | None) -> str:
    from inexmetrics.experiments.scores import ScoresResult  # loaded when it is asked for

    if marks is None or not isinstance(result, ScoresResult):
        return result.to_latex(table)
    try:
        return result.to_latex(table, marks=marks)
    except ValueError as error:
        raise UsageError(f"--{error}") from None


def _line(text: str) -> bytes:
    return f"{text}\n".encode(errors="backslashreplace")


def print_bytes(content: bytes) -> None:
    """Writes to standard output, the same bytes on every system.

    Raises:
        OSError: It cannot be written.
    """
    with to_standard_output():
        sys.stdout.flush()
        left = memoryview(content)
        while left:  # an unbuffered stream takes what it can, a disk that fills up first a part
            left = left[sys.stdout.buffer.write(left) :]
