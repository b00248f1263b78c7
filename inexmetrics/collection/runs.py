"""What systems retrieved, and where in the table of results each list stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

import numpy as np
import polars as pl

from inexmetrics.collection.names import selected
from inexmetrics.collection.schemas import RESULTS, Results
from inexmetrics.common.arrays import BoolArray, IntArray
from inexmetrics.common.cached import cached_by_identity
from inexmetrics.common.errors import Problem
from inexmetrics.common.frozen import Frozen
from inexmetrics.common.messages import plural

if TYPE_CHECKING:
    from pandera.typing.polars import DataFrame

__all__ = ["Lists", "Order", "Runs", "answered", "lists", "names", "numbered"]

Order: TypeAlias = Literal["file", "rank", "score"]


def names(column: pl.Series) -> pl.Series:
    """The names that the codes of an Enum column stand for; some may have no row."""
    if not isinstance(column.dtype, pl.Enum):
        raise TypeError(f"expected an Enum column {column.name}, found {column.dtype}")
    return column.dtype.categories


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Runs(Frozen):
    """What systems retrieved.

    Attributes:
        table: One row a result (`run_id`, `topic_id` and `RESULTS`): grouped by run_id, within it by topic_id, both
            in string order; within a topic in the order taken, best first. `run_id` and `topic_id` are Enum columns
            whose categories are in string order; `doc_id` may be Categorical, so that a name is held once however often
            the document is retrieved, and `rank` of fewer bytes than Int64.
        orders: For each run_id, what its order was taken from.
        prepared: The preparations applied, as they are written, in order.
        warnings: Warnings met in reading.
        files: For each run_id that was read from a file, that file's name, as it was given or found.
    """

    table: pl.DataFrame
    orders: Mapping[str, Order]
    prepared: tuple[str, ...] = ()
    warnings: tuple[Problem, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def results(self) -> DataFrame[Results]:
        """The table with every `doc_id` as text and every `rank` as Int64."""
        return cast("DataFrame[Results]", with_names(self))

    @property
    def run_ids(self) -> tuple[str, ...]:
        """The runs, in string order."""
        return tuple(sorted(self.orders))

    @property
    def order(self) -> str:
        """What the order of results was taken from, as results state it: one word, or each word with its runs."""
        taken = sorted(set(self.orders.values()))
        if len(taken) <= 1:
            return "".join(taken)
        return "; ".join(f"{order} ({', '.join(run for run in self.run_ids if self.orders[run] == order)})" for order in taken)

    def only(self, runs: str | Iterable[str] | None = None, topics: Iterable[str] | None = None) -> Runs:
        """The results of some runs and topics; all of them for None.

        Args:
            runs: Names of runs; an unknown one raises `CollectionError`.
            topics: Names of topics; those that were not retrieved for are passed over.
        """
        wanted = selected("run", runs, self.run_ids)
        table = self.table
        if runs is not None:
            table = table.filter(_among(table["run_id"], wanted))
        if topics is not None:
            table = table.filter(_among(table["topic_id"], topics))
        files = {run: self.files[run] for run in wanted if run in self.files}
        return replace(self, table=table, orders={run: self.orders[run] for run in wanted}, files=files)

    def __repr__(self) -> str:
        return f"Runs({plural(len(self.orders), 'run')}, {plural(self.table.height, 'result')})"


@cached_by_identity
def with_names(runs: Runs) -> pl.DataFrame:
    """The table of runs with every `doc_id` as text and every `rank` as Int64; made once."""
    return runs.table.cast({name: RESULTS[name] for name in ("doc_id", "rank") if name in runs.table.columns})


def _among(column: pl.Series, wanted: Iterable[str]) -> pl.Series:
    """Which rows of an Enum column hold one of the names."""
    is_wanted = names(column).is_in(sorted(set(wanted))).to_numpy()
    return pl.Series(is_wanted[column.to_physical().to_numpy()], dtype=pl.Boolean)


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """The lists of results that a table of results is made of: one for each run and topic that has results. G lists.

    Attributes:
        runs: Code of each list's run among the categories of `run_id`, G, increasing.
        topics: Code of each list's topic among the categories of `topic_id`, G, increasing within a run.
        firsts: Row of each list's first result, G.
        lengths: Results of each list, G.
    """

    runs: IntArray
    topics: IntArray
    firsts: IntArray
    lengths: IntArray


@cached_by_identity
def lists(runs: Runs) -> Lists:
    """Where each run's list for each topic stands."""
    of_run = runs.table["run_id"].to_physical().to_numpy()
    of_topic = runs.table["topic_id"].to_physical().to_numpy()
    begins = np.flatnonzero((of_run[1:] != of_run[:-1]) | (of_topic[1:] != of_topic[:-1])) + 1
    firsts = np.concatenate(([0], begins))[: len(of_run)].astype(np.int64)
    return Lists(
        runs=of_run[firsts].astype(np.int64),
        topics=of_topic[firsts].astype(np.int64),
        firsts=firsts,
        lengths=np.diff(firsts, append=len(of_run)),
    )


def numbered(column: pl.Series, known: Sequence[str]) -> IntArray:
    """Place of each category of an Enum column among known names; -1 for one that is not among them."""
    places = {name: place for place, name in enumerate(known)}
    return np.array([places.get(name, -1) for name in names(column)], dtype=np.int64)


def answered(runs: Runs, topics: Sequence[str]) -> BoolArray:
    """Which topics each run has results for, R x T.

    Args:
        runs: The runs; R of them, in string order.
        topics: The topics asked about, T.

    Examples:
        >>> schema = {"run_id": pl.Enum(["a", "b"]), "topic_id": pl.Enum(["1", "2"])}
        >>> results = pl.DataFrame({"run_id": ["a", "a", "b"], "topic_id": ["1", "2", "2"]}, schema=schema)
        >>> answered(Runs(results, {"a": "file", "b": "file"}), ["1", "2", "3"]).tolist()
        [[True, True, False], [False, True, False]]
    """
    there = lists(runs)
    of_run = numbered(runs.table["run_id"], runs.run_ids)[there.runs]
    of_topic = numbered(runs.table["topic_id"], topics)[there.topics]
    found = np.zeros((len(runs.run_ids), len(topics)), dtype=np.bool_)
    asked = of_topic >= 0
    found[of_run[asked], of_topic[asked]] = True
    return found
