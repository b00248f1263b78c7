"""Finds columns whose values probably distinguish runs, in a table of results without a column of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import polars as pl

from inexmetrics.common.errors import Problem
from inexmetrics.common.messages import enumerate_names
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.scores.stated import option

__all__ = ["merged_runs"]

MOST = 50
"""Maximum number of different values of a column that may distinguish runs."""
TOPIC, VALUE, SCORE = "topic", "value", "score"


def merged_runs(table: Unchecked, read: Callable[[Callable[[pl.LazyFrame], pl.LazyFrame]], pl.DataFrame]) -> list[Problem]:
    """Returns a warning if a column that is not read probably distinguishes runs, which are then read as one run.

    Such a column has several values in at least half of the topics, and one of these holds:

    * A result of a topic, or a rank of a topic, occurs several times, but once for each value.
    * The rows of a topic stand in several places, one for each value.
    * Scores are in decreasing order for each value of a topic, but not for the whole topic.

    Args:
        table: The table, whose rows may not be read yet.
        read: A function that returns the result of a query on the table.
    """
    own = table.own
    if "run_id" in own or not {"topic_id", "doc_id"} <= own.keys():
        return []
    schema = table.frame.schema
    possible = [name for name in table.passed_over if name in schema and _may_name(schema[name])]
    if not possible or schema[own["topic_id"]].is_nested() or schema[own["topic_id"]].is_object():
        return []
    counts = read(lambda rows: rows.select(pl.col(possible).drop_nulls().n_unique())).row(0)
    found = []
    for name, count in zip(possible, counts, strict=True):
        if 1 < count <= MOST and _distinguishes(read(lambda rows, name=name: rows.select(_columns(name, own)))):  # type: ignore[misc]
            found.append(name)
    if not found:
        return []
    names = read(lambda rows: rows.select(pl.col(found[0]).cast(pl.String).drop_nulls().unique(maintain_order=True)))[found[0]].to_list()
    other = f", and so have {enumerate_names(found[1:])}" if len(found) > 1 else ""
    text = (
        f"expected a column run_id, found none: {found[0]} has the {len(names)} values {enumerate_names(names)} with results of the same "
        f"topics{other}, and all results are read as one run; {option(columns={found[0]: 'run_id'})} reads one run for each value"
    )
    return [Problem(text, file=table.what, severity="warning")]


def _may_name(dtype: pl.DataType) -> bool:
    return dtype in (pl.String, pl.Boolean) or dtype.is_integer() or isinstance(dtype, pl.Categorical | pl.Enum)


def _columns(name: str, own: Mapping[str, str]) -> Iterable[pl.Expr]:
    """Yields the columns that show whether a column distinguishes runs."""
    yield pl.col(own["topic_id"]).alias(TOPIC)
    yield pl.col(name).alias(VALUE)
    for key in ("doc_id", "path", "start", "rank"):
        if key in own:
            yield pl.col(own[key]).alias(key)
    if "score" in own:
        yield pl.col(own["score"]).cast(pl.Float64, strict=False).alias(SCORE)


def _distinguishes(rows: pl.DataFrame) -> bool:
    """Returns whether the values of a column probably distinguish runs."""
    values = rows.group_by(TOPIC).agg(pl.col(VALUE).n_unique())[VALUE]
    if rows[VALUE].null_count() or 2 * int((values > 1).sum()) < len(values):
        return False
    result = [name for name in rows.columns if name in ("doc_id", "path", "start")]
    for key in (result, ["rank"] if "rank" in rows.columns else []):
        if key and _repeated(rows, [TOPIC, *key]) and not _repeated(rows, [TOPIC, VALUE, *key]):
            return True
    pairs = rows.select(TOPIC, VALUE).n_unique()
    if rows[TOPIC].rle().len() == pairs:
        return True
    if SCORE not in rows.columns or rows.height < 2 * pairs or rows[SCORE].null_count():
        return False
    falling = pl.col(SCORE).diff().fill_null(0.0).le(0.0).all()
    by_value = rows.group_by(TOPIC, VALUE, maintain_order=True).agg(falling)[SCORE]
    by_topic = rows.group_by(TOPIC, maintain_order=True).agg(falling, pl.col(VALUE).n_unique()).filter(pl.col(VALUE) > 1)[SCORE]
    return bool(by_value.all()) and not by_topic.any()


def _repeated(rows: pl.DataFrame, key: list[str]) -> bool:
    return rows.select(key).is_duplicated().any()
