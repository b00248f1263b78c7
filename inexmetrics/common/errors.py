"""Errors about formulas, and errors and warnings about data."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from inexmetrics.common.frozen import Frozen
from inexmetrics.common.messages import LONGEST_NAME, and_more, printable, shortened

__all__ = ["CollectionError", "CollectionWarning", "FormulaError", "Problem", "emit_warnings", "summaries"]

PACKAGE: Final = __name__.partition(".")[0]
SHOWN_PROBLEMS: Final = 20
SHOWN_OF_A_KIND: Final = 3
"""Maximum number of problems of one kind that are reported separately. If there are more problems of one kind than this, they are combined
into one message that quotes this many examples."""
SHOWN_WIDTH: Final = 100
"""Maximum number of characters of a formula's line that an error message shows."""
LONGEST_MESSAGE: Final = 500
"""Maximum number of characters in the first line of a formula error. The line is limited because the error may quote a formula of any
length."""
LONGEST_HINT: Final = 250


class FormulaError(ValueError):
    """Invalid formula, or invalid term built in Python.

    The message says what was expected and what was found. For a formula, the message also marks the position of the error with carets. If a
    hint is available, the message contains the hint.

    Attributes:
        message: Error message without the source and the hint; begins with a lower-case letter.
        source: Text of the formula; None for a term built in Python.
        start: Offset of the first wrong character in the source.
        end: Offset just past the last wrong character in the source.
        hint: Suggestion of the intended text, or None.

    Examples:
        >>> from inexmetrics import parse
        >>> try:
        ...     parse("ranks(MPA)")
        ... except FormulaError as error:
        ...     print(error)
        unknown word 'MPA'
            ranks(MPA)
                  ^^^
          hint: did you mean MAP?
    """

    message: str
    source: str | None
    start: int
    end: int
    hint: str | None

    def __init__(self, message: str, source: str | None = None, start: int = 0, end: int = 0, hint: str | None = None) -> None:
        self.message = message
        self.source = source
        self.start = start
        self.end = max(end, start + 1)
        self.hint = hint
        super().__init__(message, source, start, end, hint)

    def __str__(self) -> str:
        lines = [_truncate(printable(self.message), LONGEST_MESSAGE)]
        if self.source is not None:
            # Show the line of the source that contains the error, shortened to a readable width, with carets below the error.
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
            shown = "".join(character if character.isprintable() else " " for character in line)
            lines += [f"    {text}" for text in (shown, " " * column + "^" * width)]
        if self.hint is not None:
            lines.append(f"  hint: {_truncate(printable(self.hint), LONGEST_HINT)}")
        return "\n".join(lines)


def _truncate(text: str, most: int) -> str:
    """Shortens a text to at most `most` characters, with an ellipsis in the middle."""
    half = (most - 3) // 2
    return text if len(text) <= most else f"{text[:half]}...{text[-half:]}"


@dataclass(frozen=True, slots=True)
class Problem(Frozen):
    """A problem found in a file or frame, with its position.

    Attributes:
        message: Text that says what was expected and what was found.
        file: Name of the file; None if the problem was found in a frame or concerns the whole collection.
        line: Line number in the file, from 1.
        topic_id: Topic that the problem concerns, or None.
        severity: ``"error"`` if the problem stops the evaluation, otherwise ``"warning"``.
        kind: Text of the combined message about many problems of this kind, in which ``{count}`` is replaced by their number. If None, the
            kind is the part of `message` from "expected" to "found".
        detail: Text that the combined message shows after the position of this problem.

    Examples:
        >>> print(Problem("score: expected a finite number, found 'high'", "a.run", line=2, topic_id="301"))
        a.run:2: topic 301: score: expected a finite number, found 'high'
    """

    message: str
    file: str | None = None
    line: int | None = None
    topic_id: str | None = None
    severity: Literal["error", "warning"] = "error"
    kind: str | None = None
    detail: str | None = None

    def __post_init__(self) -> None:
        # Names of runs, topics and documents are part of messages. A line break in a name must not begin a line of a log.
        for name in ("message", "kind", "detail"):
            if (text := getattr(self, name)) is not None:
                object.__setattr__(self, name, printable(text))

    def prefixed(self, words: str, severity: Literal["error", "warning"]) -> Problem:
        """Returns a copy of the problem with `words` before its message, and with the given severity."""
        kind = None if self.kind is None else f"{words}: {self.kind}"
        return Problem(f"{words}: {self.message}", self.file, self.line, self.topic_id, severity, kind, self.detail)

    def __str__(self) -> str:
        return ": ".join([*_place(self), self.message])


