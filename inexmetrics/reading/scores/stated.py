"""The options of the caller about tables of scores, and the texts of these options in messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Final, Literal, TypeAlias

import polars as pl

from inexmetrics.common.errors import CollectionError, OptionError
from inexmetrics.common.messages import describe, enumerate_names, option
from inexmetrics.common.patterns import whole_names
from inexmetrics.reading.names import HEADINGS, IN_SCORES, in_lower_case
from inexmetrics.reading.stated_columns import JOINED, stated_columns
from inexmetrics.terms.parameter_types import Made, Optional, Texts, argument, flags

__all__ = ["LONG", "NAMES", "UNDER", "UNNAMED_COLUMN", "MissingValue", "Stated", "TopicsColumn", "role_of", "stated_of"]

TopicsColumn: TypeAlias = str | Literal[False] | None
"""The name of the column of topics; False if there is no such column; None if the heading of a column states it."""
MissingValue: TypeAlias = float | str

LONG: Final = ("run_id", "topic_id", "score")
"""Required columns of a table with one score in each row."""
OURS: Final = ("run_id", "topic_id", "measure", "quantisation", "score")
"""Columns of a table with one score in each row."""
UNDER: Final = " ~ "
"""Separator of a measure and a quantisation."""
UNNAMED_COLUMN: Final = re.compile(r"|Unnamed: \d+(\.\d+)?|__index_level_\d+__")
"""Regular expression for the heading of a pandas index: in CSV, in CSV that was read and written again, and in Parquet."""
NAMES: Final = (pl.String, pl.Enum, pl.Categorical)
"""Types of columns that contain names."""
PATTERN: Final = re.compile(r"[][.*+?(){}|^$\\]")
"""Regular expression for the signs of patterns, which names may contain as well."""
BESIDE: Final = {"topic_id": ("topics", "clusters"), "run_id": ("runs", "systems")}
"""Options that may name a column which is a part of the names of topics or of runs."""


@dataclass(frozen=True, slots=True)
class Stated:
    """The caller's options about tables of scores.

    Attributes:
        topics: The column of topics; False if it does not exist, None if its heading states it.
        runs: The column with the names of runs.
        clusters: The columns that contain clusters of topics.
        ignored: Columns, topics and runs that are not read, or patterns for their names.
        kept: Columns, topics and runs that are scores, whatever their names and values are.
        measures: The columns that contain the scores of a measure.
        conditions: For columns of `measures` with scores under a quantisation, the measure and the quantisation, joined by " ~ ".
        asked: The measures of the formula; a table whose columns have these names is read as a table of measures.
        measure: The measure of scores that do not name their measure; empty if it is not stated. Scores of other measures are excluded.
        quantisation: The quantisation of scores that do not name theirs; empty if it is not stated. Others are excluded.
        systems: The column that names the system of each run; None if runs are not grouped by a column.
        columns: The names of columns, each mapped to the name of a column in this package; if `header` is false, numbers of columns.
        missing_values: Numbers and words that mean no score; None if nothing was stated.
        header: Whether text files have a line of headings.
    """

    topics: TopicsColumn = None
    runs: str | None = None
    clusters: frozenset[str] = frozenset()
    ignored: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    measures: tuple[str, ...] = ()
    conditions: Mapping[str, str] = field(default_factory=dict)
    asked: tuple[str, ...] = ()
    measure: str = ""
    quantisation: str = ""
    systems: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    missing_values: tuple[MissingValue, ...] | None = None
    header: bool = True

    @property
    def elsewhere(self) -> frozenset[str]:
        """The columns whose role is not that of a heading: clusters, systems and measures, and columns that are ignored or kept."""
        return frozenset({*self.clusters, *self.ignored, *self.kept, *self.measures, *({self.systems} if self.systems is not None else ())})

    @property
    def paths(self) -> tuple[str, ...]:
        """The columns that the caller names, which may be paths into nested records."""
        named = (name for name in (self.topics, self.runs) if isinstance(name, str))
        return (*self.columns, *self.elsewhere, *named)

    @property
    def read(self) -> list[str]:
        """The paths whose values are read; a list that is ignored, or is kept as it is, is no list of rows."""
        return [path for path in self.paths if path not in self.ignored and (path not in self.kept or "." in path)]

    def matched(self, names: Sequence[str]) -> Stated:
        """Returns the options with the names in `ignored` that its patterns match; a name in another option is not ignored.

        The name of a column, run or topic is no pattern.

        Examples:
            >>> stated = Stated(ignored=frozenset({".*_err", "size"}), kept=frozenset({"b_err"}))
            >>> sorted(stated.matched(["a", "a_err", "b", "b_err", "size"]).ignored)
            ['.*_err', 'a_err', 'size']
        """
        patterns = [given for given in self.ignored if given not in names and PATTERN.search(given)]
        if not patterns:
            return self
        found = {name for pattern in patterns for name in whole_names(pattern, names)}
        others = {name for name in self.paths if name not in self.ignored}
        return replace(self, ignored=self.ignored | (found - others))

    def without_missing_values(self, cells: pl.Expr, dtype: pl.DataType) -> pl.Expr:
        """Returns cells of the given type, in which the values that mean no score are null."""
        given = self.missing_values or ()
        if not given or not (dtype == pl.String or dtype.is_numeric()):
            return cells
        texts = cells.cast(pl.String).str.strip_chars()
        numbers = [float(value) for value in given if not isinstance(value, str)]
        missing = texts.is_in([value for value in given if isinstance(value, str)]) | texts.cast(pl.Float64, strict=False).is_in(numbers)
        return pl.when(~missing.fill_null(value=False)).then(cells)


def role_of(
    ours: str,
    header: Iterable[str],
    what: str,
    several: Literal["keep", "measures"] = "keep",
    scored: Callable[[str], bool] = lambda name: True,
) -> str | None:
    """Returns the column that has one of the headings of a column of this package; None if there is no such column.

    Headings are compared without regard to upper and lower case. The name of this package comes first, then its other names, and headings
    such as *sample_id* come before *task*.

    Args:
        ours: The column of this package.
        header: The columns of the table.
        what: The table in messages.
        several: The option that reads several columns with these headings.
        scored: A function that returns whether a column may contain scores.

    Raises:
        CollectionError: Several columns have headings of equal priority.

    Examples:
        >>> role_of("topic_id", ["task", "Sample_ID", "a"], "scores")
        'Sample_ID'
    """
    there = in_lower_case(header)
    if len(exact := there.get(ours, [])) == 1:
        return exact[0]
    groups = (*HEADINGS[ours], *IN_SCORES.get(ours, ()))
    groups = (tuple(chain.from_iterable(groups)),) if ours == "run_id" else groups  # a run and its system may both be meant
    for group in ((ours, *next(iter(groups), ())), *groups[1:]):
        found = [name for known in group for name in there.get(known, [])]
        if len(found) > 1:
            ways = [f"{option(columns={found[0]: ours})} selects the column to read"] if ours != "score" or several == "measures" else []
            if ours in JOINED and not all(map(scored, found)):
                ways.append(f"{option(columns=dict.fromkeys(found, ours))} joins them")
            else:
                ways.append(f"{option(**{several: found})} reads all as {'scores' if several == 'keep' else several}")
            raise CollectionError(f"{what}: expected one column of {ours}, found {enumerate_names(found)}; {', '.join(ways)}")
        if found:
            return found[0]
    return None


def stated_of(
    columns: Mapping[str, object],
    several: Mapping[str, object],
    *,
    asked: Sequence[str] = (),
    missing_values: object = None,
    header: bool = True,
) -> Stated:
    """Checks and returns the options of the caller.

    Args:
        columns: The arguments topics, runs, systems and columns of `scores_from`.
        several: The arguments measures, clusters, ignore and keep of `scores_from`.
        asked: Names of the formula's measures.
        missing_values: As in `scores_from`.
        header: As in `scores_from`.

    Raises:
        OptionError: A value has another type, two arguments name one column, or `columns` maps a name to an unknown column.
    """
    flags(header=header)
    topics = columns.get("topics")
    of_topics: TopicsColumn = False
    if topics is not False:
        of_topics = argument("topics", Optional(Made(str, "the name of a column, or False")), topics)
    runs = argument("runs", Optional(Made(str, "the name of a column")), columns.get("runs"))
    names = {name: argument(name, Texts("names of columns"), several.get(name, ())) for name in ("measures", "clusters", "ignore", "keep")}
    systems = columns.get("systems")
    of_columns, conditions = _of_columns(columns.get("columns"), header=header)
    single = {"topics": of_topics, "runs": runs, "systems": systems}
    named: dict[str, str] = {}
    of_single = {name: (column,) for name, column in single.items() if isinstance(column, str)}
    for name, those in (of_single | names | {"columns": tuple(of_columns | conditions)}).items():
        for column in dict.fromkeys(those):
            beside = BESIDE.get(of_columns.get(column, ""), ()) if name == "columns" else ()
            if (other := named.setdefault(column, name)) != name and other not in beside:
                raise OptionError(f"expected a column in one argument, found {column} in {other}= and in {name}=")
    clusters, ignored, kept = (frozenset(names[name]) for name in ("clusters", "ignore", "keep"))
    measures = tuple(dict.fromkeys((*names["measures"], *conditions)))
    of_systems, missing = systems if isinstance(systems, str) else None, _missing_values(missing_values)
    of = Stated(of_topics, runs, clusters, ignored, kept, measures, conditions, tuple(asked), systems=of_systems, columns=of_columns)
    return replace(of, missing_values=missing, header=header)


def _of_columns(columns: object, *, header: bool) -> tuple[dict[str, str], dict[str, str]]:
    """Returns the names of columns that the caller states; in a table without headings, the numbers of columns.

    Columns that contain the scores of a measure under a quantisation are returned separately.
    """
    taken: dict[str, str] = {}
    conditions: dict[str, str] = {}
    if header and isinstance(columns, Mapping):
        conditions = {theirs: ours for theirs, ours in columns.items() if isinstance(ours, str) and all(ours.partition(UNDER))}
        columns = {theirs: ours for theirs, ours in columns.items() if theirs not in conditions}
    found = stated_columns(columns, OURS if header else None)
    for theirs, ours in (conditions | found).items():
        if not header and re.fullmatch("[1-9][0-9]{0,6}", theirs) is None:
            raise OptionError(f"columns: expected the number of a column, as in 2=bm25, in a table without headings, found {theirs}")
        if taken.setdefault(ours, theirs) != theirs and ours not in JOINED:
            raise OptionError(f"columns: expected one column for {ours}, found {taken[ours]} and {theirs}")
    return found, conditions


def _missing_values(given: object) -> tuple[MissingValue, ...] | None:
    """Returns the values that mean no score; raises `OptionError` if they are neither numbers nor words."""
    if given is None:
        return None
    values = tuple(given) if isinstance(given, (tuple, list, set)) else (given,)
    if wrong := [value for value in values if isinstance(value, bool) or not isinstance(value, (str, int, float))]:
        raise OptionError(f'missing_values: expected numbers or words, as in (-1, "failed"), found {describe(wrong[0])}')
    return values
