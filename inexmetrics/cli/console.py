"""Output of text to standard output and standard error; on a terminal, also bold text, dim text and progress bars."""

from __future__ import annotations

import math
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

from inexmetrics.cli.arguments import UsageError
from inexmetrics.common.messages import filled, printable
from inexmetrics.common.options import Progress, silent

__all__ = ["flush", "on_terminal", "print_error", "print_text", "to_standard_output", "watched"]


COMMAND: Final = re.compile(r"^\s*(::|##\[)")
"""Pattern of the start of a line that build services such as GitHub Actions treat as a command."""


def print_error(text: str) -> None:
    """Writes lines to standard error, with control characters escaped; does nothing if standard error is closed.

    A line that a build service would treat as a command begins with a hyphen.

    Lines are wrapped if standard error is a terminal or the environment variable COLUMNS is set. Indented lines, such as a formula above a
    caret, are not wrapped, except hints.
    """
    if sys.stderr is None:
        return
    lines = [COMMAND.sub(r"- \1", printable(line)) for line in text.split("\n")]
    if os.environ.get("COLUMNS") or sys.stderr.isatty():
        columns = shutil.get_terminal_size().columns
        free = [not line.startswith(" ") or line.startswith("  hint: ") for line in lines]
        lines = [
            filled(line, columns, "    " if line.startswith(" ") else "  ") if wrapped and len(line) > columns else line
            for line, wrapped in zip(lines, free, strict=True)
        ]
    try:
        print("\n".join(lines), file=sys.stderr, flush=True)
    except OSError:
        sys.stderr = None


def print_text(text: str) -> None:
    """Writes lines to standard output."""
    with to_standard_output():
        print(text)


def flush() -> None:
    """Flushes standard output, unless standard output is closed."""
    if sys.stdout is not None:
        with to_standard_output():
            pass


@contextmanager
def to_standard_output() -> Iterator[None]:
    """Runs a block and then flushes standard output; raises `UsageError` if standard output is closed."""
    if sys.stdout is None:
        raise UsageError("expected an open standard output, found a closed one")
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        # Python flushes standard output again at exit, and this flush must not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise
        raise OSError(f"cannot write to standard output: {error.strerror or error}") from None


BOLD, DIM, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


def on_terminal(text: str, finding: str, width: int) -> str:
    """Formats the text of a result for a terminal.

    Text is neither bold nor dim if the environment variable ``NO_COLOR`` is set, or if the terminal lacks capabilities (``TERM=dumb``).

    Args:
        text: The text of the result.
        finding: The finding of the result.
        width: Width of the terminal in characters.
    """
    from inexmetrics.report.text import HOW  # imported here, because a request imports only the modules that it needs

    said = filled(finding, width)
    body, blank, hints = text.rpartition("\n\n")
    if not hints.endswith(filled(HOW, width)):
        body, blank, hints = text, "", ""
    scrolled = text.count("\n") + 1 >= shutil.get_terminal_size().lines
    again = f"\n\n{said}" if scrolled else ""
    modern = sys.platform != "win32" or "WT_SESSION" in os.environ
    if not modern or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return f"{text}{again}"
    body = body.replace(said, _each_line(said, BOLD), 1)
    return f"{body}{blank}{_each_line(hints, DIM)}{_each_line(again, BOLD)}"


def _each_line(text: str, style: str) -> str:
    """Applies a style to each line of a text separately, because pagers reset the style at the end of a line."""
    return "\n".join(f"{style}{line}{PLAIN}" if line else line for line in text.split("\n"))


PATIENCE: Final = 1.0
"""Time in seconds before progress is shown."""
PAUSE: Final = 0.1
"""Minimum time in seconds between two updates of the progress."""
BAR: Final = 20
"""Width of a progress bar in characters."""


@contextmanager
def watched(wanted: bool, clock: Callable[[], float] = time.monotonic) -> Iterator[Progress]:
    """Shows the progress of the latest computation while the block runs, if progress is enabled and standard error is a terminal."""
    screen = sys.stderr
    if not wanted or screen is None or not screen.isatty() or os.environ.get("TERM") == "dumb":
        yield silent
        return
    started, drawn = clock(), -math.inf
    begun: dict[str, float] = {}

    def write(line: str) -> None:
        columns = shutil.get_terminal_size().columns - 1
        screen.write(f"\r{line[:columns]:<{columns}}\r")
        screen.flush()

    def show(what: str, done: int, total: int) -> None:
        nonlocal drawn
        now = clock()
        begun.setdefault(what, now)
        if now - started < PATIENCE or (now - drawn < PAUSE and done < total) or (drawn < 0 and done == total):
            return
        drawn = now
        filled = BAR * done // max(total, 1)
        left = timedelta(seconds=round((now - begun[what]) * (total - done) / done)) if done else "-:--:--"
        write(f"{what} [{'=' * filled:<{BAR}}] {done}/{total} {left}")

    try:
        yield show
    finally:
        if drawn >= 0:
            write("")
