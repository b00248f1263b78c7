"""The form in which experiments state the tables of their results: every column with its type, meaning, range and nulls.

This statement makes the frames (`Table.frame`), types them (``result.per_topic`` is a ``DataFrame[PerTopic]``), and is what
`inexmetrics explain` and the documentation show. The pandera schema is built from it on demand, as importing pandera takes
longer than many an experiment.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Generic, Protocol, Self, TypeAlias, TypeVar, cast, overload

import numpy as np
import polars as pl

from inexmetrics.common.messages import canonical

if TYPE_CHECKING:
    from pandera.polars import DataFrameSchema
    from pandera.typing.polars import DataFrame

__all__ = [
    "EFFECT_SIZE",
    "HIGH",
    "LEVEL",
    "LOW",
    "MEASURE",
    "P_ADJUSTED",
    "P_VALUE",
    "QUANTISATION",
    "RUN_ID",
    "SIGNIFICANT",
    "TOPIC_ID",
    "Column",
    "Table",
    "TableOf",
    "tables_of",
]

T = TypeVar("T", bound="Table")

Values: TypeAlias = "Sequence[object] | np.ndarray[tuple[int, ...], np.dtype[np.generic]] | pl.Series | str | float | None"
"""The values of a column; a single one stands on every row."""

DTYPES: Final[Mapping[type, tuple[pl.DataType, str]]] = {
    str: (pl.String(), "text"),
    int: (pl.Int64(), "integer"),
    float: (pl.Float64(), "number"),
    bool: (pl.Boolean(), "true or false"),
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        type: The Python type of its values.
        meaning: What it holds.
        null: When it is null; empty for never.
        unit: What it counts or is measured in; empty for none.
        at_least: The lowest value there may be.
        at_most: The highest value there may be.
        choices: The only values there may be; empty for any.
    """

    type: type[str | int | float | bool]
    meaning: str
    null: str = ""
    unit: str = ""
    at_least: float = -math.inf
    at_most: float = math.inf
    choices: tuple[str, ...] = ()

    @property
    def dtype(self) -> pl.DataType:
        """Its polars type."""
        return DTYPES[self.type][0]

    @property
    def type_text(self) -> str:
        """Its type and range in words.

        Examples:
            >>> Column(float, "a share", at_least=0, at_most=1).type_text
            'number from 0 to 1'
        """
        name = DTYPES[self.type][1]
        if self.choices:
            return f"{name}: {', '.join(self.choices)}"
        if math.isfinite(self.at_least) and math.isfinite(self.at_most):
            return f"{name} from {canonical(self.at_least)} to {canonical(self.at_most)}"
        bounds = (("at least", self.at_least), ("at most", self.at_most))
        return " ".join([name, *(f"of {words} {canonical(bound)}" for words, bound in bounds if math.isfinite(bound))])

    @property
    def text(self) -> str:
        """Its meaning, unit and nulls in one sentence."""
        return "; ".join(part for part in (self.meaning, self.unit and f"in {self.unit}", self.null and f"null {self.null}") if part)


