"""The focused task as its definition reads: one topic, one run, one result after the other, in plain Python.

Paths are tuples of steps; the whole document is the tuple of one step, ``("a",)``. Assessed elements are a dictionary
from (document, path) to gain and size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Path: TypeAlias = tuple[str, ...]
Place: TypeAlias = tuple[str, Path]


@dataclass(frozen=True)
class Element:
    gain: float
    size: int


Elements: TypeAlias = Mapping[Place, Element]


def holds(outer: Place, inner: Place) -> bool:
    """Returns whether one place equals or contains another place."""
    return outer[0] == inner[0] and inner[1][: len(outer[1])] == outer[1]


def overlap(one: Place, other: Place) -> bool:
    return holds(one, other) or holds(other, one)


def recall_base(elements: Elements) -> dict[Place, Element]:
    return {place: element for place, element in elements.items() if element.gain > 0}


def ranked_by(base: Mapping[Place, Element]) -> dict[Place, float]:
    """Returns the gain by which each place is compared: of gains that differ by a rounding error of at most 1e-14, the lowest."""
    found: dict[Place, float] = {}
    lowest = before = -1.0
    for place in sorted(base, key=lambda place: base[place].gain):
        gain = base[place].gain
        lowest = gain if gain - before > 1e-14 * gain else lowest
        found[place], before = lowest, gain
    return found


def ideal_by_paths(elements: Elements) -> set[Place]:
    base = recall_base(elements)
    gains = ranked_by(base)
    leaves = [place for place in base if not any(holds(place, other) and place != other for other in base)]
    winners = set()
    for leaf in leaves:
        on_path = sorted((place for place in base if holds(place, leaf)), key=lambda place: len(place[1]))
        winners.add(max(on_path, key=gains.__getitem__))  # of equal ones, max takes the first: the outermost
    return {winner for winner in winners if not any(holds(other, winner) and other != winner for other in winners)}


def ideal_by_greed(elements: Elements) -> set[Place]:
    base = recall_base(elements)
    gains = ranked_by(base)
    chosen: set[Place] = set()
    for place in sorted(base, key=lambda place: (-gains[place], len(place[1]), place)):
        if not any(overlap(place, other) for other in chosen):
            chosen.add(place)
    return chosen


def uncapped_gain(place: Place, base: Mapping[Place, Element], returned: Sequence[Place]) -> float:
    """g(c): the gain of an element, given the elements that were returned before it."""
    if any(holds(before, place) for before in returned):
        return 0.0
    if not any(holds(place, before) for before in returned):
        return base[place].gain
    doc, path = place
    children = [(d, p) for d, p in base if d == doc and len(p) == len(path) + 1 and p[:-1] == path]
    return sum(uncapped_gain(child, base, returned) * base[child].size for child in children) / base[place].size


def gains_of(results: Sequence[Place], elements: Elements, ideal: set[Place]) -> Iterator[float]:
    """The credited gain of each result of a run."""
    base = recall_base(elements)
    credited = dict.fromkeys(ideal, 0.0)
    for rank, place in enumerate(results):
        if place not in base:
            yield 0.0
            continue
        overlapped = [other for other in ideal if overlap(other, place)]
        left = max(base[other].gain - credited[other] for other in overlapped)
        gain = max(0.0, min(uncapped_gain(place, base, results[:rank]), left))
        for other in overlapped:
            credited[other] += gain
        yield gain
