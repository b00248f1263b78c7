"""A table of scores with the stated roles of its columns, and the errors that say how it can be read if roles are missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import alternatives, describe, enumerate_names, plural
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.doubts import doubtful_names
from inexmetrics.reading.names import suggested
from inexmetrics.reading.scores.columns import may_name
from inexmetrics.reading.scores.columns import texts as texts_in
from inexmetrics.reading.scores.stated import LONG, UNNAMED_COLUMN, Stated, option

__all__ = ["Given", "like_runs", "likely_topics", "without_cells", "without_names", "without_scores"]


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

    def error(self, text: str) -> CollectionError:
        """Returns an error about the table as a whole."""
        return CollectionError(Problem(text, file=self.table.what, line=None if self.table.lines is None else 1))


def without_names(given: Given, columns: Sequence[str], index: str | None, texts: Sequence[str]) -> CollectionError:
    """Returns the error for a table in which no option and no heading states which column names the rows, with all ways to read it."""
    frame = given.table.frame
    name = index if index is not None else likely_topics(frame, texts)[0]
    others = [other for other in columns if other != name and (other in texts or UNNAMED_COLUMN.fullmatch(other))]
    scored = [other for other in columns if other != name and other not in others]
    excluded = [*others, *doubtful_names(frame, scored, given.stated.kept)]
    ignoring = {"ignore": excluded} if excluded else {}
    kept = [other for other in scored if other not in excluded]
    there = enumerate_names(kept) or "the other columns"
    heading = f"the column {name}" if name else "the column without a heading"
    ways = [
        f"{option(runs=name, **ignoring)} reads {heading} as runs, and {there} as topics",
        f"{option(topics=name, **ignoring)} reads {heading} as topics, and {there} as runs",
    ]
    different = {other: frame[other].n_unique() for other in texts}
    repeated = sorted((other for other, count in different.items() if 1 < count < frame.height), key=different.__getitem__)
    if index is None and len(repeated) > 1 and scored:
        roles = dict(zip((repeated[0], repeated[-1], scored[0]), LONG, strict=True))
        ways = [f"{option(columns=roles)} reads {repeated[0]} as runs and {repeated[-1]} as topics, with one score in each row"]
    elif index is None and kept:
        of_runs = {"columns": {other: "run_id" for other in others if like_runs(other) or other in repeated[:1]}}
        ways.append(f"{option(topics=name, measures=kept, **of_runs if any(of_runs.values()) else {})} reads {there} as measures")
    topics, runs = (alternatives(suggested(ours)) for ours in ("topic_id", "run_id"))
    first = enumerate_names([describe(value) for value in frame[name].head(3)])
    found = f"found {heading} ({first}) and {enumerate_names([other for other in columns if other != name]) or 'no other column'}"
    return given.error(f"expected a column of topics ({topics}) or of runs ({runs}), {found}; {'; '.join(ways)}")


def likely_topics(frame: pl.DataFrame, texts: Sequence[str]) -> list[str]:
    """Returns columns of text, first those that may name topics: their values are different, and their headings are not those of systems."""
    return sorted(texts, key=lambda name: (not may_name(frame[name]), like_runs(name)))


def like_runs(heading: str) -> bool:
    """Returns whether a message should recommend a column as the column of runs."""
    return heading.lower() in {"app_id", "app", "model_id", "model_name", "name", "system_id", "pipeline", "method", "generator"}


def without_scores(given: Given) -> CollectionError:
    """Returns the error for a table with columns of runs and topics in which no column is stated to contain scores."""
    stated, roles, others = given.stated, given.roles, given.others
    numbers = [name for name in others if name not in texts_in(given.table.frame, others) and not UNNAMED_COLUMN.fullmatch(name)]
    ways = [f"{option(columns={(numbers or ['NAME'])[0]: 'score'})} names the column of scores"]
    if numbers:
        ways.append(f"{option(measures=numbers)} reads each of these columns as a measure")
    found = f"{roles.get('run_id', stated.systems)}, {roles['topic_id']} and {enumerate_names(others) or 'no other column'}"
    return given.error(f"expected a column named score, found {found}; {', '.join(ways)}")


def without_cells(given: Given, scored: Sequence[str], texts: Sequence[str], *, turned: bool) -> CollectionError:
    """Returns the error for a matrix without columns of scores or without rows.

    Args:
        given: The table.
        scored: The columns that contain scores.
        texts: The columns that contain text.
        turned: Whether runs are in rows.
    """
    height = given.table.frame.height
    runs, topics = (height, len(scored)) if turned else (len(scored), height)
    expected = "runs (rows) and topics (columns)" if turned else "topics (rows) and runs (columns)"
    nested = [name for name, value in given.table.elsewhere.items() if isinstance(value, int | float)]
    roles = {**{name: "run_id" for name in texts if like_runs(name)}, **dict.fromkeys(nested[:1], "score")}
    hint = f"; {option(columns=roles)} reads values of records" if nested else ""
    return given.error(f"expected scores of {expected}, found {plural(runs, 'run')} and {plural(topics, 'topic')}{hint}")
