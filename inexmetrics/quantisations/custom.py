"""Custom quantisations: a user's function maps exhaustivity and specificity to a gain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final

import polars as pl

from inexmetrics.common.elements import ANY_SCALE, Scale
from inexmetrics.common.errors import FormulaError
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.terms.lexicon import CustomTerm, declared

__all__ = ["OwnQuantisation", "quantisation"]

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
        The exhaustivity of a too small element is not a number, so that a gain computed from exhaustivity is null, and is treated as 0:

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