class Table:
    """A table that results have; its columns are the class attributes that are a `Column`, in their order.

    Examples:
        >>> class Means(Table):
        ...     "The mean of each run."
        ...     run_id = Column(str, "the run")
        ...     mean = Column(float, "its mean score", "without topics")
        >>> Means.frame(run_id=["a", "b"], mean=[0.5, None]).rows()
        [('a', 0.5), ('b', None)]
    """

    numbered: ClassVar[Column | None] = None
    """The columns ``1``, ``2``, … that follow, as many as there are, where a table has such."""

    @classmethod
    def columns(cls) -> dict[str, Column]:
        """The columns by name, in their order."""
        found = {name: value for sort in reversed(cls.__mro__) for name, value in vars(sort).items() if isinstance(value, Column)}
        found.pop("numbered", None)
        return found

    @classmethod
    def frame(cls, **values: Values) -> DataFrame[Self]:
        """A table of these columns; NaN in an array becomes null.

        Raises:
            ValueError: A column is missing or superfluous.
        """
        columns = cls._with_numbered(values)
        if columns.keys() != values.keys():
            raise ValueError(f"{cls.__name__}: expected the columns {', '.join(columns)}, found {', '.join(values)}")
        schema = {name: column.dtype for name, column in columns.items()}
        return cls.typed(pl.DataFrame({name: values[name] for name in schema}, schema=schema, nan_to_null=True))

    @classmethod
    def of_rows(cls, rows: Iterable[Sequence[object]]) -> DataFrame[Self]:
        """A table of rows, each with a value for every column."""
        return cls.typed(pl.DataFrame(list(rows), {name: column.dtype for name, column in cls.columns().items()}, orient="row"))

    @classmethod
    def concat(cls, parts: Iterable[pl.DataFrame]) -> DataFrame[Self]:
        """Parts of a table below each other; a table without rows where there are none."""
        return cls.typed(pl.concat(list(parts) or [cls.frame(**dict.fromkeys(cls.columns(), ()))]))

    @classmethod
    def typed(cls, table: pl.DataFrame) -> DataFrame[Self]:
        """The table, whose columns and types are those stated here.

        Raises:
            ValueError: A column is missing, superfluous, misplaced or of another type.
        """
        expected = {name: column.dtype for name, column in cls._with_numbered(table.columns).items()}
        if list(expected.items()) != list(table.schema.items()):
            raise ValueError(f"{cls.__name__}: expected the columns {expected}, found {dict(table.schema)}")
        return cast("DataFrame[Self]", table)

    @classmethod
    def validate(cls, table: pl.DataFrame) -> DataFrame[Self]:
        """The table, of which columns, types and every value are as stated here.

        Raises:
            pandera.errors.SchemaErrors: Every check that fails.
        """
        return cls.typed(cls.schema(table.columns).validate(table, lazy=True))

    @classmethod
    def schema(cls, names: Iterable[str] = ()) -> DataFrameSchema:
        """The pandera schema of the table; `names` are the columns of a frame, which say how many numbered ones there are."""
        import pandera.polars as pa  # takes a second to import

        def checks(column: Column) -> list[pa.Check]:
            found = [pa.Check.isin(column.choices)] if column.choices else []
            if math.isfinite(column.at_least):
                found.append(pa.Check.ge(column.at_least))
            return [*found, pa.Check.le(column.at_most)] if math.isfinite(column.at_most) else found

        columns = {
            name: pa.Column(column.dtype, checks(column), nullable=bool(column.null), description=column.text)
            for name, column in cls._with_numbered(names).items()
        }
        return pa.DataFrameSchema(columns, strict=True, ordered=True, name=cls.__name__, description=cls.__doc__)

    @classmethod
    def _with_numbered(cls, names: Iterable[str]) -> dict[str, Column]:
        """The columns, and the numbered ones among `names`."""
        more = {} if cls.numbered is None else {name: cls.numbered for name in names if name.isdecimal()}
        return cls.columns() | more


class HasTables(Protocol):
    """What has tables by name."""

    def named(self, table: str | None = None) -> pl.DataFrame: ...


@dataclass(slots=True)
class TableOf(Generic[T]):
    """A table as an attribute of results, whose name it bears: ``per_topic = TableOf(PerTopic)``.

    Attributes:
        model: The table's statement.
    """

    model: type[T]
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
    """The tables that results of a class have, by name, in their order."""
    declared = {name: value for sort in reversed(result.__mro__) for name, value in vars(sort).items()}
    return {name: value.model for name, value in declared.items() if isinstance(value, TableOf)}


RUN_ID: Final = Column(str, "the run")
TOPIC_ID: Final = Column(str, "the topic")
MEASURE: Final = Column(str, "the measure, as formulas write it")
QUANTISATION: Final = Column(str, "the quantisation, as formulas write it; 1 where there is none")
LEVEL: Final = Column(float, "the recall level", at_least=0, at_most=1)
LOW: Final = Column(float, "the lower end of the difference's two-sided confidence interval", "with fewer than two topics")
HIGH: Final = Column(float, "the upper end", "with fewer than two topics")
EFFECT_SIZE: Final = Column(
    float, "the mean of the topics' differences over their standard deviation (Cohen's d_z)", "where that is at most 1e-12"
)
P_VALUE: Final = Column(float, "the p-value of the hypothesis tested", at_least=0, at_most=1)
P_ADJUSTED: Final = Column(float, "the smallest alpha at which the correction would reject the hypothesis", at_least=0, at_most=1)
SIGNIFICANT: Final = Column(bool, "whether the correction rejects it: p_adjusted <= alpha")
