"""The roles of the columns of a table of scores, as options and headings state them."""

from __future__ import annotations

from typing import Final

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.names import lacks_column
from inexmetrics.reading.scores.columns import only_fractions
from inexmetrics.reading.scores.given import Given
from inexmetrics.reading.scores.stated import LONG, Stated, option, role_of
from inexmetrics.terms.lexicon import measure_here

__all__ = ["ANNOTATIONS", "measures_in", "roles_in"]

ANNOTATIONS: Final = ("measure", "quantisation")


def roles_in(table: Unchecked, stated: Stated) -> dict[str, str]:
    """Returns the columns whose role an option or a heading states: for each column of this package, its name in the table.

    Raises:
        CollectionError: A column that the caller named is missing, or two columns have the same role.
    """
    header = table.frame.columns
    given = [(theirs, ours, "columns") for theirs, ours in stated.columns.items()] if stated.header else []
    given += [(stated.topics, "topic_id", "topics")] if isinstance(stated.topics, str) else []
    given += [(stated.runs, "run_id", "runs")] if stated.runs is not None else []
    roles: dict[str, str] = {}
    for theirs, ours, argument in given:
        if theirs not in header:
            raise CollectionError(Problem(lacks_column(theirs, argument, header), file=table.what))
        there = roles.get(ours, ours if ours in header and ours not in stated.elsewhere else theirs)
        if there != theirs:
            text = f"expected one column of {ours}, found {there} and {theirs}; {option(ignore=[there])} excludes the column {there}"
            raise CollectionError(Problem(text, file=table.what))
        roles[ours] = theirs
    taken = {*stated.elsewhere, *roles.values()}
    for ours in (*LONG, *ANNOTATIONS):
        if ours not in roles and (found := role_of(ours, [name for name in header if name not in taken], table.what)) is not None:
            roles[ours] = found
            taken.add(found)
            if ours in ("run_id", "topic_id") and ours != found and only_fractions(table.frame[found]):
                text = f"{found}: expected names of {ours.removesuffix('_id')}s, found only numbers from 0 to 1"
                raise CollectionError(Problem(f"{text}; {option(keep=[found])} reads the column as scores", file=table.what))
    if stated.topics is False and "topic_id" in roles:
        text = f"expected runs in all columns (topics=False, --no-topics-column), found the column of topics {roles['topic_id']}"
        raise CollectionError(Problem(text, file=table.what))
    return roles


def measures_in(given: Given) -> dict[str, str]:
    """Returns the columns that contain the scores of a measure, each with the name of its measure; empty for other tables.

    Raises:
        CollectionError: A column that the caller named is missing.
    """
    stated, roles = given.stated, given.roles
    for name in stated.measures:
        if name not in given.header:
            raise CollectionError(Problem(lacks_column(name, "measures", given.header), file=given.table.what))
    if stated.measures:
        return {name: measure_here(name) for name in stated.measures}
    if stated.runs is not None or stated.systems is not None or ("run_id" in roles and "topic_id" not in roles):
        return {}
    # A column such as accuracy may be the score of a table with one score in each row, or a measure beside others.
    possible = {*given.others, roles.get("score")}.difference(stated.columns)
    columns = [name for name in given.header if name in possible]
    found = {name: measure for measure in stated.asked for name in columns if _same_measure(name, measure)}
    return {} if found.keys() <= {roles.get("score")} else found


def _same_measure(heading: str, measure: str) -> bool:
    """Returns whether a heading is the name of a measure: the same word in any case, or its name in another tool.

    Examples:
        >>> [_same_measure(heading, "RR") for heading in ("rr", "mrr", "recip_rank", "rank")]
        [True, True, True, False]
    """
    return measure in {heading, measure_here(heading)} or heading.lower() == measure.lower() or (heading.lower(), measure) == ("mrr", "RR")
