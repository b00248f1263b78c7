"""The command ``check``, which reports every problem of a set of files, by file and line."""

from __future__ import annotations

from collections.abc import Sequence

from inexmetrics.cli.arguments import Check
from inexmetrics.cli.console import print_text, watched
from inexmetrics.cli.sources import read_scores
from inexmetrics.collection.score_matrices import averaged_over_others
from inexmetrics.collection.systems import Systems
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import enumerate_names, plural, printable
from inexmetrics.reading.check import check

__all__ = ["check_files"]


def check_files(request: Check) -> int:
    """Prints the problems of files, or a summary of valid files, and the numbers of errors and warnings; returns the exit code."""
    data = request.data
    problems: Sequence[Problem]
    if not data.scores:
        problems, read = _in_collection(request)
    else:
        found: Sequence[str] = ()
        try:
            scores = read_scores(data)
            found = scores.warnings
            scores = scores.complete(data.missing)
        except CollectionError as error:
            problems, read = [*error.problems, *(Problem(text, severity="warning") for text in found)], []
        else:
            runs = str(scores.systems or plural(len(scores.runs), "run"))
            read = [printable(f"scores: {plural(len(scores.topics), 'topic')}, {runs} ({enumerate_names(scores.runs)})")]
            problems = [Problem(text, severity="warning") for text in (*scores.warnings, *averaged_over_others(scores))]
    errors = sum(problem.severity == "error" for problem in problems)
    lines = [printable(f"{problem.severity}: {problem}") for problem in problems]
    print_text("\n".join([*lines, *(() if errors else read), f"{plural(errors, 'error')}, {plural(len(problems) - errors, 'warning')}"]))
    return 1 if errors else 0


def _in_collection(request: Check) -> tuple[list[Problem], list[str]]:
    """Returns the problems in a collection's files, and a summary of the data, which helps users notice a missing run or topic."""
    data = request.data
    with watched(request.progress) as progress:
        found = check(
            data.assessments or None,
            data.runs or None,
            data.structure,
            order=data.order,
            task=data.task,
            end_offsets=data.end_offsets,
            merge_passages=data.merge_passages,
            grades=data.grades,
            whole_documents=data.whole_documents,
            progress=progress,
        )
    problems, read = [*found.problems], []
    if found.assessments is not None:
        read.append(f"assessments: {plural(len(found.assessments.topics), 'topic')} ({', '.join(found.assessments.kinds) or 'none'})")
    if found.runs is not None:
        results = plural(found.runs.packed.height, "result")
        read.append(printable(f"runs: {results} of {plural(len(found.runs.run_ids), 'run')} ({enumerate_names(found.runs.run_ids)})"))
    if data.systems is not None and found.runs is not None:
        try:
            systems = Systems.of(data.systems, found.runs.run_ids)
        except CollectionError as error:
            problems += error.problems
        else:
            problems += systems.warnings
            read.append(printable(f"systems: {systems} ({enumerate_names(systems.names)})"))
    return problems, read
