"""Errors of formulas, and errors and warnings of data."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from inexmetrics.common.frozen import Frozen
from inexmetrics.common.messages import and_more

__all__ = ["CollectionError", "CollectionWarning", "FormulaError", "Problem", "emit_warnings", "summaries"]

PACKAGE: Final = __name__.partition(".")[0]
SHOWN_PROBLEMS: Final = 20
SHOWN_OF_A_KIND: Final = 3
"""The largest number of problems of one kind that have separate messages, and the number of examples for more."""
SHOWN_WIDTH: Final = 100
"""The number of columns of a formula shown in its error."""
LONGEST_MESSAGE: Final = 500
"""The number of characters of a formula's error that are shown; the formula may have any length."""
LONGEST_HINT: Final = 250


class FormulaError(ValueError):
    """An invalid formula, or an invalid term built in Python.

    The message states the expected and the found input. A formula's error also shows the position in the source, with
    a caret, and a hint if one is likely to help.

    Attributes:
        message: The error, in lower case and without the source.
        source: The formula, or None for a term built in Python.
        start: Offset of the first wrong character in the source.
        end: Offset after the last wrong character in the source.
        hint: The probable intention, or None.
    """

    def __init__(self, message: str, source: str | None = None, start: int = 0, end: int = 0, hint: str | None = None) -> None:
        self.message = message
        self.source = source
        self.start = start
        self.end = max(end, start + 1)
        self.hint = hint
        super().__init__(message, source, start, end, hint)

    def __str__(self) -> str:
        lines = [_cut(self.message, LONGEST_MESSAGE)]
        if self.source is not None:
            # the line of the source with the error, cut to a readable width, and carets below its wrong characters
            first = self.source.rfind("\n", 0, self.start) + 1
            last = self.source.find("\n", self.start)
            line = self.source[first:] if last < 0 else self.source[first:last]
            column = self.start - first
            width = max(1, min(self.end - self.start, len(line) - column))
            if len(line) > SHOWN_WIDTH:
                left = max(0, min(column - SHOWN_WIDTH // 2, len(line) - SHOWN_WIDTH))
                line = line[left : left + SHOWN_WIDTH]
                column -= left
                width = max(1, min(width, len(line) - column))
            printable = "".join(character if character.isprintable() else " " for character in line)
            lines += [f"    {text}" for text in (printable, " " * column + "^" * width)]
        if self.hint is not None:
            lines.append(f"  hint: {_cut(self.hint, LONGEST_HINT)}")
        return "\n".join(lines)


def _cut(text: str, most: int) -> str:
    """Returns a text with at most a number of characters, with an ellipsis in its middle if it is longer."""
    half = (most - 3) // 2
    return text if len(text) <= most else f"{text[:half]}...{text[-half:]}"


@dataclass(frozen=True, slots=True)
class Problem(Frozen):
    """A defect of a file (or frame): its position and the expectation.

    Attributes:
        message: The expected and the found input.
        file: The file's name, or None for frames and for problems of the whole collection.
        line: Line number in the file, from 1.
        topic_id: The topic concerned.
        severity: ``"error"`` stops the evaluation; ``"warning"`` does not.
        kind: The message for many problems of this kind, with ``{count}`` for their number; None if the kind follows from
            the expectation.
        detail: The example of this problem in the joint message, in addition to its position.
    """

    message: str
    file: str | None = None
    line: int | None = None
    topic_id: str | None = None
    severity: Literal["error", "warning"] = "error"
    kind: str | None = None
    detail: str | None = None

    def prefixed(self, words: str, severity: Literal["error", "warning"]) -> Problem:
        """Returns the problem with a prefix to its message."""
        kind = None if self.kind is None else f"{words}: {self.kind}"
        return Problem(f"{words}: {self.message}", self.file, self.line, self.topic_id, severity, kind, self.detail)

    def __str__(self) -> str:
        return ": ".join([*_place(self), self.message])


def _place(problem: Problem) -> list[str]:
    """Formats a problem's file and line, and its topic, as far as known."""
    place = [] if problem.file is None else [problem.file if problem.line is None else f"{problem.file}:{problem.line}"]
    return place if problem.topic_id is None else [*place, f"topic {problem.topic_id}"]


_EXPECTATION = re.compile(r"(?P<lead>dropped: )?(?P<where>.*?: )??(?P<expected>expected .*?), found (?P<found>.*)", re.DOTALL)
_FOUND = re.compile(r"(?P<found>(?:'[^']*'|\"[^\"]*\"|[^;])*)(?:; (?P<advice>.*))?", re.DOTALL)
_PARTICULAR = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")


def summaries(problems: Iterable[Problem | str]) -> tuple[str, ...]:
    """Returns the messages of problems in order; more than three of one kind become one message, with their number and three examples.

    Problems have the same kind if their `kind` is equal, or without one if their expectations are equal apart from numbers and quoted names. Two or
    three problems with the same advice after their semicolon are one message, too.

    Examples:
        >>> rows = [
        ...     Problem(f"expected a number, found '{text}'", file="a.run", line=line)
        ...     for line, text in enumerate("xyxz", start=1)
        ... ]
        >>> summaries(rows[:2])
        ("a.run:1: expected a number, found 'x'", "a.run:2: expected a number, found 'y'")
        >>> print(*summaries(rows))
        4 times: expected a number, found 'x' (a.run:1), 'y' (a.run:2), 'x' (a.run:3) and 1 more
        >>> rows = [
        ...     Problem(f"expected a number, found '{text}'; write 0", line=1, file=text) for text in "xy"
        ... ]
        >>> print(*summaries(rows))
        2 times: expected a number, found 'x' (x:1), 'y' (y:1); write 0
    """
    problems = list(problems)
    kinds = [_kind(problem) if isinstance(problem, Problem) else None for problem in problems]
    alike: dict[tuple[str, str] | None, list[Problem]] = {}
    for kind, problem in zip(kinds, problems, strict=True):
        if isinstance(problem, Problem):
            alike.setdefault(kind, []).append(problem)
    texts: list[str] = []
    for kind, problem in zip(kinds, problems, strict=True):
        several = alike.get(kind, [])
        if len(several) <= SHOWN_OF_A_KIND and not _share_advice(several):
            texts.append(str(problem))
        elif problem is several[0]:
            texts.append(_as_one(several))
    return tuple(texts)


def _kind(problem: Problem) -> tuple[str, str]:
    """Returns severity and kind, which problems of one message share."""
    return problem.severity, problem.kind or _PARTICULAR.sub("…", _parted(problem).expected)


class _Parts(NamedTuple):
    """The parts of a problem's message: the expectation, the found text, the advice after it, and the position."""

    expected: str
    found: str
    advice: str
    place: str


def _parted(problem: Problem) -> _Parts:
    """Splits the message of a problem into its parts."""
    parts = _EXPECTATION.fullmatch(problem.message)
    if parts is None:
        return _Parts(problem.message, "", "", ": ".join(_place(problem)))
    where, found = parts["where"] or "", _FOUND.fullmatch(parts["found"])
    place = ": ".join([*_place(problem), *([where[:-2]] if where else [])])
    expected = (parts["lead"] or "") + parts["expected"]
    return _Parts(expected, parts["found"], "", place) if found is None else _Parts(expected, found["found"], found["advice"] or "", place)


def _share_advice(problems: Sequence[Problem]) -> bool:
    """Returns whether several problems of one kind have the same advice."""
    advice = {_parted(problem).advice for problem in problems}
    return len(problems) > 1 and problems[0].kind is None and len(advice) == 1 and advice != {""}


def _as_one(problems: Sequence[Problem]) -> str:
    """Returns the message of many problems of one kind."""
    count, kind = len(problems), problems[0].kind
    if kind is not None:
        examples = [": ".join([*_place(problem), *filter(None, [problem.detail])]) for problem in problems[:SHOWN_OF_A_KIND]]
        return f"{kind.replace('{count}', str(count))} ({and_more(examples, count, '; ')})"
    parts = [*map(_parted, problems)]
    expected = parts[0].expected if len({part.expected for part in parts}) == 1 else _kind(problems[0])[1]
    advice = f"; {parts[0].advice}" if _share_advice(problems) else ""
    finds = [part.found if advice or not part.advice else f"{part.found}; {part.advice}" for part in parts]
    places = [part.place for part in parts]
    if len(set(finds)) > 1:
        examples = [f"{found} ({place})" if place else found for found, place in zip(finds, places, strict=True)]
        return f"{count} times: {expected}, found {and_more(examples[:SHOWN_OF_A_KIND], count)}{advice}"
    found = f", found {finds[0]}" if finds[0] else ""
    where = f" ({and_more(places[:SHOWN_OF_A_KIND], count)})" if any(places) else ""
    return f"{count} times: {expected}{found}{where}{advice}"


class CollectionError(ValueError):
    """Assessments, runs, structures or scores that cannot be evaluated, or cannot answer the experiment.

    Attributes:
        problems: Every defect found, each with its file, line and topic if known.
    """

    def __init__(self, problems: str | Problem | Iterable[Problem]) -> None:
        if isinstance(problems, str):
            problems = (Problem(problems),)
        elif isinstance(problems, Problem):
            problems = (problems,)
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        texts = summaries(self.problems)
        hidden = len(texts) - SHOWN_PROBLEMS
        return "\n".join([*texts[:SHOWN_PROBLEMS], *([f"... and {hidden} more"] if hidden > 0 else [])])


class CollectionWarning(UserWarning):
    """A defect of the data that does not stop the evaluation; the message gives its count."""


def emit_warnings(found: Iterable[Problem | str], known: Iterable[Problem | str] = ()) -> None:
    """Emits each message of warnings as a `CollectionWarning`, at the line that called into the package.

    Only the outermost public functions emit; inner functions return their warnings with their value.

    Args:
        found: The warnings.
        known: Warnings that were emitted before, when the data were read.
    """
    before = set(summaries(known))
    texts = [text for text in summaries(found) if text not in before]
    if not texts:
        return
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE:
        level, frame = level + 1, frame.f_back
    for text in texts:
        warnings.warn(text, CollectionWarning, stacklevel=level)
