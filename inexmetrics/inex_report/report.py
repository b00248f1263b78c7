"""Report on runs of one task, in the layout of INEX's evaluator."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from decimal import Decimal
from pathlib import PurePath
from typing import Final

import numpy as np

from inexmetrics.collection import Collection
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.errors import CollectionError, FormulaError, emit_warnings, summaries
from inexmetrics.common.messages import describe, enumerate_names, plural, printable
from inexmetrics.common.options import Compat, RunOptions
from inexmetrics.experiments.condition_scores import check_answerable, topics_answered, with_left_out
from inexmetrics.experiments.scores import Scoring
from inexmetrics.inex_report.tasks import COUNTERS, Task, task_of
from inexmetrics.inference.means import means_among
from inexmetrics.scoring.evaluate import Diagnostics, batches_of
from inexmetrics.terms import Made, argument, flags

__all__ = ["Evaluation", "evaluated", "inex_eval_report", "java_number"]

PLAIN: Final = (1e-3, 1e7)
"""Range of absolute values that are written without an exponent: at least the first and less than the second number."""


def java_number(number: float) -> str:
    """Formats a number as Java's ``Long.toString`` and ``Double.toString`` do, with the fewest digits that identify the number.

    Examples:
        >>> numbers = 60, 0.5, 1.0, 4.368794326241135e-4, 1e7, math.nan, math.inf
        >>> [java_number(number) for number in numbers]
        ['60', '0.5', '1.0', '4.368794326241135E-4', '1.0E7', 'NaN', 'Infinity']
    """
    if isinstance(number, int):
        return str(number)
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0.0 else "-Infinity"
    shortest = repr(number)
    if number == 0.0 or PLAIN[0] <= abs(number) < PLAIN[1]:
        return shortest
    sign, digits, _ = Decimal(shortest).normalize().as_tuple()
    first, *rest = map(str, digits)
    return f"{'-' if sign else ''}{first}.{''.join(rest) or '0'}E{Decimal(shortest).adjusted()}"


TAB: Final = "\t"
NARROW: Final = 8
"""Minimum length, in characters, of a name that the report separates from its value by one tab instead of two."""
PACKED: Final = (".gz", ".zst")


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """Contents of a report on R runs and T topics, with M measures and L recall levels.

    Attributes:
        task: Task for which the runs are evaluated.
        runs: Names of the runs, in lexicographic order.
        files: File of each run; empty for a run that was not read from a file.
        topics: Assessed topics, in lexicographic order.
        reported: For each run and topic, whether the report on the run contains the topic, shape (R, T).
        averaged: For each run and topic, whether the means for the run include the topic, shape (R, T).
        counters: Counters by run and topic, in the order of `COUNTERS`, shape (6, R, T).
        measures: Measures of the task by run and topic, NaN if undefined, shape (M, R, T).
        curves: Interpolated precision at each recall level, as a mean over topics, shape (R, L).
        judged: Numbers of relevant documents and of highlighted characters for all assessed topics; None if only topics in the report are
            counted.
        warnings: Warnings about the data and the scores.
    """

    task: Task
    runs: tuple[str, ...]
    files: tuple[str, ...]
    topics: tuple[str, ...]
    reported: BoolArray
    averaged: BoolArray
    counters: IntArray
    measures: FloatArray
    curves: FloatArray
    judged: tuple[int, int] | None
    warnings: tuple[str, ...]

    def text(self, *, per_topic: bool = False) -> str:
        """Returns the report as text: a block for each run, with the lines for single topics if requested."""
        means = means_among(self.measures, self.averaged)
        lines: list[str] = []
        for run, name in enumerate(self.runs):
            lines.append(f'<eval run-id="{printable(name)}" file="{printable(self.files[run])}">')
            for topic in np.flatnonzero(self.reported[run] & per_topic).tolist():
                values = (*self.counters[:, run, topic].tolist(), *self.measures[:, run, topic].tolist())
                lines += map(_line, (*COUNTERS, *self.task.names), itertools.repeat(self.topics[topic]), values)
            counts = dict(zip(COUNTERS, self.counters[:, run, self.reported[run]].sum(axis=1).tolist(), strict=True))
            if self.judged is not None:
                counts["num_rel"], counts["rel_size"] = self.judged
            averages = dict(zip(self.task.names, means[:, run].tolist(), strict=True))
            of_all_topics = {
                "num_q": int(self.averaged[run].sum()),
                **counts,
                **{title: averages[measure] for measure, title in self.task.means.items()},
                **{f"ircl_prn.{level}": value for level, value in zip(self.task.levels, self.curves[run].tolist(), strict=True)},
            }
            lines += [_line(title, "all", value) for title, value in of_all_topics.items()]
            lines.append("</eval>")
        return "".join(f"{line}\n" for line in lines)


def evaluated(experiment: Scoring, collection: Collection | Scores, setting: RunOptions) -> Evaluation:
    """Computes all values in the report for the task of the experiment's measures.

    Raises `FormulaError` if the measures do not belong to one task, and `CollectionError` if the data cannot be evaluated.
    """
    task = task_of(experiment)
    check_answerable(experiment, collection, setting)
    if isinstance(collection, Scores):
        raise CollectionError(f"{experiment.word}: expected assessments and runs for the evaluator's report, found scores by topic")
    topics = collection.topics
    runs, paths = ((), {}) if collection.runs is None else (collection.runs.run_ids, collection.runs.files)
    # file names in the report lack folders and the extensions of compressed files
    names = [PurePath(paths.get(run, "")).name for run in runs]
    files = tuple(name.removesuffix(next((ending for ending in PACKED if name.endswith(ending)), "")) for name in names)
    counters = np.zeros((len(COUNTERS), len(runs), len(topics)), dtype=np.int64)
    measures = np.zeros((len(task.names), len(runs), len(topics)))
    curves = np.zeros((len(runs), len(topics), len(task.levels)))
    diagnostics = Diagnostics(experiment.conditions)
    for batch, block in batches_of(collection, setting):
        with experiment.conditions[0].judged(batch) as judged:
            counters[:, *block], measures[:, *block], curves[block] = task.figures(judged)
        diagnostics.add(batch)
    found = dict(zip(COUNTERS, counters[:, 0], strict=True))
    defined = found["num_rel"] > 0
    every = np.ones((len(runs), len(topics)), dtype=np.bool_)
    answered = topics_answered(collection, setting)
    reported = every if answered is None else answered
    averaged = every & defined if answered is None else answered
    beyond = answered is not None and task.counts_all_judged
    warnings = [*with_left_out((*summaries(collection.warnings), *diagnostics.warnings()), collection, answered)]
    if answered is None and not defined.all():
        without = list(itertools.compress(topics, ~defined))
        warnings.append(f"{plural(len(without), 'topic')} without highlighted text excluded from the means: {enumerate_names(without)}")
    return Evaluation(
        task=task,
        runs=runs,
        files=files,
        topics=topics,
        reported=reported,
        averaged=averaged,
        counters=counters,
        measures=measures,
        curves=means_among(np.moveaxis(curves, 1, -1), averaged[:, None]),
        judged=(int(found["num_rel"].sum()), int(found["rel_size"].sum())) if beyond else None,
        warnings=tuple(dict.fromkeys(warnings)),
    )


def inex_eval_report(experiment: Scoring, collection: Collection, *, compat: Compat | None = None, per_topic: bool = False) -> str:
    """Returns the text that INEX's evaluator prints for the runs of a collection.

    The measures of the experiment determine only the task and its parameters. The report always contains all lines that the evaluator
    prints. Character measures with ``overlap="refuse"`` belong to the focused task (option -f), and character measures with
    ``overlap="unseen"`` to the thorough task (-t). The ``score`` of an in-context measure determines the task: relevant in context with F
    scores (option -r), relevant in context with tolerance to irrelevance (-i), or best in context (-b). The parameters of the evaluator
    itself are ``beta=0.25``, ``n=500`` and ``tolerance=300``.

    Args:
        experiment: Scoring experiment whose measures are character measures or in-context measures, all of the same task.
        collection: Assessments with highlighted passages, and runs.
        compat: ``"inex_eval"`` computes all numbers as version 3.1 of the evaluator does. By default, numbers follow the published
            definitions, and means include all assessed topics, as with the option -c of the evaluator. By default, undefined values are
            printed as ``NaN`` and excluded from means.
        per_topic: Whether the report contains the lines for single topics, as with the option -q of the evaluator.

    Returns:
        One block ``<eval>`` for each run, in lexicographic order. A line contains a name, a topic (or ``all``) and a value, separated by
        tabs. Warnings are emitted as `CollectionWarning`s.

    Raises:
        FormulaError: The measures do not belong to one task.
        CollectionError: The data cannot be evaluated.

    Notes:
        * Documents of the report: `art_prec`, `art_rec` and `art_f1` count distinct retrieved documents; a document is relevant if it
          contains highlighted characters. For a topic without highlighted text, document recall is NaN, and precision and F1 of
          documents and characters are 0.
        * Counters: `num_q` is the number of topics over which means are computed. Counters are summed over all topics of the report;
          with published definitions, they include topics without highlighted text.
        * Unknown positions in the evaluator's report: A result with an unknown position and length adds 18 characters to `ret_size`, even in
          the in-context task.
        * Task: A formula with only `char_prec`, `char_rec` or `char_f1` gives the report of the focused task. A formula with only `gR`
          or `gRsize` gives that of `MAgP`.
        * Names of files: Names of files omit folders and compression suffixes. A run that was not read from a file has ``file=""``.

    Examples:
        >>> from inexmetrics import MAgP, from_frames, scores
        >>> judged = {"topic_id": ["7"], "doc_id": ["d"], "start": [30], "length": [20]}
        >>> found = {"run_id": ["a"], "topic_id": ["7"], "doc_id": ["d"], "start": [20], "length": [40]}
        >>> collection = from_frames(judged, found)
        >>> report = inex_eval_report(scores(MAgP(beta=0.25)), collection, compat="inex_eval")
        >>> for line in report.splitlines()[:10]:
        ...     print(*line.split())
        <eval run-id="a" file="">
        num_q all 1
        num_ret all 1
        num_rel all 1
        num_rel_ret all 1
        ret_size all 40
        rel_size all 20
        rel_ret_size all 20
        MAgP all 0.5151515151515151
        gP[1] all 0.5151515151515151
    """
    if not isinstance(experiment, Scoring):
        raise FormulaError(f"inex_eval_report: expected scores of measures, such as scores(MAiP), found {describe(experiment)}")
    argument("inex_eval_report", Made((Collection, Scores), "a collection"), collection)
    flags(per_topic=per_topic)
    evaluation = evaluated(experiment, collection, RunOptions(compat=compat))
    emit_warnings(evaluation.warnings, known=collection.warnings)
    return evaluation.text(per_topic=per_topic)


def _line(name: str, topic: str, value: float) -> str:
    return f"{name}{TAB if len(name) >= NARROW else 2 * TAB}{topic}{TAB}{java_number(value)}"
