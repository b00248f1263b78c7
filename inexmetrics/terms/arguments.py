"""Arguments of functions that read, prepare, retrieve and write: checked as parameters of terms are, and refused as data are."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeVar

from inexmetrics.common.errors import CollectionError, FormulaError
from inexmetrics.terms.parameter_types import Bool, ParameterType

__all__ = ["PATH", "Made", "Texts", "argument", "flags"]

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Made(ParameterType[V]):
    """A value of a class, or of one of several, called as error messages call it: *runs*, *a structure as read_structure makes it*."""

    kind: type[V] | tuple[type[V], ...]
    called: str

    def expects(self) -> str:
        return self.called

    def accept(self, value: object) -> V:
        if isinstance(value, self.kind):
            return value
        raise self.refused(value)


@dataclass(frozen=True, slots=True)
class Texts(ParameterType[tuple[str, ...]]):
    """Texts, of which there may be one, or none; called as error messages call them: *names of elements*."""

    called: str

    def expects(self) -> str:
        return self.called

    def accept(self, value: object) -> tuple[str, ...]:
        if not isinstance(value, Iterable):
            raise self.refused(value)
        texts = (value,) if isinstance(value, str) else tuple(value)
        if other := [text for text in texts if not isinstance(text, str)]:
            raise self.refused(other[0])
        return texts


PATH: Final[ParameterType[str | os.PathLike[str]]] = Made((str, os.PathLike), "a path")
"""The path of one file or folder."""


def argument(name: str, kind: ParameterType[V], value: object) -> V:
    """The value of an argument, in its canonical form.

    Raises:
        CollectionError: It is none of this kind.

    Examples:
        >>> argument("strict", Bool(), "no")
        Traceback (most recent call last):
        inexmetrics.common.errors.CollectionError: strict: expected True or False, found "no"
    """
    try:
        return kind.accept_as(name, value)
    except FormulaError as error:
        raise CollectionError(error.message + (f"; {error.hint}" if error.hint else "")) from None


def flags(**values: object) -> None:
    """Refuses arguments that are neither True nor False.

    Raises:
        CollectionError: One is neither.
    """
    for name, value in values.items():
        argument(name, Bool(), value)
