"""Literal implementation of the walk of one element through the tree of its document, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

Place = tuple[str, str]
"""A document and a path in it."""


def parent_of(place: Place, structure: Mapping[Place, tuple[int, int]]) -> Place | None:
    """Returns the innermost element of the structure whose path contains this path; None if there is none."""
    doc_id, path = place
    steps = path.split("/")[1:]
    for count in range(len(steps) - 1, 0, -1):
        above = (doc_id, "/" + "/".join(steps[:count]))
        if above in structure:
            return above
    return None


def children_of(place: Place, structure: Mapping[Place, tuple[int, int]]) -> list[Place]:
    """Returns the children of an element, in document order."""
    held = [other for other in structure if parent_of(other, structure) == place]
    return sorted(held, key=lambda other: (structure[other][0], -structure[other][1], other[1].count("/"), other[1]))


def replaced_by_sibling(start: Place, structure: Mapping[Place, tuple[int, int]], draws: Sequence[float], move: float) -> Place:
    """Returns the sibling that replaces an element, or the element itself: the second draw decides, the third chooses."""
    parent = parent_of(start, structure)
    siblings = [] if parent is None else [child for child in children_of(parent, structure) if child != start]
    if not siblings or draws[1] >= move:
        return start
    return siblings[int(draws[2] * len(siblings))]


def wandered(start: Place, structure: Mapping[Place, tuple[int, int]], draws: Sequence[float], move: float) -> Place:
    """Returns the element at which a moving element ends.

    Args:
        start: The element at which it starts.
        structure: Start and length of every element.
        draws: The direction; then for each step whether it is made, and to which child.
        move: The probability of a step.
    """
    numbers: Iterator[float] = iter(draws)
    up = next(numbers) < 0.5
    here = start
    for goes, chooses in zip(numbers, numbers, strict=True):
        if goes >= move:
            break
        if up:
            above = parent_of(here, structure)
            if above is None:
                break
            here = above
        else:
            children = children_of(here, structure)
            if not children:
                break
            here = children[int(chooses * len(children))]
    return here
