"""Preparations that shorten rankings: to their first results or characters, to one entry point per document, or without the topic itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias, overload

import numpy as np
import polars as pl

from inexmetrics.collection import Assessments, Runs, Structure, extents
from inexmetrics.collection.runs import own_topics
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import plural
from inexmetrics.preparation.base import Preparation, made_or_applied
from inexmetrics.preparation.overlap import in_groups
from inexmetrics.terms import Choice, Integer, required, word

__all__ = ["BestEntry", "DropQuery", "KeepCharacters", "KeepFirst", "best_entry", "drop_query", "keep_characters", "keep_first"]

MOST_CHARACTERS: Final = 10**12
"""Maximum number of characters that can be kept, so that sums of lengths over a ranking are less than 2^63."""


@word("keep_first")
@dataclass(frozen=True, slots=True, repr=False)
class KeepFirst(Preparation):
    """Keeps the first n results for each topic.

    Without runs, as in ``keep_first(n)``, the function returns a preparation that can be applied to runs later. With runs, as in
    ``keep_first(runs, n)``, the function returns the prepared runs.

    Args:
        n: Number of results to keep in the ranking for each topic; a shorter ranking is unchanged.

    Examples:
        >>> from inexmetrics import from_frames, keep_first
        >>> runs = from_frames({"1": {"a": 1}}, {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}).runs
        >>> cut = keep_first(runs, 2)
        >>> cut.results["doc_id"].to_list(), cut.prepared
        (['a', 'b'], ('keep_first(2)',))
    """

    n: int = field(metadata=required(Integer(1)))

    def prepared(self, runs: Runs, structure: Structure | None) -> tuple[Runs, Sequence[Problem]]:
        del structure
        there = runs.lists
        place = np.arange(runs.packed.height) - np.repeat(there.firsts, there.lengths)
        return runs.filtered(place < self.n), ()


@word("drop_query")
@dataclass(frozen=True, slots=True, repr=False)
class DropQuery(Preparation):
    """Drops the results whose document is the topic itself.

    In some test collections, such as ArguAna and Quora, the topics are documents of the collection, with the same identifiers, and every
    run finds them. A warning reports that no result was dropped.

    Examples:
        >>> from inexmetrics import drop_query, from_frames
        >>> runs = drop_query(from_frames({"1": {"a": 1, "1": 0}}, {"1": {"1": 3.0, "a": 2.0}}).runs)
        >>> runs.results["doc_id"].to_list(), runs.prepared
        (['a'], ('drop_query',))
    """

    def prepared(self, runs: Runs, structure: Structure | None) -> tuple[Runs, Sequence[Problem]]:
        del structure
        rows = own_topics(runs)
        if not len(rows):
            return runs, [Problem(f"{self} dropped no result, because no result's document is its topic", severity="warning")]
        kept = np.ones(runs.packed.height, dtype=np.bool_)
        kept[rows] = False
        return runs.filtered(kept), ()


drop_query: Final = DropQuery()


@word("keep_characters")
@dataclass(frozen=True, slots=True, repr=False)
class KeepCharacters(Preparation):
    """Keeps the first n characters for each topic: the text that fits into a prompt, or that a user has time to read.

    Each result counts with its full length, even if it repeats text of earlier results. The result that contains the n-th character is
    truncated after this character, and becomes a passage, because its path would denote more text. Empty results, and all results after the
    n-th character, are dropped.

    The lengths of elements and whole documents are taken from the structure. A result of unknown length raises a `CollectionError`. Without
    runs, as in ``keep_characters(n)``, the function returns a preparation that can be applied to runs later. With runs, as in
    ``keep_characters(runs, n)`` or ``keep_characters(runs, n, structure=...)``, the function returns the prepared runs.

    Args:
        n: Number of characters to keep in the ranking for each topic; a shorter ranking is unchanged.

    Notes:
        * Truncated results: A truncated element becomes a passage, because its path would include the removed text. Results without
          characters are dropped, whatever their rank.

    Examples:
        >>> import polars as pl
        >>> from inexmetrics import from_frames, keep_characters
        >>> found = pl.DataFrame(
        ...     {
        ...         "topic_id": ["1"] * 3,
        ...         "doc_id": ["a", "b", "c"],
        ...         "start": [0, 70, 0],
        ...         "length": [30, 40, 9],
        ...     }
        ... )
        >>> cut = keep_characters(from_frames({"1": {"a": 1}}, found).runs, 50)
        >>> cut.results.select("doc_id", "start", "length").rows()
        [('a', 0, 30), ('b', 70, 20)]
    """

    n: int = field(metadata=required(Integer(1, MOST_CHARACTERS)))

    def prepared(self, runs: Runs, structure: Structure | None) -> tuple[Runs, Sequence[Problem]]:
        places = runs.results.select("start", "length") if structure is None else extents(runs.results, Assessments(), structure)
        lengths = places["length"].fill_null(-1).to_numpy()
        unknown = runs.results.filter(pl.Series(lengths < 0))
        if not unknown.is_empty():
            run_id, topic_id, doc_id, path = unknown.select("run_id", "topic_id", "doc_id", "path").row(0)
            named = f"document {doc_id}" if path is None else f"{path} of document {doc_id}"
            raise CollectionError(
                f"{self}: expected results of known length (passages, or elements and documents of a structure), "
                f"found {plural(unknown.height, 'result')} of unknown length, such as {named} in run {run_id}, topic {topic_id}"
            )
        there = runs.lists
        # Lengths are limited to n characters to keep the sums small; a longer result has the same effect as a result of n characters.
        ends = np.cumsum(np.minimum(lengths, self.n))
        begins = ends - np.minimum(lengths, self.n)
        left = np.clip(self.n - (begins - np.repeat(begins[there.firsts], there.lengths)), 0, lengths)
        cut = pl.lit(pl.Series(left < lengths))
        table = runs.packed.with_columns(
            path=pl.when(~cut).then("path"),
            start=pl.when(cut).then(places["start"]).otherwise("start"),
            length=pl.when(cut).then(pl.Series(left)).otherwise("length"),
        )
        return replace(runs, packed=table).filtered(left > 0), ()


@overload
def keep_first(n: int) -> KeepFirst: ...
@overload
def keep_first(runs: Runs, /, n: int) -> Runs: ...
def keep_first(*arguments: object, **options: object) -> KeepFirst | Runs:
    """Returns prepared runs if runs are given; otherwise returns the preparation `KeepFirst`, which can be applied to runs later."""
    return made_or_applied(KeepFirst, arguments, options)


@overload
def keep_characters(n: int) -> KeepCharacters: ...
@overload
def keep_characters(runs: Runs, /, n: int, *, structure: Structure | None = None) -> Runs: ...
def keep_characters(*arguments: object, **options: object) -> KeepCharacters | Runs:
    """Returns prepared runs if runs are given; otherwise returns the preparation `KeepCharacters`, which can be applied to runs later."""
    return made_or_applied(KeepCharacters, arguments, options)


Entry: TypeAlias = Literal["best", "first"]
LAST: Final = np.iinfo(np.int64).max
"""Offset of a result whose position is unknown: larger than all known offsets."""


@word("best_entry")
@dataclass(frozen=True, slots=True, repr=False)
class BestEntry(Preparation):
    """Keeps one result for each document: the result at which a user should begin to read.

    Documents are ordered by the ranks of their highest-ranked results. Ranks and scores of the remaining results do not change. The Best in
    Context task requires runs with one result per document; ``MAgP(score="bep")`` evaluates them by the distance from the start of each
    result to the best entry point of its document. Without runs, as in ``best_entry("first")``, the function returns a preparation that can
    be applied to runs later. With runs, as in ``best_entry(runs, "first")``, the function returns the prepared runs.

    Args:
        choice: ``"best"`` keeps the highest-ranked result for each document. ``"first"`` keeps the result with the lowest offset; if
            several results have the lowest offset, the highest-ranked of these results is kept. A whole document has offset 0. A result
            whose position is unknown is kept only if there are no other results for the document.

    Raises:
        CollectionError: The choice is ``"first"`` and results have paths, but there is no structure that contains the offsets of elements.

    Source: Cherukuri (2010), section 2.2, on the Best in Context task.

    Examples:
        >>> import polars as pl
        >>> from inexmetrics import best_entry, from_frames
        >>> passages = [("1", "a", 40, 5, 3.0), ("1", "b", 0, 5, 2.0), ("1", "a", 9, 5, 1.0)]
        >>> found = pl.DataFrame(
        ...     passages, schema=["topic_id", "doc_id", "start", "length", "score"], orient="row"
        ... )
        >>> runs = from_frames({"1": {"a": 1}}, found).runs
        >>> best_entry(runs, "best").results.select("doc_id", "start").rows()
        [('a', 40), ('b', 0)]
        >>> best_entry(runs, "first").results.select("doc_id", "start").rows()
        [('a', 9), ('b', 0)]
    """

    choice: Entry = field(metadata=required(Choice(("best", "first"))))

    def prepared(self, runs: Runs, structure: Structure | None) -> tuple[Runs, Sequence[Problem]]:
        rows, sizes = in_groups(runs)
        firsts = np.cumsum(sizes) - sizes
        kept = rows[firsts]
        if self.choice == "first":
            # For each document, the row with the lowest offset is kept; if offsets are equal, the highest-ranked row is kept.
            starts = extents(runs.results, Assessments(), structure)["start"].to_numpy()
            offsets = np.where(starts < 0, LAST, starts)[rows]
            kept = rows[np.lexsort((rows, offsets, np.repeat(np.arange(len(sizes)), sizes)))][firsts]
        in_order = kept[np.argsort(rows[firsts])]
        table = runs.packed.rechunk()[in_order]
        every = np.zeros(runs.packed.height, dtype=np.bool_)
        every[rows[firsts]] = True  # keeps one result for each document in a ranking
        return replace(runs, packed=table, lists=runs.lists.kept(every)), ()


@overload
def best_entry(choice: Entry) -> BestEntry: ...
@overload
def best_entry(runs: Runs, /, choice: Entry, *, structure: Structure | None = None) -> Runs: ...
def best_entry(*arguments: object, **options: object) -> BestEntry | Runs:
    """Returns prepared runs if runs are given; otherwise returns the preparation `BestEntry`, which can be applied to runs later."""
    return made_or_applied(BestEntry, arguments, options)