def _place(problem: Problem) -> list[str]:
    """Returns the file (with the line) and the topic of a problem; omits unknown parts."""
    place = [] if problem.file is None else [problem.file if problem.line is None else f"{problem.file}:{problem.line}"]
    return [
        printable(part) for part in (place if problem.topic_id is None else [*place, f"topic {shortened(problem.topic_id, LONGEST_NAME)}"])
    ]


_EXPECTATION = re.compile(r"(?P<lead>(?:dropped|skipped): )?(?P<where>.*?: )??(?P<expected>expected .*?), found (?P<found>.*)", re.DOTALL)
_FOUND = re.compile(r"(?P<found>(?:'[^']*'|\"[^\"]*\"|[^;])*)(?:; (?P<advice>.*))?", re.DOTALL)
_PARTICULAR = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")


def summaries(problems: Iterable[Problem | str]) -> tuple[str, ...]:
    """Returns the messages of problems in order. More than three problems of one kind are combined into one message with three examples.

    Problems with the same `kind` are treated as one kind. If `kind` is None, the part of the message from the word "expected" to the word
    "found" determines the kind. Numbers and quoted names in this part are ignored. Two or three problems of one kind are combined if their
    messages end with the same advice, which is the part after a semicolon.

    Examples:
        >>> rows = [
        ...     Problem(f"expected a number, found '{text}'", file="a.run", line=line)
        ...     for line, text in enumerate("xyxz", start=1)
        ... ]
        >>> summaries(rows[:2])
        ("a.run:1: expected a number, found 'x'", "a.run:2: expected a number, found 'y'")
        >>> print(*summaries(rows))
        in 4 places: expected a number, found 'x' (a.run:1), 'y' (a.run:2), 'x' (a.run:3) and 1 more
        >>> rows = [
        ...     Problem(f"expected a number, found '{text}'; write 0", line=1, file=text) for text in "xy"
        ... ]
        >>> print(*summaries(rows))
        in 2 places: expected a number, found 'x' (x:1), 'y' (y:1); write 0
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
            texts.append(printable(str(problem)))
        elif problem is several[0]:
            texts.append(_summarise(several))
    return tuple(texts)


def _kind(problem: Problem) -> tuple[str, str]:
    """Returns the severity and the kind of a problem. Problems that agree in severity and kind may be combined into one message."""
    return problem.severity, problem.kind or _PARTICULAR.sub("…", _split(problem).expected)


class _Parts(NamedTuple):
    """The parts of a problem's message: expectation, found text, advice and position."""

    expected: str
    found: str
    advice: str
    place: str


def _split(problem: Problem) -> _Parts:
    """Splits the message of a problem into expectation, found text, advice and position."""
    parts = _EXPECTATION.fullmatch(problem.message)
    if parts is None:
        return _Parts(problem.message, "", "", ": ".join(_place(problem)))
    where, found = parts["where"] or "", _FOUND.fullmatch(parts["found"])
    place = ": ".join([*_place(problem), *([where[:-2]] if where else [])])
    expected = (parts["lead"] or "") + parts["expected"]
    return _Parts(expected, parts["found"], "", place) if found is None else _Parts(expected, found["found"], found["advice"] or "", place)


def _share_advice(problems: Sequence[Problem]) -> bool:
    """Returns whether the messages of several problems of one kind end with the same advice."""
    advice = {_split(problem).advice for problem in problems}
    return len(problems) > 1 and problems[0].kind is None and len(advice) == 1 and advice != {""}


