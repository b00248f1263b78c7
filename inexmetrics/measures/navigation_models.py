"""Navigation models: no navigation, moves in the document tree, moves to nearby text, reading on, and combinations of two models."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Final, Self, TypedDict, Unpack

import numpy as np
import polars as pl

from inexmetrics.common import elementary, errors, messages
from inexmetrics.common.arrays import FloatArray
from inexmetrics.measures.navigation import Navigation, WithinDocuments
from inexmetrics.ranking.navigation.routes import IdealElements, Meetings, Routes, joined
from inexmetrics.terms import Integer, Number, Term, TermOf, parameter, required, word

__all__ = [
    "Distance",
    "Either",
    "EntryPoint",
    "Hierarchy",
    "NoNavigation",
    "Tolerance",
    "bep",
    "distance",
    "either",
    "hierarchy",
    "none",
    "tolerance",
]


@word("none")
@dataclass(frozen=True, slots=True, repr=False)
class NoNavigation(WithinDocuments):
    """Users do not browse, and see only the results themselves.

    With binary idealities and without navigation, EPRUM equals precision at natural recall points, and MAEPRUM equals average precision.

    Formula:
        P(k~>x) = 1 "for the element itself, else" 0
        where
            k: the result from which users start
            x: an ideal element

    Source: Piwowarski & Dupret (2006), section 3.3.

    Examples:
        The one relevant document is at rank 2, and users find it only there:

        >>> from inexmetrics import MAEPRUM, from_frames, none, run, scores
        >>> collection = from_frames({"1": {"a": 1}}, {"1": {"x": 2.0, "a": 1.0}})
        >>> run(scores(MAEPRUM(navigation=none)), collection).table["mean"].item()
        0.5
    """

    direct: ClassVar[bool] = True
    reads_characters: ClassVar[bool] = False

    def chances(self, met: Meetings) -> FloatArray:
        return met.same.astype(np.float64)


class HierarchyParameters(TypedDict, total=False):
    """The parameter of the navigation model `hierarchy`."""

    siblings: float


@word("hierarchy")
@dataclass(frozen=True, slots=True, repr=False)
class Hierarchy(WithinDocuments):
    """Users go up and down in the document tree; the probability of a move grows with the share of text that both elements have in common.

    The probability is 1 for the element where users are. The probability of a move from one element to another is 0 if neither element
    contains the other. For passages, character offsets determine whether a passage contains an element, or an element contains a passage.

    Users may also go on to a sibling, which is an element with the same parent path. The paper states neither a formula nor a value
    for siblings; in this model, the probability is the same for each sibling, and 0 by default.

    Formula:
        P(k~>x) = min(L_k, L_x) / max(L_k, L_x) "where one contains the other"
        P(k~>x) = q "where the two are siblings"
        where
            k: the result from which users start
            x: an ideal element
            L_k: the length of k in characters, from the structure or else from the assessments; L_x is the length of x
            q: the probability that users go on to a given sibling, `siblings`

    Args:
        siblings: Probability that users go on to a given sibling, from 0 to 1. If `siblings` is above 0, the ideal list is found by
            search.

    Notes:
        * Siblings: Piwowarski and Dupret (2006, section 3.2) let users navigate to siblings, but give no probability. Root elements and
          passages do not have siblings. ``degradation(…, axis="siblings")`` replaces an element at most once.

    Source: Piwowarski & Dupret (2006), section 7, and section 3.2 on siblings.

    Examples:
        Paragraph p[1] is ideal; it is the first 200 of the 500 characters of section s[1]. The list contains section s[2], which follows
        s[1] and starts at 500, and then s[1]. Users do not find the paragraph from s[2]. From s[1], at rank 2, they find it with
        probability 200/500 = .4; .4/2 = .2:

        >>> from inexmetrics import MAEPRUM, BinExh, from_frames, hierarchy, run, scores
        >>> paths = ["/a[1]/s[1]", "/a[1]/s[1]/p[1]", "/a[1]/s[2]"]
        >>> tree = {"doc_id": ["d"] * 3, "path": paths, "start": [0, 0, 500], "length": [500, 200, 500]}
        >>> judged = {"topic_id": ["1"] * 2, "doc_id": ["d"] * 2, "path": paths[1:], "specificity": [1, 0]}
        >>> ranked = {"topic_id": ["1"] * 2, "doc_id": ["d"] * 2, "path": [paths[2], paths[0]]}
        >>> collection = from_frames(judged, ranked, tree)
        >>> run(scores(MAEPRUM(navigation=hierarchy), BinExh), collection).table["mean"].round(4).item()
        0.2

        If s[1] is ideal and users go on to each sibling with probability .3, they find s[1] from s[2] with probability .3, and otherwise
        at rank 2; .3 + .7/2 = .65:

        >>> judged["path"] = [paths[0], paths[2]]
        >>> collection = from_frames(judged, ranked, tree)
        >>> browsing = MAEPRUM(navigation=hierarchy(siblings=0.3))
        >>> run(scores(browsing, BinExh), collection).table["mean"].round(4).item()
        0.65
    """

    siblings: float = parameter(0.0, Number(at_least=0.0, at_most=1.0))

    def __call__(self, **changes: Unpack[HierarchyParameters]) -> Self:
        return self._changed(changes)

    @property
    def direct(self) -> bool:
        return self.siblings == 0.0

    def chances(self, met: Meetings) -> FloatArray:
        shared = met.shared(self.word)
        return shared if self.direct else np.where(met.siblings, self.siblings, shared)


@word("distance")
@dataclass(frozen=True, slots=True, repr=False)
class Distance(WithinDocuments):
    """Users browse within the document of a result; the probability of reaching an element decays with its distance from the result.

    The probability is 1 for the element where users are.

    Formula:
        P(k~>x) = 1 / (1 + e^(theta d)) "within the document, else" 0
        where
            k: the result from which users start
            x: an ideal element other than k
            d: the number of characters between the start of k and the start of x

    Args:
        theta: Rate of decay per character, above 0 and at most a million.

    Source: Piwowarski & Dupret (2006), section 3.3, with probability 1 of reaching the element where users are.

    Examples:
        Paragraph p[1] is ideal; it is the first 200 of the 500 characters of section s[1]. The list contains section s[2], which follows
        s[1] and starts at 500, and then s[1]. Users find the paragraph from s[2] with probability 1 / (1 + e) = .2689. Otherwise they
        find it from s[1], at distance d = 0, with probability 1/2; .2689 + .7311 * (1/2) / 2 = .4517:

        >>> from inexmetrics import MAEPRUM, BinExh, distance, from_frames, run, scores
        >>> paths = ["/a[1]/s[1]", "/a[1]/s[1]/p[1]", "/a[1]/s[2]"]
        >>> tree = {"doc_id": ["d"] * 3, "path": paths, "start": [0, 0, 500], "length": [500, 200, 500]}
        >>> judged = {"topic_id": ["1"] * 2, "doc_id": ["d"] * 2, "path": paths[1:], "specificity": [1, 0]}
        >>> ranked = {"topic_id": ["1"] * 2, "doc_id": ["d"] * 2, "path": [paths[2], paths[0]]}
        >>> collection = from_frames(judged, ranked, tree)
        >>> found = run(scores(MAEPRUM(navigation=distance(0.002)), BinExh), collection)
        >>> found.table["mean"].round(4).item()
        0.4517
    """

    theta: float = field(metadata=required(Number(above=0.0, at_most=1e6)))

    def __str__(self) -> str:
        return f"{self.word}({messages.canonical(self.theta)})"

    def chances(self, met: Meetings) -> FloatArray:
        if met.ideals.documents:
            return np.ones(len(met.points))
        faded = elementary.exp(np.multiply(-self.theta, met.apart(str(self)), dtype=np.float64))
        return np.where(met.same, 1.0, faded / (1.0 + faded))


@word("bep")
@dataclass(frozen=True, slots=True, repr=False)
class EntryPoint(WithinDocuments):
    """Users start at a result and look for the best entry point; the probability of success decays with the distance between the two.

    Without a quantisation, a relevant document is treated as starting at its best entry point if the assessments contain one. The start of
    a result is its offset in the document.

    Formula:
        P(k~>x) = a L / (a L + d) "within the document, else" 0
        where
            k: the result from which users start
            x: an ideal element, or the best entry point of a relevant document
            L: the mean length of documents, in characters
            d: the number of characters between the start of k and the start of x

    Args:
        a: Distance at which users succeed with probability 1/2, as a multiple of the mean length of documents.

    Source: Lalmas, Kazai, Kamps, Pehcevski, Piwowarski & Robertson (2007), for the Best in Context task of INEX 2006.

    Examples:
        Paragraph p[1] is ideal; it is the first 200 of the 500 characters of section s[1]. The list contains section s[2], which follows
        s[1] and starts at 500, and then s[1]. With L = 1000 and a = .1, users find the paragraph from s[2] with probability 100 / (100 +
        500) = 1/6. Otherwise they certainly find it from s[1]; 1/6 + (5/6) / 2 = .5833:

        >>> from inexmetrics import MAEPRUM, BinExh, bep, from_frames, run, scores
        >>> paths = ["/a[1]", "/a[1]/s[1]", "/a[1]/s[1]/p[1]", "/a[1]/s[2]"]
        >>> starts, lengths = [0, 0, 0, 500], [1000, 500, 200, 500]
        >>> tree = {"doc_id": ["d"] * 4, "path": paths, "start": starts, "length": lengths}
        >>> judged = {"topic_id": ["1"] * 2, "doc_id": ["d"] * 2, "path": paths[2:], "specificity": [1, 0]}
        >>> ranked = {"topic_id": ["1"] * 2, "doc_id": ["d"] * 2, "path": [paths[3], paths[1]]}
        >>> collection = from_frames(judged, ranked, tree)
        >>> run(scores(MAEPRUM(navigation=bep(0.1)), BinExh), collection).table["mean"].round(4).item()
        0.5833
    """

    a: float = field(metadata=required(Number(at_least=1e-6, at_most=1e6)))

    def __str__(self) -> str:
        return f"{self.word}({messages.canonical(self.a)})"

    def chances(self, met: Meetings) -> FloatArray:
        reach = self.a * met.ideals.mean_document_length
        return np.where(met.unresolved, 0.0, reach / (reach + met.apart(str(self))))


@word("tolerance")
@dataclass(frozen=True, slots=True, repr=False)
class Tolerance(WithinDocuments):
    """Users read on from a result until they have read a given number of irrelevant characters.

    Users do not read backwards. If a result is inside an ideal element, users have found the ideal element.

    Formula:
        P(k~>x) = 1 "if" n < c "else" 0
        where
            k: the result from which users start
            x: an ideal element
            n: the number of characters outside of all ideal elements between the start of k and the start of x
            c: the number of irrelevant characters at which users stop, `characters`

    Args:
        characters: Number of irrelevant characters at which users stop, at least 1.

    Notes:
        * Irrelevant characters: Characters outside all ideal elements of the topic count as irrelevant.

    Source: tolerance to irrelevance, de Vries, Kazai & Lalmas (2004), used as a navigation model by Piwowarski & Dupret (2006),
    section 6.

    Examples:
        Paragraph p[1] is ideal; it is the first 200 of the 500 characters of section s[1]. The list contains section s[2], which follows
        s[1] and starts at 500, and then s[1]. The paragraph is before s[2], so users who read on from s[2] do not find it; from s[1],
        at rank 2, they find it:

        >>> from inexmetrics import MAEPRUM, BinExh, from_frames, run, scores, tolerance
        >>> paths = ["/a[1]/s[1]", "/a[1]/s[1]/p[1]", "/a[1]/s[2]"]
        >>> tree = {"doc_id": ["d"] * 3, "path": paths, "start": [0, 0, 500], "length": [500, 200, 500]}
        >>> judged = {"topic_id": ["1"] * 2, "doc_id": ["d"] * 2, "path": paths[1:], "specificity": [1, 0]}
        >>> ranked = {"topic_id": ["1"] * 2, "doc_id": ["d"] * 2, "path": [paths[2], paths[0]]}
        >>> collection = from_frames(judged, ranked, tree)
        >>> run(scores(MAEPRUM(navigation=tolerance(300)), BinExh), collection).table["mean"].item()
        0.5
    """

    characters: int = field(metadata=required(Integer(at_least=1)))

    def __str__(self) -> str:
        return f"{self.word}({messages.canonical(self.characters)})"

    def chances(self, met: Meetings) -> FloatArray:
        if met.ideals.documents:
            return np.ones(len(met.points))
        ahead = met.ahead(str(self))
        return ((ahead >= 0) & (ahead < self.characters)).astype(np.float64)


@word("either")
@dataclass(frozen=True, slots=True, repr=False)
class Either(Navigation):
    """Users reach an element if at least one of two independent navigation models leads to the element (noisy-or).

    Formula:
        P(k~>x) = 1 - (1 - P_1(k~>x)) (1 - P_2(k~>x))
        where
            k: the result from which users start
            x: an ideal element
            P_1: the probability under the first model; P_2 is the probability under the second model

    Args:
        one: First navigation model.
        other: Second navigation model; it must not contain a model that `one` contains.

    Raises:
        FormulaError: Both arguments contain the same model.

    Source: Piwowarski & Dupret (2006), equation 1, applied to the paths of both models.

    Examples:
        Paragraph p[1] is ideal; it is the first 200 of the 500 characters of section s[1]. The list contains section s[2], which follows
        s[1] and starts at 500, and then s[1]. From s[2] users find the paragraph only under the model `distance`, with probability
        1 / (1 + e) = .2689. From s[1] they find it with probability 1 - (1 - .4) (1 - .5) = .7; .2689 + .7311 * .7 / 2 = .5248:

        >>> from inexmetrics import MAEPRUM, BinExh, distance, either, from_frames, hierarchy, run, scores
        >>> paths = ["/a[1]/s[1]", "/a[1]/s[1]/p[1]", "/a[1]/s[2]"]
        >>> tree = {"doc_id": ["d"] * 3, "path": paths, "start": [0, 0, 500], "length": [500, 200, 500]}
        >>> judged = {"topic_id": ["1"] * 2, "doc_id": ["d"] * 2, "path": paths[1:], "specificity": [1, 0]}
        >>> ranked = {"topic_id": ["1"] * 2, "doc_id": ["d"] * 2, "path": [paths[2], paths[0]]}
        >>> collection = from_frames(judged, ranked, tree)
        >>> experiment = scores(MAEPRUM(navigation=either(hierarchy, distance(0.002))), BinExh)
        >>> run(experiment, collection).table["mean"].round(4).item()
        0.5248
    """

    one: Navigation = field(metadata=required(TermOf(Navigation), example="hierarchy"))
    other: Navigation = field(metadata=required(TermOf(Navigation), example="distance(0.01)"))

    def __post_init__(self) -> None:
        Term.__post_init__(self)
        others = frozenset(_parts(self.other))
        twice = next((model for model in _parts(self.one) if model in others), None)
        if twice is not None:
            raise errors.FormulaError(f"either: expected two different models, found {twice} twice")

    def __str__(self) -> str:
        return f"{self.word}({self.one}, {self.other})"

    @property
    def direct(self) -> bool:
        # Of the other models, only `none` and `hierarchy` (without siblings) are direct. A combination of these two models is
        # also direct, because `hierarchy` reaches every element that `none` reaches.
        return self.one.direct and self.other.direct

    @property
    def reads_characters(self) -> bool:
        return self.one.reads_characters or self.other.reads_characters

    def routes(self, points: pl.DataFrame, ideals: IdealElements) -> Routes:
        return joined([self.one.routes(points, ideals), self.other.routes(points, ideals)])

    @property
    def sources(self) -> pl.DataFrame:
        return pl.concat((self.one.sources, self.other.sources))


def _parts(navigation: Navigation) -> tuple[Navigation, ...]:
    """Returns the simple models that a model combines; for a simple model, the model itself."""
    return (*_parts(navigation.one), *_parts(navigation.other)) if isinstance(navigation, Either) else (navigation,)


either: Final = Either
distance: Final = Distance
bep: Final = EntryPoint
tolerance: Final = Tolerance
none: Final = NoNavigation()
hierarchy: Final = Hierarchy()
