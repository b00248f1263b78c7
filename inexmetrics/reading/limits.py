"""Limits of reading: bounds far above every real collection, so that a hostile file is rejected with a message.

Each bound is an environment variable, which raises it from Python, from the command line and in worker processes.
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
    """A bound on input.

    Attributes:
        variable: The environment variable that changes the bound.
        default: The bound without the variable.
    """

    variable: str
    default: int

    @property
    def value(self) -> int:
        """The bound.

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
        """Returns the error of a file beyond the bound, with advice on raising it."""
        return CollectionError(Problem(f"expected {expected}, found {found}; {self.variable} sets another limit", file=file, line=line))


DEPTH: Final = Limit("INEXMETRICS_MAX_DEPTH", 256)
"""Nested elements in documents whose structure is computed; those of INEX have fewer than 50."""
LINE: Final = Limit("INEXMETRICS_MAX_LINE", 1 << 24)
"""Bytes of a line of text."""
UNPACKED: Final = Limit("INEXMETRICS_MAX_UNPACKED", 1 << 32)
"""Bytes of a decompressed file."""
RATIO: Final = Limit("INEXMETRICS_MAX_RATIO", 100)
"""The largest ratio of a decompressed file to its compressed size, above `SMALL` bytes; real run files reach 20.

The fastest compression reduces a row that is repeated by a factor of 200, the best by 500.
"""
ERRORS: Final = Limit("INEXMETRICS_MAX_ERRORS", 100_000)
"""The number of invalid rows after which reading ends."""
SMALL: Final = 1 << 24
"""Bytes of a decompressed file that are always allowed."""


def check_limits() -> None:
    """Checks every environment variable that sets a limit, whether the limit is reached or not.

    Raises:
        CollectionError: A variable is invalid.
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
    """Returns the allowed bytes of a decompressed file, the error beyond them, and its expectation."""
    most, ratio = UNPACKED.value, RATIO.value
    if ratio * packed >= most:
        return most, UNPACKED.passed(f"{what} at most {most} bytes", "more", file)
    expected = f"{what} at most {ratio} times the file's size, which is {packed} bytes"
    return min(most, max(SMALL, ratio * packed)), RATIO.passed(expected, "more", file)


def check_lines(raw: bytes, file: str) -> None:
    """Checks that all lines of a text are short enough.

    Raises:
        CollectionError: A line is too long; the error gives its number.
    """
    most = LINE.value
    start = 0
    while len(raw) - start > most:
        # Searching backwards finds the last end of a line within reach at once, and skips most lines.
        end = raw.rfind(b"\n", start, start + most + 1)
        if end < 0:
            line = raw.count(b"\n", 0, start) + 1
            raise LINE.passed(f"lines of at most {most} bytes", "a longer one", file, line)
        start = end + 1
