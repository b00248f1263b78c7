"""Timing of calls in this process and of whole child processes, and the table that reports it."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

PINNED = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


@dataclass(frozen=True, slots=True)
class Timed:
    """Seconds of each run, and the largest memory any of them held (bytes; 0 where it was not measured).

    `cpu` is the median of the processor's seconds, of all threads; 0 where it was not measured. Other programs do not change it much.
    """

    seconds: tuple[float, ...]
    peak: int = 0
    cpu: float = 0.0

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def timed(call: Callable[[], object], repeats: int = 5) -> Timed:
    """Calls in this process, after one that is not counted."""
    call()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return Timed(tuple(seconds))


# What getrusage tells counts the memory of the process that started this one, too; Linux tells it of this one alone.
PROLOGUE = """
import json, pathlib, sys, time
def report(seconds):
    told = pathlib.Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]
    print(json.dumps({"seconds": seconds, "peak": 1024 * int(told)}))
"""


def in_turn(programs: Sequence[str], repeats: int = 3) -> tuple[Timed, ...]:
    """Programs that print their own seconds by `report`, each in processes of its own, in turn: A A B B A A B B.

    The first of two runs is not counted: after a while without use, the memory of a virtual machine has to be given back
    to it, which takes longer than filling it.
    """
    answers: list[list[dict[str, float]]] = [[] for _ in programs]
    for _ in range(repeats):
        for program, answer in zip(programs, answers, strict=True):
            for counted in (False, True):
                done = subprocess.run(
                    [sys.executable, "-c", PROLOGUE + program], capture_output=True, text=True, check=True, env={**os.environ, **PINNED}
                )
                if counted:
                    answer.append(json.loads(done.stdout.strip().splitlines()[-1]))
    return tuple(Timed(tuple(run["seconds"] for run in answer), int(max(run["peak"] for run in answer))) for answer in answers)


# The last line of standard error: the processor's seconds of the program that was run, and the most memory it held.
EPILOGUE = """
import pathlib, sys, time
print(time.process_time(), 1024 * int(pathlib.Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]), file=sys.stderr)
"""


def cold(programs: Sequence[str], repeats: int = 3) -> list[tuple[Timed, str]]:
    """What programs take from the start of a process to its end, in turn, A B A B, and what they print; every run counts."""
    spent: list[list[tuple[float, float, int]]] = [[] for _ in programs]
    printed = [""] * len(programs)
    for _ in range(repeats):
        for number, program in enumerate(programs):
            start = time.perf_counter()
            command = [sys.executable, "-c", program + EPILOGUE]
            done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **PINNED})
            cpu, peak = done.stderr.splitlines()[-1].split()
            spent[number].append((time.perf_counter() - start, float(cpu), int(peak)))
            printed[number] = done.stdout
    found = []
    for runs, text in zip(spent, printed, strict=True):
        seconds, cpus, peaks = zip(*runs, strict=True)
        found.append((Timed(seconds, max(peaks), statistics.median(cpus)), text))
    return found


def whole_process(command: Sequence[str], repeats: int = 5) -> Timed:
    """A command from start to end, after one run that is not counted."""
    return timed(lambda: subprocess.run(command, check=True, capture_output=True), repeats)
