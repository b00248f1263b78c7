"""One thread parses and checks what another has not come to yet."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, TypeVar

__all__ = ["ahead"]

T = TypeVar("T")
R = TypeVar("R")

AHEAD: Final = 1
"""Tasks that are done while another is worked on: more hold more text, and are no faster where polars has two threads."""


def ahead(function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
    """The function's value of each task, in order; the next few are computed while one is used.

    Examples:
        >>> list(ahead(str.upper, ["a", "b"]))
        ['A', 'B']
    """
    with ThreadPoolExecutor(AHEAD) as threads:
        waiting: deque[Future[R]] = deque()
        for task in tasks:
            waiting.append(threads.submit(function, task))
            if len(waiting) > AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
