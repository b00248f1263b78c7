"""Expected precision-recall with user modelling (EPRUM): how early users who browse find the elements that are ideal for them."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final, Literal, Self, TypedDict, Unpack

import numpy as np
import polars as pl

from inexmetrics.common.arrays import FloatArray, IntArray, changes
from inexmetrics.common.errors import CollectionError, FormulaError, Problem
from inexmetrics.common.frozen import cached_by_identity
from inexmetrics.common.messages import plural
from inexmetrics.common.options import RunOptions
from inexmetrics.measures.base import Axes, OfView, Quantised, ViewCurved, ViewFamily
from inexmetrics.measures.gain_measures import HUNDREDTHS
from inexmetrics.measures.navigation import Navigation
from inexmetrics.measures.navigation_models import none
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.ranking import JudgedRuns
from inexmetrics.ranking.navigation.expected_precision import Reached, Satisfaction, precision, precision_at_rank
from inexmetrics.ranking.navigation.ideal_lists import Candidates, candidates, expected_efforts, ideal_documents, ideal_elements
from inexmetrics.ranking.navigation.routes import IdealElements
from inexmetrics.ranking.recall_base import JudgedItems
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Choice, Number, Optional, ParameterType
from inexmetrics.terms.term import Term, TermOf, parameter

__all__ = [
    "EPRUM",
    "MAEPRUM",
    "EPRUMk",
    "ExpectedPrecision",
    "MeanExpectedPrecision",
    "NavigationParameters",
    "RankExpectedPrecision",
    "ReachedByTopic",
    "UserModelMeasure",
    "expected_ranks",
    "noisy_or",
    "ranks_of",
]

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


@word("EPRUM")
@dataclass(frozen=True, slots=True, repr=False)
class ExpectedPrecision(UserModelMeasure, ViewFamily[ReachedByTopic, float]):
    """Expected precision at a recall level, for users who navigate from retrieved elements to other elements.

    Users want a share l of the t elements that are ideal for them. Users go down the list, see each result and the elements that
    they reach from the result, and stop when they have seen enough ideal elements. Precision is the number of ranks that users need in the
    best possible list to see enough ideal elements, divided by the number of ranks that they need in the evaluated list. Precision is 0 for
    users who never see enough ideal elements.

    Under a quantisation of elements, the ideal elements are the elements of the ideal recall base (``ideal="paths"``). The gain of an ideal
    element is the share of users for whom the element is ideal. EPRUM is the mean over the satisfaction levels that have at least one
    ideal element. Without a quantisation, relevant documents are ideal for all users, and repeated results of a document are ignored. The
    quantisations `by_grade` and `votes` make each document ideal for a share of users.

    Formula:
        EPRUM@l = E[ML'] E[A/ML]
        E[ML'] = 1 + sum_(k >= 1) P(F'_k < need)
        E[A/ML] = sum_(k=1)^N (1 / k) (P(F_(k-1) < need) - P(F_k < need))
        P("x seen") = 1 - prod_(j <= k) (1 - P(j~>x))
        where
            l: the recall level
            need: the number of elements wanted, l t rounded up, at least 1
            t: the number of elements that are ideal for the users
            E: the expected value over users
            ML: the number of ranks that users go down
            ML': the number of ranks that users would go down in the best possible list; ML* in the paper
            A: 1 if the users see enough, else 0
            N: the number of ranks of the list
            F_k: the number of ideal elements seen after k ranks of the list
            F'_k: the number of ideal elements seen after k ranks of the best list
            x: an ideal element, seen after k ranks with the probability P
            P(j~>x): the probability that users navigate from rank j to x, given by the navigation model

    Computed: Paths of users are treated as independent of each other, so that F follows a Poisson-binomial distribution, which is computed
    exactly. The best possible list is also exact, if at most 16 items lead to an ideal element. If more than 16 items lead to an ideal
    element, the better of a greedy list and the list of the ideal elements is used as the best list. A warning names the topics.

    Notes:
        * Satisfaction levels: Satisfaction levels at which nothing is ideal are excluded, so that the ideal run scores 1. Idealities
          above 1 (``normalise=False``) do not change the scores.
        * Units of retrieval: Without a quantisation, or with a quantisation of documents, users enter a document at the start of its
          first result. Under `bep`, they enter a relevant document at its best entry point, or at its beginning if the assessments lack
          one.
        * Lengths and start offsets: The start and the length of an element come from the result, the structure or the assessed sizes,
          whichever is available first. Paths decide whether an element contains another; only passages are compared by their
          characters. An element of length 0 shares no text with other elements.
        * Unknown positions in user models: From a result with an unknown position (`X` or `-1`), users reach the whole document, but
          none of its elements; under `bep`, they reach neither.
        * Best possible list: The candidates are the elements from which links start, and all elements (of the structure and the
          assessments) of documents that contain ideal elements. Where the ideal list is approximate, a run can be better than it and
          score above 1. Probabilities that differ by at most a relative 1e-9 are tied.
        * Several results at one rank: With ``items="documents"``, each rank of the best list shows all ideal elements that are in a
          document or can be reached from it. With ``items="ranks"``, the best list has one result at each rank.
        * Consideration: The paper gives no formula for the probability that a result is considered; min(1, considered / n) is the
          proportion that its section 8 uses for the links of a page. The best list assumes that users consider all results, because a
          user who missed an element there would never see it again.

    Source: Piwowarski & Dupret (2006), equations 1 to 7.

    Examples:
        Without navigation, users see only the documents of the list: three are relevant, at ranks 2, 3 and 4. Half of the relevant
        documents, rounded up, is 2. The best list shows 2 at rank 2, and this list shows 2 at rank 3; 2/3 = .6667:

        >>> from inexmetrics import EPRUM, from_frames, hierarchy, run, scores
        >>> ranked = {"1": {"x": 4, "b": 3, "a": 2, "c": 1}}
        >>> collection = from_frames({"1": {"a": 1, "b": 1, "c": 1}}, ranked)
        >>> run(scores(EPRUM @ 0.5), collection).table["mean"].round(4).item()
        0.6667
        >>> EPRUM(navigation=hierarchy) @ 1
        EPRUM(navigation=hierarchy)@1
    """

    cuts: ClassVar[ParameterType[float]] = Number(above=0.0, at_most=1.0)

    def scores_at(self, at: float, view: ReachedByTopic) -> FloatArray:
        return view.values(partial(precision, (at,)))[..., 0]


@word("MAEPRUM")
@dataclass(frozen=True, slots=True, repr=False)
class MeanExpectedPrecision(UserModelMeasure, ViewCurved[ReachedByTopic]):
    """Mean average expected precision: EPRUM averaged over the number of ideal elements that users want, from 1 to all.

    MAEPRUM, like `EPRUM`, is computed at each satisfaction level and then averaged over the levels. With binary idealities and without
    navigation, MAEPRUM equals average precision. The curve is EPRUM at the recall levels .01, .02, ..., 1.

    Formula:
        MAEPRUM = (1 / t) sum_(need=1)^t E[ML'] E[A/ML]
        where
            t: the number of elements that are ideal for the users
            need: the number of elements wanted
            E: the expected value over users
            E[ML']: the expected number of ranks that users of the best possible list read until they have seen `need` ideal elements
            E[A/ML]: the expected value of 1 divided by the number of ranks that users of this list read; 0 for users who never see enough

    Source: Piwowarski & Dupret (2006), sections 5 and 7.

    Examples:
        Without navigation, users see only the documents of the list: three are relevant, at ranks 2, 3 and 4.
        (1/2 + 2/3 + 3/4) / 3 = .6389:

        >>> from inexmetrics import MAEPRUM, distance, either, from_frames, hierarchy, run, scores
        >>> ranked = {"1": {"x": 4, "b": 3, "a": 2, "c": 1}}
        >>> collection = from_frames({"1": {"a": 1, "b": 1, "c": 1}}, ranked)
        >>> run(scores(MAEPRUM), collection).table["mean"].round(4).item()
        0.6389
        >>> MAEPRUM(navigation=either(hierarchy, distance(0.01)), items="documents")
        MAEPRUM(navigation=either(hierarchy, distance(0.01)), items="documents")

        Three elements of a document form one rank, and two are ideal. Users consider 2 of the 3 elements on average, each with probability
        2/3. Users find at least one ideal element with probability 1 - (1/3)^2 = 8/9, and both with probability 4/9. The best list shows
        both at rank 1. (8/9 + 4/9) / 2 = .6667:

        >>> from inexmetrics import BinExh
        >>> paths = ["/a[1]/p[1]", "/a[1]/p[2]", "/a[1]/p[3]"]
        >>> elements = {"topic_id": ["1"] * 3, "doc_id": ["d"] * 3, "path": paths}
        >>> collection = from_frames({**elements, "specificity": [1, 0, 1]}, elements)
        >>> browsing = MAEPRUM(items="documents", considered=2)
        >>> run(scores(browsing, BinExh), collection).table["mean"].round(4).item()
        0.6667
    """

    axes: ClassVar[Axes] = Axes("recall level", "EPRUM")
    levels: ClassVar[tuple[float, ...]] = HUNDREDTHS

    def scores(self, view: ReachedByTopic) -> FloatArray:
        return view.values(partial(precision, None))[..., 0]

    def curve_of(self, view: ReachedByTopic) -> FloatArray:
        return view.values(partial(precision, HUNDREDTHS), len(HUNDREDTHS))


@word("EPRUMk")
@dataclass(frozen=True, slots=True, repr=False)
class RankExpectedPrecision(UserModelMeasure, ViewFamily[ReachedByTopic, int]):
    """Expected precision at a rank, for users who navigate from retrieved elements to other elements.

    Like `EPRUM`, the measure is averaged over satisfaction levels. Without navigation, the expected precision at rank k is the number
    of ideal elements among the first k results, divided by k.

    Formula:
        EPRUMk@k = (1 / k) E[M(F_k)]
        where
            k: the rank
            E: the expected value over users
            F_k: the number of ideal elements that users have seen after k ranks of this list
            M(n): the expected number of ranks that the best possible list needs for n ideal elements; M(0) = 0

    Notes:
        * Estimate: ``EPRUMk@k`` is ``E[ML*](F_k) / k``. The paper says that precision at a rank can be estimated, but not how.

    Source: Piwowarski & Dupret (2006), section 8, which mentions the measure.

    Examples:
        Without navigation, users see only the documents of the list: three are relevant, at ranks 2, 3 and 4. After three ranks users have
        seen 2 relevant documents, which the best list shows at ranks 1 and 2; 2/3 = .6667:

        >>> from inexmetrics import EPRUMk, from_frames, run, scores
        >>> ranked = {"1": {"x": 4, "b": 3, "a": 2, "c": 1}}
        >>> collection = from_frames({"1": {"a": 1, "b": 1, "c": 1}}, ranked)
        >>> run(scores(EPRUMk @ 3), collection).table["mean"].round(4).item()
        0.6667
    """

    def scores_at(self, at: float, view: ReachedByTopic) -> FloatArray:
        return view.values(partial(precision_at_rank, int(at)))[..., 0]


EPRUM: Final = ExpectedPrecision()
MAEPRUM: Final = MeanExpectedPrecision()
EPRUMk: Final = RankExpectedPrecision()
