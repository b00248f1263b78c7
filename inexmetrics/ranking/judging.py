"""By whom results are judged: the assessor whom a quantisation names, or all judgements there are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeGuard

from inexmetrics.common.errors import CollectionError
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.ranking.judged_runs import JudgedRuns

__all__ = ["assessor_of", "by", "held", "quantises", "telling"]


def assessor_of(quantisation: Quantisation | None) -> str | None:
    """The assessor whom a quantisation names, if there is a quantisation and it names one."""
    return None if quantisation is None else quantisation.assessor


def quantises(quantisation: Quantisation | None) -> TypeGuard[Quantisation]:
    """Whether there is a quantisation of elements, and not only an assessor's name."""
    return quantisation is not None and quantisation.quantises


def by(evidence: JudgedRuns, assessor: str | None) -> JudgedRuns:
    """The evidence as an assessor judged it; as it is for None."""
    return evidence if assessor is None else evidence.by(assessor)


def held(evidence: JudgedRuns, quantisation: Quantisation | None) -> tuple[JudgedRuns, Quantisation | None]:
    """What a measure is given: the evidence as the assessor judged it whom the quantisation names, and what quantises elements.

    Raises:
        CollectionError: Elements were retrieved that only a structure can place, and there is none.
    """
    judged = by(evidence, assessor_of(quantisation))
    if not quantises(quantisation):
        return judged, None
    judged.check_elements()
    return judged, quantisation


@contextmanager
def telling(assessor: str | None) -> Iterator[None]:
    """Errors of what an assessor judged say by whom it was judged."""
    try:
        yield
    except CollectionError as error:
        if assessor is None:
            raise
        raise CollectionError(problem.prefixed(f"assessor {assessor}", problem.severity) for problem in error.problems) from error
