"""Words to the user: answers in words on standard output, all others on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from inexmetrics.cli.arguments import UsageError
from inexmetrics.common.messages import printable

__all__ = ["flush", "print_text", "say", "to_standard_output"]


def say(text: str) -> None:
    """Writes lines to standard error, without what a terminal would obey; where nobody can read them, they are lost."""
    if sys.stderr is None:
        return
    try:
        print("\n".join(map(printable, text.split("\n"))), file=sys.stderr, flush=True)
    except OSError:
        sys.stderr = None


def print_text(text: str) -> None:
    """Writes lines to standard output.

    Raises:
        UsageError: It is closed.
        OSError: It cannot be written.
    """
    with to_standard_output():
        print(text)


def flush() -> None:
    """Writes out what was printed, if there is anything to print to."""
    if sys.stdout is not None:
        with to_standard_output():
            pass


@contextmanager
def to_standard_output() -> Iterator[None]:
    """A block that writes to standard output, which is flushed at its end.

    Raises:
        UsageError: It is closed.
        BrokenPipeError: Nobody reads it any more.
        OSError: It cannot be written; the message says so.
    """
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
