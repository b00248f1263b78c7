"""Doubts about scales: rows, runs and single scores on another scale than the others, and numbers that mean no score, such as -1."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from math import comb
from typing import Final

import numpy as np

from inexmetrics.collection.condition_names import under_condition
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.arrays import BoolArray, FloatArray
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import canonical, enumerate_names, option, plural, shortened
from inexmetrics.reading.scores.column_facts import half_units
from inexmetrics.reading.scores.derived import deviations
from inexmetrics.reading.scores.ranked import Found

__all__ = ["off_scale", "scale_warnings"]

SCALES: Final = (1, 100)
"""Maximum scores of the two usual scales, 0 to 1 and 0 to 100."""
ROUNDING: Final = 1e-6
"""A score is inside [0, 1] if its distance from [0, 1] is at most this value, because computed scores may be rounded."""
PERCENT: Final = 10
"""If the scores of one run are fractions, a run with a median score above this value probably has percentages."""
CODES: Final = (9, 99, 999, 9999, 99999)
"""Numbers that mean no score in many data sets, positive or negative."""
SEVERAL: Final = 3
"""Minimum number of different whole numbers that say that a row is no scores."""
WIDER: Final = 1.5
"""The log-odds of sizes differ at least so many times as much as those of most scores."""
CHANCE: Final = 1e-3
"""Maximum probability that a row contains whole numbers by chance."""
SELDOM: Final = 0.05
"""Maximum share of 0 and 1 in the scores of other runs, beside which a run of 0 and 1 is doubted."""
SHARE_OF_CODES: Final = 1 / 3
"""Maximum share of scores that numbers for missing scores, such as -1, may have."""
SHARE_OF_GRADES: Final = 0.1
"""Maximum share of rows that are doubted because their grades begin with 1 where other rows contain 0, and of codes among grades."""
WHOLE_TOPICS: Final = (5, 0.2)
"""Minimum number, and minimum share, of topics on which all runs have one score that says that it may be no score."""
ELSEWHERE: Final = 0.05
"""Maximum share of this score on other topics."""
FAR: Final = (-1, 2)
"""Single scores are suspicious if they are at most -1 or at least 2; smaller distances from [0, 1] are common for some measures."""
VERY_FAR: Final = (-5, 10)
"""Single scores are an error if they are at most -5 or at least 10; scores of measures without a maximum are seldom as far."""
FEWEST: Final = 5
"""A single score is on another scale only if at least this number of scores are on the scale; a very far one of several runs if `SEVERAL` are."""
SHARE: Final = 0.05
"""Maximum share of scores outside [0, 1] for a doubt about single scores. If exactly one score is outside, the share may be larger."""
TINY: Final = 2.0**-30
"""If all scores are below this value, differences may be below the precision of 2^-40 of tests that draw signs."""
TIMES: Final = 5
"""A lone score, or a code, is at least so many times as large as all others, or as small."""
NEAR: Final = 4
"""A lone 0 may be a missing score if the largest other score is at most so many times the smallest."""
SCALE_OF_GRADES: Final = 4
"""Minimum number of successive grades that are a scale, so that a lone grade more than one grade away is doubted."""
FROM_ONE: Final = (5, 7)
"""The highest grades of usual scales that begin with 1. Such scales have no 0, whereas a scale of 0 to 3, 4 or 10 may have a single one."""
DEVIATIONS: Final = 6
"""On a logarithmic scale, a lone score is at least so many standard deviations from the nearest other."""


def off_scale(there: FloatArray, names: Sequence[str], what: str) -> Iterator[Found]:
    """Yields the rows of a matrix whose values are of another kind than those of the other rows.

    Most of them are outside the scale of the others, or fractions among percentages, or whole numbers among numbers with decimals.

    Args:
        there: Scores; NaN if missing.
        names: The name of each row.
        what: A noun for the rows: runs or topics.
    """
    if what == "topics":
        yield from _in_fractions(there)
    yield from _verdicts(there, percent=what == "topics")
    yield from _outside(there)
    yield from _whole(there)


def _outside(there: FloatArray) -> Iterator[Found]:
    """Yields the rows of which most values are outside the scale of the other rows.

    The scale is [0, 1] or [0, 100] if most rows, or at least two rows with fractions, are on it. Several rows are outside only if they
    contain whole numbers, as sizes and years do, because scores of measures without a maximum are on no scale.
    """
    fractional, given = _fractional(there), np.maximum((~np.isnan(there)).sum(axis=1), 1)
    for top in SCALES:
        outside = ((there < -ROUNDING) | (there > top + ROUNDING)).sum(axis=1) / given
        far = np.nanmax(np.abs(there), axis=1, initial=0.0, where=~np.isnan(there)) > 5 * top
        inside, apart = outside == 0, (outside > 0.5) | ((outside == 0.5) & far & ~fractional)
        most = inside.sum() * 2 > len(there) and inside.sum() >= 2
        # Scores just outside the scale, such as negative correlations, are scores, unless most are far outside that of percentages.
        near = ((there > FAR[0]) & (there < -ROUNDING)) | ((there > top + ROUNDING) & (there < FAR[1] * top))
        apart &= ~near.any(axis=1) | ~fractional | ((outside == 1) & far & (top > 1) & (2 * near.sum(axis=1) < given))
        wholes, of_fractions = apart & ~fractional, (inside & fractional).sum()
        if most and not of_fractions:  # sizes and years are far away, and grades beside 0 and 1 begin with 1
            large = np.nanmedian(np.where(outside[:, None] > 0, there, 0.0), axis=1) >= 10 * top
            of_grades = (top == 1) & (given >= FEWEST - 1) & (np.fmin.reduce(there, axis=1) >= 1) & (there[inside] == 0).any()
            of_grades &= of_grades.sum() <= max(1, SHARE_OF_GRADES * len(there))  # if many rows have grades, others are rows of 0
            found = apart & (outside > 0) & (large | of_grades)
        elif most or of_fractions >= 2:
            found = apart if most and apart.sum() == 1 else wholes
        else:
            continue
        for row in np.flatnonzero(found).tolist():
            percent = top == 1 and fractional[row] and np.nanmin(there[row]) >= 0 and np.nanmax(there[row]) <= 100
            way = "; divide percentages by 100" if percent else ""
            yield Found(row, f"values {_range(there[row])}, where {int(inside.sum())} others are from 0 to {top}{way}")
        if found.any() or most:
            return


def _in_fractions(there: FloatArray) -> Iterator[Found]:
    """Yields the rows of fractions in a table with rows of percentages: they have more decimals than the others, or are far below all others."""
    given = ~np.isnan(there)
    rows = ((there >= 0) & (there <= 1) | ~given).all(axis=1) & (given.sum(axis=1) > 1) & _fractional(there)
    others = there[~rows]
    values = others[~np.isnan(others)]
    if not values.size or not 0 < 2 * rows.sum() < len(there) or (values > 1).mean() < 0.9 or not PERCENT < values.max() <= 100:
        return
    units = half_units(there)
    finer = (units > 0) & (99 * units < units[~rows].min())
    for row in np.flatnonzero(rows).tolist():
        own = there[row, given[row]]
        if np.median(own) * 100 >= PERCENT and (finer[row] or TIMES * own.max() < values[values > 0].min()):
            way = "multiply fractions by 100"
            yield Found(row, f"values {_range(there[row])}, where {len(others)} others are {_range(others)}; {way}")


def _verdicts(there: FloatArray, *, percent: bool) -> Iterator[Found]:
    """Yields the rows with only 0 and 1, such as which of two runs is better, where scores of the others are seldom 0 or 1.

    If `percent`, the rows are tasks, which may have verdicts, but not beside three or more tasks in percent.
    """
    given = ~np.isnan(there)
    verdicts = (np.isin(there, (0, 1)) | ~given).all(axis=1) & (there == 0).any(axis=1) & (there == 1).any(axis=1)
    others = there[~verdicts][given[~verdicts]]
    share = (np.isin(others, (0, 1)).sum() + 0.5) / (others.size + 1)
    grades = 2 * (others == np.round(others)).sum() > others.size  # a bad run may have the lowest two
    if percent and ((~verdicts).sum() < SEVERAL or np.mean(others > 1) < 0.9 or not PERCENT < others.max(initial=0) <= 100):
        return
    if not grades and verdicts.any() and 2 * verdicts.sum() < len(there) and share <= SELDOM:
        for row in np.flatnonzero(verdicts & (len(there) * share ** given.sum(axis=1) < CHANCE)).tolist():
            yield Found(row, f"only 0 and 1, where others are {_range(others)}")


def _whole(there: FloatArray) -> Iterator[Found]:
    """Yields the rows of which most different values are whole numbers, as sizes are, if values of the other rows seldom are.

    The numbers 0, 1 and 100 say nothing, since they are scores without any or with full success. Scores on a task of 100 items are whole
    percentages, but they do not differ much more than those on other tasks, as sizes do in log-odds, and are not below all others.
    """
    telling = ~np.isnan(there) & ~np.isin(there, (0, 1, 100))
    whole = telling & (there == np.round(there))
    likely = 4 * whole.sum(axis=1) >= np.maximum(3 * telling.sum(axis=1), 4 * SEVERAL)
    if not likely.any() or 2 * whole.sum() >= telling.sum():
        return
    odds = np.clip(there, 0.5, 99.5)
    spread = deviations(np.log(odds / (100 - odds)).T)
    lowest, highest = np.fmin.reduce(there, axis=1), np.fmax.reduce(there, axis=1)
    for row in np.flatnonzero(likely).tolist():
        if spread[row] < WIDER * np.median(spread) and highest[row] >= np.nanmin(np.delete(lowest, row)):
            continue
        own = there[row, telling[row]]
        values = np.unique(own)
        several = int((values == np.round(values)).sum())
        below = TIMES * highest[row] <= np.nanmin(np.delete(lowest, row))  # no task: equal numbers count as well
        numbers = own if below else values
        count = int((numbers == np.round(numbers)).sum())
        share = (whole.sum() - whole[row].sum() + 0.5) / (telling.sum() - telling[row].sum() + 1)
        if several >= SEVERAL - below and len(there) * comb(len(numbers), count) * share**count < CHANCE:
            yield Found(row, f"whole numbers {_range(there[row])}, where {len(there) - 1} others have decimals")


def _range(values: FloatArray) -> str:
    return f"from {canonical(float(np.nanmin(values)))} to {canonical(float(np.nanmax(values)))}"


def _fractional(there: FloatArray) -> BoolArray:
    """Returns whether each row of a matrix contains a number with a fractional part."""
    return np.asarray(((there != np.round(there)) & ~np.isnan(there)).any(axis=1))


def scale_warnings(scores: Scores, kept: Collection[str], place: str | None, *, codes: bool) -> list[Problem]:
    """Returns warnings about runs on another scale than other runs, and about single scores that may be none, under each condition.

    Args:
        scores: The scores.
        kept: Runs and topics whose scores are not doubted.
        place: The name of the table or file; None if there are several.
        codes: Whether a number for missing scores is doubted; otherwise the caller said which numbers mean no score.

    Raises:
        CollectionError: Single scores are probably none.
    """
    free = [np.array([name not in kept for name in names], dtype=np.bool_) for names in (scores.runs, scores.topics)]
    problems: list[Problem] = []
    for texts, matrix in scores.matrices.items():
        under = under_condition(*texts)
        here = np.where(free[0][:, None] & free[1], matrix, np.nan)
        if (apart := _two_scales(here, matrix, scores.runs)) is not None:
            run, scales = apart
            text = f"expected one scale for all runs, found scores{under} {scales}; divide percentages by 100"
            problems.append(Problem(text, file=scores.files.get(run, place), severity="warning"))
        of_all = (_too_small(matrix, under), _without_grades(scores, here, under))
        problems += [Problem(text, file=place, severity="warning") for text in of_all if text]
        for check, scale, certain in CHECKS:
            if (codes or check is not _codes) and (found := check(here)).any():
                problems.append(_single(scores, here, found, f"{under} {scale or _range(here[~found])}", place, kept=kept, certain=certain))
                break
    if errors := [problem for problem in problems if problem.severity == "error"]:
        raise CollectionError(errors)
    return problems


def _single(
    scores: Scores, matrix: FloatArray, found: BoolArray, expected: str, place: str | None, *, kept: Collection[str], certain: bool
) -> Problem:
    """Returns the error or the warning about single scores; the options in its message settle all of them."""
    run, topic = np.argwhere(found)[0].tolist()
    count, numbers = int(found.sum()), [canonical(value) for value in dict.fromkeys(matrix[found].tolist())]
    named = f"{numbers[0]} for run {shortened(scores.runs[run], 40)} and topic {shortened(scores.topics[topic], 40)}"
    if count > 1:
        named += f" and {plural(count - 1, 'other score')}" + (f", such as {numbers[1]}" if len(numbers) > 1 else "")
    sides = (
        [names[code] for code in np.flatnonzero(found.any(axis=axis)).tolist()] for axis, names in ((1, scores.runs), (0, scores.topics))
    )
    ways = []
    if len(numbers) <= len(CODES):
        it = "each" if len(numbers) > 1 else numbers[0]
        ways.append(f"missing_values=({', '.join(numbers)},) (--missing-values {' '.join(numbers)}) reads {it} as a missing score")
    ways.append(f"{option(keep=[*sorted(kept), *min(sides, key=len)])} reads {'it as a score' if count == 1 else 'them as scores'}")
    others = int((~np.isnan(matrix) & ~found).sum())
    text = f"expected scores{expected}, as the other {others} scores are, found {named}; {', '.join(ways)}"
    return Problem(text, file=scores.files.get(scores.runs[run], place), severity="error" if certain else "warning")


def _codes(matrix: FloatArray) -> BoolArray:
    """Returns which scores are numbers for missing scores, in at most a third of the scores.

    These are a lone negative whole number, or several of -1, -9, -99, … among scores of at least 0; and 99, 999, … far above all others.
    """
    there = ~np.isnan(matrix)
    none = np.zeros_like(there)
    negative = np.less(matrix, 0, where=there, out=none.copy())
    values = np.unique(matrix[negative])
    lone = len(values) == 1 and not values[0] % 1 and values[0] >= -CODES[-1]
    if values.size and not lone and not np.isin(-values, (1, *CODES)).all():
        negative = none
    positive = np.isin(matrix, CODES[1:])
    rest = matrix[there & ~negative & ~positive]
    if not rest.size or rest.min() < 0:
        return none
    positive &= matrix >= TIMES * max(float(rest.max()), 1.0)
    found = negative | positive
    return found if found.sum() <= SHARE_OF_CODES * there.sum() else none


def _far(matrix: FloatArray, limits: tuple[float, float] = FAR) -> BoolArray:
    """Returns the scores outside [0, 1] if they are few, and all are outside the limits as well; others are fractions."""
    there = ~np.isnan(matrix)
    outside = there & ((matrix < -ROUNDING) | (matrix > 1 + ROUNDING))
    values, inside = matrix[outside], matrix[there & ~outside]
    share = SHARE_OF_CODES if len(np.unique(values)) == 1 and not values[0] % 1 else SHARE
    few = values.size <= max(1, share * there.sum()) and inside.size >= (SEVERAL if limits[1] > FAR[1] and len(matrix) > 1 else FEWEST)
    fractions = ((inside > 0) & (inside < 1)).any()
    return outside & bool(few and fractions and ((values <= limits[0]) | (values >= limits[1])).all())


def _lone(matrix: FloatArray) -> BoolArray:
    """Returns a score that is far larger, or a fraction far smaller, than all others; on a logarithmic scale, all others are near each other."""
    found = np.zeros(matrix.shape, dtype=np.bool_)
    places = np.flatnonzero((matrix > 0).ravel())
    values = matrix.ravel()[places]
    if len(values) <= FEWEST or (matrix < 0).any():
        return found
    order = np.argsort(values)
    logs = np.log(values[order])
    for rest, at, gap in ((logs[:-1], -1, logs[-1] - logs[-2]), (logs[1:], 0, logs[1] - logs[0])):
        fraction = values[order[0]] < 1 and np.exp(logs[1]) > 1 and PERCENT < values.max() <= 100  # beside percentages
        if gap >= max(np.log(TIMES), DEVIATIONS * rest.std()) and (at == -1 or fraction):
            found.ravel()[places[order[at]]] = True
            return found
    return found


def _lone_zero(matrix: FloatArray) -> BoolArray:
    """Returns a single 0 if all other scores are near each other and far from 0: it may stand for a missing score."""
    values = np.unique(matrix[(matrix != 0) & ~np.isnan(matrix)])
    near = len(values) >= FEWEST and 0 < values[-1] <= NEAR * values[0]
    return np.asarray((matrix == 0) & (near and (matrix == 0).sum() == 1))


def _lone_grade(matrix: FloatArray) -> BoolArray:
    """Returns a single grade, or a code such as 9, outside the scale of all others, which are successive whole numbers: it may be invented.

    The grade is more than one grade away from all others. Its distance from them is at least half the length of their scale or, if they are
    only three grades, longer than this scale, because a grade between may be rare. A 0 beside all grades from 1 to 5, or to 7, is outside, too.
    There are more than five scores for each grade.
    """
    found = np.zeros(matrix.shape, dtype=np.bool_)
    grades, counts = np.unique(matrix[~np.isnan(matrix)], return_counts=True)
    if len(grades) <= SEVERAL or grades[0] < 0 or (grades % 1).any():
        return found
    for at, others in ((-1, grades[:-1]), (0, grades[1:])):
        length, away = float(others[-1] - others[0]), float(abs(grades[at] - others[at]))
        far = away > 1 and (2 * away >= length if len(others) >= SCALE_OF_GRADES else away > length)
        successive = length == len(others) - 1 and counts.sum() > FEWEST * len(others)
        few = counts[at] == 1 or (at == -1 and grades[at] in CODES and counts[at] <= SHARE_OF_GRADES * counts.sum())
        if few and successive and (far or (grades[at] == 0 and others[0] == 1 and others[-1] in FROM_ONE)):
            return np.asarray(matrix == grades[at])
    return found


CHECKS: Final[tuple[tuple[Callable[[FloatArray], BoolArray], str, bool], ...]] = (
    (_codes, "", True),
    (partial(_far, limits=VERY_FAR), "from 0 to 1", True),
    (_lone, "", True),
    (_far, "from 0 to 1", False),
    (_lone_zero, "", False),
    (_lone_grade, "", False),
)
"""Checks of single scores, each with the scale that is expected (that of the other scores, if empty), and whether they raise an error.

