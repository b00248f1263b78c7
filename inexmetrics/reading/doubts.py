"""Doubts about scores: columns, topics and runs whose names or values are probably not scores.

Values never decide how a table is read. A doubt is an error that names the columns, and the options that settle it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, TypeAlias

import numpy as np
import polars as pl

from inexmetrics.collection.score_matrices import UNNAMED, Scores, condition_text
from inexmetrics.common.arrays import BoolArray, FloatArray
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import canonical, enumerate_names, plural, shortened
from inexmetrics.reading.scores.stated import option

__all__ = ["WORDS", "Doubt", "doubtful_names", "doubts_of", "named_otherwise", "refuse_doubts", "refuse_notations", "scale_warnings"]

Noun: TypeAlias = Literal["runs", "topics"]
RUNS: Final = "runs"
TOPICS: Final = "topics"
Check: TypeAlias = Callable[[FloatArray], Iterator[tuple[int, str, bool]]]
"""A check of the rows of a matrix: it yields the number of a row, the reason for a doubt, and whether the doubt is an error."""

WORDS: Final = frozenset({
    "average", "avg", "mean", "median", "overall", "total", "sum", "std", "stdev", "stderr", "ci",
    "rank", "params", "parameters", "size", "year", "date", "release", "price", "cost", "latency", "votes",
    "likes", "downloads", "seed", "fold", "split", "weight", "count", "#",
})  # fmt: skip
"""Words of names that are probably not names of scores: averages, ranks, and properties of runs or topics."""
OF_TOPICS: Final = frozenset({"all"})
"""Words that are doubtful as the name of a topic, such as ``all`` of trec_eval, but not as the name of a run."""
FILLERS: Final = frozenset({
    "number", "of", "no", "the", "all", "over", "across", "model", "macro", "micro", "weighted",
    "score", "scores", "tasks", "topics", "datasets", "b", "m", "k", "bn", "gb", "mb",
    "ms", "s", "kg", "usd", "co2",
})  # fmt: skip
"""Words that may accompany the words in `WORDS`, such as *model* in *Model size* and *b* in *params_b*."""

SCALES: Final = (1, 100)
"""Maximum scores of the two usual scales, 0 to 1 and 0 to 100."""
SMALL: Final = 1e15
"""Larger numbers do not have decimals."""
PRECISE: Final = 0.1
"""A vector equals the means of others only if its rounding is at most this share of their standard deviation."""
ENOUGH: Final = 4
"""Number of scores that must equal a mean or median; two or three equal scores are a warning, since they may be equal by chance."""
SHARE_OF_CODES: Final = 1 / 3
"""Maximum share of scores that a number for missing scores, such as -1, may have."""
SMALLEST_CODE: Final = -99999
"""Smallest number that may mark missing scores."""
ROUNDING: Final = 1e-6
"""A score is inside [0, 1] if its distance from [0, 1] is at most this value, because computed scores may be rounded."""
FAR: Final = (-1, 2)
"""Single scores are suspicious if they are at most -1 or at least 2; smaller distances from [0, 1] are common for some measures."""
FEWEST: Final = 5
"""A warning about single scores outside [0, 1] is given only if at least this number of scores are inside [0, 1]."""
SHARE: Final = 0.05
"""Maximum share of scores outside [0, 1] for a warning about single scores. If exactly one score is outside, the share may be larger."""
PERCENT: Final = 10
"""If the scores of one run are fractions, a run with a median score above this value probably has percentages."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A column, topic or run that probably does not contain scores.

    Attributes:
        name: The name of the column, topic or run.
        reason: The reason for the doubt.
        text: Whether it contains text, so that it cannot be read as scores.
        measure: Whether it is the name of a measure, and its column may contain the scores of this measure.
        certain: Whether the doubt is an error; otherwise it is a warning.
        of: Whether the name is that of a topic or of a run.
        identifier: Whether its numbers may be names of topics.
        advice: How to write its numbers, if they are in a notation that is not read; it is then probably scores.
        line: The line of the first such number.
    """

    name: str
    reason: str
    text: bool = False
    measure: bool = False
    certain: bool = True
    of: Noun = RUNS
    identifier: bool = False
    advice: str = ""
    line: int | None = None


def doubtful_names(frame: pl.DataFrame, columns: Sequence[str], kept: Collection[str]) -> list[str]:
    """Returns the columns of a matrix that cause a doubt, whether they contain topics or runs."""
    numbers = {name: frame[name].cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False) for name in columns}
    there = {name: values for name, values in numbers.items() if values.count()}
    if not there:
        return []
    matrix = np.array([values.fill_null(np.nan).to_numpy() for values in there.values()], dtype=np.float64)
    found = [doubt.name for doubt in _of_vectors(matrix, [*there], kept, "topics", frozenset()) if doubt.certain]
    return list(dict.fromkeys(found))


def doubts_of(scores: Scores, kept: Collection[str], whole: Scores | None = None) -> list[Doubt]:
    """Returns the doubts about the names and values of runs and topics.

    Args:
        scores: The scores of the selected runs and topics.
        kept: Names that are not doubted.
        whole: The scores as they stand in the tables, with the runs and topics that are not read; None if all are read.
    """
    found: list[Doubt] = [] if whole is None else [*_averages_in_tables(scores, kept, whole)]
    for matrix in scores.matrices.values():
        found += _of_vectors(matrix, scores.runs, kept, "runs", frozenset())
        found += _of_vectors(matrix.T, scores.topics, kept, "topics", OF_TOPICS)
    first: dict[str, Doubt] = {}
    for doubt in sorted(found, key=lambda doubt: not doubt.certain):
        first.setdefault(doubt.name, doubt)
    return list(first.values())


def refuse_doubts(doubts: Sequence[Doubt], place: str | None, clusters: Sequence[str] = ()) -> None:
    """Raises `CollectionError` if there are doubts; the message names the options that exclude or keep what is doubted.

    If all that is doubted are numbers in a notation that is not read, the message says how to write them.

    Args:
        doubts: The doubts.
        place: The name of the table or file; None if there are several.
        clusters: Columns that may contain clusters of topics.

    Examples:
        >>> refuse_doubts([Doubt("Rank", "by name")], None)
        Traceback (most recent call last):
        inexmetrics.common.errors.CollectionError: expected scores, found Rank (by name), which is probably not scores; ignore="Rank" (--ignore Rank) excludes it, keep="Rank" (--keep Rank) reads it as scores
    """
    if not doubts:
        return
    names = [doubt.name for doubt in doubts]
    it = "it" if len(names) == 1 else "them"
    measures = [doubt.name for doubt in doubts if doubt.measure]
    ways = list(dict.fromkeys(doubt.advice for doubt in doubts if doubt.advice))
    ways += [f"{option(measures=measures)} reads {'it as a measure' if len(measures) == 1 else 'them as measures'}"] if measures else []
    if identifiers := [doubt.name for doubt in doubts if doubt.identifier]:
        ways.append(f"{option(topics=identifiers[0])} reads {identifiers[0]} as topics")
    ways.append(f"{option(ignore=names)} excludes {it}")
    if scored := [doubt.name for doubt in doubts if not doubt.text]:
        ways.append(f"{option(keep=scored)} reads {'it' if len(scored) == 1 else 'them'} as scores")
    if of_topics := [name for name in clusters if name in names]:
        named = f"clusters={canonical(of_topics[0])}"
        ways.append(f"t({named}) in a formula with a test ({named} of scores_from) reads {of_topics[0]} as clusters of topics")
    written, others = ([doubt for doubt in doubts if bool(doubt.advice) == whether] for whether in (True, False))
    found = [f"{_by_reason(others)}, which {'is' if len(others) == 1 else 'are'} probably not scores"] if others else []
    found += [f"{_by_reason(written)}, which cannot be read as numbers"] if written else []
    line = written[0].line if written and not others else None
    raise CollectionError(Problem(f"expected scores, found {', and '.join(found)}; {', '.join(ways)}", file=place, line=line))


def refuse_notations(doubts: Sequence[Doubt], place: str | None) -> None:
    """Raises `CollectionError` if there are doubts, all about numbers in notations that are not read, and there are no other scores."""
    if doubts:
        ways = ", ".join(dict.fromkeys(doubt.advice for doubt in doubts))
        text = f"expected scores, found {_by_reason(doubts)}, which cannot be read as numbers; {ways}"
        raise CollectionError(Problem(text, file=place, line=doubts[0].line))


def _by_reason(doubts: Sequence[Doubt]) -> str:
    """Returns the names of what is doubted, with the reasons in parentheses."""
    by_reason: dict[str, list[str]] = {}
    for doubt in doubts:
        by_reason.setdefault(doubt.reason, []).append(shortened(doubt.name, 40))
    return ", ".join(f"{enumerate_names(those)} ({reason})" for reason, those in by_reason.items())


def refuse_codes(scores: Scores, kept: Collection[str], place: str | None) -> None:
    """Raises `CollectionError` if a single negative whole number, such as -1, is among scores of at least 0, in at most a third of them."""
    runs, topics = (np.array([name not in kept for name in names]) for names in (scores.runs, scores.topics))
    for texts, matrix in scores.matrices.items():
        there = ~np.isnan(matrix)
        negative = np.less(matrix, 0, where=there, out=np.zeros_like(there))
        values = np.unique(matrix[negative])
        if len(values) != 1 or values[0] % 1 or values[0] < SMALLEST_CODE or negative.sum() > SHARE_OF_CODES * there.sum():
            continue
        if not (found := np.argwhere(negative & runs[:, None] & topics)).size:
            continue
        run, topic = (names[code] for names, code in zip((scores.runs, scores.topics), found[0].tolist(), strict=True))
        code, count = canonical(float(values[0])), int(negative.sum())
        cells = f"{code} for run {shortened(run, 40)} and topic {shortened(topic, 40)}" + (
            f" and {plural(count - 1, 'other score')}" if count > 1 else ""
        )
        text = (
            f"expected scores of at least 0{_under(*texts)}, as the other {int(there.sum()) - count} scores are, found {cells}; "
            f"missing_values=({code},) (--missing-values {code}) reads {code} as a missing score, missing_values=() (--missing-values without "
            f"a value) or {option(keep=[run])} reads it as a score"
        )
        raise CollectionError(Problem(text, file=scores.files.get(run, place)))


def _of_vectors(
    matrix: FloatArray,
    names: Sequence[str],
    kept: Collection[str],
    what: Noun,
    words: Collection[str],
    *,
    checks: Sequence[Check] | None = None,
) -> Iterator[Doubt]:
    """Yields the doubts about the rows of a matrix.

    Args:
        matrix: Scores; NaN if missing.
        names: The name of each row.
        kept: Names that are not doubted.
        what: A noun for the rows: runs or topics.
        words: Words that are doubtful in names, in addition to `WORDS`.
        checks: The checks of values; all if None.
    """
    doubted = np.zeros(len(names), dtype=np.bool_)
    for place, name in enumerate(names):
        if name not in kept and named_otherwise(name, words):
            doubted[place] = True
            yield Doubt(name, "by name", of=what)
    if matrix.shape[1] < 2:
        return
    settled = np.array([name in kept for name in names], dtype=np.bool_)
    for found_in in (_numbered, _off_scale, partial(_averages, what=what)) if checks is None else checks:
        places = np.flatnonzero(~doubted)
        if len(places) < 2:
            return
        with np.errstate(invalid="ignore", over="ignore"):
            found = [(int(places[row]), reason, certain) for row, reason, certain in found_in(matrix[places])]
        for place, reason, certain in found:
            if not settled[place]:
                doubted[place] = settled[place] = True
                yield Doubt(names[place], reason, certain=certain, of=what)


def _averages_in_tables(scores: Scores, kept: Collection[str], whole: Scores) -> Iterator[Doubt]:
    """Yields the selected runs and topics that are averages in the tables, of others that may not be selected.

    The others are all others, or all others that are not doubted, such as sizes of models.

    Args:
        scores: The scores of the selected runs and topics.
        kept: Names that are not doubted.
        whole: The scores with the runs and topics that are not selected.
    """
    selected = np.isin(whole.runs, scores.runs), np.isin(whole.topics, scores.topics)
    for matrix in whole.matrices.values():
        sides: tuple[tuple[Noun, FloatArray, Sequence[str], Collection[str], tuple[BoolArray, BoolArray]], ...] = (
            (RUNS, matrix, whole.runs, frozenset(), selected),
            (TOPICS, matrix.T, whole.topics, OF_TOPICS, selected[::-1]),
        )
        for what, vectors, names, words, (chosen, across) in sides:
            if chosen.all():
                continue
            # Rows that are not selected are evidence; without them, a row that is not an average itself does not matter.
            for part in (vectors, vectors[:, across])[: 1 if across.all() else 2]:
                doubted = {doubt.name for doubt in _of_vectors(part, names, (), what, words, checks=(_numbered, _off_scale))}
                free = np.array([name not in doubted or name in kept for name in names], dtype=np.bool_)
                for places in (np.flatnonzero(free), np.arange(len(names))):
                    with np.errstate(invalid="ignore", over="ignore"):
                        found = [(int(places[row]), reason, certain) for row, reason, certain in _averages(part[places], what)]
                    for place, reason, certain in found:
                        if chosen[place] and names[place] not in kept:
                            yield Doubt(names[place], f"{reason} in the table", certain=certain, of=what)


def named_otherwise(name: str, words: Collection[str]) -> bool:
    """Returns whether all words of a name are in `WORDS` or accompany such a word; text in parentheses and case are ignored.

    Examples:
        >>> [
        ...     named_otherwise(name, ())
        ...     for name in ("Average ⬆️", "#Params (B)", "Model Size", "mean-pooling", "Average Precision")
        ... ]
        [True, True, True, False, False]
    """
    folded = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", unicodedata.normalize("NFKC", name).casefold()).strip()
    found = ["#"] if folded == "#" else re.findall(r"[^\W_]+", folded)
    doubtful = WORDS.union(words)
    return bool(doubtful.intersection(found)) and all(word in doubtful or word in FILLERS or word.isdigit() for word in found)


def _fractional(there: FloatArray) -> BoolArray:
    """Returns whether each row of a matrix contains a number with a fractional part."""
    return np.asarray(((there != np.round(there)) & ~np.isnan(there)).any(axis=1))


def _numbered(there: FloatArray) -> Iterator[tuple[int, str, bool]]:
    """Yields the rows of a matrix that contain each number from 1 to n once, if they are few and other rows contain fractions."""
    numbers = np.arange(1, there.shape[1] + 1)
    numbered = (np.sort(there, axis=1) == numbers).all(axis=1)
    if len(numbers) > 2 and numbered.sum() * 2 < len(there) and _fractional(there).any():
        yield from ((row, f"each number from 1 to {len(numbers)} once", True) for row in np.flatnonzero(numbered).tolist())


def _off_scale(there: FloatArray) -> Iterator[tuple[int, str, bool]]:
    """Yields the rows of a matrix in which most values are outside the scale of the other rows.

    The scale is [0, 1] or [0, 100] if most rows, or at least two rows with fractions, are on it. Several rows are outside only if they
    contain whole numbers, as sizes and years do, because scores of measures without a maximum are on no scale.
    """
    fractional, given = _fractional(there), np.maximum((~np.isnan(there)).sum(axis=1), 1)
    for top in SCALES:
        outside = ((there < -ROUNDING) | (there > top + ROUNDING)).sum(axis=1) / given
        far = np.nanmax(np.abs(there), axis=1, initial=0.0, where=~np.isnan(there)) > 5 * top
        inside, apart = outside == 0, (outside > 0.5) | ((outside == 0.5) & far & ~fractional)
        most = inside.sum() * 2 > len(there) and inside.sum() >= 2
        # Scores just outside the scale, such as negative correlations, are scores.
        near = ((there > FAR[0]) & (there < -ROUNDING)) | ((there > top + ROUNDING) & (there < FAR[1] * top))
        apart &= ~near.any(axis=1) | ~fractional
        wholes = apart & ~fractional
        if most and (inside & fractional).any():
            found = wholes | (apart if apart.sum() == 1 else np.zeros_like(apart))
        elif most:  # if all scores are whole numbers, such as 0 and 1 or counts, sizes and years are far away
            found = apart & (outside > 0) & (np.nanmedian(np.where(outside[:, None] > 0, there, 0.0), axis=1) >= 10 * top)
        elif (inside & fractional).sum() >= 2:
            found = wholes
        else:
            continue
        for row in np.flatnonzero(found).tolist():
            low, high = (canonical(float(value)) for value in (np.nanmin(there[row]), np.nanmax(there[row])))
            yield row, f"values from {low} to {high}, where {int(inside.sum())} others are from 0 to {top}", True
        if found.any() or most:
            return


def _averages(there: FloatArray, what: str) -> Iterator[tuple[int, str, bool]]:
    """Yields the rows of a matrix that equal the means or the medians of the other rows, up to the rounding of their decimals."""
    count = (~np.isnan(there)).sum(axis=0)
    columns = count > 2  # each score is compared with at least two others
    here, count = there[:, columns], count[columns]
    if not here.shape[1]:
        return
    means = (np.nansum(here, axis=0) - np.nan_to_num(here)) / np.maximum(count - ~np.isnan(here), 1)
    high, low = np.nanmax(here, axis=0), np.nanmin(here, axis=0)
    spread = np.nanstd(here, axis=0)
    varied = np.isfinite(spread) & (high - low > 1e-9 * np.maximum(np.abs(high), np.abs(low)))
    ordered = np.sort(here, axis=0)  # NaN is last
    middle = count // 2
    below, above = (
        np.take_along_axis(ordered, place[None], axis=0)[0]
        for place in (np.maximum(middle - 1, 0), np.where(count % 2 == 1, middle + 1, middle))
    )
    medians = np.broadcast_to((below + above) / 2, here.shape)
    distinct = (np.diff(ordered, axis=0) > 0).sum(axis=0) + 1
    for what_is, others, informative, fewest in (
        ("mean", means, varied, 2),
        ("median", medians, varied & (distinct * 2 > count), ENOUGH),
    ):
        if not informative.any():
            continue
        allowed = np.minimum(_rounding(here)[:, None] * 1.0001 + 1e-9 * spread, PRECISE * np.maximum(spread, 1e-300))
        equal = np.abs(here - others) <= allowed
        given = ~np.isnan(here) & informative
        matched = (equal | ~given).all(axis=1) & (given.sum(axis=1) >= fewest)
        for row in np.flatnonzero(matched).tolist():
            yield row, f"the {what_is} of the other {what}", bool(given[row].sum() >= ENOUGH)


def _rounding(there: FloatArray) -> FloatArray:
    """Returns half of a unit of the last decimal of each row's values."""
    found = np.zeros(len(there))
    left = np.ones(len(there), dtype=np.bool_)
    small = np.where(np.abs(there) < SMALL, there, np.nan)
    for decimals in range(10):
        scaled = small * 10.0**decimals
        whole = np.nanmax(np.abs(scaled - np.round(scaled)), axis=1, initial=0.0, where=~np.isnan(scaled)) <= 1e-6
        found[left & whole] = 0.5 * 10.0**-decimals
        left &= ~whole
    return found


