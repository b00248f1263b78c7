"""What becomes of a result: how it is written, and where."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from inexmetrics.command.requests import Form, UsageError
from inexmetrics.experiments.base import Result
from inexmetrics.report.text import result_text

__all__ = ["print_bytes", "write_files", "written"]


def written(result: Result, form: Form, table: str | None, width: int, limit: int | None) -> bytes:
    """The result in the form that was asked for.

    Args:
        result: The result.
        form: The form.
        table: The name of the table asked for, if any.
        width: Columns of a text table.
        limit: Rows of a text table; None is all.

    Raises:
        UsageError: The result has no table of the name asked for.
    """
    try:
        frame = result.named(table)
    except ValueError as error:
        raise UsageError(f"--table: {error}") from None
    match form:
        case "table":
            return _line(result_text(result, table, width, limit))
        case "json":
            return result.to_json().encode()
        case "csv":
            return frame.write_csv().encode()
        case "markdown":
            return _line(result.to_markdown(table))
        case "latex":
            return _line(result.to_latex(table))
        case "parquet":
            content = io.BytesIO()
            frame.write_parquet(content)
            return content.getvalue()


def _line(text: str) -> bytes:
    return f"{text}\n".encode(errors="backslashreplace")


def print_bytes(content: bytes) -> None:
    """Writes to standard output, the same bytes on every system."""
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def write_files(contents: Mapping[Path, bytes]) -> None:
    """Writes files, each of them whole or not at all: under another name first, which then takes the place of the file.

    Raises:
        UsageError: A file cannot be written.
    """
    for path, content in contents.items():
        try:
            _write(path, content)
        except OSError as error:
            raise UsageError(f"cannot write {path}: {error.strerror or error}") from None


def _write(path: Path, content: bytes) -> None:
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():  # a device or a pipe has no place to be taken
        target.write_bytes(content)
        return
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with unfinished.open("xb") as file:
            file.write(content)
        unfinished.replace(target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
