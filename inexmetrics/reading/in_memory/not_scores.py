"""Recognises rows and columns of score tables that do not contain scores: summaries such as Average, and numbers on another scale."""

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
"""Names that are treated as summaries over topics, but not as summaries over runs, because runs may have these names."""
SCALES: Final = (1, 100)
"""Maximum scores of the two usual scales, 0 to 1 and 0 to 100."""


def topic_summaries(names: pl.Series) -> pl.Series:
    """Returns, for each name of a row or column, whether the name is that of a summary over topics.

    Examples:
        >>> topic_summaries(pl.Series(["all", "Macro-Avg", "Total", "401"])).to_list()
        [True, True, True, False]
    """
    return _among(names, [*_AVERAGES, *_OF_TOPICS])


def run_summaries(names: pl.Series) -> pl.Series:
    """Returns, for each name of a row or column, whether the name is that of a summary over runs.

    Examples:
        >>> run_summaries(pl.Series(["Mean", "average_score", "all", "mean-pooling"])).to_list()
        [True, True, False, False]
    """
    return _among(names, _AVERAGES)


def _among(names: pl.Series, words: Sequence[str]) -> pl.Series:
    """Returns, for each name, whether the name is in `words` or is a phrase such as macro average; case and punctuation are ignored."""
    known = names.cast(pl.String).unique()
    folded = known.str.to_lowercase().str.replace_all(r"[\W_]+", " ").str.strip_chars()
    found = known.filter(folded.is_in(words) | folded.str.contains(_QUALIFIED))
    return names.cast(pl.String).is_in(found.to_list()).fill_null(value=False)


class Outliers(NamedTuple):
    """Columns of a score matrix in which more than half of the values are outside the scale of the other columns.

    Attributes:
        names: The names of the columns in which more than half of the values are below 0 or above `top`.
        top: The maximum of the scale of most columns: 1 or 100; 0 if most columns fit neither scale.
        others: The number of columns in which all values are between 0 and `top`.
    """

    names: tuple[str, ...]
    top: int
    others: int


def outliers(columns: Mapping[str, FloatArray]) -> Outliers:
    """Returns the columns in which most values are outside the scale, which is [0, 1] if most columns fit it, otherwise [0, 100].

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
