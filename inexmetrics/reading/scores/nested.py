"""Reads nested dictionaries of scores: by run and topic, by topic and measure, or by column and row, as pandas writes tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import polars as pl

from inexmetrics.collection.layout import Role
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import enumerate_names
from inexmetrics.reading.in_memory.tabular import check_names, from_columns
from inexmetrics.reading.names import headings
from inexmetrics.reading.scores.stated import Stated, option
from inexmetrics.terms.lexicon import like_a_measure

__all__ = ["nested_scores"]

SCORES: Final[Role] = "scores"


def nested_scores(value: Mapping[str, object], what: str, stated: Stated) -> pl.DataFrame:
    """Returns the table in ``{run: {topic: score}}``; a score may be a record with several values.

    If the options name measures, ``{topic: {measure: score}}`` and ``{measure: {topic: score}}`` are tables with topics in rows. If a
    heading states that the dictionaries are the columns or the rows of a table of pandas, the table is returned.

    Raises:
        CollectionError: The names of topics or of runs are those of measures, or a value is not a dictionary.
    """
    check_names("runs", value, what)
    inner: dict[str, dict[str, object]] = {}
    for run, topics in value.items():
        if not isinstance(topics, Mapping):
            raise CollectionError(
                Problem(f"expected a dictionary of topics for run {run}, found a Python {type(topics).__name__}", file=what)
            )
        check_names("topics", topics, what)
        inner[str(run)] = {str(topic): score for topic, score in topics.items()}
    by_column = _transposed(inner)
    if _has_columns(inner):
        return _wide(inner, None)
    if _has_columns(by_column) and _numbered(inner):
        return _wide(by_column, None)
    for by_measure in (by_column, inner):
        named = [*stated.measures, *(name for name in stated.asked if not stated.measures)]
        if named and by_measure.keys() >= {*named} and "topic_id" not in by_measure:
            return _wide(by_measure, "topic_id")
    _refuse_measures(by_column, inner, what, stated)
    return _of_runs(inner)


def _transposed(inner: Mapping[str, Mapping[str, object]]) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    for first, values in inner.items():
        for second, value in values.items():
            found.setdefault(second, {})[first] = value
    return found


def _numbered(names: Iterable[str]) -> bool:
    """Returns whether all names are whole numbers, as those of rows in pandas are."""
    return all(re.fullmatch("[0-9]+", name) for name in names)


def _has_columns(table: Mapping[str, Mapping[str, object]]) -> bool:
    """Returns whether dictionaries are the columns of a table: all name the same rows, and one column contains names, not scores.

    This column has a heading of topics or runs, or text beside rows that are numbered.
    """
    rows = [*map(dict.keys, map(dict, table.values()))]
    if len(rows) < 2 or any(each != rows[0] for each in rows) or any(isinstance(each, Mapping) for each in _values(table)):
        return False
    if not _numbered(rows[0]):
        return any(_texts(table[name]) for name in _headed(table))
    return bool(_headed(table)) or any(_texts(values) for values in table.values())


def _headed(table: Mapping[str, Mapping[str, object]]) -> list[str]:
    known = {heading for ours in ("topic_id", "run_id") for heading in headings(ours, SCORES)}
    return [name for name in table if name.strip().lower() in known]


def _texts(values: Mapping[str, object]) -> bool:
    return bool(values) and all(isinstance(value, str) and not _is_number(value) for value in values.values())


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _values(table: Mapping[str, Mapping[str, object]]) -> Iterable[object]:
    return (value for values in table.values() for value in values.values())


def _wide(table: Mapping[str, Mapping[str, object]], rows: str | None) -> pl.DataFrame:
    """Returns the table with these columns; `rows` is the heading of a column with the names of the rows, or None to leave them out."""
    names = list(dict.fromkeys(row for values in table.values() for row in values))
    first: dict[str, Sequence[object]] = {} if rows is None else {rows: names}
    return from_columns(first | {name: [values.get(row) for row in names] for name, values in table.items()})


def _refuse_measures(
    by_topic: Mapping[str, Mapping[str, object]], by_run: Mapping[str, Mapping[str, object]], what: str, stated: Stated
) -> None:
    """Raises `CollectionError` if most names of topics, or of runs, are names of measures that no option keeps."""
    for nouns, table, shape in (
        ("topics", by_topic, "{topic: {measure: score}}"),
        ("runs", by_run, "{measure: {topic: score}}"),
    ):
        named = [name for name in table if like_a_measure(name)]
        doubted = [name for name in named if name not in stated.kept | stated.ignored]
        if doubted and 2 * len(named) >= len(table) and (len(named) > 1 or len(table) == 1):
            numbers = [name for name in table if name not in stated.ignored]
            ways = f"{option(measures=numbers)} reads {shape}, the scores of one run, {option(keep=doubted)} reads them as {nouns}"
            found = (
                f"found {enumerate_names(doubted)}, which {'is the name of a measure' if len(doubted) == 1 else 'are names of measures'}"
            )
            raise CollectionError(Problem(f"expected names of {nouns} in {{run: {{topic: score}}}}, {found}; {ways}", file=what))


def _of_runs(inner: Mapping[str, Mapping[str, object]]) -> pl.DataFrame:
    """Returns the long table of scores by run and topic."""
    rows = [(run, topic, score) for run, topics in inner.items() for topic, score in topics.items()]
    columns: dict[str, Sequence[object]] = {"run_id": [run for run, _, _ in rows], "topic_id": [topic for _, topic, _ in rows]}
    records = [score for _, _, score in rows if isinstance(score, Mapping)]
    if rows and len(records) == len(rows):
        names = dict.fromkeys(name for record in records for name in record)
        columns |= {str(name): [record.get(name) for record in records] for name in names}
    else:
        columns["score"] = [score for _, _, score in rows]
    return from_columns(columns)
