"""Navigation by one model or another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import polars as pl

from inexmetrics.common.errors import FormulaError
from inexmetrics.measures.navigation import Navigation
from inexmetrics.ranking.navigation.routes import IdealElements, Routes, joined
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.term import Term, TermOf, required

__all__ = ["Either", "either"]


@word("either")
@dataclass(frozen=True, slots=True, repr=False)
class Either(Navigation):
    """Users follow one model or another, independently: they miss an element if they miss it by both (noisy-or).

    Formula:
        P(k~>x) = 1 - (1 - P_1(k~>x)) (1 - P_2(k~>x))
        where
            k: where the list leads users
            x: an ideal element
            P_1: the probability by the one model; P_2 by the other

    Args:
        one: A navigation model.
        other: Another one; neither may be, or be made of, what the other is made of.

    Raises:
        FormulaError: A model stands on both sides.

    Source: Piwowarski & Dupret (2006), equation 1, over the ways of both models.

    Examples:
        One paragraph is ideal, p[1], the first 200 of a section of 500 characters, s[1]. The list has the section behind
        it, s[2], which starts at 500, then s[1]. From s[2] users find it by
        distance alone, 1 / (1 + e) = .2689; from s[1] with probability 1 - (1 - .4) (1 - .5) = .7; .2689 + .7311 * .7 / 2 = .5248:

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

    one: Navigation = field(metadata=required(TermOf(Navigation)))
    other: Navigation = field(metadata=required(TermOf(Navigation)))

    def __post_init__(self) -> None:
        Term.__post_init__(self)
        others = frozenset(_parts(self.other))
        twice = next((model for model in _parts(self.one) if model in others), None)
        if twice is not None:
            raise FormulaError(f"either: {twice} is written twice")

    def __str__(self) -> str:
        return f"{self.word}({self.one}, {self.other})"

    @property
    def direct(self) -> bool:
        # Models are not repeated: that they are all direct means hierarchy, and what it leads to anyway.
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
    """The models that a model is made of; itself where it is not made of others."""
    return (*_parts(navigation.one), *_parts(navigation.other)) if isinstance(navigation, Either) else (navigation,)


either: Final = Either
