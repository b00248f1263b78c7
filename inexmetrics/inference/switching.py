"""How often pairs of runs switch, by their difference: unstable pairs, and the line of decreasing switching."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import polars as pl

__all__ = ["UNSTABLE", "falling_line"]

UNSTABLE: Final = 0.05
"""A pair that switches in more than this share of the sets is unstable."""


def falling_line(bucketed: pl.DataFrame) -> tuple[float, float] | None:
    """Returns intercept and slope of the least-squares line through the table ``buckets``, up to the first bucket that never switches.

    Points are (middle of the bucket, switch probability). None if there are fewer than two points, or the line does not fall.

    Examples:
        >>> rows = {"lower": [0.0, 0.01, 0.02], "upper": [0.01, 0.02, 0.03]}
        >>> rows = pl.DataFrame({**rows, "switch_probability": [0.4, 0.0, 0.3]})
        >>> [round(value, 12) for value in falling_line(rows)]
        [0.6, -40.0]
    """
    y = bucketed["switch_probability"].to_numpy()
    zeros = np.flatnonzero(y == 0.0)
    used = int(zeros[0]) + 1 if len(zeros) else len(y)
    if used < 2:
        return None
    y = y[:used]
    x = ((bucketed["lower"] + bucketed["upper"]) / 2).to_numpy()[:used]
    x_middle, y_middle = math.fsum(x.tolist()) / used, math.fsum(y.tolist()) / used
    apart = x - x_middle
    slope = math.fsum((apart * (y - y_middle)).tolist()) / math.fsum((apart**2).tolist())
    return (y_middle - slope * x_middle, slope) if slope < 0.0 else None
