"""Dominance between plans with a cost and a value."""

from __future__ import annotations

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray

__all__ = ["unbeaten"]


def unbeaten(costs: FloatArray, values: FloatArray) -> BoolArray:
    """Returns which plans are not dominated by another plan.

    A plan dominates another plan if its cost is not higher and its value not lower, and at least one of these differs. A plan with NaN is
    dominated.

    Examples:
        >>> unbeaten(np.array([1.0, 2.0, 3.0, 3.0]), np.array([0.5, 0.4, 0.9, 0.9])).tolist()
        [True, False, True, True]
    """
    no_dearer, no_worse = costs[:, None] <= costs, values[:, None] >= values
    better = (costs[:, None] < costs) | (values[:, None] > values)
    return ~(no_dearer & no_worse & better).any(axis=0) & ~np.isnan(values)
