"""The grades of a cheap judge, which predict the gains of documents that nobody has judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection import Assessments, Runs, assessed_documents
from inexmetrics.common import errors, messages
from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.judgements.base import Judgements
from inexmetrics.judgements.weighted_samples import Pool, Weights
from inexmetrics.quantisations.base import Criterion
from inexmetrics.terms import Optional, TermOf

__all__ = ["JUDGE", "OfJudge", "check_scales", "classes_of", "grades_of", "has_graded_gains", "highest_gain", "judged_by"]


@dataclass(frozen=True, slots=True, init=False)
class OfJudge(TermOf[Criterion]):
    """The parameter for a cheap judge: a selection of judgements of whole documents that does not estimate and does not draw topics."""

    def expects(self) -> str:
        return 'a selection of judgements, as in judge=assessor("llm")'

    def accept(self, value: object) -> Criterion:
        if isinstance(value, Judgements) and value.parts[1] is None and not value.estimates and value.on_all_topics is value:
            return value
        raise self.refused(value)


JUDGE: Final = Optional(OfJudge(Criterion))


def grades_of(pool: Pool, judged: pl.DataFrame) -> FloatArray:
    """Returns the grade of each document of a pool, NaN for a document without a grade of at least 0."""
    there = judged.filter(pl.col("grade") >= 0.0).select("topic_id", "doc_id", "grade")
    joined = pool.documents.join(there, on=["topic_id", "doc_id"], how="left", maintain_order="left")
    return joined["grade"].cast(pl.Float64).fill_null(np.nan).to_numpy()


def judged_by(judge: Criterion, assessments: Assessments, runs: Runs, pool: Pool) -> FloatArray:
    """Returns the grade that a judge gave each document of a pool; NaN for documents that the judge did not grade."""
    assert isinstance(judge, Judgements)  # the parameter accepts nothing else
    with judge.naming():
        return grades_of(pool, assessed_documents(judge.read(assessments, runs)))


def classes_of(grades: FloatArray | None, count: int) -> IntArray:
    """Returns the class of each document: its grade under the judge; documents without a grade are a class of their own.

    Examples:
        >>> classes_of(np.array([2.0, np.nan, 0.0, np.nan, 2.0]), 5).tolist()
        [1, 2, 0, 2, 1]
    """
    if grades is None:
        return np.zeros(count, dtype=np.int64)
    classes: IntArray = np.unique(grades, return_inverse=True)[1]
    return classes


def has_graded_gains(weights: Weights) -> bool:
    """Returns whether gains depend on more than whether a document is relevant."""
    return bool(np.ptp(weights.gains_of(np.array([99.0, 100.0]))) > 0.0)


def check_scales(weights: Weights, people: FloatArray, judge: FloatArray | None) -> None:
    """Checks that people and a judge graded on the same scale, if gains depend on more than whether a document is relevant.

    Args:
        weights: The measure.
        people: The grades by people; NaN for other documents.
        judge: The grades by the judge; None without a judge.

    Raises:
        CollectionError: The highest grade of the judge is more than twice the highest grade that people gave.
    """
    if judge is None or not has_graded_gains(weights):
        return
    of_people, of_judge = (float(np.nanmax(np.append(grades, 0.0))) for grades in (people, judge))
    if of_people > 0.0 and of_judge > 2.0 * of_people:
        raise errors.CollectionError(
            f"expected a judge on the scale of the people's grades, found grades up to {messages.canonical(of_judge)} by the judge and up to "
            f"{messages.canonical(of_people)} by people; under {weights.text}, expected gains need one scale"
        )


def highest_gain(weights: Weights, certain: FloatArray, judge: FloatArray | None) -> float:
    """Returns the highest gain of a scale: that of the highest grade among the certain grades and the grades of the judge; 1 if that is 0."""
    known = np.concatenate([certain, [] if judge is None else judge])
    highest = float(weights.gains_of(known[~np.isnan(known)]).max(initial=0.0))
    return highest if highest > 0.0 else 1.0
