"""Measures for users who browse: the ideal elements that users reach from each rank, and the best possible list."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, Self, TypedDict, Unpack

import numpy as np
import polars as pl

from inexmetrics.common.arrays import FloatArray, IntArray, changes
from inexmetrics.common.errors import CollectionError, FormulaError, Problem
from inexmetrics.common.frozen import cached_by_identity
from inexmetrics.common.messages import plural
from inexmetrics.common.options import RunOptions
from inexmetrics.measures.base import OfView, Quantised
from inexmetrics.measures.navigation import Navigation
from inexmetrics.measures.navigation_models import none
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.ranking import JudgedRuns
from inexmetrics.ranking.navigation.expected_precision import Reached, Satisfaction
from inexmetrics.ranking.navigation.ideal_lists import Candidates, expected_efforts
from inexmetrics.ranking.navigation.ideals import candidates, ideal_documents, ideal_elements
from inexmetrics.ranking.navigation.routes import IdealElements
from inexmetrics.ranking.recall_base import JudgedItems
from inexmetrics.terms import Choice, Number, Optional, Term, TermOf, parameter

__all__ = ["NavigationParameters", "ReachedByTopic", "UserModelMeasure", "expected_ranks", "noisy_or", "ranks_of"]

Items = Literal["results", "ranks", "documents"]


class NavigationParameters(TypedDict, total=False):
    """The parameters of user-model measures."""

    navigation: Navigation
    items: Items
    considered: float | None


@dataclass(frozen=True, slots=True, eq=False)
class ReachedByTopic:
    """Ideal elements that users reach from the lists of a batch, by topic. R runs, T topics.

    Attributes:
        reached: Ideal elements that are reached, for each topic with ideal elements; the key is the index of the topic in the batch.
        shape: Numbers of runs and topics, (R, T).
        label: Name of the computation in the progress bar.
        setting: The executor and the progress function of the computation.
    """

    reached: Mapping[int, Reached]
    shape: tuple[int, int]
    label: str
    setting: RunOptions

    def values(self, read: Callable[[Reached], FloatArray], width: int = 1) -> FloatArray:
        """Returns the values that `read` computes for each list, shape (R, T, width); NaN for topics without ideal elements."""
        values = np.full((*self.shape, width), np.nan)
        # Navigation with probabilities is slow, so it may run on an executor or on threads of this process.
        chance = any((some.chances < 1.0).any() for some in self.reached.values())
        setting = self.setting if chance else RunOptions()
        for topic, of_topic in zip(self.reached, setting.map(self.label, read, self.reached.values(), threads=chance), strict=True):
            values[:, topic] = of_topic
        return values


@dataclass(frozen=True, slots=True, repr=False)
class UserModelMeasure(OfView[ReachedByTopic], ABC):
    """A measure, or a family of measures, for users who navigate from retrieved elements to other elements.

    Args:
        navigation: Navigation model, which determines the probability that users reach an ideal element from an item: `none`, `hierarchy`,
            `distance`, `bep`, `tolerance`, `either` of two models, or a model made by `links`.
        items: The results at each rank. ``"results"``: one result. ``"ranks"``: consecutive results with the same rank in the file.
            ``"documents"``: consecutive results of the same document. From a rank, users reach every element that is reachable from any
            result at this rank. With "documents", the best possible list also has one document per rank; otherwise it has one result per
            rank.
        considered: Mean number of results that users consider at each rank, at least 1; None if users consider all results. Users consider
            each of the n results at a rank with probability min(1, considered / n), and browse only from considered results. The best
            possible list is computed as if users considered all results. `considered` is allowed only with `items` "ranks" or "documents".

    Undefined: For a topic without ideal elements.

    Raises:
        FormulaError: `considered` is given, but each rank contains only one result.
    """

    quantised: ClassVar[Quantised] = "optional"

    navigation: Navigation = parameter(none, TermOf(Navigation))
    items: str = parameter("results", Choice(("results", "ranks", "documents")))

    considered: float | None = parameter(None, Optional(Number(at_least=1.0)))

    def __post_init__(self) -> None:
        Term.__post_init__(self)
        if self.considered is not None and self.items == "results":
            raise FormulaError(
                f"{self.word}: considered: expected ranks with several results each, found ranks with one result each, which users always consider",
                hint='add items="documents" or items="ranks"',
            )

    def __call__(self, **changes: Unpack[NavigationParameters]) -> Self:
        return self._changed(changes)

    @property
    def counts_passages(self) -> bool:
        return self.navigation.reads_characters

    def approximated(self, assessed: JudgedItems, quantisation: Quantisation | None) -> tuple[str, ...]:
        ideals = _ideals(assessed, quantisation)
        if not self._chooses(ideals):
            return ()
        of_topic = _candidates(ideals, self.navigation, self._group_by_document(ideals))
        return tuple(assessed.topics[topic] for topic, some in of_topic.items() if some.searched)

    def _group_by_document(self, ideals: IdealElements) -> bool:
        return self.items == "documents" and not ideals.documents

    def _chooses(self, ideals: IdealElements) -> bool:
        """Returns whether the best possible list may differ from the list of ideal elements in decreasing order of ideality."""
        return not self.navigation.direct or self._group_by_document(ideals)

    def view(self, judged: JudgedRuns, quantisation: Quantisation | None) -> ReachedByTopic:
        ideals = _ideals(judged.assessed, quantisation)
        listed = judged.listed("documents" if quantisation is None else "results")
        routes = self.navigation.routes(listed.results, ideals)
        runs, topics = listed.places.lengths.shape
        of_list = listed.places.lists()
        ranks = ranks_of(self.items, of_list, listed.results)
        of_route = routes.chances
        if self.considered is not None:
            # Users consider a result with probability min(1, `considered` / n), where n is the number of results at its rank.
            _, of_result, sizes = np.unique(np.stack((of_list, ranks)), axis=1, return_inverse=True, return_counts=True)
            of_route = of_route * np.minimum(1.0, self.considered / sizes[of_result.reshape(-1)])[routes.points]
        # The four rows of the array contain the topic, the run, the rank and the ideal element.
        lists = of_list[routes.points]
        keys = np.stack((lists % topics, lists // topics, ranks[routes.points], routes.ideals))
        keys, chances = noisy_or(keys, of_route)
        first = judged.topic_span.start
        begins = np.searchsorted(keys[0] * runs + keys[1], np.arange(topics * runs + 1))
        efforts = None
        if self._chooses(ideals):
            efforts = expected_ranks(ideals, self.navigation, judged.setting, self._group_by_document(ideals))
        reached: dict[int, Reached] = {}
        for topic in range(topics):
            begin, end = ideals.firsts[first + topic], ideals.firsts[first + topic + 1]
            if begin == end:
                continue
            firsts = begins[topic * runs : (topic + 1) * runs + 1]
            part = slice(int(firsts[0]), int(firsts[-1]))
            satisfaction = Satisfaction.of(ideals.idealities[begin:end])
            if efforts is not None:
                satisfaction = Satisfaction(satisfaction.sizes, satisfaction.shares, efforts[first + topic])
            reached[topic] = Reached(satisfaction, firsts - firsts[0], keys[2, part], keys[3, part] - begin, chances[part])
        return ReachedByTopic(reached, (runs, topics), str(self), judged.setting)


def _ideals(assessed: JudgedItems, quantisation: Quantisation | None) -> IdealElements:
    if quantisation is None or quantisation.documents is not None:
        return ideal_documents(assessed, quantisation)
    return ideal_elements(assessed, quantisation)


def noisy_or(keys: IntArray, chances: FloatArray) -> tuple[IntArray, FloatArray]:
    """Merges routes with equal keys, and sorts them by key; users take a merged route if they take any of its routes."""
    order = np.lexsort(keys[::-1])
    keys, chances = keys[:, order], chances[order]
    begins = np.flatnonzero(np.any([changes(row) for row in keys], axis=0))
    if len(begins) == len(chances):
        return keys, chances
    return keys[:, begins], 1.0 - np.multiply.reduceat(1.0 - chances, begins)


def ranks_of(items: str, lists: IntArray, results: pl.DataFrame) -> IntArray:
    """Returns the rank of each result, counted from 1; `items` determines which consecutive results share a rank.

    Raises `CollectionError` if ranks from the file are needed but missing.
    """
    new = np.ones(len(lists), dtype=np.bool_)
    if items != "results":
        column = results["rank" if items == "ranks" else "doc_id"]
        if column.null_count():
            row = results.row(int(column.is_null().arg_max() or 0), named=True)
            raise CollectionError(
                Problem(f'items="ranks": expected the rank of every result, found none for {row["doc_id"]}', topic_id=row["topic_id"])
            )
        new = changes(lists) | column.ne_missing(column.shift(1)).to_numpy()
    numbers = np.cumsum(new)
    return numbers - (numbers - 1)[np.searchsorted(lists, lists)]


MOST_STEPS: Final = 4_000_000_000
"""Maximum number of steps of the search for an ideal list; this search takes some minutes."""


@cached_by_identity
def expected_ranks(ideals: IdealElements, navigation: Navigation, setting: RunOptions, by_document: bool) -> dict[int, FloatArray]:
    """Returns the expected number of ranks E[ML*] for each topic with ideal elements, by satisfaction level and number of wanted elements.

    A rank of the ideal list contains one item or, with `by_document`, all items of one document.

    Raises:
        CollectionError: The search for an ideal list would take hours.
    """
    of_topic = _candidates(ideals, navigation, by_document)
    if problems := [
        Problem(
            f"{navigation}: expected an ideal list that a search finds in at most {MOST_STEPS:,} steps, found a list of "
            f"{plural(int(some.sizes[-1]), 'ideal element')} that needs about {some.work:,} steps; a navigation model without siblings needs no search",
            topic_id=ideals.topics[topic],
        )
        for topic, some in of_topic.items()
        if some.work > MOST_STEPS
    ]:
        raise CollectionError(problems)
    return dict(zip(of_topic, setting.map("ideal lists", expected_efforts, of_topic.values()), strict=True))


@cached_by_identity
def _candidates(ideals: IdealElements, navigation: Navigation, by_document: bool) -> dict[int, Candidates]:
    """Returns, for each topic with ideal elements, the items that lead to ideal elements; the best possible list consists of such items."""
    places = candidates(ideals, navigation.sources)
    routes = navigation.routes(places, ideals)
    # A rank contains either all items of a document or a single item.
    firsts = item_of = np.arange(places.height)
    if by_document:
        starts = places.select(pl.struct("topic", "doc_id").rle_id().diff().fill_null(1) != 0).to_series().to_numpy()
        firsts, item_of = np.flatnonzero(starts), np.cumsum(starts) - 1
    keys, chances = noisy_or(np.stack((item_of[routes.points], routes.ideals)), routes.chances)
    itself = places.with_row_index("point").join(
        ideals.frame.with_row_index("ideal"), on=["topic", "doc_id", "place"], how="inner", maintain_order="right"
    )
    own = item_of[itself["point"].to_numpy()]
    begins = np.searchsorted(places["topic"].to_numpy()[firsts], np.arange(len(ideals.topics) + 1))
    part = np.searchsorted(keys[0], begins)
    of_topic: dict[int, Candidates] = {}
    for topic in np.flatnonzero(np.diff(ideals.firsts)).tolist():
        first, last = ideals.firsts[topic], ideals.firsts[topic + 1]
        here = slice(int(part[topic]), int(part[topic + 1]))
        sizes = Satisfaction.of(ideals.idealities[first:last]).sizes
        of_topic[topic] = Candidates(
            sizes, own[first:last] - begins[topic], keys[0, here] - begins[topic], keys[1, here] - first, chances[here]
        )
    return of_topic
