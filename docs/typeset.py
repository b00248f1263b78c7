"""Typesets the plain-text formulas of docstrings as MathML.

A formula is written as in a terminal: ``nDCG@k = (sum_(i=1)^k g_i / log_2(i + 1)) / I_k``. Adjacent factors are
multiplied before a division, but a text ends the divisor; ``sum``, ``prod``, ``max`` and ``min`` apply to everything that follows them; words in double quotes are
text, ``infinity`` is ∞. Every other name needs an entry under ``where``, except names of functions. Browsers show MathML without a script and without a network.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Final

__all__ = ["FormulaSyntaxError", "mathml", "symbols"]

TOKEN: Final = re.compile(
    r"""\s*(?:(?P<number>\d+(?:\.\d+)?|\.\d+)|"(?P<text>[^"]*)"|(?P<sign>in\b|\.\.\.|<=|>=|!=|~>|-\+|[-+*/=<>,;:|@#∩∪·≈])"""
    r"""|(?P<name>[^\W\d_][^\W_]*'?)|(?P<mark>[()\[\]{}^_]))"""
)
SIGNS: Final = {"*": "·", "<=": "≤", ">=": "≥", "!=": "≠", "~>": "⇝", "-+": "±", "...": "…", "-": "−", "in": "∈"}
SYMBOLS: Final = {
    "alpha": "α",
    "beta": "β",
    "kappa": "κ",
    "lambda": "λ",
    "mu": "μ",
    "pi": "π",
    "rho": "ρ",
    "tau": "τ",
    "theta": "θ",
    "Phi": "Φ",
    "infinity": "∞",
}
PRIME: Final = "'"
BIG: Final = {"sum": "∑", "prod": "∏", "max": "max", "min": "min"}
"""Operators with bounds below and above, which apply to everything that follows them."""
SUMS: Final = frozenset(("sum", "prod"))
TIGHT: Final = '<mo lspace="0em" rspace="0em" stretchy="false">'
"""Attributes of a sign without space around it, such as brackets."""
BRACKETS: Final = tuple(f"<mrow>{TIGHT}{bracket}" for bracket in "([{")
SPACE: Final = '<mspace width="0.17em"/>'
CLOSING: Final = {"(": ")", "[": "]", "{": "}"}
KNOWN: Final = frozenset((*BIG, "sqrt", "log", "floor", "in", "e", "infinity"))
"""Names that formulas need not explain."""


class FormulaSyntaxError(ValueError):
    """A formula with a syntax error."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a formula: its kind and its text."""

    kind: str
    text: str


def mathml(formula: str, *, display: bool = False) -> str:
    """Returns the formula as one ``<math>`` element, as a block or within a sentence."""
    reader = Reader(formula)
    body = reader.row(())
    if reader.token is not None:
        raise FormulaSyntaxError(f"{formula!r}: expected the end, found {reader.token.text!r}")
    attribute = ' display="block"' if display else ""
    return f"<math{attribute}>{body}</math>"


def symbols(formula: str) -> frozenset[str]:
    """Returns the names in a formula that must be explained."""
    return frozenset(token.text for token in _tokens(formula) if token.kind == "name") - KNOWN


def _tokens(formula: str) -> Iterator[Token]:
    place = 0
    while place < len(formula.rstrip()):
        found = TOKEN.match(formula, place)
        if found is None or found.lastgroup is None:
            raise FormulaSyntaxError(f"{formula!r}: {formula[place:]!r} is no part of a formula")
        yield Token(found.lastgroup, found[found.lastgroup])
        place = found.end()


