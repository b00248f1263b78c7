"""``inexmetrics FORMULA``: reads the data, runs the experiment, and writes the outputs."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from inexmetrics.cli.arguments import Question, UsageError
from inexmetrics.cli.console import print_error
from inexmetrics.cli.outputs import style_of
from inexmetrics.cli.plugins import load_words, mistake_in
from inexmetrics.cli.progress import watched
from inexmetrics.cli.results import print_bytes, written
from inexmetrics.cli.sources import read_source
from inexmetrics.collection import Collection
from inexmetrics.collection.names import SCORED_0
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.collection.topics import Topics
from inexmetrics.common.errors import CollectionError, FormulaError, Problem, summaries
from inexmetrics.common.files import write_files
from inexmetrics.common.messages import plural
from inexmetrics.common.options import RunOptions
from inexmetrics.common.pictures import picture_of
from inexmetrics.experiments.base import PAGE, Experiment, Result
from inexmetrics.formula import parse
from inexmetrics.formula.parsing import syntax_of
from inexmetrics.formula.syntax import Argument, Call, Node, Operation
from inexmetrics.inference.base import clusters_asked_for

if TYPE_CHECKING:  # what an option asks for is loaded where it is asked for
    from inexmetrics.experiments.scores import Scoring
    from inexmetrics.experiments.significance import Significance
    from inexmetrics.experiments.versus import Versus

__all__ = ["evaluate"]

T = TypeVar("T")

UNMET: Final = 3
"""The exit code where a requirement does not hold."""


def evaluate(question: Question) -> int:
    """Runs an experiment and writes its outputs; returns the exit code.

    Raises:
        UsageError: An option is wrong.
        FormulaError: The formula is wrong.
        CollectionError: The data are wrong, or cannot answer.
        OSError: A file cannot be read.
    """
    if question.output is None and sys.stdout is None:
        raise UsageError("expected a file to write to, with --output, found standard output closed")
    terminal = question.output is None and sys.stdout.isatty()
    if question.style == "parquet" and terminal:
        raise UsageError("--format parquet: expected a file to write to, with --output, found a terminal")
    if question.plot is not None:
        _need_plot_extra()
    load_words(question.use)
    experiment: Experiment = parse(question.formula, Experiment)
    if question.style == "inex_eval":
        _reported(experiment)  # or refused, before anything is read
    _marking(experiment, question)
    _require(experiment, question)
    with _workers(question) as executor:
        return _evaluated(experiment, question, executor, terminal=terminal)


def _evaluated(experiment: Experiment, question: Question, executor: Executor | None, *, terminal: bool) -> int:
    warnings = _Warnings(question.strict)
    if style_of(question.output) not in {None, question.style}:
        warnings.show([f"--output {question.output}: expected {style_of(question.output)} by its ending, found --format {question.style}"])
    found: list[Problem] = []
    try:
        topics = None if question.topics is None else _topics(question.topics)
        found += () if topics is None else topics.warnings
        with watched(question.progress) as progress:
            setting = RunOptions(executor=executor, progress=progress)
            clusters = clusters_asked_for((experiment, _marking(experiment, question)))
            source = read_source(question.data, found.extend, setting, clusters)
    except Exception:
        for text in summaries(found):
            print_error(f"warning: {text}")
        raise
    whole = source.warnings if topics is None else (*topics.warnings, *source.warnings)
    # Where an evaluator is followed, the experiment warns of missing topics: some are left out, and not scored 0.
    scored_0 = question.compat is None
    warnings.show([warning for warning in whole if scored_0 or not (isinstance(warning, Problem) and warning.kind == SCORED_0)])
    if question.data.none:
        print_error(f"on the built-in simulated sample: {_size(source)}")
    contents, unmet = _contents(experiment, source, question, warnings, executor, terminal=terminal, topics=topics)
    write_files({path: content for path, content in contents.items() if path is not None})
    if None in contents:
        print_bytes(contents[None])
    if unmet is None:
        return 0
    print_error(unmet)
    return UNMET


def _topics(path: Path) -> Topics:
    from inexmetrics.reading.topic_files import read_topics

    return read_topics(path)


def _contents(
    experiment: Experiment,
    source: Collection | Scores,
    question: Question,
    warnings: _Warnings,
    executor: Executor | None,
    *,
    terminal: bool,
    topics: Topics | None,
) -> tuple[dict[Path | None, bytes], str | None]:
    """Contents of files, and of standard output (None), all made before any is written; and what is said of a requirement that does not hold."""
    contents: dict[Path | None, bytes] = {}
    if question.style == "inex_eval":
        from inexmetrics.evaluator.report import evaluated

        evaluation = _computed(lambda setting: evaluated(_reported(experiment), source, setting), question, executor)
        warnings.show(evaluation.warnings)
        contents[question.output] = evaluation.text(per_topic=question.table == "per_topic").encode(errors="backslashreplace")
        if question.plot is None and question.report is None and question.card is None:
            return contents, None
    result = _computed(lambda setting: experiment.answer(source, setting), question, executor)
    warnings.show(result.warnings)
    if question.style != "inex_eval":
        width = shutil.get_terminal_size((PAGE, 24)).columns if terminal or "COLUMNS" in os.environ else PAGE
        tests = _marking(experiment, question)
        marks = None if tests is None else _computed(lambda setting: tests.answer(source, setting), question, executor)
        warnings.show(() if marks is None else marks.warnings)
        contents[question.output] = written(result, question, width, marks, terminal=terminal)
    contents.update(_pictures(result, question, topics).items())
    return contents, _unmet(result, question, contents)


def _unmet(result: Result, question: Question, contents: dict[Path | None, bytes]) -> str | None:
    """The line about a requirement that does not hold; None where it holds, or there is none. Adds the file of test cases to the contents."""
    if question.require is None:
        return None
    from inexmetrics.experiments.requirements import cases_of, unmet_text
    from inexmetrics.experiments.versus import VersusResult
    from inexmetrics.report.junit import junit

    if not isinstance(result, VersusResult):
        raise UsageError(f"--require: expected a result of versus, found that of {result.experiment.word}")
    if question.junit is not None:
        asked = result.experiment
        cases = cases_of(result.table, question.require, asked.margin, asked.interval)
        contents[question.junit] = junit(str(asked), result.finding, cases)
    return unmet_text(result.table, question.require)


def _require(experiment: Experiment, question: Question) -> None:
    """Refuses a requirement that the experiment cannot answer.

    Raises:
        UsageError: It is another experiment than `versus`, or has no margin where the requirement needs one.
    """
    if question.require is None:
        return
    from inexmetrics.experiments.requirements import check_requirement
    from inexmetrics.experiments.versus import Versus

    if not isinstance(experiment, Versus):
        raise UsageError(f'--require: expected versus, as in versus("mine", MAP), found {experiment.word}')
    try:
        check_requirement(question.require, experiment.margin)
    except FormulaError as error:
        raise UsageError(f"--require: {error}") from None


def _computed(work: Callable[[RunOptions], T], question: Question, executor: Executor | None) -> T:
    try:
        with watched(question.progress) as progress:
            return work(RunOptions(question.compat, executor, progress))
    except (CollectionError, FormulaError, BrokenExecutor):
        raise
    except Exception as error:
        mistake = mistake_in(question.use, error)
        if mistake is None:
            raise
        raise UsageError(mistake) from None


@contextmanager
def _workers(question: Question) -> Iterator[Executor | None]:
    """The processes that read files of runs and do long work; None is this one."""
    try:
        if question.workers == 1:
            yield None
            return
        from inexmetrics.cli.workers import worker_processes  # slow to load

        with worker_processes(question.workers, question.use) as pool:
            yield pool
    except BrokenExecutor as error:
        raise CollectionError(f"{error}; fewer --workers need less memory") from None


def _pictures(result: Result, question: Question, topics: Topics | None) -> dict[Path, bytes]:
    """Return the chart, the page and the card of a result, if requested."""
    files: dict[Path, bytes] = {}
    if question.plot is not None:
        files[question.plot] = _chart(result, question.plot, question)
    if question.report is not None:
        from inexmetrics.cli.as_python import python_of
        from inexmetrics.report.html import page_of

        reading = python_of(question.data, clusters_asked_for((result.experiment,)))
        # the command may name a file by bytes that are no UTF-8
        files[question.report] = page_of(result, question.command, topics, reading).encode(errors="backslashreplace")
    if question.card is not None:
        from inexmetrics.report.card import card_of

        files[question.card] = card_of(result, question.command).encode(errors="backslashreplace")
    return files


def _chart(result: Result, path: Path, question: Question) -> bytes:
    from inexmetrics.report.charts.drawing import drawn, undrawn

    if question.panel is None and (said := undrawn(result)) is not None:
        print_error(f"--plot: {said}")
    try:
        return drawn(result, picture_of(path), panel=question.panel, width=question.plot_width, title=question.title)
    except CollectionError:
        raise
    except ValueError as error:
        raise UsageError(f"--plot: {error}") from None


def _marking(experiment: Experiment, question: Question) -> Significance | Versus | None:
    """Return the tests that mark the means of an experiment, if requested.

    Raises:
        UsageError: The experiment has no means, or the option names no test.
    """
    if question.marks is None:
        return None
    from inexmetrics.experiments.scores import Scoring
    from inexmetrics.experiments.significance import Significance
    from inexmetrics.experiments.versus import Versus

    if not isinstance(experiment, Scoring):
        raise UsageError(f"--marks: expected scores, as in scores(MAP), found {experiment.word}")
    asked: Significance | Versus
    try:
        against = _against_baselines(question.marks)
        asked = parse(f"significance(MAP | {question.marks})", Significance) if against is None else parse(against, Versus)
    except FormulaError as error:
        forms = """'t | Holm', or a baseline before them, as in 'versus("bm25") | t | Holm'"""
        raise UsageError(f"--marks: expected a test and a correction, as in {forms}: {error}") from None
    return replace(asked, measure=experiment.measure, quantisation=experiment.quantisation)


def _against_baselines(marks: str) -> str | None:
    """Return the formula of tests against baselines, which an option writes without a measure; None if it has no baseline.

    Raises:
        FormulaError: The option is no formula.
        UsageError: More than the baselines is in parentheses.
    """
    node = syntax_of(marks)
    first, *stages = node.operands if isinstance(node, Operation) and node.operator == "|" else (node,)
    if not isinstance(first, Call) or first.word.text != "versus":
        return None
    match first.arguments:
        case (Argument(None, value),):
            return f"versus({' | '.join([f'{_source(marks, value)}, MAP', *(_source(marks, stage) for stage in stages)])})"
        case _:
            raise UsageError(
                """--marks: expected baselines alone, as in 'versus("bm25") | t | Holm'; the measures are those of the scores"""
            )


def _source(text: str, node: Node) -> str:
    return text[node.span[0] : node.span[1]]


def _reported(experiment: Experiment) -> Scoring:
    """The experiment as one that INEX's evaluator has a report of.

    Raises:
        UsageError: It is none.
    """
    from inexmetrics.evaluator.tasks import task_of
    from inexmetrics.experiments.scores import Scoring

    if not isinstance(experiment, Scoring):
        raise UsageError(f"--format inex_eval: expected scores of character or in-context measures, found {experiment.word}")
    try:
        task_of(experiment)
    except FormulaError as error:
        raise UsageError(f"--format inex_eval: {error}") from None
    return experiment


def _need_plot_extra() -> None:
    if importlib.util.find_spec("vl_convert") is None:
        from inexmetrics.report.charts.drawing import NEEDED

        raise UsageError(f"--plot: {NEEDED}")


class _Warnings:
    """Shows warnings on standard error, each once; with ``--strict`` they are errors."""

    __slots__ = ("_shown", "_strict")

    def __init__(self, strict: bool) -> None:
        self._strict = strict
        self._shown: set[str] = set()

    def show(self, found: Iterable[Problem | str]) -> None:
        """Shows the warnings not shown before.

        Raises:
            CollectionError: There are some, and they are errors.
        """
        fresh = [text for text in dict.fromkeys(summaries(found)) if text not in self._shown]
        self._shown.update(fresh)
        for text in fresh:
            print_error(f"warning: {text}")
        if fresh and self._strict:
            raise CollectionError(f"{plural(len(fresh), 'warning')}, which --strict takes for errors")


def _size(source: Collection | Scores) -> str:
    runs = source.runs if isinstance(source, Scores) else () if source.runs is None else source.runs.run_ids
    return f"{plural(len(source.topics), 'topic')}, {plural(len(runs), 'run')}"
