"""Access to the tables of results by typed attributes, and columns that several tables share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Generic, Protocol, Self, TypeVar, overload

import polars as pl

from inexmetrics.common.schema import Column, Table

if TYPE_CHECKING:
    from pandera.typing.polars import DataFrame

__all__ = [
    "EFFECT_SIZE", "HIGH", "LEVEL", "LOW", "MEASURE", "P_ADJUSTED", "P_VALUE", "QUANTISATION", "RUN_ID", "SIGNIFICANT", "TOPIC_ID",
    "Column", "OfCondition", "Table", "TableOf", "ends_of_statistic", "first_tables_of", "tables_of",
]  # fmt: skip

T = TypeVar("T", bound="Table")


class HasTables(Protocol):
    """Protocol of objects that return their tables by name."""

    def named(self, table: str | None = None) -> pl.DataFrame: ...


@dataclass(slots=True)
class TableOf(Generic[T]):
    """Descriptor that makes a table an attribute of a result. The attribute has the table's name: ``per_topic = TableOf(PerTopic)``.

    Attributes:
        model: The class of the table.
        first: Whether an option replaces the first table by this table; the table declared first need not state it.
    """

    model: type[T]
    first: bool = False
    _name: str = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, result: None, owner: type) -> Self: ...
    @overload
    def __get__(self, result: HasTables, owner: type) -> DataFrame[T]: ...
    def __get__(self, result: HasTables | None, owner: type) -> Self | DataFrame[T]:
        if result is None:
            return self
        return self.model.typed(result.named(self._name))


def tables_of(result: type) -> dict[str, type[Table]]:
    """Returns the table classes of a result class, by table name, in the order of declaration."""
    return {name: table.model for name, table in _declared(result).items()}


def first_tables_of(result: type) -> tuple[str, ...]:
    """Returns the names of the tables of a result class of which every result has exactly one as its first table."""
    return tuple(name for place, (name, table) in enumerate(_declared(result).items()) if not place or table.first)


def _declared(result: type) -> dict[str, TableOf[Table]]:
    declared = {name: value for sort in reversed(result.__mro__) for name, value in vars(sort).items()}
    return {name: value for name, value in declared.items() if isinstance(value, TableOf)}


RUN_ID: Final = Column(str, "the run")
TOPIC_ID: Final = Column(str, "the topic")
MEASURE: Final = Column(str, "the measure, as written in a formula")
QUANTISATION: Final = Column(str, "the quantisation, as in a formula; 1 without a quantisation")


class OfCondition(Table):
    """Base class of tables whose rows each belong to one condition; the first two columns are the condition's measure and quantisation."""

    measure = MEASURE
    quantisation = QUANTISATION


LEVEL: Final = Column.share("the recall level")
LOW: Final = Column(
    float,
    "the lower end of the difference's two-sided confidence interval, within the range of the measure if it has one",
    "with fewer than two topics",
    negated="high",
)
HIGH: Final = Column(
    float,
    "the upper end of the difference's two-sided confidence interval, within the range of the measure if it has one",
    "with fewer than two topics",
    negated="low",
)
EFFECT_SIZE: Final = Column(
    float,
    "the mean of the differences divided by their standard deviation over topics (Cohen's d_z)",
    "if the standard deviation is at most 1e-12",
    negated="effect_size",
)
P_VALUE: Final = Column.share("the p-value of the tested hypothesis")
P_ADJUSTED: Final = Column.share("the smallest alpha at which the correction would reject the hypothesis")
WITHOUT_ENDS: Final = "if the value, or its standard deviation over topic sets, is undefined"


def ends_of_statistic(kind: Callable[[str, str], Column]) -> tuple[Column, Column, Column, Column]:
    """Returns four columns for the ends of a statistic's confidence and prediction intervals; each column is created by calling `kind`."""
    return (
        kind(
            "the lower end of the confidence interval for the expected value of the statistic on an equal number of similar topics",
            WITHOUT_ENDS,
        ),
        kind("the upper end of this confidence interval", WITHOUT_ENDS),
        kind("the lower end of the prediction interval for the value of the statistic on another set of similar topics", WITHOUT_ENDS),
        kind("the upper end of this prediction interval", WITHOUT_ENDS),
    )


SIGNIFICANT: Final = Column(bool, "whether the hypothesis is rejected after correction: p_adjusted <= alpha")
