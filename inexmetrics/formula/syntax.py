"""The formula language's syntax: its tokens, its operators and the nodes of a parsed formula.

A node's span (its position in the source) is used in error messages and ignored in comparisons.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias

from inexmetrics.common.messages import shortened

__all__ = ["PRECEDENCE", "Argument", "Call", "Literal", "Node", "Operation", "Several", "Span", "Token", "TokenKind", "Word"]

Span: TypeAlias = tuple[int, int]

PRECEDENCE: Final = {"|": 1, "~": 2, "+": 3, "@": 4}
"""The precedence of each operator: `|` then, `~` measured by, `+` and also, `@` at cutoff."""


class TokenKind(Enum):
    """Kinds of tokens, with their names in error messages."""

    WORD = "a word"
    NUMBER = "a number"
    TEXT = "a text in quotes"
    MARK = "a mark"
    END = "the end of the formula"


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a formula and its position."""

    kind: TokenKind
    text: str
    start: int
    end: int

    @property
    def span(self) -> Span:
        return self.start, self.end

    def __str__(self) -> str:
        shown = shortened(self.text, 40)
        return self.kind.value if self.kind is TokenKind.END else shown if self.kind is TokenKind.TEXT else f"'{shown}'"


@dataclass(frozen=True, slots=True)
class Word:
    """A word, or `True` or `False`."""

    text: str
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Literal:
    """A number or a text."""

    value: int | float | str
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Several:
    """Values in parentheses, separated by commas."""

    items: tuple[Node, ...]
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Operation:
    """Two or more operands joined by one operator."""

    operator: str
    operands: tuple[Node, ...]
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a call, by position or by name."""

    name: str | None
    value: Node
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A word with arguments."""

    word: Word
    arguments: tuple[Argument, ...]
    span: Span = field(compare=False)


Node: TypeAlias = Word | Literal | Several | Operation | Call
