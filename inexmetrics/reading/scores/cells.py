"""Reads the cells of a table of scores: the scores, the names of rows, clusters, and systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import polars as pl

from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import describe
from inexmetrics.reading.checker import Checked, Unchecked, checked
from inexmetrics.reading.column_types import Column
from inexmetrics.reading.findings import located
from inexmetrics.reading.rules import BOUNDED, RUN, SCORE, TOPIC
from inexmetrics.reading.scores.columns import TRUE_OR_FALSE
from inexmetrics.reading.scores.notations import advice_on
from inexmetrics.reading.scores.stated import Stated

__all__ = ["clusters_in", "names_in", "plain_cells", "row_numbers", "runs_of_systems", "scores_in"]

NO_CLUSTER: Final = r"(?i)^(-{1,3}|\?|n\.?a\.?|n/a|<na>|nan|none|null|missing)$"
"""Regular expression for words that mark a missing cluster."""


def scores_in(table: Unchecked, stated: Stated, columns: Sequence[str], what: str, rows: Mapping[str, pl.Series]) -> pl.DataFrame:
    """Returns the checked scores in columns of a table, with one row for each score: the name of its column, its position, and `rows`.

    Args:
        table: The table.
        stated: The options of the caller.
        columns: The columns that contain scores.
        what: A noun for the contents of a column, for messages.
        rows: Names of the rows, such as topics, by the name of the new column.

    Raises:
        CollectionError: A cell does not contain a score.
    """
    frame, height = table.frame, table.frame.height
    by_type: dict[pl.DataType, list[str]] = {}
    for name, dtype in frame.select(columns).schema.items():
        by_type.setdefault(pl.String() if isinstance(dtype, pl.Enum | pl.Categorical) else dtype, []).append(name)
    parts: list[pl.DataFrame] = []
    problems: list[Problem] = []
    lines = None if table.lines is None else pl.Series(table.lines, dtype=pl.Int64)

    def read(names: Sequence[str], dtype: pl.DataType, called: str) -> Checked:
        cells = frame.select(pl.col(names).cast(dtype)).unpivot(on=names, variable_name="column", value_name="score")
        plain = cells.select(plain_cells(pl.col("score"), dtype, stated).alias("score"))
        repeated = None if lines is None else pl.concat([lines] * len(names)).to_numpy()
        return checked(Unchecked(plain, table.what, repeated, {"score": called}), [SCORE], [BOUNDED])

    for dtype, names in by_type.items():
        found = read(names, dtype, what)
        for place in dict.fromkeys(row // height for row, _ in found.wrong):
            problems += read([names[place]], dtype, f"{what} {names[place]}").problems
        if not problems:
            of_names = pl.Series(names).gather(pl.int_range(len(names), eager=True).repeat_by(height).explode())
            named = [pl.concat([series] * len(names)).alias(name) for name, series in rows.items()]
            parts.append(found.rows.with_columns(of_names.alias("column"), pl.col("row") % height, *named))
    if problems:
        raise CollectionError(sorted(map(advice_on, problems), key=lambda problem: problem.line or 0))
    order = pl.Enum(list(columns))
    whole = pl.concat(parts)
    return whole if len(parts) == 1 else whole.sort(pl.col("column").cast(order), "row", maintain_order=True)


def plain_cells(cells: pl.Expr, dtype: pl.DataType, stated: Stated) -> pl.Expr:
    """Returns cells in which values that mean no score are null, and the words true and false are 1 and 0."""
    cells = stated.without_missing_values(cells, dtype)
    if dtype != pl.String:
        return cells
    words = cells.str.strip_chars().str.to_lowercase()
    return pl.when(words.is_in([*TRUE_OR_FALSE])).then(words.replace(TRUE_OR_FALSE)).otherwise(cells)


def row_numbers(height: int) -> pl.Series:
    """Returns the numbers of the rows, from 1, as names of topics or runs."""
    return pl.Series([str(number) for number in range(1, height + 1)], dtype=pl.String)


def names_in(table: Unchecked, column: str, of: Column) -> pl.Series:
    """Returns the identifiers in a column."""
    return _column(table, column, of, column or of.name).valid()[of.name]


def _column(table: Unchecked, name: str, column: Column, called: str) -> Checked:
    """Checks one column; `called` is the name of the column in messages."""
    return checked(replace(table, frame=table.frame[name].to_frame(column.name), called={column.name: called}), [column])


def clusters_in(table: Unchecked, topics: pl.Series, columns: Iterable[str]) -> dict[str, list[tuple[str, str]]]:
    """Returns the distinct pairs (topic, cluster) in each column of clusters."""
    found = {}
    for name in columns:
        if name in table.frame.columns:
            read = _column(table, name, TOPIC, name).valid()
            for row in read.filter(pl.col("topic_id").str.contains(NO_CLUSTER)).iter_rows(named=True):
                at = row | {"topic_id": topics[row["row"]]}
                raise CollectionError(located(at, f"{name}: expected a cluster, found {describe(row['topic_id'])}"))
            of_topics = read["topic_id"]
            found[name] = pl.DataFrame([topics.alias("topic"), of_topics.alias("cluster")]).unique(maintain_order=True).rows()
    return found


def runs_of_systems(table: Unchecked, runs: pl.Series, column: str, *, numbered: bool = False) -> tuple[pl.Series, list[tuple[str, str]]]:
    """Returns the name of the run of each row, and the distinct pairs of a run and its system.

    If runs of several systems have the same name, such as a seed, the name of each run is preceded by the name of its system. If
    `numbered`, the runs do not have names; each row is a separate run, and the runs of each system are numbered.
    """
    system = names_in(table, column, RUN)
    rows = pl.DataFrame([runs.alias("run"), system.alias("system")])
    if numbered:
        rows = rows.with_columns(run=pl.int_range(1, pl.len() + 1).over("system").cast(pl.String))
    if numbered or rows.group_by("run").agg(pl.col("system").n_unique())["system"].max() != 1:
        rows = rows.with_columns(run=pl.concat_str("system", pl.lit(" "), "run"))
    return rows["run"], rows.unique(maintain_order=True).rows()
