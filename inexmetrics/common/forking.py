"""Whether this process can use polars: its threads do not come along when a process is forked."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

__all__ = ["refuse_fork"]

THREADS: Final = Path("/proc/self/task")
"""Where Linux lists the threads of this process; each names itself in its file ``comm``."""

COMPUTING: Final = re.compile(r"polars-\d")
"""Polars' threads that a fork must not lose; others, which importing it starts, do no harm."""


class _Fork:
    """State of a process across forks: whether polars had threads before the last one, and whether they were lost."""

    __slots__ = ("had", "lost")

    def __init__(self) -> None:
        self.had = self.lost = False

    def before(self) -> None:
        self.had = _has_threads()

    def after(self) -> None:
        self.lost = self.lost or self.had


def _has_threads() -> bool:
    """Whether polars has started its threads in this process; assumed where the system does not list threads."""
    if not THREADS.is_dir():
        return True
    return any(COMPUTING.match(_name(thread)) for thread in THREADS.iterdir())


def _name(thread: Path) -> str:
    try:
        return (thread / "comm").read_text()
    except OSError:  # it has ended since it was listed
        return ""


_fork = _Fork()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_fork.before, after_in_child=_fork.after)


def refuse_fork(what: str) -> None:
    """Refuses to work where polars would wait forever for threads that the parent process had.

    Args:
        what: What was called.

    Raises:
        RuntimeError: This process was forked from one that had used polars.
    """
    if _fork.lost:
        raise RuntimeError(
            f"{what}: expected a process that was spawned, found one that was forked after polars had been used, where polars "
            'waits forever; write ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn"))'
        )
