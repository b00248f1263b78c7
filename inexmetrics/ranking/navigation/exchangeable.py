"""Ideal lists of candidates that are exchangeable in groups, such as the paragraphs of a section: exact for any number of candidates.

Two candidates are exchangeable if all probabilities stay the same when the two candidates, and the elements that only they are certain to
show, change places. The distribution of the number of seen elements then depends only on the number of chosen candidates in each group.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np

from inexmetrics.common.arrays import FloatArray, IntArray

__all__ = ["Groups", "best_effort"]

STATES: Final = 1 << 14
"""Maximum number of combinations of counts for which the best order is computed exactly."""
CELLS: Final = 1 << 23
"""Maximum number of combinations of counts, multiplied by the number of elements."""


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Groups of exchangeable candidates.

    Attributes:
        members: The candidates of each group.
        elements: The elements that the candidates of each group are certain to show, one for each candidate and in the same order; empty for
            a group of candidates that do not have exactly one element.
    """

    members: tuple[IntArray, ...]
    elements: tuple[IntArray, ...]

    @classmethod
    def of(cls, missed: FloatArray, owners: IntArray) -> Groups | None:
        """Returns the groups; None if there are too many combinations of counts.

        Args:
            missed: The probability that users who start at a candidate do not reach an element, shape (elements, candidates).
            owners: The candidate that is certain to show each element, shape (elements,).
        """
        count, number = missed.shape
        owned = np.bincount(owners, minlength=number)
        element = np.full(number, -1)
        element[owners[owned[owners] == 1]] = np.flatnonzero(owned[owners] == 1)
        by_column, by_row = np.sort(missed, axis=0), np.sort(missed, axis=1)
        classes: dict[tuple[bytes, bytes], list[list[int]]] = {}
        states = 1
        for candidate in range(number):
            row = by_row[element[candidate]].tobytes() if element[candidate] >= 0 else b""
            alike = classes.setdefault((by_column[:, candidate].tobytes(), row), [])
            for group in alike:
                if owned[candidate] < 2 and owned[group[0]] < 2 and _exchangeable(missed, element, group[0], candidate):
                    group.append(candidate)
                    states = states // len(group) * (len(group) + 1)
                    break
            else:
                alike.append([candidate])
                states *= 2
            if states > STATES or states * count > CELLS:  # more candidates do not lower the number
                return None
        members = [np.array(group) for alike in classes.values() for group in alike]
        elements = [element[group] if (element[group] >= 0).all() else np.zeros(0, dtype=np.int64) for group in members]
        return cls(tuple(members), tuple(elements))


def _exchangeable(missed: FloatArray, element: IntArray, first: int, second: int) -> bool:
    """Returns whether the probabilities stay the same if two candidates and their elements change places."""
    one, other = int(element[first]), int(element[second])
    if (one < 0) != (other < 0):
        return False
    if one < 0:
        return bool((missed[:, first] == missed[:, second]).all())
    columns = missed[:, [first, second]].copy()
    columns[[one, other], 1] = columns[[other, one], 1]
    rows = missed[[one, other]].copy()
    rows[1, [first, second]] = rows[1, [second, first]]
    return bool((columns[:, 0] == columns[:, 1]).all() and (rows[0] == rows[1]).all())


