"""Character measures: precision, recall, F1 score and intersection over union of the characters read from a list of results."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final, Literal, Self, TypedDict, Unpack

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.common.options import Compat
from inexmetrics.inference.means import means
from inexmetrics.measures.base import Axes, OfText, ViewCurved, ViewFamily, ViewMeasure
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.ranking import JudgedRuns
from inexmetrics.ranking.gains import share
from inexmetrics.ranking.passages.budgets import PERCENT, Budget, Recalled, Repeated, read, recalled
from inexmetrics.terms import Choice, Integer, Number, Optional, parameter, word

__all__ = [
    "CharacterF1",
    "CharacterIoU",
    "CharacterPrecision",
    "CharacterRecall",
    "InterpolatedPrecision",
    "MAiP",
    "MeanInterpolatedPrecision",
    "OverlapParameters",
    "ReadParameters",
    "char_f1",
    "char_iou",
    "char_prec",
    "char_rec",
    "iP",
]

LEVELS: Final = tuple(level / PERCENT for level in range(PERCENT + 1))
"""The recall levels 0, .01, ..., 1."""


class OverlapParameters(TypedDict, total=False):
    """The parameter of measures of interpolated precision."""

    overlap: Literal["refuse", "unseen"]


class ReadParameters(TypedDict, total=False):
    """The parameters of measures that count the text that a user reads from a list."""

    budget: int
    repeated: Literal["once", "counts"]


@dataclass(frozen=True, slots=True, eq=False)
class HighlightedText:
    """Number of highlighted characters for each topic, which is the denominator of recall. T topics.

    Attributes:
        totals: Number of highlighted characters for each topic (Trel), shape (T,).
        compat: Evaluator whose deviations from the definitions are reproduced, or None.
    """

    totals: IntArray
    compat: Compat | None

    def defined(self, scores: FloatArray) -> FloatArray:
        """Returns the scores, with NaN for topics without highlighted text unless `compat` is given; shape (R, T) or (R, T, levels)."""
        if self.compat is None:
            scores[:, self.totals == 0] = np.nan
        return scores


@dataclass(frozen=True, slots=True, eq=False)
class ShownText(HighlightedText):
    """Highlighted text shown by each result of a batch. R runs, T topics; `recalled` contains R * T lists."""

    recalled: Recalled

    def reached(self) -> IntArray:
        """Returns the highest recall level that each result reaches, in hundredths, shape (N,).

        Recall is computed by integer division or, if `compat` is given, by float division.
        """
        totals = self.totals[self.recalled.lists % len(self.totals)]
        if self.compat is None:
            return PERCENT * self.recalled.found // totals
        return np.floor(PERCENT * (self.recalled.found / totals)).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class ReadText(HighlightedText):
    """Number of characters, and number of highlighted characters, that a user reads from each list of a batch. R runs, T topics.

    Attributes:
        size: Number of characters read (S), shape (R, T).
        found: Number of highlighted characters read, each counted once, shape (R, T).
    """

    size: IntArray
    found: IntArray

    @property
    def precision(self) -> FloatArray:
        """Highlighted characters as a share of the characters read, shape (R, T); 0 if no characters are read."""
        return self.found / np.maximum(self.size, 1)


@dataclass(frozen=True, slots=True, repr=False)
class OfInterpolatedPrecision(OfText[ShownText], ABC):
    """A measure, or a family of measures, of precision at levels of recall, both counted in characters.

    Args:
        overlap: ``"refuse"``: an error is raised if results of a list overlap, as in the focused task. ``"unseen"``:
            a character counts only for the first result of the list that contains the character, as in the thorough task.

    Raises:
        CollectionError: Results of a list overlap, and `overlap` is "refuse". The length of a whole document is unknown. Either error is
            raised when runs are evaluated.
    """

    overlap: str = parameter("refuse", Choice(("refuse", "unseen")))

    def __call__(self, **changes: Unpack[OverlapParameters]) -> Self:
        return self._changed(changes)

    def view(self, judged: JudgedRuns, quantisation: Quantisation | None) -> ShownText:
        shown = recalled(judged.texts, "unseen" if self.overlap == "unseen" else "refuse", judged.compat)
        return ShownText(judged.texts.highlights.totals[judged.topic_span], judged.compat, shown)


@word("iP")
@dataclass(frozen=True, slots=True, repr=False)
class InterpolatedPrecision(OfInterpolatedPrecision, ViewFamily[ShownText, float]):
    """Interpolated precision at a recall level: the highest character precision at any rank whose recall is at least this level.

    iP[x] is 0 if the list never reaches recall x; iP[0] is the highest precision at any rank. An empty result does not change the score.
    None of the characters of a result with an unknown position is highlighted; there are 18 if its length is unknown too.

    Formula:
        iP[x] = max_(r : R[r] >= x) P[r]
        P[r] = (sum_(i=1)^r rsize_i) / (sum_(i=1)^r size_i)
        R[r] = (1 / Trel) sum_(i=1)^r rsize_i
        where
            x: a recall level from 0 to 1
            r: a rank of the list
            size_i: the number of characters of the result at rank i
            rsize_i: the number of highlighted characters of the result at rank i
            Trel: the number of highlighted characters for the topic

    Computed: Numbers of characters are compared as integers. The recall level x has the exact decimal value that is written in the formula.

    Notes:
        * Whole documents with unknown length: A retrieved whole document of unknown length is an error even if the document was not
          assessed, because its characters count as retrieved.
        * Overlapping results that an error message names: The message names the first result of a ranking that overlaps an earlier
          result, and the first of the earlier results that it overlaps.
        * Recall levels under `compat="inex_eval"`: INEX's evaluator supports only recall levels that are multiples of 0.01. Other
          levels follow the published definition under ``compat="inex_eval"`` as well.

    Source: Kamps, Pehcevski, Kazai, Lalmas & Robertson (2008), for INEX 2007 to 2010; Cherukuri (2010), section 2.3.

    Examples:
        200 characters are highlighted. Each of the three results has 50 characters, of which 50, 0 and 50 are highlighted.
        At ranks 1 and 3, recall is .25 and .5, and precision is 50/50 = 1 and 100/150 = .6667:

        >>> from inexmetrics import from_frames, iP, run, scores
        >>> judged = {"topic_id": ["1"] * 2, "doc_id": ["a", "b"], "start": [0, 0], "length": [50, 150]}
        >>> ranked = {"topic_id": ["1"] * 3, "doc_id": list("axb"), "start": [0] * 3, "length": [50] * 3}
        >>> collection = from_frames(judged, ranked)
        >>> run(scores((iP @ 0.25, iP @ 0.5, iP @ 0.75)), collection).table["mean"].round(4).to_list()
        [1.0, 0.6667, 0.0]
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
    """Mean interpolated precision over the recall levels 0, .01, ..., 1 (AiP), in characters.

    The mean of AiP over topics is MAiP. The curve of the measure is iP.

    Formula:
        AiP = (1 / 101) sum_(x) iP[x]
        where
            x: a recall level, 0, .01 .. 1
            iP[x]: interpolated precision, as defined by `iP`

    Source: Kamps, Pehcevski, Kazai, Lalmas & Robertson (2008), for INEX 2007 to 2010; Cherukuri (2010), section 2.3.

    Examples:
        200 characters are highlighted. Each of the three results has 50 characters, of which 50, 0 and 50 are highlighted.
        iP is 1 at the 26 levels up to .25, 2/3 at the 25 levels up to .5, and 0 at higher levels; (26 + 25 * 2/3) / 101 = .4224:

        >>> from inexmetrics import MAiP, from_frames, run, scores
        >>> judged = {"topic_id": ["1"] * 2, "doc_id": ["a", "b"], "start": [0, 0], "length": [50, 150]}
        >>> ranked = {"topic_id": ["1"] * 3, "doc_id": list("axb"), "start": [0] * 3, "length": [50] * 3}
        >>> collection = from_frames(judged, ranked)
        >>> run(scores(MAiP), collection).table["mean"].round(4).item()
        0.4224
    """

    axes: ClassVar[Axes] = Axes("recall", "interpolated precision")
    levels: ClassVar[tuple[float, ...]] = LEVELS

    def scores(self, view: ShownText) -> FloatArray:
        return means(self.curve_of(view))

    def curve_of(self, view: ShownText) -> FloatArray:
        return view.defined(view.recalled.best(view.reached(), len(LEVELS)).reshape(-1, len(view.totals), len(LEVELS)))


