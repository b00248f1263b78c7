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
from typing import TYPE_CHECKING, TypeVar

from inexmetrics.cli.arguments import Question, UsageError
from inexmetrics.cli.console import print_error
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
from inexmetrics.inference.bootstrap import Bootstrap

if TYPE_CHECKING:  # what an option asks for is loaded where it is asked for
    from inexmetrics.experiments.scores import Scoring
    from inexmetrics.experiments.significance import Significance

__all__ = ["evaluate"]

T = TypeVar("T")


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
    with _workers(question) as executor:
        return _evaluated(experiment, question, executor, terminal=terminal)


def _evaluated(experiment: Experiment, question: Question, executor: Executor | None, *, terminal: bool) -> int:
    warnings = _Warnings(question.strict)
    found: list[Problem] = []
    try:
        topics = None if question.topics is None else _topics(question.topics)
        found += () if topics is None else topics.warnings
        with watched(question.progress) as progress:
            setting = RunOptions(executor=executor, progress=progress)
            source = read_source(question.data, found.extend, setting, _clusters(experiment))
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
    contents = _contents(experiment, source, question, warnings, executor, terminal=terminal, topics=topics)
    write_files({path: content for path, content in contents.items() if path is not None})
    if None in contents:
        print_bytes(contents[None])
    return 0


def _topics(path: Path) -> Topics:
    from inexmetrics.reading.topic_files import read_topics

    return read_topics(path)


def _clusters(experiment: Experiment) -> tuple[str, ...]:
    """The columns that the experiment's test takes for clusters."""
    test = getattr(experiment, "test", None)
    return (test.clusters,) if isinstance(test, Bootstrap) and test.clusters is not None else ()


def _contents(
    experiment: Experiment,
    source: Collection | Scores,
    question: Question,
    warnings: _Warnings,
    executor: Executor | None,
    *,
    terminal: bool,
    topics: Topics | None,
) -> dict[Path | None, bytes]:
    """Contents of files, and of standard output (None), all made before any is written."""
    contents: dict[Path | None, bytes] = {}
    if question.style == "inex_eval":
        from inexmetrics.evaluator.report import evaluated

        evaluation = _computed(lambda setting: evaluated(_reported(experiment), source, setting), question, executor)
        warnings.show(evaluation.warnings)
        contents[question.output] = evaluation.text(per_topic=question.table == "per_topic").encode(errors="backslashreplace")
        if question.plot is None and question.report is None:
            return contents
    result = _computed(lambda setting: experiment.answer(source, setting), question, executor)
    warnings.show(result.warnings)
    if question.style != "inex_eval":
        width = shutil.get_terminal_size((PAGE, 24)).columns if terminal or "COLUMNS" in os.environ else PAGE
        tests = _marking(experiment, question)
        marks = None if tests is None else _computed(lambda setting: tests.answer(source, setting), question, executor)
        warnings.show(() if marks is None else marks.warnings)
        contents[question.output] = written(result, question.style, question.table, width, rows=question.rows, marks=marks)
    contents.update(_pictures(result, question, topics).items())
    return contents


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
    """The chart and the page of a result, if requested."""
    files: dict[Path, bytes] = {}
    if question.plot is not None:
        files[question.plot] = _chart(result, question.plot, question)
    if question.report is not None:
        from inexmetrics.report.html import page_of

        # the command may name a file by bytes that are no UTF-8
        files[question.report] = page_of(result, question.command, topics).encode(errors="backslashreplace")
    return files


def _chart(result: Result, path: Path, question: Question) -> bytes:
    from inexmetrics.report.charts.drawing import drawn

    try:
        return drawn(result, picture_of(path), panel=question.panel, width=question.plot_width, title=question.title)
    except CollectionError:
        raise
    except ValueError as error:
        raise UsageError(f"--plot: {error}") from None


def _marking(experiment: Experiment, question: Question) -> Significance | None:
    """The tests that mark the means of an experiment, if requested.

    Raises:
        UsageError: The experiment has no means, or the option names no test.
    """
    if question.marks is None:
        return None
    from inexmetrics.experiments.scores import Scoring
    from inexmetrics.experiments.significance import Significance

    if not isinstance(experiment, Scoring):
        raise UsageError(f"--marks: expected scores, as in scores(MAP), found {experiment.word}")
    try:
        asked = parse(f"significance(MAP | {question.marks})", Significance)
    except FormulaError as error:
        raise UsageError(f"--marks: expected a test and a correction, as in 't | Holm': {error}") from None
    return replace(asked, measures=experiment.measures, quantisations=experiment.quantisations)


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
