"""The order of results: from the file, by rank or by score; grouped by run and topic, with what contradicts it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from inexmetrics.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.errors import Problem
from inexmetrics.runs import Order, coded, names
from inexmetrics.selection import listed

__all__ = ["RESULT_KEYS", "Arranged", "arranged", "contradictions", "repeated"]

RESULT_KEYS = ("run_id", "topic_id", "doc_id", "path", "start", "length")
"""What makes two results the same."""


@dataclass(frozen=True, slots=True, eq=False)
class Arranged:
    """Results in the order taken.

    Attributes:
        results: The rows given, with all their columns: grouped by run_id and topic_id, which are Enum columns with
            categories in string order; in each list the best result first.
        contradicted: For a column (rank or score) and a run, how many results stand after one that the column puts
            behind them; only where there are any.
    """

    results: pl.DataFrame
    contradicted: Mapping[tuple[str, str], int]


def arranged(results: pl.DataFrame, orders: Mapping[str, Order]) -> Arranged:
    """Groups results by run and topic and puts each list into the order taken for its run.

    By score: descending, equal scores by doc_id descending, then as given. By rank: ascending, equal ranks as given.

    Args:
        results: Columns run_id and topic_id (names), doc_id, rank and score, and any others.
        orders: What the order of each run is taken from; the column that it needs has a value in all the run's rows.
    """
    frame = results.with_columns(coded(results["run_id"]), coded(results["topic_id"]))
    run_ids = names(frame["run_id"]).to_list()
    of_run = frame["run_id"].to_physical().to_numpy().astype(np.int64)
    lists = of_run * len(names(frame["topic_id"])) + frame["topic_id"].to_physical().to_numpy()
    rank, score = (frame[column].cast(pl.Float64).fill_null(np.nan).to_numpy() for column in ("rank", "score"))
    by = {order: np.array([orders[run_id] == order for run_id in run_ids], dtype=np.bool_)[of_run] for order in ("rank", "score")}
    badness = np.where(by["score"], -score, np.where(by["rank"], rank, 0.0))
    places = _sorted(lists, badness)
    if by["score"].any():
        places = _ties_broken(places, lists, badness, by["score"], frame["doc_id"])
    if not np.array_equal(places, np.arange(len(places))):
        frame = frame[places]
    falls = {"rank": (rank, by["rank"]), "score": (-score, by["score"])}
    contradicted = {
        (column, run_ids[code]): int(count)
        for column, (values, taken) in falls.items()
        for code, count in enumerate(np.bincount(of_run[places][1:][_falling(lists[places], values[places]) & ~taken[places][1:]]))
        if count
    }
    return Arranged(frame, contradicted)


def contradictions(there: Arranged, orders: Mapping[str, Order]) -> list[Problem]:
    """A warning for each column that contradicts the order taken, with the results and the runs where it does."""
    problems = []
    for column in ("rank", "score"):
        counts = {run_id: count for (named, run_id), count in there.contradicted.items() if named == column}
        if counts:
            taken = " and ".join(sorted({orders[run_id] for run_id in counts}))
            where = listed([f"{count} in {run_id}" for run_id, count in counts.items()])
            text = f"the {column} of {sum(counts.values())} results contradicts the order taken, which is by {taken}: {where}"
            problems.append(Problem(text, severity="warning"))
    return problems


def repeated(frame: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """The rows that hold the same keys as an earlier row; missing keys are equal to each other.

    Args:
        frame: Columns of the keys, and ``row``, increasing.
        keys: What makes two rows the same.

    Returns:
        These rows, with the row that each of them repeats as ``first``.
    """
    told = [key for key in keys if frame[key].null_count() < frame.height]
    # Grouping rows costs more than all the rest; counting their hashes is enough where none is repeated.
    if not told or frame.select(pl.struct(told).hash().n_unique()).item() == frame.height:
        return frame.head(0).with_columns(pl.col("row").alias("first"))
    return frame.with_columns(pl.col("row").min().over(told).alias("first")).filter(pl.col("row") != pl.col("first"))


def _sorted(lists: IntArray, badness: FloatArray) -> IntArray:
    """The rows list by list, and in each by increasing badness, equal ones as they stand."""
    same = lists[1:] == lists[:-1]
    if bool(np.all((lists[1:] > lists[:-1]) | (same & (badness[1:] >= badness[:-1])))):
        return np.arange(len(lists))
    frame = pl.DataFrame({"list": lists, "badness": badness})
    return frame.select(pl.arg_sort_by("list", "badness", maintain_order=True)).to_series().to_numpy().astype(np.int64)


def _ties_broken(places: IntArray, lists: IntArray, badness: FloatArray, by_score: BoolArray, documents: pl.Series) -> IntArray:
    """The same places, results of equal score by doc_id descending; only they are sorted."""
    ordered_lists, ordered_badness = lists[places], badness[places]
    tied = (ordered_lists[1:] == ordered_lists[:-1]) & (ordered_badness[1:] == ordered_badness[:-1]) & by_score[places][1:]
    in_tie = np.zeros(len(places), dtype=np.bool_)
    in_tie[1:] |= tied
    in_tie[:-1] |= tied
    if not in_tie.any():
        return places
    tie = np.cumsum(np.concatenate(([True], ~tied)))[in_tie]
    rows = pl.DataFrame({"tie": tie, "doc_id": documents.gather(places[in_tie]), "place": places[in_tie]})
    broken = places.copy()
    broken[in_tie] = rows.sort("tie", "doc_id", descending=[False, True], maintain_order=True)["place"].to_numpy()
    return broken


def _falling(lists: IntArray, values: FloatArray) -> BoolArray:
    """For each row but the first whether, in the same list, its value is below that of the row before it."""
    return (lists[1:] == lists[:-1]) & (values[1:] < values[:-1])