def scale_warnings(scores: Scores, kept: Collection[str], place: str | None) -> Iterator[Problem]:
    """Yields warnings about runs on another scale than other runs, and about single scores outside [0, 1], under each condition.

    Runs and topics in `kept` are not warned about.
    """
    free = np.array([run not in kept for run in scores.runs])[:, None] & np.array([topic not in kept for topic in scores.topics])
    for texts, matrix in scores.matrices.items():
        there = ~np.isnan(matrix)
        outside = there & ((matrix < -ROUNDING) | (matrix > 1 + ROUNDING))
        above = np.where(there, matrix, 0.0) > 1 + ROUNDING
        count = there.sum(axis=1)
        inner = (there & (matrix > 0) & (matrix < 1)).any(axis=1)
        fractions = ~outside.any(axis=1) & inner & (count > 1)
        other = (above.sum(axis=1) * 2 > count) & (count > 1)
        medians = np.zeros(len(matrix))
        medians[other] = np.nanmedian(matrix[other], axis=1)
        apart = other if other.any() and fractions.sum() > max(1, other.sum()) else other & (medians > PERCENT) & fractions.any()
        apart &= free.any(axis=1)
        if apart.any():
            ranges = []
            for chosen in (apart, fractions):
                values = matrix[chosen][there[chosen]]
                names = [scores.runs[code] for code in np.flatnonzero(chosen).tolist()]
                ranges.append(f"from {canonical(float(values.min()))} to {canonical(float(values.max()))} for {enumerate_names(names)}")
            text = f"expected one scale for all runs, found scores{_under(*texts)} {' and '.join(ranges)}; divide percentages by 100"
            yield Problem(text, file=scores.files.get(scores.runs[int(np.flatnonzero(apart)[0])], place), severity="warning")
        here = ~apart[:, None] & free
        yield from _single(scores, matrix, (there & here, outside & here), _under(*texts), place)


