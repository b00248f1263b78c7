"""Corrections for many comparisons: from the p-values of a family of hypotheses to those that are rejected.

A p-value is compared with a level such as i*alpha/(m*c). Both are rounded, and p-values of resampling are multiples of
1/b that often meet a level exactly; so a p-value within a relative 1e-12 of a level counts as on it, and is rejected.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Final, Self, TypedDict, Unpack

import numpy as np

from inexmetrics.foundation.arrays import BoolArray, FloatArray
from inexmetrics.inference.base import Correction
from inexmetrics.language.lexicon import word

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

ROUNDING = 1 + 1e-12


class CorrectionParameters(TypedDict, total=False):
    """What may be changed in a correction."""

    alpha: float


def harmonic(m: int) -> float:
    """The sum of 1/i for i = 1..m, correctly rounded: the constant c of Benjamini & Yekutieli.

    Examples:
        >>> round(harmonic(2415), 6)
        8.366877
    """
    return math.fsum((1.0 / np.arange(1, m + 1)).tolist())


@dataclass(frozen=True, slots=True, repr=False)
class SteppedCorrection(Correction, ABC):
    """A correction that compares the sorted p-values with a level for each place among them."""

    @abstractmethod
    def levels(self, m: int) -> FloatArray:
        """The levels of the m sorted p-values, the smallest's first."""

    @abstractmethod
    def steps(self, passed: BoolArray) -> int:
        """How many of the smallest p-values are rejected, from which of them passed their level."""

    def rejected(self, p_values: FloatArray) -> BoolArray:
        ordered = np.sort(p_values)
        count = self.steps(ordered <= self.levels(len(ordered)) * ROUNDING)
        return p_values <= ordered[count - 1] if count else np.zeros(len(p_values), dtype=np.bool_)

    def first_step(self, hypotheses: int) -> float:
        return float(self.levels(max(hypotheses, 1))[0])

    def __call__(self, **changes: Unpack[CorrectionParameters]) -> Self:
        return self._changed(changes)


@dataclass(frozen=True, slots=True, repr=False)
class StepUp(SteppedCorrection, ABC):
    """A correction that rejects all p-values up to the largest one that passes its level."""

    def steps(self, passed: BoolArray) -> int:
        places = np.flatnonzero(passed)
        return int(places[-1]) + 1 if len(places) else 0


@dataclass(frozen=True, slots=True, repr=False)
class StepDown(SteppedCorrection, ABC):
    """A correction that rejects p-values from the smallest on until one does not pass its level."""

    def steps(self, passed: BoolArray) -> int:
        return len(passed) if passed.all() else int(np.argmin(passed))


@word("BY")
@dataclass(frozen=True, slots=True, repr=False)
class BenjaminiYekutieli(StepUp):
    """Benjamini & Yekutieli: controls the false discovery rate, however the hypotheses depend on each other.

    Of m sorted p-values, k is the largest i with p_(i) <= i * alpha / (m * c), c = 1 + 1/2 + ... + 1/m; every hypothesis with
    p <= p_(k) is rejected. Directed hypotheses on the same runs and topics depend on each other, so this is the default.

    Args:
        alpha: The expected share of wrong rejections among all, 0.05 if not given.

    References:
        Benjamini & Yekutieli (2001); Ogilvie & Lalmas (2006), section 3.3.

    Examples:
        >>> import numpy as np
        >>> from inexmetrics import BY
        >>> BY, BY(alpha=0.01)
        (BY, BY(alpha=0.01))
        >>> BY.rejected(np.array([0.2, 0.001, 0.018, 0.04])).tolist()
        [False, True, False, False]
    """

    def levels(self, m: int) -> FloatArray:
        return np.arange(1, m + 1, dtype=np.float64) * self.alpha / (m * harmonic(m))


@word("BH")
@dataclass(frozen=True, slots=True, repr=False)
class BenjaminiHochberg(StepUp):
    """Benjamini & Hochberg: controls the false discovery rate of hypotheses that are independent or depend positively.

    Of m sorted p-values, k is the largest i with p_(i) <= i * alpha / m; every hypothesis with p <= p_(k) is rejected.

    Args:
        alpha: The expected share of wrong rejections among all, 0.05 if not given.

    References:
        Benjamini & Hochberg (1995).

    Examples:
        >>> import numpy as np
        >>> from inexmetrics import BH
        >>> BH.rejected(np.array([0.2, 0.001, 0.018, 0.04])).tolist()
        [False, True, True, False]
    """

    def levels(self, m: int) -> FloatArray:
        return np.arange(1, m + 1, dtype=np.float64) * self.alpha / m


@word("Holm")
@dataclass(frozen=True, slots=True, repr=False)
class HolmCorrection(StepDown):
    """Holm: controls the probability of any wrong rejection, and rejects at least what Bonferroni does.

    Of m sorted p-values, from the smallest on, hypotheses are rejected while p_(i) <= alpha / (m+1-i).

    Args:
        alpha: The probability of any wrong rejection, 0.05 if not given.

    References:
        Holm (1979).

    Examples:
        >>> import numpy as np
        >>> from inexmetrics import Holm
        >>> Holm.rejected(np.array([0.2, 0.001, 0.016, 0.04])).tolist()
        [False, True, True, False]
    """

    def levels(self, m: int) -> FloatArray:
        return self.alpha / np.arange(m, 0, -1, dtype=np.float64)


@word("Bonferroni")
@dataclass(frozen=True, slots=True, repr=False)
class BonferroniCorrection(StepDown):
    """Bonferroni: controls the probability of any wrong rejection: each of m p-values is rejected where p <= alpha / m.

    Args:
        alpha: The probability of any wrong rejection, 0.05 if not given.

    Examples:
        >>> import numpy as np
        >>> from inexmetrics import Bonferroni
        >>> Bonferroni.rejected(np.array([0.2, 0.001, 0.016, 0.04])).tolist()
        [False, True, False, False]
    """

    def levels(self, m: int) -> FloatArray:
        return np.full(m, self.alpha / max(m, 1))


@word("unadjusted")
@dataclass(frozen=True, slots=True, repr=False)
class Unadjusted(StepDown):
    """No correction: each hypothesis is rejected where p <= alpha, however many there are.

    Args:
        alpha: The probability of a wrong rejection, for each hypothesis; 0.05 if not given.

    Examples:
        >>> import numpy as np
        >>> from inexmetrics import unadjusted
        >>> unadjusted.rejected(np.array([0.2, 0.001, 0.016, 0.04])).tolist()
        [False, True, True, True]
    """

    def levels(self, m: int) -> FloatArray:
        return np.full(m, self.alpha)


BY: Final = BenjaminiYekutieli()
BH: Final = BenjaminiHochberg()
Holm: Final = HolmCorrection()
Bonferroni: Final = BonferroniCorrection()
unadjusted: Final = Unadjusted()
