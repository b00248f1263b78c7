"""Formulas as MathML, from the plain text that docstrings have them in.

A formula is written as it reads in a terminal: ``nDCG@k = (sum_(i=1)^k g_i / log_2(i + 1)) / I_k``. What stands side by
side is multiplied before it is divided, but a text ends what is divided by; ``sum``, ``prod``, ``max`` and ``min`` take all that follows them; words in double quotes are
text. Browsers show MathML by themselves, without a script and without a network.
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
GREEK: Final = {"alpha": "α", "beta": "β", "kappa": "κ", "lambda": "λ", "rho": "ρ", "tau": "τ", "theta": "θ", "Phi": "Φ"}
PRIME: Final = "'"
BIG: Final = {"sum": "∑", "prod": "∏", "max": "max", "min": "min"}
"""Operators that have bounds below and above, and take what follows them."""
SUMS: Final = frozenset(("sum", "prod"))
TIGHT: Final = '<mo lspace="0em" rspace="0em" stretchy="false">'
"""A sign without space around it, as brackets are."""
BRACKETS: Final = tuple(f"<mrow>{TIGHT}{bracket}" for bracket in "([{")
SPACE: Final = '<mspace width="0.17em"/>'
CLOSING: Final = {"(": ")", "[": "]", "{": "}"}
KNOWN: Final = frozenset((*BIG, "sqrt", "log", "floor", "in", "e"))
"""Names that no formula has to explain."""


class FormulaSyntaxError(ValueError):
    """A formula that cannot be read."""


@dataclass(frozen=True, slots=True)
class Token:
    """A sign of a formula: its kind and its text."""

    kind: str
    text: str


def mathml(formula: str, *, display: bool = False) -> str:
    """The formula as one ``<math>`` element, alone on its line or within a sentence."""
    reader = Reader(formula)
    body = reader.row(())
    if reader.token is not None:
        raise FormulaSyntaxError(f"{formula!r}: expected the end, found {reader.token.text!r}")
    attribute = ' display="block"' if display else ""
    return f"<math{attribute}>{body}</math>"


def symbols(formula: str) -> frozenset[str]:
    """The names in a formula that a reader must be told the meaning of."""
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
    """Reads a formula from left to right: rows of signs and fractions, of products, of names with marks."""

    def __init__(self, formula: str) -> None:
        self.formula = formula
        self.tokens = list(_tokens(formula))
        self.place = 0

    @property
    def token(self) -> Token | None:
        """What comes next."""
        return self.tokens[self.place] if self.place < len(self.tokens) else None

    def take(self) -> Token:
        """Goes on behind what comes next."""
        token = self.token
        if token is None:
            raise FormulaSyntaxError(f"{self.formula!r}: expected more, found the end")
        self.place += 1
        return token

    def comes(self, *texts: str) -> bool:
        """Whether one of these comes next."""
        return self.token is not None and self.token.kind in {"mark", "sign"} and self.token.text in texts

    def row(self, ends: tuple[str, ...]) -> str:
        """Fractions and products with signs between them, up to one of the ends."""
        parts = []
        while self.token is not None and not self.comes(*ends):
            if self.token.kind == "sign":
                sign = self.take().text
                parts.append(f"{TIGHT if sign in '@|#' else '<mo>'}{escape(SIGNS.get(sign, sign))}</mo>")
            else:
                parts.append(self.quotient())
        return _row(parts)

    def quotient(self) -> str:
        """A product, or one over another."""
        above = self.product()
        while self.comes("/"):
            self.take()
            above = f"<mfrac>{_bare(above)}{_bare(self.product(below=True))}</mfrac>"
        return above

    def product(self, *, below: bool = False) -> str:
        """What stands side by side; below a fraction's line up to a text, which says when the fraction holds."""
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
        """A sum, or an extreme, with its bounds, and what it is taken of."""
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
        """Whether bounds follow the name that comes next: `max_(r) P`, and not `max(a, b)`."""
        return self.place + 1 < len(self.tokens) and self.tokens[self.place + 1].text in {"_", "^"}

    def bounds(self) -> tuple[str | None, str | None]:
        """What is set below and above: ``_(...)^(...)``."""
        found: dict[str, str] = {}
        while self.comes("_", "^"):
            place = self.take().text
            found[place] = _bare(self.single())
        return found.get("_"), found.get("^")

    def marked(self) -> str:
        """A name, a number or a group, with what is set below and above it."""
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
        """A name, a number, a text, a root or a group."""
        token = self.take()
        if token.kind == "number":
            return f"<mn>{token.text}</mn>"
        if token.kind == "text":
            return f"<mtext>\N{NO-BREAK SPACE}{escape(token.text)}\N{NO-BREAK SPACE}</mtext>"
        if token.kind == "name" and token.text == "sqrt":
            return f"<msqrt>{_bare(self.single())}</msqrt>"
        if token.kind == "name":
            name = token.text.removesuffix(PRIME)
            plain = f"<mi>{GREEK.get(name, name)}</mi>"
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
    """A group without its brackets, which a fraction, a root or a bound has no need of."""
    opening, closing = f"<mrow>{TIGHT}(</mo>", f"{TIGHT})</mo></mrow>"
    if not (part.startswith(opening) and _last(part) == part):
        return part
    return f"<mrow>{part.removeprefix(opening).removesuffix(closing)}</mrow>"


def _last(part: str) -> str:
    """The last element of a row: all of it where it is a single one."""
    depth = 0
    for found in reversed(list(re.finditer(r"<(/?)\w+[^>]*?(/?)>", part))):
        depth += 0 if found[2] else 1 if found[1] else -1
        if depth == 0:
            return part[found.start() :]
    return part
