"""An index of documents, with the frequency of each term in each leaf, and the range of leaves of each element and document.

A leaf is an element that has text and does not have child elements. Each maximal stretch of text directly in an element with children is
also a leaf. Leaves that are not elements are counted but never returned. Text without any terms is not a leaf, so white space
between tags does not affect the index. The leaves of a document are in document order, so the leaves of an element are consecutive, and an
element is stored as a range of leaves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from inexmetrics.common.arrays import IndexArray, IntArray
from inexmetrics.common.frozen import Frozen
from inexmetrics.common.messages import plural
from inexmetrics.retrieval.analysis import WORD, Analysis

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["DOCUMENTS", "ELEMENTS", "Index", "IndexBuilder", "sparse"]

BATCH: Final = 1 << 20
"""Number of words in a batch; the terms of a batch are counted together."""

PLACE: Final[dict[str, pl.DataType]] = {"path": pl.String(), "start": pl.Int64(), "length": pl.Int64()}
LEAVES: Final[dict[str, pl.DataType]] = {"first": pl.Int64(), "last": pl.Int64()}
DOCUMENTS: Final[dict[str, pl.DataType]] = {
    "doc_id": pl.String(),
    **PLACE,
    **LEAVES,
    "first_element": pl.Int64(),
    "last_element": pl.Int64(),
}
"""Schema with one row per document: the root (null for a plain text), and the half-open ranges of the document's leaves and elements."""
ELEMENTS: Final[dict[str, pl.DataType]] = {"document": pl.Int64(), **PLACE, **LEAVES, "is_leaf": pl.Boolean()}
"""Schema with one row per element or chunk: row of the document, path, offset, length, range of leaves, and whether it is a leaf."""


@dataclass(frozen=True, slots=True, eq=False)
class Index(Frozen):
    """The indexed documents. D, E, L and V are the numbers of documents, elements, leaves and terms.

    Attributes:
        documents: One row for each document (`DOCUMENTS`), in the order of reading.
        elements: One row for each element (`ELEMENTS`), by document, in document order.
        leaves: The frequency of each term in each leaf, shape (L, V).
        columns: The column of each term in `leaves`.
        analysis: The analysis of texts into terms.
    """

    documents: pl.DataFrame
    elements: pl.DataFrame
    leaves: csr_array[np.int32]
    columns: Mapping[str, int]
    analysis: Analysis

    def __repr__(self) -> str:
        counts = (
            plural(self.documents.height, "document"),
            plural(self.elements.height, "element"),
            plural(self.leaves.shape[0], "leaf", nouns="leaves"),
            plural(len(self.columns), "term"),
        )
        return f"Index({', '.join(counts)})"


class _Columns(dict[str, int]):
    """Maps each word of the texts to the column of the word's term, or to -1 for a stop word. Each distinct word is analysed only once."""

    def __init__(self, analysis: Analysis) -> None:
        super().__init__()
        self.terms: dict[str, int] = {}
        self._analysis = analysis

    def __missing__(self, word: str) -> int:
        term = self._analysis.term(word)
        column = self.terms.setdefault(term, len(self.terms)) if term else -1
        self[word] = column
        return column


class IndexBuilder:
    """Builds an index document by document, and keeps only the frequencies of terms, not the texts."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._columns = _Columns(analysis)
        self._leaves = 0
        self._elements = 0
        # Words read since the last batch: the column of each word's term, and the number of words in each leaf.
        self._words: list[int] = []
        self._sizes: list[int] = []
        self._batches: tuple[list[IndexArray], list[IndexArray], list[IndexArray]] = ([], [], [])
        self._documents: list[tuple[object, ...]] = []
        self._rows: dict[str, list[object]] = {name: [] for name in ELEMENTS}
        self._frames: list[pl.DataFrame] = []

    def add(
        self,
        doc_id: str,
        texts: Sequence[str],
        elements: Mapping[str, Sequence[object]],
        ranges: tuple[Sequence[int], Sequence[int]],
        root: tuple[str | None, int | None, int | None] = (None, None, None),
    ) -> None:
        """Adds a document, given its text nodes in document order.

        Args:
            doc_id: The name of the document.
            texts: The text nodes.
            elements: Paths, starts and lengths of the document's elements, and whether each element is a leaf.
            ranges: Number of the first text node in each element, and of the first text node after each element.
            root: Path, start and length of the whole document.
        """
        leaves = [self._leaves]
        for text in texts:
            words = [column for column in map(self._columns.__getitem__, WORD.findall(text)) if column >= 0]
            if words:
                self._words += words
                self._sizes.append(len(words))
                self._leaves += 1
            leaves.append(self._leaves)
        firsts, lasts = ([leaves[stretch] for stretch in side] for side in ranges)
        number, first_element = len(self._documents), self._elements
        self._elements += len(firsts)
        self._documents.append((doc_id, *root, leaves[0], self._leaves, first_element, self._elements))
        for name, values in {"document": [number] * len(firsts), **elements, "first": firsts, "last": lasts}.items():
            self._rows[name] += values
        if len(self._words) >= BATCH:
            self._count()

    def _count(self) -> None:
        """Counts the terms of each leaf that was read since the last batch."""
        ends = np.cumsum([0, *self._sizes], dtype=np.int32)
        words = np.array(self._words, dtype=np.int32)
        counts = sparse(np.ones_like(words), words, ends, len(self._columns.terms))
        counts.sum_duplicates()
        for batches, batch in zip(self._batches, (counts.data, counts.indices, np.diff(counts.indptr)), strict=True):
            batches.append(batch)
        self._frames.append(pl.DataFrame(self._rows, schema=ELEMENTS))
        self._words, self._sizes, self._rows = [], [], {name: [] for name in ELEMENTS}

    def index(self) -> Index:
        """Returns the index of all documents that were added."""
        self._count()
        joined: list[IndexArray] = []
        for batches in self._batches:
            joined.append(np.concatenate(batches))
            batches.clear()  # frees the batches, so that memory does not contain two copies of the index
        counts, terms, sizes = joined
        leaves = sparse(counts, terms, np.append(0, np.cumsum(sizes, dtype=np.int64)), len(self._columns.terms))
        documents = pl.DataFrame(self._documents, schema=DOCUMENTS, orient="row")
        return Index(documents, pl.concat(self._frames), leaves, self._columns.terms, self._analysis)


def sparse(values: IndexArray, columns: IndexArray | IntArray, ends: IndexArray | IntArray, width: int) -> csr_array[np.int32]:
    """Returns the sparse matrix whose row r contains the values at indices ``ends[r]`` to ``ends[r + 1] - 1`` in the given columns."""
    from scipy.sparse import csr_array

    return csr_array((values, columns, ends), shape=(len(ends) - 1, width))
