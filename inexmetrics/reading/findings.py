"""Problems found while data are read, and the limits on the size and contents of files.

Each limit can be changed by an environment variable, which applies in Python, on the command line and in worker processes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Final

from inexmetrics.collection.layout import Layout, merged_layouts
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import plural, shortened

__all__ = [
    "DEPTH",
    "ERRORS",
    "LINE",
    "Findings",
    "about",
    "check_limits",
    "check_lines",
    "contradiction",
    "in_memory",
    "key_noun",
    "key_text",
    "located",
    "most_unpacked",
    "other_place",
    "shown",
]


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
        return CollectionError(f"expected {expected}, found {found}; {self.variable} sets another limit", file=file, line=line)


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
    findings = Findings()
    for limit in (DEPTH, LINE, UNPACKED, RATIO, ERRORS):
        with findings:
            _ = limit.value
    findings.settled(strict=True)


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


class _Rows(list[Problem]):
    """A list of errors in rows. The length of the list is limited, because even a small file may contain a million invalid rows."""

    def append(self, problem: Problem) -> None:
        """Adds an error.

        Raises:
            CollectionError: The list of errors is full. The exception contains a problem that states the limit, followed by the errors in
                the list.
        """
        most = ERRORS.value
        if len(self) >= most:
            beyond = ERRORS.passed(f"at most {most} wrong rows", "more", problem.file or "", problem.line)
            raise CollectionError([*beyond.problems, *self])
        super().append(problem)

    def extend(self, problems: Iterable[Problem], /) -> None:
        """Adds several errors; if the list is full, raises the same exception as `append`."""
        for problem in problems:
            self.append(problem)


@dataclass(slots=True)
class Findings:
    """All problems found while files are read, so that a message can report more than the first problem.

    Attributes:
        files: Errors that make a whole file unreadable.
        rows: Errors in single rows; the other rows of the file are readable.
        warnings: Problems that are not errors, such as skipped files in a folder.
        layouts: How the tables were read.
        ties: Warnings about ranks of results with equal scores, which only ``inexmetrics check`` shows.
    """

    files: list[Problem] = field(default_factory=list)
    rows: list[Problem] = field(default_factory=_Rows)
    warnings: list[Problem] = field(default_factory=list)
    layouts: list[Layout] = field(default_factory=list)
    ties: list[Problem] = field(default_factory=list)

    def __enter__(self) -> Findings:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> bool:
        """Adds the problems of a `CollectionError` that ends a block to the errors in whole files."""
        if isinstance(error, CollectionError):
            self.files += error.problems
        return isinstance(error, CollectionError)

    def add(self, others: Findings) -> None:
        """Adds all problems of another object."""
        for name in self.__slots__:
            getattr(self, name).extend(getattr(others, name))

    @property
    def read(self) -> tuple[Layout, ...]:
        """How the tables were read; tables with the same columns are one item."""
        return merged_layouts(self.layouts)

    def in_order(self) -> tuple[Problem, ...]:
        """Returns all errors, then all warnings, each ordered by file and line."""
        return (*_sorted([*self.files, *self.rows]), *_sorted([*self.warnings, *self.ties]))

    def settled(self, strict: bool) -> tuple[Problem, ...]:
        """Returns the warnings to emit; raises `CollectionError` if there are errors in whole files or, with `strict`, in rows.

        Args:
            strict: Whether errors in rows are raised. If `strict` is false, invalid rows are dropped, and their errors are returned as
                warnings.
        """
        if self.files or (strict and self.rows):
            raise CollectionError(_sorted([*self.files, *self.rows]))
        return _sorted([*(problem.prefixed("dropped", "warning") for problem in self.rows), *self.warnings])


def contradiction(column: str, wrong: int, results: int, order: str, *, file: str | None = None, run_id: str | None = None) -> Problem:
    """Returns the warning that the ranks or scores of a run contradict the order of its results.

    Args:
        column: The column that contradicts the order: rank or score; *tied rank* for ranks of results with equal scores.
        wrong: Number of results whose rank or score is better than that of the preceding result in the ranking.
        results: Number of results of the run.
        order: The column that determined the ranking.
        file: The file of the run; None for a run in memory.
        run_id: The name of the run in the message; None if the file identifies the run.
    """
    by = "score, ties by document descending" if order == "score" else order
    tied = column == "tied rank"
    column = "rank" if tied else column
    run = "" if run_id is None else f"run {run_id}: "
    share = f"{wrong} of {plural(results, 'result')}"
    equal = " with equal scores" if tied else ""
    remedy = '; order="rank" (--order rank) follows the ranks' if tied else ""
    ranks = f"the {column} of {share}{equal} contradicts" if wrong == 1 else f"the {column}s of {share}{equal} contradict"
    kind = f"the {column}s of {{count}} {'runs' if file is None else 'run files'} contradict the ranking{equal and ' of equal scores'}, which is by {by}"
    text = f"{run}{ranks} the ranking, which is by {by}{remedy}"
    return Problem(text, file=file, severity="warning", kind=kind + remedy, detail=run + share)


def located(place: Mapping[str, object], text: str) -> Problem:
    """Returns an error with the position of a row, printed as *evidence.csv:2: …* or as *evidence.parquet: row 0: …*."""
    topic, line, row = (place.get(name) for name in ("topic_id", "line", "row"))
    counted = f"row {row}: " if line is None and row is not None else ""
    of_topic = topic if isinstance(topic, str) else None
    return Problem(counted + text, file=str(place["file"]), line=line if isinstance(line, int) else None, topic_id=of_topic)


NOUNS: Final[Mapping[str, str]] = {"doc_id": "document", "to_doc_id": "target document", "element": "path"}
"""Nouns that messages use for columns of names; for columns not listed here, the noun is the column's name without ``_id``."""


