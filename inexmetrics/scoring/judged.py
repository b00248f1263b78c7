"""Warnings about the judgements that conditions select: what was judged, and what that means for the measures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection import Assessments, Runs, assessed_documents
from inexmetrics.collection.consistency import grades_from_1, without_offsets
from inexmetrics.common.arrays import in_ranges
from inexmetrics.common.messages import canonical, enumerate_texts, percentage
from inexmetrics.judgements import alignment, incomplete
from inexmetrics.judgements.assessors import not_estimated
from inexmetrics.judgements.base import Judgements, OfDocuments
from inexmetrics.measures.base import Measure
from inexmetrics.measures.document_measures import OfDocuments as OfDocumentMeasures
from inexmetrics.measures.document_measures import OfRelevance
from inexmetrics.scoring.condition import Condition

__all__ = ["doubtful_scale", "of_judgements"]

DEPTH: Final = 10
"""Maximum number of first results whose share of judged documents is compared between runs: pools are rarely shallower."""
FEW_JUDGED: Final = 0.5
"""Share of judged results below which a run is named."""
APART: Final = 0.3
"""Difference between the largest and the smallest share of judged results from which on a warning is given."""
TEN: Final = 10
"""Highest grade from which on a grade of 1, or of less than a tenth of the highest, is probably not relevant."""
ENOUGH: Final = 20
"""Minimum number of results, over all topics, from which the share of a run is computed."""


def of_judgements(assessments: Assessments, runs: Runs | None, conditions: Sequence[Condition[Measure]]) -> Iterator[str]:
    """Yields the warnings about the judgements that the conditions select, and about results that lack offsets."""
    for judgements in dict.fromkeys(condition.judgements for condition in conditions):
        if judgements is not None:
            yield from judgements.cautions(assessments, runs)
        if alignment.assessors_of(judgements) is None and (judgements is None or not judgements.estimates):
            yield from not_estimated(assessments, ("",))
    yield from _lowest_relevant(assessments, conditions)
    yield from _without_pool(assessments, runs, conditions)
    yield from _only_relevant(assessments, runs, conditions)
    yield from _unlike_shares(assessments, runs, conditions)
    reading = [str(condition) for condition in conditions if condition.measure.reads_text]
    if reading and runs is not None:  # measures that use text treat the results as whole documents
        yield from (f"{found} ({enumerate_texts(reading)})" for found in without_offsets(runs))


def _lowest_relevant(assessments: Assessments, conditions: Sequence[Condition[Measure]]) -> Iterator[str]:
    """Yields a warning about measures of which 1 is the lowest relevant grade, although grades begin with 1, are fractions, or go far beyond their lowest."""
    concerned: dict[tuple[str, ...], list[tuple[Measure, OfRelevance]]] = {}
    for condition in conditions:
        measure = condition.measure.uncut
        if condition.quantisation is None and isinstance(measure, OfRelevance) and measure.rel == 1.0:
            named = alignment.assessors_of(condition.judgements)
            concerned.setdefault(() if named is None else named.assessor_names, []).append((condition.measure, measure))
    for assessors, measures in concerned.items():
        if (scale := doubtful_scale(assessments, assessors)) is not None:
            texts, (first, uncut) = dict.fromkeys(str(measure) for measure, _ in measures), measures[0]
            other = str(first).replace(str(uncut), str(replace(uncut, rel=scale[1])), 1)
            yield f"{scale[0]}: {enumerate_texts([*texts])}; {other} counts grades from {canonical(scale[1])} as relevant"


def doubtful_scale(assessments: Assessments, assessors: Sequence[str] = ()) -> tuple[str, float] | None:
    """Returns the reason why 1 is probably not the lowest relevant grade, and the grade in the middle of the scale; None for other scales."""
    if (from_1 := grades_from_1(assessments, assessors)) is not None:
        return f"grades are from 1 to {canonical(from_1[1])}, and no judged document is non-relevant", from_1[0]
    tables = [table for table in (assessments.grades, assessments.assessors) if table is not None]
    named = [table.filter(pl.col("assessor").is_in([*assessors])) if "assessor" in table and assessors else table for table in tables]
    grades = np.concatenate([np.zeros(1), *(table["grade"].to_numpy() for table in named)])
    highest, between = float(grades.max()), int(((grades > 0) & (grades < 1)).sum())
    if highest == 1.0 and between:
        return f"{between} of {len(grades) - 1} grades are between 0 and 1, and count as not relevant", 0.5
    lowest = float(grades[grades > 0].min(initial=highest))
    if (grades >= TEN).sum() > 1 and lowest < max(highest / TEN, 1.5) and not between:
        return f"grades are up to {canonical(highest)}, and a grade of {canonical(lowest)} counts as relevant", float(-(-highest // 2))
    return None


def _without_pool(assessments: Assessments, runs: Runs | None, conditions: Sequence[Condition[Measure]]) -> Iterator[str]:
    """Yields a warning about samples of elements or passages under `infAP`, because only grades can state that a document is unjudged."""
    concerned = dict[str, None]()
    for condition in conditions:
        sampling = () if condition.judgements is None else condition.judgements.chain
        if condition.measure.word == "infAP" and any(isinstance(choice, incomplete.Sampled) for choice in sampling):
            graded = condition.quantisation is None and sampling[-1].read(assessments, runs).grades is not None
            concerned.update({} if graded else {str(condition): None})
    if concerned:
        yield (
            f"{enumerate_texts([*concerned])}: the documents that were not drawn count as outside the pool, so that infAP does not estimate "
            "average precision; it needs a sample of graded documents"
        )


def _graded(assessments: Assessments, runs: Runs | None, condition: Condition[Measure]) -> pl.DataFrame | None:
    """Returns the judged documents of a condition with their grades; None for conditions that do not rank documents by all judgements."""
    judgements = condition.judgements
    chain = () if judgements is None else judgements.chain
    if condition.unit != "documents" or condition.quantisation is not None or any(isinstance(choice, OfDocuments) for choice in chain):
        return None
    if judgements is not None and (judgements.estimates or judgements.as_wholes):
        return None
    chosen = assessments if judgements is None else judgements.read(assessments, runs)
    if not {"grades", "documents", "elements"} & chosen.tables.keys():
        return None
    judged = assessed_documents(chosen).filter(pl.col("grade") >= 0.0)
    return None if judged.is_empty() else judged


def _only_relevant(assessments: Assessments, runs: Runs | None, conditions: Sequence[Condition[Measure]]) -> Iterator[str]:
    """Yields a warning about measures that need documents judged not relevant, if the judgements lack them."""
    said = dict[str, None]()
    for condition in conditions:
        named = alignment.assessors_of(condition.judgements)
        if not condition.measure.reads_pool or grades_from_1(assessments, () if named is None else named.assessor_names) is not None:
            continue
        judged = _graded(assessments, runs, condition)
        measure = condition.measure.uncut
        least = measure.rel if isinstance(measure, OfDocumentMeasures) and measure.rel > 0.0 else 1.0
        if judged is not None and not (judged["grade"] < least).any():
            said[f"{condition.measure} {measure.among_relevant}"] = None
    if said:
        yield f"no document was judged not relevant, so that all other documents are unjudged: {enumerate_texts([*said])}"


def _unlike_shares(assessments: Assessments, runs: Runs | None, conditions: Sequence[Condition[Measure]]) -> Iterator[str]:
    """Yields a warning if the first results of some runs are mostly unjudged, and those of other runs are not.

    Measures that distinguish unjudged documents are not concerned. Without documents judged not relevant, nothing is known about the others.
    """
    if runs is None or len(runs.run_ids) < 2:
        return
    concerned: dict[tuple[Judgements | None, int], list[Condition[Measure]]] = {}
    for condition in conditions:
        if not condition.measure.reads_pool and condition.unit == "documents" and condition.quantisation is None:
            concerned.setdefault((condition.judgements, min(condition.measure.cut_rank or DEPTH, DEPTH)), []).append(condition)
    for (_, depth), those in concerned.items():
        judged = _graded(assessments, runs, those[0])
        if judged is None or not (judged["grade"] < 1.0).any():
            continue
        shares = _shares_judged(runs, judged, depth)
        few = sum(share < FEW_JUDGED for share, _ in shares)
        if not few:
            continue
        (lowest, low), (highest, high) = shares[0], shares[-1]
        if highest >= lowest + APART:
            several = f" (less than half of {few} runs)" if few > 1 else ""
            first = "first result" if depth == 1 else f"first {depth} results"
            yield (
                f"{enumerate_texts([str(condition) for condition in those])}: of the {first}, {percentage(lowest)} of {low}{several} were judged, and "
                f"{percentage(highest)} of {high}; unjudged documents count as not relevant, which may decide comparisons; Judged@{depth} shows "
                "these shares, and judged_only=True excludes unjudged results"
            )


def _shares_judged(runs: Runs, judged: pl.DataFrame, depth: int) -> list[tuple[float, str]]:
    """Returns the mean share of judged documents among the first results of each run with enough results, and the run, in increasing order.

    The mean is over the topics with judgements for which the run has results. Documents are compared by the numbers of their names, because
    a join of names takes a tenth of the time of a command.
    """
    there, size = runs.lists, len(runs.names) + 1  # the last number is that of documents whose names were not kept
    topic_ids, numbers = judged["topic_id"].cast(pl.String), range(len(there.topic_ids))
    topics = topic_ids.replace_strict(there.topic_ids, numbers, default=-1, return_dtype=pl.Int64).to_numpy()
    places = runs.names.places(judged["doc_id"])
    lists = np.flatnonzero(np.isin(there.topics, topics) & (there.lengths > 0))
    lengths, of_run = np.minimum(there.lengths[lists], depth), there.runs[lists]
    rows, parts = in_ranges(there.firsts[lists], lengths), [np.zeros(0, dtype=np.int32)]
    for first, block in runs.blocks():
        within = slice(*rows.searchsorted((first, first + block.height)).tolist())
        parts.append(block["document"].gather(rows[within] - first).to_numpy())
    documents = np.concatenate(parts)
    among = np.zeros(size + 1, dtype=np.bool_)  # fewer pairs are compared below; the last place is that of documents that no run contains
    among[documents] = True
    known = (topics * size + places)[(topics >= 0) & among[places]]
    found = np.isin(np.repeat(there.topics[lists], lengths) * size + documents, known)
    shares = np.add.reduceat(found.astype(np.float64), np.cumsum(lengths) - lengths) / lengths if len(lists) else np.zeros(0)
    topics_of, results, sums = (np.bincount(of_run, weights=each, minlength=len(there.run_ids)) for each in (None, lengths, shares))
    enough = np.flatnonzero(results >= ENOUGH)
    return sorted((round(float(sums[run] / topics_of[run]), 9), there.run_ids[run]) for run in enough.tolist())