@dataclass(frozen=True, slots=True, repr=False)
class OfReadText(OfText[ReadText], ViewMeasure[ReadText], ABC):
    """A measure of the text that a user reads from a list: either the whole text of the list or its first characters.

    Args:
        budget: Maximum number of characters read from a list; `repeated` states how repeated text is counted. The last result may be
            read only in part, from its start. By default, the whole list is read.
        repeated: Treatment of text that several results of a list contain. ``"once"``: the text counts once, as for a user who skips
            text already read. ``"counts"``: the number of characters read includes each repetition, as in the prompt of a language model.
            The number of highlighted characters read never includes repetitions.

    Raises:
        CollectionError: The length of a retrieved whole document is unknown. The error is raised when runs are evaluated.
    """

    budget: int | None = parameter(None, Optional(Integer(at_least=1)))
    repeated: str = parameter("once", Choice(("once", "counts")))

    def __call__(self, **changes: Unpack[ReadParameters]) -> Self:
        return self._changed(changes)

    @property
    def cut_text(self) -> Budget | None:
        return None if self.budget is None else Budget(self.budget, self._counted)

    @property
    def _counted(self) -> Repeated:
        return "once" if self.repeated == "once" else "counts"

    def view(self, judged: JudgedRuns, quantisation: Quantisation | None) -> ReadText:
        part = read(judged.texts, self._counted, self.budget, judged.compat)
        totals = judged.texts.highlights.totals[judged.topic_span]
        return ReadText(totals, judged.compat, judged.texts.summed(part.sizes), judged.texts.summed(part.highlighted))


