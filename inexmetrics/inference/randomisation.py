"""The randomisation test over topics."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Final, Self, Unpack

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray
from inexmetrics.inference.clusters import Grouping
from inexmetrics.inference.resampling import ResamplingParameters, ResamplingTest
from inexmetrics.terms.lexicon import word
from inexmetrics.terms.parameter_types import Integer, Optional, Text
from inexmetrics.terms.term import parameter

__all__ = ["Randomisation", "randomisation"]


class RandomisationParameters(ResamplingParameters, total=False):
    """Keyword arguments of the randomisation test."""

    tails: int
    clusters: str | None


@word("randomisation")
@dataclass(frozen=True, slots=True, repr=False)
class Randomisation(ResamplingTest):
    """Randomisation test: the p-value is the share of random exchanges of scores that give at least the observed difference.

    Under the null hypothesis, the difference on each topic is equally likely to have the opposite sign. The signs of the differences are
    drawn b times. Let S be the sum of those observed differences whose signs are changed. The resampled mean is at least the observed mean
    if and only if S <= 0. If |S| is at most n 2^-40, S is treated as 0, because it may be a rounding error.

    ``clusters="column"`` changes the signs of whole clusters of topics, such as the tasks of one family; the confidence interval is that of
    ``t(clusters="column")``.

    Formula:
        p = (1 + #{i : |mean_i| >= |mean|}) / (b + 1) "with two tails"
        p = (1 + #{i : mean_i >= mean}) / (b + 1) "with one tail"
        where
            i: one of the b draws of signs
            mean_i: the mean difference with the signs of draw i
            mean: the observed mean difference

    Args:
        tails: Number of tails of the test, 2 by default. With 2 tails, p is the probability of a result at least as extreme as the observed
            result, in either direction. With 1 tail, p counts only results in the direction of the hypothesis.
        clusters: Name of the column of a score matrix that contains the cluster of each topic; None if topics are independent.

    Source: Smucker, Allan & Carterette (2007), section 3.1.

    Examples:
        >>> import numpy as np
        >>> from inexmetrics import randomisation
        >>> randomisation, randomisation(b=999)
        (randomisation, randomisation(b=999))
        >>> from inexmetrics.common.options import RunOptions
        >>> scores = np.array([[0.4, 0.6, 0.5], [0.1, 0.2, 0.3]])
        >>> p = randomisation.p_values(scores, np.array([0]), np.array([1]), RunOptions())
        >>> bool(abs(p[0] - 2 / 8) < 0.02)
        True
    """

    symmetric: ClassVar[bool] = True
    tails: int = parameter(2, Integer(1, 2))
    clusters: str | None = parameter(None, Optional(Text()))
    grouping: Grouping | None = None

    @property
    def two_tailed(self) -> bool:
        return self.tails == 2

    def __call__(self, **changes: Unpack[RandomisationParameters]) -> Self:
        return self._changed(changes)

    @staticmethod
    def weights(random: np.random.Generator, samples: int, units: int) -> IntArray:
        return random.integers(0, 2, size=(samples, units))

    def sides(self, sums: FloatArray, totals: FloatArray) -> tuple[FloatArray, ...]:
        # The resampled mean is at most -1 times the observed mean if and only if the sum of the differences that keep their signs is at
        # most 0.
        return (sums, totals[:, None] - sums) if self.two_tailed else (sums,)

    def from_counts(self, counts: IntArray) -> FloatArray:
        # A resample is counted for both tails only if the observed mean is 0. Every resample is then counted, and the count is limited to
        # b.
        return (np.minimum(counts, self.b) + 1) / (self.b + 1)

    def smallest_p_value(self, units: int) -> float:
        # Among the 2^n ways to choose signs, one keeps all signs and one changes all signs. About b/2^n of the b resamples therefore keep
        # all signs and equal the observed result, and about b/2^n change all signs and give the opposite result.
        return (1 + self.b * self.tails * math.ldexp(1.0, -units)) / (self.b + 1) if units >= 2 else 1.0


randomisation: Final = Randomisation()
