"""An index of documents, with the frequency of each term in each leaf, and the range of leaves of each element and document.

Texts are analysed into terms: words are casefolded, stop words are removed, and the remaining words are stemmed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import polars as pl

from inexmetrics.common.arrays import IndexArray, IntArray
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.frozen import Frozen
from inexmetrics.common.messages import describe, did_you_mean, install_command, plural, with_hint
from inexmetrics.reading.files import content, shown_path, text_of
from inexmetrics.terms.parameter_types import Texts, argument

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["DOCUMENTS", "ELEMENTS", "Analysis", "Index", "IndexBuilder", "Stemmer", "StopWords", "analysis_of", "sparse"]

Stemmer: TypeAlias = str | Callable[[str], str]
"""Type of a stemmer: the name of a Snowball stemming algorithm, or a function from terms to terms."""
StopWords: TypeAlias = str | os.PathLike[str] | Iterable[str]
"""Type of stop words: the path of a file of stop words, or the words themselves."""

WORD: Final = re.compile(r"[^\W_]+")
"""Matches a word, which is a maximal run of Unicode letters and digits."""
COMMENT: Final = re.compile(r"^[^\S\n]*#.*|\|.*", re.MULTILINE)
"""Matches comments in files of stop words: lines that begin with #, and text after | as in Snowball's lists."""


@dataclass(frozen=True, slots=True, eq=False)
class Analysis(Frozen):
    """Analyser that splits a text into terms: casefolds words (maximal runs of letters and digits), removes stop words, and stems the rest.

    Attributes:
        stop_words: The stop words, which are removed.
        stem: The stemming function; None leaves terms unchanged.
        suffix: Suffix that is appended to the names of runs, such as ``-stop-english``; empty if neither stop words nor a stemmer are used.
        description: Description of the analysis; empty if neither stop words nor a stemmer are used.

    Examples:
        >>> Analysis().terms("Bees & wasps: 3 co-operating HIVES")
        ['bees', 'wasps', '3', 'co', 'operating', 'hives']
        >>> Analysis(frozenset({"and"}), lambda term: term.removesuffix("s")).terms("Bees and wasps")
        ['bee', 'wasp']
    """

    stop_words: frozenset[str] = frozenset()
    stem: Callable[[str], str] | None = None
    suffix: str = ""
    description: str = ""

    def term(self, word: str) -> str:
        """Returns the term for a word of a text, or an empty string for a stop word."""
        folded = word.casefold()
        if folded in self.stop_words:
            return ""
        return folded if self.stem is None else self.stem(folded)

    def terms(self, text: str) -> list[str]:
        """Returns the terms of a text in the order of their occurrence."""
        return [term for term in map(self.term, WORD.findall(text)) if term]


def analysis_of(stop_words: StopWords, stemmer: Stemmer | None) -> Analysis:
    """Returns the analysis with stop words from a file or an iterable, and a stemmer given by name or as a function.

    A file of stop words is text in UTF-8. The character ``#`` begins a comment line, and ``|`` begins a comment at the end of a line, as in
    Snowball's lists. Stop words are split and casefolded in the same way as texts, so that ``don't`` becomes ``don`` and ``t``. Raises
    `CollectionError` if a file cannot be read, a stemmer is unknown, or an argument has the wrong type.
    """
    named = ""
    if isinstance(stop_words, str | os.PathLike):
        path = Path(stop_words)
        named = f" from {shown_path(path)}"
        words: tuple[str, ...] = (COMMENT.sub("", text_of(content(path), shown_path(path))),)
    else:
        words = argument("stop_words", Texts("words, or a file of words"), stop_words)
    stops = frozenset(Analysis().terms(" ".join(words)))
    suffix, description = "", []
    if stops:
        suffix += "-stop"
        description.append(f"{plural(len(stops), 'stop word')}{named} removed")
    stem, algorithm = _stemming(stemmer)
    if stem is not None:
        suffix += f"-{algorithm}"
        description.append(f"terms stemmed by {algorithm}")
    return Analysis(stops, stem, suffix, ", ".join(description))


def _stemming(stemmer: Stemmer | None) -> tuple[Callable[[str], str] | None, str]:
    """Returns the stemming function and the stemmer's name."""
    if stemmer is None:
        return None, ""
    if not isinstance(stemmer, str):
        if not callable(stemmer):
            raise CollectionError(f"stemmer: expected a name or a function from terms to terms, found {describe(stemmer)}")
        return stemmer, re.sub(r"\W+", "", getattr(stemmer, "__name__", "")) or "stemmed"
    try:
        import snowballstemmer
    except ImportError:
        raise CollectionError(
            f"stemmer: a stemmer that is given by its name needs the package snowballstemmer; {install_command('stem')}"
        ) from None
    known = sorted(snowballstemmer.algorithms())
    if stemmer not in known:
        message = f"stemmer: expected one of {', '.join(known)}, found {describe(stemmer)}"
        raise CollectionError(with_hint(message, did_you_mean(stemmer, known)))
    return snowballstemmer.stemmer(stemmer).stemWord, stemmer


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
        columns: Maps each term to its column number in `leaves`.
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
        # Words read since the last batch: the column number of each word's term, and the number of words in each leaf.
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
            ranges: Index of the first text node in each element, and of the first text node after the element.
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
        """Counts the terms of the leaves that were read since the last batch."""
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
