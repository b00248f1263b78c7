"""Checks that the results of each document are consecutive in a list and do not overlap."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import polars as pl

from inexmetrics.collection.offsets import UNKNOWN, UNRESOLVED
from inexmetrics.common.arrays import IntArray, changes
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import plural
from inexmetrics.ranking.passages.texts import Texts

__all__ = ["REMOVING", "begins_of", "by_document", "check_apart", "check_grouped", "first_of_lists", "named", "overlaps", "standing_in"]

REMEDY: Final = "group_by_document (--prepare group_by_document) brings them together"
REMOVING: Final = 'remove_overlap("correlation") (--prepare \'remove_overlap("correlation")\') keeps the best of them'

ENDLESS: Final = 1 << 62
"""An offset after the end of every document."""


def begins_of(texts: Texts) -> IntArray:
    """Returns the indices of the results at which a list begins a document."""
    return np.flatnonzero(changes(texts.lists) | changes(texts.documents))


def check_grouped(texts: Texts, begins: IntArray) -> None:
    """Raises `CollectionError` if a list returns to a document after another document.

    Args:
        texts: The results.
        begins: Indices of the results at which a list begins a document.

    Raises:
        CollectionError: A list returns to a document after another document; the error names the first repeated document
            of each list.
    """
    keys = texts.lists[begins] << 32 | texts.documents[begins]
    if pl.Series(keys).n_unique() == len(keys):
        return
    order = np.argsort(keys, kind="stable")
    again = np.flatnonzero(np.diff(keys[order]) == 0) + 1
    before = np.zeros_like(begins)
    before[order[again]] = begins[order[again - 1]]
    found = np.sort(order[again])
    raise CollectionError(
        Problem(
            f"run {run}: expected the results of document {document} one after the other, found results {first} and {rank} apart; "
            + REMEDY,
            topic_id=topic,
            kind=f"expected the results of each document one after the other, found {{count}} lists that return to a document; {REMEDY}",
            detail=f"run {run}: document {document}, results {first} and {rank}",
        )
        for place in first_of_lists(texts, begins[found], found)
        for run, topic, document, rank in [named(texts, int(begins[place]))]
        for *_, first in [named(texts, int(before[place]))]
    )


def check_apart(texts: Texts, begins: IntArray, *, empty_overlap: bool) -> None:
    """Raises `CollectionError` if results of a document overlap; the results of each document must be consecutive.

    Args:
        texts: The results.
        begins: Indices of the results at which a list begins a document.
        empty_overlap: Whether a result without characters overlaps an earlier result that contains it.

    Raises:
        CollectionError: Results overlap; the error names the first two overlapping results of each list.
    """
    counts = np.diff(begins, append=len(texts.lists))
    beside = np.flatnonzero(np.repeat(counts > 1, counts) & (texts.starts != UNRESOLVED))
    if not len(beside):
        return
    of = np.repeat(np.arange(len(begins)), counts)[beside]
    starts, lengths = texts.starts[beside], texts.lengths[beside]
    ends = np.where(lengths == UNKNOWN, ENDLESS, starts + lengths)
    long = np.flatnonzero(ends > starts)
    order = long[by_document(of[long], starts[long])]
    meet = np.flatnonzero((of[order[1:]] == of[order[:-1]]) & (starts[order[1:]] < ends[order[:-1]]))
    pairs = np.stack((order[meet], order[meet + 1]))
    remedy = f"; {REMOVING}"
    if empty_overlap and not len(meet):
        pairs, remedy = standing_in(of, starts, ends, order), ""  # `remove_overlap` keeps results without characters
    if pairs.shape[1]:
        first, second = beside[np.sort(pairs, axis=0)]
        by_rank = np.lexsort((first, second))
        found = first_of_lists(texts, second[by_rank], by_rank)
        raise CollectionError(overlaps(texts, first[found], second[found], remedy))


def by_document(of: IntArray, starts: IntArray) -> IntArray:
    """Returns the order of results by document, then start; the given results are already sorted by document."""
    # The stable sort is by far the fastest if most results are in order. No result starts beyond `LONGEST`, which is 1 << 32.
    return np.argsort(of << 33 | starts, kind="stable")


def standing_in(of: IntArray, starts: IntArray, ends: IntArray, order: IntArray) -> IntArray:
    """Returns pairs of an earlier result and an empty result inside it, shape (2, pairs); `order` contains the non-empty results."""
    empty = np.flatnonzero(ends == starts)
    if not len(empty):
        return np.stack((empty, empty))
    both = np.concatenate((order, empty))
    # Among results that start at or before this offset, only the last can contain the offset. Results without characters are sorted after
    # results with characters that have the same start.
    by_place = np.lexsort((ends[both] == starts[both], starts[both], of[both]))
    sorted_ = both[by_place]
    last = np.maximum.accumulate(np.where(ends[sorted_] > starts[sorted_], np.arange(len(sorted_)), 0))
    holder = sorted_[last]
    held = (ends[sorted_] == starts[sorted_]) & (of[holder] == of[sorted_]) & (ends[holder] > starts[sorted_]) & (holder < sorted_)
    return np.stack((holder[held], sorted_[held]))


def overlaps(texts: Texts, first: IntArray, second: IntArray, remedy: str) -> Iterator[Problem]:
    """Describes pairs of overlapping results, given by their indices, and the remedy."""
    for one, other in zip(first.tolist(), second.tolist(), strict=True):
        run, topic, document, rank = named(texts, other)
        yield Problem(
            f"run {run}: expected results of document {document} that do not overlap, found result {named(texts, one)[-1]}, "
            f"{_extent(texts, one)}, and result {rank}, {_extent(texts, other)}{remedy}",
            topic_id=topic,
            kind=f"expected results of a document that do not overlap, found {{count}} lists with overlapping results{remedy}",
            detail=f"run {run}: document {document}, results {named(texts, one)[-1]} and {rank}",
        )


def _extent(texts: Texts, result: int) -> str:
    """Describes the extent of a result for an error message."""
    start, length = int(texts.starts[result]), int(texts.lengths[result])
    return "the whole document" if length == UNKNOWN else f"{plural(length, 'character')} from {start} on"


def first_of_lists(texts: Texts, results: IntArray, values: IntArray) -> list[int]:
    """Returns, for each list, the value of the first of the given results in the list; the given results are ordered by list."""
    firsts: list[int] = values[changes(texts.lists[results])].tolist()
    return firsts


def named(texts: Texts, result: int) -> tuple[str, str, str, int]:
    """Returns the run, topic and document of a result, and its rank in the list, from 1."""
    row = texts.results.row(result, named=True)
    rank = result - int(np.searchsorted(texts.lists, texts.lists[result])) + 1
    return str(row["run_id"]), str(row["topic_id"]), str(row["doc_id"]), rank
