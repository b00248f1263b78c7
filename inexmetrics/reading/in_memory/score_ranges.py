"""Finds columns of a score matrix with values mostly outside the range of the other columns, such as years among accuracies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from inexmetrics.common.arrays import FloatArray

__all__ = ["Outliers", "outliers"]

SCALES: Final = (1, 100)
"""Maxima of the two usual scales of scores, which start at 0."""


class Outliers(NamedTuple):
    """Columns whose values are mostly outside the scale of most other columns.

    Attributes:
        names: The names of the columns with values mostly outside the scale.
        top: The maximum of the scale.
        others: The number of columns with all values on the scale.
    """

    names: tuple[str, ...]
    top: int
    others: int


def outliers(columns: Mapping[str, FloatArray]) -> Outliers:
    """Returns the columns with most values outside [0, 1], if most columns are inside [0, 1]; otherwise the same for [0, 100].

    Examples:
        >>> import numpy as np
        >>> accuracies = {f"task {n}": np.array([0.5, 0.25 * n]) for n in (1, 2, 3)}
        >>> outliers(accuracies | {"year": np.array([2023.0, 2024.0])})
        Outliers(names=('year',), top=1, others=3)
    """
    for top in SCALES:
        outside = {name: float(((values < 0) | (values > top)).mean()) for name, values in columns.items() if len(values)}
        inside = sum(share == 0 for share in outside.values())
        if inside >= 2 and inside > len(outside) - inside:
            return Outliers(tuple(name for name, share in outside.items() if share > 0.5), top, inside)
    return Outliers((), 0, 0)
