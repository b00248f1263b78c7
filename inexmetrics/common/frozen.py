"""A base class and a dictionary that make objects immutable, and a cache for functions of immutable objects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from functools import wraps
from typing import Concatenate, NoReturn, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

__all__ = ["Frozen", "FrozenDict", "cached_by_identity", "freeze"]


class Frozen:
    """Base class of frozen dataclasses with slots: setting or deleting any attribute raises `FrozenInstanceError`.

    ``@dataclass(frozen=True, slots=True)`` generates ``__setattr__`` and ``__delattr__`` for a class without slots, and then copies the
    class to a class with slots. If an attribute is not a field of the dataclass, the copied methods call ``super()`` with the original
    class, and Python raises a confusing `TypeError`. `Frozen` therefore replaces both methods when the class with slots is created.
    Pickling, copying and ``__post_init__`` use `object.__setattr__`, as in every frozen dataclass.

    Examples:
        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True, slots=True)
        ... class Passage(Frozen):
        ...     start: int
        >>> Passage(3).end = 7
        Traceback (most recent call last):
            ...
        dataclasses.FrozenInstanceError: cannot assign to field 'end' of Passage
    """

    __slots__ = ()

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        for method, verb in (("__setattr__", "assign to"), ("__delattr__", "delete")):
            if method in vars(cls):

                def refuse(value: object, name: str, *_: object, verb: str = verb) -> NoReturn:
                    raise FrozenInstanceError(f"cannot {verb} field {name!r} of {type(value).__name__}")

                setattr(cls, method, refuse)


K = TypeVar("K")
P = ParamSpec("P")
V = TypeVar("V")


class FrozenDict(dict[K, V]):
    """A dictionary that cannot be changed. Unlike a `MappingProxyType`, it can be pickled.

    Examples:
        >>> held = FrozenDict({"a": 1})
        >>> held["b"] = 2
        Traceback (most recent call last):
            ...
        TypeError: cannot change the values of an immutable object
        >>> held | {"b": 2}
        {'a': 1, 'b': 2}
    """

    __slots__ = ()

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("cannot change the values of an immutable object")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type[FrozenDict[K, V]], tuple[dict[K, V]]]:
        return type(self), (dict(self),)


def freeze(value: object, *names: str) -> None:
    """Replaces dictionaries among the attributes of an immutable object with copies that cannot be changed."""
    for name in names:
        object.__setattr__(value, name, FrozenDict(getattr(value, name)))


def cached_by_identity(function: Callable[Concatenate[K, P], V]) -> Callable[Concatenate[K, P], V]:
    """Decorates a pure function so that its values are cached by the identity of the first argument, which must be immutable.

    Cached values are discarded when the first argument is garbage-collected. All other arguments must be hashable.

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
