"""Queries of topics, read from topic files, tables and dictionaries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

import polars as pl

from inexmetrics.collection.topics import PARTS, Topic, Topics
from inexmetrics.common.errors import CollectionError, Problem
from inexmetrics.common.messages import describe
from inexmetrics.reading import rules
from inexmetrics.reading.checker import Column, Unchecked, checked
from inexmetrics.reading.files import Paths
from inexmetrics.reading.findings import in_memory
from inexmetrics.reading.in_memory.tabular import Table, check_names, from_columns, is_columns, tabular
from inexmetrics.reading.topic_files import read_topics
from inexmetrics.retrieval.documents import are_files, listed
from inexmetrics.terms.parameter_types import Choice, Made, argument

__all__ = ["TopicSource", "queries_of"]

TopicSource: TypeAlias = Topics | Mapping[str, str] | Paths | Table
"""Type of topics: the output of `read_topics`, a dictionary of queries by topic, paths of topic files, or a table of topics and queries."""

QUERY: Final = Column("query", pl.String(), "a text")


def queries_of(topics: TopicSource, field: str) -> dict[str, str]:
    """Returns the text of each topic's query, in lexicographic order of the topics; the text is empty if a topic has no query.

    The query is the part of the topic that `field` names. In a table, the query is the column with this name, or the column ``query`` if
    that column does not exist. Raises `CollectionError` if topics are missing, a topic is repeated, or a topic lacks the part.
    """
    argument("field", Made(str, "the name of a part or of a column"), field)
    if isinstance(topics, Mapping) and not is_columns(topics):
        check_names("topics", topics, "topics")
        queries: list[str] = []
        for topic_id, topic in topics.items():
            given_topic: object = topic
            if isinstance(given_topic, Topic):
                given_topic = str(getattr(given_topic, argument("field", Choice(PARTS), field)) or "")
            if not isinstance(given_topic, str):
                raise CollectionError(f"topics: topic {topic_id}: expected the text of a query, found {describe(topic)}")
            queries.append(given_topic)
        found = _of_table(from_columns({"topic_id": list(map(str, topics)), "query": queries}), field)
    else:
        given = listed(topics)
        if are_files(given):
            return queries_of(read_topics(given), field)
        found = _of_table(tabular(given, "topics"), field)
    if not found:
        raise CollectionError("topics: expected at least one topic, found none")
    return dict(sorted(found.items()))


def _of_table(frame: pl.DataFrame, field: str) -> dict[str, str]:
    named = frame.rename({field: "query"}) if field in frame.columns and "query" not in frame.columns else frame
    table = Unchecked(named, "topics")
    table.need("topic_id", "query")
    found = checked(table, (rules.TOPIC, QUERY))
    found.once(("topic_id",), "row")
    if found.wrong:
        raise CollectionError(in_memory(found.problems))
    return {topic_id: query or "" for topic_id, query in found.rows.select("topic_id", "query").iter_rows()}


def unknown(topic_id: str, query: str) -> Problem:
    """Returns the warning for topics whose terms do not occur in the documents."""
    text = (
        f"expected terms that the documents have, found none in {describe(query)}: no results"
        if query
        else "expected a query, found none: no results"
    )
    return Problem(text, topic_id=topic_id, severity="warning")
