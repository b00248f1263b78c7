"""Document scores: how well the retrieved parts of a relevant document match its highlighted text."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final, Literal, Required, Self, TypedDict, Unpack, overload

import numpy as np

from inexmetrics.common import errors, messages
from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.common.options import Compat
from inexmetrics.measures.base import OfText
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.ranking import JudgedItems, JudgedRuns
from inexmetrics.ranking.passages.contexts import Contexts, read_until
from inexmetrics.terms import Choice, Integer, Number, Optional, Term, parameter

__all__ = [
    "DocumentScoreParameters",
    "EntryPointParameters",
    "FScoreParameters",
    "OfContexts",
    "OfDocumentScores",
    "RelevantRetrieved",
    "ToleranceParameters",
]

BELONGING: Final[Mapping[str, Mapping[str, float | None]]] = {
    "f": {"beta": 1.0},
    "bep": {"n": 500, "a": None},
    "t2i": {"tolerance": 300},
}
"""Parameters of each document score, with their default values."""


class FScoreParameters(TypedDict, total=False):
    """The parameters of the F score."""

    score: Literal["f"]
    beta: float


class EntryPointParameters(TypedDict, total=False):
    """The parameters of the score that is based on the distance from the best entry point."""

    score: Required[Literal["bep"]]
    n: int
    a: float


class ToleranceParameters(TypedDict, total=False):
    """The parameters of the tolerance-to-irrelevance score."""

    score: Required[Literal["t2i"]]
    tolerance: int


class DocumentScoreParameters(TypedDict, total=False):
    """Parameters of the three document scores. A parameter that does not belong to the selected score raises an error."""

    score: Literal["f", "bep", "t2i"]
    beta: float
    n: int
    a: float
    tolerance: int


@dataclass(frozen=True, eq=False)
class RelevantRetrieved:
    """Retrieved relevant documents of a batch, with the amount of relevant text for each topic. R runs, T topics, H documents.

    Attributes:
        contexts: Retrieved relevant documents with their retrieved parts.
        totals: Number of highlighted characters for each topic (Trel), shape (T,).
        counts: Number of relevant documents for each topic (Nrel), shape (T,).
        items: Judged items, with the lengths of documents.
        compat: Evaluator whose deviations from the definitions are reproduced, or None.
    """

    contexts: Contexts
    totals: IntArray
    counts: IntArray
    items: JudgedItems
    compat: Compat | None

    @cached_property
    def numbers(self) -> IntArray:
        """Position of each relevant document among the relevant documents of its list, counted from 1, shape (H,)."""
        lists = self.contexts.lists
        return np.arange(1, len(lists) + 1) - np.searchsorted(lists, lists)

    def laid_out(self, values: FloatArray) -> FloatArray:
        """Returns one row of document values per list, in rank order, padded with 0, shape (R * T, largest number of documents)."""
        laid = np.zeros((self.contexts.lengths.size, int(self.numbers.max(initial=0))))
        laid[self.contexts.lists, self.numbers - 1] = values
        return laid

    def precision(self, scores: FloatArray) -> FloatArray:
        """Returns generalised precision (gP) at the rank of each relevant document, shape (H,). Scores are added in rank order."""
        cumulated: FloatArray = np.add.accumulate(self.laid_out(scores), axis=1)
        return cumulated[self.contexts.lists, self.numbers - 1] / self.contexts.ranks

    def summed(self, values: FloatArray) -> FloatArray:
        """Returns the sum of values over the relevant documents in each list, added in rank order, shape (R, T)."""
        lengths = self.contexts.lengths
        sums = np.bincount(self.contexts.lists, weights=values, minlength=lengths.size)
        return sums.astype(np.float64, copy=False).reshape(lengths.shape)

    def within(self, rank: int, values: FloatArray | IntArray) -> FloatArray:
        """Returns the sum of values over the relevant documents in each list up to a given rank, shape (R, T)."""
        return self.summed(np.where(self.contexts.ranks <= rank, values, 0.0))


class OfContexts(OfText[RelevantRetrieved], ABC):
    """A measure, or a family of measures, of ranked documents, each of which has one or more retrieved parts.

    Raises:
        CollectionError: When runs are evaluated, results overlap or are not grouped by document, or the document score needs a length that
            is unknown.
    """

    __slots__ = ()

    def view(self, judged: JudgedRuns, quantisation: Quantisation | None) -> RelevantRetrieved:
        contexts, topics = judged.contexts, judged.topic_span
        totals, counts = contexts.highlights.totals[topics], contexts.highlights.counts[topics]
        return RelevantRetrieved(contexts, totals, counts, judged.assessed, judged.compat)


@dataclass(frozen=True, slots=True, repr=False)
class OfDocumentScores(OfContexts, ABC):
    """A measure, or a family of measures, of ranked documents that are scored by their retrieved parts.

    None of the characters of a result with an unknown position is highlighted; there are 18 if its length is unknown too. Results with
    unknown positions are never entry points, and users do not read them.

    Args:
        score: The score S of a document, which is 0 unless the document has highlighted text. With ``"f"``, S is the F score of the
            retrieved parts and the highlighted text. With ``"bep"``, which allows one result per document, S measures how near the start of
            the result is to the best entry point. With ``"t2i"``, S is the highlighted share of the characters that a user reads. The user
            reads the retrieved parts in document order, then the rest of the document in document order, and stops after `tolerance`
            irrelevant characters.
        beta: Weight of recall in the F score: S = (1 + beta^2) P R / (beta^2 P + R). P is the highlighted share of the characters
            retrieved, and R is the retrieved share of the characters highlighted. S is 0 if no highlighted text is retrieved. INEX used
            beta = 1 until 2007, and .25 from 2008 on.
        n: Shortest distance from the best entry point, in characters before or after it, at which an entry point scores 0. At a distance
            d < n, S = (n - d) / n. INEX 2007 used n = 1000.
        a: If `a` is given, an entry point at distance d from the best entry point scores S = a L / (a L + d), as at INEX 2006. L is the
            mean length of documents in characters, from the structure or, without a structure, from the assessments.
        tolerance: Number of irrelevant characters after which the user stops reading.
    """

    none_means: ClassVar[Mapping[str, object]] = {name: value for values in BELONGING.values() for name, value in values.items()}

    score: str = parameter("f", Choice(tuple(BELONGING)))
    # The default value of the selected score is stored as None, so that equal measures have the same text in formulas.
    beta: float | None = parameter(None, Optional(Number(at_least=0.0, at_most=1e6)))
    n: int | None = parameter(None, Optional(Integer(at_least=1)))
    a: float | None = parameter(None, Optional(Number(at_least=1e-6, at_most=1e6)))
    tolerance: int | None = parameter(None, Optional(Integer(at_least=1)))

    def __post_init__(self) -> None:
        Term.__post_init__(self)
        given = {name: value for name in ("beta", "n", "a", "tolerance") if (value := getattr(self, name)) is not None}
        for name, value in given.items():
            if name not in BELONGING[self.score]:
                score = next(score for score, names in BELONGING.items() if name in names)
                raise errors.FormulaError(
                    f"{self.word}: {name}: expected score={messages.canonical(score)}, found score={messages.canonical(self.score)}",
                    hint=f"write {self.word}({'' if score == 'f' else f'score={messages.canonical(score)}, '}{name}={messages.canonical(value)})",
                )
            if value == BELONGING[self.score][name]:
                object.__setattr__(self, name, None)
        if "n" in given and "a" in given:
            raise errors.FormulaError(f"{self.word}: expected either n or a, found both; n and a score entry points in different ways")

    @overload
    def __call__(self, **changes: Unpack[FScoreParameters]) -> Self: ...
    @overload
    def __call__(self, **changes: Unpack[EntryPointParameters]) -> Self: ...
    @overload
    def __call__(self, **changes: Unpack[ToleranceParameters]) -> Self: ...
    def __call__(self, **changes: Unpack[DocumentScoreParameters]) -> Self:
        return self._changed(changes)

    def document_scores(self, view: RelevantRetrieved) -> FloatArray:
        """Returns the score of each retrieved relevant document, in rank order."""
        contexts = view.contexts
        match self.score:
            case "bep":
                entries, best = contexts.entries(), contexts.highlights.bep[contexts.documents]
                known = (entries >= 0) & (best >= 0)
                if view.compat is not None:
                    # The evaluator ignores the best entry point of a document if the line of the document has no passages.
                    known &= np.diff(contexts.highlights.firsts)[contexts.documents] > 0
                distances = np.abs(entries - best)
                if self.a is not None and known.any():
                    forgiven = self.a * view.items.mean_document_length
                    return np.where(known, forgiven / (forgiven + distances), 0.0)
                n = 500 if self.n is None else self.n
                return np.where(known, np.maximum(n - distances, 0) / n, 0.0)
            case "t2i":
                lengths = contexts.known_lengths(view.items.document_lengths)
                relevant, read = read_until(contexts, lengths, self.tolerance or 300)
                return np.divide(relevant, read, out=np.zeros(len(read)), where=read > 0)
            case _:
                # F score of each document, computed with the same order of operations as in INEX's evaluator.
                beta = 1.0 if self.beta is None else self.beta
                found = contexts.found
                precision, recall = found / np.maximum(contexts.sizes, 1), found / contexts.relchars
                weight = beta * beta
                return np.divide((1 + weight) * precision * recall, weight * precision + recall, out=np.zeros(len(found)), where=found > 0)
