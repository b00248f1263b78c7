"""A cache for values computed from an immutable object, kept as long as the object lives."""

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
    """Caches a pure function by the identity of its first argument, which must be immutable.

    A value is dropped together with that argument; the other arguments must be hashable.

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
    def cached(first: K, /, *args: P.args, **kwargs: P.kwargs) -> V:
        values = kept.setdefault(first, {})
        key = (*args, *kwargs.items())
        if key not in values:
            values[key] = function(first, *args, **kwargs)
        return values[key]

    return cached
