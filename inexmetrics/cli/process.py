"""The process of the program: its streams, its memory, and the signals that end it. Nothing slow is imported here.

Ctrl-C ends the process with exit code 130, and SIGTERM, sent by `kill` and batch systems, with 143, without a traceback: at
once while the program is being loaded; after that by a `KeyboardInterrupt`, which cleans up. Worker
processes are ended in either case.
"""

from __future__ import annotations

import atexit
import gc
import importlib.util
import io
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final

__all__ = ["check_memory", "exit_code_of_signal", "interrupted", "lacks_memory", "signals_wait", "take_over", "work_begins", "work_ends"]

HANDLED: Final = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
"""The signals that end the program, each with Python's own handler: a shell makes background jobs ignore Ctrl-C."""

LASTING: Final = 100_000
"""Number of new objects before garbage collection: searching all loaded modules takes a tenth of a short command."""


class _Signals:
    """The signals received, in order, and whether they are deferred."""

    __slots__ = ("came", "wait")

    def __init__(self) -> None:
        self.came: list[int] = []
        self.wait = False


_signals = _Signals()


def take_over() -> None:
    """Prepares the process for signals, for closed streams, and for streams with a limited encoding."""
    gc.set_threshold(LASTING)
    atexit.register(gc.freeze)  # the remaining objects end with the process; collecting garbage among them would take 0.15 s
    for number, handler in HANDLED.items():
        if signal.getsignal(number) is handler:
            signal.signal(number, _leave)
    # A file opened instead of a closed stream would receive everything written to the stream.
    while (opened := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(opened, True)
    os.close(opened)
    if sys.stderr is None:  # parts of numpy 2.0 cannot be imported without one
        sys.stderr = os.fdopen(2, "w", closefd=False)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def work_begins() -> None:
    """Lets signals raise `KeyboardInterrupt` from here on, in a process that was taken over."""
    for number in HANDLED:
        if signal.getsignal(number) is _leave:
            signal.signal(number, _interrupt)


def interrupted() -> bool:
    """Returns whether a signal was received, which a library may have turned into another error."""
    return bool(_signals.came)


def exit_code_of_signal() -> int:
    """Returns the exit code of a program ended by a signal: 130 after Ctrl-C, 143 after SIGTERM."""
    return 128 + (_signals.came[0] if _signals.came else signal.SIGINT)


def work_ends() -> None:
    """Lets a further signal end the process at once, because nothing is left to clean up."""
    for number in HANDLED:
        if signal.getsignal(number) is _interrupt:
            signal.signal(number, _leave)


@contextmanager
def signals_wait() -> Iterator[None]:
    """Defers signals until the block has ended; processes started in it leave Ctrl-C to this one from the beginning."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if hasattr(signal, "pthread_sigmask") else None
    came, _signals.wait = len(_signals.came), True
    try:
        yield
    finally:
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        _signals.wait = False
        if len(_signals.came) > came:
            _end_workers()
            raise KeyboardInterrupt


def _leave(number: int, frame: FrameType | None) -> None:
    del frame
    _signals.came.append(number)
    _end_workers()
    os._exit(exit_code_of_signal())


def _interrupt(number: int, frame: FrameType | None) -> None:
    del frame
    _signals.came.append(number)
    if not _signals.wait:
        _end_workers()
        raise KeyboardInterrupt


def _end_workers() -> None:
    """Ends the processes that this one started; workers leave Ctrl-C to it."""
    if "multiprocessing.process" in sys.modules:
        with suppress(ImportError):  # it is being imported, so it has not started any process
            from multiprocessing import active_children

            for child in active_children():
                child.terminate()


LOADED: Final = 1500
"""Megabytes of address space for two files of two lines: 1.12 to 1.42 GB were measured with 1 and 2 threads, most of it only reserved."""
THREAD: Final = 16
"""Megabytes of address space for each further thread of polars and OpenBLAS: stack and reserves (64 threads of polars alone: 1.91 GB)."""
DRAWING: Final = 68_000
"""Megabytes of address space that the JavaScript engine reserves for a chart (67.0 GB measured), regardless of its use."""
MEGABYTE: Final = 10**6
SIGNS: Final = ("failed to map segment", "cannot allocate memory", "can't start new thread")
"""Error messages of loading a library or starting a thread without enough memory."""


def check_memory(*, draws: bool = False) -> None:
    """Checks that the limit of address space is high enough to load the libraries.

    Below it, polars hangs or aborts on the smallest file, and signals do not end it; the engine that draws charts aborts.

    Args:
        draws: Whether charts are drawn, if the drawing library is installed.

    Raises:
        CollectionError: The limit is too low.
    """
    if sys.platform == "win32":  # Windows does not have this limit
        return
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    engine = draws and importlib.util.find_spec("vl_convert") is not None
    asked = os.environ.get("POLARS_MAX_THREADS", "")
    if not asked.isdecimal() or not int(asked):
        asked = str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    needed = LOADED + THREAD * int(asked) + DRAWING * engine
    if limit != resource.RLIM_INFINITY and limit < needed * MEGABYTE:
        from inexmetrics.common.errors import CollectionError  # imported when it is needed

        raise CollectionError(
            f"expected an address space of at least {needed} MB{' to draw charts' if engine else ''}, found a limit of {limit // MEGABYTE} MB; "
            "raise it (ulimit -v in a shell, h_vmem or the like in a batch system)"
        )


def lacks_memory(error: Exception) -> bool:
    """Returns whether an error means that memory was insufficient."""
    return isinstance(error, MemoryError) or any(sign in str(error).lower() for sign in SIGNS)
