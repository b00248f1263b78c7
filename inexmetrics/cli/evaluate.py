"""The request ``inexmetrics FORMULA``, which reads the data, runs the experiment, and writes the outputs."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from inexmetrics.cli import console, options, pictures, plugins, results, sources
from inexmetrics.cli.arguments import Question, UsageError
from inexmetrics.collection import Collection, missing
from inexmetrics.collection.document_names import NamesNeededError
from inexmetrics.collection.layout import taken
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.collection.topics import Topics
from inexmetrics.common.errors import CollectionError, FormulaError, Problem, summaries
from inexmetrics.common.files import write_files
from inexmetrics.common.messages import printable
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.base import Experiment, Result
from inexmetrics.experiments.result_forms import PAGE
from inexmetrics.formula import parse
from inexmetrics.formula.scores_named import parse_for_scores
from inexmetrics.inference.base import clusters_asked_for
from inexmetrics.quantisations.base import Criterion
from inexmetrics.terms import terms_within

if TYPE_CHECKING:
    from inexmetrics.cli.demands import Marking

__all__ = ["evaluate"]

T = TypeVar("T")

UNMET: Final = 3
"""Exit code if a requirement is not met."""


def evaluate(question: Question) -> int:
    """Runs an experiment and writes its outputs; returns the exit code.

    Raises:
        UsageError: An option is invalid.
        FormulaError: The formula is invalid.
        CollectionError: The data are invalid, or insufficient for the experiment.
        OSError: A file cannot be read.
    """
    if question.output is None and sys.stdout is None:
        raise UsageError("--output: expected a file, found none; standard output is closed")
    terminal = question.output is None and sys.stdout.isatty()
    options.refuse_terminal(question.style, question.output)
    if question.plot is not None:
        pictures.check_drawable()
    plugins.load_words(question.use)
    experiment: Experiment = parse_for_scores(question.formula) if question.data.scores else parse(question.formula, Experiment)
    tests = None  # unsuitable experiments are rejected before any data are read
    if question.style == "inex_eval":
        from inexmetrics.inex_report.tasks import reported

        try:
            reported(experiment)
        except FormulaError as error:
            raise UsageError(f"--format inex_eval: {error}") from None
    if question.marks is not None or question.require is not None:
        from inexmetrics.cli import demands  # which loads experiments that other requests do not need

        tests = None if question.marks is None else demands.tests_of(question.marks, experiment)
        demands.check_required(question.require, experiment)
    if question.workers == 1:
        return _with_names_if_needed(experiment, tests, question, None, terminal=terminal)
    from inexmetrics.cli.workers import worker_processes  # imported only if needed, because the import is slow

    try:
        with worker_processes(question.workers, question.use) as pool:
            return _with_names_if_needed(experiment, tests, question, pool, terminal=terminal)
    except BrokenExecutor as error:
        raise CollectionError(f"{error}; fewer --workers need less memory") from None


def _with_names_if_needed(
    experiment: Experiment, tests: Marking | None, question: Question, executor: Executor | None, *, terminal: bool
) -> int:
    """Evaluates without the names of unjudged documents if the experiment reads only scores; if a name is needed, reads the runs again."""
    warnings = _Warnings(question.strict)
    selects = any(isinstance(term, Criterion) and term.parts[0] is not None for term in terms_within(experiment, tests))
    if not (experiment.reads_names or selects or question.report or question.card):
        with suppress(NamesNeededError):
            return _evaluated(experiment, tests, question, executor, warnings, terminal=terminal, names=False)
    return _evaluated(experiment, tests, question, executor, warnings, terminal=terminal, names=True)


def _evaluated(
    experiment: Experiment,
    tests: Marking | None,
    question: Question,
    executor: Executor | None,
    warnings: _Warnings,
    *,
    terminal: bool,
    names: bool,
) -> int:
    """Computes all outputs before writing the first, and returns the exit code."""
    if options.style_of(question.output) not in {None, question.style}:
        warnings.show(
            [
                f"--output {question.output}: expected --format {options.style_of(question.output)} for this extension, found --format {question.style}"
            ]
        )
    clusters = clusters_asked_for(experiment, tests)
    source, topics = _read(question, clusters, sources.measures_of(experiment), executor, warnings, names=names)

    def computed(work: Callable[[RunOptions], T]) -> T:
        try:
            with console.watched(question.progress) as progress:
                return work(RunOptions(question.compat, executor, progress))
        except (CollectionError, FormulaError, NamesNeededError, BrokenExecutor):
            raise
        except Exception as error:
            mistake = plugins.mistake_in(question.use, error)
            if mistake is None:
                raise
            raise UsageError(mistake) from None

    contents: dict[Path | None, bytes] = {}  # contents by file; the key None is standard output
    unmet = undrawable = None
    if question.style == "inex_eval":
        from inexmetrics.inex_report import report, tasks

        evaluation = computed(lambda setting: report.evaluated(tasks.reported(experiment), source, setting))
        warnings.show(evaluation.warnings)
        contents[question.output] = evaluation.text(per_topic=question.table == "per_topic").encode(errors="backslashreplace")
    drawing = any(path is not None for path in (question.plot, question.report, question.card))
    if question.style != "inex_eval" or drawing:
        result = computed(lambda setting: experiment.result(source, setting))
        warnings.show(result.warnings)
        if question.style != "inex_eval":
            width = shutil.get_terminal_size((PAGE, 24)).columns if terminal or "COLUMNS" in os.environ else PAGE
            marks = None if tests is None else computed(lambda setting: tests.result(source, setting))
            warnings.show(() if marks is None else marks.warnings)
            # a terminal that has shown the warnings above the text does not show them a second time
            said_above = terminal and sys.stderr is not None and sys.stderr.isatty()
            if said_above and marks is not None:
                marks = replace(marks, warnings=())
            shown = replace(result, warnings=()) if said_above else result
            contents[question.output] = results.written(shown, question, width, marks, terminal=terminal)
            _say_reading(result, question.style)
        drawn, undrawable = pictures.pictures_of(result, question, topics) if drawing else ({}, None)
        contents.update(drawn.items())
        if question.require is not None:
            from inexmetrics.cli import demands

            unmet, cases = demands.met(question.require, result)
            contents |= {} if question.junit is None else {question.junit: cases}
    write_files({path: content for path, content in contents.items() if path is not None})
    if None in contents:
        results.print_bytes(contents[None])
    if unmet is not None:
        console.print_error(unmet)
    if undrawable is not None:  # the result is printed all the same
        raise undrawable
    return 0 if unmet is None else UNMET


def _say_reading(result: Result, style: str | None) -> None:
    """Writes to standard error how tables were read, if the form of the result has no place for it."""
    if style in {"csv", "parquet"} and (read := taken(result.origin.read)):
        console.print_error(printable(", ".join(read)))


def _read(
    question: Question, clusters: Sequence[str], measures: Sequence[str], executor: Executor | None, warnings: _Warnings, *, names: bool
) -> tuple[Collection | Scores, Topics | None]:
    """Reads the data and the topics of the report; if reading fails, the warnings about the other files are shown before the error."""
    found: list[Problem] = []
    topics = None
    try:
        if question.topics is not None:
            from inexmetrics.reading.topic_files import read_topics

            topics = read_topics(question.topics)
            found += topics.warnings
        with console.watched(question.progress) as progress:
            setting = RunOptions(executor=executor, progress=progress)
            source = sources.read_source(question.data, found.extend, setting, clusters, measures, names=names)
    except NamesNeededError:
        raise
    except Exception:
        for text in summaries(found):
            console.print_error(f"warning: {printable(text)}")
        raise
    whole = source.warnings if topics is None else (*topics.warnings, *source.warnings)
    # With --compat, missing topics are excluded instead of scored 0, and the experiment warns about them.
    scored_0 = question.compat is None
    warnings.show([warning for warning in whole if scored_0 or not (isinstance(warning, Problem) and warning.kind == missing.SCORED_0)])
    if question.data.none:
        console.print_error("no --assessments or --scores: this is the built-in simulated sample")
    return source, topics


class _Warnings:
    """Shows each warning once on standard error; with ``--strict``, warnings are errors."""

    __slots__ = ("_shown", "_strict")

    def __init__(self, strict: bool) -> None:
        self._strict = strict
        self._shown: set[str] = set()

    def show(self, found: Sequence[Problem | str]) -> None:
        """Shows the warnings that have not been shown yet.

        Raises:
            CollectionError: A warning was shown, and ``--strict`` turns warnings into errors.
        """
        fresh = [text for text in dict.fromkeys(summaries(found)) if text not in self._shown] if found else []
        self._shown.update(fresh)
        for text in fresh:
            console.print_error(f"warning: {printable(text)}")
        if fresh and self._strict:
            raise CollectionError(f"--strict: expected no warnings, found {len(fresh)}")
