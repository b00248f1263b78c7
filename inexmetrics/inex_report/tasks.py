"""Tasks of INEX's evaluator, with their measures and counters."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
import polars as pl

from inexmetrics.common import errors, messages
from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.experiments.base import Experiment
from inexmetrics.experiments.scores import Scoring
from inexmetrics.measures.base import Measure
from inexmetrics.measures.characters import MeanInterpolatedPrecision, OfInterpolatedPrecision, OfReadText, char_f1, char_prec, char_rec
from inexmetrics.measures.document_scores import OfDocumentScores
from inexmetrics.measures.in_context import AverageGP, GeneralisedPrecision, GeneralisedRecall, GeneralisedRecallBySize, InterpolatedGP, gR
from inexmetrics.ranking import JudgedRuns
from inexmetrics.ranking.passages.spans import spans

__all__ = ["COUNTERS", "Characters", "InContext", "Task", "reported", "task_of"]

COUNTERS: Final = ("num_ret", "num_rel", "num_rel_ret", "ret_size", "rel_size", "rel_ret_size")
"""Names of the counters: retrieved, relevant and relevant retrieved documents; retrieved, highlighted and highlighted retrieved text."""
POINTS: Final = (0, 1, 5, 10)
"""Recall levels, in hundredths, for which the report contains a line with interpolated precision."""
RANKS: Final = (1, 2, 3, 5, 10, 25, 50)
"""Ranks for which the report has lines with generalised precision and recall."""


@dataclass(frozen=True, slots=True)
class Task(ABC):
    """A task of the evaluator, and the measures in the report on the task. R runs, T topics, M measures, L recall levels."""

    names: ClassVar[tuple[str, ...]]
    """Names of the measures that are printed for each topic, in the order of the lines."""
    means: ClassVar[Mapping[str, str]]
    """For each measure, the name that is printed for the mean over topics, in the order of the lines."""
    levels: ClassVar[tuple[str, ...]]
    """Recall levels of the curve, as strings that are printed in the report."""
    counts_all_judged: ClassVar[bool]
    """Whether the numbers of relevant documents and highlighted characters include topics for which a run lacks results."""

    @abstractmethod
    def figures(self, evidence: JudgedRuns) -> tuple[IntArray, FloatArray, FloatArray]:
        """Returns counters, shape (6, R, T), measures, shape (M, R, T), and the curve, shape (R, T, L). Undefined values are NaN."""


@dataclass(frozen=True, slots=True)
class Characters(Task):
    """Focused or thorough task: the measure rejects overlap (focused), or counts repeated text only once (thorough)."""

    measure: MeanInterpolatedPrecision

    names: ClassVar = (
        *(f"{unit}_{measure}" for unit in ("art", "char") for measure in ("prec", "rec", "f1")),
        *(f"iP[{point / 100:.2f}]" for point in POINTS),
        "AiP",
    )
    means: ClassVar = {name: "MAiP" if name == "AiP" else name for name in names}
    levels: ClassVar = tuple(f"{level / 100:.2f}" for level in range(101))
    counts_all_judged: ClassVar = False

    def __str__(self) -> str:
        return f"the {'thorough' if self.measure.overlap == 'unseen' else 'focused'} task"

    def figures(self, evidence: JudgedRuns) -> tuple[IntArray, FloatArray, FloatArray]:
        texts = evidence.texts
        counted = _shared_counters(evidence)
        shape = counted.shape[1:]
        relevant = np.append(texts.highlights.relchars > 0, False)[texts.judged]
        for counter, which in ((0, slice(None)), (2, relevant)):
            # number of different documents among the selected results of each ranking
            different = pl.Series(texts.lists[which] << 32 | texts.documents[which]).unique().to_numpy()
            counted[counter] = np.bincount(different >> 32, minlength=math.prod(shape)).reshape(shape)
        shown = spans(texts, "unseen" if self.measure.overlap == "unseen" else "refuse", evidence.compat)
        counted[3], counted[5] = texts.summed(shown.sizes), texts.summed(shown.highlighted)
        curve = self.measure.curve(evidence, None)
        measures = np.stack(
            [
                *_agreement(counted[2], counted[0], counted[1]),
                *_agreement(counted[5], counted[3], counted[4]),
                *(curve[..., point] for point in POINTS),
                self.measure.evaluate(evidence, None),
            ]
        )
        if evidence.compat is None:
            measures[:, counted[1] == 0] = np.nan
        return counted, measures, curve


@dataclass(frozen=True, slots=True)
class InContext(Task):
    """Relevant in context or best in context task: the measure determines how the results for a document are scored."""

    measure: AverageGP

    names: ClassVar = (*(f"{measure}[{rank}]" for rank in RANKS for measure in ("gP", "gR")), "AgP")
    means: ClassVar = {"AgP": "MAgP", **{name: name for name in names[:-1]}}
    levels: ClassVar = tuple(f"{level / 10:.2f}" for level in range(11))
    counts_all_judged: ClassVar = True

    def __str__(self) -> str:
        return f"the task in context of {self.measure}"

    def figures(self, evidence: JudgedRuns) -> tuple[IntArray, FloatArray, FloatArray]:
        contexts = evidence.contexts
        shape = contexts.lengths.shape
        entries = self.measure.score == "bep"
        counted = _shared_counters(evidence)
        counted[0] = contexts.lengths
        counted[2] = np.bincount(contexts.lists, minlength=contexts.lengths.size).reshape(shape)
        if not entries:
            # Each result counts with its full length, because results for the same document must not overlap.
            counted[3] = evidence.texts.summed(spans(evidence.texts, "once", None).sizes)
            # Sums of numbers of characters are exact as floats, because they are far below 2^53.
            counted[5] = np.bincount(contexts.lists, weights=contexts.found, minlength=contexts.lengths.size).reshape(shape)
        with_score = (self.measure.score, self.measure.beta, self.measure.n, self.measure.a, self.measure.tolerance)
        precision, interpolated = GeneralisedPrecision(*with_score), InterpolatedGP(*with_score)
        by_rank = [family.evaluate_at(rank, evidence, None) for rank in RANKS for family in (precision, gR)]
        return counted, np.stack([*by_rank, self.measure.evaluate(evidence, None)]), interpolated.curve(evidence, None)


def reported(experiment: Experiment) -> Scoring:
    """Returns the experiment if INEX's evaluator has a report on experiments of this kind; raises `FormulaError` if it does not have one."""
    if not isinstance(experiment, Scoring):
        raise errors.FormulaError(f"expected scores of character or in-context measures, found {experiment.word}")
    task_of(experiment)
    return experiment


