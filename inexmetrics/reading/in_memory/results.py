"""Reads runs from tables of results in memory, and from nested dictionaries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TypeAlias

from inexmetrics.collection.runs import Order, Runs
from inexmetrics.common.errors import CollectionError
from inexmetrics.common.messages import enumerate_names
from inexmetrics.reading.checker import Unchecked
from inexmetrics.reading.column_names import JUDGED, RETRIEVED, of_one_kind
from inexmetrics.reading.document_names import DocumentNames
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.in_memory.tabular import Nested, NestedTable, Table, check_names, is_columns, is_nested, tabular, unnested
from inexmetrics.reading.parts import NOTHING, Gathered, Part, coded_parts
from inexmetrics.reading.result_tables import readers_of

__all__ = ["RunTables", "retrieved_in"]

OneRun: TypeAlias = Table | Nested | NestedTable
"""One or several runs as a single object: a table of results, or nested dictionaries of scores by topic and document."""
RunTables: TypeAlias = Runs | OneRun | list[NestedTable] | Mapping[str, Table] | Mapping[str, Nested] | Mapping[str, NestedTable]
"""Runs in memory: a table of results, nested dictionaries of scores, a dictionary from names of runs to these, or a list of named runs."""

ONLY_RUN = "run"
"""Name of a single run if its table does not name it."""


def retrieved_in(source: RunTables, order: Order | None, findings: Findings, *, whole_documents: bool) -> Runs:
    """Returns the runs in tables of results, without invalid rows.

    Args:
        source: A table, nested dictionaries of scores by topic and document, or several of these by name of the run.
        order: The column that determines the ranking. If None, each run is ordered by its scores if it has scores, otherwise by its ranks
            if it has ranks, otherwise by the order of rows.
        findings: The object to which the problems of invalid rows, and warnings about columns that contradict the order, are added.
        whole_documents: Whether results without an offset or a path are declared to be whole documents.
    """
    names, gathered = DocumentNames(), Gathered(findings, in_memory=True)
    for name, table in _tables(source):
        if name in gathered.files:
            raise CollectionError(f"expected each run once, found run {name} twice")
        if name is None and (judged := of_one_kind(table.own, JUDGED, RETRIEVED)):
            raise CollectionError(f"{table.what}: expected results, found judgements (by their columns {enumerate_names(judged)})")
        there: list[str] = []
        for part in coded_parts(readers_of(table, name or ONLY_RUN, order), names):
            there += part.files
            gathered.add(part if name is None else part.called(name))
        if name is not None and len(set(there)) > 1:
            raise CollectionError(f"{table.what}: expected the results of one run, found those of {enumerate_names(sorted(there))}")
        if not there:  # a table without valid rows is read as a run without results
            nothing = Part(NOTHING, order or "file", whole=(name or ONLY_RUN, table.what))
            gathered.add(next(coded_parts([partial(list, [nothing])], names)))
    runs = gathered.whole(whole_documents=whole_documents)
    if runs is None:
        raise CollectionError("runs: expected results, found none")
    return runs


def _tables(source: object) -> Iterator[tuple[str | None, Unchecked]]:
    """Yields each table of results with the name of its run; the name is None if a column of the table may name the runs."""
    listed = source if isinstance(source, list) else [source]
    if listed and all(map(is_nested, listed)):
        for one in filter(is_nested, listed):
            name = str(one.name or ONLY_RUN)
            yield name, Unchecked(unnested(one.to_dict(), "score", f"run {name}"), f"run {name}")
        return
    if isinstance(source, Mapping) and not source:
        raise CollectionError("runs: expected results, or runs by name, found an empty dictionary")
    if not isinstance(source, Mapping) or is_columns(source):
        yield None, Unchecked(tabular(source, "runs"), "runs")
        return
    if all(
        isinstance(value, Mapping) and not is_columns(value) and not any(isinstance(inner, Mapping) for inner in value.values())
        for value in source.values()
    ):
        yield None, Unchecked(unnested(source, "score", "runs"), "runs")
        return
    check_names("runs", source, "runs")
    if "" in source:
        raise CollectionError("runs: expected a name for each run, found an empty one")
    for name, given in source.items():
        value = given.to_dict() if is_nested(given) else given
        what = f"run {name}"
        nested = isinstance(value, Mapping) and not is_columns(value)
        yield str(name), Unchecked(unnested(value, "score", what) if nested else tabular(value, what), what)
