"""The quantisations of INEX 2005. Exhaustivity is ?, 1 or 2, and specificity is the highlighted share of the element.

The exhaustivity `?` means that the element is too small to be exhaustive; it is a separate value, not a number. Specificity is
multiplied by weights that are exact for e = 2, so that Gen5 <= GenLifted <= BinExh also holds in floating point.
"""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import ClassVar, Final, Self, TypedDict, Unpack

import polars as pl

from inexmetrics.common.elements import Scale
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.terms import Bool, parameter, word

__all__ = ["BinExh", "FullySpec", "Gen5", "GenLifted", "Normalisation", "Strict5"]


class Normalisation(TypedDict, total=False):
    """The parameter of `Gen5` and `GenLifted`."""

    normalise: bool


class Continuous(Quantisation, ABC):
    """A quantisation on the INEX 2005 scale."""

    __slots__ = ()

    scales: ClassVar[frozenset[Scale]] = frozenset(("inex2005",))


@dataclass(frozen=True, slots=True, repr=False)
class Graded(Continuous, ABC):
    """A quantisation that multiplies specificity by a weight for exhaustivity.

    Args:
        normalise: Whether gains are scaled to [0, 1], as in the paper. If False, gains are not scaled, as in the evaluation program of INEX
            2005. Only `inex_eval` and `threshold` depend on `normalise`.
    """

    normalise: bool = parameter(True, Bool())

    def __call__(self, **changes: Unpack[Normalisation]) -> Self:
        return self._changed(changes)


@word("Strict5")
@dataclass(frozen=True, slots=True, repr=False)
class Strict2005(Continuous):
    """Strict, INEX 2005: highly exhaustive, fully specific elements (e = 2 and s = 1) have gain 1, all others 0.

    Formula:
        gain = 1 "if" e = 2 "and" s = 1
        gain = 0 "otherwise"
        where
            e: exhaustivity, `?`, 1 or 2
            s: specificity, the share of the element that is highlighted

    Source: Ogilvie & Lalmas (2006), section 2.5.

    Examples:
        >>> import polars as pl
        >>> assessed = pl.DataFrame({"e": [2, 2, 1], "s": [1.0, 0.9, 1.0], "size": [90, 90, 90]})
        >>> assessed.select(gain=Strict5.gain(pl.col("e"), pl.col("s"), pl.col("size")))["gain"].to_list()
        [1.0, 0.0, 0.0]
    """

    def gain(self, e: pl.Expr, s: pl.Expr, size: pl.Expr) -> pl.Expr:
        return pl.when((e == 2) & (s == 1)).then(1.0).otherwise(0.0)


@word("FullySpec")
@dataclass(frozen=True, slots=True, repr=False)
class FullySpecific(Continuous):
    """Fully specific, INEX 2005: elements that are completely highlighted (s = 1) have gain 1, including elements that are too small.

    The quantisation ignores exhaustivity, so it can also be used with assessments by highlighting.

    Formula:
        gain = 1 "if" s = 1
        gain = 0 "otherwise"
        where
            s: specificity, the share of the element that is highlighted

    Source: Ogilvie & Lalmas (2006), section 2.5.

    Examples:
        >>> import polars as pl
        >>> assessed = pl.DataFrame({"e": [2, 2, None], "s": [1.0, 0.9, 1.0], "size": [90, 90, 3]})
        >>> assessed.select(gain=FullySpec.gain(pl.col("e"), pl.col("s"), pl.col("size")))["gain"].to_list()
        [1.0, 0.0, 1.0]
    """

    needs_exhaustivity: ClassVar[bool] = False

    def gain(self, e: pl.Expr, s: pl.Expr, size: pl.Expr) -> pl.Expr:
        return pl.when(e == 0).then(0.0).when(s == 1).then(1.0).otherwise(0.0)


