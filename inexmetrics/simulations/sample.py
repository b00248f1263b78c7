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
"""The name of the data in results."""


@cache
def sample() -> Collection:
    """Returns the built-in sample, a **simulated** collection in the shape of INEX 2005's: nothing in it was ever judged or retrieved.

    It has 29 topics, 450 articles as trees of elements, and 30 runs: three of each of ten groups, which differ in
    quality and in the kinds of elements they favour. Its assessments are of every kind: highlighted passages with best
    entry points; every element that contains highlighted text, with its specificity and an exhaustivity of `?` ("too
    small", sometimes also given to large elements), 1 or 2; graded documents; and the judgements of four assessors, of
    whom the one named ``first`` made all the other judgements. Results of a run do not overlap and are grouped by document, so
    the measures of every task accept them. They are in file order. Every result, chart and page made from the
    sample, or from a part of it, names the sample.

    Examples:
        >>> sample()
        Collection(elements, passages, documents, assessors: 29 topics, 30 runs)
    """
    refuse_fork("sample")
    return decoded(read(resources.files("inexmetrics.simulations").joinpath("data")), SOURCE)
