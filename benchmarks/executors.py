"""Checks that the result of each computation is byte-identical on each installed executor and in one process; docs/scaling.md reports the outcome.

``python -m benchmarks.executors`` runs every computation of `WORKS` on two workers of each executor, in small tasks, and kills a worker during
one of the tasks. ``--only WORD…`` selects executors whose names contain a word. Each executor is tested in separate processes, which are ended if they wait
longer than `PATIENCE`. mpi4py's processes are started by ``mpiexec``; SLURM's processes are jobs in its default partition.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from unittest.mock import patch

import numpy as np

from benchmarks.timing import PINNED
from inexmetrics import Collection, Experiment, Runs, Scores, parse, read_runs, sample, scores_from, write_runs
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.assessors import set_scores
from inexmetrics.inference import all_pairs as stepdown
from inexmetrics.inference import all_pairs as tukey
from inexmetrics.inference import means as pair_tasks
from inexmetrics.inference import resampling
from tests.examples import TESTS

ROOT: Final = Path(__file__).resolve().parents[1]
PATIENCE: Final = 300.0
"""Seconds after which a process is ended, because the process probably waits for a lost worker."""
READING: Final = "read_runs"
"""Name of the computation that reads files; all other computations are formulas."""
WORKS: Final = (
    ("sample", READING),
    *(("board", f"significance(MAP | {test})") for test in TESTS.values() if not test.clusters),
    ("board", "ranks(MAP)"),
    ("board", 'versus("17", MAP)'),
    ("board", "calibration(MAP, tests=(t, bootstrap(b=200)), boards=16)"),
    ("board", 'meta(MAP, within="third")'),
    ("twelve runs", "design(MAP ~ pooled(3) + 1, truth=1, cost=(1, 1), topics=(7, 14))"),
    ("board", "error_rate(MAP, splits=16, tests=(t, bootstrap(b=500)))"),
    ("sample", "agreement(MAep ~ Gen5 + BinExh | t, resamples=100)"),
    ("sample", 'judges(MAP ~ assessor("second") + assessor("third"), truth=assessor("first"))'),
    ("sample", 'ppi(MAP ~ assessor("second"), truth=assessor("first"))'),
    ("sample", 'agreement(P@10 ~ weighted(0.5, assessor("first"), judge=assessor("second")) + assessor("first"), draws=3)'),
    ("sample", "fidelity(MAP)"),
    ("sample", "assessors(MAP, sets=9000)"),
    ("sample", "scores(EPRUM(navigation=hierarchy)@0.5 + MAEPRUM(navigation=hierarchy) ~ BinExh)"),
    ("sample", "degradation(MAEPRUM(navigation=hierarchy) ~ BinExh, moves=(0, 0.5))"),
)
"""Sources and formulas of all computations in the table of docs/scaling.md."""
KILLED_IN: Final = "error_rate(MAP, splits=16, tests=(t, bootstrap(b=500)))"
"""The computation during which a worker is killed."""


@cache
def board() -> Scores:
    """Returns scores of 24 runs on 30 topics, in three datasets of ten topics."""
    scores = scores_from(np.round(np.random.default_rng(5).beta(2, 5, size=(30, 24)), 3))
    return replace(scores, clusters={"third": tuple(str(int(topic) % 3) for topic in scores.topics)})


@cache
def twelve_runs() -> Collection:
    """Returns twelve runs of the sample, for experiments that divide hundreds of small computations into tasks."""
    whole = sample()
    assert whole.runs is not None
    return whole.only(runs=whole.runs.run_ids[:12])


SOURCES: Final[dict[str, Callable[[], Collection | Scores]]] = {"board": board, "sample": sample, "twelve runs": twelve_runs}


@contextmanager
def in_small_tasks() -> Iterator[None]:
    """Divides small computations into many tasks, and clears caches."""
    with ExitStack() as until_done:
        for module, name, value in (
            (pair_tasks, "TASK", 30 * 2 * 8**2),
            (resampling, "RUNS", 8),
            (set_scores, "WORK", 1),
            (tukey, "_ranges", {}),
            (stepdown, "_families", {}),
            (stepdown, "CHUNK", 1000),
        ):
            until_done.enter_context(patch.object(module, name, value))
        yield


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a computation.

    Attributes:
        text: The result as text.
        tasks: Number of tasks of each part, except the scoring of runs, which is not done by executors.
    """

    text: str
    tasks: dict[str, int]


