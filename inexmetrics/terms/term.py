"""Terms (the parts of formulas), the declarations of their parameters, and the operators between terms.

A term is a frozen dataclass. The fields of the dataclass are the term's parameters, each declared with its type. This declaration is the
source of the checks in Python, the argument list in formulas, the canonical text, `explain` and the property-based tests. In Python, an
operator between terms raises an error, which shows how to write the formula in Python.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from functools import wraps
from inspect import CO_VARARGS
from types import FunctionType, MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final, NoReturn, Self, TypeAlias, TypeVar

from inexmetrics.common.errors import FormulaError
from inexmetrics.common.frozen import Frozen
from inexmetrics.common.messages import alternatives, canonical, did_you_mean, shortened, with_article
from inexmetrics.terms.parameter_types import ListOf, OneOrMore, Optional, ParameterType

__all__ = [
    "FormulaOperators",
    "Sorts",
    "Term",
    "TermOf",
    "accepts",
    "defaults",
    "example_arguments",
    "examples",
    "parameter",
    "parameters",
    "position_hint",
    "required",
    "sorts_of",
    "terms_within",
]

STAGES: Final = {"significance test": "test", "correction": "correction"}
"""Name of the Python argument that corresponds to each kind of term after ``|`` in a formula."""
JOINED: Final = {"measure", "family of measures", "quantisation"}
"""Kinds of terms that can be joined by ``+`` in formulas."""


class FormulaOperators:
    """Base class of terms, in which every operator of formulas raises an error. Families of measures redefine ``@`` to add a cutoff."""

    __slots__ = ()
    category: ClassVar[str]

    if not TYPE_CHECKING:  # hidden from type checkers, so that they report these operators as errors

        def __add__(self, other: object) -> object:
            return _joined(self, other)

        def __radd__(self, other: object) -> object:
            return _joined(other, self)

        def __or__(self, other: object) -> object:
            return _staged(self, other)

        def __ror__(self, other: object) -> object:
            return _staged(other, self)

        def __invert__(self) -> NoReturn:
            raise TypeError(f"'~' is for formulas; in Python {self} is the second argument, as in scores(MAep, Gen5)")

        def __matmul__(self, at: object) -> object:
            if self.category != "measure" or not isinstance(at, int | float):
                return NotImplemented
            if hasattr(self, "budget"):
                raise TypeError(
                    f"{self.word} has no cutoff; to read the first {at} characters of each list, write {self.word}(budget={at})"
                )
            if hasattr(self, "at"):
                raise TypeError(f"{self} has a cutoff already; write {self.family} @ {at}")
            raise TypeError(f"{self} does not accept a cutoff; keep_first(runs, {at}) truncates the runs")


def _joined(first: object, second: object) -> object:
    items = [item for side in (first, second) for item in (side if isinstance(side, tuple) else (side,))]
    if not all(isinstance(item, FormulaOperators) and item.category in JOINED for item in items):
        return NotImplemented
    raise TypeError(f"'+' is for formulas; in Python, write ({', '.join(map(_text, items))})")


def _staged(first: object, second: object) -> object:
    stages = [side for side in (first, second) if isinstance(side, FormulaOperators) and side.category in STAGES]
    if not stages:
        return NotImplemented
    written = ", ".join(f"{STAGES[stage.category]}={_text(stage)}" for stage in stages)
    measure = _text(first) if isinstance(first, FormulaOperators) and first.category == "measure" else "MAP"
    raise TypeError(f"'|' is for formulas; in Python, write {written}, as in significance({measure}, {written})")


def _text(term: object) -> str:
    """Formats a term as Python code."""
    text = f"{term.family} @ {canonical(term.at)}" if hasattr(term, "family") and hasattr(term, "at") else canonical(term)
    return shortened(text)


V = TypeVar("V")
T = TypeVar("T", bound="Term")


def parameter(default: V, kind: ParameterType[V]) -> V:
    """Returns a field of a term with its default and its parameter type."""
    declared: V = field(default=default, metadata={"kind": kind})
    return declared


def required(kind: ParameterType[V], example: str | None = None) -> Mapping[str, object]:
    """Returns the metadata of a field without a default: ``q: Quantisation = field(metadata=required(TermOf(Quantisation)))``.

    Args:
        kind: The type of the parameter.
        example: An example of a value as written in a formula, shown in the error message if the parameter is missing.
    """
    return {"kind": kind, "example": example}


# Abstract subclasses without fields declare ``__slots__ = ()`` and inherit the methods of a dataclass: decorating them would take a third of
# a millisecond each at every start.
@dataclass(frozen=True, slots=True, repr=False)
class Term(FormulaOperators, Frozen):
    """A value of the formula language: immutable, hashable, comparable and picklable; parsing its printed text returns an equal term.

    Examples:
        >>> from inexmetrics import MAP, P, parse
        >>> parse("P@5 ") == P @ 5, len({MAP, parse("MAP")})
        (True, 1)
    """

    category: ClassVar[str] = "term"
    """Name of the kind of term in error messages, such as *measure*."""
    none_means: ClassVar[Mapping[str, object]] = MappingProxyType({})
    """Maps names of parameters to the values that replace None. Other parameters of the term may lead to different values."""
    word: ClassVar[str] = ""
    """The term's name in formulas."""
    cuts: ClassVar[ParameterType[int] | ParameterType[float] | None] = None
    """The parameter type of the cutoff after ``@``; None if the term does not accept a cutoff."""

    def __init_subclass__(cls) -> None:
        # With slots=True, dataclass creates the class a second time, so super() without arguments would refer to the first, discarded
        # class.
        builtins.super(Term, cls).__init_subclass__()
        change = vars(cls).get("__call__")
        if isinstance(change, FunctionType) and change.__code__.co_argcount == 1 and not change.__code__.co_flags & CO_VARARGS:
            changed_by_name: Callable[..., Term] = change

            @wraps(change)
            def changed(self: Term, *values: object, **changes: object) -> Term:
                # parameters are accepted only by name, as in formulas
                if values:
                    hint = position_hint(type(self), values[0])
                    raise FormulaError(f"{self.word} takes its parameters by name", hint=hint)
                return changed_by_name(self, **changes)

            type.__setattr__(cls, "__call__", changed)

    def __post_init__(self) -> None:
        for declared in _declared(type(self)):
            kind, value = declared.metadata["kind"], getattr(self, declared.name)
            if value is None and declared.default is not MISSING and declared.default is not None and not accepts(kind, value):
                hint = f"omit {declared.name} for its default, {canonical(declared.default)}"
                raise FormulaError(f"{self.word}: {declared.name}: expected {kind.expects()}, found None", hint=hint)
            object.__setattr__(self, declared.name, kind.accept_as(f"{self.word}: {declared.name}", value))

    def __str__(self) -> str:
        return self.text_without()

    def text_without(self, hidden: str | None = None) -> str:
        """Returns the canonical text of the term, in which "…" replaces the value of the parameter `hidden`."""
        written = []
        for name, default, value in self._arguments():
            if default is MISSING or value != default or name == hidden:
                text = "…" if name == hidden else canonical(value)
                written.append(text if default is MISSING else f"{name}={text}")
        return f"{self.word}({', '.join(written)})" if written else self.word

    def __repr__(self) -> str:
        return str(self)

    def _arguments(self) -> Iterable[tuple[str, object, object]]:
        """Returns each parameter's name, default (`MISSING` if the parameter is required) and value."""
        return [(declared.name, declared.default, getattr(self, declared.name)) for declared in _declared(type(self))]

    def _changed(self, changes: Mapping[str, object]) -> Self:
        """Returns a copy of the term with changed parameters."""
        kinds = parameters(type(self))
        for name in changes:
            if name not in kinds:
                raise FormulaError(f"{self.word} has no parameter {name!r}", hint=did_you_mean(name, kinds))
        return replace(self, **changes)


