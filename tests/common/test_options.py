"""Work on an executor: in order, a few tasks at a time, with progress, and with cleanup after a failure."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import ParamSpec, TypeVar

import pytest

from inexmetrics.common import options
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.options import RunOptions

Q = ParamSpec("Q")
R = TypeVar("R")


class Later(Executor):
    """An executor that keeps its tasks until they are released."""

    def __init__(self) -> None:
        self.kept: list[tuple[Future[object], Callable[[], object]]] = []
        self.most = 0

    def submit(self, fn: Callable[Q, R], /, *args: Q.args, **kwargs: Q.kwargs) -> Future[R]:
        future: Future[R] = Future()
        self.kept.append((future, lambda: fn(*args, **kwargs)))  # type: ignore[arg-type]  # a list of futures of any value
        self.most = max(self.most, sum(not future.done() for future, _ in self.kept))
        return future

    def let_go(self, number: int) -> None:
        future, call = self.kept[number]
        try:
            future.set_result(call())
        except (ZeroDivisionError, ExecutorlibSocketError, CollectionError) as error:
            future.set_exception(error)

    def let_go_when(self, kept: int, number: int = 0) -> None:
        """Releases a task when this number of tasks is kept."""

        def waits() -> None:
            until(lambda: len(self.kept) == kept)
            self.let_go(number)

        threading.Thread(target=waits).start()


def doubled(number: int) -> int:
    return 2 * number


def divided(number: int) -> float:
    return 1 / number


def steps_of(executor: Executor, monkeypatch: pytest.MonkeyPatch, total: int) -> list[int]:
    """Returns the progress steps for this number of tasks, of which 3 are active at a time; tasks are created when they are needed."""
    monkeypatch.setattr(options, "UNDER_WAY", 3)
    told: list[int] = []
    setting = RunOptions(executor=executor, progress=lambda what, done, all_of_them: told.append(done))
    assert list(setting.map("doubling", doubled, iter(range(total)), total=total)) == [2 * number for number in range(total)]
    return told


def test_each_step_is_told_of_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with ThreadPoolExecutor(2) as pool:
        assert steps_of(pool, monkeypatch, 20) == list(range(21))


def test_tasks_are_told_of_as_they_are_done_and_few_are_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options, "UNDER_WAY", 3)
    pool = Later()
    told: list[int] = []
    made: list[int] = []

    def tasks() -> Iterator[int]:
        for number in range(5):
            made.append(number)
            yield number

    found: list[int] = []
    setting = RunOptions(executor=pool, progress=lambda what, done, total: told.append(done))
    caller = threading.Thread(target=lambda: found.extend(setting.map("doubling", doubled, tasks(), total=5)))
    caller.start()
    for let_go, steps in ((2, [0, 1]), (1, [0, 1, 2]), (0, [0, 1, 2, 3])):
        until(lambda: len(pool.kept) >= 3)
        assert len(made) == 3, "the fourth task is made when the first has come back"
        pool.let_go(let_go)
        until(lambda steps=steps: told == steps)  # type: ignore[misc]  # the lambda's own list
    until(lambda: len(pool.kept) == 5)
    pool.let_go(3)
    pool.let_go(4)
    caller.join(30)
    assert found == [0, 2, 4, 6, 8]
    assert told == [0, 1, 2, 3, 4, 5]
    assert pool.most == 3


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.001)


def test_where_a_task_fails_the_others_are_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options, "UNDER_WAY", 4)
    pool = Later()
    values = RunOptions(executor=pool).map("dividing", divided, range(9))
    pool.let_go_when(4)
    pool.let_go_when(5, number=4)
    with pytest.raises(ZeroDivisionError):
        next(values)
    assert [future.cancelled() for future, _ in pool.kept] == [False, True, True, True, False]


def test_a_task_that_fails_is_submitted_once_more() -> None:
    """dask can report a completed task as failed while it replaces a lost worker."""
    pool = Later()
    values = RunOptions(executor=pool).map("doubling", doubled, range(2))
    found: list[int] = []
    caller = threading.Thread(target=lambda: found.extend(values))
    caller.start()
    until(lambda: len(pool.kept) == 2)
    pool.kept[0][0].set_exception(ValueError("too many values to unpack (expected 3)"))
    until(lambda: len(pool.kept) == 3)
    pool.let_go(2)
    pool.let_go(1)
    caller.join(30)
    assert found == [0, 2]


def test_bad_input_is_not_read_once_more() -> None:
    pool = Later()
    values = RunOptions(executor=pool).map("reading", refused, range(2))
    pool.let_go_when(2)
    with pytest.raises(CollectionError, match=r"^0$"):
        next(values)
    assert len(pool.kept) == 2


def refused(number: int) -> int:
    raise CollectionError(str(number))


class ExecutorlibSocketError(RuntimeError):
    """Has the name of executorlib's error, which its futures raise when no worker remains."""


def lost(number: int) -> int:
    raise ExecutorlibSocketError(str(number))


def test_an_executor_without_workers_ends_what_waits_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """executorlib's thread would fail on a cancelled future, and its executor would wait forever."""
    monkeypatch.setattr(options, "UNDER_WAY", 4)
    pool = Later()
    values = RunOptions(executor=pool).map("losing", lost, range(9))
    pool.let_go_when(4)
    with pytest.raises(BrokenExecutor, match=r"^losing: expected the values of 9 tasks, found that a worker ended after 0:"):
        next(values)
    assert not any(future.cancelled() for future, _ in pool.kept)


def test_a_caller_who_stops_cancels_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options, "UNDER_WAY", 2)
    pool = Later()
    values = RunOptions(executor=pool).map("doubling", doubled, range(9))
    pool.let_go_when(2)
    assert next(values) == 0
    assert isinstance(values, Iterator)
    values.close()  # type: ignore[attr-defined]  # a generator
    assert [future.cancelled() for future, _ in pool.kept] == [False, True]


def test_one_task_stays_here() -> None:
    pool = Later()
    assert list(RunOptions(executor=pool).map("doubling", doubled, [7])) == [14]
    assert pool.kept == []


def stopped(number: int) -> int:
    """Runs a task whose process is killed during the task, as by a system without free memory."""
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="a system without SIGKILL")
def test_a_worker_that_is_killed_is_one_clear_error() -> None:
    expected = (
        r"^stopping: expected the values of 9 tasks, found that a worker ended after [0-3]: it was stopped, or its memory did not suffice$"
    )
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        setting = RunOptions(executor=pool)
        with pytest.raises(BrokenExecutor, match=expected):
            list(setting.map("stopping", stopped, range(9)))
        with pytest.raises(BrokenExecutor, match=re.escape("doubling: expected the values of 2 tasks, found that a worker ended after 0")):
            list(setting.map("doubling", doubled, range(2)))
