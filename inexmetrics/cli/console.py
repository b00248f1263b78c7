"""Text for the user on standard output and standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from inexmetrics.cli.arguments import UsageError
from inexmetrics.common.messages import printable

__all__ = ["flush", "print_error", "print_text", "to_standard_output"]


def print_error(text: str) -> None:
    """Writes lines to standard error, control characters as escapes; does nothing where it is closed."""
    if sys.stderr is None:
        return
    try:
        print("\n".join(map(printable, text.split("\n"))), file=sys.stderr, flush=True)
    except OSError:
        sys.stderr = None


def print_text(text: str) -> None:
    """Writes lines to standard output."""
    with to_standard_output():
        print(text)


def flush() -> None:
    """Flushes standard output, if it is open."""
    if sys.stdout is not None:
        with to_standard_output():
            pass


@contextmanager
def to_standard_output() -> Iterator[None]:
    """A block that writes to standard output, which is flushed at its end; raises `UsageError` where that is closed."""
    if sys.stdout is None:
        raise UsageError("expected standard output to write to, found it closed")
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        # Python flushes standard output once more at its end, which must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise
        raise OSError(f"cannot write to standard output: {error.strerror or error}") from None
