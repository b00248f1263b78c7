"""Preparations of runs as they are written on the command line: ``group_by_document``, ``keep_first(100)``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

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
from inexmetrics.preparing.overlap import STRATEGY, remove_overlap

__all__ = ["Preparation", "read_preparation"]


@dataclass(frozen=True, slots=True)
class Preparation:
    """A preparation of runs that has been asked for, with its argument.

    Attributes:
        name: Its name.
        value: Its argument; None where it takes none.
    """

    name: str
    value: object = None

    def apply(self, runs: Runs, structure: Structure | None) -> Runs:
        """The runs so prepared."""
        return PREPARATIONS[self.name].apply(runs, self.value, structure)


@dataclass(frozen=True, slots=True)
class _Known:
    """A preparation that there is.

    Attributes:
        apply: What it does to runs, given its argument and the structure of the documents.
        shown: How it is written.
        argument: Name and kind of its argument; None where it takes none.
    """

    apply: Callable[[Runs, object, Structure | None], Runs]
    shown: str
    argument: tuple[str, Kind[object]] | None = None


PREPARATIONS: Final[Mapping[str, _Known]] = {
    "group_by_document": _Known(lambda runs, _, __: group_by_document(runs), "group_by_document"),
    "keep_first": _Known(lambda runs, value, _: keep_first(runs, COUNT.accept(value)), "keep_first(100)", ("n", COUNT)),
    "remove_overlap": _Known(
        lambda runs, value, structure: remove_overlap(runs, STRATEGY.accept(value), structure=structure),
        'remove_overlap("child")',
        ("strategy", STRATEGY),
    ),
}


def read_preparation(text: str) -> Preparation:
    """The preparation that a text asks for.

    Raises:
        UsageError: It is none; the error says what was expected.
    """
    try:
        node = syntax_of(text)
    except FormulaError as error:
        raise UsageError(f"--prepare: {error}") from None
    if isinstance(node, Word):
        name, arguments = node.text, ()
    elif isinstance(node, Call):
        name, arguments = node.word.text, node.arguments
    else:
        raise UsageError(f"--prepare: expected {_listed()}, found {text}")
    if name not in PREPARATIONS:
        hint = nearest(name, PREPARATIONS)
        raise UsageError(f"--prepare: expected {_listed()}, found {text}" + (f"; {hint}" if hint else ""))
    return Preparation(name, _value(name, arguments, text))


def _value(name: str, arguments: tuple[Argument, ...], text: str) -> object:
    """The argument that is written, if the preparation takes one."""
    known = PREPARATIONS[name]
    if known.argument is None:
        if arguments:
            raise UsageError(f"--prepare: {name} takes no argument, found {text}")
        return None
    parameter, kind = known.argument
    wanted = f"--prepare: expected {name} with {kind.expects()}, as in {known.shown}"
    if len(arguments) != 1 or arguments[0].name not in {None, parameter} or not isinstance(arguments[0].value, Literal):
        hint = _quotes(arguments, kind)
        raise UsageError(f"{wanted}, found {text}{hint}")
    try:
        return kind.accept(arguments[0].value.value)
    except FormulaError:
        value = arguments[0].value.value
        hint = nearest(value, STRATEGY.choices) if isinstance(value, str) and kind is STRATEGY else None
        raise UsageError(f"{wanted}, found {text}" + (f"; {hint}" if hint else "")) from None


def _quotes(arguments: tuple[Argument, ...], kind: Kind[object]) -> str:
    """A hint where a text is written without quotes, which a shell takes away."""
    if kind is STRATEGY and len(arguments) == 1 and isinstance(arguments[0].value, Word):
        return f"; in a shell, write quotes around quotes: 'remove_overlap(\"{arguments[0].value.text}\")'"
    return ""


def _listed() -> str:
    """What there is, as it is written."""
    *others, last = (known.shown for known in PREPARATIONS.values())
    return f"{', '.join(others)} or {last}"
