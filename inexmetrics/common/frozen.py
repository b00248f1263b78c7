"""Immutability of values: setting or deleting an attribute is an error that names it."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import NoReturn

__all__ = ["Frozen"]


class Frozen:
    """Base of frozen, slotted dataclasses: attributes are neither set nor deleted, whether they exist or not.

    What ``@dataclass(frozen=True, slots=True)`` generates refuses the fields alone. Any other attribute ends in a
    `TypeError` of ``super()``: the methods were made for the class as it was before it had slots. When the decorator makes
    the class anew, these methods stand in its namespace, and give way to others. Pickling, copying and
    ``__post_init__`` go by `object.__setattr__`, as they do in every frozen dataclass.

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
        for name, refuse in (("__setattr__", _refuse_setting), ("__delattr__", _refuse_deleting)):
            if name in vars(cls):
                setattr(cls, name, refuse)


def _refuse_setting(value: object, name: str, _: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r} of {type(value).__name__}")


def _refuse_deleting(value: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r} of {type(value).__name__}")
