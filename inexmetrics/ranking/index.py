"""The code of each result (the index of its judged item) and its position in lists that are padded to the same length."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from inexmetrics.collection.document_names import CodeArray, DocumentNames
from inexmetrics.collection.schemas import PASSAGE
from inexmetrics.common.arrays import IndexArray, IntArray, in_ranges
from inexmetrics.common.elements import WHOLE, place
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.frozen import cached_by_identity

__all__ = ["JudgementIndex", "ListLayout", "holds_documents_only"]

S = TypeVar("S", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class ListLayout:
    """Positions of results that are sorted by run, then topic, then rank. R runs, T topics, K ranks.

    Attributes:
        lengths: Number of results in each list, shape (R, T).
    """

    lengths: IntArray

    def held_by(self, table: pl.DataFrame, firsts: IntArray) -> pl.DataFrame:
        """Returns the rows of all lists.

        The rows of each list are consecutive in `table`; `firsts` contains the index of the first row of each list. The result is a view if
        all rows are consecutive.
        """
        lengths = self.lengths.reshape(-1)
        begins = np.cumsum(lengths) - lengths
        offsets = (firsts.reshape(-1) - begins)[lengths > 0]
        if len(offsets) and (offsets == offsets[0]).all():
            return table.slice(int(offsets[0]), int(lengths.sum()))
        return table[in_ranges(firsts.reshape(-1), lengths)]

    def lists(self) -> IntArray:
        """Returns, for each result, the index of its list; the list of a run and a topic has the index `run * T + topic`."""
        return np.repeat(np.arange(self.lengths.size), self.lengths.reshape(-1))

    def laid_out(self, values: NDArray[S], beyond: S) -> NDArray[S]:
        """Arranges values of the results by run, topic and rank, shape (R, T, K); cells past the end of a list contain `beyond`."""
        if self.lengths.size == 1:
            return values.reshape(1, 1, -1)
        depth = int(self.lengths.max(initial=0))
        shape = (*self.lengths.shape, depth)
        if len(values) == self.lengths.size * depth:
            return values.reshape(shape)
        laid = np.full(shape, beyond, dtype=values.dtype)
        laid[np.arange(depth) < self.lengths[..., None]] = values
        return laid


@dataclass(frozen=True, eq=False)
class JudgementIndex:
    """Index for looking up results among the judged items, which are sorted by topic; the code of an item is its row.

    Attributes:
        items: The items by topic; the column ``topic`` contains the index of the topic.
        topics: Index of the topic of each item, in increasing order.
        places: Canonical path of each item within its document; None if items are documents.
    """

    items: pl.DataFrame
    topics: IntArray
    places: pl.Series | None

    @classmethod
    def of(cls, items: pl.DataFrame, topics: tuple[str, ...]) -> JudgementIndex:
        """Builds the index of the judged items of the topics; the topics must be in lexicographic order.

        Raises:
            CollectionError: An item has several judgements.
        """
        names = pl.DataFrame(
            {"topic_id": topics, "topic": np.arange(len(topics), dtype=np.int32)}, schema_overrides={"topic_id": pl.String}
        )
        indexed = items.join(names, on="topic_id", how="inner", maintain_order="left").sort("topic", maintain_order=True)
        places = indexed.select(place(pl.col("path")).alias("place")).to_series() if "path" in items.columns else None
        index = cls(indexed, indexed["topic"].to_numpy().astype(np.int64), places)
        if len(index.documents.pairs) < indexed.height:
            keys = indexed.select("topic", "doc_id", *([] if places is None else [places]))
            twice = keys.filter(keys.is_duplicated())
            if not twice.is_empty():
                topic, *of_item = twice.row(0)
                text = f"expected one judgement of {' '.join(of_item).strip()}, found several"
                raise CollectionError(Problem(text, topic_id=topics[topic]))
        return index

    @cached_property
    def documents(self) -> JudgedDocuments:
        """The judged pairs of document and topic, as a table for looking up results."""
        names, documents = DocumentNames.of(self.items["doc_id"])
        pairs, of_item = np.unique(documents.astype(np.int64) << 32 | self.topics, return_inverse=True)
        firsts = np.searchsorted(pairs, np.arange(len(names)) << 32)
        return JudgedDocuments(names, firsts, pairs, of_item)

    def codes(self, results: pl.DataFrame, names: DocumentNames) -> IndexArray:
        """Returns the index of each result among the judged items; the index of a result that is not judged is the number of items.

        Args:
            results: Table with topic (index among the assessed topics, int32), document, path and start of each result.
            names: The names of the documents of the results.
        """
        found = self.documents.found(results["topic"].to_numpy(), results["document"].to_numpy(), names)
        count, pairs = self.items.height, len(self.documents.pairs)
        if self.places is None or holds_documents_only(results):
            whole = np.arange(count) if self.places is None else np.flatnonzero(self.places == WHOLE)
            of_document = np.full(pairs + 1, count, dtype=np.int32)
            of_document[self.documents.of_item[whole]] = whole
            return of_document.take(found)
        codes = np.full(results.height, count, dtype=np.int32)
        rows = np.flatnonzero(found < pairs)
        # Passages are not elements, so each passage gets a key that no element has.
        parts = results.select("path", "start")[rows].select(pl.when(PASSAGE).then(None).otherwise(place(pl.col("path"))).alias("place"))
        wanted = parts.with_columns(pl.Series("document", found[rows]))
        items = pl.DataFrame([self.places, pl.Series("document", self.documents.of_item), pl.Series("code", np.arange(count))])
        joined = wanted.join(items, on=["document", "place"], how="left", maintain_order="left")["code"]
        codes[rows] = joined.fill_null(count).to_numpy()
        return codes


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class JudgedDocuments:
    """The judged pairs of document and topic.

    Attributes:
        names: Names of the judged documents, each once. D documents.
        firsts: For each document, the index of its first pair, shape (D,).
        pairs: The document and the topic of each pair, encoded as one number, in increasing order. P pairs.
        of_item: Index of the pair (document, topic) of each item.
    """

    names: DocumentNames
    firsts: IntArray
    pairs: IntArray
    of_item: IntArray

    @cached_by_identity
    def first_pairs(self, names: DocumentNames) -> IndexArray:
        """Returns the index of the first pair of the documents with each number; P for a document that is not judged."""
        places = names.places(self.names.names)
        pairs = np.full(len(names) + 1, len(self.pairs), dtype=np.int32)  # the last is that of documents whose names were not kept
        pairs[places[places >= 0]] = self.firsts[places >= 0]
        return pairs

    def found(self, topics: IndexArray, documents: CodeArray, names: DocumentNames) -> IndexArray:
        """Returns the index of the pair (document, topic) of each result; P if the document is not judged for the topic.

        Args:
            topics: Index of the topic of each result.
            documents: Index of the name of each result.
            names: The names of the documents of the results.
        """
        count = len(self.pairs)
        pairs = self.first_pairs(names).take(documents)
        rows = np.flatnonzero(pairs < count)  # most results are judged for no topic
        firsts = self.pairs.take(pairs.take(rows))
        wanted = (firsts >> 32 << 32) | topics.take(rows)
        others = np.flatnonzero(firsts != wanted)
        rows, wanted = rows.take(others), wanted.take(others)
        places = np.searchsorted(self.pairs, wanted)
        pairs[rows] = np.where(self.pairs.take(places, mode="clip") == wanted, places, count)
        return pairs


def holds_documents_only(results: pl.DataFrame) -> bool:
    """Returns whether all results are whole documents, in which case no list contains the same document twice."""
    return results["path"].null_count() == results["start"].null_count() == results.height
