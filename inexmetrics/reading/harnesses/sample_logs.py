"""Reads logs with the score of each sample: folders of lm-evaluation-harness, and logs of Inspect."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import enumerate_names, install_command, plural, shortened
from inexmetrics.common.options import Direction
from inexmetrics.reading.files import content, shown_path, text_of
from inexmetrics.reading.harnesses.folders import Folder, Score, is_text, json_object, model_of_folder, number

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

__all__ = ["inspect_scores", "lm_eval_scores"]

DATE: Final = r"\d{4}-\d\d-\d\dT[\d.:-]*\d"
SAMPLES: Final = re.compile(rf"samples_(?P<task>.+?)(?:_(?P<date>{DATE}))?\.jsonl")
RESULTS: Final = re.compile(rf"results(?:_(?P<date>{DATE}))?\.json")
NO_METRICS: Final = frozenset({
    "alias", "arguments", "doc", "doc_hash", "doc_id", "filter", "filtered_resps", "metrics", "prompt_hash", "resps", "sample_count",
    "sample_len", "schema_version", "target", "target_hash",
})  # fmt: skip
"""Keys of a sample, or of the results of a task, that are not names of metrics."""


@dataclass(frozen=True, slots=True)
class _File:
    """A file of results, or of samples.

    Attributes:
        model: The name of the model.
        date: The date of the file; empty if unknown.
        path: The path of the file.
        task: The task of a file of samples; empty for results, which contain all tasks.
        tasks: In results, the model's score on each task under each metric; None if it is not a finite number.
    """

    model: str
    date: str
    path: Path
    task: str = ""
    tasks: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)


def lm_eval_scores(folder: Folder) -> Sequence[Score]:
    """Returns the scores of samples, or the scores of tasks if there are no samples.

    Each sample is a topic named ``task/doc_id``; without samples, each task is a topic. If a filter was applied, the name of a measure is
    ``metric,filter``, as in the output of the harness; otherwise the name is ``metric``.
    """
    runs, files = [], []
    for found in folder.files:
        if (named := SAMPLES.fullmatch(found.path.name)) is not None:
            files.append((found.path, named["task"], named["date"] or ""))
        elif RESULTS.fullmatch(found.path.name) and (run := _run(found.path, folder)) is not None:
            runs.append(run)
        else:
            folder.warn("skipped: expected results or samples of lm-evaluation-harness, found none", found.path)
    of_tasks = []
    for path, task, date in files:
        # The model that produced the samples is named in a results file in the same folder, preferably in the file with the same date.
        beside = [run for run in runs if run.path.parent == path.parent]
        models = {run.model for run in beside if run.date == date} or {run.model for run in beside}
        model = models.pop() if len(models) == 1 else model_of_folder(path.absolute().parent.name)
        of_tasks.append(_File(model, date, path, task))
    if samples := _latest(of_tasks, folder):
        there = {(file.model, file.task) for file in samples}
        lacking = sorted({f"{task} of {run.model}" for run in runs for task in run.tasks if (run.model, task) not in there})
        if lacking:
            folder.warn(
                f"{plural(len(lacking), 'task')} without samples {'is' if len(lacking) == 1 else 'are'} ignored ({enumerate_names(lacking)})"
            )
        return [row for file in samples for row in _of_samples(file, folder)]
    cells = [(run, task, metric, score) for run in _latest(runs, folder) for task, of in run.tasks.items() for metric, score in of.items()]
    scored = {(task, metric) for _, task, metric, score in cells if score is not None}
    lost: dict[str, dict[str, Path]] = {}
    for run, task, metric, score in cells:
        if score is None:
            lost.setdefault(metric, {})[task] = run.path
    for metric, tasks in lost.items():
        if unscored := [task for task in tasks if (task, metric) not in scored]:
            those = f"{plural(len(unscored), 'task', 'without', 'without')} a finite number under {metric} for any model"
            folder.warn(f"{those} {'is' if len(unscored) == 1 else 'are'} not read ({enumerate_names(unscored)})", tasks[unscored[0]])
    return [(run.model, task, task, metric, score) for run, task, metric, score in cells if score is not None]


def _run(path: Path, folder: Folder) -> _File | None:
    """Returns the contents of a results file, and adds the directions that it states to the folder; None for another file.

    The name of the model is taken from the file, from the recorded arguments of the model, or from the name of the folder.

    Raises:
        CollectionError: A metric has two directions.
    """
    holds = json_object(path)
    tasks = None if holds is None else holds.get("results")
    if holds is None or not isinstance(tasks, dict):
        return None
    groups = {*_object(holds.get("groups"))} | {name for name, parts in _object(holds.get("group_subtasks")).items() if parts}
    # A value that is a list, such as a pair of counts, is not a score; NaN, null and "N/A" are missing scores.
    scores = {
        str(task): {
            _metric(*name.partition(",")[::2]): number(value)
            for name, value in _object(scored).items()
            if name not in NO_METRICS and "_stderr" not in name and not isinstance(value, list | dict)
        }
        for task, scored in tasks.items()
        if task not in groups
    }
    for task, stated in _object(holds.get("higher_is_better")).items():
        for metric in scores.get(task, {}):
            if isinstance(higher := _object(stated).get(metric.partition(",")[0]), bool):
                direction: Direction = "higher" if higher else "lower"
                if (earlier := folder.directions.setdefault(metric, direction)) != direction:
                    text = f"{metric}: expected {earlier} scores to be better, as other files or tasks state, found {direction}"
                    raise CollectionError(Problem(text, file=shown_path(path)))
    model, arguments = holds.get("model_name"), _object(holds.get("config")).get("model_args")
    if not isinstance(model, str) or not model:
        named = re.search(r"(?:^|,)(?:pretrained|model)=([^,]+)", arguments) if isinstance(arguments, str) else None
        model = named[1] if named else model_of_folder(path.absolute().parent.name)
    matched = RESULTS.fullmatch(path.name)
    return _File(model, (matched and matched["date"]) or "", path, tasks=scores)


def _object(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _metric(name: str, filtered: str) -> str:
    """Returns the name of a measure: the metric and, if any, the filter that was applied to the responses of the model."""
    return name if filtered in {"", "none"} else f"{name},{filtered}"


def _latest(files: Sequence[_File], folder: Folder) -> list[_File]:
    """Returns the latest file for each model and task, and adds a warning about each earlier file.

    A results file contains all tasks; therefore only the latest results file of each model is returned.
    """
    newest: dict[tuple[str, str], _File] = {}
    for file in sorted(files, key=lambda file: file.date):
        key = (file.model, file.task)
        if key in newest:
            folder.warn(f"ignored, because {shown_path(file.path)} is later", newest[key].path)
        newest[key] = file
    return list(newest.values())


def _of_samples(samples: _File, folder: Folder) -> Iterator[Score]:
    """Yields the score of each sample in a file under each metric."""
    file, no_numbers = shown_path(samples.path), dict[str, None]()
    for place, line in enumerate(text_of(content(samples.path), file).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            sample = json.loads(line)
        except (ValueError, RecursionError):
            sample = None
        if not isinstance(sample, dict) or "doc_id" not in sample:
            folder.findings.files.append(Problem("expected a sample with a doc_id, found none", file=file, line=place))
            return
        if not is_text(
            [sample["doc_id"], sample.get("filter"), [name for name in sample if name not in NO_METRICS], sample.get("metrics")]
        ):
            folder.findings.files.append(Problem("expected text that UTF-8 can encode, found other text", file=file, line=place))
            return
        filtered, named = sample.get("filter", "none"), sample.get("metrics")
        for metric in named if isinstance(named, list) else [name for name in sample if name not in NO_METRICS]:
            score = number(sample.get(metric))
            if score is not None:
                yield samples.model, f"{samples.task}/{sample['doc_id']}", samples.task, _metric(str(metric), str(filtered)), score
            elif isinstance(named, list):
                no_numbers[str(metric)] = None
    if no_numbers:
        folder.warn(f"metrics without a finite number for a sample are ignored ({enumerate_names(list(no_numbers))})", samples.path)


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
        for scorer, score in ((sample.scores or {}) if sample.error is None else {}).items():
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
