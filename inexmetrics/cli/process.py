"""The process that the program runs in: its streams, and Ctrl-C. Nothing that takes time is loaded here.

Ctrl-C ends the process with exit code 130, without a traceback: at once while the program is being loaded; once work has
begun, by a `KeyboardInterrupt` that puts in order what is begun. Another one ends worker processes too, and does not wait.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import Final

__all__ = ["INTERRUPTED", "interrupted", "take_over", "work_begins", "work_ends"]

INTERRUPTED: Final = 130
"""The exit code of a program that was interrupted."""


def take_over() -> None:
    """Makes the process ready: for Ctrl-C, for streams that are closed, and for those that lack some characters."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a shell lets work in the background ignore it
        signal.signal(signal.SIGINT, _leave)
    # A file opened in place of a closed stream would be written to by whoever means the stream.
    while (opened := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(opened, True)
    os.close(opened)
    if sys.stderr is None:  # parts of numpy 2.0 cannot be imported without one
        sys.stderr = os.fdopen(2, "w", closefd=False)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def work_begins() -> None:
    """From here on Ctrl-C raises `KeyboardInterrupt`, in a process that was taken over."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, _interrupt)


def interrupted() -> bool:
    """Whether there was a Ctrl-C, which some library may have turned into another error."""
    return signal.getsignal(signal.SIGINT) is _insist


def work_ends() -> None:
    """From here on nothing is left to be put in order: a further Ctrl-C ends the process at once."""
    if signal.getsignal(signal.SIGINT) in {_interrupt, _insist}:
        signal.signal(signal.SIGINT, _leave)


def _leave(number: int, frame: FrameType | None) -> None:
    del number, frame
    _end_workers()
    os._exit(INTERRUPTED)


def _interrupt(number: int, frame: FrameType | None) -> None:
    del number, frame
    signal.signal(signal.SIGINT, _insist)
    raise KeyboardInterrupt


def _insist(number: int, frame: FrameType | None) -> None:
    del number, frame
    _end_workers()
    raise KeyboardInterrupt


def _end_workers() -> None:
    """Ends the processes that this one started; workers leave Ctrl-C to it."""
    if "multiprocessing.process" in sys.modules:
        with suppress(ImportError):  # it is being loaded, and nothing was started with it
            from multiprocessing import active_children

            for child in active_children():
                child.terminate()
