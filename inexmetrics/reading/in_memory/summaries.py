"""Names of rows and columns that summarise other rows and columns, such as all in trec_eval and Average on a leaderboard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

__all__ = ["run_summaries", "topic_summaries"]

_AVERAGES: Final = ["amean", "average", "avg", "gmean", "hmean", "macro", "mean", "micro", "overall", "std", "stdev", "stddev", "total"]
_QUALIFIED: Final = (
    "^((macro|micro|weighted|unweighted|overall|grand|task|dataset|topic) (average|avg|mean|total|score)|"
    "(average|avg|mean|total) (score|accuracy|performance|overall)|(std|standard) (dev|deviation|error))$"
)
_OF_TOPICS: Final = ["all", "count", "median", "sum", "sd"]
"""Names of summaries over topics that may also be names of runs."""


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
