"""Codes: which judged item each result is, and where each result stands among ranked lists of one padded shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from inexmetrics.arrays import IndexArray, IntArray
from inexmetrics.errors import CollectionError, Problem
from inexmetrics.paths import WHOLE, place

__all__ = ["Judged", "Places", "first_occurrences", "holds_documents_only"]

S = TypeVar("S", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Where results stand that are grouped by run, then topic, best first: R runs, T topics, K ranks.

    Attributes:
        lengths: Results of each list, R x T.
    """

    lengths: IntArray

    @property
    def depth(self) -> int:
        """K, the length of the longest list."""
        return int(self.lengths.max(initial=0))

    def rows(self, firsts: IntArray) -> IntArray:
        """The rows of a table that hold the lists, each list standing together from its first row on."""
        lengths = self.lengths.reshape(-1)
        begins = np.cumsum(lengths) - lengths
        return np.repeat(firsts.reshape(-1) - begins, lengths) + np.arange(int(lengths.sum()))

    def lists(self) -> IntArray:
        """Number of the list, run * T + topic, that each result stands in."""
        return np.repeat(np.arange(self.lengths.size), self.lengths.reshape(-1))

    def laid_out(self, values: NDArray[S], beyond: S) -> NDArray[S]:
        """Values of the results by run, topic and rank, R x T x K; `beyond` past the end of a list."""
        shape = (*self.lengths.shape, self.depth)
        if len(values) == self.lengths.size * self.depth:
            return values.reshape(shape)
        laid = np.full(shape, beyond, dtype=values.dtype)
        laid[np.arange(self.depth) < self.lengths[..., None]] = values
        return laid


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The judged items that results are looked up among, by topic; an item's code is its row.

    Attributes:
        items: The items, by topic, with its index in the column ``topic``.
        topics: Index of each item's topic among the assessed topics, increasing.
        keys: What an item is found by: topic, doc_id and, for elements, place; and its code.
    """

    items: pl.DataFrame
    topics: IntArray
    keys: pl.DataFrame

    @classmethod
    def of(cls, items: pl.DataFrame, topics: tuple[str, ...]) -> Judged:
        """The judged items of these topics, which are in string order.

        Raises:
            CollectionError: An item is judged twice.
        """
        names = pl.DataFrame(
            {"topic_id": topics, "topic": np.arange(len(topics), dtype=np.int32)}, schema_overrides={"topic_id": pl.String}
        )
        indexed = items.join(names, on="topic_id", how="inner", maintain_order="left").sort("topic", maintain_order=True)
        on = ["topic", "doc_id"]
        keys = indexed.select(on)
        if "path" in items.columns:
            on.append("place")
            keys = indexed.select("topic", "doc_id", place(pl.col("path")).alias("place"))
        twice = keys.filter(keys.is_duplicated())
        if not twice.is_empty():
            topic, *place_names = twice.row(0)
            raise CollectionError(
                Problem(f"expected one judgement of {' '.join(place_names).strip()}, found several", topic_id=topics[topic])
            )
        keys = keys.with_columns(pl.Series("code", np.arange(keys.height, dtype=np.int32)))
        return cls(indexed, indexed["topic"].to_numpy().astype(np.int64), keys)

    def __len__(self) -> int:
        return self.items.height

    def codes(self, results: pl.DataFrame) -> IndexArray:
        """The code of each result; the number of items for one that is not judged, or is no item at all.

        Args:
            results: topic (index among the assessed topics, int32), doc_id, path and start.
        """
        keys, on = self.keys, ["topic", "doc_id"]
        wanted = results.select(on)
        if "place" in keys.columns:
            if holds_documents_only(results):
                keys = keys.filter(pl.col("place") == WHOLE).drop("place")
            else:
                on.append("place")
                passage = pl.col("path").is_null() & pl.col("start").is_not_null()
                wanted = results.select("topic", "doc_id", pl.when(passage).then(None).otherwise(place(pl.col("path"))).alias("place"))
        found = wanted.join(keys, on=on, how="left", maintain_order="left")
        return found["code"].fill_null(len(self)).to_numpy()


def holds_documents_only(results: pl.DataFrame) -> bool:
    """Whether all results are whole documents, which no list may hold twice."""
    return all(results[column].null_count() == results.height for column in ("path", "start"))


def first_occurrences(lists: IntArray, doc_ids: pl.Series) -> IntArray:
    """Numbers of the results whose document occurs for the first time in their list."""
    occurrences = pl.DataFrame({"list": lists, "doc_id": doc_ids})
    return np.flatnonzero(occurrences.select(pl.struct("list", "doc_id").is_first_distinct()).to_series().to_numpy())
