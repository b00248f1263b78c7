"""Problems found while data are read: errors in single rows, errors in whole files, and warnings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import plural, shortened
from inexmetrics.reading.limits import ERRORS

__all__ = ["Findings", "contradiction", "in_memory", "key_text", "located", "other_place", "shown"]


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
    """

    files: list[Problem] = field(default_factory=list)
    rows: list[Problem] = field(default_factory=_Rows)
    warnings: list[Problem] = field(default_factory=list)

    def add(self, others: Findings) -> None:
        """Adds all problems of another object."""
        self.files += others.files
        self.rows.extend(others.rows)
        self.warnings += others.warnings

    def in_order(self) -> tuple[Problem, ...]:
        """Returns all errors, then all warnings, each ordered by file and line."""
        return (*_sorted([*self.files, *self.rows]), *_sorted(self.warnings))

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
        column: The column that contradicts the order: rank or score.
        wrong: Number of results whose rank or score is better than that of the preceding result in the ranking.
        results: Number of results of the run.
        order: The column that determined the ranking.
        file: The file of the run; None for a run in memory.
        run_id: The name of the run in the message; None if the file identifies the run.
    """
    run = "" if run_id is None else f"run {run_id}: "
    share = f"{wrong} of {plural(results, 'result')}"
    ranks = f"the {column} of {share} contradicts" if wrong == 1 else f"the {column}s of {share} contradict"
    by = "score, ties by document descending" if order == "score" else order
    return Problem(
        f"{run}{ranks} the ranking, which is by {by}",
        file=file,
        severity="warning",
        kind=f"the {column}s of {{count}} {'runs' if file is None else 'run files'} contradict the ranking, which is by {by}",
        detail=run + share,
    )


def located(place: Mapping[str, object], text: str) -> Problem:
    """Returns an error with the position of a row, printed as *evidence.csv:2: …* or as *evidence.parquet: row 0: …*."""
    topic, line, row = (place.get(name) for name in ("topic_id", "line", "row"))
    counted = f"row {row}: " if line is None and row is not None else ""
    return Problem(
        counted + text,
        file=str(place["file"]),
        line=line if isinstance(line, int) else None,
        topic_id=topic if isinstance(topic, str) else None,
    )


NOUNS: Final[Mapping[str, str]] = {"doc_id": "document", "to_doc_id": "target document"}
"""Nouns that messages use for columns of names; for columns not listed here, the noun is the column's name without ``_id``."""


def key_text(row: Mapping[str, object], keys: Iterable[str]) -> str:
    """Returns the values of a row that identify the row, for messages: *topic 2, document a*."""
    return ", ".join(f"{NOUNS.get(key, key.removesuffix('_id'))} {row[key]}" for key in keys if row[key] is not None)


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
