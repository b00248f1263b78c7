"""Runs in memory: tables of results, brought into the order taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import polars as pl

from inexmetrics.collection.runs import Order, Runs
from inexmetrics.collection.schemas import PASSAGE, RESULTS
from inexmetrics.common.errors import SHOWN_OF_A_KIND, CollectionError, Problem
from inexmetrics.common.messages import enumerate_names
from inexmetrics.reading.ahead import ahead
from inexmetrics.reading.checker import Checked, Unchecked
from inexmetrics.reading.column_names import JUDGED, RETRIEVED, of_one_kind
from inexmetrics.reading.document_names import DocumentNames
from inexmetrics.reading.findings import Findings, contradiction, standing_again
from inexmetrics.reading.in_memory.tabular import Nested, NestedTable, Table, check_names, is_columns, is_nested, tabular, unnested
from inexmetrics.reading.in_memory.whole_runs import PART, by_run, ignored_instead_of_offsets, once, results_in, unordered, whole_runs
from inexmetrics.reading.limits import ERRORS
from inexmetrics.reading.line_files.grouping import PLACES, Grouping, RunLists, grouped, repeats, runs_of_lists

__all__ = ["RunTables", "retrieved_in"]

OneRun: TypeAlias = Table | Nested | NestedTable
"""One table, or scores by topic and document."""
RunTables: TypeAlias = Runs | OneRun | list[NestedTable] | Mapping[str, Table] | Mapping[str, Nested] | Mapping[str, NestedTable]
"""Runs in memory: one table, or scores by topic and document; or several of these by the name of the run, or with their names."""

ONLY_RUN = "run"
"""The name of a run that has none."""


def retrieved_in(source: RunTables, order: Order | None, findings: Findings, *, whole_documents: bool) -> Runs:
    """The runs in tables, without the rows that are wrong.

    While the names of some runs are coded, the next ones are checked and grouped; of each, no text stays but that of places in
    documents.

    Args:
        source: A table or scores by topic and document, or several of either by the name of the run.
        order: What the order of results is taken from; None takes the scores of a run that has them, else its ranks, else
            the rows as they stand.
        findings: Where wrong rows, and columns that contradict the order, go.
        whole_documents: Whether results without an offset or a path are meant to be whole documents.
    """
    names = DocumentNames()
    runs: dict[str, _Run] = {}
    again, places = 0, list[str]()
    for name, table in _tables(source):
        if name in runs:
            raise CollectionError(f"expected each run once, found run {name} twice")
        if name is None and (judged := of_one_kind(table.own, JUDGED, RETRIEVED)):
            raise CollectionError(f"{table.what}: expected results, found judgements (by their columns {enumerate_names(judged)})")
        of_table, wrong = _runs_in(table, name or ONLY_RUN, order, names)
        if name is not None and len(of_table) > 1:
            raise CollectionError(f"{table.what}: expected the results of one run, found those of {enumerate_names(sorted(of_table))}")
        findings.rows.extend(problem for _, problem in sorted(wrong, key=lambda found: found[0]))
        findings.warnings += unordered(table, order)
        ignored, standing = ignored_instead_of_offsets(table), []
        for run_id, run in of_table.items():
            named = name or run_id
            runs[named] = replace(run, lists=replace(run.lists, run_id=named, ignored=ignored))
            again += run.again
            standing += [(row, f"run {named}: topic {topic}: row {row}") for row, topic in run.first_again]
        places += [place for _, place in sorted(standing)]
    if again:
        findings.warnings.append(standing_again(again, places[:SHOWN_OF_A_KIND]))
    for run_id in sorted(runs):
        lists = runs[run_id].lists
        for column, count in runs[run_id].contradicted.items():
            if count:
                findings.warnings.append(contradiction(column, count, lists.table.height, lists.order, run_id=run_id))
    return runs_of_lists([run.lists for run in runs.values()], {}, whole_documents=whole_documents)


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """A run in the order taken.

    Attributes:
        lists: Its results.
        contradicted: How many results each column contradicts the order of.
        again: How many passages stand again in their list.
        first_again: Row and topic of the first of them.
    """

    lists: RunLists
    contradicted: Mapping[str, int]
    again: int
    first_again: list[tuple[int, str]]


def _runs_in(table: Unchecked, name: str, order: Order | None, names: DocumentNames) -> tuple[dict[str, _Run], list[tuple[int, Problem]]]:
    """The runs of a table, and what is wrong with the rows left out, each with its number.

    A table without a right row is a run without results.
    """
    runs: dict[str, _Run] = {}
    wrong: list[tuple[int, Problem]] = []
    order_taken = partial(_grouped, name=name, order=order)
    one_part = table.frame.height <= PART  # which leaves nothing to do meanwhile
    for found, orders in map(order_taken, [table]) if one_part else ahead(order_taken, whole_runs(table)):
        for run_id, taken, rows, grouping in orders:
            runs[run_id], repeated = _coded(run_id, taken, rows, grouping, names)
            found.extend(repeated)
        if found:
            wrong += found
            if len(wrong) > ERRORS.value:  # of which one more than these is an error by itself
                break
    if not runs:
        nothing, taken = pl.DataFrame(schema={"topic_id": pl.String(), **RESULTS}), order or "file"
        runs[name], _ = _coded(name, taken, nothing, grouped(nothing, taken), names)
    return runs, wrong


def _grouped(
    table: Unchecked, name: str, order: Order | None
) -> tuple[list[tuple[int, Problem]], list[tuple[str, Order, pl.DataFrame, Grouping]]]:
    """What is wrong with rows of a table, and its runs without them: name, what the order is taken from, rows and their order."""
    found = results_in(table, name, order)
    return found.wrong, [(run_id, taken, rows, grouped(rows, taken)) for run_id, taken, rows in by_run(found.rows, order)]


def _coded(
    run_id: str, order: Order, rows: pl.DataFrame, grouping: Grouping, names: DocumentNames
) -> tuple[_Run, list[tuple[int, Problem]]]:
    """A run whose documents are codes, and its results that repeat an earlier one, which are left out."""
    places = [place for place, count in zip(PLACES, rows.select(pl.col(PLACES).count()).row(0), strict=True) if count]
    coded = pl.DataFrame([names.coded(rows["doc_id"]), *(rows[name] for name in (*places, "rank", "score"))])
    repeated = repeats(coded, grouping)["row"]
    if repeated.is_empty():
        return _Run(RunLists.of(run_id, order, grouping, coded), grouping.contradicted, 0, []), []
    passages = rows.select("row", "topic_id", "start", passage=PASSAGE)[repeated]
    if not passages["passage"].all():
        found = Checked(rows, [])
        once(found)
        run, _ = _coded(run_id, order, found.rows, grouped(found.rows, order), names)
        return run, found.wrong
    again = passages.filter(pl.col("start") >= 0).select("row", "topic_id")  # places that could not be resolved need not be the same
    return _Run(RunLists.of(run_id, order, grouping, coded), grouping.contradicted, again.height, again.head(SHOWN_OF_A_KIND).rows()), []


def _tables(source: object) -> Iterator[tuple[str | None, Unchecked]]:
    """The tables of runs, each with the name of its run where it has one apart from the table."""
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
