"""Measures a benchmark or a growth: runs its processes in turn, and records the time and memory of each process."""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Sequence

from benchmarks.measured import Grown, Row, now
from benchmarks.timing import Ran, Side, Spent, alternating, launched, side
from benchmarks.works.base import Data, Growth, Inside, Whole, Work

__all__ = ["grown", "measured"]

ROUNDS = 3
"""Number of calls for each size of a growth, after the first call."""


def measured(work: Work, data: Data) -> Row:
    """Returns the measurements of a task and its baseline.

    Raises:
        RuntimeError: A process failed, or the two sides print different results.
    """
    occasion = now()
    match work.way:
        case Whole() as way:
            runs = alternating({"ours": way.ours(data), "beside": way.beside(data)}, way.files(data), _repeats(work, data))
            if way.same is not None:
                way.same(runs["ours"][-1].printed, runs["beside"][-1].printed)
            return Row(_of_processes(runs["ours"]), _of_processes(runs["beside"]), occasion)
        case Inside() as way:
            return Row(*_inside(way, work, data), occasion)


def _repeats(work: Work, data: Data) -> int:
    """Returns the number of warm runs; for tiny data, one run."""
    return 1 if data.tiny else work.repeats


def _of_processes(runs: Sequence[Ran]) -> Side:
    return side(runs[0].spent, [run.spent for run in runs[1:]], max(run.peak for run in runs))


def _inside(way: Inside, work: Work, data: Data) -> tuple[Side, Side]:
    """Measures the calls of both sides, in one process or in separate processes."""
    way.needs(data)
    repeats = _repeats(work, data)
    sides = ("ours", "beside")
    if way.apart:
        commands = {name: _calls(work.name, data, repeats, name) for name in sides}
        runs = alternating(commands, (), 1 if repeats > 1 else 0)
    else:
        both = launched(_calls(work.name, data, repeats))
        runs = {name: [both] for name in sides}
    ours, beside = (_of_calls(name, runs[name]) for name in sides)
    share = way.part
    return ours, Side(_divided(beside.cold, share), _divided(beside.warm, share), beside.peak)


def _calls(name: str, data: Data, repeats: int, *sides: str) -> list[str]:
    return [sys.executable, "-m", "benchmarks.calls", name, str(data.root), "tiny" if data.tiny else "full", str(repeats), *sides]


def _of_calls(name: str, runs: Sequence[Ran]) -> Side:
    """Returns the times of one side from the output of its processes: the first call of the first process, and the later calls of all processes."""
    seconds = [[Spent(*each) for each in json.loads(run.printed)[name]] for run in runs]
    return side(seconds[0][0], [each for process in seconds for each in process[1:]], max(run.peak for run in runs))


def _divided(spent: Spent, share: float) -> Spent:
    return Spent(spent.wall / share, spent.cpu / share)


def grown(growth: Growth, data: Data) -> Grown:
    """Returns the CPU seconds for each size: the median of calls in one process."""
    occasion = now()
    found = json.loads(launched(_calls(growth.name, data, ROUNDS)).printed)
    return Grown({int(size): statistics.median(cpu for _, cpu in seconds[1:]) for size, seconds in found.items()}, occasion)
