"""The same bytes on a cluster of dask as in one process, also where one of its workers is killed in the middle of the work."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from pathlib import Path

import numpy as np
import pytest

from inexmetrics import Collection, CollectionWarning, Experiment, Result, Scores, read_runs, sample, scores_from, write_runs
from inexmetrics.common.options import RunOptions
from inexmetrics.formula import parse
from inexmetrics.inference import pairs, resampling, tukey

distributed = pytest.importorskip("distributed", reason='dask is not here: pip install "inexmetrics[distributed]"')

PATIENCE = "300 s"
"""How long a loaded machine may take to answer."""


class Cluster:
    """A cluster of two workers on this machine, each a process that is started anew where it is lost."""

    def __init__(self) -> None:
        self.cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=0)
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


def board() -> Scores:
    """Scores of 40 runs on 30 topics."""
    return scores_from(np.round(np.random.default_rng(5).beta(2, 5, size=(30, 40)), 3))


SOURCES: dict[str, Callable[[], Collection | Scores]] = {"board": board, "sample": sample}


@pytest.mark.parametrize(
    ("source", "formula"),
    [
        ("board", "significance(MAP | bootstrap(b=3000))"),
        ("board", "error_rate(MAP, splits=40, tests=(t, bootstrap(b=500)))"),
        ("sample", "assessors(MAP, sets=9000)"),
    ],
)
def test_a_worker_that_is_killed_midway_changes_no_byte(
    source: str, formula: str, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment: Experiment[Result] = parse(formula, Experiment)
    here = experiment.answer(SOURCES[source](), RunOptions()).to_json()
    in_small_tasks(monkeypatch)
    killed: list[int] = []
    steps: dict[str, list[int]] = {}

    def kill_midway(what: str, done: int, total: int) -> None:
        steps.setdefault(what, []).append(done)
        if 3 <= done < total and what != "scoring" and not killed:
            killed.append(cluster.workers()[0])
            os.kill(killed[0], signal.SIGKILL)

    there = experiment.answer(SOURCES[source](), RunOptions(executor=cluster.executor, progress=kill_midway)).to_json()
    assert there == here
    assert len(killed) == 1, "the work was too little to be in the middle of it"
    assert all(told == list(range(len(told))) for what, told in steps.items() if what != "scoring")


@pytest.mark.parametrize(
    ("source", "formula"),
    [
        ("board", "ranks(MAP)"),
        ("board", "significance(MAP | tukey(b=3000))"),
        ("sample", "agreement(Gen5, BinExh, measure=MAep, test=t, resamples=60)"),
        ("sample", "scores(MAEPRUM(navigation=hierarchy))"),
    ],
)
def test_the_same_bytes(source: str, formula: str, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    experiment: Experiment[Result] = parse(formula, Experiment)
    here = experiment.answer(SOURCES[source](), RunOptions()).to_json()
    in_small_tasks(monkeypatch)
    assert experiment.answer(SOURCES[source](), RunOptions(executor=cluster.executor)).to_json() == here


def in_small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Divides small work into many tasks, and forgets what was computed before."""
    monkeypatch.setattr(pairs, "TASK", 30 * 2 * 8**2)
    monkeypatch.setattr(resampling, "RUNS", 8)
    monkeypatch.setattr(tukey, "_ranges", {})


def test_files_are_read_by_its_workers(cluster: Cluster, tmp_path: Path) -> None:
    runs = sample().only(runs=("group01-a", "group01-b", "group05-b")).runs
    assert runs is not None
    write_runs(runs, tmp_path, "inex")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollectionWarning)  # some scores contradict the order, which each file is warned of
        there, here = read_runs(tmp_path, executor=cluster.executor), read_runs(tmp_path)
    assert there.results.equals(here.results)
    assert (there.run_ids, there.warnings) == (here.run_ids, here.warnings)
