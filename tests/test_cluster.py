"""The simulated cluster agrees with results that are known without simulation, and its tasks are the tasks that are sent."""

from __future__ import annotations

import math

import pytest

from benchmarks import cluster
from benchmarks.cluster import LATENCY, NETWORK, OVERHEAD, Task, Work, of_tiles, simulated, weighed
from inexmetrics import t
from inexmetrics.inference import means as pair_tasks
from inexmetrics.inference import topic_sets
from inexmetrics.inference.means import directed_pairs, tiles


def test_equal_tasks_take_as_many_rounds_as_there_are_to_a_worker() -> None:
    long = Task(100.0, 0, 0)
    assert simulated([long] * 10, 4) == pytest.approx(300, abs=0.1)
    assert simulated([long], 4) == OVERHEAD + LATENCY + 100 + LATENCY


def test_the_sender_is_the_limit_of_short_tasks() -> None:
    assert simulated([Task(0.0001, 0, 0)] * 5000, 100) == pytest.approx(5000 * OVERHEAD, rel=0.01)
    assert simulated([Task(0.01, 10**9, 0)] * 50, 100) == pytest.approx(50 * 10**9 / NETWORK, rel=0.01)


def test_values_come_back_through_one_network() -> None:
    assert simulated([Task(0.01, 0, 10**9)] * 50, 100) == pytest.approx(50 * 10**9 / NETWORK, rel=0.01)


def test_few_tasks_under_way_leave_workers_idle() -> None:
    tasks = [Task(1.0, 0, 0)] * 40
    assert simulated(tasks, 40) == pytest.approx(1, abs=0.1)
    assert simulated(tasks, 40, under_way=10) == pytest.approx(4, abs=0.1)


def test_kinds_of_tasks_are_spread_and_none_is_lost() -> None:
    short, long = Task(1.0, 5, 5), Task(3.0, 9, 9)
    work = Work("some", ((2, short), (4, long)))
    assert [task.seconds for task in work.in_turn()] == [3, 1, 3, 3, 1, 3]
    assert (work.tasks, work.seconds, work.largest) == (6, 14, long)


def test_the_number_of_tasks_is_that_of_the_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of tasks, extrapolated from two tiles of runs, equals the number of all tasks of a test."""
    monkeypatch.setattr(pair_tasks, "TASK", 2 * 5 * 4**2)
    size, runs = math.isqrt(pair_tasks.TASK // (2 * 5)), 30
    few = cluster.board(2 * size, 5)
    told = of_tiles("t", runs, size, weighed(lambda setting: t.p_values(few, *directed_pairs(2 * size), setting)))
    sent = weighed(lambda setting: t.p_values(cluster.board(runs, 5), *directed_pairs(runs), setting))
    assert told.tasks == len(sent) == len(tiles(*directed_pairs(runs), size))
    assert told.largest.out == pytest.approx(max(task.out for task in sent), rel=0.05)
    assert told.largest.back == pytest.approx(max(task.back for task in sent), rel=0.05)


def test_the_table_of_a_small_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topic_sets, "WORK", 1)
    works = [*cluster.files(20, 10), *cluster.whole_matrices(400, 20, few=12)]
    table = list(cluster.rows(works, 3))
    assert [row[1] for row in table] == ["20", "20", "20", "50", "1,000"]
    assert all(len(row) == len(cluster.HEAD) for row in table)
    assert works[2].largest.out > 8 * 400 * 20, "the scores are sent"
