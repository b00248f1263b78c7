"""What becomes of a result: how it is written, and where."""

from __future__ import annotations

import io
import shlex
import sys
from typing import TYPE_CHECKING

from inexmetrics.cli.arguments import Form, UsageError
from inexmetrics.cli.console import to_standard_output
from inexmetrics.common.messages import canonical, printable
from inexmetrics.common.options import Rows
from inexmetrics.experiments.base import Result

if TYPE_CHECKING:
    from inexmetrics.experiments.marks import Tests
    from inexmetrics.experiments.significance import Significance
    from inexmetrics.experiments.versus import Versus

__all__ = ["print_bytes", "written"]


def written(result: Result, form: Form, table: str | None, width: int, *, rows: Rows, marks: Tests | None = None) -> bytes:
    """The result in a format; None is the first table, or all of them, as the format has it."""
    try:
        frame = result.named(table)
    except ValueError as error:
        raise UsageError(f"--table: {error}") from None
    if marks is not None:
        try:
            return _line(_marked(result, form, table, width, rows=rows, marks=marks))
        except ValueError as error:
            raise UsageError(f"--{error}") from None
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
            return _line(_latex(result, table))
        case "parquet":
            content = io.BytesIO()
            frame.write_parquet(content)
            return content.getvalue()


def _marked(result: Result, form: Form, table: str | None, width: int, *, rows: Rows, marks: Tests) -> str:
    """Return a table of means with the markers of tests."""
    from inexmetrics.experiments.scores import ScoresResult  # loaded when it is asked for

    assert isinstance(result, ScoresResult), "options are read so that only scores are marked"
    match form:
        case "latex":
            return result.to_latex(table, marks=marks)
        case "markdown":
            return result.to_markdown(table, marks=marks)
        case _:
            return result.to_text(table, width=width, rows=rows, marks=marks)


def _latex(result: Result, table: str | None) -> str:
    from inexmetrics.experiments.significance import SignificanceResult  # loaded when it is asked for
    from inexmetrics.experiments.versus import VersusResult

    latex = result.to_latex(table)
    if isinstance(result, SignificanceResult):
        return f"% {_beside_means(result.experiment, '')}\n{latex}"
    if isinstance(result, VersusResult):
        return f"% {_beside_means(result.experiment, f'versus({canonical(result.experiment.run)})')}\n{latex}"
    return latex


def _beside_means(asked: Significance | Versus, baselines: str) -> str:
    """Return the command that writes the means with the markers of tests, which most papers print in place of the tests."""
    tests = " | ".join(filter(None, [baselines, str(asked.test), "" if asked.test.simultaneous else str(asked.correction)]))
    formula = printable(f"scores({asked.conditions_text})")
    return f"beside means: inexmetrics {shlex.quote(formula)} --format latex --marks {shlex.quote(printable(tests))}"


def _line(text: str) -> bytes:
    return f"{text}\n".encode(errors="backslashreplace")


def print_bytes(content: bytes) -> None:
    """Writes to standard output, the same bytes on every system."""
    with to_standard_output():
        sys.stdout.flush()
        left = memoryview(content)
        while left:  # an unbuffered stream takes what it can, a disk that fills up first a part
            left = left[sys.stdout.buffer.write(left) :]
