"""One test of many cases that reports every failing case: for names, words and pages, whose checks take less time than a test of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest

__all__ = ["every"]

T = TypeVar("T")


def every(cases: Iterable[T], name: Callable[[T], str] = str) -> Callable[[Callable[[T], None]], Callable[[], None]]:
    """Returns a decorator that makes one test of a check of one case."""

    def merged(check: Callable[[T], None]) -> Callable[[], None]:
        def test() -> None:
            listed = list(cases)
            assert listed, "expected cases, found none"
            failed = [f"{name(case)}: {found}" for case in listed if (found := failure(check, case)) is not None]
            assert not failed, f"{len(failed)} of {len(listed)} cases fail:\n" + "\n".join(failed)

        test.__name__, test.__doc__, test.__module__, test.__qualname__ = (
            check.__name__,
            check.__doc__,
            check.__module__,
            check.__qualname__,
        )
        return test

    return merged


def failure(check: Callable[[T], None], case: T) -> str | None:
    """Returns how a check of a case fails; None if the case passes."""
    try:
        check(case)
    except (Exception, pytest.fail.Exception) as error:  # a skipped case skips the test, and an interruption ends it
        return f"{type(error).__name__}: {error}"
    return None
