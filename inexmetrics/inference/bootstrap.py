"""The bootstrap over topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from inexmetrics.foundation.arrays import FloatArray, IntArray
from inexmetrics.inference.resampling import BLOCK, ResamplingTest
from inexmetrics.language.lexicon import word

__all__ = ["Bootstrap", "bootstrap"]


@word("bootstrap")
@dataclass(frozen=True, slots=True, repr=False)
class Bootstrap(ResamplingTest):
    """The bootstrap: how often is the better run not better, if other topics like these had been drawn?

    The n topics are drawn anew b times, n of them with replacement; ``p = (1/b) #{i : mean*_i <= 0}``, ``mean*_i`` being the mean
    difference on sample i. This is the percentile form, not centred: p = 0 says p < 1/b. All pairs of runs share the
    samples. A mean that differs from 0 by less than scores can be told apart (n units of 2^-40 in the sum of differences)
    is a tie and counts as <= 0, so that p(A, B) + p(B, A) >= 1.

    Args:
        b: How many times the topics are drawn, 10000 if not given.
        seed: Where the random numbers start, 0 if not given.

    References:
        Ogilvie & Lalmas (2006), section 3.3.

    Examples:
        >>> import numpy as np
        >>> from inexmetrics import bootstrap
        >>> bootstrap, bootstrap(b=2000, seed=7)
        (bootstrap, bootstrap(b=2000, seed=7))
        >>> from inexmetrics.foundation.setting import Setting
        >>> scores = np.array([[0.4, 0.6, 0.5], [0.1, 0.2, 0.6]])
        >>> p = bootstrap.p_values(scores, np.array([0, 1]), np.array([1, 0]), Setting())
        >>> bool(p[0] < 0.05), bool(p.sum() >= 1.0)
        (True, True)
    """

    @staticmethod
    def weights(random: np.random.Generator, topics: int) -> IntArray:
        drawn = random.integers(0, topics, size=(BLOCK, topics))
        drawn += topics * np.arange(BLOCK)[:, None]
        return np.bincount(drawn.ravel(), minlength=BLOCK * topics).reshape(BLOCK, topics)

    def from_counts(self, counts: IntArray) -> FloatArray:
        return counts / self.b

    def smallest_p_value(self, topics: int) -> float:
        return 0.0 if topics >= 2 else 1.0


bootstrap: Final = Bootstrap()