The first that finds scores counts.
"""


def _two_scales(free: FloatArray, matrix: FloatArray, runs: Sequence[str]) -> tuple[str, str] | None:
    """Returns the first of some runs whose scores are probably percentages beside fractions, with the two scales; None otherwise.

    Args:
        free: The scores that the caller does not keep; others are NaN.
        matrix: All scores.
        runs: The names of the runs.
    """
    given = ~np.isnan(matrix)
    several = given.sum(axis=1) > 1
    above, percent = (several & (2 * (matrix > limit).sum(axis=1) > given.sum(axis=1)) for limit in (1 + ROUNDING, PERCENT))
    fractions = several & ~((matrix < -ROUNDING) | (matrix > 1 + ROUNDING)).any(axis=1) & _fractional(matrix)
    apart = above if fractions.sum() > max(1, above.sum()) else percent & fractions.any()
    apart &= ~np.isnan(free).all(axis=1)
    if not apart.any():
        return None
    named = [[runs[row] for row in np.flatnonzero(rows).tolist()] for rows in (apart, fractions)]
    ranges = (f"{_range(matrix[rows])} for {enumerate_names(names)}" for rows, names in zip((apart, fractions), named, strict=True))
    return named[0][0], " and ".join(ranges)


def _too_small(matrix: FloatArray, under: str) -> str:
    """Returns the text about scores that are all smaller than tests distinguish; empty for other scores."""
    largest = float(np.nanmax(np.abs(matrix), initial=0.0))
    if not 0 < largest < TINY:
        return ""
    return f"expected scores{under} of which some are above 1e-9, found at most {canonical(largest)}; tests round differences to multiples of 1e-12, so multiply the scores"


def _without_grades(scores: Scores, matrix: FloatArray, under: str) -> str:
    """Returns the text about topics on which all runs have one score, -1 or 0, that is rare on all others; empty otherwise.

    These topics may have no judgements. All other scores are above it, and are grades: whole numbers, of which one is above 1.
    """
    there = ~np.isnan(matrix)
    values = matrix[there]
    lowest = float(values.min(initial=np.inf))
    if lowest not in (-1, 0) or values.max() <= 1 or (values % 1).any():
        return ""
    same = matrix == lowest
    topics = (same == there).all(axis=0) & there.any(axis=0)
    several = there.sum(axis=0) > 2
    whole = several & topics
    least = max(WHOLE_TOPICS[0], WHOLE_TOPICS[1] * several.sum())
    if whole.sum() < least or same[:, ~whole].sum() > ELSEWHERE * there[:, ~whole].sum():
        return ""
    named, code = [scores.topics[topic] for topic in np.flatnonzero(topics).tolist()], canonical(lowest)
    way = f"missing_values=({code},) (--missing-values {code}) reads it as a missing score" if lowest else "empty cells are missing scores"
    found = f"on {len(named)} of {plural(len(scores.topics), 'topic')} ({enumerate_names(named)}), and few have it on others"
    return f"all runs have the score {code}{under} {found}; if these topics have no grades, {way}"
