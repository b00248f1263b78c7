"""Limits on the time of one input, and on the memory of a whole campaign."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["bounded_memory", "deadline", "peak"]


class Hang(BaseException):
    """An input that exceeded its time limit; not an Exception, so that handlers of data errors do not catch it."""


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Limits a block to this number of CPU seconds; raises `Hang` if the block takes longer."""

    def late(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise Hang(f"expected an end within {seconds:g} CPU seconds")

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def peak() -> int:
    """Returns the peak memory of the process in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@contextmanager
def bounded_memory(megabytes: int) -> Iterator[None]:
    """Limits the additional memory of a block to this number of megabytes; larger allocations raise `MemoryError`."""
    from pathlib import Path

    held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (held + megabytes * 2**20, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
