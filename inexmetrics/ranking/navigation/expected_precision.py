"""What lists lead their readers to: by which rank which ideal elements are seen, and the precision that comes of it.

Everything here is arithmetic on small arrays of one topic, which travel to other processes as they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.ranking.navigation.poisson_binomial import survivals

__all__ = ["Reached", "Satisfaction", "needs_at", "precision_at_levels", "precision_at_rank", "precision_over_needs"]

COUNT_ROUNDING = 1e-9
"""What a share of the ideal elements may pass a whole number of them by, and still ask for no more."""


def needs_at(levels: Sequence[float], size: int) -> IntArray:
    """How many of so many ideal elements each recall level asks for: at least 1.

    Examples:
        >>> needs_at((0.01, 0.5, 0.75, 1.0), 4).tolist()
        [1, 2, 3, 4]
    """
    return np.array([max(1, math.ceil(level * size - COUNT_ROUNDING)) for level in levels], dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Satisfaction:
    """The satisfaction levels of a topic, at which its readers differ in what is ideal to them. S levels, t ideal elements.

    Attributes:
        sizes: How many of the ideal elements, the first ones, are ideal at each level, S, increasing.
        shares: The share of readers at each level, S; they add up to 1.
        efforts: Expected ranks that an ideal list needs (E[ML*]), by level and number of elements wanted, S x (t + 1), its
            first column 0; None where each rank shows one.
    """

    sizes: IntArray
    shares: FloatArray
    efforts: FloatArray | None = None

    @classmethod
    def of(cls, idealities: FloatArray) -> Satisfaction:
        """The levels between the distinct ones of idealities, which decrease and are above 0.

        Examples:
            >>> levels = Satisfaction.of(np.array([0.5, 0.25, 0.25]))
            >>> levels.sizes.tolist(), levels.shares.tolist()
            ([1, 3], [0.5, 0.5])
        """
        sizes = np.flatnonzero(np.diff(idealities, append=-1.0)) + 1
        distinct = idealities[sizes - 1]
        return cls(sizes, -np.diff(distinct, append=0.0) / idealities[:1])

    def effort(self, level: int) -> FloatArray:
        """E[ML*] at a level, for 1 .. size elements wanted."""
        size = int(self.sizes[level])
        return np.arange(1.0, size + 1.0) if self.efforts is None else self.efforts[level, 1 : size + 1]


@dataclass(frozen=True, slots=True, eq=False)
class Reached:
    """What the lists of one topic lead to. R lists, H routes, t ideal elements.

    Attributes:
        satisfaction: The topic's satisfaction levels.
        firsts: Number of each list's first route, R + 1; the last entry is H.
        ranks: The rank that each route starts from, H, increasing within a list.
        ideals: The ideal element that it leads to, H.
        chances: The chance that a reader takes it, above 0, H; no two routes of a rank lead to the same element.
    """

    satisfaction: Satisfaction
    firsts: IntArray
    ranks: IntArray
    ideals: IntArray
    chances: FloatArray

    @property
    def lists(self) -> int:
        """How many lists there are, R."""
        return len(self.firsts) - 1

    @property
    def count(self) -> int:
        """How many ideal elements there are, t."""
        return int(self.satisfaction.sizes[-1])

    def certain(self) -> BoolArray:
        """Which lists leave nothing to chance, R."""
        doubtful = np.concatenate(([0], np.cumsum(self.chances < 1.0)))
        return np.asarray(doubtful[self.firsts[1:]] == doubtful[self.firsts[:-1]])

    def seen(self, number: int) -> tuple[IntArray, IntArray, FloatArray]:
        """The elements a list leads to, the ranks after which more is seen, and P(seen) by element and rank (eq. 1)."""
        part = slice(int(self.firsts[number]), int(self.firsts[number + 1]))
        elements, row = np.unique(self.ideals[part], return_inverse=True)
        ranks, column = np.unique(self.ranks[part], return_inverse=True)
        missed = np.ones((len(elements), len(ranks)))
        missed[row, column] = 1.0 - self.chances[part]
        np.multiply.accumulate(missed, axis=1, out=missed)
        more = np.ones(len(ranks), dtype=np.bool_)
        more[1:] = (missed[:, 1:] != missed[:, :-1]).any(axis=0)
        return elements, ranks[more], 1.0 - missed[:, more]


def precision_over_needs(reached: Reached) -> FloatArray:
    """The mean over 1 .. t elements wanted, by list, R x 1."""
    return _precision(reached, None)


def precision_at_levels(levels: Sequence[float], reached: Reached) -> FloatArray:
    """Precision at recall levels, by list, R x the number of levels."""
    return _precision(reached, levels)


def _precision(reached: Reached, levels: Sequence[float] | None) -> FloatArray:
    """Precision at recall levels, or for None its mean over all natural ones: over the readers' satisfaction levels."""
    satisfaction = reached.satisfaction
    needs = [None if levels is None else needs_at(levels, size) for size in satisfaction.sizes.tolist()]
    most = max(size if wanted is None else int(wanted.max()) for size, wanted in zip(satisfaction.sizes.tolist(), needs, strict=True))
    certain = reached.certain()
    at = _first_seen(reached)[certain]
    found = np.zeros((reached.lists, 1 if levels is None else len(levels)))
    for level, (size, share) in enumerate(zip(satisfaction.sizes.tolist(), satisfaction.shares.tolist(), strict=True)):
        found[certain] += share * _read(satisfaction.effort(level) / np.sort(at[:, :size], axis=1), needs[level])
    for number in np.flatnonzero(~certain).tolist():
        achieved = _achieved(reached, number, most)
        for level, (size, share) in enumerate(zip(satisfaction.sizes.tolist(), satisfaction.shares.tolist(), strict=True)):
            wanted = min(size, most)
            found[number] += share * _read((satisfaction.effort(level)[:wanted] * achieved[level, :wanted])[None], needs[level])[0]
    return found


