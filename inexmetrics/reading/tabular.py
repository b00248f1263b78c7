"""Converts tables in memory to polars frames."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from decimal import Decimal
from numbers import Number
from os import PathLike
from typing import Any, Final, Protocol, TypeAlias, TypeGuard, TypeVar, runtime_checkable

import numpy as np
import polars as pl

from inexmetrics.collection.schemas import FURTHEST
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import enumerate_names, plural, shortened
from inexmetrics.reading.column_types import WHITE
from inexmetrics.reading.names import understood
from inexmetrics.reading.scores.column_facts import cells_of, says_of_failures
from inexmetrics.reading.stated_columns import columns_of_frame, rows_of_records
from inexmetrics.terms.parameter_types import is_iterable

__all__ = [
    "AnyTable",
    "ArrowTable",
    "Frame",
    "Nested",
    "NestedTable",
    "check_names",
    "from_columns",
    "has_pairs",
    "is_by_topic",
    "is_columns",
    "is_indexed",
    "is_nested",
    "is_split",
    "of_split",
    "refuse_lists",
    "tabular",
    "unnested",
    "with_paths",
    "without_blanks",
]


UNREADABLE: Final = (TypeError, ValueError, OverflowError, AttributeError, pl.exceptions.PolarsError, pl.exceptions.PanicException)
"""Errors that polars raises for values that it cannot store in a column."""
PLAIN: Final = {str, int, float, bool, type(None)}
"""Python's built-in types for strings, numbers and missing values."""


@runtime_checkable
class ArrowTable(Protocol):
    """A frame that exports its columns as an Arrow stream, as pandas, pyarrow, DuckDB and narwhals do."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Returns the frame as a stream of Arrow arrays."""


class NestedTable(Protocol):
    """An object of ranx, or a similar object, that exports grades or scores as nested dictionaries.

    Attributes:
        name: The name of the run.
    """

    name: str | None

    def to_dict(self) -> Mapping[str, Mapping[str, float]]:
        """Returns grades or scores by topic and document."""


K = TypeVar("K")

Nested: TypeAlias = Mapping[str, Mapping[str, float | np.floating[Any] | np.integer[Any]]]
"""Grades or scores as nested dictionaries, by topic and document."""

Frame: TypeAlias = pl.DataFrame | pl.LazyFrame | ArrowTable
"""A table that is a single object: a polars frame, or any object that exports Arrow columns (pandas, pyarrow, DuckDB)."""
AnyTable: TypeAlias = Frame | Iterable[object]
"""A table: a frame, an iterable of rows with named values (named tuples, dataclasses or mappings), or a dictionary of columns."""


def is_nested(table: object) -> TypeGuard[NestedTable]:
    """Returns whether a value is a `NestedTable`, and not a frame or a row that has a method ``to_dict``."""
    named = hasattr(table, "to_dict") and hasattr(table, "name")
    return named and not isinstance(table, Mapping | type) and not isinstance(table, Frame) and not is_dataclass(table)


def is_structured(table: object) -> TypeGuard[np.ndarray[tuple[int], np.dtype[np.void]]]:
    """Returns whether a value is a one-dimensional structured numpy array, in which each row has named values."""
    return isinstance(table, np.ndarray) and table.dtype.names is not None and table.ndim == 1


def is_columns(table: Mapping[K, object]) -> bool:
    """Returns whether a dictionary represents a table: values by column name, or one of the forms that pandas makes.

    Examples:
        >>> is_columns({"query_id": ["1", "2"], "score": [0.5, None]}), is_columns({"1": {"a": 0.5}})
        (True, False)
    """
    if is_split(table) or is_indexed(table):
        return True
    return bool(table) and all(
        all(value is None or isinstance(value, (str, Number, np.generic)) for value in values)
        if isinstance(values, (list, tuple))
        else len(getattr(values, "shape", ())) == 1 and not is_structured(values)
        for values in table.values()
    )


def is_split(value: Mapping[K, object]) -> bool:
    """Returns whether a dictionary represents a table by its columns and data, as pandas does."""
    return {"columns", "data"} <= value.keys() <= {"columns", "data", "index"}


