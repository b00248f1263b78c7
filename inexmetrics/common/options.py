"""Options of a run: how an experiment is computed, never its meaning."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, TypeVar

__all__ = ["Compat", "Progress", "Rows", "RunOptions", "silent"]

T = TypeVar("T")
R = TypeVar("R")

THREADS: Final = 4
"""Threads at most; each holds the memory of a task."""

Compat: TypeAlias = Literal["inex_eval"]
Rows: TypeAlias = int | Literal["all"] | None
"""Rows shown of every table; None keeps to 40 of each and 60 lines in all."""
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

    def map(self, what: str, function: Callable[[T], R], tasks: Iterable[T], *, threads: bool = False) -> Iterator[R]:
        """Maps a function over tasks, in their order, on the executor if there is one; a single task runs in this process.

        Args:
            what: What is done, for the progress.
            function: The function.
            tasks: The tasks.
            threads: Whether the tasks run on threads of this process without an executor: for functions that spend their time
                in numpy, which lets other threads run.
        """
        waiting = list(tasks)
        with ExitStack() as until_done:
            executor = None if len(waiting) == 1 else self.executor
            if executor is None and threads and len(waiting) > 1:
                executor = until_done.enter_context(ThreadPoolExecutor(min(THREADS, os.cpu_count() or 1)))
            values = map(function, waiting) if executor is None else executor.map(function, waiting)
            self.progress(what, 0, len(waiting))
            for done, value in enumerate(values, start=1):
                self.progress(what, done, len(waiting))
                yield value
