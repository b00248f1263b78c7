"""Converts scores in JSON files and in Python values to tables: records, nested dictionaries, and the forms that pandas writes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

import polars as pl

from inexmetrics.collection.layout import Role
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import enumerate_names, option
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.files import text_of
from inexmetrics.reading.findings import Findings, about
from inexmetrics.reading.formats import foreign_json
from inexmetrics.reading.json_files import records_of_lines, single_value
from inexmetrics.reading.names import headings
from inexmetrics.reading.scores.columns import texts
from inexmetrics.reading.scores.failed_calls import beside_scores, cells_of, says_of_failures
from inexmetrics.reading.scores.stated import Stated
from inexmetrics.reading.stated_columns import lists_read, rows_of_records
from inexmetrics.reading.tabular import check_names, from_columns, is_columns, is_split, of_split, tabular, without_blanks
from inexmetrics.terms.lexicon import like_a_measure

__all__ = ["json_scores", "tables_in"]

Named: TypeAlias = tuple[Unchecked, str, str | None]
"""A table, the name of its run if no column names runs, and the column that contains the index of a pandas frame, if any."""
ONLY_RUN: Final = "run"
"""Name of the run of a table in memory if no column names runs."""
SHAPES: Final = "lines or an array of records, {run: {topic: score}}, or an object with columns and data"


def json_scores(raw: bytes, file: str, stated: Stated, findings: Findings) -> Unchecked:
    """Returns the table in a JSON file.

    Raises:
        CollectionError: The values are not scores by run and topic, a line is not a record, or a name occurs twice in an object.
    """
    text_of(raw, file)  # rejects values that are not text
    with about(file):
        value = single_value(raw)
    told = Findings()
    numbered = [] if value is not None else [*records_of_lines(raw, file, told)]
    if value is None and not numbered:
        raise CollectionError(told.rows[0])  # the other lines probably have the same problem
    record = numbered[0][1] if numbered else value[0] if isinstance(value, list) and value else value
    if isinstance(record, dict) and (foreign := foreign_json(record, stated.paths)):
        raise CollectionError(f"expected scores in JSON ({SHAPES}), found {foreign}", file=file)
    if numbered:
        findings.add(told)
        return _of_records([record for _, record in numbered], stated, file, [line for line, _ in numbered])
    if isinstance(value, dict) and value and not any(isinstance(inner, dict | list) for inner in value.values()):
        value = [value]
    records = isinstance(value, list) and value and all(isinstance(row, dict) for row in value)
    if records or (isinstance(value, dict) and value and (is_split(value) or all(isinstance(inner, dict) for inner in value.values()))):
        return _table(value, file, stated)
    kind = "an object" if isinstance(value, dict) else "an array"
    names = f" with {enumerate_names(list(value))}" if isinstance(value, dict) and value else ""
    raise CollectionError(f"expected scores in JSON ({SHAPES}), found {kind}{names}", file=file)


def _table(value: object, what: str, stated: Stated) -> Unchecked:
    """Returns the table in rows with named values, in nested dictionaries, or in a dictionary with columns and data."""
    if not isinstance(value, Mapping):
        assert isinstance(value, list), "values of other types are no tables"
        return _of_records(value, stated, what)
    frame = of_split(value, what) if is_split(value) else nested_scores(value, what, stated)
    return Unchecked(frame, what, notes=("read as {run: {topic: score}}",) if frame.columns[:2] == ["run_id", "topic_id"] else ())


def tables_in(source: object, what: str, stated: Stated) -> Iterator[Named]:
    """Yields the tables in a value, each with the name of its run, if no column names runs.

    A value is a frame, rows with named values, a dictionary of columns, ``{run: {topic: score}}``, ``{run: table}``, or a dictionary with
    columns and data, as pandas makes it.

    Raises:
        CollectionError: The value does not contain a table.
    """
    if isinstance(source, Mapping) and source and (is_split(source) or not is_columns(source)):
        check_names("runs", source, what)
        if is_split(source) or all(
            isinstance(inner, Mapping) and not is_columns(inner) and not is_split(inner) for inner in source.values()
        ):
            table = _table(source, what, stated)
            yield table, ONLY_RUN, "" if "" in table.frame.columns else None
        else:
            for name, inner in source.items():
                for found, _, index in tables_in(inner, f"run {name}", stated):
                    yield found, without_blanks(name), index
    else:
        frame, index = _with_index(source, tabular(source, what, stated.read, [*beside_scores(stated)]))
        yield Unchecked(frame, what), ONLY_RUN, index


def _of_records(records: Sequence[Mapping[str, object]], stated: Stated, file: str, lines: Sequence[int] | None = None) -> Unchecked:
    """Returns a table of records; `lines` are the lines of the records in the file, if each is on one line.

    A name with points in an option is a path into nested records, such as ``evaluation.score``. Nested values that no option names are not
    read, and values that a record lacks are missing.
    """
    with about(file):
        rows, read = rows_of_records(records, stated.read, [*beside_scores(stated)])
    names = dict.fromkeys(name for _, row in rows for name in row)
    flat = [name for name in names if says_of_failures(name) or not any(isinstance(row.get(name), dict | list) for _, row in rows)]
    frame = from_columns({name: cells_of(name, [row.get(name) for _, row in rows]) for name in flat})
    numbers = None if lines is None else [lines[place] for place, _ in rows]
    return Unchecked(frame, file, numbers, elsewhere=_nested(records), notes=lists_read(read))


def _nested(records: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """Returns the values that are read only if an option names them: paths below the first record, and lists and records in all."""
    below = [(name, inner) for name, inner in records[0].items() if isinstance(inner, dict)]
    paths = {f"{name}.{key}": value for name, inner in below for key, value in inner.items() if not isinstance(value, dict | list)}
    return paths | {name: value for record in reversed(records) for name, value in record.items() if isinstance(value, dict | list)}


def _with_index(source: object, frame: pl.DataFrame) -> tuple[pl.DataFrame, str | None]:
    """Returns a frame with the index of a pandas frame as a column, and the name of this column; an index that counts rows is left."""
    index = getattr(source, "index", None)
    names = list(getattr(index, "names", ()))
    rows = list(index) if len(names) == 1 and isinstance(index, Iterable) else []
    if not names or not rows or (names == [None] and rows == list(range(len(rows)))):
        return frame, None
    heading = "" if names[0] is None else str(names[0])
    return frame if heading in frame.columns else frame.insert_column(0, pl.Series(heading, rows, strict=False)), heading


SCORES: Final[Role] = "scores"


def nested_scores(value: Mapping[str, Mapping[str, object]], what: str, stated: Stated) -> pl.DataFrame:
    """Returns the table in ``{run: {topic: score}}``; a score may be a record with several values.

    If the options name measures, ``{topic: {measure: score}}`` and ``{measure: {topic: score}}`` are tables with topics in rows. If a
    heading states that the dictionaries are the columns or the rows of a table of pandas, the table is returned.

    Raises:
        CollectionError: The names of topics or of runs are those of measures.
    """
    check_names("runs", value, what)
    inner: dict[str, dict[str, object]] = {}
    for run, topics in value.items():
        check_names("topics", topics, what)
        inner[str(run)] = {str(topic): score for topic, score in topics.items()}
    by_column = _transposed(inner)
    for table in (inner, by_column):
        if (found := _of_columns(table)) is not None and (table is inner or _numbered(inner)):
            return found
    for by_measure in (by_column, inner):
        named = [*stated.measures, *(name for name in stated.asked if not stated.measures)]
        if named and by_measure.keys() >= {*named} and "topic_id" not in by_measure:
            return _wide(by_measure, "topic_id")
    _refuse_measures(by_column, inner, what, stated)
    return _of_runs(inner, what)


def _transposed(inner: Mapping[str, Mapping[str, object]]) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    for first, values in inner.items():
        for second, value in values.items():
            found.setdefault(second, {})[first] = value
    return found


def _numbered(names: Iterable[str]) -> bool:
    """Returns whether all names are whole numbers, as those of rows in pandas are."""
    return all(re.fullmatch("[0-9]+", name) for name in names)


def _of_columns(table: Mapping[str, Mapping[str, object]]) -> pl.DataFrame | None:
    """Returns the table whose columns are dictionaries; None if no column contains names.

    A column of names has a heading of topics or runs, or text beside rows that are numbered.
    """
    known = {heading for ours in ("topic_id", "run_id") for heading in headings(ours, SCORES)}
    headed = {name for name in table if name.strip().lower() in known}
    kinds = {type(each) for values in table.values() for each in values.values()}
    if len(table) < 2 or not (headed or str in kinds) or any(issubclass(kind, Mapping) for kind in kinds):
        return None
    frame = _wide(table, None)
    words = texts(frame, frame.columns)
    return frame if headed.intersection(words) or (_numbered(next(iter(table.values()))) and (headed or words)) else None


def _wide(table: Mapping[str, Mapping[str, object]], rows: str | None) -> pl.DataFrame:
    """Returns the table with these columns; `rows` is the heading of a column with the names of the rows, or None to leave them out."""
    names = list(dict.fromkeys(row for values in table.values() for row in values))
    first: dict[str, Sequence[object]] = {} if rows is None else {rows: names}
    return from_columns(first | {name: [values.get(row) for row in names] for name, values in table.items()})


def _refuse_measures(
    by_topic: Mapping[str, Mapping[str, object]], by_run: Mapping[str, Mapping[str, object]], what: str, stated: Stated
) -> None:
    """Raises `CollectionError` if most names of topics, or of runs, are names of measures that no option keeps."""
    for nouns, table, shape in (("topics", by_topic, "{topic: {measure: score}}"), ("runs", by_run, "{measure: {topic: score}}")):
        named = [name for name in table if like_a_measure(name)]
        ignored = stated.matched([*table]).ignored
        doubted = [name for name in named if name not in stated.kept | ignored]
        if doubted and 2 * len(named) >= len(table) and (len(named) > 1 or len(table) == 1):
            numbers = [name for name in table if name not in ignored]
            ways = f"{option(measures=numbers)} reads {shape}, the scores of one run, {option(keep=doubted)} reads them as {nouns}"
            which = "is the name of a measure" if len(doubted) == 1 else "are names of measures"
            found = f"found {enumerate_names(doubted)}, which {which}"
            raise CollectionError(f"expected names of {nouns} in {{run: {{topic: score}}}}, {found}; {ways}", file=what)


def _of_runs(inner: Mapping[str, Mapping[str, object]], what: str) -> pl.DataFrame:
    """Returns the long table of scores by run and topic."""
    rows = [(run, topic, score) for run, topics in inner.items() for topic, score in topics.items()]
    columns: dict[str, Sequence[object]] = {"run_id": [run for run, _, _ in rows], "topic_id": [topic for _, topic, _ in rows]}
    records = [score for _, _, score in rows if isinstance(score, Mapping)]
    if rows and len(records) == len(rows):
        names = dict.fromkeys(name for record in records for name in record)
        check_names("measures", names, what)
        columns |= {str(name): [record.get(name) for record in records] for name in names}
    else:
        columns["score"] = [score for _, _, score in rows]
    return from_columns(columns)