def task_of(experiment: Scoring) -> Task:
    """Returns the task of a formula's measures.

    A measure that has the same value in several tasks does not determine the task. If no measure determines the task, character measures
    select the focused task, and generalised recall selects the task of `MAgP`. Raises `FormulaError` if the measures belong to different
    tasks, or if the formula names several assessors.
    """
    if len(experiment.quantisations) > 1:
        judges = ", ".join(map(messages.canonical, experiment.quantisations))
        raise errors.FormulaError(f"{experiment.word}: expected one assessor for the evaluator's report, found {judges}")
    tasks: dict[Task, list[str]] = {}
    undecided: dict[Task, list[str]] = {}
    for measure in experiment.measures:
        task, decided = _task(measure)
        (tasks if decided else undecided).setdefault(task, []).append(str(measure))
    for task, names in undecided.items():
        # These measures have the same values in several tasks. They are assigned to the first task of the same class (`Characters` or
        # `InContext`) that another measure determines, if any.
        alike = next((other for other in tasks if type(other) is type(task)), task)
        tasks.setdefault(alike, []).extend(names)
    if len(tasks) > 1:
        found = "; ".join(f"{task} ({', '.join(names)})" for task, names in tasks.items())
        raise errors.FormulaError(
            f"{experiment.word}: expected measures of one task for the evaluator's report, found measures of {len(tasks)} tasks: {found}"
        )
    return next(iter(tasks))


def _task(measure: Measure) -> tuple[Task, bool]:
    """Returns the task of a measure, and whether the measure is specific to this task."""
    term = measure.uncut
    if isinstance(term, OfDocumentScores):
        return InContext(AverageGP(term.score, term.beta, term.n, term.a, term.tolerance)), True
    if isinstance(term, GeneralisedRecall | GeneralisedRecallBySize):
        return InContext(AverageGP()), False
    if isinstance(term, OfInterpolatedPrecision):
        return Characters(MeanInterpolatedPrecision(term.overlap)), True
    if measure in (char_prec, char_rec, char_f1):
        return Characters(MeanInterpolatedPrecision()), False
    if isinstance(term, OfReadText):
        raise errors.FormulaError(f"scores: expected char_prec, char_rec or char_f1 for the evaluator's report, found {measure}")
    raise errors.FormulaError(f"scores: expected character or in-context measures for the evaluator's report, found {measure}")


def _agreement(both: IntArray, retrieved: IntArray, relevant: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Returns precision, recall and F1 from numbers of documents or characters, computed in the evaluator's order of operations."""
    found = both > 0
    precision = np.divide(both, retrieved, out=np.zeros(both.shape), where=retrieved > 0)
    recall = np.divide(both, relevant, out=np.full(both.shape, np.nan), where=relevant > 0)
    return precision, recall, np.divide(2.0 * precision * recall, precision + recall, out=np.zeros(both.shape), where=found)


def _shared_counters(evidence: JudgedRuns) -> IntArray:
    """Returns the array of counters, shape (6, R, T), in which the counters that depend on the run are 0."""
    highlights, topics = evidence.texts.highlights, evidence.topic_span
    counted = np.zeros((len(COUNTERS), *evidence.texts.lengths_of_lists.shape), dtype=np.int64)
    counted[1], counted[4] = highlights.counts[topics], highlights.totals[topics]
    return counted