def of_split(value: Mapping[str, object], what: str) -> pl.DataFrame:
    """Returns the table that a dictionary represents by its columns and data, and by its index if that is not a numbering."""
    names, rows, index = value["columns"], value["data"], value.get("index")
    if not isinstance(names, list | tuple) or not isinstance(rows, list | tuple) or not all(isinstance(row, list | tuple) for row in rows):
        raise CollectionError("expected lists of columns and of rows under columns and data, found other values", file=what)
    if wrong := [row for row in rows if len(row) != len(names)]:
        text = f"expected {plural(len(names), 'value')} in each row of data, as in columns, found a row of {len(wrong[0])}"
        raise CollectionError(text, file=what)
    _check_columns(names, what)
    columns: dict[str, list[object]] = {name: [row[place] for row in rows] for place, name in enumerate(map(str, names))}
    frame = from_columns(columns)
    if isinstance(index, list | tuple) and list(index) != list(range(len(rows))) and "" not in columns:
        return frame.insert_column(0, from_columns({"index": list(index)}).to_series().alias(""))
    return frame


def is_indexed(table: Mapping[K, object]) -> bool:
    """Returns whether a dictionary represents a table of judgements or results by column and index, or by index and column, as in pandas.

    Examples:
        >>> is_indexed({"qid": {0: "1"}, "docno": {0: "a"}}), is_indexed({"1": {"a": 0.5}})
        (True, False)
        >>> is_indexed({0: {"qid": "1", "docno": "a"}})
        True
    """
    first = next(iter(table.values()), None)
    if not isinstance(first, Mapping) or not all(isinstance(values, Mapping) for values in table.values()):
        return False
    return has_pairs(table) or (has_pairs(first) and all(isinstance(value, str | Number | None) for value in first.values()))


def has_pairs(names: Iterable[object]) -> bool:
    """Returns whether columns of topics and of documents are among names."""
    return understood(map(str, names)).keys() >= {"topic_id", "doc_id"}


def is_by_topic(source: Mapping[K, object]) -> bool:
    """Returns whether a dictionary contains grades or scores by topic and document, and not tables by the names of runs or assessors.

    Examples:
        >>> is_by_topic({"1": {"a": 0.5}, "2": {}}), is_by_topic({"bm25": {"1": {"a": 0.5}}})
        (True, False)
    """
    return all(
        isinstance(value, Mapping) and not is_columns(value) and not any(isinstance(inner, Mapping) for inner in value.values())
        for value in source.values()
    )


def tabular(table: object, what: str, columns: Collection[str] = (), beside: Collection[str] = ()) -> pl.DataFrame:
    """Converts a table to a polars frame.

    Args:
        table: A frame, or an iterable of rows with named values.
        what: A noun for the contents of the table, used in error messages.
        columns: Names of columns that the caller stated. Paths into nested records become columns.
        beside: Further paths, as in `rows_of_records`.

    Raises:
        CollectionError: `table` is not a table, a row does not have named values, or the names in a row differ from the names in the first
            row.
    """
    if isinstance(table, pl.DataFrame | pl.LazyFrame | ArrowTable):
        frame = table.lazy().collect() if isinstance(table, pl.DataFrame | pl.LazyFrame) else _from_arrow(table, what)
        return with_paths(frame.lazy(), columns, beside).collect() if columns else frame
    if is_structured(table):  # as from np.genfromtxt(names=True)
        return from_columns({name: table[name].tolist() for name in table.dtype.names or ()})
    if isinstance(table, Mapping) and is_columns(table):
        if is_split(table):
            return of_split(table, what)
        if is_indexed(table):
            if not has_pairs(table):
                return tabular([*table.values()], what, columns, beside)
            table = {name: list(values.values()) for name, values in table.items()}
        _check_columns(table, what)
        lengths = {str(name): len(values) for name, values in table.items()}
        if len(set(lengths.values())) > 1:
            found = ", ".join(f"{length} in {name}" for name, length in lengths.items())
            raise CollectionError(f"{what}: expected the same number of values in each column, found {found}")
        return from_columns({str(name): list(values) for name, values in table.items()})
    if isinstance(table, (str, bytes, Mapping, PathLike)) or not is_iterable(table):
        raise _no_table(table, what)
    return _from_rows(_with_paths(table, columns, beside), what)


def with_paths(rows: pl.LazyFrame, columns: Collection[str], beside: Collection[str] = ()) -> pl.LazyFrame:
    """Returns a frame with a column for each stated path into its records, as `rows_of_records` does."""
    paths = columns_of_frame(rows.collect_schema(), (*columns, *beside))
    if paths is None:  # a path leads through a list
        return _from_rows(_with_paths(rows.collect().to_dicts(), columns, beside), "rows").lazy()
    return rows.with_columns(**paths)


