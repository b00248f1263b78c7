"""Set-up of the program's process: streams, memory, and the signals that end the process. This module does not import anything slow.

Ctrl-C ends the process with exit code 130. SIGTERM, which is sent by `kill` and batch systems, ends the process with exit code 143.
Neither signal prints a traceback. While the program is being loaded, a signal ends the process at once. After loading, a signal raises a
`KeyboardInterrupt`, so that the program cleans up before it ends. In both cases, a signal also ends the worker processes.
"""

from __future__ import annotations

import atexit
import gc
import importlib.util
import io
import os
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Final

__all__ = ["check_memory", "exit_code_of_signal", "interrupted", "lacks_memory", "signals_wait", "take_over", "work_begins", "work_ends"]

HANDLED: Final = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
"""Signals that end the program, each with Python's default handler; signals with other handlers (in background jobs) are left alone."""

LASTING: Final = 100_000
"""Number of new objects after which Python collects garbage; with Python's default, collections take a tenth of a short command's time."""


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
    atexit.register(gc.freeze)  # saves 0.15 s at exit: garbage is not collected, because the operating system frees all memory
    for number, handler in HANDLED.items():
        if signal.getsignal(number) is handler:
            signal.signal(number, _leave)
    # If a standard stream were closed, the next opened file would get its file descriptor, and output meant for the stream would be written
    # to that file.
    while (opened := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(opened, True)
    os.close(opened)
    if sys.stderr is None:  # parts of numpy 2.0 cannot be imported without a standard error stream
        sys.stderr = os.fdopen(2, "w", closefd=False)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def work_begins() -> None:
    """Makes signals raise `KeyboardInterrupt` from now on, if `take_over` has been called."""
    for number in HANDLED:
        if signal.getsignal(number) is _leave:
            signal.signal(number, _interrupt)


def interrupted() -> bool:
    """Returns whether a signal was received, even if a library has replaced the resulting `KeyboardInterrupt` with another exception."""
    return bool(_signals.came)


def exit_code_of_signal() -> int:
    """Returns the exit code of a program that was ended by a signal: 130 after Ctrl-C, 143 after SIGTERM."""
    return 128 + (_signals.came[0] if _signals.came else signal.SIGINT)


def work_ends() -> None:
    """Makes signals end the process at once from now on, because nothing is left to clean up."""
    for number in HANDLED:
        if signal.getsignal(number) is _interrupt:
            signal.signal(number, _leave)


@contextmanager
def signals_wait() -> Iterator[None]:
    """Defers signals until the end of the block; processes that are started in the block ignore Ctrl-C, which the main process handles."""
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
    """Terminates the worker processes, because they ignore Ctrl-C."""
    if "multiprocessing.process" in sys.modules:
        with suppress(ImportError):  # if multiprocessing is only partly imported, no worker process was started
            from multiprocessing import active_children

            for child in active_children():
                child.terminate()


LOADED: Final = 1500
"""Megabytes of address space needed to read two short files (measured: 1.12 to 1.42 GB with 1 or 2 threads, mostly reserved but unused)."""
THREAD: Final = 16
"""Megabytes of address space that each thread of polars and OpenBLAS needs for stack and reserved memory (64 polars threads: 1.91 GB)."""
DRAWING: Final = 68_000
"""Address space, in megabytes, that the JavaScript engine reserves to draw a chart of any size (67.0 GB measured)."""
MEGABYTE: Final = 10**6
SIGNS: Final = ("failed to map segment", "cannot allocate memory", "can't start new thread")
"""Texts that occur in error messages if there is not enough memory to load a library or to start a thread."""


OF_ALL: Final = 1.5
"""Estimated address space that reading needs for each byte of all files together (measured: 175 MB of runs in 16 files need 250 to 370 MB)."""
OF_LARGEST: Final = 8
"""Estimated further address space for each byte of the largest file, which is parsed as a whole (measured: a run of 37 MB needs 170 to 320 MB)."""
LARGE: Final = 10
"""Size of all files, in megabytes, from which an error about the address space names the size."""
PACKED: Final = {".gz": 4, ".zst": 4, ".parquet": 3}
"""Estimated size of the contents of compressed files, as a multiple of the size of the file."""


def _sizes(paths: Iterable[Path]) -> list[int]:
    """Returns the estimated sizes of the contents of all files, including the files in folders; missing files are ignored."""
    sizes = []
    for path in paths:
        files = [Path(folder, name) for folder, _, names in os.walk(path) for name in names] if path.is_dir() else [path]
        for file in files:
            with suppress(OSError):
                sizes.append(file.stat().st_size * PACKED.get(file.suffix.lower(), 1))
    return sizes


def check_memory(paths: Iterable[Path] = (), *, draws: bool = False) -> None:
    """Raises an error if the limit on address space is too low to load the libraries and to read the files.

    If the limit on address space is too low, polars hangs or aborts and ignores signals, and the engine that draws charts aborts.

    Args:
        paths: The files and folders that are read. The address space that they need is estimated from their sizes.
        draws: Whether charts are drawn; ignored if the drawing library is not installed.

    Raises:
        CollectionError: The limit is too low.
    """
    if sys.platform == "win32":  # Windows does not have a limit on address space
        return
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return
    engine = draws and importlib.util.find_spec("vl_convert") is not None
    asked = os.environ.get("POLARS_MAX_THREADS", "")
    if not asked.isdecimal() or not int(asked):
        asked = str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    sizes = _sizes(paths)
    needed = LOADED + THREAD * int(asked) + DRAWING * engine + round((OF_ALL * sum(sizes) + OF_LARGEST * max(sizes, default=0)) / MEGABYTE)
    if limit < needed * MEGABYTE:
        from inexmetrics.common.errors import CollectionError  # imported only when an error is raised

        purpose = " to draw charts" if engine else ""
        if (megabytes := sum(sizes) // MEGABYTE) >= LARGE:
            purpose += f"{' and' if purpose else ''} to read files of {megabytes} MB"
        raise CollectionError(
            f"expected an address space of at least {needed} MB{purpose}, found a limit of {limit // MEGABYTE} MB; "
            "raise it (ulimit -v in a shell, h_vmem or the like in a batch system)"
        )


def lacks_memory(error: Exception) -> bool:
    """Returns whether an error was caused by insufficient memory."""
    return isinstance(error, MemoryError) or any(sign in str(error).lower() for sign in SIGNS)
