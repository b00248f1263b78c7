"""From an experiment, or its text, and data to its result."""

from __future__ import annotations

import warnings
from concurrent.futures import Executor
from typing import TypeVar, overload

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.errors import CollectionError, CollectionWarning, FormulaError, summaries
from inexmetrics.common.forking import refuse_fork
from inexmetrics.common.options import Compat, RunOptions
from inexmetrics.common.wording import describe
from inexmetrics.experiments.base import Experiment, Result
from inexmetrics.formula import parse

__all__ = ["answer", "run"]

R = TypeVar("R", bound=Result)


def answer(experiment: Experiment[R], source: Collection | Scores, setting: RunOptions) -> R:
    """The experiment's result in a setting; what should be known of the data is in the result, and not warned of."""
    return experiment.answer(source, setting)


@overload
def run(
    experiment: Experiment[R], collection: Collection | Scores, *, compat: Compat | None = None, executor: Executor | None = None
) -> R: ...
@overload
def run(experiment: str, collection: Collection | Scores, *, compat: Compat | None = None, executor: Executor | None = None) -> Result: ...
def run(
    experiment: Experiment[R] | str, collection: Collection | Scores, *, compat: Compat | None = None, executor: Executor | None = None
) -> R | Result:
    """Runs an experiment.

    Args:
        experiment: The experiment, or the formula that makes it.
        collection: Assessments and runs; or scores, for the experiments that start from scores by topic.
        compat: ``"inex_eval"`` follows the official evaluator where it departs from the published definitions.
        executor: Where long work is done, such as a pool of processes; the result has the same bits.

    Returns:
        The result class of the experiment; `Result` for a formula given as text.

    Raises:
        FormulaError: The formula means nothing.
        CollectionError: The data cannot answer the experiment.
        RuntimeError: This process was forked from one that had used polars; spawn it.
    """
    refuse_fork("run")
    if not isinstance(experiment, str | Experiment):
        raise FormulaError(f"run: expected an experiment, found {describe(experiment)}")
    if not isinstance(collection, Collection | Scores):
        raise CollectionError(f"run: expected a collection or scores, found {describe(collection)}")
    setting = RunOptions(compat=compat, executor=executor)
    if isinstance(experiment, str):
        asked: Experiment[Result] = parse(experiment, Experiment)
        return _told(answer(asked, collection, setting), collection)
    return _told(answer(experiment, collection, setting), collection)


def _told(result: R, collection: Collection | Scores) -> R:
    """The result, after warning of what came up in computing it; what was known of the data was told when it was read."""
    known = set(summaries(collection.notices))
    for text in result.warnings:
        if text not in known:
            warnings.warn(text, CollectionWarning, stacklevel=3)
    return result
