"""Parses the text of a formula into a tree of nodes, without looking up names.

The span of a node, which is its position in the source, is used in error messages and ignored when nodes are compared.

Grammar::

    formula   = operation
    operation = operand { operator operand }        operators by PRECEDENCE, each joining any number of operands
    operand   = word [ "(" [ arguments ] ")" ] | number | text | "(" formula { "," formula } [ "," ] ")"
    arguments = argument { "," argument } [ "," ]
    argument  = [ word "=" ] formula
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias

from inexmetrics.common.errors import FormulaError
from inexmetrics.common.messages import describe, shortened
from inexmetrics.formula.hints import dotted, hyphenated

__all__ = ["PRECEDENCE", "Argument", "Call", "Literal", "Node", "Operation", "Several", "Span", "Word", "items_of", "syntax_of"]

Span: TypeAlias = tuple[int, int]

PRECEDENCE: Final = {"|": 1, "~": 2, "+": 3, "@": 4}
"""Precedence of each operator. A test or correction follows `|`, quantisations follow `~`, a further term follows `+`, and a cutoff follows
`@`."""


class TokenKind(Enum):
    """Kinds of tokens; the values are their names in error messages."""

    WORD = "a word"
    NUMBER = "a number"
    TEXT = "a quoted text"
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
    """A single word of a formula, which is the name of a term, `True` or `False`."""

    text: str
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Literal:
    """A number or a quoted string."""

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
    """A positional or keyword argument of a call."""

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


def items_of(node: Node) -> tuple[Node, ...]:
    """Returns the operands of a sum with `+`, or the values listed in parentheses; any other node is returned as a tuple of length 1."""
    match node:
        case Operation("+", operands):
            return tuple(item for operand in operands for item in items_of(operand))
        case Several(items):
            return items
        case _:
            return (node,)


LONGEST: Final = 100_000
DEEPEST: Final = 60
MOST_DIGITS: Final = 30
LONGEST_WORD: Final = 60
"""Maximum number of characters of a name that a hint quotes if an opening bracket follows the name, as in ``nxCG[25]``."""
TOKEN: Final = re.compile(
    r"""(?P<space>\s+)
      | (?P<WORD>[^\W\d]\w*)
      | (?P<NUMBER>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
      | (?P<TEXT>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
      | (?P<MARK>[()+~|@=,])""",
    re.VERBOSE,
)


def syntax_of(source: str) -> Node:
    """Parses the text of a formula into a tree of nodes.

    Raises:
        FormulaError: The text is not a formula. The message shows the position of the error, and the expected and the found text.
    """
    if not isinstance(source, str):
        raise FormulaError(f"expected the text of a formula, found {describe(source)}")
    if len(source) > LONGEST:
        raise FormulaError(f"expected a formula of at most {LONGEST} characters, found {len(source)}")
    tokens: list[Token] = []
    position = 0
    while position < len(source):
        found = TOKEN.match(source, position)
        if found is None or found.lastgroup is None:
            raise _unknown(source, position)
        if found.lastgroup != "space":
            tokens.append(Token(TokenKind[found.lastgroup], found.group(), position, found.end()))
        position = found.end()
    tokens.append(Token(TokenKind.END, "", len(source), len(source)))
    if len(tokens) == 1:
        raise FormulaError("expected a formula, found nothing", source, 0, 1, hint="try scores(MAP)")
    parser = _Parser(source, tokens)
    node = parser.operation(0)
    if parser.peek().kind is not TokenKind.END:
        raise parser.refusal("an operator or the end of the formula")
    return node


def _unknown(source: str, position: int) -> FormulaError:
    """Returns the error about a character that cannot begin a token."""
    character = source[position]
    if character in "\"'":
        return FormulaError("expected a closing quote, found the end of the line", source, position, position + 1)
    if character in "“”„‟‘’‚‛«»":  # noqa: RUF001
        return FormulaError(
            f"unknown character {character!r}", source, position, position + 1, hint="write straight quotes: \"name\" or 'name'"
        )
    if character == "[":
        cut = re.match(r"\[\s*([0-9.]+)\s*\]", source[position:])
        before = re.search(r"[^\W\d]\w*\s*$", source[max(position - LONGEST_WORD, 0) : position])
        if before:
            hint = f"write {before[0].strip()}@{cut[1]}" if cut else "a cutoff is written with @, as in nxCG@25"
        else:
            hint = "several values are written in parentheses, as in (10, 25), and several measures with +, as in MAP + P@5"
        return FormulaError("unknown character '['", source, position, position + (cut.end() if cut else 1), hint=hint)
    if character in ":-":
        negative = "no parameter takes a negative number" if re.match(r"-\s*[0-9.]", source[position:]) else None
        word = re.search(r"\w*$", source[max(position - LONGEST_WORD, 0) : position])
        if word is not None and word[0]:
            negative = hyphenated(source[position - len(word[0]) : position + LONGEST_WORD]) or negative
        return FormulaError(f"'{character}' is reserved for future use", source, position, position + 1, negative)
    shown = f"'{character}'" if character.isprintable() else f"number {ord(character)}"
    return FormulaError(f"unknown character {shown}", source, position, position + 1)


@dataclass(slots=True)
class _Parser:
    """Parses operands and operators recursively, by the precedence of the operators; `position` is the index of the next token."""

    source: str
    tokens: list[Token]
    position: int = 0
    depth: int = 0

    def peek(self) -> Token:
        return self.tokens[self.position]

    def take(self) -> Token:
        token = self.peek()
        self.position += 1
        return token

    def at(self, *marks: str) -> bool:
        return self.peek().kind is TokenKind.MARK and self.peek().text in marks

    def refusal(self, expected: str, hint: str | None = None) -> FormulaError:
        token = self.peek()
        return FormulaError(f"expected {expected}, found {token}", self.source, token.start, token.end, hint)

    def operation(self, loosest: int) -> Node:
        """Parses operands joined by operators whose precedence is higher than `loosest`."""
        node = self.operand()
        while self.peek().kind is TokenKind.MARK and PRECEDENCE.get(self.peek().text, 0) > loosest:
            operator = self.peek().text
            operands = [node]
            while self.at(operator):
                self.take()
                operands.append(self.operation(PRECEDENCE[operator]))
            if len(operands) > 2 and operator in "~@":
                raise FormulaError(f"expected one '{operator}', found {len(operands) - 1}", self.source, node.span[0], operands[-1].span[1])
            node = Operation(operator, tuple(operands), (node.span[0], operands[-1].span[1]))
        return node

    def operand(self) -> Node:
        token = self.peek()
        if token.kind is TokenKind.WORD:
            self.take()
            word = Word(token.text, token.span)
            return self.call(word) if self.at("(") else word
        if token.kind is TokenKind.NUMBER:
            self.take()
            return Literal(self.number(token), token.span)
        if token.kind is TokenKind.TEXT:
            self.take()
            return Literal(re.sub(r"\\(.)", r"\1", token.text[1:-1]), token.span)
        if self.at("("):
            return self.parenthesised()
        raise self.refusal("a word, a number, a quoted text or '('")

    def number(self, token: Token) -> int | float:
        if token.text.isdigit():
            digits = token.text.lstrip("0")  # Python does not parse integers of thousands of digits, even if all digits are 0
            if len(digits) > MOST_DIGITS:
                raise FormulaError(f"expected a number of at most {MOST_DIGITS} digits, found {len(digits)}", self.source, *token.span)
            return int(digits or "0")
        value = float(token.text)
        if not math.isfinite(value):
            raise FormulaError(f"expected a finite number, found {token}", self.source, *token.span)
        return value

    def deeper(self, opening: Token) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise FormulaError(f"expected at most {DEEPEST} levels of nested parentheses, found more", self.source, *opening.span)

    def close(self, opening: Token) -> Token:
        if self.peek().kind is TokenKind.END:
            raise self.refusal(f"')' for the '(' at character {opening.start + 1}")
        if not self.at(")"):
            raise self.refusal("',' or ')'", self.missing())
        self.depth -= 1
        return self.take()

    def missing(self) -> str | None:
        """Returns a hint if an operator is missing between two tokens, either in a list of measures or in a measure name of trec_eval."""
        before, found = self.tokens[self.position - 1], self.peek()
        if before.end < found.start and found.kind is TokenKind.WORD:
            return "measures are joined by +, as in MAP + P@10, and quantisations come after ~"
        return dotted(before.text, found.text) if found.text.startswith(".") else None

    def parenthesised(self) -> Node:
        opening = self.take()
        self.deeper(opening)
        items = [self.operation(0)]
        commas = 0
        while self.at(","):
            self.take()
            commas += 1
            if not self.at(")"):
                items.append(self.operation(0))
        closing = self.close(opening)
        return Several(tuple(items), (opening.start, closing.end)) if commas else items[0]

    def call(self, word: Word) -> Call:
        opening = self.take()
        self.deeper(opening)
        arguments: list[Argument] = []
        named: set[str] = set()
        while not self.at(")"):
            arguments.append(self.argument(named))
            if not self.at(","):
                break
            self.take()
        closing = self.close(opening)
        return Call(word, tuple(arguments), (word.span[0], closing.end))

    def argument(self, named: set[str]) -> Argument:
        """Parses an argument of a call, and adds its name, if any, to `named`, the names of the earlier arguments."""
        first = self.peek()
        name = None
        if (
            first.kind is TokenKind.WORD
            and self.tokens[self.position + 1].text == "="
            and self.tokens[self.position + 1].kind is TokenKind.MARK
        ):
            name = self.take().text
            self.take()
            if name in named:
                raise FormulaError(f"{shortened(name)}= is written twice", self.source, *first.span)
            named.add(name)
        elif named:
            raise self.refusal("name=value, because an earlier parameter was given by name")
        value = self.operation(0)
        return Argument(name, value, (first.start, value.span[1]))
