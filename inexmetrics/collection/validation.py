"""Validation of tables against their declarations, as a last check after reading."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeVar, cast

import polars as pl

from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.runs import Runs
from inexmetrics.collection.schemas import MODELS, PackedResults, Results, StructureTable
from inexmetrics.collection.structure import Structure
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.schema import Table

if TYPE_CHECKING:
    from pandera.typing.polars import DataFrame

__all__ = ["breaches", "validate_all", "validated"]

T = TypeVar("T", bound=Table)


def validate_all(assessments: Assessments | None = None, runs: Runs | None = None, structure: Structure | None = None) -> None:
    """Validates all judgements. For runs and structure, which may have millions of rows, only columns and types are validated.

    Raises:
        CollectionError: A table is invalid. Readers normally find invalid rows themselves and report their positions; this validation is an
            additional check.
    """
    for model, table in _of_assessments(assessments):
        validated(model, table)
    try:
        if runs is not None:
            PackedResults.typed(runs.scored(runs.packed.clear()))
        if structure is not None:
            StructureTable.typed(structure.elements)
    except ValueError as error:
        raise CollectionError(str(error)) from error


def breaches(assessments: Assessments | None, runs: Runs | None, structure: Structure | None) -> list[Problem]:
    """Returns the problems of all invalid tables."""
    problems: list[Problem] = []
    tables = [*_of_assessments(assessments)]
    if runs is not None:
        tables.append((Results, runs.at()))
    if structure is not None:
        tables.append((StructureTable, structure.elements))
    for model, table in tables:
        try:
            validated(model, table)
        except CollectionError as error:
            problems += error.problems
    return problems


def validated(model: type[T], table: pl.DataFrame) -> DataFrame[T]:
    """Validates a table against its declaration.

    Raises:
        CollectionError: The table is invalid; the error names each failed check, the number of failing rows, and the first failing row.

    Examples:
        >>> from inexmetrics.collection.schemas import Grades
        >>> validated(Grades, pl.DataFrame({"topic_id": ["1"], "doc_id": ["a"], "grade": [2.0]})).height
        1
    """
    if model.obeyed_by(table):
        return cast("DataFrame[T]", table)
    from pandera.errors import SchemaErrors  # imported only for invalid tables, because the import takes a second

    try:
        return model.validate(table)
    except SchemaErrors as errors:
        failures = errors.failure_cases.group_by("column", "check", maintain_order=True).agg(
            pl.len(), pl.col("failure_case").first(), pl.col("index").first()
        )
    problems = []
    for column, check, count, case, row in failures.iter_rows():
        rows = "the table" if row is None else f"{count} rows, row {row} first" if count > 1 else f"row {row}"
        problems.append(Problem(f"{model.__name__}.{column}: expected {check} in {rows}, found {case}"))
    raise CollectionError(problems)


def _of_assessments(assessments: Assessments | None) -> Iterator[tuple[type[Table], pl.DataFrame]]:
    if assessments is not None:
        yield from ((MODELS[name], table) for name, table in assessments.tables.items())
        for judge in assessments.judges.values():
            yield from _of_assessments(judge)
