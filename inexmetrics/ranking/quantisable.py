"""Checks whether assessments can be quantised: their scale, and the properties of elements that a quantisation needs."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.derived_judgements import assessed_elements
from inexmetrics.collection.structure import Structure
from inexmetrics.common.cached import cached_by_identity
from inexmetrics.common.errors import CollectionError
from inexmetrics.quantisations.base import Quantisation

__all__ = ["check_quantisation"]

SCALES = {"inex2004": "INEX 2004", "inex2005": "INEX 2005"}


def check_quantisation(quantisation: Quantisation, assessments: Assessments, structure: Structure | None = None) -> None:
    """Checks that the assessments can be quantised.

    Raises:
        CollectionError: The quantisation is defined on another year's scale, or needs the exhaustivity, or the size, of
            elements for which it is unknown.
    """
    relevant = _relevant(assessments, structure)
    # Highlighting, with specificity as a share of characters, came with the scale of 2005.
    scale = "inex2005" if assessments.scale is None else assessments.scale
    judged = "elements are" if assessments.elements is not None else "highlighted passages are"
    if scale not in quantisation.scales:
        known = " or ".join(SCALES[name] for name in sorted(quantisation.scales))
        raise CollectionError(f"{quantisation} is defined on the scale of {known}, but the {judged} assessed on that of {SCALES[scale]}")
    if quantisation.needs_exhaustivity and relevant.unexhausted:
        what = (
            "highlighted passages have none"
            if assessments.elements is None
            else f"{relevant.unexhausted} of {relevant.count} relevant elements have none"
        )
        raise CollectionError(f"{quantisation} needs the exhaustivity of elements, but {what}")
    if quantisation.needs_size and relevant.unsized:
        hint = "; a structure would tell it" if structure is None else ""
        raise CollectionError(
            f"{quantisation} needs the size of elements, but {relevant.unsized} of {relevant.count} relevant elements have none{hint}"
        )


@dataclass(frozen=True, slots=True)
class _Relevant:
    """The number of relevant elements, and of those with unknown exhaustivity or size."""

    count: int
    unexhausted: int
    unsized: int


@cached_by_identity
def _relevant(assessments: Assessments, structure: Structure | None) -> _Relevant:
    exhaustivity = pl.col("exhaustivity")
    relevant = assessed_elements(assessments, structure).filter(
        (exhaustivity.is_null() | (exhaustivity.cast(pl.String) != "0")) & (pl.col("specificity") > 0)
    )
    return _Relevant(relevant.height, relevant["exhaustivity"].null_count(), relevant["size"].null_count())
