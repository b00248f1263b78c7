"""Scores as integers in units of their last decimal: half the bytes of floats, with exact conversion back."""

from __future__ import annotations

from typing import Final

import numpy as np

from inexmetrics.common.arrays import FloatArray, IndexArray

__all__ = ["LARGEST", "from_units", "in_units"]

MOST: Final = 9
"""Maximum number of decimals that is tried, because a 32-bit integer cannot store more."""
LARGEST: Final = 2**31 - 1
"""The largest integer that is stored."""
LOOKED_AT: Final = 64
"""Number of values that are tested before all values, because a wrong number of decimals usually fails on one of these."""


def in_units(values: FloatArray) -> tuple[IndexArray, int] | None:
    """Returns values as integers in units of their last decimal, with the number of decimals; None if the conversion is not exact.

    The conversion is exact for values that were parsed from decimal digits: dividing the integer gives the same nearest float as parsing.

    Args:
        values: Values without NaN.

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
    """Returns the values of integers in units of the last decimal, given the number of decimals."""
    return units / 10.0**decimals