def position_hint(sort: type[Term], value: object, *, cut: bool = False, fits: Callable[[str], bool] = bool) -> str | None:
    """Returns a hint that lists every way to write a value that was given without a parameter name: after ``@``, and as ``name=value``.

    Args:
        sort: Class of the term.
        value: The value.
        cut: Whether the term has a cutoff already.
        fits: Returns whether the formula is valid with a text such as ``name=value`` in place of the value.
    """
    text = canonical(value)
    named = [
        f"{name}={text}"
        for name, kind in parameters(sort).items()
        if value is not None and accepts(kind, value) and _may_be(sort, name, value) and fits(f"{name}={text}")
    ]
    if not cut and sort.cuts is not None and accepts(sort.cuts, value):
        return f"write {alternatives([f'{sort.word}@{text}', *(f'{sort.word}({each})' for each in named)])}"
    return f"write {alternatives(named)}" if named else None


def _may_be(sort: type[Term], name: str, value: object) -> bool:
    """Returns whether a term may have a value for one parameter and defaults for the others; True if others have no defaults."""
    try:
        sort(**{name: value})
    except FormulaError:
        return False
    except TypeError:
        return True
    return True


def accepts(kind: ParameterType[object], value: object) -> bool:
    """Returns whether a value is of a parameter type."""
    try:
        kind.accept(value)
    except FormulaError:
        return False
    return True


