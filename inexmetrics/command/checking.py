"""``check``: every problem of a set of files, by file and line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from inexmetrics.command.options import Check, Data
from inexmetrics.command.sources import told
from inexmetrics.errors import CollectionError, Problem
from inexmetrics.reading.check import check
from inexmetrics.reading.matrices import scores_from

__all__ = ["check_files"]

V = TypeVar("V")


def check_files(request: Check) -> int:
    """Prints the problems of files to standard output, errors before warnings; returns the exit code.

    Raises:
        OSError: A file cannot be read.
    """
    data = request.data
    problems = _scores_problems(data) if data.scores else _problems(data)
    for problem in problems:
        print(f"{problem.severity}: {problem}")
    errors = sum(problem.severity == "error" for problem in problems)
    print(f"{_counted(errors, 'error')}, {_counted(len(problems) - errors, 'warning')}")
    return 1 if errors else 0
