"""The command line: results to standard output, words about them to standard error.

Exit codes: 0 done; 1 wrong data; 2 a wrong formula or option. A user's mistake is told in words, never as a traceback.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from inexmetrics.command.options import Check, Explain, Listing, Question, UsageError, read_options
from inexmetrics.errors import CollectionError, FormulaError

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from pathlib import Path

    from inexmetrics.collection import Collection
    from inexmetrics.experiments.base import Result
    from inexmetrics.score_matrices import Scores

__all__ = ["main"]

WRONG_DATA: Final = 1
WRONG_USE: Final = 2
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141
PAGE: Final = 120
ROWS: Final = 100


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Args:
        arguments: The arguments after the program's name; those of the process by default.

    Returns:
        The exit code.
    """
    try:
        return _guarded(lambda: _answered(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Python flushes standard output once more at its end, which must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE


def _guarded(work: Callable[[], int]) -> int:
    """The work's exit code; a mistake of the user's is told and becomes one."""
    try:
        return work()
    except SystemExit as stop:  # argparse has printed the help or the version
        return WRONG_USE if stop.code else 0
    except UsageError as error:
        _say(f"error: {error}")
        _say("see inexmetrics --help")
        return WRONG_USE
    except FormulaError as error:
        _say(f"error: {error}")
        return WRONG_USE
    except CollectionError as error:
        _say(f"error: {error}")
        return WRONG_DATA
    except BrokenPipeError:
        raise
    except OSError as error:
        _say(f"error: {error.filename}: {error.strerror}" if error.filename is not None else f"error: {error}")
        return WRONG_DATA


def _say(text: str) -> None:
    print(text, file=sys.stderr)


def _answered(arguments: Sequence[str]) -> int:
    match read_options(arguments):
        case Question() as question:
            return _ask(question)
        case Check() as check:
            return _check(check)
        case Listing() as listing:
            return _list(listing)
        case Explain() as explain:
            return _explain(explain)


# ------------------------------------------------------------------------------------------------ a question


def _ask(question: Question) -> int:
    from inexmetrics.command.own_words import load_words
    from inexmetrics.command.results import print_bytes, write_files, written
    from inexmetrics.command.sources import read_source, told

    to_terminal = question.output is None and sys.stdout.isatty()
    if question.style == "parquet" and to_terminal:
        raise UsageError("--format parquet is not for a terminal: name a file with --output")
    experiment = _experiment(question)
    with told() as warnings:
        source = read_source(question.data)
        if question.data.none:
            _say(f"on the built-in simulated sample: {len(source.topics)} topics")
        result = _answer(experiment, source, question)
    ...
