"""Runs of systems: the table of results, and its lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal, Self, TypeAlias, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from inexmetrics.collection.decimals import from_units
from inexmetrics.collection.names import selected
from inexmetrics.collection.schemas import RESULTS, Results
from inexmetrics.common.arrays import BoolArray, IntArray, changes
from inexmetrics.common.errors import Problem
from inexmetrics.common.frozen import Frozen, cached_by_identity
from inexmetrics.common.messages import plural
from inexmetrics.terms.parameter_types import Made, Texts, argument

if TYPE_CHECKING:
    from pandera.typing.polars import DataFrame

__all__ = ["GIVEN_RUNS", "ORDERS", "Lists", "Order", "Runs", "answered", "numbered", "pooled_by_rounds"]

Order: TypeAlias = Literal["file", "rank", "score"]


@dataclass(frozen=True, eq=False)
class Lists:
    """The lists in a table of results: one for each run and topic with results. G lists.

    Attributes:
        run_ids: The names of the codes of runs, in lexicographic order; a name may occur without a list.
        topic_ids: The names of the codes of topics, in lexicographic order; a name may occur without a list.
        runs: Code of each list's run, G, increasing.
        topics: Code of each list's topic, G, increasing within a run.
        lengths: Number of results of each list, G, at least 1.
    """

    run_ids: tuple[str, ...]
    topic_ids: tuple[str, ...]
    runs: IntArray
    topics: IntArray
    lengths: IntArray

    @classmethod
    def of(cls, run_id: pl.Series, topic_id: pl.Series) -> Self:
        """Builds the lists from the run and the topic of each result, both Enum columns with categories in lexicographic order."""
        (run_ids, of_run), (topic_ids, of_topic) = _coded(run_id), _coded(topic_id)
        firsts = np.flatnonzero(changes(of_run) | changes(of_topic))
        lengths = np.diff(firsts, append=len(of_run))
        return cls(run_ids, topic_ids, of_run[firsts].astype(np.int64), of_topic[firsts].astype(np.int64), lengths)

    @cached_property
    def firsts(self) -> IntArray:
        """Row of each list's first result, G."""
        return np.cumsum(self.lengths) - self.lengths

    def columns(self, rows: IntArray | None = None) -> tuple[pl.Series, pl.Series]:
        """Returns ``run_id`` and ``topic_id`` of every result, or of some rows, as Enum columns."""
        if rows is None:
            of_row = np.repeat(np.arange(len(self.lengths), dtype=np.uint32), self.lengths)
        else:
            of_row = np.searchsorted(self.firsts, rows, side="right").astype(np.uint32) - np.uint32(1)
        held = ("run_id", self.run_ids, self.runs), ("topic_id", self.topic_ids, self.topics)
        run_id, topic_id = (pl.Series(name, names, pl.Enum(names)).gather(codes.astype(np.uint32)[of_row]) for name, names, codes in held)
        return run_id, topic_id

    def kept(self, kept: BoolArray) -> Lists:
        """Returns the lists of the kept results, without empty lists."""
        lengths = np.add.reduceat(kept, self.firsts, dtype=np.int64) if len(self.lengths) else self.lengths
        left = lengths > 0
        return replace(self, runs=self.runs[left], topics=self.topics[left], lengths=lengths[left])


