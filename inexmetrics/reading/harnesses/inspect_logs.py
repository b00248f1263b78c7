"""Reads logs of Inspect with the package inspect_ai."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import install_command, plural, shortened
from inexmetrics.reading.harnesses.folders import Folder, Score, number

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

__all__ = ["inspect_scores"]

REASON: Final = 200
"""Maximum number of characters of a message of inspect_ai that a warning quotes."""


def inspect_scores(folder: Folder) -> Sequence[Score]:
    """Returns the score of each sample, which is the mean over the epochs of the sample. Each sample is a topic named ``task/id``.

    Letters are converted to numbers as in Inspect: C is 1, P is 0.5, I and N are 0. A scorer that returns several values is read as several
    measures, named ``scorer/value``.

    Raises:
        CollectionError: The package inspect_ai is not installed.
    """
    try:
        import inspect_ai.log  # imported here, because the package is optional
        import inspect_ai.scorer
    except ImportError:
        raise CollectionError(f"logs of Inspect need the package inspect_ai: {install_command('inspect')}") from None
    newest: dict[tuple[str, str], tuple[str, Path, EvalLog]] = {}
    for found in folder.files:
        try:
            log = inspect_ai.log.read_eval_log(str(found.path.absolute()))
        except Exception as error:  # inspect_ai may raise any error if the file has another format
            folder.warn(f"skipped, because inspect_ai cannot read it: {shortened(str(error) or type(error).__name__, REASON)}", found.path)
            continue
        if log.status != "success":
            folder.warn(f"skipped: expected a log with the status success, found the status {log.status}", found.path)
            continue
        key, dated = (log.eval.model, log.eval.task), (log.eval.created, found.path, log)
        if key in newest:
            earlier, dated = sorted((newest[key], dated), key=lambda entry: entry[0])
            folder.warn(f"ignored, because {dated[1].name} is a later log of {key[1]} by {key[0]}", earlier[1])
        newest[key] = dated
    return [row for _, file, log in newest.values() for row in _scores(log, file, folder, inspect_ai.scorer.value_to_float())]


def _scores(log: EvalLog, file: Path, folder: Folder, as_number: Callable[[object], float]) -> Iterator[Score]:
    """Yields the score of each sample of a log under each scorer, with warnings about missing scores and about epochs."""
    epochs: dict[tuple[str, str], list[float]] = {}
    unscored = 0
    for sample in log.samples or ():
        values: list[tuple[str, object]] = []
        for scorer, score in (sample.scores or {}).items():
            if isinstance(score.value, Mapping):
                values += [(f"{scorer}/{name}", value) for name, value in score.value.items()]
            else:
                values.append((scorer, score.value))
        numbers = [(name, number(as_number(value) if isinstance(value, str) else value)) for name, value in values]
        unscored += not numbers or any(value is None for _, value in numbers)
        for name, value in numbers:
            if value is not None:
                epochs.setdefault((str(sample.id), name), []).append(value)
    if unscored:
        folder.warn(f"{plural(unscored, 'sample')} without a score by each scorer", file)
    if any(len(scores) > 1 for scores in epochs.values()):
        folder.warn("scores of several epochs of a sample are averaged", file)
    for (sample_id, name), scores in epochs.items():
        yield log.eval.model, f"{log.eval.task}/{sample_id}", log.eval.task, name, math.fsum(scores) / len(scores)
