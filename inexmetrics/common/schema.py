"""Declarations of tables: the type, meaning and range of every column, and whether the column may contain nulls.

A declaration is used to create frames (`Table.frame`), as the static type of frames (``result.per_topic`` is a ``DataFrame[PerTopic]``), to
check input, and as documentation (`inexmetrics explain` and the reference). Each rule of a table is a named polars expression. A table is
valid if it satisfies all rules. To list the failures of an invalid table, a pandera schema is created from the rules. The schema is created
on demand, because importing pandera takes longer than many experiments.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, Self, TypeAlias, cast

import numpy as np
import polars as pl

from inexmetrics.common.messages import canonical

if TYPE_CHECKING:
    from pandera.dtypes import DataType
    from pandera.polars import DataFrameSchema, PolarsData
    from pandera.typing.polars import DataFrame

__all__ = ["Column", "Table", "of_measures"]

Values: TypeAlias = "Sequence[object] | np.ndarray[tuple[int, ...], np.dtype[np.generic]] | pl.Series | str | float | None"
"""Values of a column; a single value is repeated for all rows."""

DTYPES: Final[Mapping[type, tuple[pl.DataType, str]]] = {
    str: (pl.String(), "text"),
    int: (pl.Int64(), "integer"),
    float: (pl.Float64(), "number"),
    bool: (pl.Boolean(), "true or false"),
}


@dataclass(frozen=True, slots=True)
class Column:
    """Column of a table.

    Attributes:
        type: Python type of the values.
        meaning: Description of the values in a few words, such as "the topic", for the documentation.
        null: Condition under which a value is null, as text; empty if values are never null.
        unit: Unit of the values; empty for values without a unit.
        at_least: Minimum value.
        at_most: Maximum value.
        choices: Allowed values; empty if all values are allowed.
        coded: Whether strings are stored as integer codes. If `choices` is given, the codes are the indices of the choices; otherwise, any
            string can be encoded.
        narrow: Whether integers may be stored in a smaller type than Int64.
        starts: Prefix that all strings must have; empty if any prefix is valid.
        filled: Whether empty strings are invalid.
        finite: Whether numbers must be finite.
        asked: Whether the column contains numbers that the user gave as arguments, which are shown without rounding.
        negated: Column that contains the negated values of this column if all scores are negated: this column itself, or the other end of an
            interval. Empty if the values do not depend on the sign of the scores.
        of: Column with the condition to which the values belong.
        option: Option of the experiment that adds the column to the table; empty if the table always has the column.
        dtype: Polars type of the column: an Enum if strings are stored as codes and have fixed choices, otherwise the polars type for
            `type`.
    """

    type: type[str | int | float | bool]
    meaning: str
    null: str = ""
    unit: str = ""
    at_least: float = -math.inf
    at_most: float = math.inf
    choices: tuple[str, ...] = ()
    coded: bool = False
    narrow: bool = False
    starts: str = ""
    filled: bool = False
    finite: bool = False
    asked: bool = False
    negated: str = ""
    of: str = "measure"
    option: str = ""
    dtype: pl.DataType = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "dtype", pl.Enum(self.choices) if self.coded and self.choices else DTYPES[self.type][0])

    @classmethod
    def count(cls, meaning: str, null: str = "", unit: str = "", at_least: int = 0) -> Column:
        """Declares a column of integers that are at least `at_least`."""
        return cls(int, meaning, null, unit, at_least)

    @classmethod
    def share(cls, meaning: str, null: str = "", *, asked: bool = False) -> Column:
        """Declares a column of numbers from 0 to 1: shares, probabilities or p-values."""
        return cls(float, meaning, null, at_least=0, at_most=1, asked=asked)

    @classmethod
    def coefficient(cls, meaning: str, null: str = "") -> Column:
        """Declares a column of numbers from -1 to 1."""
        return cls(float, meaning, null, at_least=-1, at_most=1)

    def widened(self, held: pl.DataType) -> pl.DataType:
        """Returns the declared type if `held` is a compact type with the same values (codes, or smaller integers), otherwise `held`."""
        coded = self.coded and not self.choices and isinstance(held, pl.Enum | pl.Categorical)
        return self.dtype if coded or (self.narrow and held.is_signed_integer()) else held

    @property
    def type_text(self) -> str:
        """Description of the type and range of the values.

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

    def rules(self, values: pl.Expr) -> dict[str, pl.Expr]:
        """Returns the rules that all non-null values must satisfy, keyed by the text with which error messages state a rule.

        Examples:
            >>> list(Column(float, "a share", at_least=0, at_most=1).rules(pl.col("share")))
            ['a number', 'at least 0', 'at most 1']
        """
        stated = (
            (self.filled, "at least one character", values.cast(pl.String) != ""),
            (self.starts, f"a text that starts with {self.starts}", values.str.starts_with(self.starts)),
            (self.choices and not self.coded, f"one of {', '.join(self.choices)}", values.is_in(self.choices)),
            (self.type is float and self.finite, "a finite number", values.is_finite()),
            (self.type is float and not self.finite, "a number", values.is_not_nan()),
            (math.isfinite(self.at_least), f"at least {canonical(self.at_least)}", values >= self.at_least),
            (math.isfinite(self.at_most), f"at most {canonical(self.at_most)}", values <= self.at_most),
        )
        return {name: rule for wanted, name, rule in stated if wanted}

    @property
    def text(self) -> str:
        """Description of the column in one sentence: meaning, unit, condition for nulls, and option."""
        parts = (
            self.meaning,
            self.unit and f"in {self.unit}",
            self.null and f"null {self.null}",
            self.option and f"only with {self.option}=",
        )
        return "; ".join(part for part in parts if part)


