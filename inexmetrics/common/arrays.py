"""Array types for signatures, and functions of integer arrays. Letters in shapes: R runs, T topics, K ranks."""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["BoolArray", "FloatArray", "IndexArray", "IntArray", "changes", "in_ranges", "one_of_each"]

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
IndexArray: TypeAlias = NDArray[np.int32]
BoolArray: TypeAlias = NDArray[np.bool_]

BLOCK: Final = 1 << 16
"""Number of rows for which temporary arrays are made at once."""


def one_of_each(codes: NDArray[np.unsignedinteger]) -> IntArray:
    """Returns, for each distinct code in increasing order, the index of one of its occurrences; the largest code must be small.

    Examples:
        >>> one_of_each(np.array([4, 0, 4], dtype=np.uint32)).tolist()
        [1, 2]
    """
    places = np.full(int(codes.max(initial=0)) + 1, -1, dtype=np.int64)
    for first in range(0, len(codes), BLOCK):
        block = codes[first : first + BLOCK]
        places[block] = np.arange(first, first + len(block))
    return places[places >= 0]


def in_ranges(firsts: IntArray, lengths: IntArray) -> IntArray:
    """Returns all integers of several ranges, concatenated; each range is given by its first integer and its length.

    Examples:
        >>> in_ranges(np.array([4, 0]), np.array([2, 3])).tolist()
        [4, 5, 0, 1, 2]
    """
    numbers: IntArray = np.arange(lengths.sum()) + np.repeat(firsts - np.cumsum(lengths) + lengths, lengths)
    return numbers


def changes(values: NDArray[np.integer]) -> BoolArray:
    """Returns whether each value differs from the previous value; True for the first value.

    Examples:
        >>> changes(np.array([4, 4, 7])).tolist()
        [True, False, True]
    """
    changed = np.ones(len(values), dtype=np.bool_)
    np.not_equal(values[1:], values[:-1], out=changed[1:])
    return changed
