"""Confidence intervals of proportions."""

from __future__ import annotations

import math

__all__ = ["wilson"]


def wilson(found: int, tries: int, interval: float = 0.95) -> tuple[float, float]:
    """Returns Wilson's confidence interval of a proportion, without a continuity correction.

    Formula:
        (p + z^2 / (2 n) -+ z sqrt(p (1 - p) / n + z^2 / (4 n^2))) / (1 + z^2 / n)
        where
            p: the share found
            n: the number of tries
            z: the normal quantile of the confidence

    Source: Wilson (1927).

    Examples:
        >>> [round(end, 4) for end in wilson(10, 200)]
        [0.0274, 0.0896]
    """
    from scipy.special import ndtri  # takes 0.3 s to import

    z = float(ndtri((1 + interval) / 2))
    share, spread = found / tries, z * z / tries
    centre = share + spread / 2
    half = z * math.sqrt(share * (1 - share) / tries + spread / (4 * tries))
    low, high = (centre - half) / (1 + spread), (centre + half) / (1 + spread)
    return (0.0 if found == 0 else max(low, 0.0)), (1.0 if found == tries else min(high, 1.0))
