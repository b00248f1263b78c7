"""Quantisations that change the gains of another quantisation: small elements have gain 0, or all gains become 0 or 1 by a threshold."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final

import polars as pl

from inexmetrics.common.elements import Scale
from inexmetrics.common.errors import FormulaError
from inexmetrics.quantisations.base import Criterion, DocumentQuantisation, OfElements, Quantisation, quantising
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Integer, Number
from inexmetrics.terms.term import Term, required

__all__ = ["Combined", "MinSize", "Threshold", "WithoutTooSmall", "min_size", "threshold", "without_too_small"]

GAIN_ROUNDING: Final = 1e-12
"""Relative tolerance for rounding errors when a gain is compared with a threshold; for example, 2/3 of .6 reaches .4."""


@dataclass(frozen=True, slots=True, repr=False)
class Combined(Quantisation, ABC):
    """A quantisation that changes the gains of another quantisation, and needs the same data.

    If `quantisation` also selects judgements, the gains are computed from the selected judgements.

    Args:
        quantisation: Quantisation whose gains are changed, with or without a selection of judgements.
    """

    quantisation: Criterion = field(metadata=required(OfElements(Criterion)))

    @property
    def changed(self) -> Quantisation:
        """The quantisation whose gains are changed, without the selection of judgements that `quantisation` may contain."""
        return quantising(self.quantisation)

    @property
    def parts(self) -> tuple[Criterion | None, Quantisation]:
        judgements = self.quantisation.parts[0]
        return judgements, self if judgements is None else replace(self, quantisation=self.changed)

    @property
    def on_all_topics(self) -> Criterion:
        return self._changed({"quantisation": self.quantisation.on_all_topics})

    @property
    def documents(self) -> DocumentQuantisation | None:
        return self.changed.documents

    @property
    def scales(self) -> frozenset[Scale]:
        return self.changed.scales

    @property
    def needs_exhaustivity(self) -> bool:
        return self.changed.needs_exhaustivity

    @property
    def needs_size(self) -> bool:
        return self.changed.needs_size


@word("without_too_small")
@dataclass(frozen=True, slots=True, repr=False)
class WithoutTooSmall(Combined):
    """A quantisation in which elements that are too small (exhaustivity `?`) have gain 0.

    Formula:
        gain = 0 "if" e = "?"
        gain = g "otherwise"
        where
            e: exhaustivity, `?`, 1 or 2
            g: the gain under the other quantisation

    Args:
        quantisation: Quantisation that determines the gain of all other elements, on the INEX 2005 scale.

    Raises:
        FormulaError: The scale of the quantisation lacks "too small", or the quantisation applies to documents.

    Source: Ogilvie & Lalmas (2006), section 4.2.2.

    Examples:
        >>> import polars as pl
        >>> from inexmetrics import BinExh, MAep, agreement, without_too_small
        >>> agreement(BinExh, without_too_small(BinExh), measure=MAep)
        agreement(BinExh, without_too_small(BinExh), measure=MAep)
        >>> assessed = pl.DataFrame({"e": [1, None], "s": [0.6, 0.6], "size": [90, 3]})
        >>> gain = without_too_small(BinExh).gain(pl.col("e"), pl.col("s"), pl.col("size"))
        >>> assessed.select(gain=gain)["gain"].to_list()
        [0.6, 0.0]
    """

    scales: ClassVar[frozenset[Scale]] = frozenset(("inex2005",))
    needs_exhaustivity: ClassVar[bool] = True

    def __post_init__(self) -> None:
        Term.__post_init__(self)
        if self.changed.documents is not None:
            raise FormulaError(
                f"without_too_small: expected a quantisation of elements, found {self.quantisation}, "
                "which quantises documents; documents are never '?'"
            )
        if "inex2005" not in self.changed.scales:
            raise FormulaError(f"without_too_small: expected a quantisation of INEX 2005, found {self.quantisation}: INEX 2004 has no '?'")

    def gain(self, e: pl.Expr, s: pl.Expr, size: pl.Expr) -> pl.Expr:
        return pl.when(e.is_null()).then(0.0).otherwise(self.changed.gain(e, s, size))


@word("min_size")
@dataclass(frozen=True, slots=True, repr=False)
class MinSize(Combined):
    """A quantisation in which elements shorter than n characters have gain 0.

    Formula:
        gain = 0 "if" l < n
        gain = g "otherwise"
        where
            l: the length of the element in characters
            n: the minimum length of an element in characters
            g: the gain under the other quantisation

    Args:
        quantisation: Quantisation that determines the gain of all other elements.
        n: Minimum length, in characters, at which an element keeps its gain; at least 0.

    Source: Ogilvie & Lalmas (2006), section 4.2.2, which suggests the quantisation as future work.

    Examples:
        >>> import polars as pl
        >>> from inexmetrics import BinExh, MAep, agreement, min_size
        >>> agreement(BinExh, min_size(BinExh, 200), measure=MAep)
        agreement(BinExh, min_size(BinExh, 200), measure=MAep)
        >>> assessed = pl.DataFrame({"e": [1, 1], "s": [0.6, 0.6], "size": [200, 199]})
        >>> gain = min_size(BinExh, 200).gain(pl.col("e"), pl.col("s"), pl.col("size"))
        >>> assessed.select(gain=gain)["gain"].to_list()
        [0.6, 0.0]
    """

    needs_size: ClassVar[bool] = True

    n: int = field(metadata=required(Integer(at_least=0)))

    def gain(self, e: pl.Expr, s: pl.Expr, size: pl.Expr) -> pl.Expr:
        return pl.when(size < self.n).then(0.0).otherwise(self.changed.gain(e, s, size))


@word("threshold")
@dataclass(frozen=True, slots=True, repr=False)
class Threshold(Combined):
    """A quantisation with two values: 1 if the gain under another quantisation is at least `at`, otherwise 0.

    Gains under the other quantisation are compared with `at` without rescaling. If the other quantisation has ``normalise=False``, its
    gains may exceed 1. A gain that is below `at` only because of rounding (1e-12) is treated as equal to `at`.

    Formula:
        gain = 1 "if" g >= at
        gain = 0 "otherwise"
        where
            g: the gain under the other quantisation
            at: the lowest gain that becomes 1

    Args:
        quantisation: Quantisation whose gains are compared with `at`.
        at: Threshold above 0; gains of at least the threshold become 1.

    Examples:
        >>> import polars as pl
        >>> from inexmetrics import Gen5, MAP, agreement, threshold
        >>> agreement(Gen5, threshold(Gen5, 0.5), measure=MAP)
        agreement(Gen5, threshold(Gen5, 0.5), measure=MAP)
        >>> assessed = pl.DataFrame({"e": [2, 1], "s": [0.5, 0.9], "size": [90, 90]})
        >>> gain = threshold(Gen5, 0.5).gain(pl.col("e"), pl.col("s"), pl.col("size"))
        >>> assessed.select(gain=gain)["gain"].to_list()
        [1.0, 0.0]
    """

    at: float = field(metadata=required(Number(above=0.0)))

    def gain(self, e: pl.Expr, s: pl.Expr, size: pl.Expr) -> pl.Expr:
        reached = self.changed.gain(e, s, size) >= self.at * (1 - GAIN_ROUNDING)
        return pl.when(reached).then(1.0).otherwise(0.0)


without_too_small: Final = WithoutTooSmall
min_size: Final = MinSize
threshold: Final = Threshold
