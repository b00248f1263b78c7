"""Scores as integers in units of their last decimal: half the bytes of floats, with exact conversion back."""

from __future__ import annotations

from typing import Final

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray

__all__ = ["LARGEST", "from_units", "in_units"]

MOST: Final = 9
"""The largest number of decimals that is tried; a 32-bit integer has no more."""
LARGEST: Final = 2**31 - 1
"""The largest stored integer."""
LOOKED_AT: Final = 64
"""The number of values that are tested first, which excludes most wrong numbers of decimals."""


def in_units(values: FloatArray) -> tuple[IndexArray, int] | None:
    """Returns values as integers in units of their last decimal, if these give back each value, with the number of decimals; otherwise None.

    A number is parsed from its digits as the nearest float to their quotient, and division gives the same float.

    Args:
        values: The values, without NaN.

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
            # Bits are compared, because an integer cannot represent -0.0.
            if (from_units(units, decimals).view(np.int64) != some.view(np.int64)).any():
                break
            if some is values:
                return units, decimals
    return None


def from_units(units: IndexArray, decimals: int) -> FloatArray:
    """Returns the values of integers in units of the last of a number of decimals."""
    return units / 10.0**decimals
