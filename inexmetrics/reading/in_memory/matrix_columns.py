"""Determines the role of each column of a score matrix: names of topics or runs, scores, clusters, systems, or not read."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

import numpy as np
import polars as pl

from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import alternatives, canonical, describe, did_you_mean, enumerate_names, with_hint
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.in_memory.harness_columns import LONG
from inexmetrics.reading.in_memory.not_scores import fractional, outliers, run_properties, run_summaries, topic_properties, topic_summaries
from inexmetrics.reading.names import names_runs, suggested

__all__ = [
    "MISSING_WORD",
    "Layout",
    "MatrixColumns",
    "TopicsColumn",
    "excluding",
    "has_fractions",
    "headed",
    "matrix_columns",
    "names_repeats",
    "remedies",
    "run_column",
]

TopicsColumn: TypeAlias = str | Literal[False] | None
"""The name of the column of topics; False if there is no such column; None if the column is to be recognised by its heading."""

HEADINGS: Final = ("topic", "topic_id", "query_id", "qid")
OF_LONG_TABLES: Final = frozenset({"measure", "metric"})
"""Headings, in lower case, of the text columns that occur only in long tables."""
REPEATS: Final = re.compile(
    "(random_?)?seeds?|runs?|run_?(id|no|number)|rep(eat|lica|licate|etition)?s?|trials?|epochs?|folds?|iterations?"
)
"""Regular expression for headings, in lower case, of columns that identify the runs of a system, such as seeds."""
MISSING_WORD: Final = (
    r"(?i)^(-{1,3}|\u2013|\u2014|\?|n\.?a\.?|n/a|<na>|#n/a|#value!|nan|nat|nil|none|null|missing|fail(ed)?|err(or)?|crash(ed)?|"
    "timeout|oom|tba|tbd)$"
)
"""Regular expression, for polars and for Python, for words that mark a missing score."""

_INDEX = re.compile(r"|Unnamed: \d+|__index_level_\d+__")
"""Regular expression for the heading of a pandas index: in CSV, in CSV that was read and written again, and in Parquet."""
_IDENTIFIER = re.compile(r"index|(q|query|question|topic)s?|(q|query|question|topic)?[ _-]?(id|ids|no|nr|num|number)", re.IGNORECASE)
_WRITTEN_OTHERWISE = r"(?i)^(true|false|[-+]?[.,]?\d[\d.,]*\s*([%*†‡±(].*)?)$"
"""Regular expression for numbers in notations that are recognised but rejected, such as a decimal comma (0,75), a unit (75 %), a standard
error (0.75 ± 0.02) or an asterisk (0.75*)."""
_ACCEPTED = " and ".join([", ".join(f"{name} (or {', '.join(suggested(name)[1:])})" for name in LONG[:-1]), LONG[-1]])


@dataclass(frozen=True, slots=True)
class Layout:
    """The caller's options for the columns of score tables.

    Attributes:
        topics: The column of topics; False if there is no such column; None if the column is to be recognised by its heading.
        runs: The column with the names of runs, if runs are in rows.
        clusters: The columns that contain clusters of topics.
        ignored: Columns that are not read.
        systems: The column that names the system of each run; None if runs are not grouped by a column.
        columns: The column names that the caller declares for long tables, each mapped to the corresponding name in this package.
    """

    topics: TopicsColumn = None
    runs: str | None = None
    clusters: frozenset[str] = frozenset()
    ignored: frozenset[str] = frozenset()
    systems: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def named(self) -> frozenset[str]:
        """The columns for which the caller declares a role, including the columns that are not read."""
        return self.clusters | self.ignored | {name for name in (self.topics, self.runs, self.systems) if isinstance(name, str)}

    @property
    def in_long_tables(self) -> dict[str, str]:
        """The column names that the caller declares for long tables, each mapped to the corresponding name in this package."""
        stated = {self.topics: "topic_id", self.runs: "run_id"}
        return {**self.columns, **{name: ours for name, ours in stated.items() if isinstance(name, str)}}


@dataclass(frozen=True, slots=True)
class MatrixColumns:
    """The columns of a score matrix, grouped by role; each column is given by its position in the header.

    Attributes:
        names: The column with the names of the rows, which are topics, or runs if `turned`; None if the rows do not have names.
        scores: The columns that contain scores; each column belongs to one run or, if `turned`, to one topic.
        turned: Whether runs are in rows and topics in columns.
        clusters: The columns that contain clusters of topics.
        systems: The column that names the system of each run, if `turned`.
        indices: Columns that are excluded because they contain a pandas index, or are a second column of topics.
        summaries: Columns that are excluded because they contain means or other summaries of the other columns.
        properties: Excluded columns that describe the rows, such as sizes of runs or folds of topics.
    """

    names: int | None
    scores: tuple[int, ...]
    turned: bool = False
    clusters: tuple[int, ...] = ()
    systems: int | None = None
    indices: tuple[int, ...] = ()
    summaries: tuple[int, ...] = ()
    properties: tuple[int, ...] = ()


def matrix_columns(table: Unchecked, layout: Layout) -> MatrixColumns:
    """Returns the columns of a score matrix, grouped by role: names of rows, scores, clusters, systems and excluded columns.

    Raises:
        CollectionError: A column that the caller named is missing, several columns have headings for topics, a column of scores contains
            text, or the table is a long table. The error is also raised if no column of topics is recognised, but a column probably
            contains topics. It is also raised if runs are in rows, but the caller did not name the column of runs.
    """
    header = table.frame.columns
    read = [place for place, name in enumerate(header) if name not in layout.ignored]
    clusters = tuple(place for place in read if header[place] in layout.clusters)
    systems = next((place for place in read if header[place] == layout.systems), None)
    others = [place for place in read if place not in clusters and place != systems]
    if layout.runs is not None or systems is not None:
        return replace(_with_runs_in_rows(table, layout.runs, others, clusters), systems=systems)
    named = [place for place in others if header[place].lower() in HEADINGS]
    taken = [header[place] for place in clusters if header[place].lower() in HEADINGS]
    if taken and not named and layout.topics is None:
        raise CollectionError(
            f"expected different columns for topics and for clusters, found {taken[0]} for both; "
            f"{_option('topics', 'NAME')} names the column of topics"
        )
    if layout.topics is False:
        if named:
            found = enumerate_names(_at(header, named))
            raise CollectionError(f"expected runs in all columns (topics=False), found the column of topics {found}")
        _check_numbers(table, others)
        return MatrixColumns(None, tuple(others), clusters=clusters)
    if layout.topics is None and len(named) > 1:
        found = enumerate_names(_at(header, named))
        raise CollectionError(f"expected one column of topics, found {found}; {_option('topics', 'NAME')} names the column of topics")
    names: int | None
    if isinstance(layout.topics, str):
        names = _column_named(header, "topics", layout.topics)
        if names_runs(layout.topics):
            raise _turned(table, names, others, f"expected a column of topics, found {layout.topics}, which names runs")
    else:
        names = next(iter([*named, *(place for place in others[:1] if not header[place])]), None)
    beside = [place for place in others if place != names]
    indices = tuple(place for place in beside if names is not None and (place in named or _INDEX.fullmatch(header[place])))
    scores = [place for place in beside if place not in indices]
    if not (named or isinstance(layout.topics, str)):
        _refuse_runs_in_rows(table, names, scores)
    if words := _words(table, scores):
        _refuse_long(table, names, words)
    if names is None and (like := _like_topics(table, scores)):
        raise _without_topics(table, like, words)
    headings = pl.Series(header)
    summarising, describing = run_summaries(headings), topic_properties(headings)
    summaries = tuple(place for place in scores if summarising[place])
    properties = tuple(
        place for place in scores if describing[place] and (header[place].lower() != "n" or _counts(table.frame.get_columns()[place]))
    )
    scores = [place for place in scores if place not in (*summaries, *properties)]
    _check_numbers(table, scores)
    return MatrixColumns(names, tuple(scores), clusters=clusters, indices=indices, summaries=summaries, properties=properties)


def headed(header: Sequence[str]) -> bool:
    """Returns whether any column has one of the headings for topics."""
    return any(name.lower() in HEADINGS for name in header)


def has_fractions(column: pl.Series) -> bool:
    """Returns whether a column contains a number with a fractional part, and therefore does not contain names of topics or runs.

    Examples:
        >>> has_fractions(pl.Series(["0.5", "1"])), has_fractions(pl.Series([1, 2]))
        (True, False)
    """
    numbers = _numbers(column)
    return fractional(numbers)


def names_repeats(heading: str) -> bool:
    """Returns whether a column with this heading identifies the runs of a system, as a column of seeds does.

    Examples:
        >>> names_repeats("Seed"), names_repeats("system")
        (True, False)
    """
    return REPEATS.fullmatch(heading.lower()) is not None


def run_column(name: str) -> str:
    """Returns the text of the option that declares the column of runs of a long table, in its Python form and its command-line form."""
    return f'columns={{{canonical(name)}: "run_id"}} (--columns {shlex.quote(f"{name}=run_id")})'


def excluding(*names: str) -> str:
    """Returns the text of the option that excludes columns, in its Python form and, in parentheses, its command-line form.

    Examples:
        >>> print(excluding("size", "release date"))
        ignore=("size", "release date") (--ignore size 'release date')
    """
    return f"ignore={canonical(names[0] if len(names) == 1 else names)} (--ignore {shlex.join(names)})"


def remedies(name: str, clusters: bool) -> str:
    """Returns advice about a column without scores: how to exclude the column or, with `clusters`, read it as clusters of topics."""
    text = f"{excluding(name)} excludes the column"
    named = f"clusters={canonical(name)}"
    return f"{text}, t({named}) in the formula ({named} of scores_from) reads the column as clusters of topics" if clusters else text


def _with_runs_in_rows(table: Unchecked, runs: str | None, others: Sequence[int], clusters: Sequence[int]) -> MatrixColumns:
    """Returns the columns, grouped by role, of a matrix with runs in rows; `runs` is the column with the names of runs, or None."""
    header = table.frame.columns
    names = None if runs is None else _column_named(header, "runs", runs)
    if names is None and (like := next((header[place] for place in others if names_repeats(header[place])), None)):
        raise CollectionError(
            f"expected a topic in every column except that of the systems, found {like}, which seems to number the runs of a system; "
            f'runs="{like}" (--runs-column {shlex.quote(like)}) reads the column as the names of the runs, {excluding(like)} excludes the column'
        )
    if clusters:
        found = enumerate_names(_at(header, clusters))
        raise CollectionError(
            f"expected a matrix with topics in rows, found a matrix with runs in rows; {found} contains clusters of topics"
        )
    beside = [place for place in others if place != names]
    indices = tuple(place for place in beside if _INDEX.fullmatch(header[place]))
    headings = pl.Series(header)
    summarising, describing = topic_summaries(headings, headings=True), run_properties(headings)
    summaries = tuple(place for place in beside if place not in indices and summarising[place])
    properties = tuple(place for place in beside if place not in (*indices, *summaries) and describing[place])
    scores = tuple(place for place in beside if place not in (*indices, *summaries, *properties))
    _check_numbers(table, scores, turned=True)
    return MatrixColumns(names, scores, turned=True, indices=indices, summaries=summaries, properties=properties)


def _column_named(header: Sequence[str], what: str, name: str) -> int:
    """Returns the position of a column that the caller named; raises `CollectionError` if the column is missing."""
    if name in header:
        return header.index(name)
    hint = did_you_mean(name, header)
    raise CollectionError(with_hint(f"expected a column named {name} ({what}), found {enumerate_names(header)}", hint))


def _check_numbers(table: Unchecked, scores: Sequence[int], turned: bool = False) -> None:
    """Raises `CollectionError` if any column of scores contains text, with one problem for each of these columns."""
    problems = []
    for place in _words(table, scores):
        name = table.frame.columns[place]
        texts = table.frame.get_columns()[place].cast(pl.String).str.strip_chars().replace("", None)
        first = texts.is_not_null().arg_true()[0]
        line = None if table.lines is None else int(table.lines[first])
        count = texts.count()
        found = f"text in all {count} rows, such as {describe(texts[first])}" if count > 1 else f"the text {describe(texts[first])}"
        text = f"column {name}: expected scores of a {'topic' if turned else 'run'}, found {found}; "
        if texts.drop_nulls().str.contains(MISSING_WORD).all():
            text += f"{excluding(name)} excludes the column, and an empty cell is a missing score"
        elif turned and names_runs(name):
            text += f'systems="{name}" (--systems {shlex.quote(name)}) reads it as the names of the systems, {excluding(name)} excludes it'
        else:
            text += remedies(name, clusters=not turned)
        problems.append(Problem(text, line=line))
    if problems:
        raise CollectionError(problems)


def _refuse_runs_in_rows(table: Unchecked, names: int | None, scores: Sequence[int]) -> None:
    """Raises `CollectionError` if a text column contains names of runs, which means that runs are in rows."""
    header, columns, words = table.frame.columns, table.frame.get_columns(), _words(table, scores)
    for place in (place for place in (*(() if names is None else (names,)), *scores) if names_runs(header[place])):
        alone = not [other for other in words if other != place]
        if _no_numbers(columns[place]) and _all_differ(columns[place]) and (alone or len(scores) - len(words) > 1):
            raise _turned(
                table, place, scores, f"expected topics in rows and runs in columns, found runs in rows, named by {header[place]}"
            )


def _turned(table: Unchecked, names: int, scores: Sequence[int], text: str) -> CollectionError:
    """Returns the error for a matrix with runs in rows; the message states the options with which the matrix can be read."""
    header, columns = table.frame.columns, table.frame.get_columns()
    excluded = topic_summaries(pl.Series(header), headings=True) | run_properties(pl.Series(header))
    beside = [place for place in scores if place != names and not _INDEX.fullmatch(header[place]) and not excluded[place]]
    words, single = _words(table, beside), ~run_summaries(columns[names])
    apart = outliers({header[place]: _numbers(columns[place].filter(single)) for place in beside if place not in words})
    ignored = [header[place] for place in beside if place in words or header[place] in apart.names]
    python = [f"runs={canonical(header[names])}"]
    options = ["--runs-column", header[names]]
    if ignored:
        python.append(f"ignore={canonical(ignored[0] if len(ignored) == 1 else tuple(ignored))}")
        options += ["--ignore", *ignored]
    return CollectionError(f"{text}; read it with {', '.join(python)} ({shlex.join(options)})")


def _refuse_long(table: Unchecked, names: int | None, words: Sequence[int]) -> None:
    """Raises `CollectionError` if text columns indicate that the table is a long table with unknown column names."""
    header, columns = table.frame.columns, table.frame.get_columns()
    long = any(header[place].lower() in OF_LONG_TABLES or names_runs(header[place]) for place in words)
    if long or (names is None and len(words) > 1 and not any(_all_differ(columns[place]) for place in words)):
        runs = header[words[0]]
        in_rows = names is None and len(words) == 1 and names_runs(runs)
        hint = f'; runs="{runs}" (--runs-column {shlex.quote(runs)}) reads a matrix with runs in rows' if in_rows else ""
        raise CollectionError(
            f"expected a matrix of numbers (topics in rows, runs in columns), or a long table (columns {_ACCEPTED}), "
            f"found text in {enumerate_names(_at(header, words))} (all columns: {enumerate_names(header)}){hint}; "
            'columns={"NAME": "run_id"} (--columns NAME=run_id) reads a long table whose columns have other names'
        )


def _without_topics(table: Unchecked, like: Sequence[int], words: Sequence[int]) -> CollectionError:
    """Returns the error for a matrix without a recognised column of topics; the message suggests one of the columns `like`."""
    header, columns = table.frame.columns, table.frame.get_columns()
    one = next((place for place in words if _all_differ(columns[place])), like[0])
    if names_runs(header[one]):
        scores = range(len(header))
        return _turned(table, one, scores, f"expected topics in rows and runs in columns, found runs in rows, named by {header[one]}")
    others = [header[place] for place in words if place != one]
    long = "; in a long table, columns= (--columns THEIRS=OURS) names the columns run_id, topic_id and score" if words else ""
    return CollectionError(
        f"expected a column of topics (heading {alternatives(HEADINGS)}, or no heading), found the columns {enumerate_names(header)}; "
        f"{_option('topics', header[one])} reads the column {header[one]} as the topics"
        + (f", {excluding(*others)} excludes other columns" if others else ", topics=False (--no-topics-column) reads all columns as runs")
        + (long if len(header) >= len(LONG) and not any(_all_differ(columns[place]) for place in words) else "")
    )


def _option(name: str, value: str) -> str:
    return f'{name}="{value}" (--{name}-column {shlex.quote(value)})'


def _at(header: Sequence[str], places: Sequence[int]) -> list[str]:
    return [header[place] for place in places]


def _words(table: Unchecked, places: Sequence[int]) -> list[int]:
    """Returns the positions, among `places`, of columns that contain text and no numbers."""
    columns = table.frame.get_columns()
    return [place for place in places if _no_numbers(columns[place])]


def _like_topics(table: Unchecked, places: Sequence[int]) -> list[int]:
    """Returns the positions, among `places`, of columns that may contain topics.

    A column may contain topics if its heading is typical of identifiers, or if it contains text, distinct integers, or numbers in a
    different range from the other columns.
    """
    header, columns = table.frame.columns, table.frame.get_columns()
    numbers = {place: _numbers(columns[place]) for place in places}
    found = []
    for place, own in numbers.items():
        like = bool(_INDEX.fullmatch(header[place]) or _IDENTIFIER.fullmatch(header[place])) or _no_numbers(columns[place])
        if not like and len(own):
            # A column of distinct integers may contain identifiers of rows if the integers are increasing or include values other than 0
            # and 1.
            different = not fractional(own) and len(np.unique(own)) == len(own)
            like = bool(different and ((np.diff(own) > 0).all() or not np.isin(own, (0.0, 1.0)).all()))
        others = [other for number, other in numbers.items() if number != place and len(other)]
        if not like and len(own) and others:
            # If all other columns are within [0, 1], a column with a value outside [0, 1] may contain topics. Otherwise, a column may
            # contain topics if its range does not overlap the range of the other columns.
            low, high = min(other.min() for other in others), max(other.max() for other in others)
            like = bool(own.min() < 0 or own.max() > 1 if low >= 0 and high <= 1 else own.min() > high or own.max() < low)
        if like:
            found.append(place)
    return found


def _counts(column: pl.Series) -> bool:
    """Returns whether a column contains only whole numbers, and at least one number above 1."""
    numbers = _numbers(column)
    return bool(len(numbers) and not fractional(numbers) and numbers.max() > 1)


def _all_differ(column: pl.Series) -> bool:
    """Returns whether all values of a column are different; False for columns of lists or Python objects, which polars cannot compare."""
    dtype = column.dtype
    return not (dtype.is_object() or dtype.is_nested()) and bool(column.is_unique().all())


def _no_numbers(column: pl.Series) -> bool:
    """Returns whether a column has the type text and does not contain any number, not even a number in an unsupported notation."""
    if column.dtype not in (pl.String, pl.Enum, pl.Categorical):
        return False
    filled = 0
    for part in (column.head(20), column):  # the first rows are tested first, because most columns of scores have a number there
        texts = part.cast(pl.String).str.strip_chars().replace("", None).drop_nulls()
        if (texts.cast(pl.Float64, strict=False).is_not_null() | texts.str.contains(_WRITTEN_OTHERWISE)).any():
            return False
        filled = len(texts)
    return filled > 0


def _numbers(column: pl.Series) -> FloatArray:
    """Returns the finite numbers in a column; empty if the column does not contain numbers."""
    if column.dtype in (pl.String, pl.Enum, pl.Categorical):
        column = column.cast(pl.String).str.strip_chars()
    elif not (column.dtype.is_numeric() or column.dtype == pl.Boolean):
        return np.empty(0)
    values = column.cast(pl.Float64, strict=False).drop_nulls().to_numpy()
    return np.asarray(values[np.isfinite(values)], dtype=np.float64)
