"""Parameter types: each type checks a value, converts it to its canonical form, and describes the values that it accepts.

An invalid parameter of a term raises `FormulaError`. An invalid argument of a function that reads, prepares, retrieves or writes data
raises `CollectionError`.
"""

from __future__ import annotations

import math
import numbers
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Generic, TypeGuard, TypeVar

from inexmetrics.common.errors import CollectionError, FormulaError
from inexmetrics.common.frozen import Frozen
from inexmetrics.common.messages import canonical, describe, did_you_mean, shortened, with_hint

__all__ = [
    "PATH",
    "Bool",
    "Choice",
    "Integer",
    "ListOf",
    "Made",
    "Number",
    "OneOrMore",
    "Optional",
    "ParameterType",
    "Text",
    "Texts",
    "argument",
    "flags",
    "is_iterable",
]

V = TypeVar("V")
V_co = TypeVar("V_co", covariant=True)
L_co = TypeVar("L_co", bound=str, covariant=True)


class ParameterType(Frozen, ABC, Generic[V_co]):
    """The type of a parameter, which checks a value, converts it to its canonical form, and describes the accepted values."""

    __slots__ = ()

    @abstractmethod
    def expects(self) -> str:
        """Returns a noun phrase for error messages that describes the expected value."""

    @abstractmethod
    def accept(self, value: object) -> V_co:
        """Converts a value to its canonical form. Raises `FormulaError` if the value is not of this type."""

    def accept_as(self, name: str, value: object) -> V_co:
        """Returns the value of a named parameter in its canonical form; an error message begins with the parameter's name."""
        try:
            return self.accept(value)
        except FormulaError as error:
            raise FormulaError(f"{name}: {error.message}", hint=error.hint) from None

    def refused(self, value: object) -> FormulaError:
        return FormulaError(f"expected {self.expects()}, found {describe(value)}")


def _finite(value: object) -> float | int | None:
    """Returns a finite Python number, as an int for integers, or None for other values (a bool is not a number)."""
    if isinstance(value, bool) or type(value).__name__ == "bool" or not isinstance(value, numbers.Real):
        return None
    if isinstance(value, numbers.Integral):
        return int(value)
    try:
        number = float(value)
    except OverflowError:  # the number is a Fraction, and exceeds the largest float
        return None
    return number if math.isfinite(number) else None


@dataclass(frozen=True, slots=True)
class Integer(ParameterType[int]):
    """An integer between given bounds; a float with an integral value is accepted."""

    at_least: int
    at_most: int = 2**63 - 1

    def expects(self) -> str:
        if self.at_most == 2**63 - 1:
            return f"an integer of at least {self.at_least}"
        return f"an integer from {self.at_least} to {self.at_most}"

    def accept(self, value: object) -> int:
        number = _finite(value)
        if number is None or number != int(number) or number < self.at_least:
            raise self.refused(value)
        if number > self.at_most:
            raise FormulaError(f"expected an integer from {self.at_least} to {self.at_most}, found {describe(value)}")
        return int(number)


@dataclass(frozen=True, slots=True)
class Number(ParameterType[float]):
    """A finite number between given bounds, each of which may be inclusive or exclusive."""

    at_least: float = -math.inf
    at_most: float = math.inf
    above: float = -math.inf
    below: float = math.inf

    def expects(self) -> str:
        bounds = [
            f"{words} {canonical(bound)}"
            for words, bound in (("of at least", self.at_least), ("above", self.above), ("of at most", self.at_most), ("below", self.below))
            if math.isfinite(bound)
        ]
        return " ".join(["a number", " and ".join(bounds)]).strip()

    def accept(self, value: object) -> float:
        number = _finite(value)
        if number is None:
            raise self.refused(value)
        try:
            number = float(number)
        except OverflowError:
            raise self.refused(value) from None
        if not (self.at_least <= number <= self.at_most and self.above < number < self.below):
            raise self.refused(value)
        return number + 0.0  # -0.0 and 0.0 are equal and must be printed in the same way


@dataclass(frozen=True, slots=True)
class Choice(ParameterType[L_co]):
    """One of a few given strings."""

    choices: tuple[L_co, ...]

    def expects(self) -> str:
        return " or ".join(canonical(choice) for choice in self.choices)

    def accept(self, value: object) -> L_co:
        for choice in self.choices:
            if isinstance(value, str) and value == choice:
                return choice
        hint = did_you_mean(value, self.choices, canonical) if isinstance(value, str) else None
        raise FormulaError(f"expected {self.expects()}, found {describe(value)}", hint=hint)


