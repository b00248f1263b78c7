"""Estimates the cost of a campaign far larger than one machine on a cluster: ``python -m benchmarks.cluster``; docs/scaling.md reports the result.

Tasks are created, pickled and run on this machine, at a size at which a few tasks of each kind take seconds. Their number, size and time at the full
size are extrapolated by the rules in `WORKS`. A simulation then assigns the tasks to workers in turn, as an executor does: one process
sends the tasks over one network, at most `UNDER_WAY` at a time, and receives their values in order.

    python -m benchmarks.cluster [--runs 10000] [--topics 1000] [--workers 100]
"""

from __future__ import annotations

import argparse
import heapq
import math
import pickle
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, ParamSpec, TypeVar

import numpy as np
import polars as pl

from benchmarks.timing import launched
from inexmetrics import BY, Collection, bootstrap, read_assessments, read_runs, run, t, tukey
from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.options import UNDER_WAY, RunOptions
from inexmetrics.inference import resampling
from inexmetrics.inference.error_rates import errors_on_halves
from inexmetrics.inference.means import TASK, deviations, directed_pairs, observed_pairs
from inexmetrics.inference.topic_sets import PairOfMatrices, TopicSets, ratios, statistics_on_topic_sets

Q = ParamSpec("Q")
R = TypeVar("R")

RESULTS, JUDGED = 1000, 200
"""Number of results per ranking, and number of judged documents per topic."""
TOPICS_OF_A_FILE: Final = 100
"""Number of topics in the run file that is written; its time and size are proportional to the number of topics."""
OVERHEAD: Final = 1e-3
"""Time in seconds that a scheduler spends on one task, according to dask's documentation."""
LATENCY: Final = 1e-3
"""Network latency between two machines, in seconds."""
NETWORK: Final = 1.25e9
"""Network bandwidth of the sending process in bytes per second: ten gigabits."""


@dataclass(frozen=True, slots=True)
class Task:
    """Cost of one task: CPU seconds, bytes sent and bytes returned."""

    seconds: float
    out: int
    back: int


@dataclass(frozen=True, slots=True)
class Work:
    """The tasks of a computation at its full size: the number of tasks of each kind, and the cost of one task of each kind."""

    name: str
    kinds: tuple[tuple[int, Task], ...]

    @property
    def tasks(self) -> int:
        return sum(count for count, _ in self.kinds)

    @property
    def seconds(self) -> float:
        """Total CPU time of all tasks in seconds."""
        return sum(count * task.seconds for count, task in self.kinds)

    @property
    def largest(self) -> Task:
        return max((task for _, task in self.kinds), key=lambda task: task.out + task.back)

    def in_turn(self) -> Iterator[Task]:
        """The tasks in order, with the tasks of different kinds interleaved evenly."""
        waiting = [(0.5 / count, number, count, task) for number, (count, task) in enumerate(self.kinds) if count]
        heapq.heapify(waiting)
        for _ in range(self.tasks):
            place, number, count, task = waiting[0]
            heapq.heapreplace(waiting, (place + 1 / count, number, count, task))
            yield task


class Weighing(Executor):
    """An executor that runs tasks in this process, and records the cost of each task."""

    def __init__(self) -> None:
        self.tasks: list[Task] = []

    def submit(self, fn: Callable[Q, R], /, *args: Q.args, **kwargs: Q.kwargs) -> Future[R]:
        out = len(pickle.dumps((fn, args, kwargs), protocol=5))
        start = time.process_time()
        value = fn(*args, **kwargs)
        seconds = time.process_time() - start
        self.tasks.append(Task(seconds, out, len(pickle.dumps(value, protocol=5))))
        future: Future[R] = Future()
        future.set_result(value)
        return future


def weighed(work: Callable[[RunOptions], object]) -> list[Task]:
    """Returns the recorded tasks of a computation."""
    pool = Weighing()
    work(RunOptions(executor=pool))
    return pool.tasks


def simulated(tasks: Iterable[Task], workers: int, under_way: int = UNDER_WAY) -> float:
    """Returns the seconds from sending the first task to receiving the last value, with this number of workers."""
    free = [0.0] * workers
    sent = taken = 0.0
    values: list[float] = []
    for number, task in enumerate(tasks):
        if number >= under_way:
            sent = max(sent, values[number - under_way])
        sent += OVERHEAD + task.out / NETWORK
        finished = max(heapq.heappop(free), sent + LATENCY) + task.seconds
        heapq.heappush(free, finished)
        taken = max(taken, finished + LATENCY) + task.back / NETWORK
        values.append(taken)
    return taken


