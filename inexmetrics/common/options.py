"""Options that determine how an experiment is computed."""

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

__all__ = [
    "DIRECTIONS",
    "Compat",
    "Direction",
    "Missing",
    "Order",
    "PaperWidth",
    "Progress",
    "Requirement",
    "Rows",
    "RunFormat",
    "RunOptions",
    "refuse_fork",
    "silent",
    "with_progress",
]

T = TypeVar("T")
R = TypeVar("R")

THREADS: Final = 4
"""Maximum number of threads; limited because the data of every thread's task are in memory."""
UNDER_WAY: Final = 256
"""Maximum number of tasks that are submitted to an executor at a time; limited to save memory in the executor's scheduler."""
LOST: Final = frozenset({"BrokenExecutor", "ExecutorlibSocketError"})
"""Names of the errors that executors raise if a worker is lost. After these errors, waiting tasks are not cancelled, because some executors
would then hang."""

Compat: TypeAlias = Literal["inex_eval"]
Order: TypeAlias = Literal["file", "rank", "score"]
"""The column that determines the ranking of results; *file* is the order of the rows."""
Missing: TypeAlias = Literal["error", "drop-topics", "drop-runs", "zero"]
"""Treatment of missing scores: raise an error, exclude their topics, exclude their runs, or replace the scores with 0."""
Requirement: TypeAlias = Literal["better", "not_worse", "equivalent"]
"""A requirement that a run must meet against every opponent."""
RunFormat: TypeAlias = Literal["fol", "trec", "xpath", "inex", "parquet"]
"""Formats in which runs are written."""
Direction: TypeAlias = Literal["higher", "lower"]
"""Whether higher or lower scores of a measure are better."""
DIRECTIONS: Final[tuple[Direction, ...]] = get_args(Direction)
PaperWidth: TypeAlias = Literal["column", "page"]
"""Width of a table in a paper: the width of one of two columns, or of the page."""
Rows: TypeAlias = int | Literal["all"] | None
"""Number of rows of each table that are shown; None shows at most 40 rows of each table and at most 60 lines in total."""
Progress: TypeAlias = Callable[[str, int, int], None]
"""Function that reports progress, given the name of a computation, the number of completed steps, and the total number of steps."""


def silent(what: str, done: int, total: int) -> None:
    """Ignores the progress of a computation; the default of the option `progress`."""


def with_progress(values: Iterable[T], what: str, total: int, progress: Progress) -> Iterator[T]:
    """Yields the values of a computation, and reports progress after each value."""
    progress(what, 0, total)
    for done, value in enumerate(values, start=1):
        progress(what, done, total)
        yield value


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options that determine how an experiment is computed. Only `compat` is compared, because the other options do not change results.

    Attributes:
        compat: Name of the evaluator whose deviations from the published definitions are reproduced, or None.
        executor: Executor that runs long computations; None runs them in this process. Results are identical, bit for bit, with every
            executor.
        progress: Function that is called to report the progress of long computations.

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
        """Applies a function to each task, and yields the results in the order of the tasks; two or more tasks run on the executor, if any.

        At most 256 tasks are submitted at a time; further tasks are created and submitted as values are yielded. A task that fails is
        submitted once more. If it fails again, or the caller stops, tasks that have not started are cancelled.

        Args:
            what: Name of the computation in the progress bar. The progress bar counts completed tasks, which may complete in any order.
            function: Function that computes the value for a task.
            tasks: Tasks.
            total: Number of tasks; required only if `tasks` is an iterator that creates tasks on demand.
            threads: Whether tasks run on threads of this process if there is no executor. Threads are useful for functions that spend most
                of their time in numpy, which releases the global interpreter lock.

        Raises:
            BrokenExecutor: A worker ended before completing its task.
        """
        if total is None:
            tasks = list(tasks)
            total = len(tasks)
        if self.executor is not None and total > 1:
            yield from self._submit(what, total, self.executor, function, iter(tasks), most=UNDER_WAY)
        elif threads and total > 1:
            most = min(THREADS, os.cpu_count() or 1)
            with ThreadPoolExecutor(most) as here:
                yield from self._submit(what, total, here, function, iter(tasks), most=2 * most)
        else:
            yield from with_progress(map(function, tasks), what, total, self.progress)

    def _submit(
        self, what: str, total: int, executor: Executor, function: Callable[[T], R], tasks: Iterator[T], *, most: int
    ) -> Iterator[R]:
        """Yields the values of tasks in order; submits tasks on demand, so that at most `most` are pending."""
        self.progress(what, 0, total)
        under_way = deque[tuple[Future[R], T]]()
        taken = reported = 0
        try:
            while taken < total:
                under_way.extend((executor.submit(function, task), task) for task in islice(tasks, most - len(under_way)))
                while True:
                    running = [future for future, _ in under_way if not future.done()]
                    done = taken + len(under_way) - len(running)
                    for number in range(reported, done):
                        self.progress(what, number + 1, total)
                    reported = done
                    if under_way[0][0].done():
                        break
                    wait(running, return_when=FIRST_COMPLETED)
                future, task = under_way.popleft()
                if _fails_without_reason(future):
                    future = executor.submit(function, task)
                yield future.result()
                taken += 1
        except Exception as error:
            if not _lost(error):
                raise
            under_way.clear()
            raise BrokenExecutor(
                f"{what}: expected the values of {plural(total, 'task')}, found that a worker ended after {taken}: it was stopped, or "
                "its memory did not suffice"
            ) from error
        finally:
            for future, _ in under_way:
                future.cancel()


def _lost(error: BaseException) -> bool:
    return not LOST.isdisjoint(kind.__name__ for kind in type(error).__mro__)


def _fails_without_reason(future: Future[R]) -> bool:
    """Returns whether a completed task may succeed if it is submitted again: dask can report a completed task as failed after it lost a worker."""
    error = future.exception()
    return error is not None and not isinstance(error, CollectionError) and not _lost(error)


TASKS: Final = Path("/proc/self/task")
"""Folder in which Linux lists the threads of this process; the file ``comm`` in the folder of a thread contains the thread's name."""

COMPUTING: Final = re.compile(r"polars-\d")
"""Regular expression for the names of polars' computing threads. A forked process lacks these threads, so polars cannot compute there."""


class _Fork:
    """Records whether this process was forked after polars had started its threads.

    Attributes:
        had: Whether polars had started its threads before the last fork.
        lost: Whether this process lacks the threads of polars, because they were started before a fork.
    """

    __slots__ = ("had", "lost")

    def __init__(self) -> None:
        self.had = self.lost = False

    def before(self) -> None:
        self.had = not TASKS.is_dir()  # if the system cannot list threads, polars is assumed to have threads
        for thread in () if self.had else TASKS.iterdir():
            with suppress(OSError):  # the thread has ended since it was listed
                self.had = self.had or COMPUTING.match((thread / "comm").read_text()) is not None

    def after(self) -> None:
        self.lost = self.lost or self.had


_fork = _Fork()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_fork.before, after_in_child=_fork.after)


def refuse_fork(what: str) -> None:
    """Raises an error if polars would wait forever for threads that exist only in the parent process.

    Args:
        what: Name of the function that the user called, for the error message.

    Raises:
        RuntimeError: This process was forked after polars had been used.
    """
    if _fork.lost:
        raise RuntimeError(
            f"{what}: expected a spawned process, found a process that was forked after polars had been used, in which polars would "
            'never return; write ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn"))'
        )
