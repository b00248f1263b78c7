"""Tables of scores with the roles of their columns, as options and headings state them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

import polars.selectors as cs

from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import INDEX, NO_HEADING, column_names, option
from inexmetrics.common.options import Direction
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.names import lacks_column
from inexmetrics.reading.scores.column_facts import counts, fraction, only_fractions
from inexmetrics.reading.scores.columns import notated, texts
from inexmetrics.reading.scores.stated import LONG, UNNAMED_COLUMN, Stated, role_of
from inexmetrics.reading.stated_columns import joined_names, values_below
from inexmetrics.terms.lexicon import measure_here

__all__ = ["ANNOTATIONS", "Given", "given_of", "measures_in", "of_output", "same_measure"]

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
        tables: All tables that are read together, with this one.
        printed: Whether the table is the output of an evaluation tool.
        directions: The measures whose direction the source of the table states.
    """

    table: Unchecked
    stated: Stated
    roles: Mapping[str, str]
    name: str
    index: str | None = None
    tables: tuple[Unchecked, ...] = ()
    printed: bool = False
    directions: Mapping[str, Direction] = field(default_factory=dict)

    @property
    def header(self) -> list[str]:
        """The columns of the table."""
        return self.table.frame.columns

    @property
    def others(self) -> list[str]:
        """The columns without a role."""
        with_role = {*self.roles.values(), *self.stated.elsewhere}
        return [name for name in self.header if name not in with_role]

    @property
    def nested(self) -> dict[str, object]:
        """The columns of lists or records that are not read, each with an example."""
        return {name: value for name, value in self.table.elsewhere.items() if isinstance(value, list | Mapping)}

    @property
    def names(self) -> list[str]:
        """The columns of the table, and the paths of the values in records that are not read."""
        return [*self.header, *self.nested, *(path for name, value in self.nested.items() for path, _ in values_below(name, value))]

    def unnamed(self, column: str) -> bool:
        """Returns whether a column lacks a heading, or is the index of a pandas frame, and the caller did not state its role."""
        return column not in self.stated.elsewhere and (column == self.index or UNNAMED_COLUMN.fullmatch(column) is not None)

    def numbers_rows(self, column: str) -> bool:
        """Returns whether a column without a heading numbers the rows, as the index of a sorted or filtered pandas frame does."""
        cells = self.table.frame[column]
        return counts(cells) or (column == self.index == "" and cells.dtype.is_integer())

    def words(self, columns: Iterable[str]) -> list[str]:
        """Returns the columns of text, without those of numbers in notations that are not read."""
        found = texts(self.table.frame, list(columns))
        notations = notated(self.table, found)
        return [name for name in found if name not in notations]

    def called(self, column: str) -> str:
        """Returns the words for a column in a message."""
        return f"the column {column}" if column else self.without_heading

    @property
    def without_heading(self) -> str:
        """What a column without a heading is."""
        return NO_HEADING if self.index is None else INDEX

    def listed(self, columns: Sequence[str]) -> str:
        """Returns the names of columns in a message."""
        return column_names(columns, self.without_heading)

    def error(self, text: str) -> CollectionError:
        """Returns an error about the table as a whole."""
        return CollectionError(text, file=self.table.what, line=None if self.table.lines is None else 1)

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
    stated = stated.matched(Given(table, stated, {}, name).names)
    if stated.header:
        frame, columns = joined_names(table.frame, stated.columns, table.what, stated.elsewhere)
        table = replace(table, frame=frame)
        joined = {ours for theirs, ours in columns.items() if theirs not in stated.columns}
        topics, runs = None if "topic_id" in joined else stated.topics, None if "run_id" in joined else stated.runs
        stated = replace(stated, columns=columns, topics=topics, runs=runs)
    roles = _roles(Given(table, stated, {}, name, index))
    nested = [column for column in table.frame.select(cs.nested()).columns if column not in roles.values()]
    for column in {*stated.paths}.difference(stated.ignored).intersection(nested):
        raise CollectionError(f"{column}: expected numbers or texts, found lists or records", file=table.what)
    examples = {column: table.passed_over[column] for column in nested}
    table = replace(table, frame=table.frame.drop(nested), elsewhere={**table.elsewhere, **examples})
    header = table.frame.columns
    # Whole numbers may be names of runs; fractions may be names only beside a column with a role.
    if table.lines is not None and not roles and all(map(fraction, header[1:] or header)):
        text = "expected a header with the names of the columns, found numbers; header=False (--no-header) reads a table without headings"
        raise CollectionError(text, file=table.what, line=1)
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
    return Given(table, stated, {column: column for column in table.frame.columns}, name, printed=True)