def unnested(source: Mapping[K, object], value: str, what: str) -> pl.DataFrame:
    """Converts nested dictionaries ``{topic: {document: value}}`` to a table with columns topic_id, doc_id and a column named `value`.

    Raises:
        CollectionError: A value is not a dictionary, a name is neither a string nor an integer, or a name occurs twice, as a string and as
            an integer.
    """
    check_names("topics", source, what)
    topics: list[str] = []
    documents: list[str] = []
    values: list[object] = []
    for topic, inner in source.items():
        if not isinstance(inner, Mapping):
            expected = f"expected a dictionary of documents for topic {topic}"
            raise CollectionError(f"{what}: {expected}, found a Python {type(inner).__name__}")
        check_names("documents", inner, what)
        refuse_lists(inner, what)
        topics += [str(topic)] * len(inner)
        documents += map(str, inner)
        values += inner.values()
    return from_columns({"topic_id": topics, "doc_id": documents, value: values})


def refuse_lists(table: Mapping[K, object], what: str, columns: Collection[str] = ()) -> None:
    """Raises `CollectionError` for lists of documents by topic, without a column that is known or stated in `columns`."""
    first = next(iter(table.values()), None)
    if not isinstance(first, list | tuple | set) or {*map(type, table.values())} - {list, tuple, set}:
        return
    if not any(isinstance(each, Mapping) for each in first) and not understood(map(str, table)) and table.keys().isdisjoint(columns):
        found = f"found lists under {enumerate_names([*map(str, table)])}"
        way = "write {topic: {document: value}}, with decreasing scores for a ranking, or name columns with columns= (--columns)"
        raise CollectionError(f"{what}: expected columns, or values by topic and document, {found}; {way}")


def _check_columns(names: Iterable[object], what: str) -> None:
    if twice := [name for name, count in Counter(map(str, names)).items() if count > 1]:
        raise CollectionError(f"expected each column once, found {enumerate_names(twice)} twice", file=what)


def check_names(of: str, names: Collection[object], what: str) -> None:
    """Raises `CollectionError` if a name is not a string or an integer, or if two are the same name, such as a string and an integer."""
    kinds = set(map(type, names))
    for kind in kinds:
        if not issubclass(kind, (str, int, np.integer)) or issubclass(kind, bool):
            raise CollectionError(f"{what}: expected strings or integers as names of {of}, found a Python {kind.__name__}")
    if of == "documents" and len(kinds) == 1:
        return  # a document that occurs twice but for blanks is a result, or a judgement, that occurs twice
    if twice := [name for name, count in Counter(without_blanks(name) for name in names).items() if count > 1]:
        how = "as text and as an integer" if len(kinds) > 1 else "with and without blanks around it"
        raise CollectionError(f"{what}: expected each {of[:-1]} once, found {enumerate_names(twice)} {how}")


def without_blanks(name: object) -> str:
    """Returns a name as text without white space around it, as the names in columns are read."""
    return str(name).strip(WHITE)


def _no_table(table: object, what: str) -> CollectionError:
    hint = "; read_assessments and read_runs read files" if isinstance(table, (str, PathLike)) else ""
    return CollectionError(f"{what}: expected a data frame, or rows with named values, found a Python {type(table).__name__}{hint}")


def _from_arrow(table: ArrowTable, what: str) -> pl.DataFrame:
    names = getattr(getattr(table, "index", None), "names", ())
    if any(name is not None and name not in getattr(table, "columns", ()) for name in names):
        table = getattr(table, "reset_index", lambda: table)()  # a named index of a pandas frame is converted to a column
    try:
        return pl.DataFrame(table).rename(_of_level)
    except (ImportError, NotImplementedError, *UNREADABLE) as error:
        # pandas exports Arrow columns only if pyarrow is installed, and cannot export complex numbers or columns that mix numbers and
        # strings, such as exhaustivity (2, "?"). Frames that pandas cannot export are converted to lists of values first.
        if len(getattr(table, "shape", ())) == 1:
            raise _no_table(table, what) from None
        if (listing := getattr(table, "to_dict", None)) is None:
            text = f"{what}: expected a data frame of numbers and strings, found a data frame that cannot be read: {error}"
            raise CollectionError(text) from error
        _check_columns(getattr(table, "columns", ()), what)
        return from_columns({_of_level(str(name)): values for name, values in listing(orient="list").items()})


