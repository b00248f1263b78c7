"""Every column of every table appears in the printed table and the LaTeX table, or is named there as omitted."""

from __future__ import annotations

import re
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


@pytest.mark.parametrize("formula", EVERY + UNDEFINED)
def test_every_column_is_shown_or_named_as_left_out(formula: str) -> None:
    """Changing the values of a column changes the output."""
    result = answered(formula, few=True)
    hidden = []
    for table, frame in result.tables.items():
        before = shown(result, table)
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
    assert not hidden


def test_the_names_that_tables_treat_apart_are_columns_of_results() -> None:
    """A renamed column keeps its heading and its formatting."""
    sorts = [entry.sort for entry in own(Experiment) if issubclass(entry.sort, Experiment)]
    stated = {name for sort in sorts for table in tables_of(result_of(sort)).values() for name in table.columns()}
    pairs = chain(paper_tables.REDUNDANT, paper_tables.MINOR)
    marks = (cells.P_VALUES, cells.LEVELS, cells.ASKED, tables.DESCRIPTIVE, tables.TESTED, SPARE, paper_tables.HEADINGS, paper_tables.SHORT)
    of_systems = {"var_system"}  # the name of var_run in papers about systems, where var_run is the name of var_repeat
    assert {*chain(*marks), *chain(*pairs)} - of_systems <= stated