def _declared(sort: type[Term]) -> tuple[Field[object], ...]:
    return tuple(declared for declared in fields(sort) if "kind" in declared.metadata)


def parameters(sort: type[Term]) -> dict[str, ParameterType[object]]:
    """Returns the parameters of a class of terms in the order of declaration, with the type of each parameter."""
    return {declared.name: declared.metadata["kind"] for declared in _declared(sort)}


def examples(sort: type[Term]) -> dict[str, str]:
    """Returns the example values of the required parameters of a class of terms, as written in formulas."""
    return {declared.name: declared.metadata["example"] for declared in _declared(sort) if declared.metadata.get("example")}


def example_arguments(sort: type[Term], formula: str) -> str:
    """Returns example arguments of an experiment, in order: arguments without names, then the formula, then arguments with names."""
    by_name = {declared.name for declared in fields(sort) if declared.kw_only}
    before: list[str] = []
    named: list[str] = []
    for name, example in examples(sort).items():
        (named if name in by_name else before).append(f"{name}={example}" if name in by_name else example)
    return ", ".join([*before, formula, *named])


def defaults(sort: type[Term]) -> dict[str, object]:
    """Returns the optional parameters of a class of terms with their defaults."""
    return {
        declared.name: declared.default if declared.default is not None else sort.none_means.get(declared.name)
        for declared in _declared(sort)
        if declared.default is not MISSING
    }


def terms_within(*values: object) -> list[Term]:
    """Returns all terms in the given values. Tuples and the parameters of terms are searched, too; each term precedes its parameters."""
    found: list[Term] = []
    for value in values:
        if isinstance(value, tuple):
            found += terms_within(*value)
        elif isinstance(value, Term):
            found += [value, *terms_within(*(getattr(value, declared.name) for declared in _declared(type(value))))]
    return found


@dataclass(frozen=True, slots=True, init=False)
class TermOf(ParameterType[T]):
    """Type of parameters that accept any term of a given class, such as a quantisation, a measure or a test."""

    sort: type[T]

    def __init__(self, sort: Callable[..., T]) -> None:  # not type[T], because mypy rejects abstract classes as arguments of type[T]
        object.__setattr__(self, "sort", sort)

    def expects(self) -> str:
        return with_article(self.sort.category)

    def accept(self, value: object) -> T:
        if isinstance(value, self.sort):
            return value
        raise self.refused(value)


Sorts: TypeAlias = tuple[type[Term], ...]


def sorts_of(kind: ParameterType[object]) -> Sorts:
    """Returns the classes of terms that a parameter type accepts, or `Term` if the type accepts any term."""
    match kind:
        case TermOf(sort):
            return (sort,)
        case Optional(of) | ListOf(of) | OneOrMore(of):
            return sorts_of(of)
        case _:
            return (Term,)