def _of_level(name: str) -> str:
    """Returns the name of a column of which pandas writes only the first of several levels: ``('model', '')`` is *model*."""
    return re.sub(r"""^\((['"])(.*)\1(?:, '')+\)$""", r"\2", name)


def _with_paths(rows: Iterable[object], columns: Collection[str], beside: Collection[str]) -> Iterable[object]:
    """Adds a value for each path into nested records to rows that are mappings; the nested records themselves are removed."""
    if not columns:
        return rows
    rows = list(rows)
    mappings = [row for row in rows if isinstance(row, Mapping)]
    if len(mappings) < len(rows):
        return rows
    found = [row for _, row in rows_of_records(mappings, columns, beside)[0]]
    names = {str(name) for row in mappings for name in row}
    firsts = {path.partition(".")[0] for path in (*columns, *beside) if path not in names and any(path in row for row in found)}
    return [{name: value for name, value in row.items() if name not in firsts} for row in found]


def _from_rows(rows: Iterable[object], what: str) -> pl.DataFrame:
    """Builds a table from rows with named values. As in JSON Lines, a value that a mapping lacks is missing; other rows have equal names."""
    read: list[Mapping[str, object]] = []
    for number, row in enumerate(rows):
        if isinstance(row, Mapping):
            read.append({str(name): value for name, value in row.items()})
            if len(read[-1]) < len(row):
                _check_columns(row, f"{what}: row {number}")
            continue
        if isinstance(row, tuple) and hasattr(row, "_fields"):
            read.append(dict(zip(row._fields, row, strict=True)))
        elif is_dataclass(row) and not isinstance(row, type):
            read.append({field.name: getattr(row, field.name) for field in fields(row)})
        else:
            expected = "expected named values (a named tuple, dataclass or mapping)"
            raise CollectionError(f"{what}: row {number}: {expected}, found a Python {type(row).__name__}")
        if read[-1].keys() != read[0].keys():
            expected = f"expected the columns {enumerate_names([*read[0]])} as in row 0"
            raise CollectionError(f"{what}: row {number}: {expected}, found {enumerate_names([*read[-1]])}")
    columns = {name: [row.get(name) for row in read] for name in dict.fromkeys(name for row in read for name in row)}
    return from_columns({name: cells_of(name, values) if says_of_failures(name) else values for name, values in columns.items()})


def from_columns(columns: Mapping[str, Sequence[object]]) -> pl.DataFrame:
    """Builds a table from columns of values; if the values in a column have several types, they are converted to strings."""
    return pl.DataFrame([_column(name, values) for name, values in columns.items()])


def _column(name: str, values: Sequence[object]) -> pl.Series:
    """Returns a column of numbers or strings; mixed numbers and strings become strings, and other types make the column invalid."""
    if {*map(type, values)} - PLAIN:  # polars infers the type from the first numpy scalar, and stores 2.5 as 1 if that scalar is a boolean
        values = [
            value.item() if isinstance(value, np.generic) or (type(value) is np.ndarray and value.ndim == 0) else value for value in values
        ]
    kinds = {*map(type, values)}
    if bool in kinds and kinds & {int, float} and not kinds - {bool, int, float, type(None)}:
        if float not in kinds and not {*values} <= {0, 1, None}:  # such as offsets, among which a truth value is not a number
            return pl.Series(name, [None if value is None else str(value) for value in values], dtype=pl.String)
        values = [int(value) if isinstance(value, bool) else value for value in values]
    # If a column contains both floats and large integers, polars rounds the integers to the nearest float.
    rounded = float in map(type, values) and any(type(value) is int and abs(value) > FURTHEST for value in values)
    with suppress(*UNREADABLE):
        if not rounded:
            return pl.Series(name, values, dtype=None if values else pl.String, strict=True)
    if not all(value is None or isinstance(value, str | Number) for value in values):
        return pl.Series(name, [None] * len(values), dtype=pl.Object)
    texts: list[str | None] = []
    for value in values:
        if isinstance(value, str):
            texts.append(str.__str__(value))  # stores the value of an enumeration member, not its name
        elif value is None or (isinstance(value, float | Decimal) and math.isnan(value)):  # pandas marks missing values by NaN
            texts.append(None)
        else:
            texts.append(str(int(value) if isinstance(value, float) and value.is_integer() else value))
    try:
        return pl.Series(name, texts, dtype=pl.String)
    except UnicodeEncodeError as error:
        raise CollectionError(f"{name}: expected text that UTF-8 can encode, found {shortened(ascii(error.object))}") from error
