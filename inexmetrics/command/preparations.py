"""Preparations of runs as they are written on the command line: ``group_by_document``, ``keep_first(100)``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, get_args

from inexmetrics.collection.runs import Runs
from inexmetrics.collection.structure import Structure
from inexmetrics.command.requests import UsageError
from inexmetrics.formula.parsing import syntax_of
from inexmetrics.formula.syntax import Argument, Call, Literal, Word
from inexmetrics.foundation.errors import FormulaError
from inexmetrics.foundation.wording import nearest
from inexmetrics.language.kinds import Kind
from inexmetrics.preparing.cutting import COUNT, keep_first
from inexmetrics.preparing.documents import group_by_document
from inexmetrics.preparing.overlap import STRATEGY, Strategy, remove_overlap

__all__ = ["Preparation", "preparation_of"]

Preparation: TypeAlias = Callable[[Runs, Structure | None], Runs]
"""From runs, and the structure of their documents if there is one, to runs."""


def preparation_of(text: str) -> Preparation:
    """The preparation that a text asks for.

    Raises:
        UsageError: It asks for none; the error says what was expected.
    """
    if not text.strip():
        raise UsageError(f"--prepare: expected {_listed()}, found nothing")
    try:
        node = syntax_of(text)
    except FormulaError as error:
        raise UsageError(f"--prepare: {error}") from None
    match node:
        case Word(name):
            return _made(name, (), text)
        case Call(Word(name), arguments):
            return _made(name, arguments, text)
        case _:
            raise UsageError(f"--prepare: expected {_listed()}, found {text}")


def _made(name: str, arguments: tuple[Argument, ...], text: str) -> Preparation:
    if name not in SHOWN:
        hint = nearest(name, SHOWN)
        raise UsageError(f"--prepare: expected {_listed()}, found {text}" + (f"; {hint}" if hint else ""))
    if name in TAKING:
        return TAKING[name].of(name, arguments, text)
    if arguments:
        raise UsageError(f"--prepare: {name} takes no argument, found {text}")
    return _grouping


def _grouping(runs: Runs, structure: Structure | None) -> Runs:
    del structure
    return group_by_document(runs)


def _cutting(n: object) -> Preparation:
    count = COUNT.accept(n)
    return lambda runs, _: keep_first(runs, count)


def _taking_apart(strategy: object) -> Preparation:
    accepted = STRATEGY.accept(strategy)
    known: Strategy = next(known for known in get_args(Strategy) if known == accepted)
    return lambda runs, structure: remove_overlap(runs, known, structure=structure)


@dataclass(frozen=True, slots=True)
class _Taking:
    """A preparation that takes an argument.

    Attributes:
        parameter: The argument's name.
        kind: Its kind.
        make: The preparation with an argument; raises `FormulaError` for a wrong one.
    """

    parameter: str
    kind: Kind[object]
    make: Callable[[object], Preparation]

    def of(self, name: str, arguments: tuple[Argument, ...], text: str) -> Preparation:
        """The preparation with the argument that is written."""
        hint = None
        match arguments:
            case [Argument(None | self.parameter, Literal(value))]:
                try:
                    return self.make(value)
                except FormulaError:
                    hint = nearest(value, STRATEGY.choices) if isinstance(value, str) else None
            case [Argument(_, Word(bare))] if bare in STRATEGY.choices:
                hint = f"in a shell, write quotes inside quotes: '{name}(\"{bare}\")'"
        wanted = f"--prepare: expected {name} with {self.kind.expects()}, as in {SHOWN[name]}"
        raise UsageError(f"{wanted}, found {text}" + (f"; {hint}" if hint else ""))


SHOWN: Final[Mapping[str, str]] = {
    "group_by_document": "group_by_document",
    "keep_first": "keep_first(100)",
    "remove_overlap": 'remove_overlap("child")',
}
"""The preparations there are, as they are written."""
TAKING: Final[Mapping[str, _Taking]] = {
    "keep_first": _Taking("n", COUNT, _cutting),
    "remove_overlap": _Taking("strategy", STRATEGY, _taking_apart),
}
"""Those that take an argument."""


def _listed() -> str:
    """What there is, as it is written."""
    *others, last = SHOWN.values()
    return f"{', '.join(others)} or {last}"
