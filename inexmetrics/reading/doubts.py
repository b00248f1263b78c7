"""Doubts about scores: columns, topics and runs whose names or values are probably not scores.

Values never decide how a table is read. A doubt is an error that names the columns, and the options that settle it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
import polars as pl

from inexmetrics.collection.condition_names import lower_by_name, lower_by_part
from inexmetrics.collection.score_matrices import Scores
from inexmetrics.common.arrays import BoolArray, FloatArray, IntArray
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import canonical, enumerate_names, option, shortened, with_hint
from inexmetrics.reading.names import averages_in, like_runs, named_otherwise, spread_named
from inexmetrics.reading.scores.derived import computed
from inexmetrics.reading.scores.ranked import Found, extended, extremes, ranked, repeated
from inexmetrics.reading.scores.scales import off_scale
from inexmetrics.terms.lexicon import like_a_measure

__all__ = ["Doubt", "doubtful_names", "doubts_of", "lower_beside", "refuse_doubts", "refuse_notations"]

Noun: TypeAlias = Literal["runs", "topics"]
Check: TypeAlias = Callable[[FloatArray, Sequence[str], str], Iterator[Found]]
"""A check of the rows of a matrix with their names and a noun for them: it yields the rows that are probably not scores."""
CHECKS: Final[tuple[Check, ...]] = (extended, ranked, off_scale, extremes, computed, repeated)


@dataclass(frozen=True, slots=True)
class Doubt:
    """A column, topic or run that probably does not contain scores.

    Attributes:
        name: The name of the column, topic or run.
        reason: The reason for the doubt.
        text: Whether it contains text, so that it cannot be read as scores.
        measure: Whether it is the name of a measure, whose scores its column may contain; those of a topic are then means over topics.
        certain: Whether the doubt is an error; otherwise it is a warning.
        of: Whether the name is that of a topic or of a run.
        advice: How to write its numbers, if they are in a notation that is not read; it is then probably scores.
        line: The line of the first such number.
        scale: How to write its words as scores, if they are two, such as PASS and FAIL.
        beside: The other names, if lower scores are better by the name alone.
        meant: The measure that the formula probably means.
        bounds: Two names whose middle it is: they may be its bounds instead.
    """

    name: str
    reason: str
    text: bool = False
    measure: bool = False
    certain: bool = True
    of: Noun = "runs"
    advice: str = ""
    line: int | None = None
    scale: str = ""
    beside: tuple[str, ...] = ()
    meant: str = ""
    bounds: tuple[str, ...] = ()


def doubtful_names(frame: pl.DataFrame, columns: Sequence[str], kept: Collection[str]) -> list[str]:
    """Returns the columns of a matrix that cause a doubt, whether they contain topics or runs."""
    numbers = {name: frame[name].cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False) for name in columns}
    there = {name: values for name, values in numbers.items() if values.count()}
    if not there:
        return []
    matrix = np.array([values.fill_null(np.nan).to_numpy() for values in there.values()], dtype=np.float64)
    averages = averages_in([*there])
    found = [name for name in there if (spread_named(name) or name in averages) and name not in kept]
    found += [doubt.name for doubt in _of_vectors(matrix, [*there], kept, "topics") if doubt.certain]
    return list(dict.fromkeys(found))


def doubts_of(scores: Scores, kept: Collection[str], whole: Scores | None = None, order: Mapping[str, int] | None = None) -> list[Doubt]:
    """Returns the doubts about the names and values of runs and topics.

    Args:
        scores: The scores of the selected runs and topics.
        kept: Names that are not doubted.
        whole: The scores as they are in the tables, with the runs and topics that are not read; None if all are read.
        order: The place of each name in the tables, where averages are next to the averaged columns; None for the order of the scores.
    """
    order = order or {}
    found: list[Doubt] = [] if whole is None else [*_averages_in_tables(scores, kept, whole, order)]
    for matrix in scores.matrices.values():
        found += _of_vectors(*_in_order(matrix, scores.runs, order), kept, "runs")
        found += _of_vectors(*_in_order(matrix.T, scores.topics, order), kept, "topics")
    found += _measures_as_topics(scores.topics, kept)
    found += [*lower_beside(scores.runs, kept, "runs"), *lower_beside(scores.topics, kept, "topics")]
    first: dict[str, Doubt] = {}
    for doubt in sorted(found, key=lambda doubt: (not doubt.certain, doubt.reason != "by name" and not doubt.beside)):
        first.setdefault(doubt.name, doubt)
    return list(first.values())


def lower_beside(names: Sequence[str], kept: Collection[str], of: Noun, *, columns: bool = False) -> Iterator[Doubt]:
    """Yields the doubts about names of measures whose lower scores are better, such as *wer*, beside other names.

    Args:
        names: The names of all runs, or of all topics.
        kept: Names that are not doubted.
        of: A noun for the names.
        columns: Whether they are columns of a matrix with topics in rows, which may be read as measures.
    """
    by_name = lower_by_part if of == "topics" or columns else lower_by_name  # a run may be named after the loss that trained it
    lower = [name for name in names if by_name(name)]
    others = tuple(name for name in names if name not in lower)
    if others:
        yield from (Doubt(name, "lower is better, by name", measure=columns, of=of, beside=others) for name in lower if name not in kept)


def _measures_as_topics(topics: Sequence[str], kept: Collection[str]) -> Iterator[Doubt]:
    """Yields the doubts about topics that are names of measures, if all topics are, apart from those that are no scores by name.

    Single letters with numbers, such as *P_1* to *P_20*, are rather names of topics.
    """
    measured = [name for name in topics if like_a_measure(name)]
    others = {*topics}.difference(measured)
    if len(measured) > 1 and all(lower_by_name(name) or named_otherwise(name, "topics") or spread_named(name) for name in others):
        named = any(re.search(r"[^\W\d_]{2}", name) for name in measured)
        yield from (Doubt(name, "the name of a measure", measure=True, of="topics") for name in measured if named and name not in kept)


def _in_order(matrix: FloatArray, names: Sequence[str], order: Mapping[str, int]) -> tuple[FloatArray, list[str]]:
    """Returns the rows of a matrix, and their names, in the order of the tables."""
    places = sorted(range(len(names)), key=lambda place: order.get(names[place], len(order)))
    return matrix[places], [names[place] for place in places]


def refuse_doubts(
    doubts: Sequence[Doubt],
    place: str | None,
    clusters: Sequence[str] = (),
    topics: Sequence[str] = (),
    given: tuple[Collection[str], Collection[str]] = ((), ()),
) -> None:
    """Raises `CollectionError` if there are doubts; the message names the options that exclude or keep what is doubted.

    If all that is doubted are numbers in a notation that is not read, the message says how to write them.

    Args:
        doubts: The doubts.
        place: The name of the table or file; None if there are several.
        clusters: Columns that may contain clusters of topics.
        topics: Columns that may contain names of topics.
        given: Names that the caller ignores or keeps already; the options of the message repeat them, so that they replace those of the caller.

    Examples:
        >>> refuse_doubts([Doubt("Rank", "by name")], None)
        Traceback (most recent call last):
        inexmetrics.common.errors.CollectionError: expected scores, found Rank (by name), which is probably not scores; ignore="Rank" (--ignore Rank) excludes it, keep="Rank" (--keep Rank) reads it as scores
    """
    if not doubts:
        return
    means = [doubt for doubt in doubts if doubt.measure and doubt.of == "topics"]
    names = [doubt.name for doubt in doubts if doubt not in means]
    it = "it" if len(names) == 1 else "them"
    lower = [doubt for doubt in doubts if doubt.beside]
    measures = [*dict.fromkeys(name for doubt in doubts if doubt.measure and doubt not in means for name in (*doubt.beside, doubt.name))]
    ways = list(dict.fromkeys(doubt.advice for doubt in doubts if doubt.advice))
    ways += [f"if {doubt.name} is a score, {doubt.scale}" for doubt in doubts if doubt.scale and not like_runs(doubt.name)]
    ways += [f"{option(measures=measures)} reads {'it as a measure' if len(measures) == 1 else 'them as measures'}"] if measures else []
    if lower:
        alone = [doubt.name for doubt in lower if doubt.of == "topics"]
        named = lower[0].name if len(alone) < 2 else "error"  # several topics are no measure
        stated = f'given({canonical(named)}, better="lower") in the formula'
        ways.append(
            f"{option(only_topics=alone)} and {stated} rank by {enumerate_names(alone)}" if alone else f"{stated} states the direction"
        )
    if identifiers := [name for name in names if name in topics]:
        ways.append(f"{option(topics=identifiers[0])} reads {identifiers[0]} as topics")
    ways += [f"{option(ignore=dict.fromkeys([*sorted(given[0]), *names]).keys())} excludes {it}"] if names else []
    ways += [
        f"{option(ignore=[*doubt.bounds], keep=[doubt.name])} reads {doubt.name} between its bounds" for doubt in doubts if doubt.bounds
    ]
    ways += ["tests need a table with the scores of each topic"] if means else []
    if scored := [doubt.name for doubt in doubts if not doubt.text]:
        higher = ", higher is better" if any(map(lower_by_part, scored)) else ""
        ways.append(
            f"{option(keep=dict.fromkeys([*sorted(given[1]), *scored]).keys())} reads {'it' if len(scored) == 1 else 'them'} as scores{higher}"
        )
    if of_topics := [name for name in clusters if name in names]:
        named = f"clusters={canonical(of_topics[0])}"
        ways.append(f"t({named}) in a formula with a test ({named} of scores_from) reads {of_topics[0]} as clusters of topics")
    written = [doubt for doubt in doubts if doubt.advice]
    others = [doubt for doubt in doubts if not doubt.advice and not doubt.beside and doubt not in means]
    found = [f"{_by_reason(lower)}, beside {enumerate_names(lower[0].beside)}"] if lower else []
    found += [f"{_by_reason(others)}, which {'is' if len(others) == 1 else 'are'} probably not scores"] if others else []
    found += [f"{_by_reason(written)}, which cannot be read as numbers"] if written else []
    found += [f"{_by_reason(means)}, whose scores are probably means over topics"] if means else []
    line = written[0].line if written and not others and not means else None
    meant = next((f"did you mean given({canonical(doubt.meant)})?" for doubt in doubts if doubt.meant), None)
    text = with_hint(f"expected scores, found {', and '.join(found)}; {', '.join(ways)}", meant)
    raise CollectionError(text, file=place, line=line)


def refuse_notations(doubts: Sequence[Doubt], place: str | None) -> None:
    """Raises `CollectionError` if there are doubts, all about numbers in notations that are not read, and there are no other scores."""
    if doubts:
        ways = ", ".join(dict.fromkeys(doubt.advice for doubt in doubts))
        text = f"expected scores, found {_by_reason(doubts)}, which cannot be read as numbers; {ways}"
        raise CollectionError(text, file=place, line=doubts[0].line)


def _by_reason(doubts: Sequence[Doubt]) -> str:
    """Returns the doubted names, with the reasons in parentheses."""
    by_reason: dict[str, list[str]] = {}
    for doubt in doubts:
        by_reason.setdefault(doubt.reason, []).append(shortened(doubt.name, 40))
    return ", ".join(f"{enumerate_names(those)} ({reason})" for reason, those in by_reason.items())


def _of_vectors(
    matrix: FloatArray, names: Sequence[str], kept: Collection[str], what: Noun, *, checks: Sequence[Check] | None = None
) -> Iterator[Doubt]:
    """Yields the doubts about the rows of a matrix.

    Args:
        matrix: Scores; NaN if missing.
        names: The name of each row.
        kept: Names that are not doubted.
        what: A noun for the rows: runs or topics.
        checks: The checks of values; all if None.
    """
    doubted = np.zeros(len(names), dtype=np.bool_)
    for place, name in enumerate(names):
        if name not in kept and (named_otherwise(name, what) or _like_its_name(name, matrix, place)):
            doubted[place] = True
            yield Doubt(name, "by name", of=what)
    if matrix.shape[1] < 2:
        return
    settled = np.array([name in kept for name in names], dtype=np.bool_)
    for check in CHECKS if checks is None else checks:
        places = np.flatnonzero(~doubted & ~np.isnan(matrix).all(axis=1))
        if len(places) < 2:
            return
        for found in _checked(check, matrix, names, what, places):
            place = int(places[found.row])
            if not settled[place]:
                doubted[place] = settled[place] = True
                yield Doubt(names[place], found.reason, certain=found.certain, of=what, bounds=found.bounds)


def _like_its_name(name: str, matrix: FloatArray, place: int) -> bool:
    """Returns whether values are those of the name: numbers of items called *n*, beside decimals; or differences, some below 0, called *delta*."""
    words = re.split(r"[\W_]+", name.casefold())
    if words != ["n"] and "delta" not in words:
        return False
    own, others = matrix[place], np.delete(matrix, place, axis=0)
    if words == ["n"]:
        whole = bool((own[~np.isnan(own)] % 1 == 0).all() and (own > 1).any())
        return whole and 2 * int((others % 1 > 0).sum()) > int((~np.isnan(others)).sum())
    return bool((own < 0).any() and not (others < 0).any())


def _checked(check: Check, matrix: FloatArray, names: Sequence[str], what: Noun, places: IntArray) -> list[Found]:
    """Returns what a check finds in some rows of a matrix."""
    with np.errstate(all="ignore"):
        return list(check(matrix[places], [names[place] for place in places.tolist()], what))


def _averages_in_tables(scores: Scores, kept: Collection[str], whole: Scores, order: Mapping[str, int]) -> Iterator[Doubt]:
    """Yields the selected runs and topics that are averages in the tables, of others that may not be selected.

    The others are all others, or all others that are not doubted, such as sizes of models.

    Args:
        scores: The scores of the selected runs and topics.
        kept: Names that are not doubted.
        whole: The scores with the runs and topics that are not selected.
        order: The place of each name in the tables.
    """
    for matrix in whole.matrices.values():
        sides: tuple[tuple[Noun, FloatArray, Sequence[str], BoolArray], ...] = (
            ("runs", matrix, whole.runs, np.isin(whole.topics, scores.topics)),
            ("topics", matrix.T, whole.topics, np.isin(whole.runs, scores.runs)),
        )
        for what, unordered, of_side, across in sides:
            vectors, names = _in_order(unordered, of_side, order)
            chosen = np.isin(names, scores.runs if what == "runs" else scores.topics)
            if chosen.all():
                continue
            # Rows that are not selected are evidence; without them, a row that is not an average itself does not matter.
            for part in (vectors, vectors[:, across])[: 1 if across.all() else 2]:
                doubted = {doubt.name for doubt in _of_vectors(part, names, (), what, checks=(ranked, off_scale))}
                bounds = {names[found.row] for found in _checked(extended, part, names, what, np.arange(len(names)))}
                other = np.array([name in bounds or spread_named(name) for name in names], dtype=np.bool_)  # their middle is a score
                free = np.array([name not in doubted or name in kept for name in names], dtype=np.bool_) & ~other
                for places in (np.flatnonzero(free), np.flatnonzero(~other)):
                    for found in _checked(computed, part, names, what, places):
                        place = int(places[found.row])
                        if chosen[place] and names[place] not in kept:
                            yield Doubt(names[place], f"{found.reason} in the table", certain=found.certain, of=what)
