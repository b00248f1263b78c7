"""Finds rows of a matrix whose names are those of other rows with one more word, and whose values describe these rows: errors, ranks, sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.messages import canonical
from inexmetrics.reading.scores.ranked import Found

__all__ = ["extended"]

FEWEST: Final = 2
"""Minimum number of names with the same addition; one may be chance."""
TIMES: Final = 4
"""Values of another kind are at least so many times as small, or as large, as those of the row with the shorter name."""
WHOLE: Final = 3
"""Minimum number of different whole numbers, as ranks and sizes are."""


def extended(there: FloatArray, names: Sequence[str], what: str) -> Iterator[Found]:
    """Yields the rows that extend other rows, if two or more have the same addition, and all have values of another kind than their rows.

    Names alone say nothing: ``bm25`` and ``bm25_rm3`` beside ``lm`` and ``lm_rm3`` are four runs with similar scores.

    Args:
        there: Scores; NaN if missing.
        names: The name of each row.
        what: A noun for the rows: runs or topics.
    """
    places = {name: place for place, name in enumerate(names)}
    groups: dict[str, list[tuple[int, int]]] = {}
    for place, name in enumerate(names):
        for base, addition in _parts(name):
            if base in places:
                groups.setdefault(addition, []).append((place, places[base]))
    found: set[int] = set()
    for addition, pairs in groups.items():
        kinds = {_kind(there[row], there[base]) for row, base in pairs}
        if len(pairs) < FEWEST or len(kinds) > 1 or "" in kinds:
            continue
        for row, _ in pairs:
            if row not in found:
                found.add(row)
                yield Found(row, f"named as other {what} with {canonical(addition)}, with {next(iter(kinds))}")


def _parts(name: str) -> Iterator[tuple[str, str]]:
    """Yields each shorter name within a name, with the addition before or after it; they are apart by a blank or a symbol.

    Examples:
        >>> [*_parts("SE arc")], [*_parts("±arc")]
        ([('SE', ' arc'), ('arc', 'SE ')], [('arc', '±')])
    """
    for found in re.finditer(r"[\W_]+", name):
        if found.start() > 0:
            yield name[: found.start()], name[found.start() :]
        if found.end() < len(name):
            yield name[found.end() :], name[: found.end()]


def _kind(own: FloatArray, base: FloatArray) -> str:
    """Returns how the values of a row differ from those of the row with the shorter name; empty if they may be scores of the same kind."""
    both = ~np.isnan(own + base)
    if both.sum() < 2:
        return ""
    own, base = own[both], base[both]
    if (own == np.round(own)).all() and (base != np.round(base)).any() and len(np.unique(own)) >= WHOLE:
        return "whole numbers beside fractions"
    middle, of_base = float(np.median(np.abs(own))), float(np.median(np.abs(base)))
    smaller, larger = (float((TIMES * x <= y).mean()) for x, y in ((np.abs(own), np.abs(base)), (np.abs(base), np.abs(own))))
    if TIMES * middle <= of_base and smaller > 0.5:
        return "much smaller numbers"
    return "much larger numbers" if TIMES * of_base <= middle and larger > 0.5 else ""