@word("char_prec")
@dataclass(frozen=True, slots=True, repr=False)
class CharacterPrecision(OfReadText):
    """Character precision: the highlighted share of the text read from a list; 0 if nothing is read.

    None of the characters of a result with an unknown position is highlighted; there are 18 if its length is unknown too.

    Formula:
        P = |H ∩ S| / |S|
        where
            H: the set of highlighted characters for the topic
            S: the set of characters read; under `repeated="counts"` |S| counts a character each time that a result shows it

    Notes:
        * Overlap and empty results: Overlapping results are accepted. If all results of a ranking have length 0, precision is 0.
        * Results without characters: Results without characters do not affect the score and do not overlap another result. A result
          with an unknown position does not overlap another result, and each one adds its characters. If one result ends where the next
          starts, the two do not overlap.
        * Overlap under `compat="inex_eval"`: In the focused task, the evaluator rejects a ranking with overlapping results, or with an
          empty result inside an earlier result. For these rankings, the measures ``char_*`` follow the evaluator's rules for the
          thorough task; for other rankings, its rules for the focused task. If all results have length 0, the published definition is
          used.
        * Options that INEX's evaluator lacks: With a budget, characters count once, as in the evaluator. ``repeated="counts"`` gives
          the same value with and without ``compat``. For a topic without highlighted text, `char_iou` and `char_f1` are then 0.
        * Budgets: A result with an unknown position uses the budget as any other result does. A whole document of unknown length is an
          error even after the budget has run out. With ``repeated="once"``, only characters that earlier results did not show use up the
          budget. A list with fewer characters than the budget is scored by what it contains, without a warning, as `P@10` scores a list of
          seven documents.
        * Largest offset: Results, highlighted passages and assessed documents that extend beyond the first 2^32 characters of a
          document are errors.

    Source: Kamps, Pehcevski, Kazai, Lalmas & Robertson (2008), for INEX 2007 to 2010.

    Examples:
        200 characters are highlighted. Each of the three results has 50 characters, of which 50, 0 and 50 are highlighted. 100/150 = .6667.
        The first 60 characters end with the 10th character of the second result: 50/60 = .8333:

        >>> from inexmetrics import char_prec, from_frames, run, scores
        >>> judged = {"topic_id": ["1"] * 2, "doc_id": ["a", "b"], "start": [0, 0], "length": [50, 150]}
        >>> ranked = {"topic_id": ["1"] * 3, "doc_id": list("axb"), "start": [0] * 3, "length": [50] * 3}
        >>> collection = from_frames(judged, ranked)
        >>> run(scores((char_prec, char_prec(budget=60))), collection).table["mean"].round(4).to_list()
        [0.6667, 0.8333]
    """

    def scores(self, view: ReadText) -> FloatArray:
        return view.defined(view.precision)