def best_effort(missed: FloatArray, groups: Groups) -> FloatArray:
    """Returns, for k = 1, 2, ..., t, the expected number of ranks (E[ML*]) that the best order of all candidates needs to show k elements.

    The best order is the shortest path from no candidate to all candidates, where a state is the number of chosen candidates in each group,
    and its cost is the probability that users have seen too few elements.

    Args:
        missed: The probability that users who start at a candidate do not reach an element, shape (t, M).
        groups: The groups of exchangeable candidates.

    Examples:
        Each of three paragraphs shows the others with probability 1/2. Users see the first paragraph at rank 1; the number of ranks until
        they have seen two paragraphs is 1 + P(neither of the others is seen at rank 1) = 1 + 1/4, and for three paragraphs
        1 + 3/4 + 1/4 = 2:

        >>> missed = np.where(np.eye(3, dtype=bool), 0.0, 0.5)
        >>> groups = Groups.of(missed, np.arange(3))
        >>> [len(group) for group in groups.members], best_effort(missed, groups).tolist()
        ([3], [1.0, 1.25, 2.0])
    """
    count = len(missed)
    lengths = [len(group) for group in groups.members]
    strides = np.cumprod([1, *(length + 1 for length in lengths[:0:-1])])[::-1].tolist()
    grouped = np.concatenate([*groups.elements, np.zeros(0, dtype=np.int64)])
    single = np.setdiff1d(np.arange(count), grouped)
    costs = np.empty((math.prod(length + 1 for length in lengths), count))
    costs[0] = 1.0
    for state, counts in enumerate(product(*(range(length + 1) for length in lengths))):
        if state == 0:
            continue
        before = [state - stride for stride, chosen in zip(strides, counts, strict=True) if chosen]
        law = np.ones(1)
        certain = 0
        for chance, times in _seen(missed, groups, single, counts):
            if chance >= 1.0:
                certain += times
            else:
                law = _joined(law, _binomial(times, chance))
        at_least = np.zeros(count + 1)
        at_least[: certain + 1] = 1.0
        tail = np.add.accumulate(law[::-1])[::-1]
        at_least[certain : certain + len(law)] = np.minimum(tail, 1.0)
        at_least[certain] = 1.0
        costs[state] = costs[before].min(axis=0) + (1.0 - at_least[1:])
    efforts: FloatArray = costs[-1]
    return efforts


def _seen(missed: FloatArray, groups: Groups, single: IntArray, counts: tuple[int, ...]) -> Iterator[tuple[float, int]]:
    """Yields the probability that users see an element, and the number of elements with this probability, if candidates are chosen.

    The first candidates of each group are chosen; `counts` contains their numbers.
    """
    chosen = [(group[0], taken) for group, taken in zip(groups.members, counts, strict=True) if taken]
    heads = np.array([head for head, _ in chosen])
    powers = np.array([taken for _, taken in chosen])
    for number, elements in enumerate(groups.elements):
        if not len(elements):
            continue
        taken, members = counts[number], groups.members[number]
        others = heads != members[0]
        rest = float(np.multiply.reduce(missed[elements[0], heads[others]] ** powers[others]))
        # the probability that a candidate of the group does not show the element of another candidate of the group
        apart = float(missed[elements[0], members[1]]) if len(members) > 1 else 1.0
        if taken:
            yield 1.0 - rest * float(missed[elements[0], members[0]]) * apart ** (taken - 1), taken
        if taken < len(members):
            yield 1.0 - rest * apart**taken, len(members) - taken
    for element in single.tolist():
        yield 1.0 - float(np.multiply.reduce(missed[element, heads] ** powers)), 1


def _binomial(times: int, chance: float) -> FloatArray:
    """Returns the probabilities of 0, 1, ..., `times` successes; probabilities are computed by recurrence from the most probable number."""
    law = np.zeros(times + 1)
    if chance <= 0.0:
        law[0] = 1.0
        return law
    mode = min(int((times + 1) * chance), times)
    odds = chance / (1.0 - chance)
    above, below = np.arange(mode, times), np.arange(mode, 0, -1)
    law[mode] = 1.0
    law[mode + 1 :] = np.multiply.accumulate((times - above) / (above + 1.0) * odds)
    law[:mode] = np.multiply.accumulate(below / (times - below + 1.0) / odds)[::-1]
    normed: FloatArray = law / np.add.accumulate(law)[-1]
    return normed


def _joined(first: FloatArray, second: FloatArray) -> FloatArray:
    """Returns the distribution of the sum of two independent counts; terms are added in a fixed order."""
    short, long = sorted((first, second), key=len)
    law = np.zeros(len(short) + len(long) - 1)
    for count in np.flatnonzero(short).tolist():
        law[count : count + len(long)] += short[count] * long
    return law