def done(source: str, work: str, executor: Executor | None, midway: Callable[[], None] = lambda: None) -> Done:
    """Runs a computation.

    Args:
        source: The data, one of `SOURCES`.
        work: The formula, or `READING`.
        executor: The executor that runs small tasks; None runs the computation in this process, unchanged.
        midway: Called once, when three tasks are finished and some tasks are not.
    """
    tasks: dict[str, int] = {}
    waiting = [midway]

    def told(what: str, steps: int, total: int) -> None:
        if what == "scoring":
            return
        tasks[what] = total
        if 3 <= steps < total and waiting:
            waiting.pop()()

    options = RunOptions(executor=executor, progress=told)
    with in_small_tasks() if executor else nullcontext(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if work == READING:
            return Done(reading(executor), {READING: 3})
        experiment: Experiment = parse(work, Experiment)
        return Done(experiment.answer(SOURCES[source](), options).to_json(), tasks)


def reading(executor: Executor | None) -> str:
    """Returns the data read from three files of runs."""
    runs = sample().only(runs=("group01-a", "group01-b", "group05-b")).runs
    assert runs is not None
    with tempfile.TemporaryDirectory() as folder:
        write_runs(runs, Path(folder), "inex")
        read: Runs = read_runs(Path(folder), executor=executor)
        return read.results.write_json() + "\n".join(map(str, read.warnings)).replace(folder, "")


@contextmanager
def of_dask() -> Iterator[Executor]:
    from distributed import Client, LocalCluster  # type: ignore[import-not-found,import-untyped,unused-ignore]

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit=0) as cluster,  # type: ignore[no-untyped-call,unused-ignore]
        Client(cluster, timeout=f"{PATIENCE} s") as client,  # type: ignore[no-untyped-call,unused-ignore]
    ):
        yield client.get_executor()


def of_executorlib() -> AbstractContextManager[Executor]:
    from executorlib import SingleNodeExecutor  # type: ignore[import-not-found,unused-ignore]

    pool: AbstractContextManager[Executor] = SingleNodeExecutor(max_workers=2, block_allocation=True)
    return pool


@contextmanager
def of_slurm() -> Iterator[Executor]:
    """Starts two SLURM jobs, whose files are visible on all nodes; SLURM ends jobs that remain."""
    from executorlib import SlurmClusterExecutor  # type: ignore[import-not-found,unused-ignore]

    partitions = subprocess.run(("sinfo", "--noheader", "--format=%P"), capture_output=True, text=True, check=True).stdout.split()
    default = next(name for name in partitions if name.endswith("*")).rstrip("*")
    with tempfile.TemporaryDirectory(dir=ROOT, ignore_cleanup_errors=True) as folder:
        resources = {"partition": default, "cwd": folder, "run_time_max": int(PATIENCE)}
        with SlurmClusterExecutor(max_workers=2, block_allocation=True, resource_dict=resources) as pool:
            yield pool


def of_slurm_job() -> AbstractContextManager[Executor]:
    """Starts two steps of the job in which this process runs."""
    from executorlib import SlurmJobExecutor  # type: ignore[import-not-found,unused-ignore]

    pool: AbstractContextManager[Executor] = SlurmJobExecutor(max_workers=2, block_allocation=True)
    return pool


def of_mpi4py() -> AbstractContextManager[Executor]:
    from mpi4py.futures import MPIPoolExecutor  # type: ignore[import-not-found,unused-ignore]

    pool: AbstractContextManager[Executor] = MPIPoolExecutor()
    return pool


def of_loky() -> AbstractContextManager[Executor]:
    from loky import get_reusable_executor  # type: ignore[import-not-found,unused-ignore]

    pool: AbstractContextManager[Executor] = get_reusable_executor(max_workers=2)
    return pool


@contextmanager
def of_ray() -> Iterator[Executor]:
    """Returns the executor of docs/scaling.md for Ray."""
    import ray  # type: ignore[import-not-found,unused-ignore]

    recipe = re.search(r"^```text\n(.*?^class RayExecutor.*?)^```", (ROOT / "docs" / "scaling.md").read_text(), re.DOTALL | re.MULTILINE)
    assert recipe is not None
    written: dict[str, type[Executor]] = {}
    exec(recipe[1], written)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    try:
        yield written["RayExecutor"]()
    finally:
        ray.shutdown()


@dataclass(frozen=True, slots=True)
class Tried:
    """An executor to be tested.

    Attributes:
        module: The module that is imported.
        package: The name of the installed package; None for Python's own modules.
        make: Creates the executor with two workers.
        start: The command that starts a process with the executor, before ``-m``.
        program: A program that the executor calls.
    """

    module: str
    package: str | None
    make: Callable[[], AbstractContextManager[Executor]]
    start: tuple[str, ...] = (sys.executable,)
    program: str = sys.executable

    @property
    def there(self) -> bool:
        return find_spec(self.module) is not None and None not in (shutil.which(self.start[0]), shutil.which(self.program))

    @property
    def version(self) -> str:
        return version(self.package) if self.package else sys.version.split()[0]


def pool_of(method: str) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method))


