"""Names of rows and columns that summarise others, such as all of trec_eval and Average of a leaderboard."""

from __future__ import annotations

from typing import Final

import polars as pl

__all__ = ["run_summaries", "topic_summaries"]

_AVERAGES: Final = ["amean", "average", "avg", "gmean", "hmean", "macro", "mean", "micro", "overall", "std", "stdev", "stddev", "total"]
_QUALIFIED: Final = (
    "^((macro|micro|weighted|unweighted|overall|grand|task|dataset|topic) (average|avg|mean|total|score)|"
    "(average|avg|mean|total) (score|accuracy|performance|overall)|(std|standard) (dev|deviation|error))$"
)
_OF_TOPICS: Final = ["all", "median", "sum", "sd"]
"""Summaries of topics that may also be names of runs."""


def topic_summaries(names: pl.Series) -> pl.Series:
    """Return which names of rows or columns are those of summaries of topics.

    Examples:
        >>> topic_summaries(pl.Series(["all", "Macro-Avg", "Total", "401"])).to_list()
        [True, True, True, False]
    """
    return run_summaries(names) | _folded(names).is_in(_OF_TOPICS).fill_null(value=False)


def run_summaries(names: pl.Series) -> pl.Series:
    """Return which names of rows or columns are those of summaries of runs.

    Examples:
        >>> run_summaries(pl.Series(["Mean", "average_score", "all", "mean-pooling"])).to_list()
        [True, True, False, False]
    """
    folded = _folded(names)
    return (folded.is_in(_AVERAGES) | folded.str.contains(_QUALIFIED)).fill_null(value=False)


def _folded(names: pl.Series) -> pl.Series:
    """Return names in lower case, with single spaces between their words."""
    return names.cast(pl.String).str.to_lowercase().str.replace_all(r"[\W_]+", " ").str.strip_chars()