def _single(scores: Scores, matrix: FloatArray, masks: tuple[BoolArray, BoolArray], under: str, place: str | None) -> Iterator[Problem]:
    """Yields a warning that names the first of a few scores far outside [0, 1], if all other scores are inside [0, 1]."""
    there, outside = masks
    values, inside = matrix[outside], matrix[there & ~outside]
    if not values.size or ((values > FAR[0]) & (values < FAR[1])).any():
        return
    share = SHARE_OF_CODES if len(np.unique(values)) == 1 and not values[0] % 1 else SHARE
    if values.size > max(1, share * there.sum()) or inside.size < FEWEST or not ((inside > 0) & (inside < 1)).any():
        return
    run, topic = (names[code] for names, code in zip((scores.runs, scores.topics), np.argwhere(outside)[0].tolist(), strict=True))
    code = canonical(float(values[0]))
    found = f"{code} for run {shortened(run, 40)} and topic {shortened(topic, 40)}"
    if values.size > 1:
        found = f"{values.size} scores outside this range, such as {found}"
    text = f"expected scores{under} from 0 to 1, as the other {inside.size} scores are, found {found}"
    remedy = f"missing_values=({code},) (--missing-values {code}) reads the number as a missing score"
    yield Problem(f"{text}; {remedy}", file=scores.files.get(run, place), severity="warning")


def _under(measure: str, quantisation: str) -> str:
    """Returns the text that describes a condition in a message; empty if the scores do not name a measure."""
    return f" under {condition_text(measure, quantisation)}" if (measure, quantisation) != UNNAMED else ""
