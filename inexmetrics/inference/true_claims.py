"""Lower confidence bounds for the number of true differences in any set of tested hypotheses, from Simes' inequality (Hommel's method)."""

from __future__ import annotations

import numpy as np

from inexmetrics.common.arrays import FloatArray
from inexmetrics.inference.base import LEVEL_ROUNDING

__all__ = ["largest_not_rejected", "true_at_least"]


def largest_not_rejected(p_values: FloatArray, alpha: float) -> int:
    """Returns the largest number of hypotheses that may all be true: the size of the largest family that Simes' test does not reject.

    Simes' test of i hypotheses depends on their sorted p-values, so only the i largest p-values need to be tested. If the test does not
    reject the i + 1 largest p-values, it does not reject the i largest either. Therefore the size is found by bisection.

    Formula:
        h = max { i : i p_(m - i + j) > j alpha "for all" j = 1, ..., i }
        where
            m: the number of hypotheses
            p_(i): the i-th smallest p-value

    Args:
        p_values: The p-values of one family of hypotheses, in any order.
        alpha: One minus the confidence level.

    Source: Hommel (1988); Goeman, Meijer, Krebs & Solari (2019).

    Examples:
        >>> largest_not_rejected(np.array([0.001, 0.2, 0.04]), 0.05)
        2
    """
    rising, level = np.sort(p_values), alpha * LEVEL_ROUNDING
    least, most = 0, len(rising)
    while least < most:
        size = (least + most + 1) // 2
        if (size * rising[len(rising) - size :] > level * np.arange(1, size + 1)).all():
            least = size
        else:
            most = size - 1
    return least


def true_at_least(chosen: FloatArray, p_values: FloatArray, alpha: float) -> int:
    """Returns a lower confidence bound for the number of true differences among chosen hypotheses; the confidence level is 1 - alpha.

    The bounds of all possible choices hold simultaneously, so the hypotheses may be chosen after their p-values are known. The bound
    follows from closed testing with Simes' test. It assumes Simes' inequality for the true null hypotheses, which holds for independent
    and for positively dependent p-values.

    Formula:
        d = max_(u = 1, ..., r) (1 - u + #{p : h p <= u alpha})
        where
            d: the bound; 0 if the maximum is below 0
            r: the number of chosen hypotheses
            p: the p-value of a chosen hypothesis
            h: the largest number of hypotheses of the whole family that may all be true

    Args:
        chosen: The p-values of the chosen hypotheses.
        p_values: The p-values of the whole family, including the chosen hypotheses.
        alpha: One minus the confidence level.

    Source: Goeman & Solari (2011); Goeman, Meijer, Krebs & Solari (2019).

    Examples:
        Of the three hypotheses, two may be true. Of the two smaller p-values, .001 is below .05 / 2, and .04 is not:

        >>> p_values = np.array([0.001, 0.2, 0.04])
        >>> true_at_least(p_values[[0, 2]], p_values, 0.05)
        1
    """
    if not len(chosen):
        return 0
    scaled = largest_not_rejected(p_values, alpha) * chosen / (alpha * LEVEL_ROUNDING)
    # A p-value counts from the first u with h p <= u alpha.
    first = np.clip(np.ceil(scaled), 1, len(chosen) + 1).astype(np.int64)
    counted = np.cumsum(np.bincount(first, minlength=len(chosen) + 2))[1 : len(chosen) + 1]
    return max(0, int((counted - np.arange(len(chosen))).max()))
