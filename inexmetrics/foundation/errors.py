"""What can go wrong: in a formula, or in the data it is asked of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from inexmetrics.foundation.frozen import Frozen

__all__ = ["CollectionError", "CollectionWarning", "FormulaError", "Problem"]

SHOWN_PROBLEMS = 20
SHOWN_WIDTH = 100


class FormulaError(ValueError):
    """A formula, or a term built in Python, that means nothing.

    The message says what was expected and what was found. A formula's error also shows the place in the source, with
    a caret, and a hint where one is likely to help.

    Attributes:
        message: What is wrong, in lower case and without the source.
        source: The formula, or None for a term built in Python.
        start: Offset of the first wrong character in the source.
        end: Offset after the last wrong character in the source.
        hint: What was probably meant, or None.
    """

    def __init__(self, message: str, source: str | None = None, start: int = 0, end: int = 0, hint: str | None = None) -> None:
        self.message = message
        self.source = source
        self.start = start
        self.end = max(end, start + 1)
        self.hint = hint
        super().__init__(message, source, start, end, hint)

    def __str__(self) -> str:
        lines = [self.message]
        if self.source is not None:
            lines += [f"    {text}" for text in _underlined(self.source, self.start, self.end)]
        if self.hint is not None:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


def _underlined(source: str, start: int, end: int) -> tuple[str, str]:
    """The line of the source that holds the error, cut to a readable width, and carets below its wrong characters."""
    first = source.rfind("\n", 0, start) + 1
    last = source.find("\n", start)
    line = source[first:] if last < 0 else source[first:last]
    column = start - first
    width = max(1, min(end - start, len(line) - column))
    if len(line) > SHOWN_WIDTH:
        left = max(0, min(column - SHOWN_WIDTH // 2, len(line) - SHOWN_WIDTH))
        line = line[left : left + SHOWN_WIDTH]
        column -= left
        width = max(1, min(width, len(line) - column))
    printable = "".join(character if character.isprintable() else " " for character in line)
    return printable, " " * column + "^" * width


@dataclass(frozen=True, slots=True)
class Problem(Frozen):
    """One defect of one file (or frame): where it is, and what was expected there.

    Attributes:
        message: What was expected and what was found.
        file: The file's name, or None for frames and for what concerns the whole collection.
        line: Line number in the file, from 1.
        topic_id: The topic concerned.
        severity: ``"error"`` stops the evaluation; ``"warning"`` is only told.
    """

    message: str
    file: str | None = None
    line: int | None = None
    topic_id: str | None = None
    severity: Literal["error", "warning"] = "error"

    def __str__(self) -> str:
        place = "" if self.file is None else f"{self.file}: " if self.line is None else f"{self.file}:{self.line}: "
        topic = "" if self.topic_id is None else f"topic {self.topic_id}: "
        return f"{place}{topic}{self.message}"


class CollectionError(ValueError):
    """Assessments, runs, structures or scores that cannot be evaluated, or cannot answer the experiment asked.

    Attributes:
        problems: Every defect found, each with its file, line and topic where it has them.
    """

    def __init__(self, problems: str | Problem | Iterable[Problem]) -> None:
        if isinstance(problems, str):
            problems = (Problem(problems),)
        elif isinstance(problems, Problem):
            problems = (problems,)
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        shown = [str(problem) for problem in self.problems[:SHOWN_PROBLEMS]]
        hidden = len(self.problems) - len(shown)
        return "\n".join([*shown, f"... and {hidden} more"] if hidden else shown)


class CollectionWarning(UserWarning):
    """Something in the data that does not stop the evaluation, but that its reader should know, with a count."""
