"""Finds rows of a matrix that are computed from other rows: differences, means, sums, extremes and deviations, of all or of neighbours.

A row is found if it equals a statistic of other rows in every column, up to its rounding, and if this would rarely happen by chance. The
probability of chance is estimated from how often the scores of the matrix are as near to the statistic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Final, TypeAlias

import numpy as np
import polars as pl

from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.messages import enumerate_names
from inexmetrics.reading.scores.column_facts import SMALL, half_units
from inexmetrics.reading.scores.ranked import Found

__all__ = ["computed", "deviations"]

SCALES: Final = {1.0: "", 100.0: " times 100", 0.01: " divided by 100"}
"""Factors of statistics, each with its words: an average may be in percent beside fractions, or the reverse."""
STATISTICS: Final = 9
"""Number of statistics that are compared."""
CHANCE: Final = np.log(1e-3)
"""Logarithm of the maximum probability of equality by chance."""
CHANCE_OF_FEW: Final = np.log(1e-2)
"""The same for the mean of all others in fewer than `ENOUGH` columns, which is a warning."""
ENOUGH: Final = 4
"""Number of informative scores from which equality is certain; fewer are a warning."""
PROBES: Final = 8
"""Number of columns that are compared first."""
FILTERS: Final = 64
"""Number of columns that are compared before the statistics of a block are computed in all columns."""
FEW: Final = 128
"""Up to this number of rows, every contiguous block is compared; of more rows, only short blocks."""
LONGEST: Final = 24
"""Maximum length of a block, if there are more than `FEW` rows."""
ALONE: Final = 0.2
"""A row is compared with blocks only if at most this share of the scores in a column equal its own, as 0 and 1 do."""
FEW_ROWS: Final = 8
"""Up to this number of rows, each row is compared with a weighted mean; of more rows, only those that depend on others."""
FREE: Final = 4
"""Minimum number of columns beyond the number of weights of a weighted mean."""
SMALLER: Final = 0.1
"""A statistic is on a smaller scale than the scores if its values are at most this share of them."""
ONE: Final = 0.02
"""Maximum distance from 1 of the sum of the weights of a mean."""

Possible: TypeAlias = tuple[int, FloatArray, Sequence[FloatArray], str, tuple[str, ...]]
"""A row that may equal a statistic: the values of the statistic, the tolerances, its words, and the two rows whose middle it is, if any."""


def computed(there: FloatArray, names: Sequence[str], what: str) -> Iterator[Found]:
    """Yields the rows that equal a difference of two rows, a statistic of all other or of neighbouring rows, or a weighted mean of others.

    Args:
        there: Scores; NaN if missing. The rows are in the order of the file.
        names: The name of each row.
        what: A noun for the rows: runs or topics.
    """
    left = np.arange(len(there))
    while len(left) > 1:
        rows = there[left]
        named = [names[row] for row in left.tolist()]
        found = [*_differences(rows, named, what)] or [*_of_all(rows, what)] or [*_of_blocks(rows, named)] or [*_weighted(rows, named)]
        yield from (replace(each, row=int(left[each.row])) for each in found)
        # Averages of what is left may hide behind the averages that were found.
        left = np.delete(left, [each.row for each in found])
        if not found:
            return


def _of_all(there: FloatArray, what: str) -> Iterator[Found]:
    """Yields the rows that equal a statistic of all other rows."""
    count, width = there.shape
    if count < 3:
        return
    probes = np.unique(np.linspace(0, width - 1, min(PROBES, width)).astype(np.intp))
    units = half_units(there)
    others = np.where(units < units.max(), units.max(), np.partition(units, -2)[-2])  # the coarsest unit of the other rows
    tests = count * len(SCALES) * STATISTICS
    rows = np.flatnonzero(_tellable(there, units, 1))
    if not rows.size:
        return
    likely: dict[tuple[int, str, float], None] = {}
    own, widths = there[rows][:, probes], (units[rows][:, None], others[rows][:, None])
    for name, values in _of_others(there[:, probes]).items():
        for factor in SCALES:
            at = values[rows] * factor
            near = (np.abs(own - at) <= _tolerances(*widths, name, count - 1, factor)[-1] + _noise(at)) | np.isnan(own + at)
            likely |= {(row, name, factor): None for row in rows[near.all(axis=1)].tolist()}
    whole: Mapping[str, FloatArray] = _of_others(there) if likely else {}
    possible: list[Possible] = []
    for row, name, factor in likely:
        tolerances = _tolerances(units[row], others[row], name, count - 1, factor)
        possible.append((row, whole[name][row] * factor, tolerances, f"the {name} of the other {what}{SCALES[factor]}", ()))
    found = [*_most_certain(there, possible, tests)]
    yield from found
    if width < ENOUGH:  # a mean is the first statistic to think of, so that few scores suffice for a warning
        told, mean = {each.row for each in found}, f"the mean of the other {what}"
        of_few = ((row, values, near[:1], words, ()) for row, values, near, words, _ in possible if words == mean and row not in told)
        yield from _most_certain(there, of_few, 1, CHANCE_OF_FEW)


def _differences(there: FloatArray, names: Sequence[str], what: str) -> Iterator[Found]:
    """Yields the rows that equal the difference of two other rows.

    One row is then the sum of two: the difference is the one with numbers below 0. Without any, topics may be summed, but runs are not, and
    the smaller one is the difference.
    """
    scores = there[:, ~np.isnan(there).any(axis=0)]
    count, width = scores.shape
    if not 2 < count <= FEW or width < 2:
        return
    units, lowest, size = half_units(scores), scores.min(axis=1), np.abs(scores).mean(axis=1)
    others, tests = float(units.max()), count**2 * (count - 1) // 2
    rows = np.flatnonzero(_tellable(scores, units, tests) & ((lowest < 0) | (what == "runs")))
    own, first, second = (each.ravel() for each in np.meshgrid(rows, np.arange(count), np.arange(count), indexing="ij"))
    fits = (own != first) & (own != second) & (first != second) & ((lowest[own] < 0) | (size[own] < size[second]))
    own, first, second = own[fits], first[fits], second[fits]
    for column in scores.T:
        wide = _tolerances(units[own], others, "sum", 2, 1)[-1] + 1e-12 * np.abs(column).max()
        fits = np.abs(column[own] - (column[first] - column[second])) <= wide
        own, first, second = own[fits], first[fits], second[fits]
    near = {row: _tolerances(units[row], others, "sum", 2, 1) for row in rows.tolist()}
    left = zip(own.tolist(), first.tolist(), second.tolist(), strict=True)
    possible = ((row, scores[a] - scores[b], near[row], f"{names[a]} minus {names[b]}", ()) for row, a, b in left)
    yield from _most_certain(scores, possible, tests)


def _tolerances(own: FloatArray | float, others: FloatArray | float, name: str, count: IntArray | int, factor: float) -> list[FloatArray]:
    """Returns three tolerances: for a rounded row, for a truncated row, and for a row computed from scores before these were rounded.

    Args:
        own: Half of a unit of the last decimal of the row.
        others: Half of a unit of the last decimal of the others.
        name: The statistic.
        count: The number of the others.
        factor: The factor of the statistic.
    """
    root = 2 * count**0.5
    spread = {"sum": np.minimum(count, root), "maximum": 1.0, "minimum": 1.0, "median": 1.0}.get(name, np.minimum(1.0, root / count))
    rounded = np.asarray(own) * 1.0001
    return [rounded, 2 * rounded, 2 * rounded + np.asarray(others) * spread * factor]


def _noise(values: FloatArray) -> FloatArray:
    """Returns the tolerance for the rounding of floats."""
    return 1e-12 * np.abs(values)


def _chance(there: FloatArray, row: int, values: FloatArray, tolerances: Sequence[FloatArray], tests: int) -> tuple[float, bool]:
    """Returns the logarithm of the estimated probability of equality by chance, and whether many scores were compared.

    The probability that one score is as near is the largest of three shares: of all scores, of the row's scores and of the column's
    scores that are as near to the statistic. It is at least the share of the column's standard deviation.

    Args:
        there: The scores.
        row: The row.
        values: The statistic in each column.
        tolerances: Increasing tolerances; the first that holds in every column counts.
        tests: The number of rows and statistics that were compared.
    """
    own = there[row]
    used = ~np.isnan(own + values)
    distance = np.abs(own - values)
    within = next((each for each in tolerances if (distance <= each + _noise(values))[used].all()), None)
    if within is None or used.sum() < 2:
        return 0.0, False
    allowed = within + _noise(values)
    others = np.delete(there, row, axis=0)[:, used]
    given = ~np.isnan(others)
    if (np.abs(others - own[used]) <= _noise(own[used])).all(axis=1).any():  # a copy of another row is no statistic
        return 0.0, False
    equal = (others == values[used]).any(axis=0)  # an extreme is one of the others
    at, limit = values[used], np.broadcast_to(allowed, values.shape)[used]
    column = ((np.abs(others - at) <= limit).sum(axis=0) - equal) / np.maximum(given.sum(axis=0), 1)
    pool = np.sort(others[given])
    everywhere = (np.searchsorted(pool, at + limit, "right") - np.searchsorted(pool, at - limit, "left") - equal) / max(pool.size, 1)
    mine = np.sort(own[used])
    here = (np.searchsorted(mine, at + limit, "right") - np.searchsorted(mine, at - limit, "left") - 1) / max(mine.size - 1, 1)
    spread = deviations(others)
    # A statistic on another scale than the others has their spread times its factor.
    times = float(np.abs(at).max() / max(np.abs(pool).max(initial=0.0), 1e-300))
    resolution = limit / np.maximum(spread * (times if times > 1 or times < SMALLER else 1.0), 1e-300)
    each = np.minimum(np.max([column, everywhere, here, resolution], axis=0), 1.0)
    logs = np.sort(np.log(np.maximum(each, 1e-12)))
    logs[0] = logs[1]  # one column, such as one with 1e300, does not decide alone
    return float(logs.sum() + np.log(tests)), int((each < 0.5).sum()) >= ENOUGH


def _of_others(there: FloatArray) -> dict[str, FloatArray]:
    """Returns the statistics of all other rows, for each row; NaN if fewer than two other rows have scores."""
    given = ~np.isnan(there)
    count = given.sum(axis=0)
    totals = _moments(there)
    found = _statistics({name: values.sum(axis=0) - values for name, values in totals.items()}, count - given)
    ordered = np.sort(there, axis=0)  # NaN is last
    middle = np.maximum(count // 2, 0)
    place = np.arange(there.shape[1])
    below, centre = ordered[np.maximum(middle - 1, 0), place], ordered[np.minimum(middle, len(there) - 1), place]
    above = ordered[np.minimum(middle + 1, len(there) - 1), place]
    # Without the row itself, an even number of scores becomes odd, and the reverse.
    odd = np.where(there <= centre, np.where(there < centre, (centre + above) / 2, (below + above) / 2), (below + centre) / 2)
    found["median"] = np.where(count % 2 == 1, odd, np.where(there <= below, centre, below))
    top, second = ordered[np.maximum(count - 1, 0), place], ordered[np.maximum(count - 2, 0), place]
    found["maximum"] = np.where(there == top, second, top)
    found["minimum"] = np.where(there == ordered[0], ordered[min(1, len(there) - 1)], ordered[0])
    few = count - given < 2
    return {name: np.where(few, np.nan, values) for name, values in found.items()}


def _moments(there: FloatArray) -> dict[str, FloatArray]:
    """Returns the terms whose sums give the statistics; missing scores are 0."""
    given = ~np.isnan(there)
    scores = np.where(given, there, 0.0)
    positive = scores > 0
    centre = scores.sum(axis=0) / np.maximum(given.sum(axis=0), 1)
    centred = np.where(given, scores - centre, 0.0)
    return {
        "sum": scores,
        "log": np.log(np.where(positive, scores, 1.0)),
        "inverse": np.where(positive, 1 / np.where(positive, scores, 1.0), 0.0),
        "centred": centred,
        "square": centred**2,
        "not positive": (given & ~positive).astype(np.float64),
    }


def _statistics(sums: Mapping[str, FloatArray], count: IntArray | int) -> dict[str, FloatArray]:
    """Returns the statistics of groups of scores from the sums of their `_moments` and from their numbers."""
    many = np.maximum(count, 1)
    positive = sums["not positive"] < 0.5
    variance = np.maximum(sums["square"] / many - (sums["centred"] / many) ** 2, 0.0)
    return {
        "mean": sums["sum"] / many,
        "sum": sums["sum"],
        "geometric mean": np.where(positive, np.exp(sums["log"] / many), np.nan),
        "harmonic mean": np.where(positive, many / np.maximum(sums["inverse"], 1e-300), np.nan),
        "standard deviation": np.sqrt(variance),
        "sample standard deviation": np.sqrt(variance * many / np.maximum(many - 1, 1)),
    }


def _of_blocks(there: FloatArray, names: Sequence[str]) -> Iterator[Found]:
    """Yields the rows that equal a statistic of a contiguous block of other rows."""
    scores = there[:, ~np.isnan(there).any(axis=0)]
    count, width = scores.shape
    if count < 4 or width < 2:
        return
    others = float((units := half_units(scores)).max())
    starts, ends = _blocks(count)
    tests = len(SCALES) * STATISTICS
    rows = np.flatnonzero(_tellable(scores, units, tests * count * len(starts)) & _alone(scores[:, [0, -1]]))
    if count <= FEW:
        pair = np.repeat(rows, len(starts)), np.tile(np.arange(len(starts)), len(rows))
    else:  # blocks that end before the row, or begin after it
        beside = [np.flatnonzero(np.isin(each, rows + shift)) for each, shift in ((ends, 0), (starts, 1))]
        pair = np.concatenate([ends[beside[0]], starts[beside[1]] - 1]), np.concatenate(beside)
    outside = (pair[0] < starts[pair[1]]) | (pair[0] >= ends[pair[1]])
    own, of = pair[0][outside], pair[1][outside]
    tests *= len(own)
    columns = dict.fromkeys([0, width - 1, *np.linspace(0, width - 1, min(FILTERS, width)).astype(np.intp).tolist()])
    of_columns = {0: _of_contiguous(scores[:, 0], starts, ends)}
    noise = 1e-12 * np.maximum(1.0, np.abs(scores).sum(axis=0))
    possible: list[Possible] = []
    for name, factor in product(of_columns[0], SCALES):
        near, farthest = np.arange(len(own)), np.full(len(own), np.nan)
        wide = _tolerances(units, others, name, 2, factor)[-1] * 1.01
        for column in columns:
            probe = scores[:, column]
            if column not in of_columns:
                of_columns[column] = _of_contiguous(probe, starts, ends)
            distance = np.abs(probe[own[near]] - of_columns[column][name][of[near]] * factor)
            fits = ~(distance > wide[own[near]] + noise[column])  # NaN, such as a geometric mean of 0, is not compared
            near, farthest = near[fits], np.fmax(farthest, distance)[fits]
            if not near.size:
                break
        near, farthest = near[~np.isnan(farthest)], farthest[~np.isnan(farthest)]  # what was never compared equals nothing
        if not near.size:
            continue
        limits = _tolerances(units[own[near]], others, name, (ends - starts)[of[near]], factor)
        near = near[_telling(scores, own[near], limits, farthest, tests)]
        for row, start, end in zip(own[near].tolist(), starts[of[near]].tolist(), ends[of[near]].tolist(), strict=True):
            found = _of_contiguous(scores[start:end], np.array([0]), np.array([end - start]))[name][0] * factor
            two, ends_of_many = tuple(names[start:end]) if end - start == 2 else (), f"{names[start]} to {names[end - 1]}"
            words = f"the {name} of {enumerate_names(two) or ends_of_many}{SCALES[factor]}"
            bounds = two if name == "mean" and np.ptp(np.sign(scores[start] - scores[end - 1])) == 0 else ()
            possible.append((row, found, _tolerances(units[row], others, name, end - start, factor), words, bounds))
    yield from _most_certain(scores, possible, tests)


def _telling(there: FloatArray, own: IntArray, limits: Sequence[FloatArray], farthest: FloatArray, tests: int) -> BoolArray:
    """Returns which equalities of rows with a statistic may be improbable by chance: a bound for `_chance` that is computed for all at once.

    Args:
        there: The scores, without missing ones.
        own: The row of each equality.
        limits: Increasing tolerances of each equality.
        farthest: The largest distance of each equality in some columns.
        tests: The number of rows and statistics that were compared.
    """
    count, largest = len(there), np.abs(there).max(axis=1)
    rest = np.where(largest < largest.max(), largest.max(), np.partition(largest, -2)[-2])
    spread = deviations(there) * (count / (count - 1)) ** 0.5  # the deviation of the other rows is at most this
    found = np.zeros(len(own), dtype=np.bool_)
    for limit in limits:
        times = np.maximum((largest[own] + limit) / np.maximum(rest[own], 1e-300), 1.0)
        logs = np.log(np.clip(limit[:, None] / (times[:, None] * spread), 1e-12, 1.0)).sum(axis=1)
        found |= (logs + np.log(max(tests, 1)) <= CHANCE) & (farthest <= limit * 1.01 + 1e-12 * max(1.0, float(np.abs(there).sum())))
    return found


def _most_certain(there: FloatArray, possible: Iterable[Possible], tests: int, chance: float = CHANCE) -> Iterator[Found]:
    """Yields the rows that equal a statistic, each with the one that is least probable by chance, whose logarithm is below `chance`."""
    best: dict[int, tuple[float, Found]] = {}
    for row, values, tolerances, words, bounds in possible:
        log, certain = _chance(there, row, values, tolerances, tests)
        if log < best.get(row, (chance,))[0]:
            best[row] = log, Found(row, words, certain, bounds)
    yield from (best[row][1] for row in sorted(best))


def _tellable(there: FloatArray, units: FloatArray, tests: int) -> BoolArray:
    """Returns the rows with enough decimals and columns, so that equality with a statistic says anything."""
    spread = deviations(there)
    finest, of = np.unique(units, return_inverse=True)
    logs = np.array([np.log(np.clip(unit / spread, 1e-9, 1.0)).sum() for unit in finest])
    return np.asarray(logs[of] + np.log(max(tests, 1)) <= CHANCE)


def deviations(there: FloatArray) -> FloatArray:
    """Returns the standard deviation of the scores in each column; a tiny number for equal scores."""
    given = ~np.isnan(there)
    count = np.maximum(given.sum(axis=0), 1)
    centred = np.where(given, there - np.where(given, there, 0.0).sum(axis=0) / count, 0.0)
    return np.asarray(np.maximum(np.sqrt((centred**2).sum(axis=0) / count), 1e-300))


def _blocks(count: int) -> tuple[IntArray, IntArray]:
    """Returns the first row of each contiguous block, and the row after its last; if there are many rows, only short blocks."""
    first = np.arange(count)[:, None]
    lengths = np.arange(2, (count if count <= FEW else LONGEST) + 1)
    starts, ends = (each.ravel() for each in np.broadcast_arrays(first, first + lengths))
    whole = (starts == 0) & (ends >= count - 1) | (starts == 1) & (ends == count)
    kept = (ends <= count) & ~whole
    return starts[kept], ends[kept]


def _of_contiguous(rows: FloatArray, starts: IntArray, ends: IntArray) -> dict[str, FloatArray]:
    """Returns the statistics of each contiguous block of rows, or of the scores of one column in it."""
    sums = {name: np.concatenate([np.zeros_like(values[:1]), values.cumsum(axis=0)]) for name, values in _moments(rows).items()}
    beyond, bounds = np.concatenate([rows, rows[:1]]), np.column_stack([starts, ends]).ravel()  # a block may end with the last row
    extremes = {name: larger.reduceat(beyond, bounds, axis=0)[::2] for name, larger in (("maximum", np.maximum), ("minimum", np.minimum))}
    return _statistics({name: each[ends] - each[starts] for name, each in sums.items()}, ends - starts) | extremes


def _alone(probes: FloatArray) -> BoolArray:
    """Returns whether few scores in a column equal that of the row; all rows are alone if they are few."""
    if len(probes) <= 16:
        return np.ones(len(probes), dtype=np.bool_)
    equal = pl.DataFrame(probes).select(pl.len().over(pl.nth(column)).alias(str(column)) for column in range(probes.shape[1]))
    return np.asarray((equal.to_numpy() <= ALONE * len(probes)).all(axis=1))


def _weighted(there: FloatArray, names: Sequence[str]) -> Iterator[Found]:
    """Yields the rows that are weighted means of other rows, or means of any other rows, if the columns are enough to say so."""
    scores = there[:, ~np.isnan(there).any(axis=0)]
    _, kept = np.unique(scores, axis=0, return_index=True)  # a copy of a row is no mean
    kept.sort()
    rows = np.unique(scores[kept], axis=1)  # a copy of a column says nothing new about weights
    count, width = rows.shape
    if count < 3 or count > 2 * FEW or width < count - 1 + FREE or np.abs(rows).max() > SMALL:
        return
    units = half_units(rows)
    fine = 2 * units <= (0.5 if count <= FEW_ROWS else 0.1) * rows.std(axis=1)
    values, vectors = np.linalg.eigh(rows @ rows.T)
    dependent = values <= 4 * width * (2 * float(units[fine].max(initial=0.0))) ** 2 + 1e-13 * values[-1]
    # The weights of a mean sum to 1, so that its own share of a vector of weights is at least a half.
    share = (vectors[:, dependent] ** 2).sum(axis=1)
    for row in np.flatnonzero(fine & ((share >= 0.45) | (count <= FEW_ROWS))).tolist():
        used = np.delete(np.arange(count), row)
        weights = np.zeros(0)
        while len(used) > 1:
            weights = np.linalg.lstsq(rows[used].T, rows[row], rcond=None)[0]
            if (weights >= ONE / 2).all():
                break
            used = np.delete(used, int(weights.argmin()))
        total = float(weights.sum()) if len(used) > 1 else 0.0
        factor = next((each for each in SCALES if abs(total / each - 1) <= ONE), None)
        if factor is None or width < len(used) + FREE:
            continue
        tolerances = _tolerances(units[row], float(units.max()), "mean", len(used), factor)
        log, certain = _chance(rows, row, weights @ rows[used], tolerances, 1)
        # Each weight is fitted to one column, and is the choice of one row.
        if log * (width - len(used)) / width + (len(used) + 1) * np.log(count) < CHANCE:
            of = enumerate_names([names[kept[each]] for each in used])
            yield Found(int(kept[row]), f"a weighted mean of {of}{SCALES[factor]}", certain)
