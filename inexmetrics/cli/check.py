"""``check``: every problem of a set of files, by file and line."""

from __future__ import annotations

from collections.abc import Sequence

from inexmetrics.cli.arguments import Check, Data
from inexmetrics.cli.console import print_text
from inexmetrics.cli.sources import read_scores
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import plural, printable
from inexmetrics.reading.check import check

__all__ = ["check_files"]


def check_files(request: Check) -> int:
    """Prints the problems of files to standard output, and how many they are; returns the exit code.

    Raises:
        OSError: A file cannot be read.
    """
    data = request.data
    problems = _in_scores(data) if data.scores else _in_collection(data)
    errors = sum(problem.severity == "error" for problem in problems)
    lines = [printable(f"{problem.severity}: {problem}") for problem in problems]
    print_text("\n".join([*lines, f"{plural(errors, 'error')}, {plural(len(problems) - errors, 'warning')}"]))
    return 1 if errors else 0


def _in_collection(data: Data) -> Sequence[Problem]:
    return check(
        data.assessments or None,
        data.runs or None,
        data.structure,
        order=data.order,
        task=data.task,
        end_offsets=data.end_offsets,
        merge_passages=data.merge_passages,
    )


def _in_scores(data: Data) -> Sequence[Problem]:
    try:
        return [Problem(text, severity="warning") for text in read_scores(data).warnings]
    except CollectionError as error:
        return error.problems