EXECUTORS: Final[dict[str, Tried]] = {
    "threads": Tried("concurrent.futures", None, partial(ThreadPoolExecutor, 2)),
    "a pool of processes": Tried("concurrent.futures", None, partial(pool_of, "spawn")),
    "dask": Tried("distributed", "distributed", of_dask),
    "executorlib": Tried("executorlib", "executorlib", of_executorlib),
    "executorlib, SLURM jobs": Tried("pysqa", "executorlib", of_slurm, program="sbatch"),
    "executorlib, in a SLURM job": Tried("executorlib", "executorlib", of_slurm_job, ("salloc", "--ntasks=2", "--time=5", sys.executable)),
    "mpi4py": Tried("mpi4py", "mpi4py", of_mpi4py, ("mpiexec", "-n", "3", sys.executable, "-m", "mpi4py.futures")),
    "loky": Tried("loky", "loky", of_loky),
    "Ray": Tried("ray", "ray", of_ray),
}


def each_work(name: str) -> list[tuple[str, bool, dict[str, int]]]:
    """Yields, for every computation, its name, whether its result has the same bytes as in one process, and its number of tasks."""
    found = []
    with EXECUTORS[name].make() as executor:
        for source, work in WORKS:
            here, there = (done(source, work, where) for where in (None, executor))
            found.append((f"{source} {work}", here.text == there.text, there.tasks))
    return found


def slept() -> tuple[str, int]:
    """Returns the machine and the process that ran this function, after a pause in which other workers receive the same function."""
    time.sleep(0.5)
    return socket.gethostname(), os.getpid()


def worker_killed(name: str) -> str:
    """Returns the outcome of a computation during which a worker is killed: whether the bytes are the same, or an error."""
    here = done("board", KILLED_IN, None)
    with EXECUTORS[name].make() as executor:
        workers = {future.result() for future in [executor.submit(slept) for _ in range(4)]}
        if (socket.gethostname(), os.getpid()) in workers:
            return "its workers are threads"
        if {machine for machine, _ in workers} != {socket.gethostname()}:
            return "its workers are on other machines"
        killed: list[int] = []

        def kill() -> None:
            killed.append(min(workers)[1])
            os.kill(killed[0], signal.SIGKILL)

        try:
            there = done("board", KILLED_IN, executor, kill)
        except Exception as error:  # any error is the outcome
            return f"{type(error).__name__}: {error}"
    assert killed, "the work was too little to be in the middle of it"
    return "the same bytes" if there.text == here.text else "other bytes"


def asked(name: str, what: str) -> str:
    """Returns the last output (JSON) of a process that uses the executor, or the way in which the process ended."""
    command = [*EXECUTORS[name].start, "-m", "benchmarks.executors", f"--{what}", name]
    may_be_root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    environment = {**os.environ, **PINNED, "PYTHONPATH": str(ROOT), **may_be_root}
    with tempfile.TemporaryFile("w+") as printed, tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(command, env=environment, stdout=printed, stderr=said, start_new_session=True)
        try:
            code = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            return json.dumps(f"no end after {PATIENCE:.0f} s")
        finally:
            with suppress(ProcessLookupError):  # workers that remain
                os.killpg(process.pid, signal.SIGKILL)
        printed.seek(0)
        said.seek(0)
        lines, errors = (text.read().strip(" -\n").splitlines() for text in (printed, said))
        return lines[-1] if code == 0 else json.dumps(f"ended with {code}: {' '.join(errors[-1:])}")


def row(name: str, tried: Tried) -> tuple[str, bool]:
    """Returns the row of an executor in the table, and whether the result of every computation has the same bytes as in one process."""
    works, killed = (json.loads(asked(name, what)) for what in ("works", "killed"))
    if isinstance(works, str):
        return f"| {name} | {tried.version} | {works} | | {killed} |", False
    others = [work for work, same, _ in works if not same]
    tasks = sum(count for _, _, parts in works for count in parts.values())
    text = f"| {name} | {tried.version} | {len(works) - len(others)} of {len(works)} | {tasks} | {killed} |"
    return "\n".join([text, *(f"{name}: other bytes: {work}" for work in others)]), not others


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="WORD", help="take the executors whose names have one of these words")
    parser.add_argument("--works", choices=EXECUTORS, help=argparse.SUPPRESS)
    parser.add_argument("--killed", choices=EXECUTORS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.works:
        print(json.dumps(each_work(options.works)))
        return 0
    if options.killed:
        print(json.dumps(worker_killed(options.killed)))
        return 0
    wanted = [name for name in EXECUTORS if options.only is None or any(word.lower() in name.lower() for word in options.only)]
    print("| executor | version | works with the bytes of one process | tasks | a worker killed midway |\n|---|---|---:|---:|---|")
    every = True
    for name in wanted:
        text, same = row(name, EXECUTORS[name]) if EXECUTORS[name].there else (f"| {name} | not here | | | |", True)
        every &= same
        print(text, flush=True)
    return 0 if every else 1


if __name__ == "__main__":
    sys.exit(main())
