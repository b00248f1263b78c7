"""Expected precision-recall with user modelling (EPRUM): how early users who browse find the elements that are ideal for them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final

from inexmetrics.common.arrays import FloatArray
from inexmetrics.measures.base import Axes, ViewCurved, ViewFamily
from inexmetrics.measures.gain_measures import HUNDREDTHS
from inexmetrics.measures.user_models import ReachedByTopic, UserModelMeasure
from inexmetrics.ranking.navigation.expected_precision import precision, precision_at_rank
from inexmetrics.terms import Number, word
from inexmetrics.terms.parameter_types import ParameterType

__all__ = ["EPRUM", "MAEPRUM", "EPRUMk", "ExpectedPrecision", "MeanExpectedPrecision", "RankExpectedPrecision"]


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
