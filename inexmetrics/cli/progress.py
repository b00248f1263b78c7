"""Progress bars on standard error, for work that takes longer than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from inexmetrics.common.options import Progress, silent

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

__all__ = ["watched"]

PATIENCE: Final = 1.0
"""Seconds before progress is shown."""


class _Watch:
    """Shows the progress of each kind of work, once the whole has taken longer than `PATIENCE`."""

    __slots__ = ("_bars", "_clock", "_started", "_tasks")

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._started = clock()
        self._bars: Bars | None = None
        self._tasks: dict[str, TaskID] = {}

    def __call__(self, what: str, done: int, total: int) -> None:
        if self._bars is None:
            if self._clock() - self._started < PATIENCE or done == total:
                return
            self._bars = _bars()
            self._bars.start()
        if what not in self._tasks:
            self._tasks[what] = self._bars.add_task(what, total=total)
        self._bars.update(self._tasks[what], completed=done, total=total)

    def stop(self) -> None:
        if self._bars is not None:
            self._bars.stop()


def _bars() -> Bars:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(file=sys.stderr), transient=True)


@contextmanager
def watched(wanted: bool, clock: Callable[[], float] = time.monotonic) -> Iterator[Progress]:
    """Shows progress while the block runs, if it is wanted and standard error is a terminal."""
    if not (wanted and sys.stderr is not None and sys.stderr.isatty()):
        yield silent
        return
    watch = _Watch(clock)
    try:
        yield watch
    finally:
        watch.stop()
