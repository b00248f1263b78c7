"""The ideal elements that users see up to each rank of a list, and the resulting precision.

The number of seen ideal elements has a Poisson-binomial distribution: the number of successes in independent trials with different
probabilities. All functions operate on the arrays of one topic, which are small enough to be sent to other processes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray

__all__ = ["Reached", "Satisfaction", "laws", "needs_at", "precision", "precision_at_rank", "survivals"]


def survivals(chances: FloatArray, sizes: Sequence[int], most: int) -> Iterator[FloatArray]:
    """Yields, for several values of n, the probabilities of at least 1, 2, ..., `most` successes in the first n trials.

    The recurrence adds one trial at a time: S[j] = (1 - p) S[j] + p S[j-1] with S[0] = 1. The recurrence is exact except for rounding,
    because nothing is subtracted. The number of steps for all cases together is ``n * most / 2``.

    Args:
        chances: The probability of success of each trial in each case, shape (n, C).
        sizes: The values of n (numbers of trials), in increasing order.
        most: The largest number of successes that is requested, at least 1.

    Yields:
        For each n, the probabilities of at least 1, 2, ..., min(n, most) successes in each case, shape (min(n, most), C). The next step
        overwrites the array.

    Source: equation 7 of Piwowarski & Dupret (2006).

    Examples:
        >>> [law.tolist() for law in survivals(np.array([[0.5], [0.5]]), [1, 2], most=2)]
        [[[0.5]], [[0.75], [0.25]]]
    """
    law = np.zeros((min(len(chances), most) + 1, chances.shape[1]))
    law[0] = 1.0
    done = 0
    for size in sizes:
        _add(law, chances[done:size], done + 1)
        done = max(done, size)
        yield law[1 : min(size, most) + 1]


def laws(chances: FloatArray) -> FloatArray:
    """Returns the probabilities of exactly 0, 1, ..., n successes in each case, shape (n + 1, C).

    The recurrence is P[j] = (1 - p) P[j] + p P[j-1] with P[-1] = 0.

    Args:
        chances: The probability of success of each trial in each case, shape (n, C).

    Examples:
        >>> laws(np.array([[0.5], [0.5]])).ravel().tolist()
        [0.25, 0.5, 0.25]
    """
    law = np.zeros((len(chances) + 2, chances.shape[1]))
    law[1] = 1.0
    _add(law, chances, 2)
    return law[1:]


def _add(law: FloatArray, chances: FloatArray, first: int) -> None:
    """Adds trials, one after the other, to the distribution of each case: L[j] = (1 - p) L[j] + p L[j-1]; the first row does not change.

    Args:
        law: The distribution, which is overwritten.
        chances: The probability of success of each trial, by case.
        first: Number of rows that the first trial changes; each further trial changes one more row, up to the number of rows.
    """
    stays = 1.0 - chances
    moved = np.empty_like(law[1:])
    for event, chance in enumerate(chances):
        rows = min(first + event, len(moved))
        np.multiply(law[:rows], chance, out=moved[:rows])
        law[1 : rows + 1] *= stays[event]
        law[1 : rows + 1] += moved[:rows]


COUNT_ROUNDING = 1e-9
"""A number of ideal elements that exceeds a whole number by at most this rounding error is treated as the whole number."""
CELLS = 2**17
"""Maximum number of probabilities in memory at once, so that they fit into the processor's cache."""


