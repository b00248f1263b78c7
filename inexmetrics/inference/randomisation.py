"""The randomisation test over topics."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.inference.resampling import BLOCK, ResamplingTest
from inexmetrics.terms.lexicon import word

__all__ = ["Randomisation", "randomisation"]


@word("randomisation")
@dataclass(frozen=True, slots=True, repr=False)
class Randomisation(ResamplingTest):
    """The randomisation test: how often would chance, swapping the two runs' scores, do as well?

    Under the null hypothesis each topic's difference could as well have the other sign. Signs are drawn b times. A sample's mean reaches the observed one exactly where the differences
    whose signs change add up to no more than 0; sums that cannot be told from 0 (n units of 2^-40) count as 0.

    Formula:
        p = (1 + #{i : mean_i >= mean}) / (b + 1)
        where
            i: one of the b samples of signs
            mean_i: the mean difference under these signs
            mean: the one observed

    Source: Smucker, Allan & Carterette (2007), section 3.1.

    Examples:
        >>> import numpy as np
        >>> from inexmetrics import randomisation
        >>> randomisation, randomisation(b=999)
        (randomisation, randomisation(b=999))
        >>> from inexmetrics.common.options import RunOptions
        >>> scores = np.array([[0.4, 0.6, 0.5], [0.1, 0.2, 0.3]])
        >>> p = randomisation.p_values(scores, np.array([0]), np.array([1]), RunOptions())
        >>> bool(abs(p[0] - 1 / 8) < 0.02)
        True
    """

    @staticmethod
    def weights(random: np.random.Generator, topics: int) -> IntArray:
        return random.integers(0, 2, size=(BLOCK, topics))

    def from_counts(self, counts: IntArray) -> FloatArray:
        return (counts + 1) / (self.b + 1)

    def smallest_p_value(self, topics: int) -> float:
        # Of 2^n ways to flip signs one flips none: about b/2^n samples are as good as the observed one whatever it is.
        return (1 + self.b * math.ldexp(1.0, -topics)) / (self.b + 1) if topics >= 2 else 1.0


randomisation: Final = Randomisation()
