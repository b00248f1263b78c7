"""The request ``inexmetrics FORMULA``, which reads the data, runs the experiment, and writes the outputs."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from inexmetrics.cli import console, options, plugins, results, sources
from inexmetrics.cli.arguments import Question, UsageError
from inexmetrics.collection import Collection, condition_names, missing
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.collection.topics import Topics
from inexmetrics.common.errors import CollectionError, FormulaError, Problem, summaries
from inexmetrics.common.files import picture_of, write_files
from inexmetrics.common.messages import printable
from inexmetrics.common.options import RunOptions
from inexmetrics.experiments.base import Experiment, Result
from inexmetrics.experiments.result_forms import PAGE
from inexmetrics.formula import parse
from inexmetrics.formula.parsing import Argument, Call, Operation, syntax_of
from inexmetrics.formula.scores_named import parse_for_scores
from inexmetrics.inference.base import clusters_asked_for
from inexmetrics.measures.base import Measure
from inexmetrics.terms import terms_within

if TYPE_CHECKING:  # modules are imported when an option needs them
    from inexmetrics.experiments.opponents import Requirement
    from inexmetrics.experiments.scores import Scoring
    from inexmetrics.experiments.significance import Significance
    from inexmetrics.experiments.versus import Versus

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
    if question.plot is not None and importlib.util.find_spec("vl_convert") is None:
        from inexmetrics.report.charts.drawing import NEEDED

        raise UsageError(f"--plot: {NEEDED}")
    plugins.load_words(question.use)
    experiment: Experiment = parse_for_scores(question.formula) if question.data.scores else parse(question.formula, Experiment)
    if question.style == "inex_eval":
        _reported(experiment)  # rejects an unsuitable experiment before any data are read
    tests = None if question.marks is None else _marking(experiment, question.marks)
    if question.require is not None:
        from inexmetrics.experiments.opponents import check_requirement
        from inexmetrics.experiments.versus import Versus

        if not isinstance(experiment, Versus):
            raise UsageError(f'--require: expected versus, as in versus("mine", MAP), found {experiment.word}')
        try:
            check_requirement(question.require, experiment.margin)
        except FormulaError as error:
            raise UsageError(f"--require: {error}") from None
    if question.workers == 1:
        return _evaluated(experiment, tests, question, None, terminal=terminal)
    from inexmetrics.cli.workers import worker_processes  # imported only if needed, because the import is slow

    try:
        with worker_processes(question.workers, question.use) as pool:
            return _evaluated(experiment, tests, question, pool, terminal=terminal)
    except BrokenExecutor as error:
        raise CollectionError(f"{error}; fewer --workers need less memory") from None


def _evaluated(
    experiment: Experiment, tests: Significance | Versus | None, question: Question, executor: Executor | None, *, terminal: bool
) -> int:
    """Computes all outputs before writing the first, and returns the exit code."""
    warnings = _Warnings(question.strict)
    if options.style_of(question.output) not in {None, question.style}:
        warnings.show(
            [
                f"--output {question.output}: expected --format {options.style_of(question.output)} for this extension, found --format {question.style}"
            ]
        )
    clusters = clusters_asked_for(experiment, tests)
    source, topics = _read(question, clusters, _measures_of(experiment), executor, warnings)

    def computed(work: Callable[[RunOptions], T]) -> T:
        try:
            with console.watched(question.progress) as progress:
                return work(RunOptions(question.compat, executor, progress))
        except (CollectionError, FormulaError, BrokenExecutor):
            raise
        except Exception as error:
            mistake = plugins.mistake_in(question.use, error)
            if mistake is None:
                raise
            raise UsageError(mistake) from None

    contents: dict[Path | None, bytes] = {}  # contents by file; the key None is standard output
    unmet = undrawable = None
    if question.style == "inex_eval":
        from inexmetrics.inex_report.report import evaluated

        evaluation = computed(lambda setting: evaluated(_reported(experiment), source, setting))
        warnings.show(evaluation.warnings)
        contents[question.output] = evaluation.text(per_topic=question.table == "per_topic").encode(errors="backslashreplace")
    if question.style != "inex_eval" or any(path is not None for path in (question.plot, question.report, question.card)):
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
        pictures, undrawable = _pictures(result, question, topics)
        contents.update(pictures.items())
        if question.require is not None:
            unmet, cases = _gate(result, question.require)
            contents |= {} if question.junit is None else {question.junit: cases}
    write_files({path: content for path, content in contents.items() if path is not None})
    if None in contents:
        results.print_bytes(contents[None])
    if unmet is not None:
        console.print_error(unmet)
    if undrawable is not None:  # the result is printed all the same
        raise undrawable
    return 0 if unmet is None else UNMET


def _measures_of(experiment: Experiment) -> tuple[str, ...]:
    """Returns the names of an experiment's measures, as they may be headings of columns."""
    return tuple(dict.fromkeys(condition_names.plain_name(term.name) for term in terms_within(experiment) if isinstance(term, Measure)))


