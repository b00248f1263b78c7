"""Results on a dask cluster have the same bytes as in one process, even if a worker is killed during the computation."""

from __future__ import annotations

import os
import re
import signal
import warnings
from collections.abc import Iterator
from concurrent.futures import Executor
from pathlib import Path

import pytest

from benchmarks.executors import SOURCES, WORKS, done, in_small_tasks
from inexmetrics import CollectionWarning, Experiment, parse, read_runs, sample, write_runs
from inexmetrics.common.options import RunOptions

distributed = pytest.importorskip("distributed", reason='dask is not here: pip install "inexmetrics[distributed]"')

PATIENCE = "300 s"
"""Seconds that a loaded machine may need."""


class Cluster:
    """A cluster of two worker processes on this machine; lost processes are started again."""

    def __init__(self) -> None:
        self.cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit=0)
        self.client = distributed.Client(self.cluster, timeout=PATIENCE)
        self.executor: Executor = self.client.get_executor()

    def workers(self) -> list[int]:
        """The processes of its workers."""
        return sorted(self.client.run(os.getpid).values())

    def close(self) -> None:
        self.client.close()
        self.cluster.close()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    made = Cluster()
    yield made
    made.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "formula"),
    [
        ("board", "significance(MAP | bootstrap(b=3000))"),
        ("board", "error_rate(MAP, splits=16, tests=(t, bootstrap(b=500)))"),
        ("board", "calibration(MAP, boards=12, tests=(t, bootstrap(b=500)))"),
        ("sample", "assessors(MAP, sets=9000)"),
    ],
)
def test_a_worker_that_is_killed_midway_changes_no_byte(source: str, formula: str, cluster: Cluster) -> None:
    experiment: Experiment = parse(formula, Experiment)
    here = experiment.answer(SOURCES[source](), RunOptions()).to_json()
    killed: list[int] = []
    steps: dict[str, list[int]] = {}

    def kill_midway(what: str, step: int, total: int) -> None:
        steps.setdefault(what, []).append(step)
        if 3 <= step < total and what != "scoring" and not killed:
            killed.append(cluster.workers()[0])
            os.kill(killed[0], signal.SIGKILL)

    with in_small_tasks():
        there = experiment.answer(SOURCES[source](), RunOptions(executor=cluster.executor, progress=kill_midway)).to_json()
    assert there == here
    assert len(killed) == 1, "the work was too little to be in the middle of it"
    assert all(told == list(range(len(told))) for what, told in steps.items() if what != "scoring")


@pytest.mark.slow
@pytest.mark.parametrize(("source", "work"), WORKS)
def test_the_same_bytes(source: str, work: str, cluster: Cluster) -> None:
    there = done(source, work, cluster.executor)
    assert there.text == done(source, work, None).text
    assert all(count > 1 for count in there.tasks.values()), "a single task is done here"


def test_every_work_of_the_page_is_tried() -> None:
    page = (Path(__file__).parents[1] / "docs" / "scaling.md").read_text()
    rows = page.partition("## What runs in the workers")[2].partition("\n\n")[2].partition("\n\n")[0].splitlines()[2:]
    named = {word for row in rows for word in re.findall(r"`(\w+)", row.split("|")[1])}
    assert {"significance", "tukey", "error_rate"} <= named
    tried = {word for _, work in WORKS for word in re.findall(r"\w+", work)}
    assert named <= tried


@pytest.mark.slow
def test_files_are_read_by_its_workers(cluster: Cluster, tmp_path: Path) -> None:
    runs = sample().only(runs=("group01-a", "group01-b", "group05-b")).runs
    assert runs is not None
    write_runs(runs, tmp_path, "inex")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)  # some scores contradict the order, which each file is warned of
        there, here = read_runs(tmp_path, executor=cluster.executor), read_runs(tmp_path)
    assert there.results.equals(here.results)
    assert (there.run_ids, there.warnings) == (here.run_ids, here.warnings)
