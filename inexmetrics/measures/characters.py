"""Character measures: how much of the text that a list shows is highlighted, and how much of the highlighted text it shows."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final, Literal, Self, TypedDict, Unpack

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.common.options import Compat
from inexmetrics.measures.base import ViewCurved, ViewFamily, ViewMeasure
from inexmetrics.measures.texts import OfText
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.ranking import JudgedRuns
from inexmetrics.ranking.gains import share
from inexmetrics.ranking.passages.recalled import PERCENT, Recalled, recalled
from inexmetrics.ranking.passages.spans import Counting
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Choice, Number
from inexmetrics.terms.term import parameter

__all__ = [
    "CharacterF1",
    "CharacterPrecision",
    "CharacterRecall",
    "InterpolatedPrecision",
    "MAiP",
    "MeanInterpolatedPrecision",
    "OverlapParameters",
    "char_f1",
    "char_prec",
    "char_rec",
    "iP",
]

LEVELS: Final = tuple(level / PERCENT for level in range(PERCENT + 1))
"""The recall levels 0, .01 .. 1."""


class OverlapParameters(TypedDict, total=False):
    """The parameter of measures of interpolated precision."""

    overlap: Literal["refuse", "unseen"]


@dataclass(frozen=True, slots=True, eq=False)
class ShownText:
    """The highlighted text that the lists of a batch show, beside all there is. R runs, T topics.

    Attributes:
        recalled: Where the lists show it, in R * T lists.
        totals: Highlighted characters of each topic (Trel), T.
        compat: The evaluator whose departures are followed, or None.
    """

    recalled: Recalled
    totals: IntArray
    compat: Compat | None

    @classmethod
    def of(cls, judged: JudgedRuns, counting: Counting) -> ShownText:
        """The text, repeated characters being counted so."""
        return cls(recalled(judged.texts, counting, judged.compat), judged.texts.highlights.totals[judged.topic_span], judged.compat)

    @property
    def retrieved(self) -> IntArray:
        """Characters of each list, R x T."""
        return self.recalled.retrieved.reshape(-1, len(self.totals))

    @property
    def relevant(self) -> IntArray:
        """Highlighted characters of each list, R x T."""
        return self.recalled.retrieved_relevant.reshape(-1, len(self.totals))

    @property
    def precision(self) -> FloatArray:
        """Highlighted characters as a share of all, R x T; 0 where there are none."""
        return self.relevant / np.maximum(self.retrieved, 1)

    def reached(self) -> IntArray:
        """The last hundredth of recall that each result reaches, N; the official evaluator finds it by floating-point numbers."""
        totals = self.totals[self.recalled.lists % len(self.totals)]
        if self.compat is None:
            return PERCENT * self.recalled.found // totals
        return np.floor(PERCENT * (self.recalled.found / totals)).astype(np.int64)

    def defined(self, scores: FloatArray) -> FloatArray:
        """Scores, R x T or R x T x levels; NaN for topics without highlighted text, for which the official evaluator counts 0."""
        if self.compat is None:
            scores[:, self.totals == 0] = np.nan
        return scores


@dataclass(frozen=True, slots=True, repr=False)
class OfInterpolatedPrecision(OfText[ShownText], ABC):
    """A measure, or a family of them, of precision in characters at levels of recall in characters.

    Args:
        overlap: ``"refuse"``: results of a list that overlap are an error, as they are in the focused task. ``"unseen"``:
            characters count for the best result of the list that shows them, as in the thorough task.
    """

    overlap: str = parameter("refuse", Choice(("refuse", "unseen")))

    def __call__(self, **changes: Unpack[OverlapParameters]) -> Self:
        return self._changed(changes)

    def view(self, judged: JudgedRuns, quantisation: Quantisation | None) -> ShownText:
        return ShownText.of(judged, "unseen" if self.overlap == "unseen" else "refuse")


@word("iP")
@dataclass(frozen=True, slots=True, repr=False)
class InterpolatedPrecision(OfInterpolatedPrecision, ViewFamily[ShownText, float]):
    """Interpolated precision at a recall level: the highest precision in characters at that recall or any beyond.

    With size the characters of a result, rsize the highlighted ones among them, and Trel those of the topic:

        P[r] = sum of rsize down to rank r / sum of size
        R[r] = sum of rsize down to rank r / Trel
        iP[x] = max of P[r] where R[r] >= x

    and 0 where x is never reached. iP[0] is the highest precision at any rank. Amounts of text are compared as integers,
    and x as the decimal that is written. A result without characters changes nothing; one whose place is not known counts
    18 characters, none of them highlighted. Undefined for a topic without highlighted text.

    Source: Kamps, Pehcevski, Kazai, Lalmas & Robertson (2008), for INEX 2007 to 2010; Cherukuri (2010), section 2.3.

    Examples:
        >>> iP @ 0.01
        iP@0.01
        >>> iP(overlap="unseen") @ 0
        iP(overlap="unseen")@0
    """

    cuts: ClassVar = Number(at_least=0.0, at_most=1.0)

    def scores_at(self, at: float, view: ShownText) -> FloatArray:
        shown, level = view.recalled, Fraction(str(at))
        if view.compat is not None and (level * PERCENT).denominator == 1:
            reached = view.reached() >= int(level * PERCENT)
        else:
            needs = np.array([-(-level.numerator * total // level.denominator) for total in view.totals.tolist()], dtype=np.int64)
            reached = shown.found >= needs[shown.lists % len(view.totals)]
        return view.defined(shown.best(np.where(reached, 0, -1), 1).reshape(-1, len(view.totals)))


@word("MAiP")
@dataclass(frozen=True, slots=True, repr=False)
class MeanInterpolatedPrecision(OfInterpolatedPrecision, ViewCurved[ShownText]):
    """Mean interpolated precision over the recall levels 0, .01 .. 1 (AiP), in characters.

    AiP = (1/101) * sum of iP[x] over the levels; its mean over topics is MAiP. The curve is iP. Undefined for a topic
    without highlighted text.

    Source: Kamps, Pehcevski, Kazai, Lalmas & Robertson (2008), for INEX 2007 to 2010; Cherukuri (2010), section 2.3.

    Examples:
        >>> MAiP(overlap="unseen")
        MAiP(overlap="unseen")
    """

    @property
    def levels(self) -> tuple[float, ...]:
        return LEVELS

    def scores(self, view: ShownText) -> FloatArray:
        return np.add.accumulate(self.curve_of(view), axis=2)[..., -1] / len(LEVELS)

    def curve_of(self, view: ShownText) -> FloatArray:
        return view.defined(view.recalled.best(view.reached(), len(LEVELS)).reshape(-1, len(view.totals), len(LEVELS)))


@dataclass(frozen=True, slots=True, repr=False)
class OfWholeLists(OfText[ShownText], ViewMeasure[ShownText], ABC):
    """A measure of all the text that a list shows, each character counted once."""

    def view(self, judged: JudgedRuns, quantisation: Quantisation | None) -> ShownText:
        return ShownText.of(judged, "once")


@word("char_prec")
@dataclass(frozen=True, slots=True, repr=False)
class CharacterPrecision(OfWholeLists):
    """Precision in characters: the highlighted share of all text that a list shows; 0 where it shows none.

    Characters that several results of a list show count once. A result whose place is not known counts 18 characters,
    none of them highlighted. Undefined for a topic without highlighted text.

    Source: Kamps, Pehcevski, Kazai, Lalmas & Robertson (2008), for INEX 2007 to 2010.

    Examples:
        >>> char_prec
        char_prec
    """

    def scores(self, view: ShownText) -> FloatArray:
        return view.defined(view.precision)


@word("char_rec")
@dataclass(frozen=True, slots=True, repr=False)
class CharacterRecall(OfWholeLists):
    """Recall in characters: the share of the topic's highlighted text that a list shows.

    Undefined for a topic without highlighted text.

    Source: Kamps, Pehcevski, Kazai, Lalmas & Robertson (2008), for INEX 2007 to 2010.

    Examples:
        >>> char_rec
        char_rec
    """

    def scores(self, view: ShownText) -> FloatArray:
        return share(view.relevant.astype(np.float64), view.totals)


@word("char_f1")
@dataclass(frozen=True, slots=True, repr=False)
class CharacterF1(OfWholeLists):
    """F1 of precision and recall in characters: 2 P R / (P + R); 0 where P is 0.

    Characters that several results of a list show count once. Undefined for a topic without highlighted text.

    Source: Kamps, Pehcevski, Kazai, Lalmas & Robertson (2008), for INEX 2007 to 2010.

    Examples:
        >>> char_f1
        char_f1
    """

    def scores(self, view: ShownText) -> FloatArray:
        relevant, precision = view.relevant, view.precision
        recall = relevant / np.maximum(view.totals, 1)
        f1 = np.zeros(precision.shape)
        np.divide(2.0 * precision * recall, precision + recall, out=f1, where=relevant > 0)
        return view.defined(f1)


iP: Final = InterpolatedPrecision()
MAiP: Final = MeanInterpolatedPrecision()
char_prec: Final = CharacterPrecision()
char_rec: Final = CharacterRecall()
char_f1: Final = CharacterF1()
