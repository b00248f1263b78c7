"""What reading finds wrong: problems of rows, which may be dropped, and problems of files, which may not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import and_more, plural, shortened
from inexmetrics.reading.limits import ERRORS

__all__ = ["Findings", "contradiction", "shown", "standing_again"]


class _Rows(list[Problem]):
    """Errors of rows, of which no more are kept than the limit: a small file may hold a million lines that are wrong alike."""

    def append(self, problem: Problem) -> None:
        """Adds an error.

        Raises:
            CollectionError: There are as many as the limit, whose error comes first.
        """
        most = ERRORS.value
        if len(self) >= most:
            beyond = ERRORS.passed(f"at most {most} wrong rows", "more", problem.file or "", problem.line)
            raise CollectionError([*beyond.problems, *self])
        super().append(problem)

    def extend(self, problems: Iterable[Problem], /) -> None:
        """Adds errors, as `append` does."""
        for problem in problems:
            self.append(problem)


@dataclass(slots=True)
class Findings:
    """Everything found wrong while files are read, so that all of it is reported and not only the first.

    Attributes:
        files: Errors that leave nothing of a file to read.
        rows: Errors of single rows, without which the rest can be read.
        warnings: Warnings.
    """

    files: list[Problem] = field(default_factory=list)
    rows: list[Problem] = field(default_factory=_Rows)
    warnings: list[Problem] = field(default_factory=list)

    def add(self, others: Findings) -> None:
        """Adds what was found elsewhere."""
        self.files += others.files
        self.rows.extend(others.rows)
        self.warnings += others.warnings

    def in_order(self) -> tuple[Problem, ...]:
        """All problems: errors, then warnings; each file's together, by line."""
        return (*_sorted([*self.files, *self.rows]), *_sorted(self.warnings))

    def settled(self, strict: bool) -> tuple[Problem, ...]:
        """The warnings to emit; raises `CollectionError` on an error of a file and, when strict, of a row.

        Args:
            strict: Whether a bad row is an error; otherwise it was dropped, and is one more warning.
        """
        if self.files or (strict and self.rows):
            raise CollectionError(_sorted([*self.files, *self.rows]))
        return _sorted(self.warned)

    @property
    def warned(self) -> list[Problem]:
        """The warnings where wrong rows were dropped, each of which is one."""
        return [*(problem.prefixed("dropped", "warning") for problem in self.rows), *self.warnings]


def contradiction(column: str, wrong: int, results: int, order: str, *, file: str | None = None, run_id: str | None = None) -> Problem:
    """The warning that a column of a run contradicts the order taken.

    Args:
        column: The column, rank or score.
        wrong: How many results it contradicts the order of.
        results: How many results there are.
        order: What the order was taken from.
        file: The run's file; None for a run in memory.
        run_id: The run in memory.
    """
    run = "" if run_id is None else f"run {run_id}: "
    share = f"{wrong} of {plural(results, 'result')}"
    ranks = f"the {column} of {share} contradicts" if wrong == 1 else f"the {column}s of {share} contradict"
    by = "score, ties by document descending" if order == "score" else order
    return Problem(
        f"{run}{ranks} the order taken, which is by {by}",
        file=file,
        severity="warning",
        kind=f"the {column}s of {{count}} {'runs' if file is None else 'run files'} contradict the order taken, which is by {by}",
        detail=run + share,
    )


def standing_again(count: int, places: Sequence[str]) -> Problem:
    """The warning of passages that a list holds more than once: overlapping text, which is for the measures to judge.

    Args:
        count: How many there are.
        places: Where the first of them stand.
    """
    text = f"{plural(count, 'passage', 'stands', 'stand')} again in the same topic ({and_more(places, count)})"
    return Problem(text, severity="warning")


def _sorted(problems: list[Problem]) -> tuple[Problem, ...]:
    """The problems of each file together, in the order the files were first met, by line."""
    met: dict[str | None, int] = {}
    for problem in problems:
        met.setdefault(problem.file, len(met))
    return tuple(sorted(problems, key=lambda problem: (met[problem.file], problem.line or 0)))


def shown(text: str) -> str:
    """A piece of a file as an error message quotes it: in single quotes, printable, not too long."""
    printable = "".join(character if character.isprintable() else " " for character in text)
    return f"'{shortened(printable)}'"
