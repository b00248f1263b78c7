"""Column names that the caller states with ``columns=`` (``--columns``), including paths into nested records."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import reduce
from types import MappingProxyType
from typing import Final, TypeVar

import polars as pl

from inexmetrics.collection.layout import Layout
from inexmetrics.collection.schemas import FURTHEST
from inexmetrics.collection.structure import UNRESOLVED
from inexmetrics.common.errors import CollectionError, OptionError
from inexmetrics.common.messages import describe, did_you_mean, enumerate_names, plural, with_hint
from inexmetrics.reading.names import understood

__all__ = [
    "JOINED",
    "NO_COLUMNS",
    "OF_BOTH",
    "OF_JUDGEMENTS",
    "OF_RESULTS",
    "check_used",
    "columns_of_frame",
    "joined_names",
    "lists_read",
    "numbers_below",
    "rows_of_records",
    "stated_columns",
    "stated_in",
    "under_our_names",
    "values_below",
]

F = TypeVar("F", pl.DataFrame, pl.LazyFrame)

OF_JUDGEMENTS: Final = (
    *("topic_id", "doc_id", "path", "start", "length", "end", "grade", "assessor"),
    *("exhaustivity", "specificity", "size", "relchars", "docchars", "bep", "text"),
)
"""Columns of tables of judgements."""
OF_RESULTS: Final = ("run_id", "topic_id", "doc_id", "path", "start", "length", "end", "rank", "score", "text")
"""Columns of tables of results."""
OF_BOTH: Final = tuple(dict.fromkeys((*OF_JUDGEMENTS, *OF_RESULTS)))
NO_COLUMNS: Final[Mapping[str, str]] = MappingProxyType({})
"""No column names that the caller stated."""
JOINED: Final = ("run_id", "topic_id", "doc_id")
"""Columns of names that several columns of a table may give together."""
NO_ITEMS: Final[Mapping[tuple[str, ...], object]] = MappingProxyType({})
ABSENT: Final = object()
"""Marks that a record has no value at a path."""


def stated_columns(columns: object, known: Collection[str] | None) -> dict[str, str]:
    """Checks and returns the column names that the caller states: for each name in the tables, the name in this package.

    Args:
        columns: The caller's argument; None for no names. A name with points, such as ``metadata.start_index``, is a path into nested
            records, unless the table has a column of this name.
        known: The columns of this package that the caller may name; None if any name is valid.

    Raises:
        OptionError: `columns` is not a mapping of names, or names an unknown column.

    Examples:
        >>> stated_columns({"metadata.start_index": "start"}, ["start", "end"])
        {'metadata.start_index': 'start'}
    """
    if columns is None:
        return {}
    if not isinstance(columns, Mapping) or not all(isinstance(name, str) for pair in columns.items() for name in pair):
        raise OptionError(f'columns: expected names of columns, as in {{"theirs": "topic_id"}}, found {describe(columns)}')
    for theirs, ours in columns.items():
        if known is not None and ours not in known:
            expected = f"columns: expected one of {', '.join(known)} for {theirs}, found {ours}"
            raise OptionError(with_hint(expected, did_you_mean(ours, known)))
    return dict(columns)


def joined_names(rows: F, columns: Mapping[str, str], what: str, kept: Container[str] = ()) -> tuple[F, dict[str, str]]:
    """Joins columns of a table that the caller states to be one column of names, such as a document and its page.

    Args:
        rows: The table.
        columns: For each stated name in the table, the name in this package.
        what: The table in messages.
        kept: Parts of names that remain columns.

    Returns:
        The table with the joined columns in place of their parts, and the stated names with each joined name in place of its parts.

    Raises:
        CollectionError: A part contains lists or records.

    Examples:
        >>> pages = pl.DataFrame({"document": ["a", "b"], "page": [7, 8], "q": ["1", "1"]})
        >>> stated = {"document": "doc_id", "page": "doc_id", "q": "topic_id"}
        >>> rows, columns = joined_names(pages, stated, "runs")
        >>> columns, rows.rows()
        ({'document/page': 'doc_id', 'q': 'topic_id'}, [('1', 'a/7'), ('1', 'b/8')])
    """
    schema = rows.collect_schema()
    found, joined = dict[str, str](), dict[str, pl.Expr]()
    parts = list[str]()
    for theirs, ours in columns.items():
        together = [name for name, other in columns.items() if other == ours and name in schema]
        if ours not in JOINED or theirs not in together or len(together) == 1:
            found[theirs] = ours
            continue
        if schema[theirs].is_nested() or schema[theirs].is_object():
            raise CollectionError(f"{theirs}: expected names to join, found lists or records", file=what)
        found["/".join(together)] = ours
        joined["/".join(together)] = pl.concat_str([_as_name(name, schema[name]) for name in together], separator="/")
        parts += [] if theirs in kept else [theirs]
    return rows.with_columns(**joined).drop(parts) if joined else rows, found


def _as_name(column: str, dtype: pl.DataType) -> pl.Expr:
    """Returns the values of a column as parts of names: floats of whole numbers have no decimals, and those that lost digits are no names."""
    cells = pl.col(column)
    if not dtype.is_float():
        return cells.cast(pl.String).replace("", None)
    return pl.when(cells.abs() < FURTHEST).then(cells).cast(pl.String).str.strip_suffix(".0")


def under_our_names(rows: F, columns: Mapping[str, str], what: str) -> tuple[F, dict[str, str]]:
    """Returns a table under our names of the columns that the caller states, and what these columns are called in messages.

    A column that has such a name already is not read. Passages with a start and a text, but neither a length nor an end, get the lengths of
    the texts.

    Raises:
        CollectionError: Two columns of the table are stated to be the same column, and are not names that can be joined.

    Examples:
        >>> rows, called = under_our_names(
        ...     pl.DataFrame({"frage": ["1"], "docno": ["a"]}), {"frage": "topic_id"}, "a.csv"
        ... )
        >>> rows.columns, called
        (['topic_id', 'docno'], {'topic_id': 'frage'})
    """
    rows, columns = joined_names(rows, columns, what)
    header = rows.collect_schema().names()
    called = dict[str, str]()
    for theirs, ours in columns.items():
        if theirs in header and called.setdefault(ours, theirs) != theirs:
            raise CollectionError(f"{what}: columns: expected one column for {ours}, found {called[ours]} and {theirs}")
    names = {theirs: ours for ours, theirs in called.items() if theirs != ours}
    if names:
        rows = rows.drop(ours for ours in names.values() if ours in header and ours not in names).rename(names)
    schema = rows.collect_schema()
    own = understood(schema)
    if (length := length_of_text(own)) is not None and schema[own["text"]] == pl.String:
        return rows.with_columns(length), called | {"length": f"the length of {called.get('text', own['text'])}"}
    return rows, called


def paths_in(columns: Iterable[str], header: Collection[str]) -> dict[str, list[str]]:
    """Returns the paths among stated names: those with points that are not names of columns themselves, each with its parts.

    Examples:
        >>> paths_in(["meta.start", "a.b", "docno"], ["meta", "a.b", "docno"])
        {'meta.start': ['meta', 'start']}
    """
    paths = {name: name.split(".") for name in columns if "." in name and name not in header}
    return {name: parts for name, parts in paths.items() if parts[0] in header}


def at_path(record: object, parts: Sequence[str], items: Mapping[tuple[str, ...], object] = NO_ITEMS) -> object:
    """Returns the value at a path in a nested record: keys of dictionaries, and positions in lists; `ABSENT` if there is none.

    Args:
        record: The record.
        parts: The parts of the path.
        items: Values that stand for those at some paths: an item for a list.

    Examples:
        >>> at_path({"metadata": {"spans": [{"start": 7}]}}, ["metadata", "spans", "0", "start"])
        7
    """
    for depth, part in enumerate(parts, start=1):
        if isinstance(record, Mapping) and part in record:
            record = record[part]
        elif isinstance(record, list) and part.isdecimal() and int(part) < len(record):
            record = record[int(part)]
        else:
            return ABSENT
        record = items.get(tuple(parts[:depth]), record) if items else record
    return record


def rows_of_records(
    records: Sequence[Mapping[str, object]], columns: Collection[str], beside: Collection[str] = (), *, check: bool = True
) -> tuple[list[tuple[int, dict[str, object]]], list[str]]:
    """Returns the rows in nested records, with the values at the stated paths as columns, and the lists whose items are rows.

    If a stated name or path leads through a list, each item of the list is a row, which repeats the other values of the record.

    Args:
        records: The records.
        columns: The names that the caller states.
        beside: Paths whose values, other than lists and records, are columns, too; they lead through no other list than `columns` do.
        check: Whether a position in a path that drops other items of a list is an error.

    Returns:
        For each row, the index of its record and its values; and the paths of the lists.

    Raises:
        CollectionError: Two lists of a record would be combined, or a position in a path drops the other items of a list.

    Examples:
        >>> records = [{"qid": "1", "hits": [{"id": "a"}, {"id": "b"}]}]
        >>> rows, lists = rows_of_records(records, ["hits.id"])
        >>> [(number, row["qid"], row["hits.id"]) for number, row in rows], lists
        ([(0, '1', 'a'), (0, '1', 'b')], ['hits'])
    """
    rows: list[tuple[int, dict[str, object]]] = []
    lists: dict[str, None] = {}
    dropped: dict[str, list[int]] = {}
    for number, record in enumerate(records):
        paths = paths_in(columns, record) | {name: [name] for name in columns if name in record}
        for items in _items(record, list(paths.values()), {}):
            lists |= dict.fromkeys(".".join(parts) for parts in items)
            for parts, count in _beside(record, list(paths.values()), items) if check else ():
                dropped.setdefault(".".join(parts), []).append(count)
            found = {path: at_path(record, parts, items) for path, parts in paths.items()}
            others = {path: at_path(record, path.split("."), items) for path in beside if path not in paths}
            found |= {path: value for path, value in others.items() if not isinstance(value, list | Mapping)}
            rows.append((number, {**record, **{path: value for path, value in found.items() if value is not ABSENT}}))
    for path, counts in dropped.items():
        expected = "columns: expected paths that read all items of a list, found a position that drops"
        found_items = f"{plural(sum(counts), 'item')} of {path} in {plural(len(counts), 'record')}"
        raise CollectionError(f"{expected} {found_items}; a path without the position reads each item as a row")
    return rows, list(lists)


def lists_read(lists: Iterable[str]) -> tuple[str, ...]:
    """Returns what results say about lists whose items are rows."""
    return tuple(f"each item of {name} is a row" for name in lists)


def _items(
    record: Mapping[str, object], paths: Sequence[Sequence[str]], read: Mapping[tuple[str, ...], object]
) -> Iterator[Mapping[tuple[str, ...], object]]:
    """Yields an item of each list that a path leads through without a position, by the path of the list, for each combination."""
    for parts in paths:
        for depth in range(1, len(parts) + 1):
            value, there = at_path(record, parts[:depth], read), tuple(parts[:depth])
            if not isinstance(value, list) or (depth < len(parts) and parts[depth].isdecimal()):
                continue
            kinds = {*map(type, value)}
            if depth == len(parts) and kinds - {str} and kinds - {int, float}:
                continue  # a list of other values, such as a pair of a name and a number, is not a list of names or numbers
            outer = next(reversed([*read]), ())
            if there[: len(outer)] != outer:
                found = enumerate_names([".".join(outer), ".".join(there)])
                raise CollectionError(f"columns: expected paths through one list, or through lists within each other, found {found}")
            for item in value:
                yield from _items(record, paths, {**read, there: item})
            return
    yield read


def _beside(record: object, paths: Sequence[Sequence[str]], items: Mapping[tuple[str, ...], object]) -> Iterator[tuple[Sequence[str], int]]:
    """Yields each list of values of one type in which paths name positions, with the number of its other items."""
    named: dict[tuple[str, ...], set[str]] = {}
    for parts in paths:
        for depth in range(1, len(parts)):
            if parts[depth].isdecimal():
                named.setdefault(tuple(parts[:depth]), set()).add(parts[depth])
    for parts, positions in named.items():
        value = at_path(record, parts, items)
        if isinstance(value, list) and len({*map(type, value)}) == 1 and len(value) > len(positions):
            yield parts, len(value) - len(positions)


def values_below(name: str, value: object) -> Iterator[tuple[str, object]]:
    """Yields the name of a value, or the paths of values in nested records, each with the value; lists are left out.

    Examples:
        >>> list(values_below("metadata", {"page": "7", "tags": ["x"], "scores": {"dense": 0.5}}))
        [('metadata.page', '7'), ('metadata.scores.dense', 0.5)]
    """
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from values_below(f"{name}.{key}", inner)
    elif not isinstance(value, list):
        yield name, value


def numbers_below(name: str, value: object) -> Iterator[str]:
    """Yields the name of a value that is a number, and the paths of numbers in nested records."""
    for path, each in values_below(name, value):
        with suppress(ValueError):
            float(str(each))
            yield path


def columns_of_frame(schema: Mapping[str, pl.DataType], columns: Iterable[str]) -> dict[str, pl.Expr] | None:
    """Returns an expression for each path into the structs of a frame; None if a stated column or path leads through a list."""
    found = {}
    for name, (first, *rest) in (paths_in(columns, schema.keys()) | {name: [name] for name in columns if name in schema}).items():
        dtype: object = schema[first]
        for part in rest:
            fields = {field.name: field.dtype for field in dtype.fields} if isinstance(dtype, pl.Struct) else {}
            dtype = dtype if isinstance(dtype, pl.List) else fields.get(part)
        if isinstance(dtype, pl.List):
            return None
        if rest and dtype is not None:
            found[name] = reduce(lambda value, part: value.struct.field(part), rest, pl.col(first)).alias(name)
    return found


def length_of_text(own: Mapping[str, str]) -> pl.Expr | None:
    """Returns the lengths of passages that have a start and a text, but neither a length nor an end; None for other tables.

    LangChain states the start of a chunk and its text. The length is then the number of characters of the text, and -1 (unknown) without a
    text and a position.

    Args:
        own: The known columns of the table, each with its name in the table.

    Examples:
        >>> chunks = pl.DataFrame(
        ...     {"start_index": [4, -1, None], "page_content": ["a text", "another", "third"]}
        ... )
        >>> length = length_of_text({"start": "start_index", "text": "page_content"})
        >>> chunks.select(length).to_series().to_list()
        [6, 7, None]
    """
    if not {"start", "text"} <= own.keys() or {"length", "end"} & own.keys():
        return None
    start = pl.col(own["start"]).cast(pl.Float64, strict=False).fill_nan(None)
    length = pl.col(own["text"]).str.len_chars().cast(pl.Int64)
    return pl.when(start < 0).then(length.fill_null(UNRESOLVED)).when(start.is_not_null()).then(length).alias("length")


def stated_in(layouts: Iterable[Layout], theirs: str, ours: str) -> bool:
    """Returns whether a stated column was read from a table, alone or joined with others."""
    names = (name for layout in layouts for known, name in layout.columns if known == ours)
    return any(f"/{theirs}/" in f"/{name}/" for name in names)


def check_used(columns: Mapping[str, str], layouts: Iterable[Layout]) -> None:
    """Checks that every stated column was read from at least one table.

    Raises:
        CollectionError: A stated column is in no table, or no input is a table.
    """
    tables = [layout for layout in layouts if layout.columns]
    if unused := [f"{theirs}={ours}" for theirs, ours in columns.items() if not stated_in(tables, theirs, ours)]:
        found = (
            "found only formats without named columns"
            if not tables
            else "found none in " + enumerate_names([table for layout in tables for table in layout.tables])
        )
        raise CollectionError(f"columns= (--columns): expected a table with the column of {enumerate_names(unused)}, {found}")
