"""The one way to time: processes, each started by `launch.py`, which run in turn; a process may time calls of its own.

The first run is the cold one: a fresh process, whose files the kernel was told to drop from its memory. What the processor and the
kernel keep of other programs, and the byte code of modules, stay as they are. The later runs are the warm ones; their median counts.
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
"""One thread for each product of matrices, as the parallel ones of small matrices wait for each other."""
LONGEST: Final = 900.0
"""Seconds after which a process is ended."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds of one run: by the clock, and of all processors together, the system's work included."""

    wall: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Ran:
    """A process that ended: what it took, the most memory it held, in bytes, and what it printed."""

    spent: Spent
    peak: int
    printed: str


@dataclass(frozen=True, slots=True)
class Side:
    """A work, or what stands beside it: the cold run, the median of the warm ones, and the most memory, in bytes, that any held."""

    cold: Spent
    warm: Spent
    peak: int


def launched(command: Sequence[str]) -> Ran:
    """What a command takes from the start of its process to its end.

    Raises:
        RuntimeError: It failed, or did not end in time.
    """
    starting = [sys.executable, "-I", "-S", str(Path(__file__).with_name("launch.py")), *command]
    with subprocess.Popen(
        starting, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **PINNED}, start_new_session=True
    ) as process:
        try:
            printed, errors = process.communicate(timeout=LONGEST)
        except BaseException as stopped:
            os.killpg(process.pid, signal.SIGKILL)  # the launcher, and what it has started
            if isinstance(stopped, subprocess.TimeoutExpired):
                raise RuntimeError(f"{' '.join(command)}: did not end in {LONGEST:.0f} s") from None
            raise
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)}: {errors}")
    found = json.loads(errors.splitlines()[-1])
    return Ran(Spent(found["wall"], found["cpu"]), found["peak"], printed)


def forget(files: Iterable[Path]) -> None:
    """Has the kernel drop what it holds of files, so that they are read from the disk again; where it cannot be asked, nothing."""
    if not hasattr(os, "posix_fadvise"):
        return
    for path in files:
        with path.open("rb") as file:
            os.fsync(file.fileno())  # what is not written yet is not dropped
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def alternating(commands: Mapping[str, Sequence[str]], files: Sequence[Path], repeats: int) -> Mapping[str, list[Ran]]:
    """Commands in turn, A B A B, the first time of each without its files in memory."""
    runs: dict[str, list[Ran]] = {name: [] for name in commands}
    for number in range(repeats + 1):
        for name, command in commands.items():
            if number == 0:
                forget(files)
            runs[name].append(launched(command))
    return runs


def side(cold: Spent, warm: Sequence[Spent], peak: int) -> Side:
    """A side of its runs."""
    return Side(cold, Spent(statistics.median(run.wall for run in warm), statistics.median(run.cpu for run in warm)), peak)