def _read(
    question: Question, clusters: Sequence[str], measures: Sequence[str], executor: Executor | None, warnings: _Warnings
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
            source = sources.read_source(question.data, found.extend, setting, clusters, measures)
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


def _gate(result: Result, requirement: Requirement) -> tuple[str | None, bytes]:
    """Returns the message that the requirement is not met (None if it is met), and the JUnit file of test cases."""
    from inexmetrics.experiments.opponents import cases_of, unmet_text
    from inexmetrics.experiments.versus import VersusResult
    from inexmetrics.report.formats import junit

    assert isinstance(result, VersusResult), "a requirement of another experiment is rejected before"
    asked = result.experiment
    cases = cases_of(
        result.as_displayed(),
        requirement,
        asked.margin,
        correction=asked.correction,
        interval=asked.interval,
        lower=result.origin.lower,
    )
    return unmet_text(result.table, requirement, result.origin.lower), junit(str(asked), result.finding, cases)


def _pictures(result: Result, question: Question, topics: Topics | None) -> tuple[dict[Path, bytes], CollectionError | None]:
    """Returns the contents of the requested files (chart, report, card) for a result, keyed by path, and why there is no chart."""
    files: dict[Path, bytes] = {}
    undrawable = None
    if question.plot is not None:
        from inexmetrics.report.charts.drawing import drawn, undrawn

        form = picture_of(question.plot)
        try:
            if question.panel is None and (said := undrawn(result)) is not None:
                console.print_error(f"--plot: {printable(said)}")
            files[question.plot] = drawn(
                result, form, panel=question.panel, width=question.plot_width, title=None if question.title else False
            )
        except CollectionError as error:
            undrawable = error
        except ValueError as error:
            raise UsageError(f"--plot: {error}") from None
    if question.report is not None:
        from inexmetrics.cli import sources
        from inexmetrics.report.html import page_of

        reading = sources.python_of(question.data, clusters_asked_for(result.experiment), result.origin.read)
        # file names in the command may contain bytes that are not UTF-8
        files[question.report] = page_of(result, question.command, topics, reading).encode(errors="backslashreplace")
    if question.card is not None:
        from inexmetrics.report.card import card_of

        files[question.card] = card_of(result, question.command).encode(errors="backslashreplace")
    return files, undrawable


def _marking(experiment: Experiment, marks: str) -> Significance | Versus:
    """Returns the tests whose markers are added to the means of an experiment.

    Raises:
        UsageError: The experiment does not compute means, or the option does not name a test.
    """
    from inexmetrics.experiments.scores import Scoring
    from inexmetrics.experiments.significance import Significance
    from inexmetrics.experiments.versus import Versus

    if not isinstance(experiment, Scoring):
        raise UsageError(f"--marks: expected scores, as in scores(MAP), found {experiment.word}")
    asked: Significance | Versus
    try:
        if not marks.lstrip().startswith("versus"):
            asked = parse(f"significance(MAP | {marks})", Significance)
        else:  # tests against baselines; their formula does not contain a measure
            node = syntax_of(marks)
            first, *stages = node.operands if isinstance(node, Operation) and node.operator == "|" else (node,)
            match first:
                case Call(arguments=(Argument(None, value), *options)) if all(option.name for option in options):
                    baselines, *later = (marks[slice(*part.span)] for part in (value, *stages))
                    named = [f"{option.name}={marks[slice(*option.value.span)]}" for option in options if option.name]
                    asked = parse(f"versus({', '.join([' | '.join([f'{baselines}, MAP', *later]), *named])})", Versus)
                case _:
                    raise UsageError(
                        """--marks: expected baselines without a measure, as in 'versus("bm25") | t | Holm'; the measures are those of the scores"""
                    )
    except FormulaError as error:
        forms = """'t | Holm', or a baseline before them, as in 'versus("bm25") | t | Holm'"""
        raise UsageError(f"--marks: expected a test and a correction, as in {forms}: {error}") from None
    return replace(asked, measure=experiment.measure, quantisation=experiment.quantisation)


def _reported(experiment: Experiment) -> Scoring:
    """Returns the experiment if INEX's evaluator has a report on experiments of this kind.

    Raises:
        UsageError: INEX's evaluator does not have a report for this experiment.
    """
    from inexmetrics.experiments.scores import Scoring
    from inexmetrics.inex_report.tasks import task_of

    if not isinstance(experiment, Scoring):
        raise UsageError(f"--format inex_eval: expected scores of character or in-context measures, found {experiment.word}")
    try:
        task_of(experiment)
    except FormulaError as error:
        raise UsageError(f"--format inex_eval: {error}") from None
    return experiment


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
