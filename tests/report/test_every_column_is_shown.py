"""Every column of every table appears in the printed table and the LaTeX table, or is named there as omitted."""

from __future__ import annotations

import re
from collections.abc import Hashable
from functools import cache
from itertools import chain

import polars as pl
import pytest

from inexmetrics import Experiment, Result
from inexmetrics.common import cells, tables
from inexmetrics.experiments.base import result_of
from inexmetrics.experiments.tables import tables_of
from inexmetrics.report import paper_tables
from inexmetrics.report.text import SPARE, on_screen, with_named
from tests.examples import EVERY, UNDEFINED, answered, own

WIDE = 250
ROWS = 20
"""Number of rows of each table that are tested."""
FORMULAS = EVERY + UNDEFINED


def other_values(column: pl.Series) -> pl.Series:
    """Return a column in which every value differs from the value of the given column."""
    if column.dtype == pl.Boolean:
        return ~column.fill_null(value=False)
    if column.dtype == pl.String:
        return column.fill_null("") + "x"
    return (column.fill_null(0) + 1).cast(column.dtype)


def shown(result: Result, table: str) -> dict[str, str]:
    """Return the table as text, without the lines above it, and as LaTeX."""
    forms = [form for form in with_named(result.printed(), result.tables) if form.table == table]
    text = on_screen("", {table: result.tables[table]}, forms, width=WIDE, rows="all")
    return {"text": text, "LaTeX": result.to_latex(table)}


def is_told(column: pl.Series, text: str) -> bool:
    """Return whether a text names a column as omitted, or contains all its values (texts) from another table."""
    left_out = (line for line in text.splitlines() if "without" in line)
    if any(column.name in re.split(r"\W+", line) for line in left_out):
        return True
    return column.dtype == pl.String and all(value in text for value in column.drop_nulls().unique())


@cache
def answered_in_few_rows(formula: str) -> Result:
    """Return the result of a formula with the first rows of each table, and the first row in which a column is not null."""
    result = answered(formula, few=True)
    shortened = {}
    for table, frame in result.tables.items():
        filled = {column.is_not_null().arg_max() or 0 for column in frame.iter_columns()} if frame.height else set()
        shortened[table] = frame[sorted(filled | {*range(min(ROWS, frame.height))})]
    return type(result)(result.experiment, shortened, result.origin, result.compat, result.warnings)


@cache
def sorts_of(formula: str) -> dict[str, Hashable]:
    """Return what tells each table of a result from other tables: its columns, and which of them are empty or have one value."""
    result = answered_in_few_rows(formula)
    return {
        table: (table, *((each.name, each.null_count() == frame.height, each.n_unique() == 1) for each in frame))
        for table, frame in result.tables.items()
    }


@pytest.mark.parametrize("formula", FORMULAS)
def test_every_column_is_shown_or_named_as_left_out(formula: str) -> None:
    """Changing the values of a column changes the output; a table with the columns of an earlier formula's table is tested there."""
    result = answered_in_few_rows(formula)
    word, _, _ = formula.partition("(")
    before_it = [each for each in FORMULAS[: FORMULAS.index(formula)] if each.startswith(f"{word}(")]
    earlier = {sort for each in before_it for sort in sorts_of(each).values()}
    hidden = []
    for table, sort in sorts_of(formula).items():
        if sort in earlier:
            continue
        frame, before = result.tables[table], shown(result, table)
        for column in frame.iter_columns():
            if column.null_count() == frame.height:
                continue
            tables = {**result.tables, table: frame.with_columns(other_values(column))}
            try:
                after = shown(type(result)(result.experiment, tables, result.origin, result.compat, result.warnings), table)
            except KeyError:  # the value is looked up, and so decides what is shown
                continue
            hidden += [
                f"{table}.{column.name} in {form}" for form in before if before[form] == after[form] and not is_told(column, before[form])
            ]
    assert not hidden, "print these columns, or name them in the text around the table"


def test_the_names_that_tables_treat_apart_are_columns_of_results() -> None:
    """A renamed column keeps its heading and its formatting."""
    sorts = [entry.sort for entry in own(Experiment) if issubclass(entry.sort, Experiment)]
    stated = {name for sort in sorts for table in tables_of(result_of(sort)).values() for name in table.columns()}
    pairs = chain(paper_tables.REDUNDANT, paper_tables.MINOR)
    marks = (cells.P_VALUES, cells.LEVELS, cells.ASKED, tables.DESCRIPTIVE, tables.TESTED, SPARE, paper_tables.HEADINGS, paper_tables.SHORT)
    of_systems = {"var_system"}  # the name of var_run in papers about systems, where var_run is the name of var_repeat
    assert {*chain(*marks), *chain(*pairs)} - of_systems <= stated
