"""Codes: which judged item each result is, and where each result stands among ranked lists of one padded shape."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from inexmetrics.common.arrays import IndexArray, IntArray
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.xpath import WHOLE, place

__all__ = ["HashIndex", "JudgementIndex", "ListLayout", "first_occurrences", "holds_documents_only"]

S = TypeVar("S", bound=np.generic)
HashArray: TypeAlias = NDArray[np.uint64]

SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)
"""An odd number whose multiples have bits all over, from the golden ratio."""


@dataclass(frozen=True, slots=True, eq=False)
class ListLayout:
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


@dataclass(frozen=True, eq=False)
class JudgementIndex:
    """The judged items that results are looked up among, by topic; an item's code is its row.

    Attributes:
        items: The items, by topic, with its index in the column ``topic``.
        keys: What an item is found by: topic, doc_id and, for elements, place.
    """

    items: pl.DataFrame
    keys: pl.DataFrame

    @classmethod
    def of(cls, items: pl.DataFrame, topics: tuple[str, ...]) -> JudgementIndex:
        """The judged items of these topics, which are in string order.

        Raises:
            CollectionError: An item is judged twice.
        """
        names = pl.DataFrame(
            {"topic_id": topics, "topic": np.arange(len(topics), dtype=np.int32)}, schema_overrides={"topic_id": pl.String}
        )
        indexed = items.join(names, on="topic_id", how="inner", maintain_order="left").sort("topic", maintain_order=True)
        located = [place(pl.col("path")).alias("place")] if "path" in items.columns else []
        keys = indexed.select("topic", "doc_id", *located)
        twice = keys.filter(keys.is_duplicated())
        if not twice.is_empty():
            topic, *of_item = twice.row(0)
            raise CollectionError(Problem(f"expected one judgement of {' '.join(of_item).strip()}, found several", topic_id=topics[topic]))
        return cls(indexed, keys)

    def __len__(self) -> int:
        return self.items.height

    @cached_property
    def topics(self) -> IntArray:
        """Index of each item's topic, increasing."""
        return self.items["topic"].to_numpy().astype(np.int64)

    @cached_property
    def index(self) -> HashIndex:
        return HashIndex(_hashed(self.keys))

    def codes(self, results: pl.DataFrame) -> IndexArray:
        """The code of each result; the number of items for one that is not judged, or is no item at all.

        Args:
            results: topic (index among the assessed topics, int32), doc_id, path and start.
        """
        wanted = self._wanted(results)
        codes = self.index.found(_hashed(wanted))
        there = np.flatnonzero(codes < len(self))
        found = codes[there]
        # Equal hashes are no proof. Where a single one deceives, all results are looked up by their names.
        proven = np.array_equal(wanted["topic"].to_numpy()[there], self.topics[found]) and all(
            wanted[name].gather(there).eq_missing(self.keys[name].gather(found)).all() for name in self.keys.columns[1:]
        )
        return codes if proven else self._joined(wanted)

    def _wanted(self, results: pl.DataFrame) -> pl.DataFrame:
        """What results are looked up by; a passage, which is no element, by a place that no element has."""
        if "place" not in self.keys.columns:
            return results.select("topic", "doc_id")
        if holds_documents_only(results):
            return results.select("topic", "doc_id", pl.lit(WHOLE).alias("place"))
        passage = pl.col("path").is_null() & pl.col("start").is_not_null()
        return results.select("topic", "doc_id", pl.when(passage).then(None).otherwise(place(pl.col("path"))).alias("place"))

    def _joined(self, wanted: pl.DataFrame) -> IndexArray:
        """The code of each result, by its names."""
        keys = self.keys.with_columns(pl.Series("code", np.arange(len(self), dtype=np.int32)))
        codes = wanted.join(keys, on=self.keys.columns, how="left", maintain_order="left")["code"]
        return codes.fill_null(len(self)).to_numpy()


class HashIndex:
    """Items by a hash of their names, 64 bits: a table of the items whose hashes begin alike, which lead to each other."""

    def __init__(self, hashes: HashArray) -> None:
        count = len(hashes)
        bits = count.bit_length() + 3
        self._shift = np.uint64(64 - bits)
        beginnings = self._beginnings(hashes)
        order = np.argsort(beginnings, kind="stable")
        alike = np.flatnonzero(np.diff(beginnings[order]) == 0)
        self._first = np.full(1 << bits, count, dtype=np.int32)
        self._first[beginnings[order][::-1]] = order[::-1]
        self._next = np.full(count + 1, count, dtype=np.int32)
        self._next[order[alike]] = order[alike + 1]
        self._hashes = np.append(hashes, np.uint64(0))
        self._none = np.int32(count)

    def found(self, hashes: HashArray) -> IndexArray:
        """The item of each hash; of several with the same hash any, and the number of items where there is none."""
        items = self._first.take(self._beginnings(hashes))
        others = np.flatnonzero(self._hashes.take(items) != hashes)
        candidates = self._next.take(items[others])
        items[others] = self._none
        while len(others):
            led = candidates != self._none
            others, candidates = others[led], candidates[led]
            equal = self._hashes.take(candidates) == hashes[others]
            items[others[equal]] = candidates[equal]
            others, candidates = others[~equal], self._next.take(candidates[~equal])
        return items

    def _beginnings(self, hashes: HashArray) -> IntArray:
        return (hashes >> self._shift).view(np.int64)


def _hashed(keys: pl.DataFrame) -> HashArray:
    """A hash of each row: of its topic, its doc_id and, if it has one, its place."""
    texts = keys.select(pl.col(name).hash(seed) for seed, name in enumerate(keys.columns[1:]))
    hashes: HashArray = texts.to_series(0).to_numpy() + (keys["topic"].to_numpy().astype(np.uint64) + np.uint64(1)) * SPREAD
    if texts.width > 1:
        hashes = hashes * SPREAD ^ texts.to_series(1).to_numpy()
    return hashes


def holds_documents_only(results: pl.DataFrame) -> bool:
    """Whether all results are whole documents, which no list may hold twice."""
    return all(results[column].null_count() == results.height for column in ("path", "start"))


def first_occurrences(lists: IntArray, doc_ids: pl.Series) -> IntArray:
    """Numbers of the results whose document occurs for the first time in their list."""
    occurrences = pl.DataFrame({"list": lists, "doc_id": doc_ids})
    return np.flatnonzero(occurrences.select(pl.struct("list", "doc_id").is_first_distinct()).to_series().to_numpy())
