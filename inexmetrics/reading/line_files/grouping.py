"""Rows of runs brought into the order taken: grouped by run and topic, best first; and what contradicts that order.

Files mostly are in order already, so everything is first looked for and only then changed: nothing is sorted that is
sorted, and of what is not only the lists concerned are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from inexmetrics.collection.runs import Order
from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.reading.line_files.rows import Rows

__all__ = ["Grouping", "grouped", "repeats"]

FEW = 2000
"""Rows that may be moved one by one."""
PLACES = ("path", "start", "length")
"""What tells one result of a document from another."""


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """An order of N rows, as G lists: a run's results for a topic.

    Attributes:
        rows: For each place, the row that stands there, N; None where all rows stand as they are.
        firsts: Place of each list's first result, G, increasing.
        lengths: Results of each list, G.
        runs: Code of each list's run, G, increasing.
        topics: Code of each list's topic, G, increasing within a run.
        topic_ids: The topics in string order, which their codes count.
        contradicted: For each file, the results that stand after one which its rank column puts behind them, and the
            same by its score column; F x 2.
    """

    rows: IntArray | None
    firsts: IntArray
    lengths: IntArray
    runs: IntArray
    topics: IntArray
    topic_ids: tuple[str, ...]
    contradicted: IntArray

    def placed(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows of a frame in this order."""
        if self.rows is None:
            return frame
        moved = np.flatnonzero(self.rows != np.arange(len(self.rows)))
        # Where little moves, as where only ties are broken, the rest is taken as it lies, without a copy. Rows that
        # have to be picked are picked from one piece of memory in a tenth of the time.
        return _patched(frame, moved, self.rows[moved]) if 0 < len(moved) <= FEW else frame.rechunk()[self.rows]


def grouped(read: Rows, runs: IntArray, orders: Sequence[Order]) -> Grouping:
    """Groups the rows of files by run and topic, and puts each list into the order taken for its file.

    By score: descending, equal scores by doc_id descending, then as they stand. By rank: ascending, equal ranks as they
    stand. Otherwise as they stand.

    Args:
        read: topic_id, doc_id, rank and score; where the order is taken from rank or score, without nulls.
        runs: Code of each file's run, F; no two are equal.
        orders: What each file's order is taken from, F.
    """
    frame, there = read.frame, read.stretches("topic_id")
    topic_ids = sorted(set(there.values))
    code = {topic: number for number, topic in enumerate(topic_ids)}
    starts, of_file = there.starts, there.files
    keys = runs[of_file] * max(len(topic_ids), 1) + np.array([code[topic] for topic in there.values], dtype=np.int64)
    lengths = np.diff(starts, append=frame.height)
    rows = None
    if (keys[1:] <= keys[:-1]).any():
        rows, keys, lengths, of_file = _regrouped(starts, lengths, keys, of_file)
    firsts = np.cumsum(lengths) - lengths
    taken = np.array(orders, dtype=object)[of_file]
    contradicted = np.zeros((len(read.files), 2), dtype=np.int64)
    run_codes, topic_codes = np.divmod(keys, max(len(topic_ids), 1))
    if rows is None and (taken == "score").all() and _descends(frame, firsts):
        # The usual file needs no look at its single values.
        falls = _inside(frame.select((pl.col("rank") < pl.col("rank").shift(1)).arg_true()).to_series().to_numpy(), firsts)
        contradicted[:, 0] = np.bincount(of_file[_list_of(falls, firsts)], minlength=len(read.files))
        return Grouping(None, firsts, lengths, run_codes, topic_codes, tuple(topic_ids), contradicted)
    # Zero minus a score, unlike its negation, has one zero.
    values = {"rank": frame["rank"].cast(pl.Float64).to_numpy(), "score": 0.0 - frame["score"].to_numpy()}
    rows = _ordered(rows, firsts, lengths, taken == "rank", by=values["rank"])
    rows = _ordered(rows, firsts, lengths, taken == "score", by=values["score"], ties=frame["doc_id"])
    for column, (order, badness) in enumerate(values.items()):
        within = _list_of(_falls(badness if rows is None else badness[rows], firsts), firsts)
        contradicted[:, column] = np.bincount(of_file[within[taken[within] != order]], minlength=len(read.files))
    return Grouping(rows, firsts, lengths, run_codes, topic_codes, tuple(topic_ids), contradicted)


def _descends(frame: pl.DataFrame, firsts: IntArray) -> bool:
    """Whether scores fall within every list from each result to the next, so that nothing is to be moved."""
    stays = frame.select((pl.col("score") >= pl.col("score").shift(1)).arg_true()).to_series().to_numpy()
    return len(_inside(stays, firsts)) == 0


