"""The tables of `columns` as pandera models: what is true of every row of data that has been read.

The readers find out what is wrong with a file themselves, since they can say on which line; these models state, apart
from any reader, what their tables then hold. `validated` makes sure of every row, `conforming` of columns and types alone.
Importing pandera takes its time, so it is done only where a table is to be validated.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, Final, TypeVar

import pandera.polars as pa
import polars as pl
from pandera.typing.polars import DataFrame

from inexmetrics.collection.columns import EXHAUSTIVITY
from inexmetrics.common.errors import CollectionError, Problem

__all__ = ["Assessors", "Documents", "Elements", "Grades", "Passages", "Results", "StructureTable", "conforming", "validated"]

Model = TypeVar("Model", bound=pa.DataFrameModel)

FINITE: Final[dict[str, Any]] = {"min_value": -math.inf, "max_value": math.inf, "include_min": False, "include_max": False}


class _Table(pa.DataFrameModel):
    """What holds of all tables: just these columns, in this order."""

    class Config:
        """No other column, no other order."""

        strict = True
        ordered = True


class _OfTopics(_Table):
    topic_id: str = pa.Field(str_length={"min_value": 1})
    doc_id: str = pa.Field(str_length={"min_value": 1})


class Elements(_OfTopics):
    """Assessed elements, each once in a topic."""

    path: str = pa.Field(nullable=True, str_startswith="/")
    exhaustivity: pl.Enum = pa.Field(nullable=True, dtype_kwargs={"categories": EXHAUSTIVITY.categories})
    specificity: float = pa.Field(ge=0, le=1)
    size: int = pa.Field(nullable=True, ge=1)

    class Config:
        """An element is assessed once."""

        unique: ClassVar[list[str]] = ["topic_id", "doc_id", "path"]

    @pa.dataframe_check(description="an exhaustivity of 0 has a specificity of 0")
    @classmethod
    def irrelevant_is_unspecific(cls, table: pa.PolarsData) -> pl.LazyFrame:
        return table.lazyframe.select((pl.col("exhaustivity").cast(pl.String) != "0") | (pl.col("specificity") == 0))


class Documents(_OfTopics):
    """Documents with their highlighted characters, each once in a topic."""

    relchars: int = pa.Field(ge=0)
    docchars: int = pa.Field(nullable=True, ge=0)
    bep: int = pa.Field(nullable=True, ge=0)

    class Config:
        """A document is assessed once."""

        unique: ClassVar[list[str]] = ["topic_id", "doc_id"]

    @pa.dataframe_check(description="no more characters are highlighted than there are")
    @classmethod
    def highlighted_is_part(cls, table: pa.PolarsData) -> pl.LazyFrame:
        return table.lazyframe.select(pl.col("relchars") <= pl.col("docchars"))


class Passages(_OfTopics):
    """Highlighted passages."""

    start: int = pa.Field(ge=0)
    length: int = pa.Field(ge=0)


class Grades(_OfTopics):
    """Graded documents, each once in a topic."""

    grade: float = pa.Field(in_range=FINITE)

    class Config:
        """A document is assessed once."""

        unique: ClassVar[list[str]] = ["topic_id", "doc_id"]


class Assessors(_Table):
    """Graded documents, each once for a topic and assessor."""

    topic_id: str = pa.Field(str_length={"min_value": 1})
    assessor: str = pa.Field(str_length={"min_value": 1})
    doc_id: str = pa.Field(str_length={"min_value": 1})
    grade: float = pa.Field(in_range=FINITE)

    class Config:
        """An assessor judges a document once."""

        unique: ClassVar[list[str]] = ["topic_id", "assessor", "doc_id"]


class Results(_Table):
    """Results of runs; run and topic are named, whatever the codes of their Enum columns are."""

    run_id: str = pa.Field(str_length={"min_value": 1})
    topic_id: str = pa.Field(str_length={"min_value": 1})
    doc_id: str = pa.Field(str_length={"min_value": 1})
    path: str = pa.Field(nullable=True, str_startswith="/")
    start: int = pa.Field(nullable=True, ge=-1)
    length: int = pa.Field(nullable=True, ge=-1)
    rank: int = pa.Field(nullable=True)
    score: float = pa.Field(nullable=True, in_range=FINITE)

    @pa.dataframe_check(description="a place has both a start and a length")
    @classmethod
    def place_is_whole(cls, table: pa.PolarsData) -> pl.LazyFrame:
        return table.lazyframe.select(pl.col("start").is_null() == pl.col("length").is_null())


class StructureTable(_Table):
    """Places of elements, each once."""

    doc_id: str = pa.Field(str_length={"min_value": 1})
    path: str = pa.Field(str_startswith="/")
    start: int = pa.Field(ge=0)
    length: int = pa.Field(ge=0)

    class Config:
        """An element stands once."""

        unique: ClassVar[list[str]] = ["doc_id", "path"]


def validated(model: type[Model], table: pl.DataFrame) -> DataFrame[Model]:
    """A table of which all holds that its model says.

    Args:
        model: One of these models.
        table: The table; names may be held as Enum columns.

    Returns:
        The same table, its names as texts.

    Raises:
        CollectionError: Every check that fails, with the number of rows that fail it and the first of them.

    Examples:
        >>> table = pl.DataFrame({"topic_id": ["1"], "doc_id": ["a"], "grade": [2.0]})
        >>> validated(Grades, table).height
        1
    """
    named = table.with_columns(pl.col(name).cast(pl.String) for name in _enums(table.schema))
    try:
        return model.validate(named, lazy=True)
    except pa.errors.SchemaErrors as errors:
        raise CollectionError(_problems(model, errors.failure_cases)) from errors


def conforming(model: type[Model], table: pl.DataFrame) -> pl.DataFrame:
    """The table, whose columns and types are found to be those of its model; no row is looked at, however many there are.

    Args:
        model: One of these models.
        table: The table; names may be held as Enum columns.

    Raises:
        CollectionError: A column is missing, superfluous, misplaced or of another type.
    """
    declared = table.clear().with_columns(pl.col(name).cast(pl.String) for name in _enums(table.schema))
    validated(model, declared)
    return table


def _enums(schema: pl.Schema) -> list[str]:
    """The columns that hold names as codes."""
    return [name for name, dtype in schema.items() if isinstance(dtype, pl.Enum | pl.Categorical) and dtype != EXHAUSTIVITY]


def _problems(model: type[pa.DataFrameModel], failures: pl.DataFrame) -> list[Problem]:
    """One problem for each check that failed."""
    checks = failures.group_by("column", "check", maintain_order=True).agg(
        pl.len(), pl.col("failure_case").first(), pl.col("index").first()
    )
    problems = []
    for column, check, count, case, row in checks.iter_rows():
        rows = "the table" if row is None else f"{count} rows, row {row} first" if count > 1 else f"row {row}"
        problems.append(Problem(f"{model.__name__}.{column}: expected {check} of {rows}, found {case}"))
    return problems