def _roles(of: Given) -> dict[str, str]:
    """Returns the columns whose role an option or a heading states: for each column of this package, its name in the table.

    Raises:
        CollectionError: A column that the caller named is missing, or two columns have the same role.
    """
    table, stated, header = of.table, of.stated, of.header
    given = [(theirs, ours, "columns") for theirs, ours in stated.columns.items()] if stated.header else []
    given += [(stated.topics, "topic_id", "topics")] if isinstance(stated.topics, str) else []
    given += [(stated.runs, "run_id", "runs")] if stated.runs is not None else []
    roles: dict[str, str] = {}
    for theirs, ours, argument in given:
        if theirs not in header:
            raise CollectionError(lacks_column(theirs, argument, [name or of.without_heading for name in header]), file=table.what)
        another = ours in header and ours not in stated.elsewhere and not table.frame.schema[ours].is_nested()
        there = roles.get(ours, ours if another else theirs)
        if there != theirs:
            named = there in stated.paths  # an ignored column cannot be named by another option
            way = "name one of them" if named else f"{option(ignore=[there])} excludes the column {there}"
            raise CollectionError(f"expected one column of {ours}, found {there} and {theirs}; {way}", file=table.what)
        roles[ours] = theirs
    taken = {*stated.elsewhere, *roles.values()}
    for ours in (*LONG, *ANNOTATIONS):
        if ours in roles:
            continue
        several: Literal["keep", "measures"] = "measures" if ours == "score" and "topic_id" in roles else "keep"
        free = [name for name in header if name not in taken]
        if (found := role_of(ours, free, table.what, several, lambda name: only_fractions(table.frame[name]))) is not None:
            roles[ours] = found
            taken.add(found)
            if ours in ("run_id", "topic_id") and ours != found and only_fractions(table.frame[found]):
                text = f"{found}: expected names of {ours.removesuffix('_id')}s, found only numbers from 0 to 1"
                raise CollectionError(f"{text}; {option(keep=[found])} reads the column as scores", file=table.what)
    if stated.topics is False and "topic_id" in roles:
        text = f"expected runs in all columns (topics=False, --no-topics-column), found the column of topics {roles['topic_id']}"
        raise CollectionError(text, file=table.what)
    return roles


def measures_in(given: Given) -> dict[str, str]:
    """Returns the columns that contain the scores of a measure, each with the name of its measure; empty for other tables.

    If the caller stated the quantisation of a column, the name is that of the measure and of the quantisation.

    Raises:
        CollectionError: A column that the caller named is missing.
    """
    stated, roles = given.stated, given.roles
    for name in stated.measures:
        if name not in given.header:
            raise CollectionError(
                lacks_column(name, "measures", [column or given.without_heading for column in given.header]), file=given.table.what
            )
    if stated.measures:
        return {name: stated.conditions.get(name, measure_here(name)) for name in stated.measures}
    if "topic_id" not in roles and (stated.runs is not None or stated.systems is not None or "run_id" in roles):
        return {}
    # A column such as accuracy may be the score of a table with one score in each row, or a measure beside others.
    possible = {*given.others, roles.get("score")}.difference(stated.columns)
    columns = [name for name in given.header if name in possible]
    found = {name: measure for measure in stated.asked for name in columns if same_measure(name, measure)}
    return {} if found.keys() <= {roles.get("score")} else found


def same_measure(heading: str, measure: str) -> bool:
    """Returns whether a heading is the name of a measure: the same word in any case, or its name in another tool.

    Examples:
        >>> [same_measure(heading, "RR") for heading in ("rr", "mrr", "recip_rank", "rank")]
        [True, True, True, False]
    """
    return measure in {heading, measure_here(heading)} or heading.lower() == measure.lower() or (heading.lower(), measure) == ("mrr", "RR")
