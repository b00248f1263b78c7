"""The built-in sample: a simulated collection for trying every experiment."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Final

from inexmetrics.collection import Collection
from inexmetrics.common.options import refuse_fork
from inexmetrics.simulations.sample_tables import decoded, read

__all__ = ["sample"]

SOURCE: Final = "the built-in simulated sample"
"""Name of the simulated data, shown in results."""


@cache
def sample() -> Collection:
    """Returns the built-in sample, a **simulated** collection in the shape of INEX 2005's.

    Nobody judged or retrieved anything in the sample. The sample has 29 topics, 450 articles as trees of elements, and 30 runs. The runs
    form ten groups of three, which differ in quality and in the kinds of elements that they favour. The assessments are of every kind:
    highlighted passages with best entry points; every element that contains highlighted text, with its specificity and an exhaustivity of
    `?` ("too small", sometimes also given to large elements), 1 or 2; graded documents; and the judgements of four assessors. The assessor
    named ``first`` made all the other judgements. Results of a run do not overlap and are grouped by document, so the measures of every
    task accept them. Results are in file order. Every result, chart and HTML report made from the sample, or from a part of it, names the
    sample.

    Examples:
        >>> sample()
        Collection(elements, passages, documents, assessors: 29 topics, 30 runs)
    """
    refuse_fork("sample")
    return decoded(read(resources.files("inexmetrics.simulations").joinpath("data")), SOURCE)
