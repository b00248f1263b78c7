"""Corrections for multiple comparisons, which compute adjusted p-values and rejections from the p-values of a family of hypotheses.

Each correction multiplies the sorted p-values by a factor for each rank, such as m*c/i. The threshold for a p-value is alpha divided by its
factor. A step-up correction finds the largest p-value that does not exceed its threshold, and rejects all hypotheses whose p-values are at
most this p-value. A step-down correction rejects hypotheses in increasing order of their p-values, and stops at the first p-value above its
threshold.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final

import numpy as np

from inexmetrics.common.arrays import FloatArray
from inexmetrics.inference.base import Correction
from inexmetrics.terms import word

__all__ = [
    "BH",
    "BY",
    "BenjaminiHochberg",
    "BenjaminiYekutieli",
    "Bonferroni",
    "BonferroniCorrection",
    "Holm",
    "HolmCorrection",
    "Unadjusted",
    "harmonic",
    "unadjusted",
]


@lru_cache(maxsize=1024)  # simulations and draws correct families of the same size
def harmonic(m: int) -> float:
    """Returns the sum of 1/i for i = 1..m, correctly rounded: the constant c of Benjamini & Yekutieli.

    Examples:
        >>> round(harmonic(2415), 6)
        8.366877
    """
    return math.fsum((1.0 / np.arange(1, m + 1)).tolist())


class SteppedCorrection(Correction, ABC):
    """Correction that multiplies the sorted p-values by a factor for each rank."""

    __slots__ = ()

    steps_up: ClassVar[bool] = False
    """True for step-up corrections, False for step-down corrections."""

    @abstractmethod
    def factors(self, m: int) -> FloatArray:
        """Returns the factor by which each of the m sorted p-values is multiplied, beginning with the smallest p-value."""

    def adjusted(self, p_values: FloatArray) -> FloatArray:
        order = np.argsort(p_values, kind="stable")
        products = p_values[order] * self.factors(len(p_values))
        stepped = np.minimum.accumulate(products[::-1])[::-1] if self.steps_up else np.maximum.accumulate(products)
        adjusted = np.empty(len(p_values))
        adjusted[order] = np.minimum(1.0, stepped)
        return adjusted

    def first_step(self, hypotheses: int) -> float:
        return self.alpha / float(self.factors(max(hypotheses, 1))[0])


@word("BY")
@dataclass(frozen=True, slots=True, repr=False)
class BenjaminiYekutieli(SteppedCorrection):
    """Benjamini & Yekutieli: controls the false discovery rate under any dependence between the hypotheses.

    Finds the largest k for which p_(k) is at most its threshold, and rejects the k smallest p-values. `BY` is the default correction,
    because directed hypotheses on the same runs and topics depend on each other.

    Formula:
        p_i <= i alpha / (m c)
        c = 1 + 1 / 2 + ... + 1 / m
        adjusted_i = min_(j >= i) m c p_j / j
        where
            m: the number of hypotheses
            p_i: the i-th smallest p-value
            p_j: the j-th smallest p-value
            i: the rank of a p-value
            j: a rank of at least i

    Args:
        alpha: Bound on the expected share of wrong rejections among all rejections, 0.05 by default.

    Source: Benjamini & Yekutieli (2001); Ogilvie & Lalmas (2006), section 3.2.

    Examples:
        >>> import numpy as np
        >>> from inexmetrics import BY
        >>> BY, BY(alpha=0.01)
        (BY, BY(alpha=0.01))
        >>> p_values = np.array([0.2, 0.001, 0.018, 0.04])
        >>> BY.rejected(p_values).tolist(), BY.adjusted(p_values).round(4).tolist()
        ([False, True, False, False], [0.4167, 0.0083, 0.075, 0.1111])
    """

    steps_up: ClassVar[bool] = True

    def factors(self, m: int) -> FloatArray:
        return m * harmonic(m) / np.arange(1, m + 1)


@word("BH")
@dataclass(frozen=True, slots=True, repr=False)
class BenjaminiHochberg(SteppedCorrection):
    """Benjamini & Hochberg: controls the false discovery rate of hypotheses that are independent or positively dependent.

    Finds the largest k for which p_(k) is at most its threshold, and rejects the k smallest p-values.

    Formula:
        p_i <= i alpha / m
        adjusted_i = min_(j >= i) m p_j / j
        where
            m: the number of hypotheses
            p_i: the i-th smallest p-value
            p_j: the j-th smallest p-value
            i: the rank of a p-value
            j: a rank of at least i

    Args:
        alpha: Bound on the expected share of wrong rejections among all rejections, 0.05 by default.

    Source: Benjamini & Hochberg (1995).

    Examples:
        >>> import numpy as np
        >>> from inexmetrics import BH
        >>> BH.rejected(np.array([0.2, 0.001, 0.018, 0.04])).tolist()
        [False, True, True, False]
    """

    steps_up: ClassVar[bool] = True

    def factors(self, m: int) -> FloatArray:
        return m / np.arange(1, m + 1)


@word("Holm")
@dataclass(frozen=True, slots=True, repr=False)
class HolmCorrection(SteppedCorrection):
    """Holm: controls the probability of at least one wrong rejection, and rejects every hypothesis that Bonferroni rejects.

    Beginning with the smallest p-value, the correction compares each p-value with its own threshold, and stops rejecting at the first
    p-value that exceeds its threshold.

    Formula:
        p_i <= alpha / (m + 1 - i)
        adjusted_i = max_(j <= i) (m + 1 - j) p_j
        where
            m: the number of hypotheses
            p_i: the i-th smallest p-value
            p_j: the j-th smallest p-value
            i: the rank of a p-value
            j: a rank of at most i

    Args:
        alpha: Bound on the probability of at least one wrong rejection, 0.05 by default.

    Source: Holm (1979).

    Examples:
        >>> import numpy as np
        >>> from inexmetrics import Holm
        >>> Holm.rejected(np.array([0.2, 0.001, 0.016, 0.04])).tolist()
        [False, True, True, False]
    """

    familywise: ClassVar[bool] = True

    def factors(self, m: int) -> FloatArray:
        return np.arange(m, 0, -1, dtype=np.float64)


@word("Bonferroni")
@dataclass(frozen=True, slots=True, repr=False)
class BonferroniCorrection(SteppedCorrection):
    """Bonferroni: controls the probability of at least one wrong rejection; each of m p-values is rejected if p <= alpha / m.

    Formula:
        p <= alpha / m
        adjusted = m p
        where
            m: the number of hypotheses
            p: a p-value

    Args:
        alpha: Bound on the probability of at least one wrong rejection, 0.05 by default.

    Examples:
        >>> import numpy as np
        >>> from inexmetrics import Bonferroni
        >>> Bonferroni.rejected(np.array([0.2, 0.001, 0.016, 0.04])).tolist()
        [False, True, False, False]
    """

    familywise: ClassVar[bool] = True

    def factors(self, m: int) -> FloatArray:
        return np.full(m, float(m))


@word("unadjusted")
@dataclass(frozen=True, slots=True, repr=False)
class Unadjusted(SteppedCorrection):
    """No correction: each hypothesis is rejected if p <= alpha, regardless of the number of hypotheses.

    Args:
        alpha: Probability of a wrong rejection for each hypothesis.

    Examples:
        >>> import numpy as np
        >>> from inexmetrics import unadjusted
        >>> unadjusted.rejected(np.array([0.2, 0.001, 0.016, 0.04])).tolist()
        [False, True, True, True]
    """

    def factors(self, m: int) -> FloatArray:
        return np.ones(m)


BY: Final = BenjaminiYekutieli()
BH: Final = BenjaminiHochberg()
Holm: Final = HolmCorrection()
Bonferroni: Final = BonferroniCorrection()
unadjusted: Final = Unadjusted()
