"""The tasks of INEX's evaluator: their measures and counters."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
import polars as pl

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.errors import FormulaError
from inexmetrics.common.messages import canonical
from inexmetrics.experiments.scores import Scoring
from inexmetrics.measures.base import Cut, Measure
from inexmetrics.measures.characters import MeanInterpolatedPrecision, OfInterpolatedPrecision, OfReadText, char_f1, char_prec, char_rec
from inexmetrics.measures.document_scores import OfDocumentScores
from inexmetrics.measures.in_context import AverageGP, GeneralisedPrecision, GeneralisedRecall, GeneralisedRecallBySize, InterpolatedGP, gR
from inexmetrics.ranking import JudgedRuns
from inexmetrics.ranking.passages.spans import spans
from inexmetrics.ranking.passages.texts import Texts

__all__ = ["COUNTERS", "Characters", "InContext", "Task", "task_of"]

COUNTERS: Final = ("num_ret", "num_rel", "num_rel_ret", "ret_size", "rel_size", "rel_ret_size")
"""The counters: documents retrieved, relevant, and both; characters retrieved, highlighted, and both."""
POINTS: Final = (0, 1, 5, 10)
"""Hundredths of recall at which interpolated precision has its own line."""
RANKS: Final = (1, 2, 3, 5, 10, 25, 50)
"""Ranks at which generalised precision and recall have their own lines."""


@dataclass(frozen=True, slots=True)
class Task(ABC):
    """The measures in the report on a task. R runs, T topics, M measures, L recall levels."""

    names: ClassVar[tuple[str, ...]]
    """The measures of a topic, in the order of their lines."""
    means: ClassVar[Mapping[str, str]]
    """The means over topics in the order of their lines: the measure, and the name of its mean."""
    levels: ClassVar[tuple[str, ...]]
    """The recall levels of the curve, as written in the report."""
    counts_all_judged: ClassVar[bool]
    """Whether relevant documents of topics that a run does not answer are counted."""

    @abstractmethod
    def figures(self, evidence: JudgedRuns) -> tuple[IntArray, FloatArray, FloatArray]:
        """Returns the counters, 6 x R x T; the measures, M x R x T, and the curve, R x T x L, both NaN where undefined."""


@dataclass(frozen=True, slots=True)
class Characters(Task):
    """The focused and the thorough task: the measure rejects overlap (focused) or counts unseen text (thorough)."""

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
        counted = _counted(evidence)
        shape = counted.shape[1:]
        relevant = np.append(texts.highlights.relchars > 0, False)[texts.judged]
        counted[0], counted[2] = (_documents(texts, which, shape) for which in (slice(None), relevant))
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
    """Relevant in context and best in context: the measure has the score of a document and its parameters."""

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
        counted = _counted(evidence)
        counted[0] = contexts.lengths
        counted[2] = np.bincount(contexts.lists, minlength=contexts.lengths.size).reshape(shape)
        if not entries:
            # Results of a document do not overlap, so each counts in full.
            counted[3] = evidence.texts.summed(spans(evidence.texts, "once", None).sizes)
            # Sums of amounts are exact: they are far below 2^53 characters.
            counted[5] = np.bincount(contexts.lists, weights=contexts.found, minlength=contexts.lengths.size).reshape(shape)
        with_score = (self.measure.score, self.measure.beta, self.measure.n, self.measure.a, self.measure.tolerance)
        precision, interpolated = GeneralisedPrecision(*with_score), InterpolatedGP(*with_score)
        by_rank = [family.evaluate_at(rank, evidence, None) for rank in RANKS for family in (precision, gR)]
        return counted, np.stack([*by_rank, self.measure.evaluate(evidence, None)]), interpolated.curve(evidence, None)


def task_of(experiment: Scoring) -> Task:
    """Returns the task of a formula's measures. Raises `FormulaError` if they do not belong to one task, or have several assessors.

    Measures that are the same in several tasks do not decide the task: `char_prec` alone selects the
    focused task, `gR@10` alone the task of `MAgP`.
    """
    if len(experiment.quantisations) > 1:
        judges = ", ".join(map(canonical, experiment.quantisations))
        raise FormulaError(f"{experiment.word}: expected one assessor for the evaluator's report, found {judges}")
    tasks: dict[Task, list[str]] = {}
    undecided: dict[Task, list[str]] = {}
    for measure in experiment.measures:
        task, decided = _task(measure)
        (tasks if decided else undecided).setdefault(task, []).append(str(measure))
    for task, names in undecided.items():
        # A measure that is the same in several tasks is compatible with any task of its kind.
        alike = next((other for other in tasks if type(other) is type(task)), task)
        tasks.setdefault(alike, []).extend(names)
    if len(tasks) > 1:
        found = "; ".join(f"{task} ({', '.join(names)})" for task, names in tasks.items())
        raise FormulaError(
            f"{experiment.word}: expected measures of one task for the evaluator's report, found those of {len(tasks)}: {found}"
        )
    return next(iter(tasks))


def _task(measure: Measure) -> tuple[Task, bool]:
    """Returns the task of a measure, and whether the measure decides it."""
    term = measure.family if isinstance(measure, Cut) else measure
    if isinstance(term, OfDocumentScores):
        return InContext(AverageGP(term.score, term.beta, term.n, term.a, term.tolerance)), True
    if isinstance(term, GeneralisedRecall | GeneralisedRecallBySize):
        return InContext(AverageGP()), False
    if isinstance(term, OfInterpolatedPrecision):
        return Characters(MeanInterpolatedPrecision(term.overlap)), True
    if measure in (char_prec, char_rec, char_f1):
        return Characters(MeanInterpolatedPrecision()), False
    if isinstance(term, OfReadText):
        raise FormulaError(f"scores: expected char_prec, char_rec or char_f1 for the evaluator's report, found {measure}")
    raise FormulaError(f"scores: expected character or in-context measures for the evaluator's report, found {measure}")


def _agreement(both: IntArray, retrieved: IntArray, relevant: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Returns precision, recall, and F1 of amounts, in the order of operations of the evaluator."""
    found = both > 0
    precision = np.divide(both, retrieved, out=np.zeros(both.shape), where=retrieved > 0)
    recall = np.divide(both, relevant, out=np.full(both.shape, np.nan), where=relevant > 0)
    return precision, recall, np.divide(2.0 * precision * recall, precision + recall, out=np.zeros(both.shape), where=found)


def _documents(texts: Texts, which: BoolArray | slice, shape: tuple[int, ...]) -> IntArray:
    """Counts different documents among some results of each list, R x T."""
    different = pl.Series(texts.lists[which] << 32 | texts.documents[which]).unique().to_numpy()
    return np.bincount(different >> 32, minlength=math.prod(shape)).reshape(shape)


def _counted(evidence: JudgedRuns) -> IntArray:
    """Returns the counters, 6 x R x T, with those filled in that do not depend on the run."""
    highlights, topics = evidence.texts.highlights, evidence.topic_span
    counted = np.zeros((len(COUNTERS), *evidence.texts.lengths_of_lists.shape), dtype=np.int64)
    counted[1], counted[4] = highlights.counts[topics], highlights.totals[topics]
    return counted