def repeats(frame: pl.DataFrame, grouping: Grouping) -> pl.DataFrame:
    """The results that a list holds more than once.

    Args:
        frame: doc_id and, where they have values, path, start and length; in the order it was grouped from.
        grouping: Its order.

    Returns:
        ``row`` and ``first``: each row that repeats another of its list, and the first row that holds the same.
    """
    keys = ["doc_id", *(key for key in PLACES if key in frame.columns and frame[key].null_count() < frame.height)]
    hashes = (frame[keys[0]].hash() if len(keys) == 1 else frame.select(pl.struct(keys).hash()).to_series()).to_numpy()
    sorted_hashes = hashes.copy() if grouping.rows is None else hashes[grouping.rows]
    for first, length in zip(grouping.firsts.tolist(), grouping.lengths.tolist(), strict=True):
        sorted_hashes[first : first + length].sort()
    equal = _inside(np.flatnonzero(sorted_hashes[1:] == sorted_hashes[:-1]) + 1, grouping.firsts)
    # Equal hashes need not be equal results: those of the lists concerned are compared.
    suspected = np.zeros(len(grouping.firsts), dtype=np.bool_)
    suspected[_list_of(equal, grouping.firsts)] = True
    places = np.flatnonzero(np.repeat(suspected, grouping.lengths))
    rows = places if grouping.rows is None else grouping.rows[places]
    numbers = {"row": rows, "list": _list_of(places, grouping.firsts)}
    there = frame.select(keys)[rows].with_columns(pl.Series(name, values, dtype=pl.Int64) for name, values in numbers.items())
    told = there.with_columns(pl.col("row").min().over("list", *keys).alias("first"))
    return told.filter(pl.col("row") != pl.col("first")).select("row", "first").sort("row")


def _patched(frame: pl.DataFrame, places: IntArray, rows: IntArray) -> pl.DataFrame:
    """The frame with other rows of it at some places, which increase."""
    patches = frame[rows]
    pieces = []
    done = taken = 0
    for stretch in np.split(places, np.flatnonzero(np.diff(places) > 1) + 1):
        first, length = int(stretch[0]), len(stretch)
        pieces += [frame.slice(done, first - done), patches.slice(taken, length)]
        done, taken = first + length, taken + length
    return pl.concat([*pieces, frame.slice(done)], rechunk=False)


def _regrouped(starts: IntArray, lengths: IntArray, keys: IntArray, of_file: IntArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """The stretches by key, those of equal keys made one list: rows, and key, length and file of each list."""
    order = np.argsort(keys, kind="stable")
    starts, lengths, keys, of_file = starts[order], lengths[order], keys[order], of_file[order]
    places = np.cumsum(lengths) - lengths
    rows = np.repeat(starts - places, lengths) + np.arange(int(lengths.sum()))
    begins = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    return rows, keys[begins], np.add.reduceat(lengths, begins), of_file[begins]


def _ordered(
    rows: IntArray | None, firsts: IntArray, lengths: IntArray, wanted: BoolArray, *, by: FloatArray, ties: pl.Series | None = None
) -> IntArray | None:
    """The rows with the wanted lists in the order of increasing `by`, equal ones by `ties` descending, if given."""
    if not wanted.any():
        return rows
    placed = by if rows is None else by[rows]
    due = _falls(placed, firsts)
    if ties is not None:
        level = np.flatnonzero(placed[1:] == placed[:-1]) + 1
        above, below = (level - 1, level) if rows is None else (rows[level - 1], rows[level])
        due = np.concatenate((due, _inside(level[(ties.gather(below) > ties.gather(above)).to_numpy()], firsts)))
    unsorted = np.zeros(len(firsts), dtype=np.bool_)
    unsorted[_list_of(due, firsts)] = True
    unsorted &= wanted
    if not unsorted.any():
        return rows
    places = np.flatnonzero(np.repeat(unsorted, lengths))
    held = places if rows is None else rows[places]
    told = pl.DataFrame({"list": _list_of(places, firsts), "value": by[held], "row": held})
    if ties is None:
        told = told.sort("list", "value", maintain_order=True)
    else:
        named = told.with_columns(ties.gather(held).alias("tie"))
        told = named.sort("list", "value", "tie", descending=[False, False, True], maintain_order=True)
    ordered = np.arange(len(by)) if rows is None else rows.copy()
    ordered[places] = told["row"].to_numpy()
    return ordered


def _falls(values: FloatArray, firsts: IntArray) -> IntArray:
    """The places whose value is below that of the place before it in the same list."""
    return _inside(np.flatnonzero(values[1:] < values[:-1]) + 1, firsts)


def _inside(places: IntArray, firsts: IntArray) -> IntArray:
    """The places that are not the first of a list."""
    return places[firsts[_list_of(places, firsts)] != places] if len(places) else places


def _list_of(places: IntArray, firsts: IntArray) -> IntArray:
    """The number of the list that each place belongs to."""
    return np.searchsorted(firsts, places, side="right") - 1
