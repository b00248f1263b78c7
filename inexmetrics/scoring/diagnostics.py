"""Warnings about scores: ties at a cutoff, runs without judged results, unknown positions, and approximate ideal lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import compress

import numpy as np

from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.consistency import without_offsets
from inexmetrics.collection.runs import Runs
from inexmetrics.collection.score_matrices import ConditionTexts, condition_text
from inexmetrics.common.arrays import BoolArray
from inexmetrics.common.messages import enumerate_names, plural
from inexmetrics.common.options import Compat
from inexmetrics.judgements.base import Judgements
from inexmetrics.measures.base import Measure
from inexmetrics.ranking import JudgedRuns, Unit
from inexmetrics.ranking.navigation.ideal_lists import EXACT
from inexmetrics.ranking.recall_base import JudgedItems
from inexmetrics.scoring.condition import Condition

__all__ = ["Diagnostics", "approximations", "of_collection", "undefined_topics"]


class Diagnostics:
    """Counters of problems in the results of all batches, which are reported as warnings."""

    def __init__(self, conditions: Sequence[Condition[Measure]]) -> None:
        self._conditions = conditions
        self._approximations: tuple[str, ...] = ()
        quantised = [condition for condition in conditions if condition.quantisation is not None and condition.unit == "results"]
        self._elements_only = [str(condition) for condition in quantised if not condition.measure.counts_passages]
        self._passages = 0
        # Number of results with unknown positions, for measures whose users browse from results.
        self._leading = [str(condition) for condition in quantised if condition.measure.counts_passages]
        self._leading_nowhere = 0
        # Number of results with unknown positions, for measures that use the text of results.
        self._reading = [condition for condition in conditions if condition.measure.reads_text]
        self._unresolved = 0
        self._cuts: dict[tuple[int, Unit], dict[str, None]] = {}
        for condition in conditions:
            if condition.measure.cut_rank is not None:
                self._cuts.setdefault((condition.measure.cut_rank, condition.unit), {})[str(condition.measure)] = None
        self._ties = dict.fromkeys(self._cuts, 0)
        # For each unit, selection of judgements and run: whether the run retrieved no judged item in any batch so far.
        self._without_judged: dict[tuple[Unit, Judgements | None], dict[str, bool]] = {
            (condition.unit, condition.judgements): {} for condition in conditions
        }
        self._lists = 0

    def add(self, batch: JudgedRuns) -> None:
        """Counts the problems in the results of a batch."""
        self._lists += batch.lists if self._cuts else 0
        self._approximations = tuple(approximations(batch.assessed, self._conditions))
        self._passages += batch.passages if self._elements_only else 0
        if self._reading:
            self._unresolved += int(np.count_nonzero(batch.by(self._reading[0].judgements).texts.unresolved))
        self._leading_nowhere += batch.unresolved if self._leading else 0
        for rank, unit in self._cuts:
            self._ties[rank, unit] += batch.listed(unit).tied_across(rank)
        for (unit, judgements), without in self._without_judged.items():
            for run, judged in zip(batch.runs, batch.by(judgements).assessed_by_run(unit).tolist(), strict=True):
                without[run] = without.get(run, True) and not judged

    def warnings(self) -> Iterator[str]:
        """Yields one warning for each kind of problem that occurred."""
        if self._passages:
            none = "is a passage, which is not an element and gains", "are passages, which are not elements and gain"
            yield f"{plural(self._passages, 'result', *none)} 0: {enumerate_names(self._elements_only)}"
        if self._unresolved:
            shows = "has an unknown position, and shows", "have unknown positions, and show"
            yield f"{plural(self._unresolved, 'result', *shows)} nothing highlighted: {enumerate_names([str(c) for c in self._reading])}"
        if self._leading_nowhere:
            leads = "has an unknown position, and leads", "have unknown positions, and lead"
            yield f"{plural(self._leading_nowhere, 'result', *leads)} to no element: {enumerate_names(self._leading)}"
        for (unit, judgements), without in self._without_judged.items():
            if names := [run for run, nothing in without.items() if nothing]:
                noun = "element" if unit == "results" else "document"
                judged = f"assessed {noun}" if judgements is None else judgements.qualify(noun)
                yield f"{plural(len(names), 'run')} retrieved no {judged}: {enumerate_names(names)}"
        for (rank, unit), measures in self._cuts.items():
            if ties := self._ties[rank, unit]:
                what = "results" if unit in ("results", "evidence") else "documents"
                verb = "has" if ties == 1 else "have"
                yield f"{ties} of {self._lists} rankings {verb} {what} with equal scores on both sides of rank {rank} ({enumerate_names(list(measures))})"
        yield from self._approximations


def approximations(judged: JudgedItems, conditions: Sequence[Condition[Measure]]) -> Iterator[str]:
    """Yields the warnings about approximate ideal lists; conditions with the same affected topics share one warning."""
    under: dict[tuple[str, ...], list[str]] = {}
    for condition in conditions:
        if topics := condition.measure.approximated(judged.by(condition.judgements), condition.quantisation):
            under.setdefault(topics, []).append(str(condition))
    for topics, texts in under.items():
        lists = "the ideal list of 1 topic is" if len(topics) == 1 else f"the ideal lists of {len(topics)} topics are"
        yield f"{lists} approximate (more than {EXACT} candidates) under {enumerate_names(texts)}: {enumerate_names(topics)}"


def of_collection(assessments: Assessments, runs: Runs | None, conditions: Sequence[Condition[Measure]]) -> Iterator[str]:
    """Yields the warnings about the judgements that the conditions select, and about results that lack offsets."""
    for judgements in dict.fromkeys(condition.judgements for condition in conditions):
        if judgements is not None:
            yield from judgements.cautions(assessments, runs)
    reading = [str(condition) for condition in conditions if condition.measure.reads_text]
    if reading and runs is not None and (found := without_offsets(runs)):  # measures that use text treat the results as whole documents
        yield f"{found} ({enumerate_names(reading)})"


def undefined_topics(topics: Sequence[str], undefined: Mapping[ConditionTexts, BoolArray], compat: Compat | None = None) -> Iterator[str]:
    """Yields the warnings about undefined topics; conditions under which the same topics are undefined share one warning."""
    conditions: dict[tuple[str, ...], list[str]] = {}
    for texts, where in undefined.items():
        if where.any():
            conditions.setdefault(tuple(compress(topics, where)), []).append(condition_text(*texts))
    left = " and excluded" if compat is None else ""
    for names, under in conditions.items():
        yield f"{plural(len(names), 'topic', 'is', 'are')} undefined under {enumerate_names(under)}{left}: {enumerate_names(names)}"
