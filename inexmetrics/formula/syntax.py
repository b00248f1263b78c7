"""Syntax of the formula language: its tokens, its operators, and the nodes of parsed formulas.

The span of a node (its position in the source) is used in error messages and ignored in comparisons.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias

from inexmetrics.common.messages import shortened

__all__ = ["PRECEDENCE", "Argument", "Call", "Literal", "Node", "Operation", "Several", "Span", "Token", "TokenKind", "Word"]

Span: TypeAlias = tuple[int, int]

PRECEDENCE: Final = {"|": 1, "~": 2, "+": 3, "@": 4}
"""Precedence of each operator: `|` precedes tests and corrections, `~` quantisations, `+` further terms, and `@` a cutoff."""


class TokenKind(Enum):
    """Kinds of tokens, with their names in error messages."""

    WORD = "a word"
    NUMBER = "a number"
    TEXT = "a text in quotes"
    MARK = "a mark"
    END = "the end of the formula"


@dataclass(frozen=True, slots=True)
class Token:
    """Token of a formula, with its position."""

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
    """Name of a term, or `True` or `False`."""

    text: str
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Literal:
    """Number, or text in quotes."""

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
    """Argument of a call, given by position or by name."""

    name: str | None
    value: Node
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """Name with arguments in parentheses."""

    word: Word
    arguments: tuple[Argument, ...]
    span: Span = field(compare=False)


Node: TypeAlias = Word | Literal | Several | Operation | Call
