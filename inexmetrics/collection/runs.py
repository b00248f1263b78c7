"""Runs: the table of results, the index of its rankings, and the storage of scores as integers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, Self, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from inexmetrics.collection.document_names import DocumentNames
from inexmetrics.collection.layout import Layout
from inexmetrics.collection.missing import selected
from inexmetrics.collection.schemas import RESULTS, Results
from inexmetrics.common.arrays import BoolArray, FloatArray, IndexArray, IntArray, changes
from inexmetrics.common.disk import release
from inexmetrics.common.errors import Problem
from inexmetrics.common.frozen import Frozen, cached_by_identity, freeze
from inexmetrics.common.messages import plural
from inexmetrics.common.options import Order
from inexmetrics.terms.parameter_types import Made, Texts, argument

if TYPE_CHECKING:
    from pandera.typing.polars import DataFrame

__all__ = [
    "GIVEN_RUNS",
    "LARGEST",
    "ORDERS",
    "Lists",
    "Order",
    "Runs",
    "answered",
    "from_units",
    "in_units",
    "numbered",
    "own_topics",
    "pooled_by_rounds",
]


BLOCK: Final = 250_000
"""Number of results in a block, of which only one is in memory if results are stored on disk."""


@dataclass(frozen=True, eq=False)
class Lists:
    """Index of a table of results. Each run has one ranking for each topic with results; G is the total number of rankings.

    Attributes:
        run_ids: Names of runs in lexicographic order; some runs may lack results.
        topic_ids: Names of topics in lexicographic order; some topics may lack results.
        runs: Index in `run_ids` of the run of each ranking, increasing, shape (G,).
        topics: Index in `topic_ids` of the topic of each ranking, increasing within a run, shape (G,).
        lengths: Number of results in each ranking, at least 1, shape (G,).
    """

    run_ids: tuple[str, ...]
    topic_ids: tuple[str, ...]
    runs: IntArray
    topics: IntArray
    lengths: IntArray

    @classmethod
    def of(cls, run_id: pl.Series, topic_id: pl.Series) -> Self:
        """Creates the index from the run and the topic of each result, as Enum columns with categories in lexicographic order."""
        (run_ids, of_run), (topic_ids, of_topic) = _encode(run_id), _encode(topic_id)
        firsts = np.flatnonzero(changes(of_run) | changes(of_topic))
        lengths = np.diff(firsts, append=len(of_run))
        return cls(run_ids, topic_ids, of_run[firsts].astype(np.int64), of_topic[firsts].astype(np.int64), lengths)

    @cached_property
    def firsts(self) -> IntArray:
        """Index of the row with the first result of each ranking, shape (G,)."""
        return np.cumsum(self.lengths) - self.lengths

    def columns(self, rows: IntArray | None = None) -> tuple[pl.Series, pl.Series]:
        """Returns the columns ``run_id`` and ``topic_id`` of all results, or of the given rows, as Enum columns."""
        if rows is None:
            of_row = np.repeat(np.arange(len(self.lengths), dtype=np.uint32), self.lengths)
        else:
            of_row = np.searchsorted(self.firsts, rows, side="right").astype(np.uint32) - np.uint32(1)
        held = ("run_id", self.run_ids, self.runs), ("topic_id", self.topic_ids, self.topics)
        run_id, topic_id = (pl.Series(name, names, pl.Enum(names)).gather(codes.astype(np.uint32)[of_row]) for name, names, codes in held)
        return run_id, topic_id

    def kept(self, kept: BoolArray) -> Lists:
        """Returns the index restricted to the rows for which `kept` is True; rankings without remaining rows are dropped."""
        lengths = np.add.reduceat(kept, self.firsts, dtype=np.int64) if len(self.lengths) else self.lengths
        left = lengths > 0
        return replace(self, runs=self.runs[left], topics=self.topics[left], lengths=lengths[left])


def _encode(column: pl.Series) -> tuple[tuple[str, ...], NDArray[np.unsignedinteger]]:
    """Returns the categories of an Enum column, and the code of each row."""
    if not isinstance(column.dtype, pl.Enum):
        raise TypeError(f"expected an Enum column {column.name}, found {column.dtype}")
    return tuple(column.dtype.categories), column.to_physical().to_numpy()


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Runs(Frozen):
    """Results of one or several runs.

    Attributes:
        packed: Table of the results as stored in memory, with the columns of ``schema_of("runs")``; the column `document`, the index of
            the name in `names`, replaces `doc_id`. Rows are grouped by run, then by topic, both in lexicographic order. The results of a
            topic are in ranking order, best first. `rank` may have fewer bytes than Int64. `score` may be an integer: the score multiplied
            by a power of ten. The property `results` returns the same table with names and with the usual types.
        lists: Index of the rankings, which stores run and topic once for each ranking.
        names: Names of the documents, each once; there may be names of documents that are not in the results.
        orders: Column that determined the ranking, for each run_id.
        prepared: Preparations that were applied to the runs, as text, in order of application.
        warnings: Warnings from reading the files.
        files: File name, as given or found, for each run_id that was read from a file.
        decimals: Number of decimals d, if scores are multiplied by 10^d and stored as integers; None if scores are stored as floats.
        without_offsets: For each run whose results have neither offsets nor paths, the names of the columns of its file that were ignored.
            Runs whose results were declared to be whole documents are not included.
        read: How the tables were read; empty for runs that were not read.
        whole_documents: Whether results without an offset or a path were declared to be whole documents.

    Examples:
        >>> from inexmetrics import from_frames
        >>> runs = from_frames({"1": {"a": 1, "b": 0}}, {"1": {"a": 2.0, "b": 1.5}}).runs
        >>> runs, runs.results.select("topic_id", "doc_id", "score").rows()
        (Runs(1 run, 2 results), [('1', 'a', 2.0), ('1', 'b', 1.5)])
    """

    packed: pl.DataFrame
    lists: Lists
    names: DocumentNames
    orders: Mapping[str, Order]
    prepared: tuple[str, ...] = ()
    warnings: tuple[Problem, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    decimals: int | None = None
    without_offsets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    read: tuple[Layout, ...] = ()
    whole_documents: bool = False

    def __post_init__(self) -> None:
        freeze(self, "orders", "files", "without_offsets")

    @classmethod
    def of(cls, results: pl.DataFrame, orders: Mapping[str, Order], *, warnings: tuple[Problem, ...] = ()) -> Self:
        """Creates runs from a table in which each row names its run, its topic and its document.

        Args:
            results: Table with the columns of `RESULTS`, and with `run_id` and `topic_id` as Enum columns with categories in lexicographic
                order. The results of each ranking are consecutive, best first.
            orders: Column that determined the ranking, for each run_id.
            warnings: Warnings about the table.
        """
        lists = Lists.of(results["run_id"], results["topic_id"])
        names, codes = DocumentNames.of(results["doc_id"])
        packed = results.drop("run_id", "topic_id").with_columns(pl.Series("doc_id", codes)).rename({"doc_id": "document"})
        return cls(packed, lists, names, orders, warnings=warnings)

    @property
    @cached_by_identity
    def results(self) -> DataFrame[Results]:
        """Table of the results with `run_id` and `topic_id`; the type of `rank` is Int64."""
        return cast("DataFrame[Results]", self.at().cast({"rank": RESULTS["rank"]} if "rank" in self.packed.columns else {}))

    def at(self, rows: IntArray | None = None) -> pl.DataFrame:
        """Returns all results, or the given rows: first the columns `run_id` and `topic_id`, then the columns of `RESULTS`."""
        return self.named(self.packed if rows is None else self.packed[rows]).select(*self.lists.columns(rows), pl.all())

    def named(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Returns the given rows of `packed` with the names of documents, and with scores as floats."""
        doc_id = pl.lit(self.names.of_codes(rows["document"]))
        return self.scored(rows).select(doc_id if name == "document" else name for name in rows.columns)

    def scored(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Returns the given rows of `packed` with scores as floats."""
        return rows if self.decimals is None else rows.with_columns(pl.Series("score", from_units(rows["score"].to_numpy(), self.decimals)))

    def blocks(self) -> Iterator[tuple[int, pl.DataFrame]]:
        """Yields the rows of `packed` in blocks, each with the index of its first row; only one block of results on disk is in memory."""
        for first in range(0, self.packed.height, BLOCK):
            yield first, self.packed.slice(first, BLOCK)
            release()

    def column_blocks(self, name: str) -> Iterator[pl.Series]:
        """Yields the blocks of a column of `RESULTS`, with the names of documents as strings, and with scores as floats."""
        for _, block in self.blocks():
            if name == "doc_id":
                yield self.names.of_codes(block["document"])
            else:
                column = block.select(name)
                yield (self.scored(column) if name == "score" else column).to_series()

    def filtered(self, kept: BoolArray) -> Runs:
        """Returns the runs with only the results for which `kept` is True."""
        return self if kept.all() else replace(self, packed=self.packed.filter(pl.Series(kept)), lists=self.lists.kept(kept))

    @property
    def run_ids(self) -> tuple[str, ...]:
        """Names of the runs, in lexicographic order."""
        return tuple(sorted(self.orders))

    @property
    def order(self) -> str:
        """Column that determined the rankings; if it differs between runs, each column is followed by the names of its runs."""
        taken = sorted(set(self.orders.values()))
        if len(taken) <= 1:
            return "".join(taken)
        return "; ".join(f"{order} ({', '.join(run for run in self.run_ids if self.orders[run] == order)})" for order in taken)

    def only(self, runs: str | Iterable[str] | None = None, topics: str | Iterable[str] | None = None) -> Runs:
        """Returns the results of the named runs and topics, with the warnings about the files of these runs. None keeps all runs or topics.

        Args:
            runs: Names of runs; an unknown name raises `CollectionError`.
            topics: Names of topics; topics without results are ignored.
        """
        wanted, there = selected("run", runs, self.run_ids), self.lists
        kept = numbered(there.run_ids, wanted)[there.runs] >= 0
        if topics is not None:
            kept &= numbered(there.topic_ids, argument("topics", Texts("names of topics"), topics))[there.topics] >= 0
        files = {run: self.files[run] for run in wanted if run in self.files}
        found = self.filtered(np.repeat(kept, there.lengths))
        left_out = {*self.files.values()} - {*files.values()}
        read = tuple(layout.without(left_out) for layout in self.read if not left_out.issuperset(layout.tables))
        warnings = tuple(warning for warning in self.warnings if warning.file not in left_out)
        without = {run: self.without_offsets[run] for run in wanted if run in self.without_offsets}
        orders = {run: self.orders[run] for run in wanted}
        return replace(found, orders=orders, files=files, warnings=warnings, without_offsets=without, read=read)

    def __repr__(self) -> str:
        return f"Runs({plural(len(self.orders), 'run')}, {plural(self.packed.height, 'result')})"


ORDERS: Final = "inexmetrics.order"
"""Key in the metadata of a Parquet file. The value states, in JSON, which column determined the ranking of each run."""
GIVEN_RUNS: Final = Made(Runs, "runs")
"""Type of an argument whose value is a `Runs` object."""


@cached_by_identity
def own_topics(runs: Runs) -> IntArray:
    """Returns the rows of the results whose document is the topic itself, in increasing order.

    Examples:
        >>> from inexmetrics import from_frames
        >>> own_topics(from_frames({"1": {"a": 1, "1": 0}}, {"1": {"a": 3.0, "1": 2.0}}).runs).tolist()
        [1]
    """
    # Few documents have the name of any topic, so topics are compared only for the results with such documents.
    topic_ids = pl.Series(runs.lists.topic_ids, dtype=pl.String)
    places = runs.names.places(topic_ids)
    topic_of = np.full(len(runs.names) + 1, -1, dtype=np.int64)  # index of the topic with the name of each document; -1 for the others
    topic_of[places] = np.arange(len(topic_ids))
    topic_of[-1] = -1  # topics that are not the names of documents
    found = [np.zeros(0, dtype=np.int64)]
    for first, block in runs.blocks() if (places >= 0).any() else ():
        topics = topic_of.take(block["document"].to_numpy())
        places = np.flatnonzero(topics >= 0)
        lists = np.searchsorted(runs.lists.firsts, first + places, side="right") - 1
        found.append(first + places[topics[places] == runs.lists.topics[lists]])
    return np.concatenate(found)


def numbered(names: Sequence[str], known: Sequence[str]) -> IntArray:
    """Returns the index of each name in `known`; -1 for a name that is not in `known`."""
    places = {name: place for place, name in enumerate(known)}
    return np.array([places.get(name, -1) for name in names], dtype=np.int64)


def answered(runs: Runs, topics: Sequence[str]) -> BoolArray:
    """Returns whether each run has results for each topic, shape (R, T).

    Args:
        runs: Runs; the rows of the result are the R runs in lexicographic order.
        topics: Names of T topics.

    Examples:
        >>> schema = {"run_id": pl.Enum(["a", "b"]), "topic_id": pl.Enum(["1", "2"])}
        >>> results = pl.DataFrame(
        ...     {"run_id": ["a", "a", "b"], "topic_id": ["1", "2", "2"]}, schema=schema
        ... ).with_columns(doc_id=pl.lit("d"))
        >>> answered(Runs.of(results, {"a": "file", "b": "file"}), ["1", "2", "3"]).tolist()
        [[True, True, False], [False, True, False]]
    """
    there = runs.lists
    of_run = numbered(there.run_ids, runs.run_ids)[there.runs]
    of_topic = numbered(there.topic_ids, topics)[there.topics]
    found = np.zeros((len(runs.run_ids), len(topics)), dtype=np.bool_)
    asked = of_topic >= 0
    found[of_run[asked], of_topic[asked]] = True
    return found


def pooled_by_rounds(runs: Runs, least: int) -> pl.DataFrame:
    """Returns the documents of a pool that is formed in complete rounds, with at least a given number of documents for each topic.

    Round r adds the r-th result of every run to the pool, in lexicographic order of the runs.

    Args:
        runs: Runs.
        least: Minimum number of documents for each topic. The round that reaches this number is included completely.

    Returns:
        Columns topic_id, doc_id and round (counted from 1), grouped by topic, in the order in which documents enter the pool.
    """
    there = runs.lists
    rows = np.arange(runs.packed.height)
    rounds = rows - np.repeat(there.firsts, there.lengths)
    # Results are numbered in the order in which rounds add them to the pool. The entry number of a document is the number of its first
    # result.
    met = (
        runs.at()
        .select("topic_id", "doc_id", pl.Series("entry", rounds * len(rows) + rows))
        .group_by("topic_id", "doc_id")
        .agg(pl.col("entry").min())
        .sort("topic_id", "entry")
        .with_columns(round=pl.col("entry") // max(len(rows), 1) + 1)
    )
    # The last round for a topic is the round that adds the `least`-th document to the pool of the topic. If a topic has fewer than `least`
    # documents, all rounds are included.
    pooled = met.filter(pl.col("round") <= pl.col("round").head(least).last().over("topic_id"))
    return pooled.select(pl.col("topic_id", "doc_id").cast(pl.String), "round")


MOST: Final = 9
"""Maximum number of decimals; a 32-bit integer cannot store more."""
LARGEST: Final = 2**31 - 1
"""Maximum absolute value of an integer that stores a score."""
LOOKED_AT: Final = 64
"""Number of values whose conversion is tested first. If the conversion of these values is not exact, the other values are not converted."""


def in_units(values: FloatArray) -> tuple[IndexArray, int] | None:
    """Returns the values multiplied by 10^d, as integers, and the number of decimals d; None if the conversion would not be exact.

    The conversion is exact for values that were parsed from decimal digits, because dividing the integer by 10^d gives the float that is
    nearest to the decimal number.

    Args:
        values: Values without NaN.

    Examples:
        >>> in_units(np.array([0.5, -1.125])), in_units(np.array([1 / 3]))
        ((array([  500, -1125], dtype=int32), 3), None)
    """
    largest = np.abs(values).max(initial=0.0)
    for decimals in range(MOST + 1):
        if largest > LARGEST / 10**decimals:
            return None
        for some in (values[:LOOKED_AT], values):
            units: IndexArray = np.rint(some * 10.0**decimals).astype(np.int32)
            # Bits are compared, because -0.0 == 0.0, and the conversion to an integer changes -0.0 to 0.0.
            if (from_units(units, decimals).view(np.int64) != some.view(np.int64)).any():
                break
            if some is values:
                return units, decimals
    return None


def from_units(units: IndexArray, decimals: int) -> FloatArray:
    """Converts the integers that `in_units` returns into the original floats."""
    return units / 10.0**decimals
