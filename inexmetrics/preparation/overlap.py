"""Removal of overlap, so that no text is in two results of a ranking, and grouping of results by document.

Each of the N intervals is on one of several number lines, such as the texts of different documents. Lines are numbered from 0. The
beginning of an interval is at least 0, and its end is greater than its beginning. Two intervals on the same line overlap if each begins
before the other ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias, TypedDict, Unpack, cast, get_args, overload

import numpy as np
import polars as pl

from inexmetrics.collection import Assessments, Runs, Structure, extents
from inexmetrics.collection.structure import UNKNOWN, UNRESOLVED
from inexmetrics.common.arrays import BoolArray, IntArray, changes
from inexmetrics.common.elements import WHOLE, place
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import plural
from inexmetrics.preparation.base import Preparation, made_or_applied
from inexmetrics.terms import Choice, parameter, required, word

__all__ = [
    "GroupByDocument",
    "GroupOrder",
    "RemoveOverlap",
    "Strategy",
    "containing",
    "greedy_disjoint",
    "group_by_document",
    "in_groups",
    "list_numbers",
    "remove_overlap",
]

LARGEST: Final = 2**62
"""Upper bound for integers that encode a pair of numbers."""


def containing(lines: IntArray, begins: IntArray, ends: IntArray) -> BoolArray:
    """Returns whether each interval contains a different interval on the same line, shape (N,).

    Examples:
        >>> line = np.zeros(4, dtype=np.int64)
        >>> containing(line, np.array([0, 2, 2, 5]), np.array([6, 4, 4, 9])).tolist()
        [True, False, False, False]
    """
    begins, ends, width = _narrow(lines, begins, ends)
    starts = lines * width + begins
    if (int(starts.max(initial=0)) + 1) * (width + 1) < LARGEST:
        # Each integer encodes the start and the end of an interval. If starts are equal, larger ends are sorted first. Sorting these
        # integers is faster than sorting by two arrays.
        order = np.argsort(starts * (width + 1) + (width - ends))
    else:
        order = np.lexsort((-ends, starts))
    line, begin, end = lines[order], begins[order], ends[order]
    # The sort order places every interval before the intervals inside it. Only the last of several equal intervals is kept.
    differs = (line[1:] != line[:-1]) | (begin[1:] != begin[:-1]) | (end[1:] != end[:-1])
    last = np.flatnonzero(np.append(differs, len(order) > 0))
    line, end = line[last], end[last]
    # The running minimum is computed from the last line to the first. Every position on a line is lower than all positions on later lines,
    # so later lines cannot change the running minimum.
    least = np.minimum.accumulate((end + line * width)[::-1])[::-1]
    contains = np.zeros(len(last), dtype=np.bool_)
    contains[:-1] = least[1:] <= end[:-1] + line[:-1] * width
    result = np.empty(len(order), dtype=np.bool_)
    result[order] = np.repeat(contains, np.diff(last, prepend=-1))
    return result


def greedy_disjoint(lines: IntArray, begins: IntArray, ends: IntArray, priorities: IntArray) -> BoolArray:
    """Greedily selects intervals without overlap in order of priority; returns a mask of the selected intervals, shape (N,).

    All lines are processed together. In every chain of overlapping intervals, the interval with the lowest priority number is selected, and
    the intervals that overlap this interval are dropped. The remaining intervals of the chain form shorter chains, which are processed in
    the same way.

    Args:
        lines: Index of the number line that contains each interval.
        begins: Beginning of each interval.
        ends: End of each interval.
        priorities: Rank of each interval in the order of selection. The intervals on one number line have different ranks.

    Examples:
        >>> line = np.zeros(3, dtype=np.int64)
        >>> greedy_disjoint(line, np.array([0, 3, 6]), np.array([4, 7, 9]), np.array([1, 2, 0])).tolist()
        [True, False, True]
    """
    kept = np.zeros(len(lines), dtype=np.bool_)
    begins, ends, width = _narrow(lines, begins, ends)
    # All lines are concatenated into a single line.
    begins, ends = begins + lines * width, ends + lines * width
    left = np.argsort(begins)
    begins, ends, priorities = begins[left], ends[left], priorities[left]
    while len(left):
        reached = np.maximum.accumulate(ends)
        firsts = np.flatnonzero(np.append(True, begins[1:] >= reached[:-1]))
        sizes = np.diff(firsts, append=len(left))
        best = np.flatnonzero(priorities == np.repeat(np.minimum.reduceat(priorities, firsts), sizes))
        kept[left[best]] = True
        apart = (begins >= np.repeat(ends[best], sizes)) | (ends <= np.repeat(begins[best], sizes))
        left, begins, ends, priorities = left[apart], begins[apart], ends[apart], priorities[apart]
    return kept


def _narrow(lines: IntArray, begins: IntArray, ends: IntArray) -> tuple[IntArray, IntArray, int]:
    """Returns the beginnings and ends of the intervals, and an upper bound of all ends, which is used as the length of each line.

    If positions on the concatenated number lines could exceed `LARGEST`, each beginning and end is replaced by its rank among all
    beginnings and ends.
    """
    width = int(ends.max(initial=0)) + 1
    if (int(lines.max(initial=0)) + 1) * width < LARGEST:
        return begins, ends, width
    ranks = np.asarray(np.unique(np.concatenate((begins, ends)), return_inverse=True)[1], dtype=np.int64)
    return ranks[: len(begins)], ranks[len(begins) :], int(ranks.max()) + 1


GroupOrder: TypeAlias = Literal["rank", "document"]


class GroupParameters(TypedDict, total=False):
    """Parameters of `group_by_document`."""

    order: GroupOrder


@word("group_by_document")
@dataclass(frozen=True, slots=True, repr=False)
class GroupByDocument(Preparation):
    """Groups the results of each ranking by document, as in-context measures require.

    The documents in a ranking are ordered by their first results. With ``order="rank"``, the results for a document remain in their original
    order. With ``order="document"``, they are in document order, as in INEX's task Relevant in Context: by increasing offset, and an element
    before the elements that it contains. MAgP and gP are the same under both orders, but iP and MAiP are not. Ranks and scores do not change.
    ``group_by_document(runs)`` and ``group_by_document(runs, order="document")`` return the prepared runs.

    Args:
        order: The order of the results for one document: "rank" or "document". Document order needs the offsets of the results, or a structure
            in which their paths are looked up. Results that the structure lacks are placed after the other results for their document, with a
            warning.

    Raises:
        CollectionError: A document has several results, one of which has a path without an offset, and there is no structure.

    Source: Pehcevski & Thom (2007), section 1; Cherukuri (2010), section 2.2.

    Examples:
        >>> import polars as pl
        >>> from inexmetrics import from_frames, group_by_document
        >>> passages = [("1", "a", 9, 5, 3.0), ("1", "b", 0, 5, 2.0), ("1", "a", 0, 5, 1.0)]
        >>> found = pl.DataFrame(
        ...     passages, schema=["topic_id", "doc_id", "start", "length", "score"], orient="row"
        ... )
        >>> ranked = from_frames({"1": {"a": 1}}, found).runs
        >>> runs = group_by_document(ranked)
        >>> runs.results["doc_id"].to_list(), runs.results["start"].to_list(), runs.prepared
        (['a', 'a', 'b'], [9, 0, 0], ('group_by_document',))
        >>> runs = group_by_document(ranked, order="document")
        >>> runs.results["start"].to_list(), runs.prepared
        ([0, 9, 0], ('group_by_document(order="document")',))
    """

    order: GroupOrder = parameter("rank", Choice(get_args(GroupOrder)))

    @overload
    def __call__(self, runs: Runs, *, structure: Structure | None = None, **changes: Unpack[GroupParameters]) -> Runs: ...
    @overload
    def __call__(self, **changes: Unpack[GroupParameters]) -> GroupByDocument: ...
    def __call__(
        self, runs: Runs | None = None, *, structure: Structure | None = None, **changes: Unpack[GroupParameters]
    ) -> Runs | GroupByDocument:
        """Returns the prepared runs; without runs, returns the preparation with another order."""
        changed = self._changed(changes)
        return changed if runs is None and structure is None else Preparation.__call__(changed, cast("Runs", runs), structure=structure)

    def prepared(self, runs: Runs, structure: Structure | None) -> tuple[Runs, Sequence[Problem]]:
        rows, sizes = in_groups(runs)
        met = np.empty(len(rows), dtype=np.int64)
        met[rows] = np.repeat(rows[np.cumsum(sizes) - sizes], sizes)
        order, warnings = np.argsort(met, kind="stable"), []
        if self.order == "document":
            several = np.flatnonzero(np.repeat(sizes > 1, sizes))
            begins, ends, lost = self._places(runs, rows[several], structure)
            within = np.zeros((2, len(rows)), dtype=np.int64)
            within[:, rows[several]] = begins, -ends
            order = np.lexsort((within[1], within[0], met))
            if lost:
                text = f"{self} found {plural(lost, 'element')} that the structure lacks, and placed each after the other results for its document"
                warnings.append(Problem(text, severity="warning"))
        if (order[1:] > order[:-1]).all():
            return runs, warnings
        return replace(runs, packed=runs.packed.rechunk()[order]), warnings

    def _places(self, runs: Runs, rows: IntArray, structure: Structure | None) -> tuple[IntArray, IntArray, int]:
        """Returns the beginning and the end of each given result in its document, and the number of results that were not found."""
        results = runs.results[rows]
        unplaced = results.filter(pl.col("start").is_null() & (place(pl.col("path")) != WHOLE))
        if structure is None and not unplaced.is_empty():
            run_id, topic_id, doc_id, path = unplaced.select("run_id", "topic_id", "doc_id", "path").row(0)
            raise CollectionError(
                f"{self}: expected offsets or a structure, found {plural(unplaced.height, 'element')} without an offset, such as {path} of "
                f"document {doc_id} in run {run_id}, topic {topic_id}; --structure names a structure"
            )
        placed = extents(results.select("doc_id", "path", "start", "length"), Assessments(), structure)
        begins, lengths = placed["start"].to_numpy(), placed["length"].to_numpy()
        lost, whole = begins == UNRESOLVED, lengths == UNKNOWN
        ends = np.where(whole, LARGEST, begins + lengths)
        return np.where(lost, LARGEST, begins), np.where(lost, LARGEST, ends), int(lost.sum())


group_by_document: Final = GroupByDocument()


def in_groups(runs: Runs) -> tuple[IntArray, IntArray]:
    """Returns the row numbers of results, and the number of results in each group.

    A group contains the results for one document in one ranking. The row numbers, shape (N,), are sorted by ranking, then document, then
    row number.
    """
    documents = runs.packed["document"].to_numpy().astype(np.int64)
    groups = list_numbers(runs) * (int(documents.max(initial=0)) + 1) + documents
    count = len(groups)
    if (int(groups.max(initial=0)) + 1) * count < 2**62:
        # Sorting integers that encode both group and row is several times as fast as sorting the rows by group.
        packed = np.sort(groups * count + np.arange(count))
        rows = packed % max(count, 1)
    else:
        rows = np.argsort(groups, kind="stable")
    firsts = np.flatnonzero(changes(groups[rows]))
    return rows, np.diff(firsts, append=count)


def list_numbers(runs: Runs) -> IntArray:
    """Returns the index of the ranking of each result, shape (N,)."""
    lengths = runs.lists.lengths
    return np.repeat(np.arange(len(lengths)), lengths)


Strategy: TypeAlias = Literal["child", "section", "correlation"]
ARTICLE: Final = r"/(article|bdy|body)(\[[0-9]+\])?$"
"""Matches paths that end in an article or its body."""


@word("remove_overlap")
@dataclass(frozen=True, slots=True, repr=False)
class RemoveOverlap(Preparation):
    """Selects, for each topic, results that do not overlap each other, and keeps the selected results in their original order.

    * ``"correlation"``: selects results by decreasing score, with ties in ranking order, and keeps each result that does not overlap an
        already selected result. If any result of a ranking lacks a score, results are selected in ranking order.
    * ``"section"``: first drops the results whose path ends in the article or its body (``article``, ``bdy``, ``body``), then selects as
        ``"correlation"`` does.
    * ``"child"``: first drops the results that contain another result. The remaining results can still overlap partially or be identical
        passages, so the strategy then selects among them as ``"correlation"`` does.

    Two elements overlap if the path of one is a prefix of the path of the other. Two passages overlap if they share a character. A whole
    document overlaps all results in the document. A result that is empty or has an unknown position does not overlap any result. If a
    document has both elements and passages as results, or has ranges between two elements, overlap is determined from the offsets in the
    structure. Without a structure, these results raise a `CollectionError`.

    A `CollectionWarning` reports the number of dropped results. Without runs, as in ``remove_overlap(strategy)``, the function returns a
    preparation that can be applied to runs later. With runs, as in ``remove_overlap(runs, strategy)`` or ``remove_overlap(runs, strategy,
    structure=...)``, the function returns the prepared runs.

    Args:
        strategy: Rule that selects results: "correlation", "section" or "child".

    Notes:
        * Whole documents: ``"section"`` drops results whose path is that of an article, but keeps whole documents that are returned
          without a path.
        * Ranks and scores: Results keep the ranks and scores from their file, even if their order changes.

    Source: Cherukuri (2010), section 3.4.

    Examples:
        >>> import polars as pl
        >>> from inexmetrics import from_frames, remove_overlap
        >>> found = pl.DataFrame(
        ...     {"topic_id": ["1"] * 3, "doc_id": ["d"] * 3, "start": [0, 4, 9], "length": [9, 2, 5]}
        ... )
        >>> runs = from_frames({"1": {"d": 1}}, found).runs
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")  # one result is dropped
        ...     for strategy in ("child", "correlation"):
        ...         print(remove_overlap(runs, strategy).results["start"].to_list())
        [4, 9]
        [0, 9]
    """

    strategy: Strategy = field(metadata=required(Choice(get_args(Strategy))))

    def prepared(self, runs: Runs, structure: Structure | None) -> tuple[Runs, Sequence[Problem]]:
        results = runs.results
        kept = np.ones(results.height, dtype=np.bool_)
        if self.strategy == "section":
            kept = ~results.select(pl.col("path").str.contains(ARTICLE) & ~_is_range()).to_series().fill_null(False).to_numpy()
        rows, sizes = in_groups(runs)
        several = np.repeat(sizes > 1, sizes)
        rows, lines = rows[several], np.repeat(np.arange(len(sizes)), sizes)[several]
        rows, lines = rows[kept[rows]], lines[kept[rows]]
        begins, ends, lost = _stretches(results, rows, lines, structure)
        # Empty results do not overlap any result.
        left = np.flatnonzero(ends > begins)
        if self.strategy == "child":
            outer = containing(lines[left], begins[left], ends[left])
            kept[rows[left[outer]]] = False
            left = left[~outer]
        kept[rows[left]] = greedy_disjoint(lines[left], begins[left], ends[left], _priorities(runs, rows[left]))
        warnings = []
        if self.strategy == "section" and results.height and results["path"].null_count() == results.height:
            warnings.append(f"{self} found no paths, and selects as {type(self)('correlation')} does")
        dropped = pl.Series(~kept)
        if dropped.any():
            of_runs = plural(results["run_id"].filter(dropped).n_unique(), "run")
            warnings.append(f"{self} dropped {dropped.sum()} of {plural(results.height, 'result')}, in {of_runs}")
        if lost:
            warnings.append(
                f"{self} found {plural(lost, 'element')} that the structure lacks, and treated each as not overlapping any result"
            )
        return runs.filtered(kept), [Problem(text, severity="warning") for text in warnings]


@overload
def remove_overlap(strategy: Strategy) -> RemoveOverlap: ...
@overload
def remove_overlap(runs: Runs, /, strategy: Strategy, *, structure: Structure | None = None) -> Runs: ...
def remove_overlap(*arguments: object, **options: object) -> RemoveOverlap | Runs:
    """Returns prepared runs if runs are given; otherwise returns the preparation `RemoveOverlap`, which can be applied to runs later."""
    return made_or_applied(RemoveOverlap, arguments, options)


def _priorities(runs: Runs, rows: IntArray) -> IntArray:
    """Returns the rank of each given row by decreasing score; rows with equal scores are ordered as in the ranking."""
    scores = runs.scored(runs.packed)["score"]
    values = scores.fill_null(0.0).to_numpy()[rows]
    if scores.null_count():
        of_list = list_numbers(runs)
        unscored = np.bincount(of_list[scores.is_null().to_numpy()], minlength=int(of_list[-1]) + 1) > 0
        values = np.where(unscored[of_list[rows]], 0.0, values)
    places = np.empty(len(rows), dtype=np.int64)
    places[np.lexsort((rows, -values))] = np.arange(len(rows))
    return places


def _is_range() -> pl.Expr:
    """Returns whether a result is a range between two paths."""
    return pl.col("path").str.contains(" ", literal=True)


def _stretches(results: pl.DataFrame, rows: IntArray, lines: IntArray, structure: Structure | None) -> tuple[IntArray, IntArray, int]:
    """Returns the beginning and the end of each given result in its document, and the number of elements that were not found.

    If all results for a document are elements, their positions are computed from their paths; otherwise, from character offsets. A result
    without a position begins and ends at 0.
    """
    results = results[rows]
    begins, ends = np.zeros(len(lines), dtype=np.int64), np.zeros(len(lines), dtype=np.int64)
    passage = (results["start"] >= 0).fill_null(False).to_numpy()
    begins[passage] = results["start"].filter(pl.Series(passage)).to_numpy()
    ends[passage] = begins[passage] + results["length"].filter(pl.Series(passage)).to_numpy()
    if passage.all():
        return begins, ends, 0
    unplaced = results["start"].is_null().to_numpy()
    whole = unplaced & (results.select(place(pl.col("path"))).to_series() == WHOLE).to_numpy()
    is_range = unplaced & results.select(_is_range().fill_null(False)).to_series().to_numpy()
    by_characters = np.bincount(lines[passage | is_range], minlength=int(lines.max(initial=-1)) + 1) > 0
    by_path = np.flatnonzero(unplaced & ~whole & ~by_characters[lines])
    begins[by_path], ends[by_path] = _path_lines(results["path"].gather(by_path))
    looked_up = np.flatnonzero(unplaced & ~whole & by_characters[lines])
    if structure is None and len(looked_up):
        elements = results[looked_up[np.argsort(rows[looked_up])]]
        run_id, topic_id, doc_id, path = elements.select("run_id", "topic_id", "doc_id", "path").row(0)
        raise CollectionError(
            f"remove_overlap: expected a structure with the offsets of {plural(elements.height, 'element')}, found none; offsets are needed to compare "
            f"elements with passages or ranges of the same document, such as {path} of document {doc_id} in run {run_id}, topic {topic_id}"
        )
    placed = extents(results[looked_up].select("doc_id", "path", "start", "length"), Assessments(), structure)
    found = (placed["start"] != UNRESOLVED).to_numpy()
    begins[looked_up[found]] = placed["start"].to_numpy()[found]
    ends[looked_up[found]] = (placed["start"] + placed["length"]).to_numpy()[found]
    ends[whole] = int(ends.max(initial=0)) + 1
    return begins, ends, int((~found).sum())


def _path_lines(paths: pl.Series) -> tuple[IntArray, IntArray]:
    """Returns the beginning and the end of an integer range for the element of each path.

    If one element contains another element, its range contains the range of the other element. Otherwise, the two ranges are disjoint.
    """
    # Two strings are derived from each path. In lexicographic order, the strings of all descendants of an element are between the two
    # strings of the element.
    codes = paths.cast(pl.Enum(paths.unique().sort()))
    named = codes.dtype.categories if isinstance(codes.dtype, pl.Enum) else paths
    marks = pl.concat([named + "/", named + "0"])
    ranks = np.empty(len(marks), dtype=np.int64)
    ranks[marks.arg_sort().to_numpy()] = np.arange(len(marks))
    code = codes.to_physical().to_numpy()
    return ranks[: len(named)][code], ranks[len(named) :][code]
