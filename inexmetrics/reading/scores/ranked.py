"""Finds rows of a matrix that are ranks, that repeat another row, or whose names are those of others with one more word.

One more word may say that a row contains bounds of intervals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import lgamma
from typing import Final, Literal

import numpy as np
import polars as pl

from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.messages import canonical

__all__ = ["Found", "extended", "extremes", "ranked", "repeated"]

CHANCE: Final = np.log(1e-3)
"""Logarithm of the maximum probability of ranks, or of equal rows, by chance."""
TIES: Final[tuple[Literal["average", "min", "max", "dense"], ...]] = ("average", "min", "max", "dense")
"""The ranks of equal scores: the average, the minimum or the maximum of their places, or dense, so that every rank occurs."""
FEWEST: Final = 3
"""Minimum number of different ranks."""
ADDITIONS: Final = 2
"""Minimum number of names with the same addition; one may be chance."""
TIMES: Final = 4
"""Values of another kind are at least so many times as small, or as large, as those of the row with the shorter name."""
SEVERAL: Final = 3
"""Minimum number of different whole numbers, as ranks and sizes are, and of different scores of a row that repeats another."""
RUNS: Final = 4
"""Minimum number of equal scores of a row that repeats another."""
BOUNDS: Final = tuple(zip(("lower", "lo", "lb", "lcl", "min", "low"), ("upper", "hi", "ub", "ucl", "max", "high"), strict=True))
"""Words of names of lower bounds, each with the word of the upper bound."""
EXTREMES: Final = {
    **dict.fromkeys(("best", "oracle", "top", "sota", "best run", "best model", "best system"), ("maximum", np.fmax)),
    "worst": ("minimum", np.fmin),
}
"""Names of rows, in lower case, that may be the maximum or the minimum of all others."""
MIDDLE: Final = 0.1
"""Rows named *low* and *high* may be levels of effort: as bounds, their middle is at most this share of their distance from the scores."""


@dataclass(frozen=True, slots=True)
class Found:
    """A row of a matrix that is probably not scores.

    Attributes:
        row: Its number.
        reason: Why.
        certain: Whether the doubt is an error; otherwise it is a warning.
        bounds: The names of two rows whose middle it is: they may be its bounds instead.
    """

    row: int
    reason: str
    certain: bool = True
    bounds: tuple[str, ...] = ()


def extremes(there: FloatArray, names: Sequence[str], what: str) -> Iterator[Found]:
    """Yields the rows that are named as an extreme, such as *Best*, and equal that of all others."""
    for row, name in enumerate(names):
        statistic, extreme = EXTREMES.get(name.strip().casefold(), ("", np.fmax))
        if (
            statistic
            and len(there) > 2
            and np.array_equal(extreme.reduce(np.delete(there, row, axis=0), axis=0), there[row], equal_nan=True)
        ):
            yield Found(row, f"the {statistic} of the other {what}")


def repeated(there: FloatArray, names: Sequence[str], what: str) -> Iterator[Found]:
    """Yields the topics with the scores of an earlier topic, as the same task under two names has, or 1 or 100 minus them, if this is no chance.

    It may be chance if values are few, as grades are, if a third topic shares most scores with the two, or if most topics repeat another.
    Numbers are no names of tasks: simulations draw the same topic again.

    Args:
        there: Scores; NaN if missing.
        names: The name of each row.
        what: A noun for the rows: runs or topics.
    """
    if what != "topics" or there.shape[1] < RUNS:
        return
    values = there[~np.isnan(there)]
    shares = np.unique(values, return_counts=True)[1] / values.size
    equal, pairs = np.log((shares**2).sum()), len(there) * (len(there) - 1) / 2
    earlier: dict[bytes, int] = {}
    found: list[Found] = []
    for row, scores in enumerate(np.round(there, 9) + 0.0):  # -0 + 0 is 0
        given = scores[~np.isnan(scores)]
        first = earlier.setdefault(scores.tobytes(), row)
        totals = {f"{total} minus": earlier.get((np.round(total - scores, 9) + 0.0).tobytes(), row) for total in (1, 100)}
        words, first = next(((words, place) for words, place in ({"those of": first} | totals).items() if place != row), ("", row))
        if first == row or names[row].isdecimal():
            continue
        many = given.size >= RUNS and np.unique(given).size >= SEVERAL and np.log(pairs) + given.size * equal <= CHANCE
        alike = (there == there[row]).sum(axis=1)
        if many and 2 * alike[alike < given.size].max(initial=0) <= given.size:
            found.append(Found(row, f"{words} {names[first]} under all {given.size} runs", certain=words != "those of"))
    yield from found if 2 * len(found) <= len(there) else ()


def ranked(there: FloatArray, names: Sequence[str], what: str) -> Iterator[Found]:
    """Yields the rows that are ranks from 0 or from 1, with or without ties, if other rows are not ranks or whole numbers as well.

    Args:
        there: Scores; NaN if missing.
        names: The name of each row.
        what: A noun for the rows: runs or topics.
    """
    likely = {row: ties for row, ties in _as_ranks(there).items() if len({*there[row].tolist()}) >= FEWEST}
    if not likely or 2 * len(likely) >= len(there):
        return
    rest = np.delete(there, [*likely], axis=0)
    pool = rest[~np.isnan(rest)]
    whole = pool[pool == np.round(pool)]
    fractions = pool.size > whole.size
    for row, ties in likely.items():
        own = there[row]
        low, high, width = int(own.min()), int(own.max()), len(own)
        distinct = len({*own.tolist()})
        reason = f"each number from {low} to {high} once" if distinct == width else f"ranks from {low} to {high} with ties"
        if ties == "dense":
            settled = fractions and not whole.size and low == 1 and 2 * distinct > width
        else:
            settled = (fractions or width > FEWEST) and not (whole > 1).any()
        if settled or (ties != "dense" and _log_chance(own, pool) + np.log(len(there)) < CHANCE):
            yield Found(row, reason)


def _as_ranks(there: FloatArray) -> dict[int, str]:
    """Returns the rows that equal the ranks of their own scores, counted from 1 or from 0, with the treatment of ties."""
    width = there.shape[1]
    if width < FEWEST:
        return {}
    lowest = np.min(there, axis=1)  # NaN if a score is missing
    rows = np.flatnonzero(
        (lowest >= 0) & (lowest <= width) & (np.max(there, axis=1) <= width) & (2 * there == np.round(2 * there)).all(axis=1)
    )
    found: dict[int, str] = {}
    cells = pl.DataFrame({"row": np.repeat(rows, width), "score": there[rows].ravel()})
    for ties in TIES if len(rows) else ():
        expected = cells.select(pl.col("score").rank(ties).over("row")).to_numpy().reshape(len(rows), width)
        for start in (0, 1):
            for row in rows[(expected == there[rows] + start).all(axis=1)].tolist():
                found.setdefault(row, ties)
    return found


def _log_chance(own: FloatArray, pool: FloatArray) -> float:
    """Returns the logarithm of the probability that scores drawn from a pool are these ranks in any order."""
    values, counts = np.unique(own, return_counts=True)
    shares = np.array([max(float((pool == value).mean()), 1 / (pool.size + 1)) for value in values])
    ways = 2.0 if len(values) == len(own) else 2.0 ** len(own) * len(TIES)  # from 0 or 1, and where ties may be
    orders = lgamma(len(own) + 1) - sum(lgamma(count + 1) for count in counts.tolist())  # some scores are equal
    return float(orders + (np.log(shares) * counts).sum() + np.log(ways))


def extended(there: FloatArray, names: Sequence[str], what: str) -> Iterator[Found]:
    """Yields the rows that extend other rows, if two or more have the same addition, and all have values of another kind than their rows.

    Names alone say nothing: ``bm25`` and ``bm25_rm3`` beside ``lm`` and ``lm_rm3`` are four runs with similar scores. A row is also found if
    it is a bound of another row by name and by values, or if pandas numbered it as the second column of a name, and it is a copy. A row may be
    found several times.

    Args:
        there: Scores; NaN if missing.
        names: The name of each row.
        what: A noun for the rows: runs or topics.
    """
    places = {name: place for place, name in enumerate(names)}
    groups: dict[str, list[tuple[int, int]]] = {}
    bounds: dict[tuple[int, str], int] = {}
    for place, name in enumerate(names):
        for base, addition in _parts(name):
            if base not in places:
                continue
            groups.setdefault(addition, []).append((place, places[base]))
            bounds |= {(places[base], word): place for word in re.findall(r"[^\W\d_]+", addition.casefold())}
            if re.fullmatch(r"\.\d+", addition) and np.array_equal(there[place], there[places[base]], equal_nan=True):
                yield Found(place, f"the scores of {base}, whose name it repeats")
    for (base_row, low), place in bounds.items():
        high = bounds.get((base_row, dict(BOUNDS).get(low, "")))
        if high is not None and _bound(there[place], there[base_row], there[high], close=low == "low"):
            yield from (Found(row, f"the {which} bounds of {names[base_row]}") for row, which in ((place, "lower"), (high, "upper")))
    for addition, pairs in groups.items():
        kinds = {_kind(there[row], there[base]) for row, base in pairs}
        if len(pairs) >= ADDITIONS and len(kinds) == 1 and "" not in kinds:
            reason = f"named as other {what} with {canonical(addition)}, with {kinds.pop()}"
            yield from (Found(row, reason) for row, _ in pairs)


def _bound(low: FloatArray, own: FloatArray, high: FloatArray, *, close: bool) -> bool:
    """Returns whether scores are between lower and upper bounds in all columns; if `close`, they are also near the middle."""
    both = ~np.isnan(low + own + high)
    low, own, high = low[both], own[both], high[both]
    middle = np.abs(low + high - 2 * own) <= MIDDLE * (high - low) if close else True
    return len(own) > 1 and bool(((low <= own) & (own <= high) & middle).all())


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
    if (own == np.round(own)).all() and (base != np.round(base)).any() and len(np.unique(own)) >= SEVERAL:
        return "whole numbers beside fractions"
    middle, of_base = float(np.median(np.abs(own))), float(np.median(np.abs(base)))
    smaller, larger = (float((TIMES * x <= y).mean()) for x, y in ((np.abs(own), np.abs(base)), (np.abs(base), np.abs(own))))
    if TIMES * middle <= of_base and smaller > 0.5:
        return "much smaller numbers"
    return "much larger numbers" if TIMES * of_base <= middle and larger > 0.5 else ""
