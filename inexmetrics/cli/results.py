"""Formats results for files and for standard output."""

from __future__ import annotations

import io
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from inexmetrics.cli.arguments import Question, UsageError
from inexmetrics.cli.console import on_terminal, to_standard_output
from inexmetrics.common.messages import canonical, printable
from inexmetrics.experiments.base import Result

if TYPE_CHECKING:
    from inexmetrics.experiments.marks import Tests
    from inexmetrics.experiments.significance import Significance
    from inexmetrics.experiments.versus import Versus

__all__ = ["print_bytes", "written"]


def written(result: Result, question: Question, columns: int, marks: Tests | None = None, *, terminal: bool = False) -> bytes:
    """Returns the result in the requested format, encoded as bytes.

    Args:
        result: The result.
        question: The options.
        columns: Available width for the text, in characters.
        marks: The tests whose markers are added to the means.
        terminal: Whether text is shown on a terminal.
    """
    form, table = question.style, question.table
    try:
        frame = result.named(table)
    except ValueError as error:
        raise UsageError(f"--table: {error}") from None
    if question.where is not None:
        return _chosen(result, question, columns)
    if form == "table":
        text = result.to_text(table, width=columns, rows=question.rows) if marks is None else _marked(result, question, columns, marks)
        return _line(on_terminal(text, result.finding, columns) if terminal else text)
    if marks is not None:
        return _line(_marked(result, question, columns, marks))
    match form:
        case "json":
            return result.to_json().encode()
        case "csv":
            return frame.write_csv().encode()
        case "markdown":
            return _line(result.to_markdown(table))
        case "latex":
            from inexmetrics.experiments.significance import SignificanceResult  # imported only if needed
            from inexmetrics.experiments.versus import VersusResult

            with _options_named():
                latex = result.to_latex(table, width=question.table_width)
            if isinstance(result, SignificanceResult | VersusResult):
                latex = f"% {_beside_means(result.experiment)}\n{latex}"
            return _line(latex)
        case _:
            content = io.BytesIO()
            frame.write_parquet(content)
            return content.getvalue()


def _chosen(result: Result, question: Question, columns: int) -> bytes:
    """Returns the rows that the option --where chooses."""
    assert question.where is not None
    try:
        rows = result.where(question.where, question.table)
    except ValueError as error:
        raise UsageError(f"--{error}") from None
    match question.style:
        case "csv":
            return rows.table.write_csv().encode()
        case "markdown":
            return _line(rows.to_markdown())
        case "latex":
            with _options_named():
                return _line(rows.to_latex(width=question.table_width))
        case "parquet":
            content = io.BytesIO()
            rows.table.write_parquet(content)
            return content.getvalue()
        case _:
            return _line(rows.to_text(width=columns, rows=question.rows))


def _marked(result: Result, question: Question, columns: int, marks: Tests) -> str:
    """Returns a table of means with the markers of significance tests."""
    from inexmetrics.experiments.scores import ScoresResult  # imported only if needed

    assert isinstance(result, ScoresResult), "the option --marks is rejected for all results except scores"
    with _options_named():
        match question.style:
            case "latex":
                return result.to_latex(question.table, width=question.table_width, marks=marks)
            case "markdown":
                return result.to_markdown(question.table, marks=marks)
            case _:
                return result.to_text(question.table, width=columns, rows=question.rows, marks=marks)


@contextmanager
def _options_named() -> Iterator[None]:
    """Replaces an error about a parameter, raised in the ``with`` block, with an error about the corresponding option."""
    try:
        yield
    except ValueError as error:
        name, text = str(error).split(": ", 1)
        option = {"width": "--table-width", "marks": "--marks"}[name]
        raise UsageError(f"{option}: {text}".replace('width="page"', "--table-width page")) from None


def _beside_means(asked: Significance | Versus) -> str:
    """Returns the command that prints a table of means with significance markers.

    Most papers print such a table instead of the results of the tests.
    """
    stages = [str(asked.test), *([] if asked.test.simultaneous else [str(asked.correction)])]
    chosen = {name: getattr(asked, name, None) for name in ("pairs", "top", "best_of")}
    options = [f"{name}={canonical(value)}" for name, value in chosen.items() if value not in {None, "directed"}]
    if isinstance(run := getattr(asked, "run", None), str | tuple):
        stages, options = [f"versus({', '.join([canonical(run), *options])})", *stages], []
    tests = ", ".join([" | ".join(stages), *options])
    formula = printable(f"scores({asked.conditions_text})")
    return f"beside means: inexmetrics {shlex.quote(formula)} --format latex --marks {shlex.quote(printable(tests))}"


def _line(text: str) -> bytes:
    return f"{text}\n".encode(errors="backslashreplace")


def print_bytes(content: bytes) -> None:
    """Writes bytes to standard output, without translating line ends."""
    with to_standard_output():
        sys.stdout.flush()
        left = memoryview(content)
        while left:  # if a disk is nearly full, an unbuffered stream writes only a part of the bytes
            left = left[sys.stdout.buffer.write(left) :]
