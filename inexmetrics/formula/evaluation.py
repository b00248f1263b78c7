"""Runs experiments, given as terms or as formulas."""

from __future__ import annotations

from concurrent.futures import Executor
from typing import TypeVar, overload

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common import errors, messages
from inexmetrics.common.options import Compat, RunOptions, refuse_fork
from inexmetrics.experiments.base import Experiment, ExperimentOf, Result
from inexmetrics.formula import parse
from inexmetrics.formula.scores_named import parse_for_scores

__all__ = ["run"]

R = TypeVar("R", bound=Result)


@overload
def run(
    experiment: ExperimentOf[R], collection: Collection | Scores, *, compat: Compat | None = None, executor: Executor | None = None
) -> R: ...
@overload
def run(
    experiment: Experiment | str, collection: Collection | Scores, *, compat: Compat | None = None, executor: Executor | None = None
) -> Result: ...
def run(
    experiment: Experiment | str, collection: Collection | Scores, *, compat: Compat | None = None, executor: Executor | None = None
) -> Result:
    """Runs an experiment and returns its result.

    Args:
        experiment: Experiment, or the formula of an experiment.
        collection: Assessments and runs; or scores by topic, for experiments that need only scores.
        compat: ``"inex_eval"`` reproduces the official evaluator where the evaluator deviates from the published definitions.
        executor: Any ``concurrent.futures.Executor``, such as a pool of processes, that runs long computations. Results are bit-for-bit
        identical with and without an executor.

    Returns:
        The result, whose class depends on the experiment. For type checkers, the result is a `Result` if the experiment is given as text or
        is declared as an `Experiment`.

    Raises:
        FormulaError: The formula is invalid, or the evaluator is unknown.
        CollectionError: The data lack something that the experiment needs, or the executor is invalid.
        BrokenExecutor: A worker of the executor was stopped or ran out of memory before completing its task.
        RuntimeError: This process was forked after polars had been used; spawn processes instead.

    Examples:
        One of two relevant documents is found, at rank 2, so average precision is (1/2 + 0) / 2:

        >>> from inexmetrics import MAP, from_frames, run, scores
        >>> collection = from_frames({"1": {"a": 1, "b": 1}}, {"bm25": {"1": {"x": 2.0, "a": 1.0}}})
        >>> result = run(scores(MAP), collection)
        >>> result.table.select("run_id", "mean").rows()
        [('bm25', 0.25)]
        >>> run("scores(MAP)", collection).table.equals(result.table)
        True
    """
    refuse_fork("run")
    if not isinstance(experiment, str | Experiment):
        raise errors.FormulaError(f"run: expected an experiment, found {messages.describe(experiment)}")
    if not isinstance(collection, Collection | Scores):
        raise errors.CollectionError(f"run: expected a collection or scores, found {messages.describe(collection)}")
    setting = RunOptions(compat=compat, executor=executor)
    if isinstance(experiment, Experiment):
        asked = experiment
    else:
        asked = parse_for_scores(experiment) if isinstance(collection, Scores) else parse(experiment, Experiment)
    result = asked.result(collection, setting)
    errors.emit_warnings(result.warnings, known=collection.warnings)
    return result
