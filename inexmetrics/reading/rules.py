"""Declares the columns and rules of input tables (judgements, results, structures, links, scores), based on the columns in `schemas`."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import polars as pl

from inexmetrics.collection.schemas import Assessors, Documents, Elements, Grades, Links, Passages, Results, StructureTable
from inexmetrics.collection.score_matrices import BOUNDED_SCORE, LARGEST_SCORE
from inexmetrics.collection.structure import UNRESOLVED
from inexmetrics.common.elements import Scale
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import canonical, describe, enumerate_names, option, with_article
from inexmetrics.common.schema import Column as Stated
from inexmetrics.common.schema import Table
from inexmetrics.reading.checker import Rule, Unchecked
from inexmetrics.reading.column_types import Column
from inexmetrics.reading.names import headings
from inexmetrics.terms.parameter_types import Number, argument

__all__ = [
    "ASSESSORS",
    "BOUNDED",
    "BOUNDED_GRADE",
    "DOCUMENTS",
    "DOCUMENT_RULES",
    "EXHAUSTIVITY",
    "GRADES",
    "LINKS",
    "PASSAGE_LENGTH",
    "PROBABILITY",
    "RANKED",
    "RESULTS",
    "RUN",
    "SCORE",
    "SCORES",
    "STRUCTURE",
    "TOPIC",
    "VALUES",
    "elements",
    "evidence",
    "grade_rule",
    "passage_rules",
]

VALUES: Final[dict[Scale, tuple[str, ...]]] = {"inex2004": ("0", "1", "2", "3"), "inex2005": ("0", "?", "1", "2")}
YEARS: Final[dict[Scale, str]] = {"inex2004": "INEX 2004", "inex2005": "INEX 2005"}
NEAR: Final = 0.005
"""Tolerance for the comparison of a specificity of INEX 2004 with multiples of 1/3; some tables round specificities to two decimals."""


def column(name: str, stated: Stated) -> Column:
    """Converts a column of a schema to a `Column` that the readers use, with a description of its valid values."""
    value, needed = pl.col(name), not stated.null
    if stated.type is str:
        expected = f"a path that starts with {stated.starts}" if stated.starts else "an identifier"
        return Column(name, pl.String(), expected, value.str.starts_with(stated.starts) if stated.starts else None, needed, bare=True)
    if stated.type is int:
        most = "" if math.isinf(stated.at_most) else f" and at most {stated.at_most:g}"
        expected = f"an integer of at least {stated.at_least:g}{most}"
        return Column(name, pl.Int64(), expected, value.is_between(stated.at_least, stated.at_most), needed)
    expected = "a finite number" if stated.finite else f"a number of at least {stated.at_least:g} and at most {stated.at_most:g}"
    return Column(
        name, pl.Float64(), expected, value.is_finite() if stated.finite else value.is_between(stated.at_least, stated.at_most), needed
    )


def columns(model: type[Table], *optional: str) -> tuple[Column, ...]:
    """Converts all columns of a schema to `Column` objects that the readers use; input tables may lack the columns in `optional`."""
    found = (column(name, stated) for name, stated in model.columns().items())
    return tuple(replace(read, needed=read.needed and read.name not in optional) for read in found)


def integer(name: str, at_least: int = 0) -> Column:
    """Returns the declaration of an optional column whose values are integers of at least `at_least`."""
    return column(name, Stated(int, name, "where it is missing", at_least=at_least))


PASSAGE_LENGTH: Final = pl.coalesce("length", pl.when(pl.col("start") >= 0).then(pl.col("end") - pl.col("start")).otherwise("end")).alias(
    "length"
)
"""Expression for the length of a passage: the given length or, if the length is missing, the end minus the start."""

TOPIC, DOCUMENT, *COUNTS = columns(Documents, "relchars")
EXHAUSTIVITY: Final = Column("exhaustivity", pl.String(), "text", bare=True)

GRADES: Final = tuple(replace(read, words=read.name == "grade") for read in columns(Grades))
ASSESSORS: Final = tuple(replace(read, words=read.name == "grade") for read in columns(Assessors))
DOCUMENTS: Final = columns(Documents)
DOCUMENT_RULES: Final = (Rule("relchars", "no more highlighted characters than the document has", Documents.rules["highlighted_is_part"]),)
PASSAGES: Final = (*columns(Passages, "start", "length"), integer("end"), *COUNTS)
STRUCTURE: Final = (*columns(StructureTable, "length"), integer("end"))
PROBABILITY: Final = Column(
    "probability", pl.Float64(), "a probability above 0 and at most 1", pl.col("probability").is_between(0, 1, closed="right"), needed=True
)
LINKS: Final = (*columns(Links)[:-1], replace(PROBABILITY, needed=False))
RANGE: Final = replace(column("path", Results.path), holds=pl.col("path").str.starts_with("/") & ~pl.col("path").str.contains(" [^/]"))
"""The column path of results: a path, or two paths separated by a space for a range of elements."""
RESULTS: Final = (
    *(RANGE if read.name == "path" else replace(read, codes=read.name.endswith("_id")) for read in columns(Results, "run_id")[:-2]),
    integer("end", UNRESOLVED),
    Column("rank", pl.Int64(), "an integer"),
    replace(column("score", Results.score), gaps=False),
)
SCORE: Final = replace(column("score", Results.score), exact=True)
RUN: Final = column("run_id", Results.run_id)
SCORES: Final = (RUN, TOPIC, *(Column(name, pl.String(), "text", bare=True) for name in ("measure", "quantisation")), SCORE)
BOUNDED: Final = Rule("score", BOUNDED_SCORE, pl.col("score").abs() <= LARGEST_SCORE)
"""Requires that a score is at most `LARGEST_SCORE` in absolute value, so that sums of scores are finite."""
RANKED: Final = Rule("rank", "an integer of at least 0 (leave out results that were not found)", pl.col("rank") >= 0)
"""Requires that a rank is at least 0, in tables that are ordered by rank: a lower number stands for no rank."""
BOUNDED_GRADE: Final = Rule("grade", "a grade of at most 1e300 in absolute value", pl.col("grade").abs() <= LARGEST_SCORE)
"""Requires that a grade is at most `LARGEST_SCORE` in absolute value, so that sums in measures such as nDCG are finite."""


def grade_rule(grades: object) -> Rule:
    """Returns the rule that a grade is within the range `grades`; returns `BOUNDED_GRADE` if `grades` is None.

    Raises:
        CollectionError: `grades` is not a pair of numbers (the lowest and the highest grade).

    Examples:
        >>> grade_rule((0, 3)).expected
        'a grade from 0 to 3'
    """
    if grades is None:
        return BOUNDED_GRADE
    pair = tuple(grades) if isinstance(grades, (tuple, list)) else ()
    if len(pair) != 2:
        raise CollectionError(f"grades: expected the lowest grade and the highest, such as (0, 3), found {describe(grades)}")
    lowest, highest = (argument("grades", Number(at_least=-LARGEST_SCORE, at_most=LARGEST_SCORE), grade) for grade in pair)
    if lowest > highest:
        raise CollectionError(
            f"grades: expected the lowest grade before the highest, found {canonical(lowest)} before {canonical(highest)}"
        )
    return Rule("grade", f"a grade from {canonical(lowest)} to {canonical(highest)}", pl.col("grade").is_between(lowest, highest))


def evidence(table: Unchecked) -> tuple[tuple[Column, ...], tuple[Rule, ...]]:
    """Returns the columns and rules of a table of highlighted passages; the grade of a passage is above 0 if there is a column of grades."""
    if "grade" not in table.own:
        return PASSAGES, passage_rules(table)
    expected = "a grade above 0 in a row with a start (leave out rows without evidence, or a column without grades; if chunks were graded, treat each chunk as a document)"
    relevant = Rule("grade", expected, pl.col("start").is_null() | (pl.col("grade") > 0).fill_null(value=False))
    return (*PASSAGES, replace(GRADES[-1], needed=False, expected=expected)), (*passage_rules(table), relevant)


def passage_rules(table: Unchecked) -> tuple[Rule, ...]:
    """Returns the rules for offsets: a passage has a start, and a length or an exclusive end; length and end must agree if both are given.

    Raises:
        CollectionError: The table has a start without a length or an end, or has a length or an end without a start.
    """
    extent = [name for name in ("length", "end") if name in table.own]
    if extent:
        table.need("start")
    elif "start" in table.own:
        there = enumerate_names(table.frame.columns)
        extents = "length or end" if table.role is None else "length, end or text"
        text = f"expected a column named {extents} in addition to {table.named('start')}, found {there}"
        path = next((path for path, _ in table.below() if path.rpartition(".")[2].lower() in headings("text")), None)
        way = "" if path is None or table.role is None else f"; {option(columns={path: 'text'})} reads the length of the text"
        raise CollectionError(text + way, file=table.what)
    start, length, end = (pl.col(name) for name in ("start", "length", "end"))
    placed = start >= 0
    of_inex = table.role is None  # INEX's formats know no length at an unknown position, and its evaluator assumes one
    advice = "" if of_inex else "; a column named length may give a known length"
    unknown = f"{UNRESOLVED} in every row with the start {UNRESOLVED} (an unknown position{advice})"
    both = start.is_null() | pl.coalesce(length, end).is_not_null()
    valid = {"length": ("an integer of at least 0", length >= 0), "end": ("a passage that ends after its start", end >= start)}
    found: list[Rule] = []
    for name in extent:
        found.append(Rule("start", f"an integer in every row that has {with_article(name)}", start.is_not_null() | pl.col(name).is_null()))
        if name == "end" or of_inex:
            found.append(Rule(name, unknown, (start != UNRESOLVED) | (pl.col(name) == UNRESOLVED)))
        if name == extent[0]:
            found.append(Rule(name, "an integer in every row that has a start", both))
        found.append(Rule(name, valid[name][0], ~placed | valid[name][1]))
    summed = [Rule("end", "the sum of start and length", ~placed | (start + length == end))] if len(extent) > 1 else []
    return (*found, *summed)


def elements(scale: Scale) -> tuple[tuple[Column, ...], tuple[Rule, ...]]:
    """Returns the columns and rules of a table of assessed elements; `scale` determines the valid values of exhaustivity."""
    values = VALUES[scale]
    e, s = pl.col("exhaustivity"), pl.col("specificity")
    specificity = column("specificity", Elements.specificity)
    if scale == "inex2004":
        specificity = replace(specificity, expected=f"{specificity.expected} (grades 0 to 3 of INEX 2004 are divided by 3)")
    on_scale = f"{', '.join(values[:-1])} or {values[-1]} (the scale of {YEARS[scale]})"
    exhaustivity = replace(EXHAUSTIVITY, expected=on_scale, holds=e.is_in(values))
    columns = (specificity, exhaustivity, TOPIC, DOCUMENT, column("path", Elements.path), integer("size"))
    rules = [Rule("specificity", "0 where exhaustivity is 0", (e != "0") | (s == 0))]
    if scale == "inex2004":
        thirds = "0, 1/3, 2/3 or 1 (the scale of INEX 2004, divided by 3)"
        rules.append(Rule("specificity", thirds, ((s * 3).round() - s * 3).abs() <= 3 * NEAR))
        rules.append(Rule("specificity", "1/3, 2/3 or 1 where exhaustivity is above 0", (e == "0") | (s > 0)))
    return columns, tuple(rules)