def of_measures(column: str, measures: Iterable[str]) -> pl.Expr:
    """Returns an expression for whether a column contains one of the measures, alone or under a quantisation."""
    text = pl.col(column)
    found = ((text == measure) | text.str.starts_with(f"{measure} ~ ") for measure in measures)
    return pl.any_horizontal(pl.lit(value=False), *found).fill_null(value=False)


class Table:
    """Base class of declared tables. Each class attribute of type `Column` declares a column; their order is the order of the columns.

    Examples:
        >>> class Means(Table):
        ...     "The mean of each run."
        ...
        ...     run_id = Column(str, "the run")
        ...     mean = Column(float, "its mean score", "without topics")
        >>> Means.frame(run_id=["a", "b"], mean=[0.5, None]).rows()
        [('a', 0.5), ('b', None)]
    """

    numbered: ClassVar[Column | None] = None
    """Declaration of the numbered columns ``1``, ``2``, …; None if a table does not have numbered columns. Any number of numbered columns
    may follow the other columns."""
    unique: ClassVar[tuple[str, ...]] = ()
    """Names of the key columns: no two rows have the same values in all of these columns."""
    rules: ClassVar[Mapping[str, pl.Expr]] = {}
    """Rules that compare columns of the same row, keyed by name."""

    @classmethod
    def columns(cls, names: Iterable[str] | None = None) -> dict[str, Column]:
        """Returns the declared columns in order, keyed by name.

        If `names` contains the column names of a frame, the result also contains the frame's numbered columns, and omits the optional
        columns that the frame lacks.
        """
        found = {name: value for sort in reversed(cls.__mro__) for name, value in vars(sort).items() if isinstance(value, Column)}
        found.pop("numbered", None)
        if names is None:
            return found
        there = set(names)
        numbered = {} if cls.numbered is None else {name: cls.numbered for name in names if name.isdecimal()}
        return {name: column for name, column in found.items() if not column.option or name in there} | numbered

    @classmethod
    def dtypes(cls) -> dict[str, pl.DataType]:
        """Returns the polars types of all columns except optional columns."""
        return {name: column.dtype for name, column in cls.columns(()).items()}

    @classmethod
    def frame(cls, **values: Values) -> DataFrame[Self]:
        """Creates a table from the values of its columns; NaN is converted to null.

        Raises:
            ValueError: A column is missing, or a value was given for an undeclared column.
        """
        columns = cls.columns(values)
        if columns.keys() != values.keys():
            raise ValueError(f"{cls.__name__}: expected the columns {', '.join(columns)}, found {', '.join(values)}")
        schema = {name: column.dtype for name, column in columns.items()}
        # polars finds NaN only in arrays
        made = {name: np.asarray(value, np.float64) if columns[name].type is float else value for name, value in values.items()}
        given = {name: value for name, value in made.items() if not isinstance(value, str) and np.iterable(value)}
        rows = max(map(len, given.values()), default=1)
        for name in schema.keys() - given.keys():  # polars repeats a single value by a query, which takes ten times as long
            one = value.reshape(1) if isinstance(value := made[name], np.ndarray) else [value]
            given[name] = pl.Series(one, dtype=schema[name], nan_to_null=True).new_from_index(0, rows)
        return cast("DataFrame[Self]", pl.DataFrame({name: given[name] for name in schema}, schema=schema, nan_to_null=True))

    @classmethod
    def of_rows(cls, rows: Iterable[Sequence[object]]) -> DataFrame[Self]:
        """Creates a table from rows, each of which contains a value for every column; NaN is converted to null."""
        return cls.typed(pl.DataFrame(list(rows), cls.dtypes(), orient="row").fill_nan(None))

    @classmethod
    def concat(cls, parts: Iterable[pl.DataFrame]) -> DataFrame[Self]:
        """Concatenates parts of a table; without parts, returns a table without rows."""
        return cls.typed(pl.concat(list(parts) or [cls.frame(**dict.fromkeys(cls.columns(()), ()))]))

    @classmethod
    def typed(cls, table: pl.DataFrame) -> DataFrame[Self]:
        """Checks the columns and types of a table.

        Raises:
            ValueError: A column is missing, undeclared, in the wrong position or of the wrong type.
        """
        columns = cls.columns(table.columns)
        found = {name: columns[name].widened(dtype) if name in columns else dtype for name, dtype in table.schema.items()}
        expected = {name: column.dtype for name, column in columns.items()}
        if list(expected.items()) != list(found.items()):
            raise ValueError(f"{cls.__name__}: expected the columns {expected}, found {dict(table.schema)}")
        return cast("DataFrame[Self]", table)

    @classmethod
    def with_own_signs(cls, table: pl.DataFrame, measures: Sequence[str]) -> pl.DataFrame:
        """Returns the table of negated scores with the signs of the scores themselves, in the rows of the given measures.

        Args:
            table: The table.
            measures: The texts of the measures whose scores were negated.

        Examples:
            >>> class Means(Table):
            ...     measure = Column(str, "the measure")
            ...     mean = Column(float, "a mean score", negated="mean")
            >>> Means.with_own_signs(Means.frame(measure=["a", "b"], mean=[-0.5, 0.5]), ["a"])["mean"].to_list()
            [0.5, 0.5]
        """

        def negated(column: Column) -> pl.Expr:
            return pl.any_horizontal(of_measures(name, measures) for name in {"measure", column.of} & {*table.columns})

        return table.with_columns(
            pl.when(negated(column) & (pl.col(column.negated) == 0.0))
            .then(0.0)  # not -0, which would be printed with its sign
            .when(negated(column))
            .then(-pl.col(column.negated))
            .otherwise(pl.col(name))
            .alias(name)
            for name, column in cls.columns(table.columns).items()
            if column.negated
        )

    @classmethod
    def obeyed_by(cls, table: pl.DataFrame) -> bool:
        """Returns whether a table is valid. Unlike `validate`, this method does not list the failures.

        The method is stricter than `validate`: it also returns False if the keys of two rows have equal hashes, or if a value is NaN.

        Examples:
            >>> class Means(Table):
            ...     mean = Column(float, "a mean score", at_least=0)
            >>> Means.obeyed_by(Means.frame(mean=[0.5])), Means.obeyed_by(Means.frame(mean=[-0.5]))
            (True, False)
        """
        try:
            cls.typed(table)
        except ValueError:
            return False
        columns = cls.columns(table.columns)
        rules = [*cls.rules.values(), *(rule for name, column in columns.items() for rule in column.rules(pl.col(name)).values())]
        holds = [rule.all() for rule in rules] + [pl.col(name).null_count() == 0 for name, column in columns.items() if not column.null]
        if cls.unique:
            holds.append(pl.struct(cls.unique).hash().n_unique() == pl.len())
        return all(table.select(fact.alias(str(number)) for number, fact in enumerate(holds)).row(0))

    @classmethod
    def pandera(cls, names: Iterable[str] | None = None, *, integers: bool = True) -> DataFrameSchema:
        """Returns the pandera schema of the table: the columns in order, their types, and the rules for their values.

        Args:
            names: The columns of a frame, whose optional columns are then required; if None, optional columns may be missing.
            integers: Whether columns of numbers may have a type of integers.
        """
        import pandera.polars as pa  # takes a second to import

        def checks(rules: Mapping[str, pl.Expr]) -> list[pa.Check]:
            return [pa.Check(partial(_holds, rule), name=name) for name, rule in rules.items()]

        declared = {
            name: pa.Column(
                _accepted(each, integers=integers),  # type: ignore[arg-type]  # pandera declares fewer types than it takes
                checks(each.rules(pl.col(name))),
                nullable=bool(each.null),
                required=names is not None or not each.option,
                description=each.text,
            )
            for name, each in cls.columns(names).items()
        }
        unique = list(cls.unique) or None
        return pa.DataFrameSchema(declared, checks(cls.rules), strict=True, ordered=True, unique=unique, name=cls.__name__)

    @classmethod
    def validate(cls, table: pl.DataFrame) -> DataFrame[Self]:
        """Checks the columns, the types and all values of a table.

        Raises:
            pandera.errors.SchemaErrors: The table is invalid; the error lists all failed checks.
        """
        columns = cls.columns(table.columns)
        usual = (pl.col(name).cast(columns[name].widened(dtype)) for name, dtype in table.schema.items() if name in columns)
        cls.pandera(table.columns, integers=False).validate(table.with_columns(usual), lazy=True)
        return cls.typed(table)


def _holds(rule: pl.Expr, data: PolarsData) -> pl.LazyFrame:
    return data.lazyframe.select(rule)


def _accepted(column: Column, *, integers: bool) -> DataType:
    """Returns the pandera type of a column, which also accepts the compact types in which the package holds values, and integers as numbers."""
    from pandera.engines import polars_engine

    def check(_: object, held: pl.DataType, data: object = None) -> bool:
        del data
        return column.widened(held) == column.dtype or (integers and column.type is float and held.is_integer())

    own: DataType = polars_engine.Engine.dtype(column.dtype)
    if column.choices:
        return own
    # pickled by this function, because processes that receive a schema do not know the class
    return cast(
        "DataType",
        type(
            type(own).__name__, (type(own),), {"check": check, "__reduce__": lambda _: (partial(_accepted, column, integers=integers), ())}
        )(),
    )
