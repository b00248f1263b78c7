"""What a significance test and a correction for many comparisons are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from inexmetrics.foundation.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.foundation.setting import Setting
from inexmetrics.language.kinds import Number
from inexmetrics.language.terms import Term, parameter

__all__ = ["Correction", "SignificanceTest"]


@dataclass(frozen=True, slots=True, repr=False)
class SignificanceTest(Term, ABC):
    """A paired test of whether one run is better than another, over topics."""

    sort: ClassVar[str] = "significance test"

    @property
    def two_tailed(self) -> bool:
        """Whether the test asks if two runs differ, which is one hypothesis a pair, and not if one is better than the other."""
        return False

    @abstractmethod
    def p_values(self, scores: FloatArray, better: IntArray, worse: IntArray, setting: Setting) -> FloatArray:
        """The p-values of hypotheses "run `better` is better than run `worse`"; of a two-tailed test, "they differ".

        Args:
            scores: Scores, runs x topics, finite.
            better: Row of the first run of each hypothesis.
            worse: Row of the second run of each hypothesis.
            setting: Where it runs.

        Returns:
            One p-value a hypothesis; 1 where the runs do not differ on any topic, or there are fewer than 2 topics.

        Raises:
            ValueError: A score is not finite.
        """

    @abstractmethod
    def statistics(self, scores: FloatArray, better: IntArray, worse: IntArray) -> FloatArray:
        """The test's statistic for each directed hypothesis; NaN where it is undefined."""

    @abstractmethod
    def smallest_p_value(self, topics: int) -> float:
        """The smallest p-value that the test can give over so many topics; of random numbers, the smallest to be expected."""


@dataclass(frozen=True, slots=True, repr=False)
class Correction(Term, ABC):
    """A rule that says which of many hypotheses to reject, from all their p-values.

    Args:
        alpha: The level at which errors are controlled, above 0 and below 1.
    """

    sort: ClassVar[str] = "correction"
    alpha: float = parameter(0.05, Number(above=0.0, below=1.0))

    @abstractmethod
    def rejected(self, p_values: FloatArray) -> BoolArray:
        """Which hypotheses are rejected; all p-values of one family of hypotheses are given at once."""

    @abstractmethod
    def first_step(self, hypotheses: int) -> float:
        """The level that the smallest of so many p-values must not exceed to be rejected on its own."""
