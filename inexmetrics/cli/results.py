"""What becomes of a result: how it is written, and where."""

from __future__ import annotations

import io
import shlex
import sys
from typing import TYPE_CHECKING

from inexmetrics.cli.arguments import Form, UsageError
from inexmetrics.cli.console import to_standard_output
from inexmetrics.common.messages import printable
from inexmetrics.common.options import Rows
from inexmetrics.experiments.base import Result

if TYPE_CHECKING:
    from inexmetrics.experiments.significance import Significance, SignificanceResult

__all__ = ["print_bytes", "written"]


def written(result: Result, form: Form, table: str | None, width: int, *, rows: Rows, marks: SignificanceResult | None = None) -> bytes:
    """The result in a format; None is the first table, or all of them, as the format has it."""
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
    from inexmetrics.experiments.significance import SignificanceResult

    if isinstance(result, SignificanceResult):
        return f"% {_marked(result.experiment)}\n{result.to_latex(table)}"
    if marks is None or not isinstance(result, ScoresResult):
        return result.to_latex(table)
    try:
        return result.to_latex(table, marks=marks)
    except ValueError as error:
        raise UsageError(f"--{error}") from None


def _marked(asked: Significance) -> str:
    """The command that writes the means with the marks of tests, which most papers print in place of the tests."""
    tests = str(asked.test) if asked.test.simultaneous else f"{asked.test} | {asked.correction}"
    formula = printable(f"scores({asked.conditions_text})")
    return f"beside means: inexmetrics {shlex.quote(formula)} --format latex --marks {shlex.quote(tests)}"


def _line(text: str) -> bytes:
    return f"{text}\n".encode(errors="backslashreplace")


def print_bytes(content: bytes) -> None:
    """Writes to standard output, the same bytes on every system."""
    with to_standard_output():
        sys.stdout.flush()
        left = memoryview(content)
        while left:  # an unbuffered stream takes what it can, a disk that fills up first a part
            left = left[sys.stdout.buffer.write(left) :]