def key_noun(column: str) -> str:
    """Returns the noun that messages use for the values of a column."""
    return NOUNS.get(column, column.removesuffix("_id"))


def key_text(row: Mapping[str, object], keys: Iterable[str]) -> str:
    """Returns the values of a row that identify the row, for messages: *topic 2, document a*."""
    return ", ".join(f"{key_noun(key)} {row[key]}" for key in keys if row[key] is not None)


def other_place(row: Mapping[str, object], first: Mapping[str, object]) -> str:
    """Returns a string that gives the position of the first of two equal rows, for an error message about the second row."""
    file, line = first["file"], first["line"]
    if line is None:
        return f" (the first is in {file})" if first["row"] is None else f" (the first is in row {first['row']} of {file})"
    return f" (the first is on line {line})" if file == row["file"] else f" (the first is at {file}:{line})"


def in_memory(problems: Iterable[Problem]) -> list[Problem]:
    """Moves a table's name from the attribute `file` of each problem to the start of the message, because a table in memory has no file."""
    return [
        problem if problem.file is None else replace(problem, message=f"{problem.file}: {problem.message}", file=None, topic_id=None)
        for problem in problems
    ]


@contextmanager
def about(file: str | None) -> Iterator[None]:
    """States the file of the problems of a `CollectionError` that ends a block; None for tables in memory, as `in_memory` does."""
    try:
        yield
    except CollectionError as error:
        problems = error.problems
        raise CollectionError(in_memory(problems) if file is None else [replace(each, file=file) for each in problems]) from None


def _sorted(problems: list[Problem]) -> tuple[Problem, ...]:
    """Returns the problems grouped by file and ordered by line; the files keep the order of their first problems."""
    met: dict[str | None, int] = {}
    for problem in problems:
        met.setdefault(problem.file, len(met))
    return tuple(sorted(problems, key=lambda problem: (met[problem.file], problem.line or 0)))


def shown(text: str) -> str:
    """Quotes text from a file for an error message: in single quotes, without unprintable characters, and shortened if long."""
    printable = "".join(character if character.isprintable() else " " for character in text)
    return f"'{shortened(printable)}'"
