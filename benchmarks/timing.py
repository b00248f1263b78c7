"""Times processes, which are started by `launch.py`; a process may also time calls within itself.

The first run is cold: a fresh process, whose input files were dropped from the kernel's cache. Caches of the processor and of other programs,
and the byte code of modules, are not dropped. The later runs are warm.
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["PINNED", "Ran", "Side", "Spent", "alternating", "forget", "launched", "side"]

PINNED: Final = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""Environment with one thread for matrix products, because parallel products of small matrices wait for each other."""
LONGEST: Final = 900.0
"""Seconds after which a process is ended."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Time of one run in seconds: wall time, and CPU time of all processors (user and system)."""

    wall: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Ran:
    """A process that ended: its time, its peak memory in bytes, and its output."""

    spent: Spent
    peak: int
    printed: str


@dataclass(frozen=True, slots=True)
class Side:
    """A task or its baseline: the cold run, the warm runs, and the highest peak memory of the runs, in bytes.

    The wall time of the warm runs is their median. Their CPU time is the minimum, because other programs only lengthen it.
    """

    cold: Spent
    warm: Spent
    peak: int


def launched(command: Sequence[str]) -> Ran:
    """Runs a command, and returns its time from the start of its process to its end.

    Raises:
        RuntimeError: The command failed, or did not end in time.
    """
    starting = [sys.executable, "-I", "-S", str(Path(__file__).with_name("launch.py")), *command]
    with subprocess.Popen(
        starting, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **PINNED}, start_new_session=True
    ) as process:
        try:
            printed, errors = process.communicate(timeout=LONGEST)
        except BaseException as stopped:
            os.killpg(process.pid, signal.SIGKILL)  # the launcher, and the processes that it has started
            if isinstance(stopped, subprocess.TimeoutExpired):
                raise RuntimeError(f"{' '.join(command)}: did not end in {LONGEST:.0f} s") from None
            raise
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)}: {errors}")
    found = json.loads(errors.splitlines()[-1])
    return Ran(Spent(found["wall"], found["cpu"]), found["peak"], printed)


def forget(files: Iterable[Path]) -> None:
    """Drops files from the kernel's cache, so that they are read from the disk again; does nothing if the system does not support this."""
    if not hasattr(os, "posix_fadvise"):
        return
    for path in files:
        with path.open("rb") as file:
            os.fsync(file.fileno())  # data that are not yet written are not dropped
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def alternating(commands: Mapping[str, Sequence[str]], files: Sequence[Path], repeats: int) -> Mapping[str, list[Ran]]:
    """Runs commands in turn, A B A B, with the files of each command dropped from the cache before its first run."""
    runs: dict[str, list[Ran]] = {name: [] for name in commands}
    for number in range(repeats + 1):
        for name, command in commands.items():
            if number == 0:
                forget(files)
            runs[name].append(launched(command))
    return runs


def side(cold: Spent, warm: Sequence[Spent], peak: int) -> Side:
    """Returns the times of a side, computed from its runs."""
    return Side(cold, Spent(statistics.median(run.wall for run in warm), min(run.cpu for run in warm)), peak)