def _first_seen(reached: Reached) -> FloatArray:
    """The rank that first leads to each element, R x t; infinite where none does."""
    ranks = np.full((reached.lists, reached.count), np.inf)
    of_route = np.repeat(np.arange(reached.lists), np.diff(reached.firsts))
    np.minimum.at(ranks, (of_route, reached.ideals), reached.ranks.astype(np.float64))
    return ranks


def _achieved(reached: Reached, number: int, most: int) -> FloatArray:
    """E[A/ML] (eq. 5) of a list, by satisfaction level and number of elements wanted, S x most.

    With F constant between the ranks k_1 < k_2 .. after which more is seen, equation 5 is the sum of
    (1/k_i - 1/k_(i+1)) P(F_(k_i) >= need), the last weight being 1/k_m.
    """
    elements, ranks, seen = reached.seen(number)
    weights = -np.diff(1.0 / ranks, append=0.0)
    sizes = np.searchsorted(elements, reached.satisfaction.sizes)
    new = np.diff(sizes, prepend=-1) > 0
    by_size = np.zeros((int(np.count_nonzero(new)), most))
    for place, law in enumerate(survivals(seen, sizes[new].tolist(), most)):
        by_size[place, : len(law)] = np.add.accumulate(law * weights, axis=1)[:, -1]  # in order, which a product of matrices is not
    by_level: FloatArray = by_size[np.cumsum(new) - 1]
    return by_level


def _read(precision: FloatArray, needs: IntArray | None) -> FloatArray:
    """Of precision by list and elements wanted, what is asked for; for None the mean, added in order."""
    if needs is not None:
        return precision[:, needs - 1]
    sums: FloatArray = np.add.accumulate(precision, axis=1)
    means: FloatArray = sums[:, -1:] / precision.shape[1]
    return means


def precision_at_rank(rank: int, reached: Reached) -> FloatArray:
    """Expected precision at a rank, by list, R x 1: the ranks that an ideal list needs for as many elements, divided by the rank.

    E[E[ML*](F_k)] / k is the sum of P(F_k >= n) (E[ML*](n) - E[ML*](n - 1)) over n, divided by k.
    """
    satisfaction = reached.satisfaction
    missed = np.ones((reached.count, reached.lists))
    shown = reached.ranks <= rank
    of_route = np.repeat(np.arange(reached.lists), np.diff(reached.firsts))
    np.multiply.at(missed, (reached.ideals[shown], of_route[shown]), 1.0 - reached.chances[shown])
    total = np.zeros(reached.lists)
    for level, law in enumerate(survivals(1.0 - missed, satisfaction.sizes.tolist(), reached.count)):
        steps = np.diff(satisfaction.effort(level), prepend=0.0)
        total += satisfaction.shares[level] * np.add.accumulate(law * steps[:, None], axis=0)[-1] / rank
    return total[:, None]