@dataclass(frozen=True, slots=True)
class Text(ParameterType[str]):
    """A string that is not empty and does not contain control characters."""

    def expects(self) -> str:
        return "a name in quotes"

    def accept(self, value: object) -> str:
        if isinstance(value, str) and value and value.isprintable():
            return str(value)
        raise self.refused(value)


@dataclass(frozen=True, slots=True)
class Bool(ParameterType[bool]):
    """True or False."""

    def expects(self) -> str:
        return "True or False"

    def accept(self, value: object) -> bool:
        if isinstance(value, bool) or type(value).__name__ == "bool":
            return bool(value)
        raise self.refused(value)


@dataclass(frozen=True, slots=True)
class Optional(ParameterType[V_co | None]):
    """Either None or a value of a given type."""

    kind: ParameterType[V_co]

    def expects(self) -> str:
        return self.kind.expects()

    def accept(self, value: object) -> V_co | None:
        return None if value is None else self.kind.accept(value)


@dataclass(frozen=True, slots=True)
class ListOf(ParameterType[tuple[V_co, ...]]):
    """One or more values of a type; duplicates are rejected unless `repeated` is True. A single value becomes a tuple of length 1."""

    kind: ParameterType[V_co]
    repeated: bool = False

    def expects(self) -> str:
        return f"{self.kind.expects()}, or several in parentheses"

    def accept(self, value: object) -> tuple[V_co, ...]:
        values = tuple(value) if isinstance(value, (tuple, list)) else (value,)
        if not values:
            raise FormulaError(f"expected {self.expects()}, found none")
        accepted = tuple(self.kind.accept(item) for item in values)
        seen: set[V_co] = set()
        for item in accepted:
            if item in seen and not self.repeated:
                raise FormulaError(f"{shortened(canonical(item))} is written twice")
            seen.add(item)
        return accepted


@dataclass(frozen=True, slots=True)
class OneOrMore(ParameterType[V_co | tuple[V_co, ...]]):
    """One or more values of a type; duplicates are rejected unless `repeated` is True. A single value is returned without a tuple."""

    kind: ParameterType[V_co]
    repeated: bool = False

    def expects(self) -> str:
        return ListOf(self.kind).expects()

    def accept(self, value: object) -> V_co | tuple[V_co, ...]:
        values = ListOf(self.kind, self.repeated).accept(value)
        return values[0] if len(values) == 1 else values


@dataclass(frozen=True, slots=True)
class Made(ParameterType[V]):
    """Type of parameters that accept instances of certain classes.

    The noun `called` denotes the instances in error messages; an example is "runs".
    """

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
    """Type of parameters that accept any number of strings.

    The noun `called` denotes the strings in error messages; an example is "names of runs".
    """

    called: str

    def expects(self) -> str:
        return self.called

    def accept(self, value: object) -> tuple[str, ...]:
        if not is_iterable(value):
            raise self.refused(value)
        texts = []
        for text in [value] if isinstance(value, str) else value:
            if not isinstance(text, str):
                raise self.refused(text)
            texts.append(text)
        return tuple(texts)


PATH: Final[ParameterType[str | os.PathLike[str]]] = Made((str, os.PathLike), "a path")
"""The parameter type for the path of one file or folder."""


def argument(name: str, kind: ParameterType[V], value: object) -> V:
    """Checks the value of an argument and returns it in its canonical form.

    Raises:
        CollectionError: The value is not of the given type.

    Examples:
        >>> argument("strict", Bool(), "no")
        Traceback (most recent call last):
        inexmetrics.common.errors.CollectionError: strict: expected True or False, found "no"
    """
    try:
        return kind.accept_as(name, value)
    except FormulaError as error:
        raise CollectionError(with_hint(error.message, error.hint)) from None


def is_iterable(value: object) -> TypeGuard[Iterable[object]]:
    """Returns whether a value is iterable. A NumPy array without dimensions is an instance of Iterable but cannot be iterated.

    Examples:
        >>> import numpy as np
        >>> is_iterable(np.array(["a"])), is_iterable(np.array("a"))
        (True, False)
    """
    if not isinstance(value, Iterable):
        return False
    try:
        iter(value)
    except TypeError:
        return False
    return True


def flags(**values: object) -> None:
    """Raises an error if an argument is not True or False.

    Raises:
        CollectionError: An argument is not True or False.
    """
    for name, value in values.items():
        argument(name, Bool(), value)
