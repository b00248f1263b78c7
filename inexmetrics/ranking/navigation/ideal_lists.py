"""Ideal lists, and the expected number of ranks (E[ML*]) that an ideal list needs to show the wanted number of ideal elements.

Users see an item of a list and may then navigate from this item to ideal elements or documents of the topic.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate
from typing import Final

import numpy as np

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.ranking.navigation.exchangeable import Groups, best_effort
from inexmetrics.ranking.navigation.expected_precision import laws, survivals

__all__ = ["Candidates", "expected_efforts", "vain_ranks"]

EXACT: Final = 16
"""The largest number of candidates for which the best order is computed exactly."""
BLOCK: Final = 1 << 17
"""Number of probabilities that are computed together, small enough for the processor's cache."""
CERTAIN: Final = 1e-12
"""Probabilities that differ from 1 by at most this rounding error are treated as 1."""
TIED: Final = 1e-9
"""Relative difference below which probabilities are treated as tied."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidates for a topic's ideal list: items from which users can reach ideal elements. M candidates, t ideal elements, H routes.

    Attributes:
        sizes: Number of ideal elements at each satisfaction level, in increasing order. A level with n elements contains the first n ideal
            elements.
        own: For each ideal element, the index of the candidate that is certain to show it (the element itself, or its document), shape
            (t,).
        leading: For each route from a candidate to an ideal element, the index of the candidate, in increasing order, shape (H,).
            Candidates are sorted by doc_id, then document order.
        ideals: For each route, the index of the ideal element, shape (H,).
        chances: The probability that a user takes each route, above 0, shape (H,). No two routes lead from the same candidate to the same
            element.
    """

    sizes: IntArray
    own: IntArray
    leading: IntArray
    ideals: IntArray
    chances: FloatArray

    def among(self, size: int) -> tuple[IntArray, FloatArray, IntArray]:
        """Returns the candidates from which users can reach any of the first `size` elements, and the probabilities of missing an element.

        The probabilities have the shape (size, M'): for each element and candidate, the probability that users who start at the candidate
        do not reach the element.

        The last returned array contains the candidates that are certain to show the elements, in the order of the elements.
        """
        kept = self.ideals < size
        leading, column = np.unique(self.leading[kept], return_inverse=True)
        missed = np.ones((size, len(leading)))
        missed[self.ideals[kept], column] = 1.0 - self.chances[kept]
        own, places = np.unique(np.searchsorted(leading, self.own[:size]), return_index=True)
        return leading, missed, own[np.argsort(places)]

    @property
    def searched(self) -> bool:
        """Whether an ideal list must be found by search.

        Search is needed if a satisfaction level has several elements, more than `EXACT` candidates, and an element that several candidates
        can show, unless the candidates form a few groups of exchangeable candidates.
        """
        return self.work > 0

    @cached_property
    def work(self) -> int:
        """Estimated number of steps of the search; 0 if no ideal list must be found by search."""
        steps = 0
        for size in self.sizes.tolist() if len(self.sizes) else ():
            leading, missed, _ = self.among(size)
            if size > 1 and len(leading) > EXACT and not _shown_once(missed) and self.groups(size) is None:
                steps += size * sum(len(block.elements) ** 2 * len(block.candidates) for block in _blocks(missed))
        return steps

    def groups(self, size: int) -> Groups | None:
        """Returns the groups of exchangeable candidates of the first `size` elements; None if there are too many."""
        leading, missed, _ = self.among(size)
        return Groups.of(missed, np.searchsorted(leading, self.own[:size]))


def expected_efforts(candidates: Candidates) -> FloatArray:
    """Returns E[ML*] by satisfaction level and number of wanted elements (eq. 4), shape (levels, t + 1); NaN if a level has fewer elements.

    A list is a permutation of the candidates. A separate ideal list is determined for each number of wanted elements. With up to 16
    candidates, and with candidates in a few groups of exchangeable candidates, the ideal list is the best of all orders of the candidates.
    With other candidates, the ideal list is the better of a greedy list and the list of ideal elements by decreasing ideality. The greedy list minimises, rank by rank, the probability
    P(F_k < need) that users have not yet seen the wanted number of elements; of several candidates that are equally good, the first is
    chosen. If each element can be shown by only one candidate, candidates are ordered by decreasing number of shown elements; this order is
    optimal for any number of candidates.
    """
    efforts = np.full((len(candidates.sizes), int(candidates.sizes[-1]) + 1), np.nan)
    efforts[:, 0] = 0.0
    for level, size in enumerate(candidates.sizes.tolist()):
        _, missed, own = candidates.among(size)
        if _shown_once(missed):
            # Each element can be shown by one candidate only, and this candidate shows the element with probability 1. E[ML*] is the
            # number of candidates needed to show 1, 2, ..., t elements, if candidates are sorted by decreasing number of shown elements.
            shown = np.sort(np.count_nonzero(missed < 1.0, axis=0))[::-1]
            wanted = np.arange(1, len(missed) + 1)
            of_level = np.searchsorted(np.cumsum(shown), wanted).astype(np.float64) + 1.0
        elif missed.shape[1] <= EXACT:
            of_level = _exact(missed)
        elif (groups := candidates.groups(size)) is not None:
            of_level = best_effort(missed, groups)
        else:
            of_level = _search(missed, own)
        efforts[level, 1 : size + 1] = of_level
    return efforts


