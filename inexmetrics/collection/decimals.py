"""Scores as whole numbers of their last decimal: half the bytes of floating-point numbers, which they are again to the last bit."""

from __future__ import annotations

from typing import Final

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray

__all__ = ["LARGEST", "from_units", "in_units"]

MOST: Final = 9
"""Decimals that are looked for; a whole number of 32 bits has no more."""
LARGEST: Final = 2**31 - 1
"""The largest whole number that is held."""
LOOKED_AT: Final = 64
"""Values of which most others tell at once how many decimals they have not."""


def in_units(values: FloatArray) -> tuple[IndexArray, int] | None:
    """Values as whole numbers of their last decimal, if these give each value again, and how many decimals it is; None if none do.

    A number is read from its decimal digits as the nearest one to their quotient, and division gives the same.

    Args:
        values: The values, none of them NaN.

    Examples:
        >>> in_units(np.array([0.5, -1.125])), in_units(np.array([1 / 3]))
        ((array([  500, -1125], dtype=int32), 3), None)
    """
    largest = np.abs(values).max(initial=0.0)
    for decimals in range(MOST + 1):
        if largest > LARGEST / 10**decimals:
            return None
        for some in (values[:LOOKED_AT], values):
            units: IndexArray = np.rint(some * 10.0**decimals).astype(np.int32)
            # Bits are compared, as no whole number gives -0.0 again.
            if (from_units(units, decimals).view(np.int64) != some.view(np.int64)).any():
                break
            if some is values:
                return units, decimals
    return None


def from_units(units: IndexArray, decimals: int) -> FloatArray:
    """The values of whole numbers of the last of so many decimals."""
    return units / 10.0**decimals
