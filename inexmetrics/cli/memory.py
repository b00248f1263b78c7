"""Memory that the process may use: a limit that is too low ends in one line, not in a hang or an abort of a library."""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import Final

from inexmetrics.common.errors import CollectionError

__all__ = ["check_memory", "lacks_memory"]

LOADED: Final = 1500
"""Megabytes of address space for two files of two lines: 1.12 to 1.42 GB were measured with 1 and 2 threads, most of it reserved only."""
THREAD: Final = 16
"""Megabytes of address space for each further thread of polars and OpenBLAS: stack and reserves (64 threads of polars alone: 1.91 GB)."""
DRAWING: Final = 68_000
"""Megabytes of address space that the JavaScript engine reserves to draw a chart (67.0 GB measured), whatever it uses."""
MEGABYTE: Final = 10**6
SIGNS: Final = ("failed to map segment", "cannot allocate memory", "can't start new thread")
"""What loading a library or starting a thread says if memory lacks."""


def check_memory(*, draws: bool = False) -> None:
    """Make sure that the limit of address space suffices to load the libraries.

    Below it, polars hangs or aborts on the smallest file, and signals do not end it; the engine that draws charts aborts.

    Args:
        draws: Whether charts are drawn, if what draws them is installed.

    Raises:
        CollectionError: It is too low.
    """
    if sys.platform == "win32":  # has no such limit
        return
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    engine = draws and importlib.util.find_spec("vl_convert") is not None
    needed = LOADED + THREAD * _threads() + DRAWING * engine
    if limit != resource.RLIM_INFINITY and limit < needed * MEGABYTE:
        raise CollectionError(
            f"expected an address space of at least {needed} MB{' to draw charts' if engine else ''}, found a limit of {limit // MEGABYTE} MB; "
            "raise it (ulimit -v in a shell, h_vmem or the like in a batch system)"
        )


def lacks_memory(error: Exception) -> bool:
    """Return whether an error says that memory lacks."""
    return isinstance(error, MemoryError) or any(sign in str(error).lower() for sign in SIGNS)


def _threads() -> int:
    """Return the number of threads that polars starts."""
    asked = os.environ.get("POLARS_MAX_THREADS", "")
    if asked.isdecimal() and int(asked):
        return int(asked)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