def _shown_once(missed: FloatArray) -> bool:
    """Returns whether each element can be shown by one candidate only.

    This candidate shows the element with probability 1, because each element has a candidate that is certain to show it.
    """
    return bool((np.count_nonzero(missed < 1.0, axis=1) == 1).all())


def _exact(missed: FloatArray) -> FloatArray:
    """Returns, for k = 1, 2, ..., t, the expected number of ranks (E[ML*]) that the best order of all candidates needs to show k elements.

    The probability P(F_k < need) that users have seen too few elements by rank k depends on the set of the first k candidates, not on their
    order. The best order is therefore the shortest path from the empty set to the set of all candidates, where the cost of each set is P(F
    < need). Sets are visited in order of size.
    """
    count = len(missed)
    unseen = np.ones((count, 1))
    cost: FloatArray = np.ones((1, count))
    for member, without in _sets(missed.shape[1]):
        unseen = np.take(unseen, without[0], axis=1) * missed[:, member]
        least: FloatArray = np.take(cost, without[0], axis=0)
        for sets in without[1:]:
            np.minimum(least, np.take(cost, sets, axis=0), out=least)
        for begin in range(0, len(member), block := max(1, BLOCK // count)):
            here = slice(begin, begin + block)
            (law,) = survivals(1.0 - unseen[:, here], [count], count)
            least[here] += 1.0 - law.T
        cost = least
    efforts: FloatArray = cost[0]
    return efforts


@cache
def _sets(number: int) -> tuple[tuple[IntArray, IntArray], ...]:
    """Returns, for each size from 1 to `number`, two arrays that describe all sets of candidates of that size.

    S is the number of sets with the given size. The first array contains the first candidate of each set, shape (S,). The second array has
    the shape (size, S). Its i-th row contains, for each set, the index of the smaller set that remains after removal of the i-th candidate.
    """
    sets = np.arange(1 << number)
    sizes = np.add.reduce((sets[:, None] >> np.arange(number)) & 1, axis=1)
    place = np.zeros_like(sets)
    of_size = []
    for size in range(number + 1):
        these = np.flatnonzero(sizes == size)
        place[these] = np.arange(len(these))
        if size:
            members = np.nonzero((these[:, None] >> np.arange(number)) & 1)[1].reshape(-1, size)
            of_size.append((members[:, 0].copy(), place[these ^ (1 << members.T)]))
    return tuple(of_size)


def _search(missed: FloatArray, own: IntArray) -> FloatArray:
    """Returns E[ML*] for 1, 2, ..., t wanted elements.

    Each value belongs to a greedy list or to the list of the ideal elements themselves, whichever has the lower value.
    """
    count = len(missed)
    (law,) = survivals(1.0 - np.multiply.accumulate(missed[:, own], axis=1), [count], count)
    efforts = 1.0 + np.add.accumulate(1.0 - law, axis=1)[:, -1]
    vain = vain_ranks(missed < 1.0)
    blocks = _blocks(missed)
    # for each candidate, the distribution of the number of elements that users see if only this candidate is chosen, shape (largest block +
    # 1, M)
    at_first = np.zeros((max(len(block.elements) for block in blocks) + 1, missed.shape[1]))
    for block in blocks:
        at_first[: len(block.elements) + 1, block.candidates] = laws(1.0 - missed[np.ix_(block.elements, block.candidates)])
    for need in range(2, count + 1):
        # E[ML*] of the greedy list is at least 1 + vain[need]. The greedy list is computed only if E[ML*] of the list of ideal elements is
        # higher than this bound.
        if 1.0 + vain[need] < efforts[need - 1]:
            efforts[need - 1] = _greedy(need, float(efforts[need - 1]), missed, blocks, at_first)
    return efforts


def _blocks(missed: FloatArray) -> list[_Block]:
    """Returns independent blocks of elements and candidates, such as documents: no candidate leads to an element of another block."""
    leads = missed < 1.0
    together = leads.astype(np.int64) @ leads.T.astype(np.int64) > 0
    labels = np.arange(len(missed))
    while True:
        least = np.where(together, labels, len(missed)).min(axis=1)
        if np.array_equal(least, labels):
            break
        labels = least
    of_candidate = labels[np.argmax(leads, axis=0)]
    return [_Block(np.flatnonzero(labels == label), np.flatnonzero(of_candidate == label)) for label in np.unique(labels).tolist()]


def vain_ranks(leads: BoolArray) -> IntArray:
    """Returns, for n = 0, 1, ..., t, the number of top ranks at which a greedy list has certainly shown fewer than n elements.

    At each of these ranks, all candidates are tied, because no candidate can raise the number of shown elements to n. The greedy list
    therefore begins with the first candidates. At the next rank, at least one candidate can raise the number to n.

    Args:
        leads: Whether each candidate leads to each element, shape (t, M).
    """
    count, number = leads.shape
    reach = np.logical_or.accumulate(leads, axis=1)
    sizes = np.count_nonzero(reach, axis=0)
    ranks = np.full(count + 1, number)
    ranks[: np.count_nonzero(leads, axis=0).max(initial=0) + 1] = 0
    for taken in (np.flatnonzero(np.diff(sizes, prepend=0)) + 1).tolist():
        possible = sizes[taken - 1] + np.count_nonzero(leads & ~reach[:, taken - 1 : taken], axis=0).max(initial=0)
        ranks[: possible + 1] = np.minimum(ranks[: possible + 1], taken)
    return ranks


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """A block: ideal elements, and all candidates from which users can reach them; no candidate leads to an element of another block.

    Attributes:
        elements: Indices of the elements of the block.
        candidates: Indices of the candidates of the block, in increasing order.
    """

    elements: IntArray
    candidates: IntArray


def _greedy(need: int, bound: float, missed: FloatArray, blocks: list[_Block], at_first: FloatArray) -> float:
    """Returns E[ML*] of the greedy list, or `bound` if `bound` is smaller.

    The greedy list contains the best candidate at each rank. At rank k, the best candidate maximises P(F_k >= need), the probability that
    users have seen at least the wanted number of elements. A candidate changes the distribution of the number of seen elements only in its
    own block. The distribution for all other blocks together is therefore the same for every candidate of this block. Users do not see any
    element of a block before a candidate of the block is chosen.
    """
    of_candidate = np.zeros(missed.shape[1], dtype=np.int64)
    for number, block in enumerate(blocks):
        of_candidate[block.candidates] = number
    taken = np.zeros(missed.shape[1], dtype=np.bool_)
    left = np.ones(len(missed))  # For each element, the probability that the chosen candidates miss it.
    shown: dict[int, FloatArray] = {}  # For each block with a chosen candidate, the distribution of the number of seen elements.
    # For each candidate of a block, the distribution of the number of elements that users have seen if this candidate is chosen next.
    next_to: dict[int, FloatArray] = {}
    effort = 1.0
    while effort < bound:
        # joint distributions of all blocks that precede each block, and of all blocks that follow it
        before = list(accumulate(shown.values(), _convolve, initial=np.ones(1)))
        after = list(accumulate(reversed(shown.values()), _convolve, initial=np.ones(1)))[::-1]
        chances = _reaching(need, at_first, before[-1])
        for position, number in enumerate(shown):
            chances[blocks[number].candidates] = _reaching(need, next_to[number], _convolve(before[position], after[position + 1]))
        chances[taken] = -1.0
        best = int(np.argmax(chances >= chances.max() * (1.0 - TIED)))
        effort += 1.0 - float(chances[best])
        if chances[best] >= 1.0 - CERTAIN:
            return min(effort, bound)
        taken[best] = True
        number = int(of_candidate[best])
        block = blocks[number]
        left[block.elements] *= missed[block.elements, best]
        shown[number] = laws(1.0 - left[block.elements, None])[:, 0]
        next_to[number] = laws(1.0 - left[block.elements, None] * missed[np.ix_(block.elements, block.candidates)])
    return bound


def _reaching(need: int, of_block: FloatArray, others: FloatArray) -> FloatArray:
    """Returns P(at least `need` elements are seen) for each case, from the distributions for one block and for all other blocks."""
    at_least = np.add.accumulate(others[::-1])[::-1]
    rest = need - np.arange(len(of_block))
    weights = np.where(rest <= 0, 1.0, at_least[np.clip(rest, 0, len(at_least) - 1)] * (rest < len(at_least)))
    chances: FloatArray = np.add.reduce(of_block * weights[:, None], axis=0)
    return chances


def _convolve(first: FloatArray, second: FloatArray) -> FloatArray:
    """Returns the distribution of the sum of two independent counts.

    Terms are added in a fixed order, because the result of numpy's convolution depends on the processor.

    Examples:
        >>> _convolve(np.array([0.5, 0.5]), np.array([0.25, 0.5, 0.25])).tolist()
        [0.125, 0.375, 0.375, 0.125]
    """
    short, long = sorted((first, second), key=len)
    law = np.zeros(len(short) + len(long) - 1)
    for count, chance in enumerate(short.tolist()):
        law[count : count + len(long)] += chance * long
    return law