class Reader:
    """Parses a formula from left to right: rows of signs and fractions, products, names with subscripts and superscripts."""

    def __init__(self, formula: str) -> None:
        self.formula = formula
        self.tokens = list(_tokens(formula))
        self.place = 0

    @property
    def token(self) -> Token | None:
        """The next token."""
        return self.tokens[self.place] if self.place < len(self.tokens) else None

    def take(self) -> Token:
        """Moves to the token after the next token."""
        token = self.token
        if token is None:
            raise FormulaSyntaxError(f"{self.formula!r}: expected more, found the end")
        self.place += 1
        return token

    def comes(self, *texts: str) -> bool:
        """Returns whether the next token is one of these."""
        return self.token is not None and self.token.kind in {"mark", "sign"} and self.token.text in texts

    def row(self, ends: tuple[str, ...]) -> str:
        """Returns fractions and products with signs between them, up to one of the end tokens."""
        parts = []
        while self.token is not None and not self.comes(*ends):
            if self.token.kind == "sign":
                sign = self.take().text
                parts.append(f"{TIGHT if sign in '@|#' else '<mo>'}{escape(SIGNS.get(sign, sign))}</mo>")
            else:
                parts.append(self.quotient())
        return _row(parts)

    def quotient(self) -> str:
        """Returns a product, or a fraction of two products."""
        above = self.product()
        while self.comes("/"):
            self.take()
            above = f"<mfrac>{_bare(above)}{_bare(self.product(below=True))}</mfrac>"
        return above

    def product(self, *, below: bool = False) -> str:
        """Returns adjacent factors; in a denominator, up to a text that gives the condition of the fraction."""
        parts: list[str] = []
        while self.token is not None and (self.token.kind != "sign") and not self.comes(")", "]", "}"):
            token = self.token
            if below and parts and token.kind == "text":
                break
            if token.kind == "name" and token.text in BIG and (token.text in SUMS or self.bounded()):
                parts.append(self.big())
                break
            parts.append(self.marked())
        if not parts:
            raise FormulaSyntaxError(f"{self.formula!r}: expected a name or a number at sign {self.place + 1}")
        return _row([part if place == 0 or part.startswith(BRACKETS) else SPACE + part for place, part in enumerate(parts)])

    def big(self) -> str:
        """Returns a sum, product or extreme, with its bounds and its argument."""
        name = self.take().text
        below, above = self.bounds()
        operator = f"<mo>{BIG[name]}</mo>" if name in SUMS else f"<mi>{name}</mi>"
        match below, above:
            case None, None:
                head = operator
            case str(), None:
                head = f"<munder>{operator}{below}</munder>"
            case _:
                head = f"<munderover>{operator}{below or '<mrow/>'}{above}</munderover>"
        return _row([head, self.quotient()])

    def bounded(self) -> bool:
        """Returns whether bounds follow the next name: true for `max_(r) P`, false for `max(a, b)`."""
        return self.place + 1 < len(self.tokens) and self.tokens[self.place + 1].text in {"_", "^"}

    def bounds(self) -> tuple[str | None, str | None]:
        """Returns the lower and the upper bound: ``_(...)^(...)``."""
        found: dict[str, str] = {}
        while self.comes("_", "^"):
            place = self.take().text
            found[place] = _bare(self.single())
        return found.get("_"), found.get("^")

    def marked(self) -> str:
        """Returns a name, a number or a group, with its subscript and superscript."""
        base = self.single()
        match self.bounds():
            case None, None:
                return base
            case str(below), None:
                return f"<msub>{base}{below}</msub>"
            case None, above:
                return f"<msup>{base}{above}</msup>"
            case below, above:
                return f"<msubsup>{base}{below}{above}</msubsup>"

    def single(self) -> str:
        """Returns a name, a number, a text, a root or a group."""
        token = self.take()
        if token.kind == "number":
            return f"<mn>{token.text}</mn>"
        if token.kind == "text":
            return f"<mtext>\N{NO-BREAK SPACE}{escape(token.text)}\N{NO-BREAK SPACE}</mtext>"
        if token.kind == "name" and token.text == "sqrt":
            return f"<msqrt>{_bare(self.single())}</msqrt>"
        if token.kind == "name":
            name = token.text.removesuffix(PRIME)
            plain = f"<mi>{SYMBOLS.get(name, name)}</mi>"
            return plain if name == token.text else f"<msup>{plain}<mo>′</mo></msup>"
        if token.text in CLOSING:
            closing = CLOSING[token.text]
            inner = self.row((closing,))
            if not self.comes(closing):
                raise FormulaSyntaxError(f"{self.formula!r}: expected {closing!r}")
            self.take()
            if token.text == "(" and inner.startswith("<mfrac>") and inner == _last(inner):
                return inner
            return f"<mrow>{TIGHT}{token.text}</mo>{inner}{TIGHT}{closing}</mo></mrow>"
        raise FormulaSyntaxError(f"{self.formula!r}: expected a name or a number, found {token.text!r}")


def _row(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"


def _bare(part: str) -> str:
    """Returns a group without its brackets, which a fraction, a root or a bound does not need."""
    opening, closing = f"<mrow>{TIGHT}(</mo>", f"{TIGHT})</mo></mrow>"
    if not (part.startswith(opening) and _last(part) == part):
        return part
    return f"<mrow>{part.removeprefix(opening).removesuffix(closing)}</mrow>"


def _last(part: str) -> str:
    """Returns the last element of a row; the row itself if it is a single element."""
    depth = 0
    for found in reversed(list(re.finditer(r"<(/?)\w+[^>]*?(/?)>", part))):
        depth += 0 if found[2] else 1 if found[1] else -1
        if depth == 0:
            return part[found.start() :]
    return part
