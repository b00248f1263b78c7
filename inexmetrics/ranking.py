"""Coded rankings: every result as the number of the judged item it is, so that measures are arithmetic on arrays.

Strings are met once. Each batch of runs is joined with the assessments into codes; every quantisation is then one
`take` from its gains, shared by all conditions that ask for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inexmetrics.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.collection import Collection
from inexmetrics.quantisations.base import Quantisation

__all__ = ["Evidence", "Graded", "batches"]


@dataclass(frozen=True, slots=True, eq=False)
class Graded:
    """Gains of retrieved and of ideal results. R runs, T topics, K ranks, N ideal results; 0 past the end of a list.

    Attributes:
        gains: Gain of each result, R x T x K.
        lengths: Results retrieved, R x T.
        ideal: Gains of the ideal results, decreasing, T x N.
        counts: Ideal results with a gain above 0, T.
        begins: Where a result's score differs from that of the result before it, R x T x K; None without scores.
    """

    gains: FloatArray
    lengths: IntArray
    ideal: FloatArray
    counts: IntArray
    begins: BoolArray | None


class Evidence:
    """One batch of runs held against the assessments; each view of it is computed when first asked for, and kept."""

    runs: tuple[str, ...]
    topics: tuple[str, ...]

    def graded(self, quantisation: Quantisation) -> Graded:
        """Results as the assessed elements they are, by their gains (thorough: overlap ignored)."""
        raise NotImplementedError

    def focused(self, quantisation: Quantisation, ideal: str) -> Graded:
        """The same against an ideal recall base without overlap, a character paid for once."""
        raise NotImplementedError

    def documents(self) -> Graded:
        """Documents, each at its first occurrence, by their grades."""
        raise NotImplementedError


def batches(collection: Collection) -> Iterator[Evidence]:
    """The collection's runs in string order, coded in batches of bounded size."""
    raise NotImplementedError
