"""What should be known of results that were scored: ties, what retrieved nothing assessed, text whose place is not known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from inexmetrics.collection.score_matrices import ConditionTexts, plain_name
from inexmetrics.common.messages import canonical, enumerate_names, plural
from inexmetrics.measures.base import Condition, Measure
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.ranking import JudgedRuns, Unit
from inexmetrics.ranking.judging import assessor_of, by, quantises
from inexmetrics.ranking.navigation.ideal_lists import EXACT
from inexmetrics.ranking.recall_base import JudgedItems

__all__ = ["Diagnostics", "approximations", "texts_of", "written"]


class Diagnostics:
    """What should be known of the results that were scored, counted over all batches."""

    def __init__(self, conditions: Sequence[Condition]) -> None:
        self._conditions = conditions
        self._approximations: tuple[str, ...] = ()
        self._quantised = [
            written(texts_of(condition)) for condition in conditions if quantises(condition[1]) and not condition[0].counts_passages
        ]
        self._cuts: dict[tuple[int, Unit], list[str]] = {}
        for measure, quantisation in conditions:
            if measure.cut_rank is not None:
                cut = self._cuts.setdefault((measure.cut_rank, _unit(measure, quantisation)), [])
                cut += [str(measure)] if str(measure) not in cut else []
        self._ties = dict.fromkeys(self._cuts, 0)
        # Runs that retrieved nothing assessed so far, by what was assessed, and for an assessor's judgements by whom.
        self._strange: dict[tuple[Unit, str | None], dict[str, bool]] = {
            (_unit(measure, quantisation), assessor_of(quantisation)): {} for measure, quantisation in conditions
        }
        self._lists = 0
        self._passages = 0
        # Text that could not be placed, for the measures that read it.
        self._read = [written(texts_of(condition)) for condition in conditions if condition[0].reads_text]
        self._reader = next((assessor_of(quantisation) for measure, quantisation in conditions if measure.reads_text), None)
        self._unresolved = 0
        # Results at no place, for the measures that ask where they lead.
        self._led = [written(texts_of(condition)) for condition in conditions if quantises(condition[1]) and condition[0].counts_passages]
        self._nowhere = 0

    def hear(self, evidence: JudgedRuns) -> None:
        self._lists += evidence.lists
        self._approximations = tuple(approximations(evidence.assessed, self._conditions))
        self._passages += evidence.passages if self._quantised else 0
        if self._read:
            texts = by(evidence, self._reader).texts
            self._unresolved += int(np.count_nonzero(texts.unresolved))
        self._nowhere += evidence.unresolved if self._led else 0
        for rank, unit in self._cuts:
            self._ties[rank, unit] += evidence.tied_across(rank, unit)
        for (unit, assessor), strange in self._strange.items():
            found = by(evidence, assessor).assessed_by_run(unit)
            for run, known in zip(evidence.runs, found.tolist(), strict=True):
                strange[run] = strange.get(run, True) and not known

    def warnings(self) -> Iterator[str]:
        if self._passages:
            none = "is a passage, which is no element and gains", "are passages, which are no elements and gain"
            yield f"{plural(self._passages, 'result', *none)} 0: {enumerate_names(self._quantised)}"
        if self._unresolved:
            shows = "has a place that is not known, and shows", "have a place that is not known, and show"
            yield f"{plural(self._unresolved, 'result', *shows)} nothing highlighted: {enumerate_names(self._read)}"
        if self._nowhere:
            leads = "has a place that is not known, and leads", "have a place that is not known, and lead"
            yield f"{plural(self._nowhere, 'result', *leads)} to no element: {enumerate_names(self._led)}"
        for (unit, assessor), strange in self._strange.items():
            if names := [run for run, nothing in strange.items() if nothing]:
                what = "element" if unit == "results" else "document"
                judged = f"{what} assessed by {assessor}" if assessor else f"assessed {what}"
                yield f"{plural(len(names), 'run')} retrieved no {judged}: {enumerate_names(names)}"
        for (rank, unit), measures in self._cuts.items():
            if ties := self._ties[rank, unit]:
                verb = "has" if ties == 1 else "have"
                what = "results" if unit == "results" else "documents"
                yield f"{ties} of {self._lists} lists {verb} {what} of equal score on both sides of rank {rank} ({enumerate_names(measures)})"
        yield from self._approximations


def approximations(assessed: JudgedItems, conditions: Sequence[Condition]) -> Iterator[str]:
    """A warning for each set of topics whose ideal lists are approximate under some conditions."""
    under: dict[tuple[str, ...], list[str]] = {}
    for measure, quantisation in conditions:
        assessor = assessor_of(quantisation)
        judged = assessed if assessor is None else assessed.by(assessor)
        if topics := measure.approximated(judged, quantisation if quantises(quantisation) else None):
            under.setdefault(topics, []).append(written(texts_of((measure, quantisation))))
    for topics, texts in under.items():
        what = "the ideal list of 1 topic is" if len(topics) == 1 else f"the ideal lists of {len(topics)} topics are"
        yield f"{what} approximate (more than {EXACT} candidates) under {enumerate_names(texts)}: {enumerate_names(topics)}"


def _unit(measure: Measure, quantisation: Quantisation | None) -> Unit:
    """What stands at the ranks that a condition looks at."""
    if measure.reads_text:
        return "text"
    return "documents" if measure.quantised == "optional" and not quantises(quantisation) else "results"


def texts_of(condition: Condition) -> ConditionTexts:
    """A condition as scores are kept under."""
    return plain_name(str(condition[0])), canonical(condition[1])


def written(texts: ConditionTexts) -> str:
    """A condition as it stands in a formula."""
    measure, quantisation = texts
    return measure if quantisation == canonical(None) else f"{measure} ~ {quantisation}"
