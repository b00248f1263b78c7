"""Quantisations made from another quantisation, or from a user's function of exhaustivity and specificity."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final

import polars as pl

from inexmetrics.common.elements import ANY_SCALE, Scale
from inexmetrics.common.errors import FormulaError
from inexmetrics.quantisations.base import Criterion, DocumentQuantisation, OfElements, Quantisation, quantising
from inexmetrics.terms import CustomTerm, Integer, Number, Term, required, word
from inexmetrics.terms.lexicon import declared

__all__ = [
    "Combined",
    "MinSize",
    "OwnQuantisation",
    "Threshold",
    "WithoutTooSmall",
    "min_size",
    "quantisation",
    "threshold",
    "without_too_small",
]

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
                "which quantises documents; only elements can have the grade '?' (too small)"
            )
        if "inex2005" not in self.changed.scales:
            raise FormulaError(
                f"without_too_small: expected a quantisation of INEX 2005, found {self.quantisation}: INEX 2004 has no grade '?' (too small)"
            )

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


TRIAL: Final = pl.DataFrame({"e": [None, 0.0, 1.0, 2.0, 3.0], "s": [0.5, 0.0, 1 / 3, 2 / 3, 1.0]})
"""Example assessments on which the decorator `quantisation` tests a user's function."""


@dataclass(frozen=True, slots=True, repr=False)
class OwnQuantisation(CustomTerm, Quantisation):
    """A quantisation made from a user's function; it is defined on every scale."""

    function: ClassVar[Callable[[pl.Expr, pl.Expr], pl.Expr]]
    scales: ClassVar[frozenset[Scale]] = ANY_SCALE

    def gain(self, e: pl.Expr, s: pl.Expr, size: pl.Expr) -> pl.Expr:
        gain = type(self).function(e, s).cast(pl.Float64).fill_null(0.0)
        return pl.when((e == 0) | (s == 0)).then(0.0).otherwise(gain)

    @property
    def needs_exhaustivity(self) -> bool:
        return "e" in type(self).function(pl.col("e"), pl.col("s")).meta.root_names()


def quantisation(function: Callable[[pl.Expr, pl.Expr], pl.Expr]) -> Quantisation:
    """Makes a quantisation from a function, and adds the quantisation's name to the formula language in the current process.

    The function receives two polars expressions, and returns one expression for the gain of each element. Gains are at least 0, and 1 is
    ideal. The function determines the gain of relevant elements; all other elements (e = 0 or s = 0) have gain 0. If the function returns
    null, the gain is 0. Highlighted passages have no exhaustivity, so they have gains only if the function does not use `e`.

    Args:
        function: Function that maps `e` and `s` to the gain. `e` is exhaustivity as a number, null if it is "too small" (`?`). `s` is
            specificity from 0 to 1; on the INEX 2004 scale, a multiple of 1/3. The name of the function becomes the name of the
            quantisation in formulas.

    Returns:
        The quantisation. A quantisation can be sent to another process if it is declared at the top level of a module.

    Raises:
        ValueError: The name is already in the formula language.
        FormulaError: The decorated object is not a suitable function, its name is not valid in formulas, or an element's gain depends on
            other elements.

    Examples:
        If an element was judged "too small", its exhaustivity is null. A gain that is computed from exhaustivity is then null too, and is
        treated as 0:

        >>> import polars as pl
        >>> @quantisation
        ... def Squared(e: pl.Expr, s: pl.Expr) -> pl.Expr:
        ...     "Specificity squared, weighed by exhaustivity."
        ...     return e / 2 * s**2
        >>> Squared
        Squared
        >>> assessed = pl.DataFrame({"e": [2, 1, None], "s": [0.5, 0.5, 1.0], "size": [90, 90, 3]})
        >>> assessed.select(gain=Squared.gain(pl.col("e"), pl.col("s"), pl.col("size")))["gain"].to_list()
        [0.25, 0.125, 0.0]

        To give too small elements a gain, replace the null:

        >>> @quantisation
        ... def SquaredLifted(e: pl.Expr, s: pl.Expr) -> pl.Expr:
        ...     return (e.fill_null(0) + 1) / 3 * s**2
        >>> found = assessed.select(gain=SquaredLifted.gain(pl.col("e"), pl.col("s"), pl.col("size")))
        >>> found["gain"].to_list()[2]
        0.3333333333333333
    """
    return declared(OwnQuantisation, function, _check)


def _check(function: Callable[[pl.Expr, pl.Expr], pl.Expr], name: str) -> None:
    """Raises `FormulaError` unless the function computes one number for each element, using only the element's own e and s."""
    try:
        gain = function(pl.col("e"), pl.col("s"))
    except Exception as error:
        first = str(error).partition("\n")[0]  # later lines of polars' messages are advice
        expected = f"{name}: expected a function of two polars expressions, e and s"
        if "truth value of an Expr" in first:
            use = "pl.when(e > 1).then(1.0).otherwise(0.0), & and |"
            raise FormulaError(f"{expected}, found a condition with if, and, or or not; use {use}") from error
        raise FormulaError(f"{expected}, found one that raises {type(error).__name__}: {first}") from error
    if not isinstance(gain, pl.Expr):
        raise FormulaError(
            f"{name}: expected a function that returns a polars expression, found one that returns a Python {type(gain).__name__}"
        )
    foreign = sorted(set(gain.meta.root_names()) - {"e", "s"})
    if foreign:
        raise FormulaError(f"{name}: expected an expression that uses only e and s, found the column {foreign[0]!r}")
    try:
        gains = TRIAL.select(gain=gain)["gain"]
        alone = pl.concat([TRIAL[place].select(gain=gain) for place in range(TRIAL.height)])["gain"]
    except pl.exceptions.PolarsError as error:
        raise FormulaError(f"{name}: the expression cannot be computed: {error}") from error
    if gains.len() != TRIAL.height and gain.meta.root_names():
        raise FormulaError(f"{name}: expected a gain for each element, found {gains.len()} for {TRIAL.height}")
    if gain.meta.root_names() and not gains.equals(alone):
        raise FormulaError(
            f"{name}: expected gains that depend only on the element's own e and s, found a gain that depends on other elements"
        )
    if not (gains.dtype.is_numeric() or gains.dtype in (pl.Boolean, pl.Null)):
        raise FormulaError(f"{name}: expected numeric gains, found {gains.dtype}")
