"""How much a file may hold for its size: bounds far above every real collection, so that a hostile file is refused in words.

Each bound is an environment variable, which raises it from Python, from the command line and in worker processes alike.
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
    """A bound on what is read.

    Attributes:
        variable: The environment variable that sets another.
        default: The bound where it is not set.
    """

    variable: str
    default: int

    @property
    def value(self) -> int:
        """The bound.

        Raises:
            CollectionError: The environment variable holds no integer of at least 1.
        """
        written = os.environ.get(self.variable)
        if written is None:
            return self.default
        if re.fullmatch("[1-9][0-9]{0,17}", written) is None:
            raise CollectionError(f"{self.variable}: expected an integer of at least 1, found {written[:60]!r}")
        return int(written)

    def passed(self, expected: str, found: str, file: str, line: int | None = None) -> CollectionError:
        """The error of a file that goes beyond the bound, which says how to raise it."""
        return CollectionError(Problem(f"expected {expected}, found {found}; {self.variable} sets another limit", file=file, line=line))


DEPTH: Final = Limit("INEXMETRICS_MAX_DEPTH", 256)
"""Elements inside each other, in documents whose structure is computed; those of INEX have fewer than 50."""
LINE: Final = Limit("INEXMETRICS_MAX_LINE", 1 << 24)
"""Bytes of a line of text."""
UNPACKED: Final = Limit("INEXMETRICS_MAX_UNPACKED", 1 << 32)
"""Bytes that a file may unpack to."""
RATIO: Final = Limit("INEXMETRICS_MAX_RATIO", 100)
"""How many times its own size a file may unpack to, once that is more than `SMALL`; real run files reach 20.

The fastest packing makes one row that is repeated 200 times smaller, the best 500 times.
"""
ERRORS: Final = Limit("INEXMETRICS_MAX_ERRORS", 100_000)
"""Wrong rows after which reading ends."""
SMALL: Final = 1 << 24
"""Bytes that any file may unpack to."""


def check_limits() -> None:
    """Makes sure that every environment variable that sets a limit is valid, whether the limit is reached or not.

    Raises:
        CollectionError: Some are not.
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
    """The bytes that a file of a size may unpack to, and the error where they are more, which says what is expected of them."""
    most, ratio = UNPACKED.value, RATIO.value
    if ratio * packed >= most:
        return most, UNPACKED.passed(f"{what} at most {most} bytes", "more", file)
    expected = f"{what} at most {ratio} times the file's size, which is {packed} bytes"
    return min(most, max(SMALL, ratio * packed)), RATIO.passed(expected, "more", file)


def check_lines(raw: bytes, file: str) -> None:
    """Makes sure that no line of a text is too long.

    Raises:
        CollectionError: One is; the error says which.
    """
    most = LINE.value
    start = 0
    while len(raw) - start > most:
        # Looked for backwards, the last end of a line within reach is found at once, and most lines are passed over.
        end = raw.rfind(b"\n", start, start + most + 1)
        if end < 0:
            line = raw.count(b"\n", 0, start) + 1
            raise LINE.passed(f"lines of at most {most} bytes", "a longer one", file, line)
        start = end + 1
