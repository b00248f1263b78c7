"""Navigation within a document: none, through the tree, or on in the text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.messages import canonical
from inexmetrics.measures.navigation import WithinDocuments
from inexmetrics.ranking.navigation.routes import Meetings
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Integer, Number
from inexmetrics.terms.term import required

__all__ = ["Distance", "EntryPoint", "Hierarchy", "NoNavigation", "Tolerance", "bep", "distance", "hierarchy", "none", "tolerance"]


@word("none")
@dataclass(frozen=True, slots=True, repr=False)
class NoNavigation(WithinDocuments):
    """Users see what the list points to, and nothing else: P(k~>x) is 1 for the element itself, else 0.

    With binary idealities, EPRUM is then precision at natural recall points, and MAEPRUM average precision.

    Source: Piwowarski & Dupret (2006), section 3.3.

    Examples:
        >>> none
        none
    """

    @property
    def direct(self) -> bool:
        return True

    @property
    def reads_characters(self) -> bool:
        return False

    def chances(self, met: Meetings) -> FloatArray:
        return met.same.astype(np.float64)


@word("hierarchy")
@dataclass(frozen=True, slots=True, repr=False)
class Hierarchy(WithinDocuments):
    """Users go up and down in the tree; the probability grows with the share of text that two elements have in common.

    P(k~>x) is 1 for the element itself; where one of the two holds the other, the length of the shorter divided by that
    of the longer; else 0. Lengths are in characters, of the structure or else of the assessments; a passage holds
    an element, or stands in it, by its characters.

    Source: Piwowarski & Dupret (2006), section 7.

    Examples:
        >>> hierarchy
        hierarchy
    """

    @property
    def direct(self) -> bool:
        return True

    def chances(self, met: Meetings) -> FloatArray:
        return met.shared(self.word)


@word("distance")
@dataclass(frozen=True, slots=True, repr=False)
class Distance(WithinDocuments):
    """Users browse within the document; the probability decays with distance.

    P(k~>x) is 1 for the element itself, else 1 / (1 + e^(theta d)) within the document, d being the characters between
    the starts of the two.

    Args:
        theta: How soon users tire, for each character; above 0, at most a million.

    Source: Piwowarski & Dupret (2006), section 3.3, made certain for the element itself.

    Examples:
        >>> from inexmetrics import MAEPRUM, distance
        >>> MAEPRUM(navigation=distance(0.01))
        MAEPRUM(navigation=distance(0.01))
    """

    theta: float = field(metadata=required(Number(above=0.0, at_most=1e6)))

    def __str__(self) -> str:
        return f"{self.word}({canonical(self.theta)})"

    def chances(self, met: Meetings) -> FloatArray:
        if met.ideals.documents:
            return np.ones(len(met.points))
        faded = np.exp(-self.theta * met.apart(str(self)))
        return np.where(met.same, 1.0, faded / (1.0 + faded))


@word("bep")
@dataclass(frozen=True, slots=True, repr=False)
class EntryPoint(WithinDocuments):
    """Users start where the list leads them and find the best entry point; the probability decays with its distance.

    P(k~>x) = a L / (a L + d) within the document, d being the characters between the starts of the two, and L the mean
    length of documents. A relevant document, where no quantisation makes elements ideal, starts at its best entry point
    if the assessments tell one; a result in it starts where it says itself.

    Args:
        a: How far users browse, as a share of the mean length of documents; from a millionth to a million.

    Source: Lalmas, Kazai, Kamps, Pehcevski, Piwowarski & Robertson (2007), for the task best in context of INEX 2006.

    Examples:
        >>> from inexmetrics import MAEPRUM, bep
        >>> MAEPRUM(navigation=bep(0.1))
        MAEPRUM(navigation=bep(0.1))
    """

    a: float = field(metadata=required(Number(at_least=1e-6, at_most=1e6)))

    def __str__(self) -> str:
        return f"{self.word}({canonical(self.a)})"

    def chances(self, met: Meetings) -> FloatArray:
        reach = self.a * met.ideals.mean_document_length
        return np.where(met.unresolved, 0.0, reach / (reach + met.apart(str(self))))


@word("tolerance")
@dataclass(frozen=True, slots=True, repr=False)
class Tolerance(WithinDocuments):
    """Users read on from where the list leads them, until they have read too much irrelevant text.

    P(k~>x) is 1 where fewer than so many characters outside of all ideal elements stand between the start of the element
    pointed to and that of the ideal element, or where the user is led into the ideal element; else 0. Users do not
    turn back.

    Args:
        characters: Irrelevant characters at which users stop, at least 1.

    Source: tolerance to irrelevance (de Vries, Kazai & Lalmas 2004), as Piwowarski & Dupret (2006), section 6, take it
    for a navigation model.

    Examples:
        >>> from inexmetrics import MAEPRUM, tolerance
        >>> MAEPRUM(navigation=tolerance(300))
        MAEPRUM(navigation=tolerance(300))
    """

    characters: int = field(metadata=required(Integer(at_least=1)))

    def __str__(self) -> str:
        return f"{self.word}({canonical(self.characters)})"

    def chances(self, met: Meetings) -> FloatArray:
        if met.ideals.documents:
            return np.ones(len(met.points))
        ahead = met.ahead(str(self))
        return ((ahead >= 0) & (ahead < self.characters)).astype(np.float64)


distance: Final = Distance
bep: Final = EntryPoint
tolerance: Final = Tolerance
none: Final = NoNavigation()
hierarchy: Final = Hierarchy()
