"""The results of one run brought into the order taken: grouped by topic, best first; and what contradicts that order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from inexmetrics.collection.decimals import LARGEST, from_units, in_units
from inexmetrics.collection.runs import Lists, Order, Runs
from inexmetrics.collection.schemas import RESULTS
from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.common.elements import place

__all__ = ["Grouping", "RunLists", "grouped", "repeats", "runs_of_lists"]

PLACES = ("path", "start", "length")
"""What distinguishes the results of one document."""
INTEGERS = (pl.Int8(), pl.Int16(), pl.Int32(), pl.Int64())
"""The types of ranks, the narrowest first."""


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """An order of the N results of a run, as G lists: one for each topic.

    Attributes:
        rows: For each place, the row that stands there, N; None where all rows stand as they are.
        firsts: Place of each list's first result, G, increasing.
        lengths: Results of each list, G.
        topic_ids: The topic of each list, in string order.
        contradicted: How many results stand after one which their rank puts behind them; the same by their score.
    """

    rows: IntArray | None
    firsts: IntArray
    lengths: IntArray
    topic_ids: tuple[str, ...]
    contradicted: Mapping[str, int]

    def list_of(self, places: IntArray) -> IntArray:
        """The number of the list that each place belongs to."""
        return np.searchsorted(self.firsts, places, side="right") - 1


def grouped(frame: pl.DataFrame, order: Order) -> Grouping:
    """Groups a run's results by topic, and puts each list into the order taken.

    By score: descending, equal scores by doc_id descending, then as they stand. By rank: ascending, equal ranks as they
    stand. Otherwise as they stand.

    Args:
        frame: topic_id, doc_id (text), rank and score; where the order is taken from rank or score, without nulls.
        order: What the order is taken from.
    """
    stretches = frame.select(pl.col("topic_id").rle()).unnest("topic_id")
    values, lengths = stretches["value"].to_list(), stretches["len"].to_numpy().astype(np.int64)
    starts = np.cumsum(lengths) - lengths
    topic_ids = sorted(set(values))
    rows = None
    if topic_ids != values:
        code = {topic: number for number, topic in enumerate(topic_ids)}
        codes = np.array([code[topic] for topic in values], dtype=np.int64)
        by_topic = np.argsort(codes, kind="stable")
        taken = lengths[by_topic]
        rows = np.repeat(starts[by_topic] - (np.cumsum(taken) - taken), taken) + np.arange(frame.height)
        lengths = np.bincount(codes, weights=lengths, minlength=len(topic_ids)).astype(np.int64)
    firsts = np.cumsum(lengths) - lengths
    # Zero minus a score, unlike its negation, has one zero.
    keys = {"rank": frame["rank"].cast(pl.Float64).to_numpy(), "score": 0.0 - frame["score"].to_numpy()}
    if order != "file":
        rows = _sorted(keys[order], rows, firsts, lengths)
    if order == "score":
        rows = _without_ties(keys[order], rows, firsts, frame["doc_id"])
    contradicted = {
        name: 0 if name == order else len(_places(key if rows is None else key[rows], firsts, np.less)) for name, key in keys.items()
    }
    return Grouping(rows, firsts, lengths, tuple(topic_ids), contradicted)


def _places(values: FloatArray, firsts: IntArray, compare: np.ufunc) -> IntArray:
    """The places whose value compares so with that of the place before it in the same list."""
    found = np.empty(len(values), dtype=np.bool_)
    compare(values[1:], values[:-1], out=found[1:])
    found[firsts] = False
    return np.flatnonzero(found)


def _sorted(key: FloatArray, rows: IntArray | None, firsts: IntArray, lengths: IntArray) -> IntArray | None:
    """The rows with each list by increasing key; only the lists that are not so already are sorted."""
    falls = _places(key if rows is None else key[rows], firsts, np.less)
    if not len(falls):
        return rows
    ordered = np.arange(len(key)) if rows is None else rows
    for number in np.unique(np.searchsorted(firsts, falls, side="right") - 1).tolist():
        of_list = slice(int(firsts[number]), int(firsts[number] + lengths[number]))
        ordered[of_list] = ordered[of_list][np.argsort(key[ordered[of_list]], kind="stable")]
    return ordered


def _without_ties(key: FloatArray, rows: IntArray | None, firsts: IntArray, doc_ids: pl.Series) -> IntArray | None:
    """The rows, which are by increasing key within each list, with those of equal keys by decreasing doc_id."""
    ties = _places(key if rows is None else key[rows], firsts, np.equal)
    ordered = np.arange(len(key)) if rows is None else rows
    above, below = doc_ids[ordered[ties - 1]], doc_ids[ordered[ties]]
    wrong = (below > above).to_numpy()
    if not wrong.any():
        return rows
    # Results that are tied with one another stand together: two that are in the wrong order change places, more are sorted.
    of_tie = np.cumsum(np.diff(ties, prepend=-1) > 1)
    alone = (np.bincount(of_tie) == 1)[of_tie]
    pairs = ties[wrong & alone]
    ordered[pairs - 1], ordered[pairs] = ordered[pairs], ordered[pairs - 1]
    due = np.flatnonzero(np.isin(of_tie, of_tie[wrong & ~alone]))
    begins = due[np.diff(of_tie[due], prepend=-1) > 0]
    places = np.concatenate((ties[begins] - 1, ties[due]))
    tied = pl.DataFrame({"tie": np.concatenate((of_tie[begins], of_tie[due])), "place": places, "row": ordered[places]})
    tied = tied.with_columns(doc_ids.gather(tied["row"]).alias("doc_id"))
    by_name = tied.sort("tie", "doc_id", "place", descending=[False, True, False])
    ordered[np.sort(places)] = by_name["row"].to_numpy()
    return ordered


def repeats(frame: pl.DataFrame, grouping: Grouping) -> pl.DataFrame:
    """The results that a list holds more than once.

    Args:
        frame: doc_id (Categorical) and, where they have values, path, start and length; in the order it was grouped from.
        grouping: Its order.

    Returns:
        ``row`` and ``first``: each row that repeats another of its list, and the first row that holds the same.
    """
    keys = ["doc_id", *(key for key in PLACES if key in frame.columns)]
    if "path" in keys:  # a root element is its document, and what has a path the element there
        characters = (pl.when(pl.col("path").is_null()).then(name).alias(name) for name in keys if name in ("start", "length"))
        frame = frame.with_columns(place(pl.col("path")).alias("path"), *characters)
    values = frame["doc_id"].to_physical().to_numpy() if len(keys) == 1 else frame.select(pl.struct(keys).hash()).to_series().to_numpy()
    ordered = values.copy() if grouping.rows is None else values[grouping.rows]
    suspected = []
    for number, (first, length) in enumerate(zip(grouping.firsts.tolist(), grouping.lengths.tolist(), strict=True)):
        of_list = ordered[first : first + length]
        of_list.sort()
        if (of_list[1:] == of_list[:-1]).any():
            suspected.append(number)
    if not suspected:
        return pl.DataFrame(schema=dict.fromkeys(("row", "first"), pl.Int64))
    # Equal hashes need not be equal results: those of the lists concerned are compared.
    places = np.flatnonzero(np.isin(grouping.list_of(np.arange(frame.height)), suspected))
    rows = places if grouping.rows is None else grouping.rows[places]
    numbers = {"row": rows, "list": grouping.list_of(places)}
    there = frame.select(keys)[rows].with_columns(pl.Series(name, held, dtype=pl.Int64) for name, held in numbers.items())
    found = there.with_columns(pl.col("row").min().over("list", *keys).alias("first"))
    return found.filter(pl.col("row") != pl.col("first")).select("row", "first").sort("row")


@dataclass(frozen=True, slots=True, eq=False)
class RunLists:
    """The lists of one run, in the order taken. G lists.

    Attributes:
        run_id: The run.
        order: What the order was taken from.
        topic_ids: The topic of each list, in string order.
        lengths: Results of each list, G.
        table: The results, list after list: doc_id (Categorical), rank (in as few bytes as it needs), score and, where they have values, path, start and
            length.
        decimals: How many decimals the scores have that are held as whole numbers of the last one; None where they are held as they are.
        ignored: The ignored columns of its table, where this has no offsets or paths.
    """

    run_id: str
    order: Order
    topic_ids: tuple[str, ...]
    lengths: IntArray
    table: pl.DataFrame
    decimals: int | None
    ignored: tuple[str, ...] = ()

    @classmethod
    def of(cls, run_id: str, order: Order, grouping: Grouping, frame: pl.DataFrame, ignored: tuple[str, ...] = ()) -> RunLists:
        """A run from its rows and their order."""
        lacking = [name for name in PLACES if name in frame.columns and frame[name].null_count() == frame.height]
        table = frame.select(name for name in RESULTS if name in frame.columns and name not in lacking)
        table = table if grouping.rows is None else table[grouping.rows]
        # Ranks are seldom above 32767, and scores are mostly written with few digits.
        table = table.with_columns(table["rank"].shrink_dtype())
        held, decimals = (None if table["score"].null_count() else in_units(table["score"].to_numpy())) or (table["score"], None)
        table = table.with_columns(pl.Series("score", held))
        return cls(run_id, order, grouping.topic_ids, grouping.lengths, table, decimals, ignored)

    def with_decimals(self, decimals: int | None) -> pl.DataFrame:
        """The table with scores held in units of the last of so many decimals, no fewer than they have; or as they are."""
        if self.decimals is None or self.decimals == decimals:
            return self.table
        held = self.table["score"].to_numpy()
        scores = from_units(held, self.decimals) if decimals is None else held * np.int32(10 ** (decimals - self.decimals))
        return self.table.with_columns(pl.Series("score", scores))


def _common_decimals(parts: Sequence[RunLists]) -> int | None:
    """The decimals with which the scores of all runs can be held in whole numbers of 32 bits; None if there are none."""
    counts = [part.decimals for part in parts if part.decimals is not None]
    most = max(counts, default=0)
    if len(counts) < len(parts):
        return None
    largest = ((part.table["score"].to_numpy(), 10 ** (most - count)) for part, count in zip(parts, counts, strict=True) if count < most)
    return most if all(int(np.abs(held).max(initial=0)) * times <= LARGEST for held, times in largest) else None


def runs_of_lists(parts: list[RunLists], files: Mapping[str, str], *, whole_documents: bool = False) -> Runs:
    """The runs, each once, as one table.

    Args:
        parts: The runs; the list is emptied, so that each goes as soon as the table has its results.
        files: The file that each was read from, if any.
        whole_documents: Whether results without an offset or a path were declared to be whole documents.
    """
    found = sorted(parts, key=lambda part: part.run_id)
    run_ids = [part.run_id for part in found]
    topic_ids = sorted({topic for part in found for topic in part.topic_ids})
    code = {topic: number for number, topic in enumerate(topic_ids)}
    rank = max((part.table.schema["rank"] for part in found), key=INTEGERS.index)
    lists = Lists(
        run_ids=tuple(run_ids),
        topic_ids=tuple(topic_ids),
        runs=np.repeat(np.arange(len(found)), [len(part.topic_ids) for part in found]),
        topics=np.array([code[topic] for part in found for topic in part.topic_ids], dtype=np.int64),
        lengths=np.concatenate([part.lengths for part in found]),
    )
    orders, decimals = {part.run_id: part.order for part in found}, _common_decimals(found)
    placed = {part.run_id for part in found if not {*PLACES}.isdisjoint(part.table.columns) or not part.table.height}
    without = {} if whole_documents else {part.run_id: part.ignored for part in found if part.run_id not in placed}
    parts.clear()
    found.reverse()
    held = [found.pop().with_decimals(decimals).with_columns(pl.col("rank").cast(rank)) for _ in run_ids]
    table = pl.concat(held, how="diagonal", rechunk=False)
    # A column without values is one value that stands for all, and takes no memory.
    lacking = (pl.lit(None, dtype).alias(name) for name, dtype in RESULTS.items() if name not in table.columns)
    return Runs(
        table.with_columns(*lacking).select(*RESULTS),
        lists,
        orders,
        files={run_id: files[run_id] for run_id in run_ids if run_id in files},
        decimals=decimals,
        without_offsets=without,
    )
