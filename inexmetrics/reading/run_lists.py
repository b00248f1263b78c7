"""Sorts results into rankings (one for each run and topic), finds repeated results, and concatenates runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from inexmetrics.collection.document_names import CodeArray, DocumentNames
from inexmetrics.collection.runs import LARGEST, Lists, Order, Runs, from_units, in_units, numbered
from inexmetrics.collection.schemas import RESULTS
from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray, in_ranges
from inexmetrics.common.disk import DiskStore, release
from inexmetrics.common.elements import place

__all__ = ["PLACES", "Grouping", "RunLists", "grouped", "repeats", "runs_of_lists"]

PLACES = ("path", "start", "length")
"""The columns with the position of a result in its document."""
INTEGERS = (pl.Int8(), pl.Int16(), pl.Int32(), pl.Int64())
"""The integer types in which ranks are stored, from the smallest to the largest."""


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """A permutation of N results that sorts them into G rankings, one for each run and topic.

    Attributes:
        rows: The original row of the result at each position of the new order, shape (N,); None if the order is unchanged.
        run_ids: The names of the runs, in lexicographic order.
        topic_ids: The topics, in lexicographic order.
        runs: For each ranking, the index of its run in `run_ids`, in increasing order, shape (G,).
        topics: For each ranking, the index of its topic in `topic_ids`, in increasing order within a run, shape (G,).
        firsts: For each ranking, the position of its first result, in increasing order, shape (G,).
        lengths: The number of results in each ranking, shape (G,).
        contradicted: Arrays with the keys rank, score and tied rank: the number of results in each run whose rank (or score) is better than
            that of the preceding result, shape (R,). If the two results have equal scores and scores determine the ranking, their ranks are
            counted as tied ranks, because ties are ordered by document.
    """

    rows: IntArray | None
    run_ids: tuple[str, ...]
    topic_ids: tuple[str, ...]
    runs: IntArray
    topics: IntArray
    firsts: IntArray
    lengths: IntArray
    contradicted: Mapping[str, IntArray]

    def list_of(self, places: IntArray) -> IntArray:
        """Returns, for each position in the new order of the results, the index of the ranking that contains this position."""
        return np.searchsorted(self.firsts, places, side="right") - 1


def grouped(frame: pl.DataFrame, order: Order) -> Grouping:
    """Groups results by run and topic, and orders the results of each ranking.

    If `order` is "score", results are ordered by descending score, then by descending doc_id, then by row. If `order` is "rank", results
    are ordered by ascending rank, then by row. If `order` is "file", results are ordered by row.

    Args:
        frame: Table with run_id, topic_id, doc_id, rank and score; the column that determines the order does not contain nulls.
        order: The column that determines the ranking, or "file".
    """
    begins = np.zeros(frame.height, dtype=np.bool_)
    begins[:1] = True
    for name in ("run_id", "topic_id"):
        column = frame[name]
        begins[1:] |= (column.slice(1) != column.slice(0, max(frame.height - 1, 0))).to_numpy()
    starts = np.flatnonzero(begins)
    lengths = np.diff(starts, append=frame.height)
    (run_ids, runs), (topic_ids, topics) = (_names(frame[name][starts]) for name in ("run_id", "topic_id"))
    lists = runs * max(len(topic_ids), 1) + topics
    rows = None
    if (np.diff(lists) <= 0).any():
        by_list = np.argsort(lists, kind="stable")
        taken = lengths[by_list]
        rows = in_ranges(starts[by_list], taken)
        lists, first = np.unique(lists[by_list], return_index=True)
        lengths = np.add.reduceat(taken, first)
        runs, topics = np.divmod(lists, len(topic_ids))
    firsts = np.cumsum(lengths) - lengths
    # 0 minus a score, unlike the negation of a score, is never -0.0.
    ranks = frame["rank"].cast(pl.Float64) if frame["rank"].has_nulls() else frame["rank"]
    values_of = {"rank": ranks.to_numpy(), "score": 0.0 - frame["score"].to_numpy()}
    if order != "file":
        values = values_of[order] if rows is None else values_of[order][rows]
        falls = _places(values, firsts, np.less)
        if len(falls):
            rows = np.arange(frame.height) if rows is None else rows
            for number in np.unique(np.searchsorted(firsts, falls, side="right") - 1).tolist():  # sorts only unsorted rankings
                there = slice(int(firsts[number]), int(firsts[number] + lengths[number]))
                rows[there] = rows[there][np.argsort(values_of[order][rows[there]], kind="stable")]
            values = values_of[order][rows]
        if order == "score":
            rows = _without_ties(values, rows, firsts, frame["doc_id"])
    contradicted = {}
    for name, key in values_of.items():
        falls = np.empty(0, dtype=np.int64) if name == order else _places(key if rows is None else key[rows], firsts, np.less)
        equal = np.zeros(len(falls), dtype=np.bool_)
        if order == "score" and len(falls):  # results with equal scores are ordered by document, whatever their ranks
            places = (falls, falls - 1) if rows is None else (rows[falls], rows[falls - 1])
            equal = values_of["score"][places[0]] == values_of["score"][places[1]]
        for kind, among in ((name, ~equal), *((("tied rank", equal),) if name == "rank" else ())):
            of_list = np.searchsorted(firsts, falls[among], side="right") - 1
            contradicted[kind] = np.bincount(runs[of_list], minlength=len(run_ids))
    return Grouping(rows, run_ids, topic_ids, runs, topics, firsts, lengths, contradicted)


def _names(column: pl.Series) -> tuple[tuple[str, ...], IntArray]:
    """Returns the distinct names in a column, in lexicographic order, and the index of the name of each row."""
    names = column.cast(pl.String).to_list()
    distinct = tuple(sorted({*names}))
    return distinct, numbered(names, distinct)


def _places(values: FloatArray | IntArray, firsts: IntArray, compare: np.ufunc) -> IntArray:
    """Returns the positions at which `compare` is true for a value and the preceding value in the same ranking."""
    found = np.empty(len(values), dtype=np.bool_)
    compare(values[1:], values[:-1], out=found[1:])
    found[firsts] = False
    return np.flatnonzero(found)


def _without_ties(values: FloatArray | IntArray, rows: IntArray | None, firsts: IntArray, doc_ids: pl.Series) -> IntArray | None:
    """Reorders results with equal values by descending doc_id; all rankings must already be sorted by value."""
    ties = _places(values, firsts, np.equal)
    ordered = np.arange(len(values)) if rows is None else rows
    above, below = (doc_ids[ordered[places].astype(np.uint32)].cast(pl.String) for places in (ties - 1, ties))
    wrong = (below > above).to_numpy()
    if not wrong.any():
        return rows
    # Results with equal values are adjacent. If a group of results with equal values has the wrong order, a group of two is swapped, and a
    # larger group is sorted.
    of_tie = np.cumsum(np.diff(ties, prepend=-1) > 1)
    alone = (np.bincount(of_tie) == 1)[of_tie]
    pairs = ties[wrong & alone]
    ordered[pairs - 1], ordered[pairs] = ordered[pairs], ordered[pairs - 1]
    unsorted = np.zeros(of_tie[-1] + 1, dtype=np.bool_)
    unsorted[of_tie[wrong & ~alone]] = True
    due = np.flatnonzero(unsorted[of_tie])
    begins = due[np.diff(of_tie[due], prepend=-1) > 0]
    places = np.concatenate((ties[begins] - 1, ties[due]))
    names = doc_ids[ordered[places]].cast(pl.String)
    tied = pl.DataFrame({"tie": np.concatenate((of_tie[begins], of_tie[due])), "doc_id": names, "place": places, "row": ordered[places]})
    by_name = tied.sort("tie", "doc_id", "place", descending=[False, True, False])
    ordered[np.sort(places)] = by_name["row"].to_numpy()
    return ordered


def repeats(frame: pl.DataFrame, grouping: Grouping) -> pl.DataFrame:
    """Returns the results that occur more than once in the same ranking.

    Args:
        frame: Table with document and, if these columns have values, path, start and length, in the original order of rows. If different
            documents may have the same number in document, the table contains doc_id, too.
        grouping: The grouping of the results into rankings, returned by `grouped`.

    Returns:
        Table with two columns: ``row`` is the row of a repeated result, and ``first`` is the first row with the same result in the ranking.
    """
    keys = [*(key for key in ("document", "doc_id", *PLACES) if key in frame.columns)]
    if "path" in keys:  # a root element is treated as its document, and offsets are ignored if there is a path
        characters = (pl.when(pl.col("path").is_null()).then(name).alias(name) for name in keys if name in ("start", "length"))
        frame = frame.with_columns(place(pl.col("path")).alias("path"), *characters)
    values = frame["document"].to_numpy() if keys[1:] in ([], ["doc_id"]) else frame.select(pl.struct(keys).hash()).to_series().to_numpy()
    ordered = values.copy() if grouping.rows is None else values[grouping.rows]
    suspected = []
    for number, (first, length) in enumerate(zip(grouping.firsts.tolist(), grouping.lengths.tolist(), strict=True)):
        if length > 1:
            of_list = ordered[first : first + length]
            of_list.sort()
            if (of_list[1:] == of_list[:-1]).any():
                suspected.append(number)
    if not suspected:
        return pl.DataFrame(schema=dict.fromkeys(("row", "first"), pl.Int64))
    # Different results may have equal hashes. Therefore the results themselves are compared in each ranking that contains equal hashes.
    places = np.flatnonzero(np.isin(grouping.list_of(np.arange(frame.height)), suspected))
    rows = places if grouping.rows is None else grouping.rows[places]
    numbers = {"row": rows, "list": grouping.list_of(places)}
    there = frame.select(keys)[rows].with_columns(pl.Series(name, held, dtype=pl.Int64) for name, held in numbers.items())
    found = there.with_columns(pl.col("row").min().over("list", *keys).alias("first"))
    return found.filter(pl.col("row") != pl.col("first")).select("row", "first").sort("row")


@dataclass(frozen=True, slots=True, eq=False)
class RunLists:
    """All rankings of one or more runs, grouped by run. R is the number of runs.

    Attributes:
        lists: The run, the topic and the length of each ranking.
        order: The column that determined the ranking.
        table: The results, one ranking after another, with document (the number of its name), rank (in the smallest type), score and, if
            these columns have values, path, start and length.
        decimals: The number of decimals of scores that are stored as whole numbers; None if the scores are stored as floats.
        placed: Boolean for each run, shape (R,): True if the run is empty, or if at least one of its results has an offset or a path.
        ignored: Names of unread columns that may contain offsets; empty if a known column contains offsets or paths.
    """

    lists: Lists
    order: Order
    table: pl.DataFrame
    decimals: int | None
    placed: BoolArray
    ignored: tuple[str, ...] = ()

    @classmethod
    def of(cls, order: Order, grouping: Grouping, frame: pl.DataFrame, ignored: tuple[str, ...] = ()) -> RunLists:
        """Builds the rankings of runs from the rows of a table and their order."""
        lists = Lists(grouping.run_ids, grouping.topic_ids, grouping.runs, grouping.topics, grouping.lengths)
        rows = None if grouping.rows is None else pl.Series(grouping.rows.astype(np.uint32))
        kept = (column for column in frame if column.name not in PLACES or column.null_count() < frame.height)
        columns = {column.name: column if rows is None else column[rows] for column in kept}
        score = columns["score"]
        # Small types suffice for most runs, because ranks are rarely above 32767, and scores usually have few digits.
        columns["rank"] = columns["rank"].shrink_dtype()
        held, decimals = (None if score.null_count() else in_units(score.to_numpy())) or (score, None)
        columns["score"] = pl.Series("score", held)
        # If the chunks of one column of one run differed from those of the others, polars would copy the columns of all runs.
        table = pl.DataFrame([*columns.values()]).rechunk()
        placed = np.bincount(lists.runs, minlength=len(lists.run_ids)) == 0
        for name in PLACES:
            if name in table.columns and len(lists.runs):
                with_values = np.add.reduceat(table[name].is_not_null().to_numpy(), grouping.firsts) > 0
                placed[lists.runs[with_values]] = True
        return cls(lists, order, table, decimals, placed, ignored)

    def renumbered(self, numbers: CodeArray) -> RunLists:
        """Returns the rankings with other numbers of names: `numbers` contains the new number for each number."""
        return replace(self, table=self.table.with_columns(pl.Series("document", numbers.take(self.table["document"].to_numpy()))))

    @classmethod
    def joined(cls, parts: Sequence[RunLists]) -> RunLists:
        """Returns the rankings of parts of the same run. If several parts contain a topic, the topic has several consecutive rankings."""
        first = parts[0]
        topic_ids = tuple(sorted({topic for part in parts for topic in part.lists.topic_ids}))
        topics = np.concatenate([numbered(part.lists.topic_ids, topic_ids)[part.lists.topics] for part in parts])
        lengths = np.concatenate([part.lists.lengths for part in parts])
        lists = Lists(first.lists.run_ids, topic_ids, np.zeros(len(topics), dtype=np.int64), topics, lengths)
        placed = np.any([part.placed for part in parts], axis=0)
        tables, decimals = _alike([*parts], DiskStore())
        lists, table = _by_topic(lists, pl.concat(tables, how="diagonal", rechunk=False))
        return cls(lists, first.order, table, decimals, placed, first.ignored)

    def merged(self, names: DocumentNames) -> tuple[RunLists, Grouping]:
        """Returns the rankings with a single ranking for each run and topic, and their grouping; repeated results are kept.

        Args:
            names: The names of the documents, by number.
        """
        columns = *self.lists.columns(), names.of_codes(self.table["document"])
        grouping = grouped(self.table.select(*columns, "rank", "score"), self.order)
        table = self.table if grouping.rows is None else self.table[grouping.rows]
        lists = replace(self.lists, runs=grouping.runs, topics=grouping.topics, lengths=grouping.lengths)
        return replace(self, lists=lists, table=table), grouping

    def without(self, run_ids: Sequence[str]) -> RunLists:
        """Returns the rankings of the runs whose names are not in `run_ids`."""
        kept = numbered(self.lists.run_ids, run_ids) < 0
        of_list = kept[self.lists.runs]
        codes = np.cumsum(kept) - 1
        names = tuple(name for name, keeps in zip(self.lists.run_ids, kept.tolist(), strict=True) if keeps)
        lists = Lists(names, self.lists.topic_ids, codes[self.lists.runs[of_list]], self.lists.topics[of_list], self.lists.lengths[of_list])
        return replace(
            self, lists=lists, table=self.table.filter(pl.Series(np.repeat(of_list, self.lists.lengths))), placed=self.placed[kept]
        )


def _by_topic(lists: Lists, table: pl.DataFrame) -> tuple[Lists, pl.DataFrame]:
    """Sorts rankings by run, then by topic."""
    places = lists.runs * max(len(lists.topic_ids), 1) + lists.topics
    if (np.diff(places) >= 0).all():
        return lists, table
    order = np.argsort(places, kind="stable")
    lengths = lists.lengths[order]
    begins = np.flatnonzero(np.diff(order, prepend=-2) != 1)
    if len(begins) > len(lists.run_ids):
        table = table[in_ranges(lists.firsts[order], lengths)]
    else:  # whole runs alternate, and their results need not be copied
        stretches = zip(lists.firsts[order[begins]].tolist(), np.add.reduceat(lengths, begins).tolist(), strict=True)
        table = pl.concat([table.slice(first, length) for first, length in stretches], rechunk=False)
    return replace(lists, runs=lists.runs[order], topics=lists.topics[order], lengths=lengths), table


def _alike(parts: list[RunLists], disk: DiskStore) -> tuple[list[pl.DataFrame], int | None]:
    """Converts ranks and scores to the same types in all tables of results; returns the tables, and the number of decimals of the scores.

    If possible, each score is multiplied by ``10**decimals`` and stored as a 32-bit integer. Otherwise scores are floats, and the number of
    decimals is None.

    Args:
        parts: The rankings whose tables are converted. The list is emptied, so that memory is released early.
        disk: Where converted columns are stored.
    """
    rank = max((part.table.schema["rank"] for part in parts), key=INTEGERS.index)
    counts = [part.decimals for part in parts if part.decimals is not None]
    decimals = max(counts, default=0) if len(counts) == len(parts) else None
    if decimals is not None:
        for part, count in zip(parts, counts, strict=True):
            if count < decimals and int(np.abs(part.table["score"].to_numpy()).max(initial=0)) * 10 ** (decimals - count) > LARGEST:
                decimals = None
                break
            release()
    tables = []
    parts.reverse()
    while parts:
        part = parts.pop()
        converted = []
        if part.decimals is not None and part.decimals != decimals:
            held = part.table["score"].to_numpy()
            other = from_units(held, part.decimals) if decimals is None else held * np.int32(10 ** (decimals - part.decimals))
            converted.append(pl.Series("score", other))
        if part.table.schema["rank"] != rank:
            converted.append(part.table["rank"].cast(rank))
        tables.append(part.table.with_columns(*disk.kept(pl.DataFrame(converted))) if converted else part.table)
        release()
    return tables, decimals


def runs_of_lists(
    parts: list[RunLists], names: DocumentNames, files: Mapping[str, str], disk: DiskStore, *, whole_documents: bool = False
) -> Runs:
    """Concatenates the rankings of all runs.

    Args:
        parts: The rankings to concatenate; each run is in only one item. The list is emptied during concatenation, so that memory is
            released early.
        names: The names of the documents, by number.
        files: The file of each run, for runs that were read from files.
        disk: The store of the tables.
        whole_documents: Whether results without an offset or a path were declared to be whole documents.
    """
    found = sorted(parts, key=lambda part: part.lists.run_ids[:1])
    run_ids = tuple(sorted({name for part in found for name in part.lists.run_ids}))
    topic_ids = tuple(sorted({name for part in found for name in part.lists.topic_ids}))
    runs = np.concatenate([numbered(part.lists.run_ids, run_ids)[part.lists.runs] for part in found])
    topics = np.concatenate([numbered(part.lists.topic_ids, topic_ids)[part.lists.topics] for part in found])
    lengths = np.concatenate([part.lists.lengths for part in found])
    orders = {run_id: part.order for part in found for run_id in part.lists.run_ids}
    without = {
        run_id: part.ignored
        for part in found
        for run_id, placed in zip(part.lists.run_ids, part.placed.tolist(), strict=True)
        if not placed and not whole_documents
    }
    parts.clear()
    tables, decimals = _alike(found, disk)
    # The runs of different items of `parts` may alternate.
    lists, table = _by_topic(Lists(run_ids, topic_ids, runs, topics, lengths), pl.concat(tables, how="diagonal", rechunk=False))
    # A column without values is stored as one repeated null, and takes almost no memory.
    lacking = (pl.lit(None, dtype).alias(name) for name, dtype in RESULTS.items() if name not in table.columns)
    return Runs(
        table.with_columns(*lacking).select("document", *(name for name in RESULTS if name != "doc_id")),
        lists,
        names,
        {run_id: orders[run_id] for run_id in run_ids},
        files={run_id: files[run_id] for run_id in run_ids if run_id in files},
        decimals=decimals,
        without_offsets=without,
        whole_documents=whole_documents,
    )
