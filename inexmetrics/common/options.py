"""The setting an experiment runs in: what may change how it is computed, never what it means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, TypeVar

__all__ = ["Compat", "Progress", "RunOptions", "silent"]

T = TypeVar("T")
R = TypeVar("R")

Compat: TypeAlias = Literal["inex_eval"]
Progress: TypeAlias = Callable[[str, int, int], None]
"""Told what is being done, how many steps of it are done, and how many there are."""


def silent(what: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Where and how an experiment runs. Settings are equal that give the same results, wherever the work is done.

    Attributes:
        compat: The evaluator whose departures from the published definitions are followed, or None.
        executor: Where long work is done; None is this process. The results are the same bits.
        progress: Told how far long work has come.
    """

    compat: Compat | None = None
    executor: Executor | None = field(default=None, compare=False)
    progress: Progress = field(default=silent, compare=False)

    def map(self, what: str, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        """The function's value of each task, in the order of the tasks, on the executor if there is one; a single task is done here."""
        waiting = list(tasks)
        values = map(function, waiting) if self.executor is None or len(waiting) == 1 else self.executor.map(function, waiting)
        self.progress(what, 0, len(waiting))
        for done, value in enumerate(values, start=1):
            self.progress(what, done, len(waiting))
            yield value
