"""Which column of a score matrix names its topics, and which of its rows sum them up."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
import polars as pl

from inexmetrics.common.arrays import FloatArray
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import did_you_mean, enumerate_names
from inexmetrics.reading.column_names import ALIASES

__all__ = ["LONG", "TopicColumn", "Topics", "headed", "is_summary", "topic_column"]

Topics: TypeAlias = str | Literal[False] | None
"""The name of the column of topics; False where there is none; None where its heading says so."""

HEADINGS: Final = ("topic", "topic_id", "query_id", "qid")
LONG: Final = ("run_id", "topic_id", "score")
"""Columns by which a long table is known from a matrix."""
LONG_ALONE: Final = frozenset({"run_id", *ALIASES["run_id"], "measure", "metric"})
"""Headings, in lower case, of columns of text that no matrix has."""
SYSTEMS: Final = frozenset({"approach", "llm", "method", "model", "model_name", "models", "retriever", "submission", "systems", "team"})
"""Headings, in lower case, of columns that probably name what is compared, and not topics."""
SUMMARIES: Final = frozenset({"all", "amean", "average", "avg", "gmean", "mean"})
"""What evaluation tools call the row that sums up the topics, in lower case."""

_INDEX = re.compile(r"|Unnamed: \d+|__index_level_\d+__")
"""How pandas heads an index: in CSV, in CSV that was read and written again, and in Parquet."""
_IDENTIFIER = re.compile(r"index|(q|query|question|topic)s?|(q|query|question|topic)?[ _-]?(id|ids|no|nr|num|number)", re.IGNORECASE)
_WRITTEN_OTHERWISE = r"(?i)^(true|false|[-+]?[.,]?\d[\d.,]*\s*([%*†‡±(].*)?)$"
"""Numbers as readers of tables like them: 0,75 or 75 % or 0.75 ± 0.02 or 0.75*."""
_ACCEPTED = " and ".join(f"{name} ({', '.join(ALIASES[name])})" if ALIASES[name] else name for name in LONG)


@dataclass(frozen=True, slots=True)
class TopicColumn:
    """The columns of a matrix by what they hold.

    Attributes:
        place: Place of the column of topics among all; None where there is none, and topics are counted.
        runs: Places of the columns of runs.
        clusters: Places of the columns that name the topics' clusters: asked for, or text beside topics of which each stands once.
        indices: Places of the columns left out: an index, or other identifiers, beside the column of topics.
    """

    place: int | None
    runs: tuple[int, ...]
    indices: tuple[int, ...] = ()
    clusters: tuple[int, ...] = ()


def topic_column(header: Sequence[str], columns: Sequence[pl.Series], topics: Topics, clusters: Collection[str] = ()) -> TopicColumn:
    """The column of topics of a matrix, and those of its runs.

    Args:
        header: Names of the columns.
        columns: Their cells, as numbers or as text.
        topics: The column asked for.
        clusters: The columns of clusters asked for.

    Raises:
        CollectionError: There is no such column, or several are headed as topics; none is, and one of them looks as if it
            named topics; a column holds no numbers, as those of long tables or with runs in rows.
    """
    named = headed(header)
    indices = [place for place, name in enumerate(header) if _INDEX.fullmatch(name)]
    if topics is False:
        if named:
            raise CollectionError(
                f"expected runs in all columns, as there is to be no column of topics, found {enumerate_names(_at(header, named))}"
            )
        grouping = tuple(place for place, name in enumerate(header) if name in clusters)
        return TopicColumn(None, tuple(place for place in range(len(header)) if place not in grouping), clusters=grouping)
    if topics is None and len(named) > 1:
        raise CollectionError(
            f"expected one column of topics, found {enumerate_names(_at(header, named))}; {_named('NAME')} says which it is"
        )
    if topics is not None and topics not in header:
        hint = did_you_mean(topics, header)
        raise CollectionError(f"expected a column of topics {topics}, found {enumerate_names(header)}" + (f"; {hint}" if hint else ""))
    unheaded = [0] if header and not header[0] else []
    place = header.index(topics) if topics is not None else next(iter([*named, *unheaded]), None)
    beside = tuple(other for other in (*indices, *named) if other != place) if place is not None else ()
    grouping = tuple(other for other, name in enumerate(header) if name in clusters and other != place)
    beside = tuple(other for other in beside if other not in grouping)
    runs = tuple(other for other in range(len(header)) if other != place and other not in beside and other not in grouping)
    wordy = [other for other in runs if _no_numbers(columns[other])]
    transposed = any(header[other].lower() in LONG_ALONE for other in wordy)
    if place is not None and not transposed and len(wordy) < len(runs) and _all_differ(columns[place]):
        grouping = (*grouping, *wordy)
        runs, wordy = tuple(other for other in runs if other not in wordy), []
    if len(wordy) > (place is None) or transposed:
        raise CollectionError(
            "expected a matrix of numbers with topics in rows and runs in columns, or a long table with the columns "
            f"{_ACCEPTED}, found {enumerate_names(header)}, where {enumerate_names(_at(header, wordy))} "
            f"{'holds' if len(wordy) == 1 else 'hold'} no numbers"
        )
    if place is None and (like := _like_topics(header, columns)):
        one = header[like[0]]
        if one.lower() in SYSTEMS:
            raise CollectionError(
                f"expected a matrix with topics (or tasks) in rows and runs (or systems) in columns, found rows headed {one}: exchange rows "
                f"and columns; {_named(one)} takes {one} for the topics"
            )
        raise CollectionError(
            f"expected topics in a column headed {', '.join(HEADINGS)} or nothing, found {enumerate_names(header)}; {_named(one)} takes {one} "
            "for the topics, topics=False (--no-topics-column) takes all columns for runs"
        )
    return TopicColumn(place, runs, beside, grouping)


def headed(header: Sequence[str]) -> list[int]:
    """Places of the columns that are headed as topics are."""
    return [place for place, name in enumerate(header) if name.lower() in HEADINGS]


def is_summary(topics: pl.Series) -> pl.Series:
    """Which rows sum up the topics, as those of trec_eval named all."""
    return topics.str.to_lowercase().is_in(list(SUMMARIES)).fill_null(value=False)


def _named(name: str) -> str:
    return f'topics="{name}" (--topics-column {name if name.isalnum() else repr(name)})'


def _at(header: Sequence[str], places: Sequence[int]) -> list[str]:
    return [header[place] for place in places]


def _like_topics(header: Sequence[str], columns: Sequence[pl.Series]) -> list[int]:
    """The columns that look as if they named topics: by heading or by text, by integers that identify rows, by their range."""
    numbers = [_numbers(column) for column in columns]
    return [
        place
        for place, name in enumerate(header)
        if _INDEX.fullmatch(name)
        or _IDENTIFIER.fullmatch(name)
        or _no_numbers(columns[place])
        or _identify(numbers[place])
        or _apart(numbers[place], [other for number, other in enumerate(numbers) if number != place])
    ]


def _identify(numbers: FloatArray) -> bool:
    """Whether numbers are integers, each once: increasing, or more than 0 and 1."""
    if not len(numbers) or (numbers != np.round(numbers)).any() or len(np.unique(numbers)) < len(numbers):
        return False
    return bool((np.diff(numbers) > 0).all() or not np.isin(numbers, (0.0, 1.0)).all())


def _apart(numbers: FloatArray, others: Sequence[FloatArray]) -> bool:
    """Whether numbers have another range than the others: partly outside [0, 1], where these are inside; else beside it."""
    there = np.concatenate([np.empty(0), *others])
    if not len(numbers) or not len(there):
        return False
    low, high = there.min(), there.max()
    if low >= 0 and high <= 1:
        return bool(numbers.min() < 0 or numbers.max() > 1)
    return bool(numbers.min() > high or numbers.max() < low)


def _all_differ(column: pl.Series) -> bool:
    """Whether no value stands twice in a column; of lists and Python objects polars cannot tell."""
    dtype = column.dtype
    return not (dtype.is_object() or dtype.is_nested()) and bool(column.is_unique().all())


def _no_numbers(column: pl.Series) -> bool:
    """Whether a column holds text, and no cell of it is a number, nor one written otherwise: a run of such is an error, and no clusters."""
    if column.dtype not in (pl.String, pl.Enum, pl.Categorical):
        return False
    texts = column.cast(pl.String).str.strip_chars().replace("", None).drop_nulls()
    return bool(len(texts)) and not (texts.cast(pl.Float64, strict=False).is_not_null() | texts.str.contains(_WRITTEN_OTHERWISE)).any()


def _numbers(column: pl.Series) -> FloatArray:
    """The finite numbers of a column."""
    if column.dtype in (pl.String, pl.Enum, pl.Categorical):
        column = column.cast(pl.String).str.strip_chars()
    elif not (column.dtype.is_numeric() or column.dtype == pl.Boolean):
        return np.empty(0)
    values = column.cast(pl.Float64, strict=False).drop_nulls().to_numpy()
    return np.asarray(values[np.isfinite(values)], dtype=np.float64)
