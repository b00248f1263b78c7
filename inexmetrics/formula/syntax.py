"""Syntax of the formula language: tokens, operators, and the nodes of parsed formulas.

The span of a node, which is its position in the source, is used in error messages and ignored when nodes are compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias

from inexmetrics.common.messages import shortened

__all__ = ["PRECEDENCE", "Argument", "Call", "Literal", "Node", "Operation", "Several", "Span", "Token", "TokenKind", "Word"]

Span: TypeAlias = tuple[int, int]

PRECEDENCE: Final = {"|": 1, "~": 2, "+": 3, "@": 4}
"""Precedence of each operator. A test or correction follows `|`, quantisations follow `~`, a further term follows `+`, and a cutoff follows
`@`."""


class TokenKind(Enum):
    """Kinds of tokens; the values are their names in error messages."""

    WORD = "a word"
    NUMBER = "a number"
    TEXT = "a text in quotes"
    MARK = "a mark"
    END = "the end of the formula"


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a formula, with its position."""

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
    """A name of a term, or `True` or `False`."""

    text: str
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, or a text in quotes."""

    value: int | float | str
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Several:
    """A tuple: values in parentheses, separated by commas."""

    items: tuple[Node, ...]
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator with two or more operands."""

    operator: str
    operands: tuple[Node, ...]
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a call, given by position or by name."""

    name: str | None
    value: Node
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A call: a name with arguments in parentheses."""

    word: Word
    arguments: tuple[Argument, ...]
    span: Span = field(compare=False)


Node: TypeAlias = Word | Literal | Several | Operation | Call
