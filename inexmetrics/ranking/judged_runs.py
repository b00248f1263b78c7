"""Batches of runs, joined with the judged items; the views of a batch that measures use are cached."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Final, Literal, TypeAlias, TypeVar

import numpy as np
import polars as pl

from inexmetrics.collection import Collection, Lists, extents
from inexmetrics.collection.document_names import DocumentNames
from inexmetrics.collection.runs import numbered
from inexmetrics.collection.schemas import PASSAGE, RESULTS
from inexmetrics.collection.structure import UNRESOLVED, no_structure
from inexmetrics.common.arrays import BoolArray, FloatArray, IndexArray, IntArray
from inexmetrics.common.disk import release
from inexmetrics.common.elements import WHOLE, place
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import plural
from inexmetrics.common.options import RunOptions
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.ranking.focused import Seen, credited_gains
from inexmetrics.ranking.gains import CodedLists, GainMatrix, JudgedResults, RankedLists
from inexmetrics.ranking.index import JudgementIndex, ListLayout, holds_documents_only
from inexmetrics.ranking.passages.contexts import Contexts
from inexmetrics.ranking.passages.texts import Texts
from inexmetrics.ranking.recall_base import Gains, Ideal, JudgedItems, ReadsJudgements
from inexmetrics.ranking.retrieved import Evidence, documents_shown, passages_shown

__all__ = ["JudgedRuns", "Unit", "batches", "lists_without_names"]

K = TypeVar("K")
V = TypeVar("V")

Unit: TypeAlias = Literal["results", "evidence", "documents", "text"]
"""The ranked items: elements, results that count as one unit each, documents at their first occurrence, or documents with their text."""

PART: Final = ("path", "start", "length")
"""Columns that identify which part of a document was retrieved."""
VIEWS: Final = 4
"""Maximum number of cached views of a batch."""
NO_RESULTS: Final = pl.DataFrame(schema=RESULTS)
NO_NAMES: Final = DocumentNames(pl.Series("doc_id", dtype=pl.String))
HERE: Final = RunOptions()
"""Default options: computations run in this process."""


class JudgedRuns:
    """One batch of runs joined with the assessments; its views are computed on first use.

    Attributes:
        assessed: The judged items.
        runs: Names of the runs of the batch, in lexicographic order. R runs.
        topics: Identifiers of the assessed topics of the batch, in lexicographic order. T topics.
        first_run: Index of the batch's first run among all runs.
        topic_span: The slice of all assessed topics that the batch covers.
        setting: The executor and the progress function of the computation.
        compat: The evaluator whose deviations from the published definitions are reproduced, or None.
    """

    def __init__(
        self,
        assessed: JudgedItems,
        runs: tuple[str, ...],
        topics: slice,
        first_run: int,
        ranked: RankedLists,
        *,
        setting: RunOptions,
        ideal: Ideal | None = None,
        as_wholes: bool = False,
    ) -> None:
        self.assessed = assessed
        self.runs = runs
        self.setting = setting
        self.compat = setting.compat
        self.topics = assessed.topics[topics]
        self.first_run = first_run
        self.topic_span = topics
        self._results = ranked
        self._ideal = ideal
        self._as_wholes = as_wholes
        self._views: OrderedDict[object, GainMatrix] = OrderedDict()
        self._others: OrderedDict[tuple[ReadsJudgements | None, Ideal | None], JudgedRuns] = OrderedDict()

    @classmethod
    def of_documents(cls, assessed: JudgedItems, lists: RankedLists, codes: IndexArray) -> JudgedRuns:
        """Returns one run of ranked documents without their names; only views of documents can be computed.

        Args:
            assessed: The judged items.
            lists: What `lists_without_names` returns for the number of results for each topic.
            codes: Index of each result among the judged documents, by topic and rank; the number of judged documents marks unjudged
                results.
        """
        grades = assessed.grades
        none = np.int32(len(grades.gains) - 1)
        made = cls(assessed, lists.named.run_ids, slice(0, len(assessed.topics)), 0, lists, setting=HERE)
        coded = CodedLists(lists, made.runs, made.topics, lists.places.laid_out(codes, none), int(none))
        # The views are computed from the codes instead of from names, so they take the place of cached properties.
        coded.__dict__["judged"] = JudgedResults.of_run(codes, lists.places.lengths[0], none)
        made.__dict__["documents"] = GainMatrix(coded, grades.gains, grades.ideal, grades.pool)
        return made

    def by(self, judgements: ReadsJudgements | None) -> JudgedRuns:
        """Returns a copy of this batch, joined with a selection of the judgements; returns this batch itself if `judgements` is None.

        Raises `CollectionError` if the selected judgements are missing.
        """
        if judgements is None:
            return self
        return self._other(judgements, self._ideal, judgements.as_wholes)

    def focusing(self, ideal: Ideal) -> JudgedRuns:
        """Returns a copy of this batch for the focused task. In the copy, `graded` returns the same gains as `focused`."""
        return self._other(None, ideal, self._as_wholes)

    def check_elements(self) -> None:
        """Checks that elements in the results can be found among the assessed elements.

        Raises:
            CollectionError: Passages were highlighted, but the structure needed to find the elements that contain them is missing. Without
                the structure, each assessed document would be treated as one element, and all elements inside the document would have gain
                0.
        """
        assessments, results = self.assessed.assessments, self._results.table
        if assessments.elements is not None or assessments.documents is None or holds_documents_only(results):
            return
        below = results.filter(place(pl.col("path")) != WHOLE)
        if below.is_empty():
            return
        if self.assessed.structure is None:
            raise no_structure(below.with_columns(self._results.names.of_codes(below["document"])))
        if assessments.passages is None:
            raise CollectionError(
                "expected highlighted passages, found only the number of highlighted characters of each document, without offsets; "
                f"the runs contain {plural(below.height, 'element')}"
            )

    def check_pool(self) -> None:
        """Checks that judged elements can be distinguished from unjudged elements.

        Raises:
            CollectionError: The assessed elements were derived from highlighted text and the structure, and therefore do not include
                elements judged not relevant.
        """
        assessments = self.assessed.assessments
        if assessments.elements is None and assessments.passages is not None and self.assessed.structure is not None:
            raise CollectionError(
                "expected assessed elements, including elements judged not relevant, found highlighted passages, "
                "which identify only the relevant elements; to use the judged documents instead, omit the quantisation"
            )

    def graded(self, quantisation: Quantisation) -> GainMatrix:
        """Returns the gains of the results under a quantisation.

        Overlap between results is ignored (thorough task), except in a copy that `focusing` returned (focused task).
        """
        if self._ideal is not None:
            return self.focused(quantisation, self._ideal)
        gains = self.assessed.gains(quantisation)
        return _cache(self._views, quantisation, lambda: GainMatrix(self._elements, gains.gains, *gains.part(self.topic_span)))

    def focused(self, quantisation: Quantisation, ideal: Ideal) -> GainMatrix:
        """Returns the gains of the results for the focused task: each character counts once, and ideal elements do not overlap."""

        def credited() -> GainMatrix:
            base = self.assessed.recall_base(quantisation, ideal)
            gains = credited_gains(self._seen, self.assessed.gains(quantisation).gains[:-1], self.assessed.sizes, base.gains[:-1] > 0.0)
            return self._results_as_items(gains > 0.0, gains, base)

        return _cache(self._views, (quantisation, ideal), credited)

    @cached_property
    def documents(self) -> GainMatrix:
        """Documents, each at its first occurrence, with their grades as gains."""
        grades = self.assessed.grades
        return GainMatrix(self._coded(self.assessed.documents, self.listed("documents")), grades.gains, *grades.part(self.topic_span))

    @cached_property
    def evidence(self) -> GainMatrix:
        """Gains of the results: 1 if a result shows highlighted text, otherwise 0.

        If no text was highlighted, the gain is the grade of the document.

        Raises:
            CollectionError: Elements were assessed and no text was highlighted; or the offsets of highlighted text are unknown,
                and results are parts of documents.
        """
        assessments = self.assessed.assessments
        if assessments.documents is None:
            if assessments.grades is None and assessments.elements is not None:
                raise CollectionError(
                    'unit="results": expected highlighted passages or graded documents, found assessed elements; '
                    "with a quantisation, each result is one unit"
                )
            grades = self.assessed.grades
            return GainMatrix(self._coded(self.assessed.documents, self._results), grades.gains, *grades.part(self.topic_span))
        if assessments.passages is None and not holds_documents_only(self._results.table):
            raise CollectionError(
                'unit="results": expected highlighted passages, found only the number of highlighted characters of each document, without offsets'
            )
        texts, highlighted = self.texts, self.assessed.highlighted
        gains = texts.touching.astype(np.float64)
        pool = replace(highlighted.pool, judged=texts.assessed)
        return self._results_as_items(texts.assessed, gains, replace(highlighted, pool=pool))

    @cached_property
    def pieces(self) -> Evidence:
        """The retrieved pieces of evidence. Raises `CollectionError` under the same conditions as `evidence`."""
        if self.assessed.assessments.documents is None:
            return documents_shown(self.evidence)
        return passages_shown(self.evidence, self.texts, self.topic_span)

    def listed(self, unit: Unit) -> RankedLists:
        """Returns the items that are ranked: all results, or documents, each at its first occurrence."""
        if unit in ("results", "evidence") or holds_documents_only(self._results.table):
            return self._results
        return self._results.documents

    @cached_property
    def texts(self) -> Texts:
        """The text of each result: its document, start and length."""
        ranked = self._results
        placed = extents(ranked.results, self.assessed.assessments, self.assessed.structure)
        return Texts.of(self.assessed.highlights, ranked, placed)

    @cached_property
    def contexts(self) -> Contexts:
        """Documents in context, in rank order. Raises `CollectionError` if results are not grouped by document."""
        return Contexts.of(self.texts, empty_overlap=self.compat is not None)

    @property
    def lists(self) -> int:
        """The number of lists with results."""
        return int(np.count_nonzero(self._results.places.lengths))

    @property
    def passages(self) -> int:
        """The number of results that are passages instead of elements."""
        results = self._results.table
        return 0 if holds_documents_only(results) else int(results.select(PASSAGE.sum()).item())

    @property
    def unresolved(self) -> BoolArray:
        """Whether each result was written without a position, shape (H,)."""
        return (self._results.table["start"] == UNRESOLVED).fill_null(value=False).to_numpy()

    def counted_by_run(self, results: BoolArray) -> dict[str, int]:
        """Returns the number of the marked results of each run that has any."""
        if not results.any():
            return {}
        of_runs = np.bincount(self._results.places.lists()[results] // len(self.topics), minlength=len(self.runs))
        return {self.runs[code]: int(of_runs[code]) for code in np.flatnonzero(of_runs).tolist()}

    def assessed_by_run(self, unit: Unit) -> BoolArray:
        """Returns whether each run retrieved any assessed item, shape (R,)."""
        if unit == "text":
            found = np.bincount(self.texts.lists[self.texts.assessed] // len(self.topics), minlength=len(self.runs))
            return np.asarray(found > 0)
        coded = self._elements if unit == "results" else (self.evidence if unit == "evidence" else self.documents).coded
        counts = np.diff(coded.judged.firsts).reshape(len(self.topics), len(self.runs))
        return np.asarray(counts.any(axis=0))

    @cached_property
    def _elements(self) -> CodedLists:
        return self._coded(self.assessed.elements, self._placed)

    @cached_property
    def _placed(self) -> RankedLists:
        """The results to look up among the assessed elements; if these elements are documents, each result is replaced by its document."""
        if not self._as_wholes or holds_documents_only(self._results.table):
            return self._results
        return replace(self._results, table=self._results.table.with_columns(pl.lit(None).cast(RESULTS[name]).alias(name) for name in PART))

    @cached_property
    def _seen(self) -> Seen:
        """For each tree of assessed elements, the parts that each run shows, and the first result that shows each part."""
        runs = self._results.places.lists() // len(self.topics)
        return Seen.of(self.assessed.trees, self._placed.results, runs, len(self.runs))

    def _coded(self, judged: JudgementIndex, ranked: RankedLists) -> CodedLists:
        count = judged.items.height
        codes = ranked.places.laid_out(judged.codes(ranked.table, ranked.names), np.int32(count))
        return CodedLists(ranked, self.runs, self.topics, codes, count)

    def _results_as_items(self, counted: BoolArray, gains: FloatArray, ideal: Gains) -> GainMatrix:
        """Returns the gains of the batch. Each counted result is a separate item, and `ideal` contains the ideal lists."""
        none = np.int32(len(gains))
        codes = self._results.places.laid_out(np.where(counted, np.arange(len(gains), dtype=np.int32), none), none)
        coded = CodedLists(self._results, self.runs, self.topics, codes, len(gains))
        return GainMatrix(coded, np.append(gains, 0.0), *ideal.part(self.topic_span))

    def _other(self, judgements: ReadsJudgements | None, ideal: Ideal | None, as_wholes: bool) -> JudgedRuns:
        """Returns a copy of this batch, joined with a selection of the judgements; the last few copies are cached.

        If `judgements` is None, the copy has the same judgements as this batch.
        """

        def joined() -> JudgedRuns:
            assessed, ranked = self.assessed.by(judgements), self.listed("documents") if as_wholes else self._results
            return JudgedRuns(
                assessed, self.runs, self.topic_span, self.first_run, ranked, setting=self.setting, ideal=ideal, as_wholes=as_wholes
            )

        return _cache(self._others, (judgements, ideal), joined)


@lru_cache(maxsize=4)
def lists_without_names(run: str, topics: tuple[str, ...], lengths: tuple[int, ...]) -> RankedLists:
    """Returns the lists of one run, with their lengths and without their results; in a loop, most runs have equally many results."""
    named = Lists((run,), topics, *np.zeros((3, 0), dtype=np.int64))
    return RankedLists(ListLayout(np.array([lengths], dtype=np.int64)), named, NO_RESULTS, NO_NAMES)


def _cache(last: OrderedDict[K, V], key: K, make: Callable[[], V]) -> V:
    """Returns the cached value of a key, or computes it; the last few values are cached."""
    if key not in last:
        last[key] = make()
        if len(last) > VIEWS:
            last.popitem(last=False)
    last.move_to_end(key)
    return last[key]


BATCH: Final = 1 << 19
"""Maximum number of cells in the padded lists of a batch; a higher limit needs more memory, and a lower limit needs more calls."""


def batches(collection: Collection, setting: RunOptions = HERE) -> Iterator[JudgedRuns]:
    """Yields the collection's runs in lexicographic order, encoded in batches of bounded size; a long run may be split by topics.

    Args:
        collection: Assessments and runs.
        setting: Run options: the evaluator, if any, whose deviations from the published definitions are reproduced, and the executor.

    Raises:
        CollectionError: The collection lacks runs, or their results are not grouped by run and topic.
    """
    if collection.runs is None:
        raise CollectionError("expected runs to score, found a collection without runs")
    assessed = JudgedItems(collection)
    results, runs, topics = collection.runs.packed, collection.runs.run_ids, assessed.topics
    there = collection.runs.lists
    of_run = numbered(there.run_ids, runs)[there.runs]
    of_topic = numbered(there.topic_ids, topics)[there.topics]
    if (np.diff(there.runs * (int(there.topics.max(initial=0)) + 1) + there.topics) <= 0).any():
        raise CollectionError("expected results grouped by run and, within each run, by topic, in lexicographic order")
    lengths = np.zeros((len(runs), len(topics)), dtype=np.int64)
    judged = of_topic >= 0
    lengths[of_run[judged], of_topic[judged]] = there.lengths[judged]
    firsts = np.zeros_like(lengths)
    firsts[of_run[judged], of_topic[judged]] = there.firsts[judged]
    sizes = lengths.max(axis=1, initial=0) * len(topics)  # number of cells of each run's padded lists
    for run_span in _spans(sizes, BATCH):
        alone = run_span.stop - run_span.start == 1 and sizes[run_span.start] > BATCH
        for topic_span in _spans(lengths[run_span.start], BATCH) if alone else (slice(0, len(topics)),):
            places = ListLayout(lengths[run_span, topic_span])
            run_of_list = np.repeat(np.arange(run_span.start, run_span.stop), places.lengths.shape[1])
            topic_of_list = np.tile(np.arange(topic_span.start, topic_span.stop), places.lengths.shape[0])
            named = Lists(runs, topics, run_of_list, topic_of_list, places.lengths.reshape(-1))
            topic_of_row = np.repeat(topic_of_list.astype(np.int32), named.lengths)
            held = places.held_by(results, firsts[run_span, topic_span])
            ranked = RankedLists(places, named, held.with_columns(pl.Series("topic", topic_of_row)), collection.runs.names)
            yield JudgedRuns(assessed, runs[run_span], topic_span, run_span.start, ranked, setting=setting)
            release()


def _spans(sizes: IntArray, most: int) -> Iterator[slice]:
    """Yields consecutive ranges of a sequence of sizes; the padded size of each range is at most `most`.

    The padded size of a range is the number of sizes in the range, multiplied by the largest of these sizes. A range contains at least one
    size, even if this size exceeds `most`.
    """
    first, greatest = 0, 0
    for last, size in enumerate(sizes.tolist()):
        greatest = max(greatest, size)
        if last > first and (last - first + 1) * greatest > most:
            yield slice(first, last)
            first, greatest = last, size
    yield slice(first, len(sizes))
