"""Limits on the size and contents of files, to reject malicious files. Each limit is far above the values in real collections.

Each limit can be changed by an environment variable, which applies in Python, on the command line and in worker processes.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Final

from inexmetrics.common.errors import CollectionError, Problem

__all__ = ["DEPTH", "ERRORS", "LINE", "Limit", "check_limits", "check_lines", "most_unpacked"]


@dataclass(frozen=True, slots=True)
class Limit:
    """A maximum value for a property of input files; an environment variable can change the maximum.

    Attributes:
        variable: The environment variable that changes the limit.
        default: The limit if the environment variable is not set.
    """

    variable: str
    default: int

    @property
    def value(self) -> int:
        """The current value of the limit.

        Raises:
            CollectionError: The environment variable is not an integer of at least 1.
        """
        written = os.environ.get(self.variable)
        if written is None:
            return self.default
        if re.fullmatch("[1-9][0-9]{0,17}", written) is None:
            raise CollectionError(f"{self.variable}: expected an integer of at least 1, found {written[:60]!r}")
        return int(written)

    def passed(self, expected: str, found: str, file: str, line: int | None = None) -> CollectionError:
        """Returns the error for a file that exceeds the limit; the message names the environment variable that changes the limit."""
        return CollectionError(Problem(f"expected {expected}, found {found}; {self.variable} sets another limit", file=file, line=line))


DEPTH: Final = Limit("INEXMETRICS_MAX_DEPTH", 256)
"""Maximum depth of nested elements in documents whose structure is computed; INEX's documents have depths below 50."""
LINE: Final = Limit("INEXMETRICS_MAX_LINE", 1 << 24)
"""Maximum number of bytes in a line of text."""
UNPACKED: Final = Limit("INEXMETRICS_MAX_UNPACKED", 1 << 32)
"""Maximum number of bytes in a decompressed file."""
RATIO: Final = Limit("INEXMETRICS_MAX_RATIO", 100)
"""Maximum ratio of a file's decompressed size to its compressed size, for decompressed files above `SMALL` bytes.

The compression ratio of real run files is at most 20. If a file repeats a single row, the fastest compression reduces the file by a factor
of 200, and the best compression by a factor of 500.
"""
ERRORS: Final = Limit("INEXMETRICS_MAX_ERRORS", 100_000)
"""Maximum number of invalid rows; reading stops if there are more."""
SMALL: Final = 1 << 24
"""Maximum size in bytes of a decompressed file for which the compression ratio is not checked."""


def check_limits() -> None:
    """Checks that the environment variables of all limits have valid values.

    Raises:
        CollectionError: An environment variable is invalid.
    """
    problems: list[Problem] = []
    for limit in (DEPTH, LINE, UNPACKED, RATIO, ERRORS):
        try:
            _ = limit.value
        except CollectionError as error:
            problems += error.problems
    if problems:
        raise CollectionError(problems)


def most_unpacked(packed: int, file: str, what: str = "a file that unpacks to") -> tuple[int, CollectionError]:
    """Returns the maximum decompressed size in bytes for a compressed size of `packed` bytes, and the error to raise for a larger size."""
    most, ratio = UNPACKED.value, RATIO.value
    if ratio * packed >= most:
        return most, UNPACKED.passed(f"{what} at most {most} bytes", "more", file)
    expected = f"{what} at most {ratio} times the file's size, which is {packed} bytes"
    return min(most, max(SMALL, ratio * packed)), RATIO.passed(expected, "more", file)


def check_lines(raw: bytes, file: str) -> None:
    """Checks that no line of a text has more than `LINE` bytes.

    Raises:
        CollectionError: A line is too long; the error gives its number.
    """
    most = LINE.value
    start = 0
    while len(raw) - start > most:
        # A backward search finds the last line end within the limit, so that most lines are skipped.
        end = raw.rfind(b"\n", start, start + most + 1)
        if end < 0:
            line = raw.count(b"\n", 0, start) + 1
            raise LINE.passed(f"lines of at most {most} bytes", "a longer one", file, line)
        start = end + 1
