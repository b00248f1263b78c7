"""Values that follow from an immutable one: computed when first asked for, kept as long as that one lives."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

__all__ = ["cached_by_identity"]

K = TypeVar("K")
P = ParamSpec("P")
V = TypeVar("V")


def cached_by_identity(function: Callable[Concatenate[K, P], V]) -> Callable[Concatenate[K, P], V]:
    """Keeps a pure function's values, by the identity of its first argument, which must be immutable.

    A value is forgotten together with that argument; the other arguments, which must be hashable, are held with it.

    Examples:
        >>> class Word:
        ...     def __init__(self, text):
        ...         self.text = text
        >>> @cached_by_identity
        ... def length(word):
        ...     print("counting")
        ...     return len(word.text)
        >>> word = Word("element")
        >>> length(word) + length(word)
        counting
        14
    """
    kept: WeakKeyDictionary[K, dict[tuple[object, ...], V]] = WeakKeyDictionary()

    @wraps(function)
    def recalled(first: K, /, *args: P.args, **kwargs: P.kwargs) -> V:
        values = kept.setdefault(first, {})
        key = (*args, *kwargs.items())
        if key not in values:
            values[key] = function(first, *args, **kwargs)
        return values[key]

    return recalled
