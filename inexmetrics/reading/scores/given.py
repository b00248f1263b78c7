"""Tables of scores with the roles of their columns, as options and headings state them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import polars as pl

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import NO_HEADING
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.names import in_lower_case, lacks_column
from inexmetrics.reading.rules import TOPIC
from inexmetrics.reading.scores.columns import counts, fraction, names_in, only_fractions
from inexmetrics.reading.scores.stated import LONG, UNNAMED_COLUMN, Stated, option, role_of
from inexmetrics.terms.lexicon import measure_here

__all__ = ["ANNOTATIONS", "Given", "given_of", "measures_in", "of_output"]

VOTES: Final = frozenset({"model_a", "model_b", "winner"})
"""Columns of votes in arenas, which are no scores by topic."""
ANNOTATIONS: Final = ("measure", "quantisation")
NEUTRAL: Final = ("score", "value")
"""Headings of scores that do not name their measure, as *accuracy* does."""


@dataclass(frozen=True, slots=True)
class Given:
    """A table, and the roles of its columns that options and headings state.

    Attributes:
        table: The table.
        stated: The options of the caller.
        roles: For each column of this package, the column of the table with this role.
        name: The name of the run, if no column names runs.
        index: The column that contains the index of a pandas frame, if any.
    """

    table: Unchecked
    stated: Stated
    roles: Mapping[str, str]
    name: str
    index: str | None = None

    @property
    def header(self) -> list[str]:
        """The columns of the table."""
        return self.table.frame.columns

    @property
    def others(self) -> list[str]:
        """The columns without a role."""
        with_role = {*self.roles.values(), *self.stated.elsewhere}
        return [name for name in self.header if name not in with_role]

    def unnamed(self, column: str) -> bool:
        """Returns whether a column lacks a heading, or is the index of a pandas frame, and the caller did not state its role."""
        return column not in self.stated.elsewhere and (column == self.index or UNNAMED_COLUMN.fullmatch(column) is not None)

    def numbers_rows(self, column: str) -> bool:
        """Returns whether a column without a heading numbers the rows, as the index of a sorted or filtered pandas frame does."""
        cells = self.table.frame[column]
        return counts(cells) or (column == self.index == "" and cells.dtype.is_integer())

    def called(self, column: str) -> str:
        """Returns the words for a column in a message."""
        if column:
            return f"the column {column}"
        return NO_HEADING if self.index is None else "the index of the frame"

    def error(self, text: str) -> CollectionError:
        """Returns an error about the table as a whole."""
        return CollectionError(Problem(text, file=self.table.what, line=None if self.table.lines is None else 1))

    @property
    def measured_by(self) -> str:
        """The column of scores, if its heading names their measure; otherwise empty."""
        column = self.roles.get("score", "")
        unnamed = "measure" in self.roles or column.strip().lower() in NEUTRAL or column in self.stated.columns
        return "" if unnamed else column


def given_of(table: Unchecked, stated: Stated, name: str, index: str | None = None) -> Given:
    """Returns a table with headings, and the roles of its columns.

    Args:
        table: The table.
        stated: The options of the caller.
        name: The name of the run, if no column names runs.
        index: The column that contains the index of a pandas frame, if any.

    Raises:
        CollectionError: A column that the caller named is missing, two columns have the same role, an option reads lists or records, or
            there is no header.
    """
    if in_lower_case(table.frame.columns).keys() >= VOTES and not stated.columns:
        text = f"expected scores, found votes between two models ({', '.join(sorted(VOTES))}); write a row for each topic and model, with the columns topic_id, run_id and score, such as the share of its votes that the model won"
        raise CollectionError(Problem(text, file=table.what))
    table, stated = _with_joined_topics(table, stated)
    roles = _roles(table, stated)
    nested = {column.name: column.to_list() for column in table.frame if column.dtype.is_nested() and column.name not in roles.values()}
    if nested:
        for column in {*stated.paths}.difference(stated.ignored).intersection(nested):
            raise CollectionError(Problem(f"{column}: expected numbers or texts, found lists or records", file=table.what))
        examples = {column: next((value for value in values if value is not None), None) for column, values in nested.items()}
        table = replace(table, frame=table.frame.drop(nested), elsewhere={**table.elsewhere, **examples})
    header = table.frame.columns
    # Whole numbers may be names of runs; fractions may be names only beside a column with a role.
    if table.lines is not None and not roles and all(map(fraction, header[1:] or header)):
        text = "expected a header with the names of the columns, found numbers; header=False (--no-header) reads a table without headings"
        raise CollectionError(Problem(text, file=table.what, line=1))
    return Given(table, stated, roles, name, index)


def of_output(table: Unchecked, stated: Stated, name: str) -> Given:
    """Returns the table in the output of an evaluation tool, with the name of its run.

    Raises:
        CollectionError: The caller gave options for columns, but the output of an evaluation tool does not have a header.
    """
    if stated.topics is not None or stated.runs is not None or stated.columns or stated.measures:
        text = (
            f"{table.what}: expected a table with a header for topics=, runs=, measures= and columns= (--topics-column, --runs-column, "
            "--measures, --columns), found the output of an evaluation tool"
        )
        raise CollectionError(text)
    return Given(table, stated, {column: column for column in table.frame.columns}, name)


def _with_joined_topics(table: Unchecked, stated: Stated) -> tuple[Unchecked, Stated]:
    """Returns the table with one column of topics, if the caller named several: the names of a topic are joined by slashes."""
    header = table.frame.columns
    parts = [theirs for theirs, ours in stated.columns.items() if ours == "topic_id"] if stated.header else []
    if len(parts) < 2:
        return table, stated
    for name in parts:
        if name not in header:
            raise CollectionError(Problem(lacks_column(name, "columns", header), file=table.what))
    joined = "/".join(parts)
    names = [names_in(table, name, TOPIC) for name in parts]
    kept = table.frame.drop(name for name in parts if name not in stated.elsewhere)
    frame = kept.with_columns(pl.concat_str(names, separator="/").alias(joined))
    columns = {theirs: ours for theirs, ours in stated.columns.items() if ours != "topic_id"} | {joined: "topic_id"}
    return replace(table, frame=frame), replace(stated, columns=columns, topics=None)


def _roles(table: Unchecked, stated: Stated) -> dict[str, str]:
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
