"""The option ``--use FILE.py``, which loads a user's own terms, and the processes of ``--workers N``, which load the same file."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from typing import ParamSpec, TypeVar

from inexmetrics.cli.arguments import UsageError
from inexmetrics.cli.console import print_error
from inexmetrics.cli.process import signals_wait

__all__ = ["begin_work", "load_known_words", "load_words", "mistake_in", "worker_processes"]


def load_known_words(paths: Iterable[Path]) -> None:
    """Runs each Python file up to its first error, which is shown as a warning; formulas can use the names defined before the error."""
    for path in paths:
        try:
            load_words([path])
        except UsageError as error:
            print_error(f"warning: {error}; formulas can use only the names that the file defines before this error")


def load_words(paths: Iterable[Path]) -> None:
    """Runs each file once per process, and adds the names that the file defines to the formula language.

    Raises:
        UsageError: A file contains an error; the message names the file and the line.
    """
    for path in paths:
        name = f"inexmetrics_use_{path.stem}"
        if name in sys.modules:
            continue
        if not path.is_file():
            raise UsageError(f"--use: there is no file {path}")
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise UsageError(f"--use: expected a Python file, found {path}")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # unpickling in workers looks up functions by this name
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            del sys.modules[name]
            raise UsageError(mistake_in([path], error) or f"{path}: {_described(error)}") from None


def mistake_in(paths: Iterable[Path], error: BaseException) -> str | None:
    """Returns the message of an error raised in one of the user's files, with file and line; None if the error was raised elsewhere."""
    files = {str(path): path for path in paths} | {str(path.resolve()): path for path in paths}
    if isinstance(error, SyntaxError) and error.filename in files:
        return f"{files[error.filename]}:{error.lineno}: {_described(error)}"
    places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__) if frame.filename in files]
    return f"{files[places[-1][0]]}:{places[-1][1]}: {_described(error)}" if places else None


def _described(error: BaseException) -> str:
    """Returns the message of an error, preceded by the name of its class unless the error is a `ValueError`."""
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    if text and isinstance(error, ValueError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


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
