"""Rows and columns of score tables that do not contain scores: summaries, such as all and Average, and numbers on another scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import polars as pl

from inexmetrics.common.arrays import FloatArray

__all__ = ["Outliers", "outliers", "run_summaries", "topic_summaries"]

_AVERAGES: Final = ["amean", "average", "avg", "gmean", "hmean", "macro", "mean", "micro", "overall", "std", "stdev", "stddev", "total"]
_QUALIFIED: Final = (
    "^((macro|micro|weighted|unweighted|overall|grand|task|dataset|topic) (average|avg|mean|total|score)|"
    "(average|avg|mean|total) (score|accuracy|performance|overall)|(std|standard) (dev|deviation|error))$"
)
_OF_TOPICS: Final = ["all", "count", "median", "sum", "sd"]
"""Names of summaries over topics that may also be names of runs."""
SCALES: Final = (1, 100)
"""Maxima of the two usual scales of scores, which start at 0."""


def topic_summaries(names: pl.Series) -> pl.Series:
    """Returns for each name of a row or column whether it names a summary over topics.

    Examples:
        >>> topic_summaries(pl.Series(["all", "Macro-Avg", "Total", "401"])).to_list()
        [True, True, True, False]
    """
    return _among(names, [*_AVERAGES, *_OF_TOPICS])


def run_summaries(names: pl.Series) -> pl.Series:
    """Returns for each name of a row or column whether it names a summary over runs.

    Examples:
        >>> run_summaries(pl.Series(["Mean", "average_score", "all", "mean-pooling"])).to_list()
        [True, True, False, False]
    """
    return _among(names, _AVERAGES)


def _among(names: pl.Series, words: Sequence[str]) -> pl.Series:
    """Returns for each name whether it is one of the words, or a qualified form; case and the signs between words are ignored."""
    known = names.cast(pl.String).unique()
    folded = known.str.to_lowercase().str.replace_all(r"[\W_]+", " ").str.strip_chars()
    found = known.filter(folded.is_in(words) | folded.str.contains(_QUALIFIED))
    return names.cast(pl.String).is_in(found.to_list()).fill_null(value=False)


class Outliers(NamedTuple):
    """Columns whose values are mostly outside the scale of most other columns.

    Attributes:
        names: The names of the columns with values mostly outside the scale.
        top: The maximum of the scale.
        others: The number of columns with all values on the scale.
    """

    names: tuple[str, ...]
    top: int
    others: int


def outliers(columns: Mapping[str, FloatArray]) -> Outliers:
    """Returns the columns with most values outside [0, 1], if most columns are inside [0, 1]; otherwise the same for [0, 100].

    Examples:
        >>> import numpy as np
        >>> accuracies = {f"task {n}": np.array([0.5, 0.25 * n]) for n in (1, 2, 3)}
        >>> outliers(accuracies | {"year": np.array([2023.0, 2024.0])})
        Outliers(names=('year',), top=1, others=3)
    """
    for top in SCALES:
        outside = {name: float(((values < 0) | (values > top)).mean()) for name, values in columns.items() if len(values)}
        inside = sum(share == 0 for share in outside.values())
        if inside >= 2 and inside > len(outside) - inside:
            return Outliers(tuple(name for name, share in outside.items() if share > 0.5), top, inside)
    return Outliers((), 0, 0)
