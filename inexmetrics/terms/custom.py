"""Custom terms: a decorated function becomes a term of the formula language with the function's name, in the current process."""

from __future__ import annotations

import importlib
import inspect
import keyword
import pickle
import sys
from abc import ABC
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import ClassVar, Self, TypeVar, cast

from inexmetrics.common.errors import FormulaError
from inexmetrics.terms.lexicon import lexicon
from inexmetrics.terms.term import Term

__all__ = ["CustomTerm", "declared"]

F = TypeVar("F", bound=Callable[..., object])
W = TypeVar("W", bound="CustomTerm")


@dataclass(frozen=True, slots=True, repr=False)
class CustomTerm(Term, ABC):
    """A term made from a user's function. Each custom term has its own class, in which the user's function is a static method."""

    function: ClassVar[Callable[..., object]]
    """The decorated function."""

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self

    def __reduce__(self) -> tuple[Callable[[str, str], CustomTerm], tuple[str, str]]:
        """Pickles the term by name, as Python pickles functions. Unpickling imports the module that declares the term."""
        module, name = type(self).__module__, type(self).__qualname__
        if _find(module, name) is not self:
            raise pickle.PicklingError(
                f"the {self.category} {self.word} cannot be pickled: expected the name {name} in the module {module}; "
                "define it at the top level of a module, under the name of its function"
            )
        return _recall, (module, name)


def declared(base: type[W], function: F, check: Callable[[F, str], None]) -> W:
    """Makes a term from a user's function and declares the term's name in the formula language.

    Args:
        base: Base class of the term: a class of quantisations, or a class of measures without parameters.
        function: The user's function; its name is the term's name, and its docstring is the term's documentation.
        check: A function that raises `FormulaError` if the user's function is unsuitable; the arguments of the check are the user's
            function and the function's name.

    Raises:
        ValueError: The name already exists in the formula language.
        FormulaError: The name is not a valid identifier, or the function is unsuitable.
    """
    name = getattr(function, "__name__", None)
    if not isinstance(name, str):
        raise FormulaError(f"{base.category}: expected a function, found a Python {type(function).__name__}")
    if not name.isidentifier() or keyword.iskeyword(name) or not name.replace("_", "a").isalnum():
        raise FormulaError(f"{base.category}: expected a function whose name is a word of letters, digits and '_', found {name}")
    check(function, name)
    namespace = {
        "function": staticmethod(function),
        "word": name,
        "__doc__": inspect.getdoc(function) or f"{name}, a {base.category} of your own.",
        "__module__": function.__module__,
        "__qualname__": function.__qualname__,
    }
    sort = dataclass(frozen=True, slots=True, repr=False)(cast("type[W]", type(name, (base,), namespace)))
    value = sort()
    lexicon.add(name, sort, value, sort)
    return value


def _find(module: str, name: str) -> object:
    """Returns the object that has a dotted name in a module, or None if the module is not loaded or does not define the name."""
    try:
        return attrgetter(name)(sys.modules[module])
    except (AttributeError, KeyError):
        return None


def _recall(module: str, name: str) -> CustomTerm:
    """Returns the term that a module declares; imports the module if necessary."""
    importlib.import_module(module)
    value = _find(module, name)
    if not isinstance(value, CustomTerm):
        raise pickle.UnpicklingError(f"expected the module {module} to declare {name}, as it did where it was sent from")
    return value
