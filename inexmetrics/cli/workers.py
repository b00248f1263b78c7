"""The processes of the option ``--workers N``, which load the same user's terms as the main process."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from typing import ParamSpec, TypeVar

from inexmetrics.cli.arguments import UsageError
from inexmetrics.cli.plugins import load_words
from inexmetrics.cli.process import signals_wait

__all__ = ["begin_work", "worker_processes"]

Q = ParamSpec("Q")
R = TypeVar("R")


class _Workers(ProcessPoolExecutor):
    """A pool of worker processes that defers signals while processes are started.

    Callers may cancel a future at any time, even while the workers are shutting down. Callers receive a copy of each future, because the
    pool of Python 3.11 fails if one of its own futures is cancelled.
    """

    def submit(self, fn: Callable[Q, R], /, *args: Q.args, **kwargs: Q.kwargs) -> Future[R]:
        with signals_wait():
            own = super().submit(fn, *args, **kwargs)
        given = Future[R]()

        def pass_on(own: Future[R]) -> None:
            if own.cancelled():
                given.cancel()
            if given.set_running_or_notify_cancel():
                error = own.exception()
                if error is None:
                    given.set_result(own.result())
                else:
                    given.set_exception(error)

        own.add_done_callback(pass_on)
        return given


@contextmanager
def worker_processes(count: int, words: Sequence[Path]) -> Iterator[Executor]:
    """Starts a pool of processes that ends with the block.

    Each process loads the terms that the user defined, because spawned processes do not inherit these terms.

    Raises `UsageError` if a worker cannot load the terms that the user defined, and `BrokenExecutor` if a worker ended for another reason.
    """
    spawning = get_context("spawn")
    mistakes = spawning.SimpleQueue()
    pool = _Workers(count, spawning, begin_work, (words, mistakes))
    try:
        yield pool
    except BrokenExecutor:
        if mistakes.empty():
            raise
        raise UsageError(f"in a worker process: {mistakes.get()}") from None
    finally:
        pool.shutdown(cancel_futures=True)


def begin_work(words: Sequence[Path], mistakes: SimpleQueue[str]) -> None:
    """Initialises a worker process: ignores Ctrl-C, ends the process with its parent process, and loads the terms that the user defined.

    If the worker cannot load these terms, the worker ends and reports the reason.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if (parent := parent_process()) is not None:

        def end_with_parent() -> None:
            parent.join()
            os._exit(1)

        threading.Thread(target=end_with_parent, daemon=True).start()
    try:
        load_words(words)
    except UsageError as error:
        mistakes.put(str(error))
        os._exit(1)
