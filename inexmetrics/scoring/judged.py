"""Warnings about the judgements that conditions select: what was judged, and what that means for the measures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.consistency import grades_from_1, without_offsets
from inexmetrics.collection.runs import Runs
from inexmetrics.common.messages import canonical, enumerate_texts
from inexmetrics.judgements.alignment import assessors_of
from inexmetrics.judgements.assessors import not_estimated
from inexmetrics.judgements.incomplete import Sampled
from inexmetrics.measures.base import Cut, Measure
from inexmetrics.measures.document_measures import OfRelevance
from inexmetrics.measures.incomplete import InferredAveragePrecision
from inexmetrics.scoring.condition import Condition

__all__ = ["of_judgements"]


def of_judgements(assessments: Assessments, runs: Runs | None, conditions: Sequence[Condition[Measure]]) -> Iterator[str]:
    """Yields the warnings about the judgements that the conditions select, and about results that lack offsets."""
    for judgements in dict.fromkeys(condition.judgements for condition in conditions):
        if judgements is not None:
            yield from judgements.cautions(assessments, runs)
        if assessors_of(judgements) is None and (judgements is None or not judgements.estimates):
            yield from not_estimated(assessments, ("",))
    yield from _all_relevant(assessments, conditions)
    yield from _without_pool(assessments, runs, conditions)
    reading = [str(condition) for condition in conditions if condition.measure.reads_text]
    if reading and runs is not None:  # measures that use text treat the results as whole documents
        yield from (f"{found} ({enumerate_texts(reading)})" for found in without_offsets(runs))


def _all_relevant(assessments: Assessments, conditions: Sequence[Condition[Measure]]) -> Iterator[str]:
    """Yields a warning about measures under which no judged document is non-relevant, because grades begin with 1."""
    concerned: dict[tuple[str, ...], list[tuple[Measure, OfRelevance]]] = {}
    for condition in conditions:
        measure = condition.measure.family if isinstance(condition.measure, Cut) else condition.measure
        if condition.quantisation is None and isinstance(measure, OfRelevance) and measure.rel <= 1.0:
            named = assessors_of(condition.judgements)
            concerned.setdefault(() if named is None else named.assessor_names, []).append((condition.measure, measure))
    for assessors, measures in concerned.items():
        if (scale := grades_from_1(assessments, assessors)) is not None:
            texts, (first, uncut) = dict.fromkeys(str(measure) for measure, _ in measures), measures[0]
            other = str(first).replace(str(uncut), str(replace(uncut, rel=scale[0])), 1)
            text = f"grades are from 1 to {canonical(scale[1])}, and no judged document is non-relevant: {enumerate_texts([*texts])}"
            yield f"{text}; {other} counts grades from {canonical(scale[0])} as relevant"


def _without_pool(assessments: Assessments, runs: Runs | None, conditions: Sequence[Condition[Measure]]) -> Iterator[str]:
    """Yields a warning about samples of elements or passages under `infAP`, because only grades can state that a document is unjudged."""
    concerned = dict[str, None]()
    for condition in conditions:
        sampling = () if condition.judgements is None else condition.judgements.chain
        if isinstance(condition.measure, InferredAveragePrecision) and any(isinstance(choice, Sampled) for choice in sampling):
            graded = condition.quantisation is None and sampling[-1].read(assessments, runs).grades is not None
            concerned.update({} if graded else {str(condition): None})
    if concerned:
        yield (
            f"{enumerate_texts([*concerned])}: the documents that were not drawn count as outside the pool, so that infAP does not estimate "
            "average precision; it needs a sample of graded documents"
        )