def _coded(column: pl.Series) -> tuple[tuple[str, ...], NDArray[np.unsignedinteger]]:
    """Returns the names of an Enum column, and the code of each row."""
    if not isinstance(column.dtype, pl.Enum):
        raise TypeError(f"expected an Enum column {column.name}, found {column.dtype}")
    return tuple(column.dtype.categories), column.to_physical().to_numpy()


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Runs(Frozen):
    """The results of systems.

    Attributes:
        packed: The results as stored in memory; `results` shows them as written: the columns of `RESULTS`, one row for each
            result, grouped by run, within it by topic, both in lexicographic order; within a topic in ranking order, best first.
            `doc_id` may be Categorical, so that a name is stored once for all results, `rank` may have fewer
            bytes than Int64, and `score` may be in units of its last decimal.
        lists: The run and topic of the rows, stored once for each list.
        orders: For each run_id, the column that determined its ranking.
        prepared: The applied preparations, as text, in order.
        warnings: Warnings from reading.
        files: For each run_id that was read from a file, that file's name, as it was given or found.
        decimals: The number of decimals of scores stored as integers in units of the last one; None if they are stored as floats.
        without_offsets: For each run without any offset or path, unless its results were declared to be whole documents: the columns
            of its table that were ignored.
    """

    packed: pl.DataFrame
    lists: Lists
    orders: Mapping[str, Order]
    prepared: tuple[str, ...] = ()
    warnings: tuple[Problem, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    decimals: int | None = None
    without_offsets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, results: pl.DataFrame, orders: Mapping[str, Order], *, warnings: tuple[Problem, ...] = ()) -> Self:
        """Builds the runs of a table with run and topic on each row.

        Args:
            results: `run_id` and `topic_id`, Enum columns with categories in lexicographic order, and the columns of `packed`.
            orders: For each run_id, the column that determined its ranking.
            warnings: Warnings from making them.
        """
        lists = Lists.of(results["run_id"], results["topic_id"])
        return cls(results.drop("run_id", "topic_id"), lists, orders, warnings=warnings)

    @property
    def results(self) -> DataFrame[Results]:
        """The results with run_id and topic_id, every `doc_id` as text and every `rank` as Int64."""
        return cast("DataFrame[Results]", with_names(self))

    def at(self, rows: IntArray | None = None) -> pl.DataFrame:
        """Returns the results, or those of some rows, with `run_id` and `topic_id` before its own columns."""
        found = self.scored(self.packed if rows is None else self.packed[rows])
        return found.select(*self.lists.columns(rows), pl.all())

    def scored(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Returns some rows of `packed` with each `score` as the written number."""
        return rows if self.decimals is None else rows.with_columns(pl.Series("score", from_units(rows["score"].to_numpy(), self.decimals)))

    def filtered(self, kept: BoolArray) -> Runs:
        """Returns the kept results of every run."""
        return self if kept.all() else replace(self, packed=self.packed.filter(pl.Series(kept)), lists=self.lists.kept(kept))

    @property
    def run_ids(self) -> tuple[str, ...]:
        """The runs, in lexicographic order."""
        return tuple(sorted(self.orders))

    @property
    def order(self) -> str:
        """The columns that determined the ranking, as results state them: one word, or each word with its runs."""
        taken = sorted(set(self.orders.values()))
        if len(taken) <= 1:
            return "".join(taken)
        return "; ".join(f"{order} ({', '.join(run for run in self.run_ids if self.orders[run] == order)})" for order in taken)

    def only(self, runs: str | Iterable[str] | None = None, topics: str | Iterable[str] | None = None) -> Runs:
        """Returns the results of some runs and topics, and the warnings of their files; all for None.

        Args:
            runs: Names of runs; an unknown one raises `CollectionError`.
            topics: Names of topics; topics without results are ignored.
        """
        wanted, there = selected("run", runs, self.run_ids), self.lists
        kept = numbered(there.run_ids, wanted)[there.runs] >= 0
        if topics is not None:
            kept &= numbered(there.topic_ids, argument("topics", Texts("names of topics"), topics))[there.topics] >= 0
        files = {run: self.files[run] for run in wanted if run in self.files}
        found = self.filtered(np.repeat(kept, there.lengths))
        left_out = {*self.files.values()} - {*files.values()}
        warnings = tuple(warning for warning in self.warnings if warning.file not in left_out)
        without = {run: self.without_offsets[run] for run in wanted if run in self.without_offsets}
        orders = {run: self.orders[run] for run in wanted}
        return replace(found, orders=orders, files=files, warnings=warnings, without_offsets=without)

    def __repr__(self) -> str:
        return f"Runs({plural(len(self.orders), 'run')}, {plural(self.packed.height, 'result')})"


@cached_by_identity
def with_names(runs: Runs) -> pl.DataFrame:
    """Returns the results of runs with run_id and topic_id, every `doc_id` as text and every `rank` as Int64; computed once."""
    return runs.at().cast({name: RESULTS[name] for name in ("doc_id", "rank") if name in runs.packed.columns})


ORDERS: Final = "inexmetrics.order"
"""The metadata of a Parquet file that say what the order of each run is taken from, in JSON."""
GIVEN_RUNS: Final = Made(Runs, "runs")
"""The type of arguments that are runs."""


def numbered(names: Sequence[str], known: Sequence[str]) -> IntArray:
    """Returns the index of each name among known names; -1 for an unknown name."""
    places = {name: place for place, name in enumerate(known)}
    return np.array([places.get(name, -1) for name in names], dtype=np.int64)


def answered(runs: Runs, topics: Sequence[str]) -> BoolArray:
    """Returns which topics each run has results for, R x T.

    Args:
        runs: The runs; R runs, in lexicographic order.
        topics: The topics, T.

    Examples:
        >>> schema = {"run_id": pl.Enum(["a", "b"]), "topic_id": pl.Enum(["1", "2"])}
        >>> results = pl.DataFrame({"run_id": ["a", "a", "b"], "topic_id": ["1", "2", "2"]}, schema=schema)
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
    """Returns the documents of the rounds in a pool of at least a number of documents of each topic.

    Round r takes the r-th result of every run, the runs in lexicographic order.

    Args:
        runs: The runs.
        least: The number of documents of each topic to reach; the last round is complete.

    Returns:
        topic_id, doc_id and round (from 1), by topic, in the order in which documents enter.
    """
    there = runs.lists
    rows = np.arange(runs.packed.height)
    rounds = rows - np.repeat(there.firsts, there.lengths)
    # Rows are grouped by run, in lexicographic order: within a round, the first row with a document is the first occurrence.
    met = (
        runs.at()
        .select("topic_id", "doc_id", pl.Series("entry", rounds * len(rows) + rows))
        .group_by("topic_id", "doc_id")
        .agg(pl.col("entry").min())
        .sort("topic_id", "entry")
        .with_columns(round=pl.col("entry") // max(len(rows), 1) + 1)
    )
    # The n-th document's round is the last; a topic with fewer lacks this row, and all of its rounds count.
    pooled = met.filter(pl.col("round") <= pl.col("round").head(least).last().over("topic_id"))
    return pooled.select(pl.col("topic_id", "doc_id").cast(pl.String), "round")
