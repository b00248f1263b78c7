"""The command ``check``, which reports every problem of a set of files, by file and line; no measure is computed."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from inexmetrics.cli.arguments import Check
from inexmetrics.cli.console import print_text, watched
from inexmetrics.cli.sources import read_scores
from inexmetrics.collection import Assessments, Collection, Order, Runs, assessors, consistency, extents, score_matrices, sheets
from inexmetrics.collection.structure import UNRESOLVED
from inexmetrics.collection.systems import Systems
from inexmetrics.common.errors import CollectionError, CollectionWarning, OptionError, Problem
from inexmetrics.common.messages import canonical, enumerate_names, plural, printable
from inexmetrics.common.options import Progress, RunOptions, silent
from inexmetrics.judgements.estimated import other_runs
from inexmetrics.reading import findings, judgement_tables, run_files, structures
from inexmetrics.reading.assessments import gather_assessments
from inexmetrics.reading.files import Paths
from inexmetrics.reading.stated_columns import OF_BOTH, check_used, stated_columns
from inexmetrics.scoring.judged import doubtful_scale

__all__ = ["Examined", "check", "check_files"]


class Examined(NamedTuple):
    """The result of a check: the problems, the valid assessments and the valid runs."""

    problems: tuple[Problem, ...]
    assessments: Assessments | None
    runs: Runs | None


def check(
    assessments: Paths | Mapping[str, Paths] | None = None,
    runs: Paths | None = None,
    structure: Paths | None = None,
    *,
    order: Order | None = None,
    task: str | None = None,
    end_offsets: bool = False,
    merge_passages: bool = False,
    grades: tuple[float, float] | None = None,
    whole_documents: bool = False,
    columns: Mapping[str, str] | None = None,
    progress: Progress = silent,
) -> Examined:
    r"""Returns every problem of assessments, runs and structures: problems within each file, and inconsistencies between files.

    Args:
        assessments: As in `read_assessments`.
        runs: As in `read_runs`.
        structure: As in `read_structure`.
        order: The column that determines the ranking, as in `read_runs`.
        task: The task of the submissions to read, as in `read_runs`.
        end_offsets: Whether the eighth column of FOL runs is an end offset, as in `read_runs`.
        merge_passages: Whether overlapping or touching passages are merged, as in `read_assessments`.
        grades: The lowest and the highest grade of graded documents, as in `read_assessments`.
        whole_documents: Whether results without an offset or a path are whole documents, as in `read_runs`.
        columns: The names of columns that the caller states, as in `read_assessments` and `read_runs`.
        progress: The function to which progress is reported while files are read.

    Returns:
        The problems and the valid data. The problems of assessments come first, then those of runs, then those of structures. Within each
        of these groups, errors come before warnings, and both are ordered by file and line. Inconsistencies between the assessments, runs
        and structures come last. They include a warning for each run with elements that are not in the structure, and a warning that counts
        the documents that some assessors of a topic judged and others did not.

    Examples:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile("w", suffix=".qrels") as file:
        ...     _ = file.write("1 0 a 2\n1 0 b x\n1 0 a 1\n")
        ...     file.flush()
        ...     problems = check(file.name).problems
        >>> [(problem.line, problem.message) for problem in problems]
        [(2, 'grade: expected a finite number, found "x"'), (3, 'expected one grade for topic 1, document a, found a second one (the first is on line 1)')]
    """
    judged = retrieved = places = None
    stated = stated_columns(columns, OF_BOTH)
    of_assessments, of_runs, of_structure = findings.Findings(), findings.Findings(), findings.Findings()
    if structure is not None:
        places = structures.gather_structure(structure, of_structure, progress)
    if assessments is not None:
        judged = gather_assessments(
            assessments, of_assessments, judgement_tables.JudgementChoices(places, True, merge_passages, grades, stated)
        )
    if runs is not None:
        choices = run_files.RunChoices(order, task, end_offsets, whole_documents, columns=stated)
        retrieved = run_files.gather_runs(runs, of_runs, RunOptions(progress=progress), choices)
    with of_assessments:
        check_used(stated, (*of_assessments.read, *of_runs.read))
    problems = [*of_assessments.in_order(), *of_runs.in_order(), *of_structure.in_order()]
    # If a file is unreadable, inconsistencies between the other files may be due to the missing data.
    if judged is not None and not (of_assessments.files or of_runs.files or of_structure.files):
        problems += consistency.breaches(judged, retrieved, places)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", CollectionWarning)
                problems += Collection(judged, retrieved, places).warnings
        except CollectionError as error:
            problems += error.problems
        if differently := assessors.different_documents(judged, judged.sheets):
            problems.append(Problem(differently, severity="warning"))
        if (scale := doubtful_scale(judged)) is not None:
            least = canonical(scale[1])
            text = f"{scale[0]} under binary measures; MAP(rel={least}) counts grades from {least} as relevant"
            problems.append(Problem(text, severity="warning"))
        problems += _about_sheets(judged, retrieved)
        if retrieved is not None and consistency.has_passages(judged):
            problems += [Problem(found, severity="warning") for found in consistency.without_offsets(retrieved)]
        if retrieved is not None and places is not None:
            named = retrieved.results.filter(pl.col("path").is_not_null() & pl.col("start").is_null())
            placed = extents(named.select("doc_id", "path", "start", "length"), Assessments(), places)
            lost = named.filter(placed["start"] == UNRESOLVED).group_by("run_id", maintain_order=True)
            for run_id, count, topic_id, doc_id, path in lost.agg(pl.len(), pl.first("topic_id", "doc_id", "path")).iter_rows():
                elements = plural(count, "element", f"of run {run_id} is", f"of run {run_id} are")
                message = f"{elements} not in the structure: such as {path} of document {doc_id} in topic {topic_id}"
                problems.append(Problem(message, file=retrieved.files.get(run_id), severity="warning"))
    return Examined(tuple(problems), judged, retrieved)


def _about_sheets(judged: Assessments, retrieved: Runs | None) -> Iterator[Problem]:
    """Yields a warning about each sheet of documents to judge that is not graded completely, or was planned for other runs."""
    for name, sheet in judged.sheets.items():
        file, of = sheet.source or None, f"{name}: " if name else ""
        if not sheet.complete:
            yield Problem(f"{of}{sheet.progress}; estimates need all grades", file=file, severity="warning")
        if not sheet.states_plan:
            text = "lacks the lines that begin with # and state the plan, so that its rows and probabilities cannot be verified"
            yield Problem(f"{of}the sheet {text}", file=file, severity="warning")
        planned = sheet.facts.get(sheets.RUNS)
        if retrieved is not None and planned is not None and planned != sheets.runs_fingerprint(retrieved):
            yield Problem(
                f"{of}the documents were drawn for {other_runs(sheet, retrieved)}; a plan for these runs keeps the grades "
                f"with --judged {file or 'FILE'}",
                file=file,
                severity="warning",
            )


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
            scores = score_matrices.completed(scores, "drop-topics") if scores.drop_topics else scores
            found = scores.warnings
            scores.check_complete()
        except OptionError:
            raise
        except CollectionError as error:
            problems, read = [*error.problems, *(Problem(text, severity="warning") for text in found)], []
        else:
            runs = str(scores.systems or plural(len(scores.runs), "run"))
            read = [printable(f"scores: {plural(len(scores.topics), 'topic')}, {runs} ({enumerate_names(scores.runs)})")]
            problems = [Problem(text, severity="warning") for text in (*scores.warnings, *score_matrices.averaged_over_others(scores))]
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
            **(data.keywords("read_assessments") | data.keywords("read_runs")),
            progress=progress,
        )
    problems, read = [*found.problems], []
    if found.assessments is not None:
        read += [
            printable(f"{name or sheet.source}: {sheet.progress}") for name, sheet in found.assessments.sheets.items() if sheet.complete
        ]
        read.append(f"assessments: {plural(len(found.assessments.topics), 'topic')} ({', '.join(found.assessments.kinds) or 'none'})")
    if found.runs is not None:
        results = plural(found.runs.packed.height, "result")
        read.append(printable(f"runs: {results} of {plural(len(found.runs.run_ids), 'run')} ({enumerate_names(found.runs.run_ids)})"))
    if data.systems is not None and found.runs is not None:
        try:
            systems = Systems.of(data.systems, found.runs.run_ids)
        except OptionError:
            raise
        except CollectionError as error:
            problems += error.problems
        else:
            problems += systems.warnings
            read.append(printable(f"systems: {systems} ({enumerate_names(systems.names)})"))
    return problems, read
