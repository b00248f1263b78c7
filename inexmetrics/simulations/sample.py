"""The built-in sample: a simulated collection to try every experiment on."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Final

from inexmetrics.collection import Collection
from inexmetrics.common.options import refuse_fork
from inexmetrics.simulations.sample_tables import decoded, read

__all__ = ["sample"]

SOURCE: Final = "the built-in simulated sample"
"""How results name the data."""


@cache
def sample() -> Collection:
    """The built-in sample, a **simulated** collection of the shape of INEX 2005's: nothing in it was ever judged or retrieved.

    It has 29 topics, 450 articles as trees of elements, and 30 runs: three of each of ten groups, which differ in
    quality and in the kinds of elements they favour. Its assessments are of every kind: highlighted passages with best
    entry points; every element that holds highlighted text, with its specificity and an exhaustivity of `?` ("too
    small", at times given to large elements as well), 1 or 2; graded documents; and the opinions of four assessors, of
    whom the one named ``first`` made all the other judgements. Results of a run do not overlap and stand by document, so
    that every task's measures take them. They are in the order of their files. Every result, chart and page made from the
    sample, or from a part of it, says that it is the sample's.

    Examples:
        >>> sample()
        Collection(elements, passages, documents, assessors: 29 topics, 30 runs)
    """
    refuse_fork("sample")
    return decoded(read(resources.files("inexmetrics.simulations").joinpath("data")), SOURCE)
