"""Reads folders of MTEB results, with a subfolder for each model and revision; a subfolder contains a JSON file for each task."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from inexmetrics.common.messages import enumerate_names, plural
from inexmetrics.reading.harnesses.folders import Folder, Score, json_object, model_of_folder, number

__all__ = ["mteb_scores"]

META: Final = "model_meta.json"
TEST: Final = "test"
SHORT: Final = 8
"""Number of characters of a revision in the name of a run."""


@dataclass(frozen=True, slots=True)
class _Result:
    """The results of one model on one task.

    Attributes:
        model: The name of the model.
        revision: The revision of the model; empty if the name of the folder does not contain a revision.
        task: The name of the task.
        splits: The main score on each subset of each split.
        file: The path of the results file.
    """

    model: str
    revision: str
    task: str
    splits: Mapping[str, Mapping[str, float]]
    file: Path


def mteb_scores(folder: Folder) -> Sequence[Score]:
    """Returns the main score of each model on each task, averaged over the subsets of one split.

    The split is ``test`` or, if no model has this split, the only split. The mean includes only subsets for which all models have scores,
    so that models are comparable.
    """
    results = list(_results(folder))
    names = _run_names(results, folder)
    # Subsets are compared among the selected models only; if there are none, the error about their names lists all models.
    chosen = [result for result in results if folder.chosen(names[result.model, result.revision])]
    results = chosen or results
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
                (names[result.model, result.revision], task, task, None, math.fsum(subsets[name] for name in sorted(shared)) / len(shared))
                for result, subsets in of_task
            ]
    return rows


def _results(folder: Folder) -> Iterator[_Result]:
    """Yields the results in each file, and adds a warning about each file without results.

    The name of the model is taken from its metadata file, or from the name of a folder. The revision is taken from the name of a folder.
    """
    for found in folder.files:
        if found.path.name == META:
            continue
        holds = json_object(found.path) if found.path.name.endswith((".json", ".json.gz")) else None
        scores, task = (None, None) if holds is None else (holds.get("scores"), holds.get("task_name"))
        if not isinstance(scores, dict) or not isinstance(task, str):
            text = "skipped: expected results of MTEB (task_name and scores) in UTF-8 text, found none"
            folder.warn(text, found.path)
            continue
        splits = {split: main for split, subsets in scores.items() if (main := _main_scores(subsets)) is not None}
        if len(splits) < len(scores) or not splits:
            folder.warn("skipped: expected a finite main_score for each subset of each split, found a split without it", found.path)
            continue
        parent, above = found.path.parent.absolute(), found.path.parent.absolute().parent
        name, revision = parent.name, ""
        if "__" not in name and ("__" in above.name or len(found.path.relative_to(folder.path).parts) > 2):
            name, revision = above.name, parent.name
        meta = (json_object(parent / META) if (parent / META).is_file() else None) or {}
        model = meta.get("name")
        yield _Result(model if isinstance(model, str) and model else model_of_folder(name), revision, task, splits, found.path)


def _main_scores(subsets: object) -> dict[str, float] | None:
    """Returns the main score on each subset of a split; None if the main score on any subset is missing."""
    if not isinstance(subsets, list) or not subsets:
        return None
    found: dict[str, float] = {}
    for subset in subsets:
        name, score = (subset.get("hf_subset", "default"), number(subset.get("main_score"))) if isinstance(subset, dict) else ("", None)
        if score is None or not isinstance(name, str) or name in found:
            return None
        found[name] = score
    return found


def _run_names(results: Sequence[_Result], folder: Folder) -> dict[tuple[str, str], str]:
    """Returns the name of the run for each model and revision; the name includes the revision if the model has several revisions."""
    names: dict[tuple[str, str], str] = {}
    for model in dict.fromkeys(result.model for result in results):
        several = list(dict.fromkeys(result.revision for result in results if result.model == model))
        length = SHORT if len({revision[:SHORT] for revision in several}) == len(several) else None
        of_model = {(model, revision): model if len(several) == 1 else f"{model}@{revision[:length]}" for revision in several}
        names |= of_model
        if len(several) > 1:
            runs = enumerate_names(list(of_model.values()))
            folder.warn(f"{model}: each of the {len(several)} revisions is read as a run ({runs})")
    return names


def _subsets(results: Sequence[_Result], folder: Folder) -> Iterator[tuple[_Result, Mapping[str, float]]]:
    """Yields the main score on each subset of the split ``test`` or, if no model has this split, of the only split."""
    splits = list(dict.fromkeys(split for result in results for split in result.splits))
    chosen = TEST if TEST in splits else splits[0]
    if chosen != TEST:
        folder.warn(f"{results[0].task}: the split {TEST} is missing, and the split {chosen} is used instead")
    for result in results:
        if chosen in result.splits and (chosen == TEST or len(splits) == 1):
            yield result, result.splits[chosen]
        else:
            expected = f"the split {chosen}" if chosen == TEST else f"the split {TEST}, or the same single split of all models"
            folder.warn(f"skipped: expected {expected}, found {enumerate_names(list(result.splits))}", result.file)
