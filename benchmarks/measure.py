"""Measures a work, or a growth: its processes in turn, and what each of them took."""

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
"""Calls of each size of a growth, after the first."""


def measured(work: Work, data: Data) -> Row:
    """What a work and what stands beside it take.

    Raises:
        RuntimeError: A process failed, or both sides print other things.
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
    """Warm runs; of tiny data one is enough."""
    return 1 if data.tiny else work.repeats


def _of_processes(runs: Sequence[Ran]) -> Side:
    return side(runs[0].spent, [run.spent for run in runs[1:]], max(run.peak for run in runs))


def _inside(way: Inside, work: Work, data: Data) -> tuple[Side, Side]:
    """Both sides of calls, in one process or each in processes of its own."""
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
    """A side of the seconds that processes print: the first call of the first process, and the later ones of all."""
    seconds = [[Spent(*each) for each in json.loads(run.printed)[name]] for run in runs]
    return side(seconds[0][0], [each for process in seconds for each in process[1:]], max(run.peak for run in runs))


def _divided(spent: Spent, share: float) -> Spent:
    return Spent(spent.wall / share, spent.cpu / share)


def grown(growth: Growth, data: Data) -> Grown:
    """The seconds of processors of each size: medians of calls in one process."""
    occasion = now()
    found = json.loads(launched(_calls(growth.name, data, ROUNDS)).printed)
    return Grown({int(size): statistics.median(cpu for _, cpu in seconds[1:]) for size, seconds in found.items()}, occasion)
