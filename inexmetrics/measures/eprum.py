"""Expected precision-recall with user modelling (EPRUM): how soon users who browse find what is ideal to them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final

from inexmetrics.common.arrays import FloatArray
from inexmetrics.measures.base import ViewCurved, ViewFamily
from inexmetrics.measures.recall_levels import HUNDREDTHS
from inexmetrics.measures.user_models import ReachedByTopic, UserModelMeasure
from inexmetrics.ranking.navigation.expected_precision import precision_at_levels, precision_at_rank, precision_over_needs
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Integer, Number, ParameterType

__all__ = ["EPRUM", "MAEPRUM", "EPRUMk", "ExpectedPrecision", "MeanExpectedPrecision", "RankExpectedPrecision"]


@word("EPRUM")
@dataclass(frozen=True, slots=True, repr=False)
class ExpectedPrecision(UserModelMeasure, ViewFamily[ReachedByTopic, float]):
    """Expected precision at a recall level, for users who browse from where a list leads them.

    Users want a share l of the t elements that are ideal to them, need = ceil(l t), at least 1. They go down the list,
    see what they are led to or find their way to, and stop once they have seen as many. Precision is the number of ranks
    that the best of all lists would have cost them, divided by the number that this list does; 0 if they never see
    enough: ``EPRUM@l = E[ML*] * E[A/ML]``. Ways are taken independently of each other, so that the number of ideal elements
    seen follows a Poisson-binomial law, which is computed exactly. The best list is exact, too, among up to 16 places that
    lead to an ideal element; among more, the better of a greedy list and the ideal elements stands for it, and a warning
    names the topics.

    Under a quantisation the ideal elements are those of the ideal recall base (by paths), and their gains the share of
    users to whom they are ideal: EPRUM is the mean over the satisfaction levels at which any element is ideal. Without
    one, relevant documents are ideal to all users, and results are documents, each at its first occurrence. Undefined
    for a topic without ideal elements.

    Source: Piwowarski & Dupret (2006), equations 1 to 7.

    Examples:
        >>> EPRUM @ 0.5
        EPRUM@0.5
        >>> from inexmetrics import hierarchy
        >>> EPRUM(navigation=hierarchy) @ 1
        EPRUM(navigation=hierarchy)@1
    """

    cuts: ClassVar[ParameterType[float]] = Number(above=0.0, at_most=1.0)

    def scores_at(self, at: float, view: ReachedByTopic) -> FloatArray:
        return view.values(partial(precision_at_levels, (at,)))[..., 0]


@word("MAEPRUM")
@dataclass(frozen=True, slots=True, repr=False)
class MeanExpectedPrecision(UserModelMeasure, ViewCurved[ReachedByTopic]):
    """Mean average expected precision: EPRUM averaged over the numbers of ideal elements that users may want.

    At each satisfaction level, the mean of ``E[ML*] * E[A/ML]`` over need = 1 .. t; then the mean over the levels, as in
    `EPRUM`. With binary idealities and without navigation it is average precision. The curve is EPRUM at recall .01,
    .02 .. 1. Undefined for a topic without ideal elements.

    Source: Piwowarski & Dupret (2006), sections 5 and 7.

    Examples:
        >>> MAEPRUM
        MAEPRUM
        >>> from inexmetrics import distance, either, hierarchy
        >>> MAEPRUM(navigation=either(hierarchy, distance(0.01)), items="documents")
        MAEPRUM(navigation=either(hierarchy, distance(0.01)), items="documents")
    """

    @property
    def levels(self) -> tuple[float, ...]:
        return HUNDREDTHS

    def scores(self, view: ReachedByTopic) -> FloatArray:
        return view.values(precision_over_needs)[..., 0]

    def curve_of(self, view: ReachedByTopic) -> FloatArray:
        return view.values(partial(precision_at_levels, HUNDREDTHS), len(HUNDREDTHS))


@word("EPRUMk")
@dataclass(frozen=True, slots=True, repr=False)
class RankExpectedPrecision(UserModelMeasure, ViewFamily[ReachedByTopic, int]):
    """Expected precision at a rank, for users who browse from where a list leads them.

    The number of ranks that the best of all lists needs for as many ideal elements as users have seen after k ranks
    of this one, divided by k: ``E[E[ML*](F_k)] / k``, with ``E[ML*](0) = 0``, averaged over satisfaction levels as in `EPRUM`.
    Without navigation it is the ideal elements among the first k results, divided by k. Undefined for a topic without
    ideal elements.

    Source: Piwowarski & Dupret (2006), section 8, where it is mentioned.

    Examples:
        >>> EPRUMk @ 10
        EPRUMk@10
    """

    cuts: ClassVar[ParameterType[int]] = Integer(at_least=1)

    def scores_at(self, at: float, view: ReachedByTopic) -> FloatArray:
        return view.values(partial(precision_at_rank, int(at)))[..., 0]


EPRUM: Final = ExpectedPrecision()
MAEPRUM: Final = MeanExpectedPrecision()
EPRUMk: Final = RankExpectedPrecision()