def needs_at(levels: Sequence[float], size: int) -> IntArray:
    """Returns the number of ideal elements needed for each recall level, at least 1.

    Examples:
        >>> needs_at((0.01, 0.5, 0.75, 1.0), 4).tolist()
        [1, 2, 3, 4]
    """
    return np.array([max(1, math.ceil(level * size - COUNT_ROUNDING)) for level in levels], dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Satisfaction:
    """The satisfaction levels of a topic; each level has its own set of ideal elements. S levels, t ideal elements.

    Attributes:
        sizes: Number of ideal elements at each level, in increasing order, shape (S,). A level with n elements contains the first n ideal
            elements.
        shares: The share of users at each level, shape (S,); the sum is 1.
        efforts: Expected number of ranks (E[ML*]) that an ideal list needs to show 0, 1, ..., t ideal elements, by level, shape (S, t + 1);
            the value for 0 elements is 0. None means that each rank of the ideal list shows exactly one ideal element.
    """

    sizes: IntArray
    shares: FloatArray
    efforts: FloatArray | None = None

    @classmethod
    def of(cls, idealities: FloatArray) -> Satisfaction:
        """Builds the satisfaction levels, one per distinct ideality; idealities are decreasing and above 0.

        Examples:
            >>> levels = Satisfaction.of(np.array([0.5, 0.25, 0.25]))
            >>> levels.sizes.tolist(), levels.shares.tolist()
            ([1, 3], [0.5, 0.5])
        """
        sizes = np.flatnonzero(np.diff(idealities, append=-1.0)) + 1
        distinct = idealities[sizes - 1]
        return cls(sizes, -np.diff(distinct, append=0.0) / idealities[:1])

    def effort(self, level: int) -> FloatArray:
        """Returns, for k = 1, 2, ..., n, the expected number of ranks (E[ML*]) that an ideal list needs to show k ideal elements.

        The given satisfaction level has n ideal elements.
        """
        size = int(self.sizes[level])
        return np.arange(1.0, size + 1.0) if self.efforts is None else self.efforts[level, 1 : size + 1]


@dataclass(frozen=True, slots=True, eq=False)
class Reached:
    """The ideal elements that users reach from the lists of one topic. R lists, H routes, t ideal elements.

    Attributes:
        satisfaction: The ideal elements at each satisfaction level of the topic, and the share of users at each level.
        firsts: Index of the first route from each list, shape (R + 1,); the last entry is H.
        ranks: The rank at which each route starts, shape (H,); ranks increase within a list.
        ideals: Index of the ideal element at which each route ends, shape (H,).
        chances: The probability that a user takes each route, above 0, shape (H,). No two routes lead from the same rank of a list to the
            same element.
    """

    satisfaction: Satisfaction
    firsts: IntArray
    ranks: IntArray
    ideals: IntArray
    chances: FloatArray

    @property
    def lists(self) -> int:
        """The number of lists, R."""
        return len(self.firsts) - 1

    @property
    def count(self) -> int:
        """The number of ideal elements, t."""
        return int(self.satisfaction.sizes[-1])

    def certain(self) -> BoolArray:
        """Returns, for each list, whether all routes from its items to ideal elements have probability 1, shape (R,)."""
        doubtful = np.concatenate(([0], np.cumsum(self.chances < 1.0)))
        return np.asarray(doubtful[self.firsts[1:]] == doubtful[self.firsts[:-1]])

    def seen(self, number: int) -> tuple[IntArray, FloatArray]:
        """Returns the ranks of a list at which users may see further elements, and the probabilities of having seen each element by then.

        The probabilities have the shape (ideal elements, ranks) and are computed from equation 1.
        """
        part = slice(int(self.firsts[number]), int(self.firsts[number + 1]))
        ranks, column = np.unique(self.ranks[part], return_inverse=True)
        missed = np.ones((self.count, len(ranks)))
        missed[self.ideals[part], column] = 1.0 - self.chances[part]
        np.multiply.accumulate(missed, axis=1, out=missed)
        more = np.ones(len(ranks), dtype=np.bool_)
        more[1:] = (missed[:, 1:] != missed[:, :-1]).any(axis=0)
        return ranks[more], 1.0 - missed[:, more]


def precision(levels: Sequence[float] | None, reached: Reached) -> FloatArray:
    """Returns precision at recall levels for each list, averaged over the satisfaction levels of users, shape (R, number of levels).

    If `levels` is None, precision is averaged over the number of elements that users want, from 1 to all, shape (R, 1).
    """
    satisfaction = reached.satisfaction
    sizes = satisfaction.sizes.tolist()
    needs = None if levels is None else np.stack([needs_at(levels, size) for size in sizes])
    most = sizes[-1] if needs is None else int(needs.max())
    # The array contains E[ML*], the expected number of ranks of the ideal list, for each satisfaction level and each number of wanted
    # elements. Its shape is (S, 1, most). The value is 0 if a level has fewer elements than users want.
    efforts = np.zeros((len(sizes), 1, most))
    for level, size in enumerate(sizes):
        efforts[level, 0, :size] = satisfaction.effort(level)[:most]
    certain = reached.certain()
    found = np.zeros((reached.lists, 1 if levels is None else len(levels)))
    if certain.any():
        found[certain] = _read(efforts / _ranks_of_needs(reached, certain, most), satisfaction, needs)
    uncertain = np.flatnonzero(~certain)
    longest = int(np.diff(reached.firsts).max(initial=1))
    together = max(1, CELLS // (reached.count * max(len(sizes), longest)))
    for start in range(0, len(uncertain), together):
        lists = uncertain[start : start + together]
        found[lists] = _read(efforts * _achieved_ratio(reached, lists.tolist(), most), satisfaction, needs)
    return found


def _ranks_of_needs(reached: Reached, lists: BoolArray, most: int) -> FloatArray:
    """Returns, for n = 1, 2, ..., `most`, the first rank (ML) by which each list has shown n ideal elements.

    The array has the shape (satisfaction levels, lists, most). All routes of the lists must have probability 1. The rank is infinite if a
    list never shows n ideal elements.
    """
    first = np.full((reached.lists, reached.count), np.inf)  # the first rank at which users reach each element, shape (R, t)
    of_route = np.repeat(np.arange(reached.lists), np.diff(reached.firsts))
    np.minimum.at(first, (of_route, reached.ideals), reached.ranks.astype(np.float64))
    at = first[lists]
    ranks = np.full((len(reached.satisfaction.sizes), len(at), most), np.inf)
    for of_level, size in zip(ranks, reached.satisfaction.sizes.tolist(), strict=True):
        of_level[:, :size] = np.sort(at[:, :size], axis=1)[:, :most]
    return ranks


def _achieved_ratio(reached: Reached, lists: Sequence[int], most: int) -> FloatArray:
    """Returns the expected ratio E[A/ML] (eq. 5) for some lists, shape (satisfaction levels, lists, numbers of wanted elements).

    ML is the number of ranks that a list needs to show the wanted number of elements; A is 1 if the list shows enough elements, and 0
    otherwise. The number of seen elements, F, changes only at some ranks, ``k_1 < k_2 < .. < k_m``. Equation 5 is therefore the sum of
    ``(1/k_i - 1/k_(i+1)) P(F_(k_i) >= need)`` over these ranks; the last term is ``1/k_m P(F_(k_m) >= need)``.
    """
    sizes = reached.satisfaction.sizes.tolist()
    of_lists = [reached.seen(number) for number in lists]
    # shape (elements, ranks, lists); a single list is padded to two lists, because numpy would add its terms in another order
    seen = np.zeros((reached.count, max(len(ranks) for ranks, _ in of_lists), max(2, len(lists))))
    weights = np.zeros(seen.shape[1:])
    for place, (ranks, chances) in enumerate(of_lists):
        seen[:, : len(ranks), place] = chances
        weights[: len(ranks), place] = -np.diff(1.0 / ranks, append=0.0)
    found = np.zeros((len(sizes), len(lists), most))
    for level, law in enumerate(survivals(seen.reshape(reached.count, -1), sizes, most)):
        terms = np.empty((len(weights), len(law), weights.shape[1]))
        np.multiply(law.reshape(len(law), *weights.shape).swapaxes(0, 1), weights[:, None], out=terms)
        found[level, :, : len(law)] = np.add.reduce(terms, axis=0)[:, : len(lists)].T
    return found


def _read(by_need: FloatArray, satisfaction: Satisfaction, needs: IntArray | None) -> FloatArray:
    """Returns the precision of each list at each recall level, averaged over users; terms are added in a fixed order.

    Args:
        by_need: Precision by satisfaction level, list and number of wanted elements, shape (S, lists, most); 0 if a level has fewer
            elements than are wanted.
        satisfaction: The ideal elements at each satisfaction level, and the share of users at each level.
        needs: Number of wanted elements at each satisfaction level and recall level, shape (S, number of recall levels). If None, precision
            is averaged over the number of elements that users want, from 1 to all.
    """
    if needs is None:
        asked = np.add.accumulate(by_need, axis=2)[:, :, -1:] / satisfaction.sizes[:, None, None]
    else:
        asked = np.take_along_axis(by_need, needs[:, None, :] - 1, axis=2)
    sums: FloatArray = np.add.accumulate(satisfaction.shares[:, None, None] * asked, axis=0)[-1]
    return sums


def precision_at_rank(rank: int, reached: Reached) -> FloatArray:
    """Returns expected precision at a rank for each list, shape (R, 1).

    By rank k, users have seen F_k ideal elements, a random number. An ideal list needs E[ML*](n) ranks, on average, to show n ideal
    elements. Expected precision at rank k is ``E[E[ML*](F_k)] / k``. The numerator is the sum of
    ``P(F_k >= n) (E[ML*](n) - E[ML*](n - 1))`` over all n.
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