def board(runs: int, topics: int) -> FloatArray:
    """Returns simulated scores of this number of runs, with four decimals."""
    return np.round(np.random.Generator(np.random.PCG64(1)).beta(2, 5, size=(runs, topics)), 4)


def of_tiles(name: str, runs: int, size: int, tasks: list[Task]) -> Work:
    """Returns a computation on pairs of runs, divided into tiles of `size` runs. For 2 * size runs, two tiles pair runs with themselves, and one tile pairs runs with other runs."""
    strips = math.ceil(runs / size)
    tasks.sort(key=lambda task: task.out)
    with_others, with_themselves = tasks[-1], tasks[0]
    return Work(name, ((strips, with_themselves), (strips * (strips - 1) // 2, with_others)))


def pairs(runs: int, topics: int) -> Iterator[Work]:
    """Returns tests of all pairs, and intervals of their differences."""
    size = math.isqrt(TASK // (2 * topics))
    scores = board(2 * size, topics)
    yield of_tiles(
        "`significance(M \\| t)`: p-values", runs, size, weighed(lambda setting: t.p_values(scores, *directed_pairs(2 * size), setting))
    )
    yield of_tiles(
        "`significance(M \\| t)`: deviations", runs, size, weighed(lambda setting: deviations(scores, *observed_pairs(scores), setting))
    )
    size = resampling.runs_held(bootstrap.b)
    scores = board(2 * size, topics)
    yield of_tiles(
        "`significance(M \\| bootstrap)`: p-values",
        runs,
        size,
        weighed(lambda setting: bootstrap.p_values(scores, *directed_pairs(2 * size), setting)),
    )
    yield of_tiles(
        "`significance(M \\| bootstrap)`: intervals",
        runs,
        size,
        weighed(lambda setting: bootstrap.intervals(scores, *observed_pairs(scores), 0.95, setting)),
    )


def whole_matrices(runs: int, topics: int, few: int = 200) -> Iterator[Work]:
    """Returns computations whose tasks need all scores. Their bytes and permutations are proportional to the number of runs, tests of all pairs to its square."""
    scores = board(few, topics)
    grown, matrix = runs / few, 8 * (runs - few) * topics
    ranges = weighed(lambda setting: tukey(b=2 * resampling.BLOCK).ranges(scores, setting))[0]
    yield Work(
        "`significance(M \\| tukey)`",
        ((tukey.b // resampling.BLOCK, replace(ranges, seconds=ranges.seconds * grown, out=ranges.out + matrix)),),
    )
    split = weighed(lambda setting: errors_on_halves(scores, (t,), 2, 0, setting))[0]
    yield Work("`error_rate(M, tests=t)`: 50 splits", ((50, replace(split, seconds=split.seconds * grown**2, out=split.out + matrix)),))
    pair, sets = PairOfMatrices(scores, scores.copy()), TopicSets(2, 0, 0.95)
    drawn = weighed(lambda setting: statistics_on_topic_sets([[pair]], (t, BY), ratios, sets, setting))[0]
    yield Work(
        "`agreement(…, test=t, resamples=1000)`", ((1000, replace(drawn, seconds=drawn.seconds * grown**2, out=drawn.out + 2 * matrix)),)
    )


def files(runs: int, topics: int) -> Iterator[Work]:
    """Returns computations on run files: files scored by the workers, or files returned as category codes."""
    with tempfile.TemporaryDirectory() as folder:
        qrels, results = Path(folder) / "a.qrels", [Path(folder) / "a.run", Path(folder) / "b.run"]
        campaign(qrels, results)
        grown = topics / TOPICS_OF_A_FILE
        scored = weighed(lambda setting: list(setting.map("files", partial(scores_of_file, qrels), results)))[-1]
        read = weighed(lambda setting: read_runs(results, executor=setting.executor))[-1]
    for name, task in (
        ("run files scored by the workers that read them: `scores(MAP + nDCG@10)`", scored),
        ("`read_runs(executor=…)`: results are returned to the main process", read),
    ):
        yield Work(name, ((runs, Task(task.seconds * grown, task.out, round(task.back * grown))),))


def campaign(qrels: Path, runs: list[Path]) -> None:
    """Writes the assessments of some topics, and runs on these topics."""
    random = np.random.Generator(np.random.PCG64(2))
    topic = pl.Series("topic", [f"{200 + number}" for number in range(TOPICS_OF_A_FILE)])

    def rows(each: int) -> pl.DataFrame:
        documents = np.concatenate([random.permutation(5 * RESULTS)[:each] for _ in topic])
        return pl.DataFrame(
            {"topic": topic.repeat_by(each).explode(), "q0": "Q0", "doc": [f"GX{number:03d}-{number * 7:07d}" for number in documents]}
        )

    rows(JUDGED).with_columns(grade=pl.Series(random.integers(0, 2, JUDGED * len(topic)))).write_csv(
        qrels, separator=" ", include_header=False
    )
    ranks = np.tile(np.arange(1, RESULTS + 1), len(topic))
    for path in runs:
        ranked = rows(RESULTS).with_columns(rank=pl.Series(ranks), score=pl.Series(np.round(20 - ranks / 100, 4)), run=pl.lit(path.stem))
        ranked.write_csv(path, separator=" ", include_header=False)


def scores_of_file(qrels: Path, path: Path) -> pl.DataFrame:
    """Returns the scores by topic of the runs of a file, as in docs/scaling.md."""
    return run("scores(MAP + nDCG@10)", Collection(read_assessments(qrels), read_runs(path))).tables["per_topic"]


def amount(bytes_: float) -> str:
    """Formats a number of bytes."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if bytes_ >= size:
            return f"{bytes_ / size:.3g} {unit}"
    return f"{bytes_:.0f} B"


def duration(seconds: float) -> str:
    """Formats a duration in seconds."""
    if seconds < 100:
        return f"{seconds:.2g} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.3g} h"


def rows(works: Iterable[Work], workers: int) -> Iterator[tuple[str, ...]]:
    """Returns the rows of the table: the tasks of each computation, and their simulation on the workers."""
    for work in works:
        largest, held = work.largest, min(UNDER_WAY, work.tasks)
        all_out = sum(count * task.out for count, task in work.kinds)
        all_back = sum(count * task.back for count, task in work.kinds)
        spent = simulated(work.in_turn(), workers)
        yield (
            work.name,
            f"{work.tasks:,}",
            amount(largest.out),
            amount(largest.back),
            duration(work.seconds / work.tasks),
            amount(held * largest.out),
            amount(all_out + all_back),
            duration(work.seconds),
            duration(spent),
            f"{work.seconds / (workers * spent):.0%}",
        )


CALLER: Final = """
import sys, warnings
from benchmarks.cluster import board
from inexmetrics import run, scores_from
warnings.simplefilter("ignore")
run("significance(MAP | t)", scores_from(board(int(sys.argv[1]), 20).T))
"""


def caller(runs: int, few: int = 1300) -> str:
    """Measures the work of the main process: hypotheses, correction, and table of pairs. With `few` runs, tasks are full, and the process stores them too."""
    first, second = (launched([sys.executable, "-c", CALLER, str(count)]) for count in (few, 2 * few))
    more = math.comb(2 * few, 2) - math.comb(few, 2)
    seconds, held = (second.spent.cpu - first.spent.cpu) / more, (second.peak - first.peak) / more
    pairs = math.comb(runs, 2)
    return (
        f"the calling process, `significance(M | t)`: {1e6 * seconds:.1f} µs and {held:.0f} B a pair; "
        f"{pairs:,} pairs: {duration(seconds * pairs)}, {amount(held * pairs)}"
    )


HEAD = (
    "work",
    "tasks",
    "task size",
    "result size",
    "time per task",
    "held at once",
    "sent in total",
    "time on one processor",
    "time on {} workers",
    "busy workers",
)


def main() -> None:
    parser = argparse.ArgumentParser(description="Simulates a cluster.")
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--topics", type=int, default=1_000)
    parser.add_argument("--workers", type=int, default=100)
    asked = parser.parse_args()
    print(f"| {' | '.join(HEAD).format(asked.workers)} |\n|---|{'---:|' * (len(HEAD) - 1)}")
    for part in (files, pairs, whole_matrices):
        for row in rows(part(asked.runs, asked.topics), asked.workers):
            print(f"| {' | '.join(row)} |", flush=True)
    print(caller(asked.runs))


if __name__ == "__main__":
    main()