def _summarise(problems: Sequence[Problem]) -> str:
    """Returns the combined message about several problems of one kind."""
    count, kind = len(problems), problems[0].kind
    if kind is not None:
        examples = [": ".join([*_place(problem), *filter(None, [problem.detail])]) for problem in problems[:SHOWN_OF_A_KIND]]
        return f"{kind.replace('{count}', str(count))} ({and_more(examples, count, '; ')})"
    parts = [*map(_split, problems)]
    expected = parts[0].expected if len({part.expected for part in parts}) == 1 else _kind(problems[0])[1]
    if not any(part.found for part in parts) and expected != parts[0].expected:  # only the messages say what differs
        split = [part.expected.partition("; ") for part in parts]
        same_way = len({way for *_, way in split}) == 1
        texts = [text for text, *_ in split] if same_way else [part.expected for part in parts]
        way = "".join(split[0][1:]) if same_way else ""
        examples = [f"{text} ({part.place})" if part.place else text for text, part in zip(texts, parts, strict=True)]
        return f"in {count} places: {and_more(examples[:SHOWN_OF_A_KIND], count)}{way}"
    advice = f"; {parts[0].advice}" if _share_advice(problems) else ""
    finds = [part.found if advice or not part.advice else f"{part.found}; {part.advice}" for part in parts]
    places = [part.place for part in parts]
    if len(set(finds)) > 1:
        examples = [f"{found} ({place})" if place else found for found, place in zip(finds, places, strict=True)]
        return f"in {count} places: {expected}, found {and_more(examples[:SHOWN_OF_A_KIND], count)}{advice}"
    found = f", found {finds[0]}" if finds[0] else ""
    where = f" ({and_more(places[:SHOWN_OF_A_KIND], count)})" if any(places) else ""
    return f"in {count} places: {expected}{found}{where}{advice}"


class CollectionError(ValueError):
    """Error about invalid assessments, runs, structures or scores, or about data that an experiment cannot use.

    Attributes:
        problems: All problems found, with their file, line and topic if known.

    Examples:
        >>> from inexmetrics import from_frames
        >>> try:
        ...     from_frames({"1": {"a": "much"}})
        ... except CollectionError as error:
        ...     print(error)
        assessments: row 0: grade: expected a finite number, found "much"
    """

    problems: tuple[Problem, ...]

    def __init__(
        self, problems: str | Problem | Iterable[Problem], *, file: str | None = None, line: int | None = None, topic_id: str | None = None
    ) -> None:
        if isinstance(problems, str):
            problems = (Problem(problems, file, line, topic_id),)
        elif isinstance(problems, Problem):
            problems = (problems,)
        self.problems = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        texts = summaries(self.problems)
        hidden = len(texts) - SHOWN_PROBLEMS
        return "\n".join([*texts[:SHOWN_PROBLEMS], *([f"... and {hidden} more"] if hidden > 0 else [])])


class OptionError(CollectionError):
    """Error about an argument that is wrong whatever the data are, such as an unknown name in ``columns``."""


class CollectionWarning(UserWarning):
    """Warning about a problem in the data. The evaluation continues despite the problem. The message says how often the problem occurs.

    Examples:
        >>> import warnings
        >>> from inexmetrics import from_frames
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always", CollectionWarning)
        ...     collection = from_frames({"1": {"a": 1}}, {"1": {"a": 2.0}, "2": {"a": 1.0}})
        >>> print(caught[0].message)
        1 topic of the runs has no assessments and is ignored, with 1 result (2)
    """


def emit_warnings(found: Iterable[Problem | str], known: Iterable[Problem | str] = ()) -> None:
    """Emits each warning as a `CollectionWarning` that points to the line of the user's code that called the package.

    Only public functions that users call emit warnings; internal functions return warnings together with their result.

    Args:
        found: Warnings to emit.
        known: Warnings that were emitted when the data were read, and are therefore not emitted again.
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
