"""Every problem of a set of files, without evaluating anything."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

from inexmetrics.collection import Collection
from inexmetrics.errors import CollectionError, CollectionWarning, Problem
from inexmetrics.reading.assessments import gather_assessments
from inexmetrics.reading.files import Paths
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.run_files import gather_runs
from inexmetrics.reading.structures import gather_structure
from inexmetrics.runs import Order

__all__ = ["check"]


def check(
    assessments: Paths | Mapping[str, Paths] | None = None,
    runs: Paths | None = None,
    structure: Paths | None = None,
    *,
    order: Order | None = None,
    task: str | None = None,
    end_offsets: bool = False,
) -> tuple[Problem, ...]:
    """Every problem of assessments, runs and structures: of each file, and of how they fit together.

    Args:
        assessments: What `read_assessments` would be given.
        runs: What `read_runs` would be given.
        structure: What `read_structure` would be given.
        order: What the order of results is taken from, as in `read_runs`.
        task: The task whose submissions are taken, as in `read_runs`.
        end_offsets: Whether the eighth column of FOL runs is where the passage ends, as in `read_runs`.

    Returns:
        Errors before warnings for each of the three in turn, by file and line; then those of the collection they make,
        as far as it can be made.

    Examples:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile("w", suffix=".qrels") as file:
        ...     _ = file.write("1 0 a 2\\n1 0 b x\\n1 0 a 1\\n")
        ...     file.flush()
        ...     problems = check(file.name)
        >>> [(problem.line, problem.message) for problem in problems]
        [(2, "expected a number as grade, found 'x'"), (3, "expected one judgement of document 'a', found another, first on line 1")]
    """
    judged = retrieved = places = None
    problems: list[Problem] = []
    if assessments is not None:
        findings = Findings()
        judged = gather_assessments(assessments, findings)
        problems += findings.in_order()
    if runs is not None:
        findings = Findings()
        retrieved = gather_runs(runs, findings, order=order, task=task, end_offsets=end_offsets)
        problems += findings.in_order()
    if structure is not None:
        findings = Findings()
        places = gather_structure(structure, findings)
        problems += findings.in_order()
    if judged is not None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", CollectionWarning)
                problems += Collection(judged, retrieved, places).notices
        except CollectionError as error:
            problems += error.problems
    return tuple(problems)
