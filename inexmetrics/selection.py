"""Choosing parts of a collection by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inexmetrics.errors import CollectionError, Problem
from inexmetrics.wording import nearest

__all__ = ["listed", "selected"]

SHOWN_NAMES = 5


def listed(names: Sequence[str]) -> str:
    """The first few names, and how many more there are."""
    shown = ", ".join(names[:SHOWN_NAMES])
    return shown if len(names) <= SHOWN_NAMES else f"{shown} and {len(names) - SHOWN_NAMES} more"


def selected(what: str, names: str | Iterable[str] | None, known: Sequence[str]) -> tuple[str, ...]:
    """The names asked for, once each and in string order; all there are for None.

    Raises:
        CollectionError: A name is not among those known, or none is asked for.
    """
    if names is None:
        return tuple(known)
    wanted = sorted({names} if isinstance(names, str) else set(names))
    there = set(known)
    problems = [Problem(_unknown(what, name, known)) for name in wanted if name not in there]
    if problems:
        raise CollectionError(problems)
    if not wanted:
        raise CollectionError(f"expected the name of a {what}, found none")
    return tuple(wanted)


def _unknown(what: str, name: str, known: Sequence[str]) -> str:
    hint = nearest(name, known)
    return f"unknown {what} {name!r}; " + (hint or f"expected one of {listed(known)}")
