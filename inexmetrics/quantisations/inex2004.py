"""The quantisations of INEX 2004. Tables map the grades of exhaustivity and specificity, both from 0 to 3, to gains."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import ClassVar, Final, TypeAlias

import polars as pl

from inexmetrics.common.elements import Scale
from inexmetrics.quantisations.base import Quantisation
from inexmetrics.terms import word

__all__ = ["E3S32", "E3S321", "E32S3", "E321S3", "SOG", "AnyRel", "Gen4", "Strict4"]

Grades: TypeAlias = tuple[float, float, float]


class Tabulated(Quantisation, ABC):
    """A quantisation on the INEX 2004 scale, defined by a table of gains for all pairs of exhaustivity and specificity above 0."""

    __slots__ = ()

    scales: ClassVar[frozenset[Scale]] = frozenset(("inex2004",))
    table: ClassVar[tuple[Grades, Grades, Grades]]
    """Gains by exhaustivity 1, 2, 3 (rows) and specificity 1, 2, 3 (columns)."""

    def gain(self, e: pl.Expr, s: pl.Expr, size: pl.Expr) -> pl.Expr:
        cells = {4 * row + column: gain for row, gains in enumerate(self.table, start=1) for column, gain in enumerate(gains, start=1)}
        cell = (4 * e + (3 * s).round()).cast(pl.Int64)
        return cell.replace_strict(cells, default=0.0, return_dtype=pl.Float64)


@word("Strict4")
@dataclass(frozen=True, slots=True, repr=False)
class Strict2004(Tabulated):
    """Strict, INEX 2004: highly exhaustive and highly specific elements (e = 3 and s = 3) have gain 1, all others 0.

    Formula:
        gain = 1 "if" e = 3 "and" s = 3
        gain = 0 "otherwise"
        where
            e: exhaustivity, 1 to 3
            s: specificity, 1 to 3

    Source: Ogilvie & Lalmas (2006), section 2.5, INEX 2004's "strict".

    Examples:
        >>> import polars as pl
        >>> assessed = pl.DataFrame({"e": [3, 3, 2], "s": [1.0, 2 / 3, 1.0], "size": [90, 90, 90]})
        >>> assessed.select(gain=Strict4.gain(pl.col("e"), pl.col("s"), pl.col("size")))["gain"].to_list()
        [1.0, 0.0, 0.0]
    """

    table: ClassVar = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))


@word("Gen4")
@dataclass(frozen=True, slots=True, repr=False)
class Generalised2004(Tabulated):
    """Generalised, INEX 2004: every pair of grades has a gain above 0; exhaustivity counts more than specificity.

    ```
          s=1  s=2  s=3
    e=1   .25  .25  .5
    e=2   .5   .5   .75
    e=3   .75  .75  1
    ```

    Source: Ogilvie & Lalmas (2006), section 2.5, INEX 2004's "gen".

    Examples:
        >>> import polars as pl
        >>> assessed = pl.DataFrame({"e": [3, 1], "s": [1 / 3, 1.0], "size": [90, 90]})
        >>> assessed.select(gain=Gen4.gain(pl.col("e"), pl.col("s"), pl.col("size")))["gain"].to_list()
        [0.75, 0.5]
    """

    table: ClassVar = ((0.25, 0.25, 0.5), (0.5, 0.5, 0.75), (0.75, 0.75, 1.0))


@word("SOG")
@dataclass(frozen=True, slots=True, repr=False)
class SpecificityOriented2004(Tabulated):
    """Specificity-oriented generalised, INEX 2004: every pair of grades has a gain above 0; specificity counts more than exhaustivity.

    ```
          s=1  s=2  s=3
    e=1   .1   .25  .75
    e=2   .1   .5   .9
    e=3   .25  .75  1
    ```

    Source: Ogilvie & Lalmas (2006), section 2.5, INEX 2004's "sog".

    Examples:
        >>> import polars as pl
        >>> assessed = pl.DataFrame({"e": [3, 1], "s": [1 / 3, 1.0], "size": [90, 90]})
        >>> assessed.select(gain=SOG.gain(pl.col("e"), pl.col("s"), pl.col("size")))["gain"].to_list()
        [0.25, 0.75]
    """

    table: ClassVar = ((0.1, 0.25, 0.75), (0.1, 0.5, 0.9), (0.25, 0.75, 1.0))


@word("AnyRel")
@dataclass(frozen=True, slots=True, repr=False)
class AnyRelevance(Tabulated):
    """Any relevance, INEX 2004: every relevant element has gain 1.

    Formula:
        gain = 1 "if" e > 0
        gain = 0 "otherwise"
        where
            e: exhaustivity, 1 to 3

    Source: Ogilvie & Lalmas (2006), section 2.5.

    Examples:
        >>> import polars as pl
        >>> assessed = pl.DataFrame({"e": [1, 0], "s": [1 / 3, 0.0], "size": [90, 90]})
        >>> assessed.select(gain=AnyRel.gain(pl.col("e"), pl.col("s"), pl.col("size")))["gain"].to_list()
        [1.0, 0.0]
    """

    table: ClassVar = ((1.0, 1.0, 1.0), (1.0, 1.0, 1.0), (1.0, 1.0, 1.0))


@word("E3S321")
@dataclass(frozen=True, slots=True, repr=False)
class HighlyExhaustive(Tabulated):
    """Highly exhaustive, INEX 2004: elements with e = 3 have gain 1 for every specificity above 0.

    Formula:
        gain = 1 "if" e = 3
        gain = 0 "otherwise"
        where
            e: exhaustivity, 1 to 3

    Source: Malik, Lalmas & Fuhr (2005), INEX 2004's "e3_s321".

    Examples:
        >>> import polars as pl
        >>> assessed = pl.DataFrame({"e": [3, 2], "s": [1 / 3, 1.0], "size": [90, 90]})
        >>> assessed.select(gain=E3S321.gain(pl.col("e"), pl.col("s"), pl.col("size")))["gain"].to_list()
        [1.0, 0.0]
    """

    table: ClassVar = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))


@word("E3S32")
@dataclass(frozen=True, slots=True, repr=False)
class HighlyExhaustiveFairlySpecific(Tabulated):
    """Highly exhaustive and at least fairly specific, INEX 2004: elements with e = 3 and s = 2 or 3 have gain 1.

    Formula:
        gain = 1 "if" e = 3 "and" s >= 2
        gain = 0 "otherwise"
        where
            e: exhaustivity, 1 to 3
            s: specificity, 1 to 3

    Source: Malik, Lalmas & Fuhr (2005), INEX 2004's "e3_s32".

    Examples:
        >>> import polars as pl
        >>> assessed = pl.DataFrame({"e": [3, 3], "s": [2 / 3, 1 / 3], "size": [90, 90]})
        >>> assessed.select(gain=E3S32.gain(pl.col("e"), pl.col("s"), pl.col("size")))["gain"].to_list()
        [1.0, 0.0]
    """

    table: ClassVar = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 1.0, 1.0))


@word("E321S3")
@dataclass(frozen=True, slots=True, repr=False)
class HighlySpecific(Tabulated):
    """Highly specific, INEX 2004: elements with s = 3 have gain 1 for every exhaustivity above 0.

    Formula:
        gain = 1 "if" s = 3
        gain = 0 "otherwise"
        where
            s: specificity, 1 to 3

    Source: Malik, Lalmas & Fuhr (2005), INEX 2004's "s3_e321".

    Examples:
        >>> import polars as pl
        >>> assessed = pl.DataFrame({"e": [1, 3], "s": [1.0, 2 / 3], "size": [90, 90]})
        >>> assessed.select(gain=E321S3.gain(pl.col("e"), pl.col("s"), pl.col("size")))["gain"].to_list()
        [1.0, 0.0]
    """

    table: ClassVar = ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0), (0.0, 0.0, 1.0))


@word("E32S3")
@dataclass(frozen=True, slots=True, repr=False)
class HighlySpecificFairlyExhaustive(Tabulated):
    """Highly specific and at least fairly exhaustive, INEX 2004: elements with s = 3 and e = 2 or 3 have gain 1.

    Formula:
        gain = 1 "if" s = 3 "and" e >= 2
        gain = 0 "otherwise"
        where
            e: exhaustivity, 1 to 3
            s: specificity, 1 to 3

    Source: Malik, Lalmas & Fuhr (2005), INEX 2004's "s3_e32".

    Examples:
        >>> import polars as pl
        >>> assessed = pl.DataFrame({"e": [2, 1], "s": [1.0, 1.0], "size": [90, 90]})
        >>> assessed.select(gain=E32S3.gain(pl.col("e"), pl.col("s"), pl.col("size")))["gain"].to_list()
        [1.0, 0.0]
    """

    table: ClassVar = ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 1.0))


Strict4: Final = Strict2004()
Gen4: Final = Generalised2004()
SOG: Final = SpecificityOriented2004()
AnyRel: Final = AnyRelevance()
E3S321: Final = HighlyExhaustive()
E3S32: Final = HighlyExhaustiveFairlySpecific()
E321S3: Final = HighlySpecific()
E32S3: Final = HighlySpecificFairlyExhaustive()
