"""Finds scores of one ranking that differ in their text and are equal as floats."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import numpy as np
import polars as pl

from inexmetrics.common.arrays import IntArray
from inexmetrics.common.errors import Problem
from inexmetrics.reading.findings import shown

__all__ = ["rounded_ties"]

ORDERS = 'order="rank" or "file" (--order rank, --order file) orders the results without their scores'


def rounded_ties(results: pl.DataFrame, texts: Callable[[IntArray], pl.Series]) -> list[tuple[int, Problem]]:
    """Returns an error for each result whose score equals another score of the same ranking only because both were rounded to floats.

    The texts of scores are compared only in rankings with equal scores.

    Args:
        results: Table with topic_id, score (Float64), and run_id if the table contains several runs.
        texts: Function that takes rows, and returns the scores of these rows as they are written.

    Returns:
        Pairs of a row and the problem, which does not name a place. Each problem is about the first row whose score differs from that of an
        earlier row.

    Examples:
        >>> rows = pl.DataFrame({"topic_id": ["1", "1", "1"], "score": [0.5, 0.0, 0.0]})
        >>> found = rounded_ties(rows, pl.Series(["0.5", "1e-400", "1e-401"]).gather)
        >>> [(row, problem.message[:52]) for row, problem in found]
        [(2, 'expected scores that a float can distinguish, found ')]
        >>> rounded_ties(rows, pl.Series(["0.5", "0", "0.00"]).gather)
        []
    """
    keys = ["run_id", "topic_id"] if "run_id" in results.columns else ["topic_id"]
    rows = _tied(results, keys) if results.height else np.zeros(0, dtype=np.int64)
    if not len(rows):
        return []
    written = results.select(*keys, "score")[rows].with_columns(row=pl.Series(rows), text=texts(rows))
    several = written.filter(pl.col("text").n_unique().over(*keys, "score") > 1)
    first: dict[tuple[object, ...], tuple[Decimal, str]] = {}
    found: dict[tuple[object, ...], tuple[int, Problem]] = {}
    for row, *key, text in (
        several.select("row", *keys, "score", "text").unique([*keys, "score", "text"], keep="first", maintain_order=True).iter_rows()
    ):
        number = Decimal(str(text).strip())
        earlier, other = first.setdefault(tuple(key), (number, str(text)))
        if number != earlier and tuple(key) not in found:
            said = (
                f"expected scores that a float can distinguish, found {shown(str(text).strip())} and {shown(other.strip())}, which would tie; "
                f"{ORDERS}"
            )
            found[tuple(key)] = row, Problem(said)
    return list(found.values())


def _tied(results: pl.DataFrame, keys: list[str]) -> IntArray:
    """Returns the rows whose score occurs more than once in the ranking of the row, in increasing order."""
    scores = results["score"].to_numpy()
    same = np.ones(len(scores) - 1, dtype=np.bool_)
    for name in keys:
        column = results[name].to_physical() if results[name].dtype in (pl.Categorical, pl.Enum) else results[name]
        same &= (column.slice(1) == column.slice(0, len(column) - 1)).to_numpy()
    starts = np.append(0, np.flatnonzero(~same) + 1)
    if (same & (scores[1:] > scores[:-1])).any() or results.select(keys)[starts].n_unique() < len(starts):
        tied = results.select(pl.struct(*keys, "score").is_duplicated()).to_series().to_numpy()
        return np.flatnonzero(tied).astype(np.int64)
    equal = np.flatnonzero(same & (scores[1:] == scores[:-1]))  # each ranking is contiguous, and its scores fall
    return np.union1d(equal, equal + 1).astype(np.int64)
