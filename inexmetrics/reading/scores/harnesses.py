"""Reads folders of evaluation harnesses, whose paths are given with a prefix: ``mteb:``, ``lm-eval:`` or ``inspect:``."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from inexmetrics.collection.score_matrices import LARGEST_SCORE
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import enumerate_names, install_command, plural, shortened
from inexmetrics.common.options import Direction
from inexmetrics.reading.files import Found, content, existing, shown_path, text_of
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.json_files import is_text, records_of_lines

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

__all__ = ["Folder", "Score", "inspect_scores", "lm_eval_scores", "mteb_scores", "number"]

Score: TypeAlias = tuple[str, str, str, str | None, float]
"""A score as a tuple of run, topic, task, measure (None if not named) and value."""


@dataclass(slots=True)
class Folder:
    """A folder of an evaluation harness.

    Attributes:
        path: The path of the folder.
        written: The path as the caller wrote it, with the prefix of the harness, such as ``mteb:``.
        findings: The object to which warnings are added.
        chosen: A function that returns whether a run is selected; other runs are not read.
        directions: The measures whose direction a file states, each with its direction; the reader adds them.
    """

    path: Path
    written: str
    findings: Findings = field(default_factory=Findings)
    chosen: Callable[[str], bool] = lambda run: True
    directions: dict[str, Direction] = field(default_factory=dict)

    @property
    def files(self) -> list[Found]:
        """The files in the folder, ordered by name; if the path is a file, only this file."""
        return existing(self.path, self.findings)

    def warn(self, text: str, file: Path | None = None) -> None:
        """Adds a warning about a file of the folder, or about the whole folder."""
        self.findings.warnings.append(Problem(text, file=self.written if file is None else shown_path(file), severity="warning"))


@dataclass(frozen=True, slots=True)
class _File:
    """A file of results, of samples, or a log.

    Attributes:
        model: The name of the model.
        version: The date of the file, or the revision of the model; empty if unknown.
        path: The path of the file.
        task: The task of the file; empty for results that contain all tasks.
        scores: The scores in results: on each subset of each split, or on each task under each metric, where None is no finite number.
        log: The log.
    """

    model: str
    version: str
    path: Path
    task: str = ""
    scores: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)
    log: EvalLog | None = None


def json_object(path: Path) -> Mapping[str, object]:
    """Returns the JSON object in a file; an empty one if the file does not contain an object."""
    try:
        found = json.loads(text_of(content(path), shown_path(path)))
    except (ValueError, RecursionError):  # also CollectionError, which is a ValueError
        return {}
    return _object(found) if is_text(found) else {}


def number(value: object) -> float | None:
    """Returns a number that may be a score as a float, and a boolean as 0 or 1; None for any other value.

    Examples:
        >>> number(True), number(0.5), number("0.5"), number(float("nan")), number(10**400)
        (1.0, 0.5, None, None, None)
    """
    return float(value) if isinstance(value, (bool, int, float)) and abs(value) <= LARGEST_SCORE else None


def model_of_folder(name: str) -> str:
    """Returns the model that a folder is named after; harnesses replace the slash in the name of the model with two underscores.

    Examples:
        >>> model_of_folder("intfloat__e5-base")
        'intfloat/e5-base'
    """
    return name.replace("__", "/", 1)


META: Final = "model_meta.json"
TEST: Final = "test"
SHORT: Final = 8
"""Number of characters of a revision in the name of a run."""


def mteb_scores(folder: Folder) -> Sequence[Score]:
    """Returns the main score of each model on each task, averaged over the subsets of one split.

    The split is ``test`` or, if no model has this split, the only split. The mean includes only subsets for which all models have scores,
    so that models are comparable.
    """
    results = list(_results(folder))
    names = _run_names(results, folder)
    # Subsets are compared among the selected models only; if there are none, the error about their names lists all models.
    results = [result for result in results if folder.chosen(names[result.model, result.version])] or results
    rows: list[Score] = []
    for task in dict.fromkeys(result.task for result in results):
        of_task = list(_subsets([result for result in results if result.task == task], folder))
        shared = set.intersection(*(set(subsets) for _, subsets in of_task)) if of_task else set()
        every = {name for _, subsets in of_task for name in subsets}
        if shared != every:
            which = f"scored by the mean of the {plural(len(shared), 'subset')} that all models have ({enumerate_names(sorted(shared))})"
            scored = which if shared else "not scored, because no subset is common to all models"
            folder.warn(f"{task}: the models have results for different subsets ({len(every)} in total), and are {scored}")
        if shared:
            rows += [
                (names[result.model, result.version], task, task, None, math.fsum(subsets[name] for name in sorted(shared)) / len(shared))
                for result, subsets in of_task
            ]
    return rows


def _results(folder: Folder) -> Iterator[_File]:
    """Yields the results in each file, and adds a warning about each file without results.

    The name of the model is taken from its metadata file, or from the name of a folder. The revision is taken from the name of a folder.
    """
    for found in folder.files:
        if found.path.name == META:
            continue
        holds = json_object(found.path) if found.path.name.endswith((".json", ".json.gz")) else {}
        scores, task = _object(holds.get("scores")), holds.get("task_name")
        splits = {split: main for split, subsets in scores.items() if (main := _main_scores(subsets)) is not None}
        if not isinstance(task, str) or not scores:
            folder.warn("skipped: expected results of MTEB (task_name and scores) in UTF-8 text, found none", found.path)
            continue
        if len(splits) < len(scores):
            folder.warn("skipped: expected a finite main_score for each subset of each split, found a split without it", found.path)
            continue
        parent, above = found.path.parent.absolute(), found.path.parent.absolute().parent
        name, revision = parent.name, ""
        if "__" not in name and ("__" in above.name or len(found.path.relative_to(folder.path).parts) > 2):
            name, revision = above.name, parent.name
        model = (json_object(parent / META) if (parent / META).is_file() else {}).get("name")
        yield _File(model if isinstance(model, str) and model else model_of_folder(name), revision, found.path, task, splits)


def _main_scores(subsets: object) -> dict[str, float] | None:
    """Returns the main score on each subset of a split; None if the main score on any subset is missing."""
    found = [_object(subset) for subset in subsets] if isinstance(subsets, list) else []
    scores = {str(subset.get("hf_subset", "default")): number(subset.get("main_score")) for subset in found}
    there = {name: score for name, score in scores.items() if score is not None}
    return there if there and len(there) == len(found) else None


def _run_names(results: Sequence[_File], folder: Folder) -> dict[tuple[str, str], str]:
    """Returns the name of the run for each model and revision; the name includes the revision if the model has several revisions."""
    names: dict[tuple[str, str], str] = {}
    for model in dict.fromkeys(result.model for result in results):
        several = list(dict.fromkeys(result.version for result in results if result.model == model))
        length = SHORT if len({revision[:SHORT] for revision in several}) == len(several) else None
        of_model = {(model, revision): model if len(several) == 1 else f"{model}@{revision[:length]}" for revision in several}
        names |= of_model
        if len(several) > 1:
            runs = enumerate_names(list(of_model.values()))
            folder.warn(f"{model}: each of the {len(several)} revisions is read as a run ({runs})")
    return names


def _subsets(results: Sequence[_File], folder: Folder) -> Iterator[tuple[_File, Mapping[str, float]]]:
    """Yields the main score on each subset of the split ``test`` or, if no model has this split, of the only split."""
    splits = list(dict.fromkeys(split for result in results for split in result.scores))
    chosen = TEST if TEST in splits or len(splits) > 1 else splits[0]
    if chosen != TEST:
        folder.warn(f"{results[0].task}: the split {TEST} is missing, and the split {chosen} is used instead")
    for result in results:
        if chosen in result.scores:
            yield result, {name: score for name, score in result.scores[chosen].items() if score is not None}
        else:
            expected = f"the split {TEST}, or the same single split of all models"
            folder.warn(f"skipped: expected {expected}, found {enumerate_names(list(result.scores))}", result.path)


DATE: Final = r"\d{4}-\d\d-\d\dT[\d.:-]*\d"
SAMPLES: Final = re.compile(rf"samples_(?P<task>.+?)(?:_(?P<date>{DATE}))?\.jsonl")
RESULTS: Final = re.compile(rf"results(?:_(?P<date>{DATE}))?\.json")
NO_METRICS: Final = frozenset({
    "alias", "arguments", "doc", "doc_hash", "doc_id", "filter", "filtered_resps", "metrics", "prompt_hash", "resps", "sample_count",
    "sample_len", "schema_version", "target", "target_hash",
})  # fmt: skip
"""Keys of a sample, or of the results of a task, that are not names of metrics."""


def lm_eval_scores(folder: Folder) -> Sequence[Score]:
    """Returns the scores of samples, or the scores of tasks if there are no samples.

    Each sample is a topic named ``task/doc_id``; without samples, each task is a topic. If a filter was applied, the name of a measure is
    ``metric,filter``, as in the output of the harness; otherwise the name is ``metric``.
    """
    runs, files = [], []
    for found in folder.files:
        if (named := SAMPLES.fullmatch(found.path.name)) is not None:
            files.append((found.path, named["task"], named["date"] or ""))
            continue
        named = RESULTS.fullmatch(found.path.name)
        if named is None or (run := _run(found.path, named["date"] or "", folder)) is None:
            folder.warn("skipped: expected results or samples of lm-evaluation-harness, found none", found.path)
        else:
            runs.append(run)
    of_tasks = []
    for path, task, date in files:
        # The model that produced the samples is named in a results file in the same folder, preferably in the file with the same date.
        beside = [run for run in runs if run.path.parent == path.parent]
        models = {run.model for run in beside if run.version == date} or {run.model for run in beside}
        model = models.pop() if len(models) == 1 else model_of_folder(path.absolute().parent.name)
        of_tasks.append(_File(model, date, path, task))
    if samples := _latest(of_tasks, folder):
        there = {(file.model, file.task) for file in samples}
        lacking = sorted({f"{task} of {run.model}" for run in runs for task in run.scores if (run.model, task) not in there})
        if lacking:
            folder.warn(f"{plural(len(lacking), 'task', 'without samples is', 'without samples are')} ignored ({enumerate_names(lacking)})")
        return [row for file in samples for row in _of_samples(file, folder)]
    cells = [(run, task, metric, score) for run in _latest(runs, folder) for task, of in run.scores.items() for metric, score in of.items()]
    scored = {(task, metric) for _, task, metric, score in cells if score is not None}
    lost: dict[str, dict[str, Path]] = {}
    for run, task, metric, _ in cells:
        if (task, metric) not in scored:
            lost.setdefault(metric, {})[task] = run.path
    for metric, tasks in lost.items():
        those = f"{plural(len(tasks), 'task', 'without', 'without')} a finite number under {metric} for any model"
        folder.warn(f"{those} {'is' if len(tasks) == 1 else 'are'} not read ({enumerate_names([*tasks])})", next(iter(tasks.values())))
    return [(run.model, task, task, metric, score) for run, task, metric, score in cells if score is not None]


def _run(path: Path, date: str, folder: Folder) -> _File | None:
    """Returns the contents of a results file, and adds the directions that it states to the folder; None for another file.

    The name of the model is taken from the file, from the recorded arguments of the model, or from the name of the folder.

    Raises:
        CollectionError: A metric has two directions.
    """
    holds = json_object(path)
    if not isinstance(tasks := holds.get("results"), dict):
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
                    raise CollectionError(text, file=shown_path(path))
    model, arguments = holds.get("model_name"), _object(holds.get("config")).get("model_args")
    if not isinstance(model, str) or not model:
        named = re.search(r"(?:^|,)(?:pretrained|model)=([^,]+)", arguments) if isinstance(arguments, str) else None
        model = named[1] if named else model_of_folder(path.absolute().parent.name)
    return _File(model, date, path, scores=scores)


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
    for file in sorted(files, key=lambda file: file.version):
        key = (file.model, file.task)
        if key in newest:
            folder.warn(f"ignored, because {shown_path(file.path)} is later", newest[key].path)
        newest[key] = file
    return list(newest.values())


def _of_samples(samples: _File, folder: Folder) -> Iterator[Score]:
    """Yields the score of each sample in a file under each metric; raises `CollectionError` if a sample has no identifier."""
    file, no_numbers = shown_path(samples.path), dict[str, None]()
    for place, sample in records_of_lines(content(samples.path), file, folder.findings):
        named, metrics = sample.get("metrics"), [name for name in sample if name not in NO_METRICS]
        if "doc_id" not in sample or not is_text([sample["doc_id"], sample.get("filter"), metrics, named]):
            raise CollectionError("expected a sample with a doc_id in UTF-8 text, found none", file=file, line=place)
        for metric in named if isinstance(named, list) else metrics:
            if (score := number(sample.get(metric))) is not None:
                of = _metric(str(metric), str(sample.get("filter", "none")))
                yield samples.model, f"{samples.task}/{sample['doc_id']}", samples.task, of, score
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
    logs: list[_File] = []
    for found in folder.files:
        try:
            log = inspect_ai.log.read_eval_log(str(found.path.absolute()))
        except Exception as error:  # inspect_ai may raise any error if the file has another format
            folder.warn(f"skipped, because inspect_ai cannot read it: {shortened(str(error) or type(error).__name__, REASON)}", found.path)
            continue
        if log.status != "success":
            folder.warn(f"skipped: expected a log with the status success, found the status {log.status}", found.path)
        else:
            logs.append(_File(log.eval.model, log.eval.created, found.path, log.eval.task, log=log))
    return [row for file in _latest(logs, folder) for row in _scores(file, folder, inspect_ai.scorer.value_to_float())]


def _scores(file: _File, folder: Folder, as_number: Callable[[object], float]) -> Iterator[Score]:
    """Yields the score of each sample of a log under each scorer, with warnings about missing scores and about epochs."""
    epochs: dict[tuple[str, str], list[float]] = {}
    unscored = 0
    for sample in (file.log and file.log.samples) or ():
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
        folder.warn(f"{plural(unscored, 'sample')} without a score by each scorer", file.path)
    if any(len(scores) > 1 for scores in epochs.values()):
        folder.warn("scores of several epochs of a sample are averaged", file.path)
    for (sample_id, name), scores in epochs.items():
        yield file.model, f"{file.task}/{sample_id}", file.task, name, math.fsum(scores) / len(scores)