@word("char_rec")
@dataclass(frozen=True, slots=True, repr=False)
class CharacterRecall(OfReadText):
    """Character recall: the share of the topic's highlighted text that is read.

    Formula:
        R = |H ∩ S| / |H|
        where
            H: the set of highlighted characters for the topic
            S: the set of characters read

    Source: Kamps, Pehcevski, Kazai, Lalmas & Robertson (2008), for INEX 2007 to 2010.

    Examples:
        200 characters are highlighted. Each of the three results has 50 characters, of which 50, 0 and 50 are highlighted. 100/200 = .5.
        The first 60 characters end with the 10th character of the second result: 50/200 = .25:

        >>> from inexmetrics import char_rec, from_frames, run, scores
        >>> judged = {"topic_id": ["1"] * 2, "doc_id": ["a", "b"], "start": [0, 0], "length": [50, 150]}
        >>> ranked = {"topic_id": ["1"] * 3, "doc_id": list("axb"), "start": [0] * 3, "length": [50] * 3}
        >>> collection = from_frames(judged, ranked)
        >>> run(scores((char_rec, char_rec(budget=60))), collection).table["mean"].to_list()
        [0.5, 0.25]
    """

    def scores(self, view: ReadText) -> FloatArray:
        return share(view.found.astype(np.float64), view.totals)


@word("char_f1")
@dataclass(frozen=True, slots=True, repr=False)
class CharacterF1(OfReadText):
    """F1 score of character precision and recall; 0 if precision is 0.

    Formula:
        F1 = 2 P R / (P + R)
        where
            P: precision in characters, as defined by `char_prec`
            R: recall in characters, as defined by `char_rec`

    Source: Kamps, Pehcevski, Kazai, Lalmas & Robertson (2008), for INEX 2007 to 2010.

    Examples:
        200 characters are highlighted. Each of the three results has 50 characters, of which 50, 0 and 50 are highlighted. P = 100/150,
        R = 100/200, and 2 P R / (P + R) = 2 * 100 / (150 + 200) = .5714. The first 60 characters end with the 10th character of the
        second result: P = 50/60, R = 50/200, 2 * 50 / (60 + 200) = .3846:

        >>> from inexmetrics import char_f1, from_frames, run, scores
        >>> judged = {"topic_id": ["1"] * 2, "doc_id": ["a", "b"], "start": [0, 0], "length": [50, 150]}
        >>> ranked = {"topic_id": ["1"] * 3, "doc_id": list("axb"), "start": [0] * 3, "length": [50] * 3}
        >>> collection = from_frames(judged, ranked)
        >>> run(scores((char_f1, char_f1(budget=60))), collection).table["mean"].round(4).to_list()
        [0.5714, 0.3846]
    """

    def scores(self, view: ReadText) -> FloatArray:
        precision, recall = view.precision, view.found / np.maximum(view.totals, 1)
        f1 = np.zeros(precision.shape)
        np.divide(2.0 * precision * recall, precision + recall, out=f1, where=view.found > 0)
        return view.defined(f1)


@word("char_iou")
@dataclass(frozen=True, slots=True, repr=False)
class CharacterIoU(OfReadText):
    """Intersection over union in characters: text both read and highlighted, divided by all text read or highlighted.

    With precision P and recall R, the intersection over union is P R / (P + R - P R). With ``repeated="counts"``, the measure equals the
    IoU of Chroma's chunking_evaluation.

    Formula:
        IoU = |H ∩ S| / (|S| + |H| - |H ∩ S|)
        where
            H: the set of highlighted characters for the topic
            S: the set of characters read; under `repeated="counts"` |S| counts a character each time that a result shows it

    Source: Smith & Troynikov (2024).

    Examples:
        200 characters are highlighted. Each of the three results has 50 characters, of which 50, 0 and 50 are highlighted.
        100 / (150 + 200 - 100) = .4. The first 60 characters end with the 10th character of the second result:
        50 / (60 + 200 - 50) = .2381:

        >>> from inexmetrics import char_iou, from_frames, run, scores
        >>> judged = {"topic_id": ["1"] * 2, "doc_id": ["a", "b"], "start": [0, 0], "length": [50, 150]}
        >>> ranked = {"topic_id": ["1"] * 3, "doc_id": list("axb"), "start": [0] * 3, "length": [50] * 3}
        >>> collection = from_frames(judged, ranked)
        >>> run(scores((char_iou, char_iou(budget=60))), collection).table["mean"].round(4).to_list()
        [0.4, 0.2381]
    """

    def scores(self, view: ReadText) -> FloatArray:
        return view.defined(view.found / np.maximum(view.size + view.totals - view.found, 1))


iP: Final = InterpolatedPrecision()
MAiP: Final = MeanInterpolatedPrecision()
char_prec: Final = CharacterPrecision()
char_rec: Final = CharacterRecall()
char_f1: Final = CharacterF1()
char_iou: Final = CharacterIoU()
