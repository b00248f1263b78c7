"""Options of a run: how an experiment is computed, never its meaning."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final, Literal, TypeAlias, TypeVar, get_args

from inexmetrics.common.errors import CollectionError, FormulaError
from inexmetrics.common.messages import canonical, describe, plural

__all__ = ["Compat", "PaperWidth", "Progress", "Rows", "RunOptions", "refuse_fork", "silent", "with_progress"]

T = TypeVar("T")
R = TypeVar("R")

THREADS: Final = 4
"""The largest number of threads; each has a task in memory."""
UNDER_WAY: Final = 256
"""The number of tasks given to an executor before the first returns: the most that its scheduler ever contains."""
LOST: Final = frozenset({"BrokenExecutor", "ExecutorlibSocketError"})
"""Errors of executors without workers, which cancel waiting tasks; some executors fail on cancelled tasks, and wait forever."""

Compat: TypeAlias = Literal["inex_eval"]
PaperWidth: TypeAlias = Literal["column", "page"]
"""The width of a table in a paper: of one of two columns, or of a page."""
Rows: TypeAlias = int | Literal["all"] | None
"""Rows shown of every table; None limits them to 40 of each and 60 lines in total."""
Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with the name of the computation, the number of completed steps, and the number of all steps."""


def silent(what: str, done: int, total: int) -> None:
    """Ignores progress."""


def with_progress(values: Iterable[T], what: str, total: int, progress: Progress) -> Iterator[T]:
    """Yields the values of a computation, and reports each before the next."""
    progress(what, 0, total)
    for done, value in enumerate(values, start=1):
        progress(what, done, total)
        yield value


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Where and how an experiment runs. Equality ignores the place, which does not change results.

    Attributes:
        compat: The evaluator whose departures from the published definitions are followed, or None.
        executor: Runs long computations; None is this process. The results are the same bits.
        progress: Called as long computations proceed.

    Raises:
        FormulaError: The evaluator is unknown.
        CollectionError: The executor is invalid.
    """

    compat: Compat | None = None
    executor: Executor | None = field(default=None, compare=False)
    progress: Progress = field(default=silent, compare=False)

    def __post_init__(self) -> None:
        compat: object = self.compat
        if compat is not None and not (isinstance(compat, str) and compat in get_args(Compat)):
            raise FormulaError(f"compat: expected {' or '.join(map(canonical, get_args(Compat)))}, found {describe(compat)}")
        if not isinstance(self.executor, Executor | None):
            raise CollectionError(f"executor: expected a concurrent.futures.Executor, found {describe(self.executor)}")

    def map(
        self, what: str, function: Callable[[T], R], tasks: Iterable[T], *, total: int | None = None, threads: bool = False
    ) -> Iterator[R]:
        """Maps a function over tasks, in order, on the executor if there is one; a single task runs in this process.

        At most 256 tasks are active at a time; further tasks are created and sent as values return. If a task fails, or
        the caller stops, tasks that have not begun are cancelled.

        Args:
            what: The name for the progress bar, which counts completed tasks in any order.
            function: The function.
            tasks: The tasks.
            total: Number of tasks, if they are created on demand.
            threads: Whether the tasks run on threads of this process without an executor: for functions that spend their time
                in numpy, which releases the lock.

        Raises:
            BrokenExecutor: A worker ended before its task.
        """
        if total is None:
            tasks = list(tasks)
            total = len(tasks)
        if self.executor is not None and total > 1:
            yield from self._sent(what, total, (self.executor.submit(function, task) for task in tasks), UNDER_WAY)
        elif threads and total > 1:
            most = min(THREADS, os.cpu_count() or 1)
            with ThreadPoolExecutor(most) as here:
                yield from self._sent(what, total, (here.submit(function, task) for task in tasks), 2 * most)
        else:
            yield from with_progress(map(function, tasks), what, total, self.progress)

    def _sent(self, what: str, total: int, sent: Iterator[Future[R]], most: int) -> Iterator[R]:
        """Yields the values of futures in order; each is sent on demand, with a limit on active futures."""
        self.progress(what, 0, total)
        under_way = deque[Future[R]]()
        taken = reported = 0
        try:
            while taken < total:
                under_way.extend(islice(sent, most - len(under_way)))
                while True:
                    running = [future for future in under_way if not future.done()]
                    done = taken + len(under_way) - len(running)
                    for number in range(reported, done):
                        self.progress(what, number + 1, total)
                    reported = done
                    if under_way[0].done():
                        break
                    wait(running, return_when=FIRST_COMPLETED)
                yield under_way.popleft().result()
                taken += 1
        except Exception as error:
            if LOST.isdisjoint(kind.__name__ for kind in type(error).__mro__):
                raise
            under_way.clear()
            raise BrokenExecutor(
                f"{what}: expected the values of {plural(total, 'task')}, found that a worker ended after {taken}: it was stopped, or "
                "its memory did not suffice"
            ) from error
        finally:
            for future in under_way:
                future.cancel()


TASKS: Final = Path("/proc/self/task")
"""The folder in which Linux lists the threads of this process; each has its name in its file ``comm``."""

COMPUTING: Final = re.compile(r"polars-\d")
"""Polars threads that a fork must not lose; its other threads are harmless."""


class _Fork:
    """The state of a process across forks: whether polars had threads before the last one, and whether they were lost."""

    __slots__ = ("had", "lost")

    def __init__(self) -> None:
        self.had = self.lost = False

    def before(self) -> None:
        self.had = not TASKS.is_dir()  # assumed where the system does not list threads
        for thread in () if self.had else TASKS.iterdir():
            with suppress(OSError):  # it has ended since it was listed
                self.had = self.had or COMPUTING.match((thread / "comm").read_text()) is not None

    def after(self) -> None:
        self.lost = self.lost or self.had


_fork = _Fork()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_fork.before, after_in_child=_fork.after)


def refuse_fork(what: str) -> None:
    """Raises an error if polars would wait forever for threads of the parent process.

    Args:
        what: The called function.

    Raises:
        RuntimeError: This process was forked from one that had used polars.
    """
    if _fork.lost:
        raise RuntimeError(
            f"{what}: expected a process that was spawned, found one that was forked after polars had been used, where polars "
            'waits forever; write ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn"))'
        )
