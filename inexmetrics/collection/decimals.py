"""Scores as whole numbers of their last decimal: half the bytes of floating-point numbers, which they are again to the last bit."""

from __future__ import annotations

from typing import Final

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray

__all__ = ["LARGEST", "decimals_of", "from_units", "to_units"]

MOST: Final = 9
"""Decimals that are looked for; a whole number of 32 bits has no more."""
LARGEST: Final = 2**31 - 1
"""The largest whole number that is held."""
LOOKED_AT: Final = 64
"""Values of which most others tell at once how many decimals they have not."""


def decimals_of(values: FloatArray) -> int | None:
    """The fewest decimals that all values have, if whole numbers of the last one give each value again; None if none do.

    A number is read from its decimal digits as the nearest one to their quotient, and division gives the same.

    Args:
        values: The values, none of them NaN.

    Examples:
        >>> (
        ...     decimals_of(np.array([0.5, -1.125])),
        ...     decimals_of(np.array([1.0])),
        ...     decimals_of(np.array([1 / 3])),
        ... )
        (3, 0, None)
    """
    count = 0
    for some in (values[:LOOKED_AT], values):
        largest = np.abs(some).max(initial=0.0)
        # Bits are compared, as no whole number gives -0.0 again.
        while largest > LARGEST / 10**count or (from_units(to_units(some, count), count).view(np.int64) != some.view(np.int64)).any():
            count += 1
            if count > MOST:
                return None
    return count


def to_units(values: FloatArray, decimals: int) -> IndexArray:
    """Values as whole numbers of the last of so many decimals."""
    units: IndexArray = np.rint(values * 10.0**decimals).astype(np.int32)
    return units


def from_units(units: IndexArray, decimals: int) -> FloatArray:
    """The values of whole numbers of the last of so many decimals."""
    return units / 10.0**decimals