@word("Gen5")
@dataclass(frozen=True, slots=True, repr=False)
class Generalised2005(Graded):
    """Generalised, INEX 2005: the gain is e·s/2; elements that are too small have gain 0.

    Formula:
        gain = e s / 2
        where
            e: exhaustivity, 1 or 2; 0 if it is `?`
            s: specificity, the share of the element that is highlighted

    Source: Ogilvie & Lalmas (2006), section 2.5.

    Examples:
        >>> import polars as pl
        >>> assessed = pl.DataFrame({"e": [2, 1, None], "s": [0.6, 0.6, 0.6], "size": [90, 90, 3]})
        >>> assessed.select(gain=Gen5.gain(pl.col("e"), pl.col("s"), pl.col("size")))["gain"].to_list()
        [0.6, 0.3, 0.0]
        >>> raw = Gen5(normalise=False)
        >>> assessed.select(gain=raw.gain(pl.col("e"), pl.col("s"), pl.col("size")))["gain"].to_list()
        [1.2, 0.6, 0.0]
    """

    def gain(self, e: pl.Expr, s: pl.Expr, size: pl.Expr) -> pl.Expr:
        weight = e / 2 if self.normalise else e
        return (weight * s).fill_null(0.0)


@word("GenLifted")
@dataclass(frozen=True, slots=True, repr=False)
class GeneralisedLifted(Graded):
    """Generalised lifted, INEX 2005: the gain is (e + 1)·s/3, and s/3 for elements that are too small.

    Formula:
        gain = (e + 1) s / 3
        where
            e: exhaustivity, 1 or 2; 0 if it is `?`
            s: specificity, the share of the element that is highlighted

    Source: Ogilvie & Lalmas (2006), section 2.5.

    Examples:
        >>> import polars as pl
        >>> assessed = pl.DataFrame({"e": [2, 1, None], "s": [0.75, 0.75, 0.75], "size": [90, 90, 3]})
        >>> assessed.select(gain=GenLifted.gain(pl.col("e"), pl.col("s"), pl.col("size")))["gain"].to_list()
        [0.75, 0.5, 0.25]
        >>> raw = GenLifted(normalise=False)
        >>> assessed.select(gain=raw.gain(pl.col("e"), pl.col("s"), pl.col("size")))["gain"].to_list()
        [2.25, 1.5, 0.75]
    """

    def gain(self, e: pl.Expr, s: pl.Expr, size: pl.Expr) -> pl.Expr:
        lifted = e.fill_null(0.0) + 1
        weight = lifted / 3 if self.normalise else lifted
        return pl.when(e == 0).then(0.0).otherwise(weight * s)


@word("BinExh")
@dataclass(frozen=True, slots=True, repr=False)
class BinaryExhaustivity(Continuous):
    """Binary exhaustivity, INEX 2005: the gain is s for every element with any exhaustivity, including elements that are too small.

    The quantisation ignores exhaustivity, so it can also be used with assessments by highlighting.

    Formula:
        gain = s
        where
            s: specificity, the share of the element that is highlighted

    Source: Ogilvie & Lalmas (2006), section 2.5.

    Examples:
        >>> import polars as pl
        >>> assessed = pl.DataFrame({"e": [2, 1, None], "s": [0.6, 0.6, 0.6], "size": [90, 90, 3]})
        >>> assessed.select(gain=BinExh.gain(pl.col("e"), pl.col("s"), pl.col("size")))["gain"].to_list()
        [0.6, 0.6, 0.6]
    """

    needs_exhaustivity: ClassVar[bool] = False

    def gain(self, e: pl.Expr, s: pl.Expr, size: pl.Expr) -> pl.Expr:
        return pl.when(e == 0).then(0.0).otherwise(s)


Strict5: Final = Strict2005()
FullySpec: Final = FullySpecific()
Gen5: Final = Generalised2005()
GenLifted: Final = GeneralisedLifted()
BinExh: Final = BinaryExhaustivity()
