"""EPRUM as its definition reads: one topic, one list, over all sets of elements that a reader may have seen, in exact fractions.

`led` describes a ranking: for each rank, the probability that a user reaches each ideal element from there; the elements
are in the order of decreasing ideality.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from typing import TypeAlias

Chances: TypeAlias = Sequence[Fraction]
Led: TypeAlias = Sequence[Chances]


def seen(led: Led, k: int, count: int) -> list[Fraction]:
    """P(x in S_k), equation 1."""
    return [1 - math.prod((1 - led[j][x] for j in range(k)), start=Fraction(1)) for x in range(count)]


def of_sizes(chances: Sequence[Fraction], sizes: range) -> Fraction:
    """Returns the probability of each number of elements seen, equation 7, over all sets of elements seen, from the probability of each element."""
    total = Fraction(0)
    for size in sizes:
        for chosen in combinations(range(len(chances)), size):
            total += math.prod((p if x in chosen else 1 - p for x, p in enumerate(chances)), start=Fraction(1))
    return total


def fewer_of(chances: Sequence[Fraction], need: int) -> Fraction:
    """P(F < need)."""
    return of_sizes(chances, range(min(need, len(chances) + 1)))


def fewer(led: Led, k: int, count: int, need: int) -> Fraction:
    """P(F_k < need)."""
    return fewer_of(seen(led, k, count), need)


def achieved(led: Led, count: int, need: int) -> Fraction:
    """E[A/ML], the first line of equation 5."""
    return sum(
        (Fraction(1, k) * (fewer(led, k - 1, count, need) - fewer(led, k, count, need)) for k in range(1, len(led) + 1)), start=Fraction(0)
    )


def achieved_by_sums(led: Led, count: int, need: int) -> Fraction:
    """E[A/ML], the second line of equation 5."""
    last = len(led)
    if last == 0:
        return Fraction(0)
    between = sum((fewer(led, k, count, need) / (k * (k + 1)) for k in range(1, last)), start=Fraction(0))
    return 1 - fewer(led, last, count, need) / last - between


def length(led: Led, count: int, need: int) -> Fraction:
    """E[ML*] of a ranking that shows these numbers of elements with certainty, equation 4."""
    return 1 + sum((fewer(led, k, count, need) for k in range(1, len(led) + 1)), start=Fraction(0))


def leading(candidates: Led, count: int) -> Led:
    """The candidates that lead to an element."""
    return [chances for chances in candidates if any(chances[:count])]


def after(candidates: Led, count: int, need: int) -> Callable[[frozenset[int]], Fraction]:
    """P(F < need) after a set of candidates was shown, in any order."""

    @cache
    def short(taken: frozenset[int]) -> Fraction:
        missed = [math.prod((1 - candidates[c][x] for c in taken), start=Fraction(1)) for x in range(count)]
        return fewer_of([1 - q for q in missed], need)

    return short


def shortest(candidates: Led, count: int, need: int) -> Fraction:
    """E[ML*] over all orders of the candidates that lead to an element."""
    left = leading(candidates, count)
    short = after(left, count, need)
    orders = permutations(range(len(left)))
    return 1 + min(sum((short(frozenset(order[:k])) for k in range(1, len(left) + 1)), start=Fraction(0)) for order in orders)


def shortest_of_sets(candidates: Led, count: int, need: int) -> Fraction:
    """The same value, computed over sets of candidates, because the order of shown candidates does not matter."""
    left = leading(candidates, count)
    short = after(left, count, need)
    every = frozenset(range(len(left)))

    @cache
    def rest(taken: frozenset[int]) -> Fraction:
        """Returns the expected number of further ranks in the best order."""
        here = short(taken) if taken else Fraction(1)
        return here if taken == every else here + min(rest(taken | {c}) for c in every - taken)

    return rest(frozenset())


def greedy(candidates: Led, count: int, need: int) -> Fraction:
    """E[ML*] of the list that takes the best candidate at each rank, among equal candidates the first."""
    left = list(leading(candidates, count))
    missed = [Fraction(1)] * count
    total = Fraction(1)
    while left:
        likely = [[1 - q * (1 - p) for q, p in zip(missed, chances, strict=False)] for chances in left]
        reached = [of_sizes(chances, range(need, count + 1)) for chances in likely]
        best = next(c for c, chance in enumerate(reached) if chance >= max(reached) * (1 - 1e-9))
        short = fewer_of(likely[best], need)
        total += short
        if short < 1e-13:
            break
        missed = [q * (1 - p) for q, p in zip(missed, left.pop(best), strict=False)]
    return total


def effort(candidates: Led, own: Sequence[int], count: int, need: int, exact: int = 16) -> Fraction:
    """E[ML*] by definition: over all orders of this number of candidates, otherwise the better of the greedy list and the list of ideal elements."""
    if (number := len(leading(candidates, count))) <= exact:
        return (shortest if number <= 6 else shortest_of_sets)(candidates, count, need)
    return min(greedy(candidates, count, need), length([candidates[place] for place in own[:count]], count, need))


def simulated(led: Led, count: int, need: int) -> Fraction:
    """E[A/ML] over all possible events: each link is followed or not, and the user stops after seeing enough elements."""
    total = Fraction(0)
    ways = [(j, x) for j in range(len(led)) for x in range(count) if 0 < led[j][x] < 1]
    sure = {(j, x) for j in range(len(led)) for x in range(count) if led[j][x] == 1}
    for taken in product((False, True), repeat=len(ways)):
        chance = math.prod((led[j][x] if yes else 1 - led[j][x] for (j, x), yes in zip(ways, taken, strict=True)), start=Fraction(1))
        follows = sure | {way for way, yes in zip(ways, taken, strict=True) if yes}
        for k in range(1, len(led) + 1):
            if len({x for j, x in follows if j < k}) >= need:
                total += chance / k
                break
    return total


def over_levels(idealities: Sequence[float], value: Callable[[int], float]) -> float:
    """Averages a function of the number of first elements over the satisfaction levels at which these are ideal."""
    distinct = sorted(set(idealities), reverse=True)
    total = 0.0
    for level, below in zip(distinct, [*distinct[1:], 0.0], strict=True):
        total += (level - below) / distinct[0] * value(sum(ideality >= level for ideality in idealities))
    return total


def eprum(led: Led, idealities: Sequence[float], at: float, efforts: Callable[[int, int], Fraction | int]) -> float:
    """EPRUM at a recall level; `efforts` is E[ML*] by the number of elements and the number of wanted elements."""

    def precision(count: int) -> float:
        need = max(1, math.ceil(at * count - 1e-9))
        return float(efforts(count, need) * achieved(led, count, need))

    return over_levels(idealities, precision)


def maeprum(led: Led, idealities: Sequence[float], efforts: Callable[[int, int], Fraction | int]) -> float:
    return over_levels(
        idealities,
        lambda count: sum(float(efforts(count, need) * achieved(led, count, need)) for need in range(1, count + 1)) / count,
    )


def eprum_at_rank(led: Led, idealities: Sequence[float], k: int, efforts: Callable[[int, int], Fraction | int]) -> float:
    """The expected length of an ideal list that shows as many elements as are seen after k ranks, divided by k."""

    def precision(count: int) -> float:
        rank = min(k, len(led))
        law = [fewer(led, rank, count, seen_of + 1) - fewer(led, rank, count, seen_of) for seen_of in range(count + 1)]
        return float(sum(chance * efforts(count, number) for number, chance in enumerate(law) if number)) / k

    return over_levels(idealities, precision)


def without_navigation(count: int, need: int) -> int:
    """E[ML*] if each rank shows one element."""
    return need


Elements: TypeAlias = Mapping[str, tuple[int, int]]
"""Start and length of each element of a document."""


def holds(outer: str, inner: str) -> bool:
    """Returns whether the element of one path contains that of the other; the root is the path of one step."""
    return inner == outer or inner.startswith(outer + "/")


def hierarchy(point: str, ideal: str, elements: Elements) -> Fraction:
    if point == ideal:
        return Fraction(1)
    if not (holds(point, ideal) or holds(ideal, point)):
        return Fraction(0)
    one, other = elements[point][1], elements[ideal][1]
    return Fraction(min(one, other), max(one, other)) if min(one, other) else Fraction(0)


def siblings(one: str, other: str) -> bool:
    """Whether two different elements have the same parent; roots have none."""
    above, _, _ = one.rpartition("/")
    return one != other and above != "" and other.rpartition("/")[0] == above


def distance(theta: float, point: str, ideal: str, elements: Elements) -> Fraction:
    if point == ideal:
        return Fraction(1)
    return Fraction(1 / (1 + math.exp(theta * abs(elements[point][0] - elements[ideal][0]))))


def bep(a: float, mean: float, point: str, ideal: str, elements: Elements) -> Fraction:
    return Fraction(a * mean / (a * mean + abs(elements[point][0] - elements[ideal][0])))


def tolerance(characters: int, ideals: Sequence[str], point: str, ideal: str, elements: Elements) -> Fraction:
    """Reads on character by character, until the ideal element begins or the tolerated number of irrelevant characters has been read."""
    useful = {place for path in ideals for place in range(elements[path][0], sum(elements[path]))}
    start, (ideal_start, ideal_length) = elements[point][0], elements[ideal]
    if point == ideal or ideal_start <= start < ideal_start + ideal_length:
        return Fraction(1)
    if ideal_start < start:
        return Fraction(0)
    return Fraction(sum(place not in useful for place in range(start, ideal_start)) < characters)


def noisy_or(chances: Sequence[Fraction]) -> Fraction:
    return 1 - math.prod((1 - chance for chance in chances), start=Fraction(1))
