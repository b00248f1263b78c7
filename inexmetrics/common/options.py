"""Options of a run: how an experiment is computed, never its meaning."""

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
"""Called with the name of the work, the number of steps done, and the number of all steps."""


def silent(what: str, done: int, total: int) -> None:
    """Progress that is not shown."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Where and how an experiment runs. Equality ignores where the work runs, which does not change results.

    Attributes:
        compat: The evaluator whose departures from the published definitions are followed, or None.
        executor: Where long work runs; None is this process. The results are the same bits.
        progress: Called as long work proceeds.
    """

    compat: Compat | None = None
    executor: Executor | None = field(default=None, compare=False)
    progress: Progress = field(default=silent, compare=False)

    def map(self, what: str, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        """Maps a function over tasks, in their order, on the executor if there is one; a single task runs in this process."""
        waiting = list(tasks)
        values = map(function, waiting) if self.executor is None or len(waiting) == 1 else self.executor.map(function, waiting)
        self.progress(what, 0, len(waiting))
        for done, value in enumerate(values, start=1):
            self.progress(what, done, len(waiting))
            yield value
