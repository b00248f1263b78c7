"""Collections from tables in memory: polars, pandas and other Arrow frames, rows with named values, nested dictionaries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from typing import TypeAlias

from inexmetrics.collection import Collection
from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.columns import STRUCTURE
from inexmetrics.collection.judges import by_assessor
from inexmetrics.collection.runs import Order, Runs
from inexmetrics.collection.structure import Structure
from inexmetrics.foundation.errors import CollectionError
from inexmetrics.foundation.forking import refuse_fork
from inexmetrics.foundation.notices import announce
from inexmetrics.quantisations.base import Scale
from inexmetrics.reading.findings import Findings
from inexmetrics.reading.in_memory.judgements import judged
from inexmetrics.reading.in_memory.results import RunTables, retrieved_in
from inexmetrics.reading.in_memory.sheets import Sheet
from inexmetrics.reading.in_memory.tabular import Nested, Table, is_frame, unnested
from inexmetrics.reading.models import upheld

__all__ = ["AssessmentTables", "from_frames"]

OneAssessor: TypeAlias = Assessments | Table | Nested | list[Table]
"""Judgements in memory: one table, or a list of tables of different kinds, or grades by topic and document."""
AssessmentTables: TypeAlias = OneAssessor | Mapping[str, OneAssessor]
"""The same, or judgements by the name of the assessor who made them."""


def from_frames(
    assessments: AssessmentTables,
    runs: RunTables | None = None,
    structure: Structure | Table | None = None,
    *,
    order: Order | None = None,
    scale: Scale | None = None,
    strict: bool = True,
) -> Collection:
    """A collection from tables in memory, with one row for each judgement, passage or result.

    A table is a polars, pandas or any Arrow-capable frame, or an iterable of named tuples, dataclasses or mappings;
    grades and scores may also be nested dictionaries, ``{topic: {document: grade}}``. Columns are known by the names of
    this package and by those of ir_measures, ir_datasets and PyTerrier (`query_id`, `qid`; `docno`; `relevance`,
    `label`); others are passed over. Identifiers are text: integers are written out. Missing values are null.

    What a table of assessments holds is told by its columns:

    * `topic_id, doc_id, grade`: graded documents; with `assessor`, one row for each assessor;
    * `topic_id, doc_id, start, length` (or `end`, exclusive): highlighted passages; a row without `start` is a document
      judged and not relevant; `docchars`, `bep` and `relchars` may say more of its document;
    * `topic_id, doc_id, relchars` (`docchars`, `bep`): documents with their highlighted characters;
    * `topic_id, doc_id, path, exhaustivity, specificity` (`size`): assessed elements; without `path` the document is
      the element, without `exhaustivity` there was highlighting alone.

    A table of runs has `topic_id, doc_id`, and may have `run_id` (without it, all is one run named ``run``), `path`,
    `start` and `length` (or `end`), `rank` and `score`.

    Args:
        assessments: The judgements: a table, nested dictionaries, a list of tables of different kinds, or what
            `read_assessments` returned; or a dictionary of any of these by assessor.
        runs: The results: a table, nested dictionaries ``{topic: {document: score}}``, a dictionary of either by run
            name, or what `read_runs` returned.
        structure: `doc_id, path, start, length` of elements, or what `read_structure` returned.
        order: What the order of results is taken from, for all runs; by default the scores where a run has them, else
            its ranks, else the rows as they stand.
        scale: The scale of the elements' exhaustivity; by default INEX 2004's where an exhaustivity is 3, else 2005's.
        strict: Whether a wrong row is an error; otherwise it is dropped, and each is warned of.

    Raises:
        CollectionError: Every wrong row, by its number from 0, or what else keeps the tables from being evaluated.

    Examples:
        >>> import polars as pl
        >>> collection = from_frames(
        ...     pl.DataFrame({"qid": [1, 1], "docno": ["a", "b"], "label": [0, 2]}),
        ...     {"bm25": {"1": {"a": 7.5, "b": 3.0}}, "lm": {"1": {"b": -1.0}}},
        ... )
        >>> collection
        Collection(documents: 1 topic, 2 runs)
        >>> collection.runs.results.select("run_id", "doc_id").rows()
        [('bm25', 'a'), ('bm25', 'b'), ('lm', 'b')]
    """
    refuse_fork("from_frames")
    if isinstance(assessments, Assessments) and scale is not None:
        raise CollectionError("scale is taken with tables only; these assessments have been read, and have theirs")
    if isinstance(runs, Runs) and order is not None:
        raise CollectionError("order is taken with tables only; these runs have been read, and are in theirs")
    judging, retrieving, placing = Findings(), Findings(), Findings()
    judgements = assessments if isinstance(assessments, Assessments) else _judgements(assessments, scale, judging)
    retrieved = runs if runs is None or isinstance(runs, Runs) else retrieved_in(runs, order, retrieving)
    places = structure if structure is None or isinstance(structure, Structure) else _structure(structure, placing)
    wrong = [*judging.rows, *retrieving.rows, *placing.rows]
    if strict and wrong:
        raise CollectionError(wrong)
    told = [findings.settled(strict) for findings in (judging, retrieving, placing)]
    upheld(judgements, retrieved, places)
    announce(chain.from_iterable(told))
    if told[0]:
        judgements = replace(judgements, notices=(*judgements.notices, *told[0]))
    if retrieved is not None and told[1]:
        retrieved = replace(retrieved, notices=told[1])
    if places is not None and told[2]:
        places = replace(places, notices=told[2])
    return Collection(judgements, retrieved, places)


def _judgements(source: object, scale: Scale | None, findings: Findings) -> Assessments:
    if not isinstance(source, Mapping) or not _by_name(source):
        return _by_one(source, "assessments", scale, findings)
    held = {str(assessor): _by_one(judgements, f"assessor {assessor}", scale, findings) for assessor, judgements in source.items()}
    for assessor, one in held.items():
        if "assessors" in one.kinds:
            raise CollectionError(f"assessor {assessor}: expected the judgements of this assessor alone, found those of several")
    return by_assessor(held)


def _by_name(source: Mapping[object, object]) -> bool:
    """Whether a dictionary holds judgements by assessor: tables, or dictionaries of dictionaries."""
    return any(
        isinstance(value, Assessments | list)
        or is_frame(value)
        or (isinstance(value, Mapping) and any(isinstance(inner, Mapping) for inner in value.values()))
        for value in source.values()
    )


def _by_one(source: object, what: str, scale: Scale | None, findings: Findings) -> Assessments:
    """Judgements of which nothing is told but what a table of them tells."""
    if isinstance(source, Assessments):
        return source
    if isinstance(source, Mapping):
        topics = [str(topic) for topic in source]
        return judged([Sheet(unnested(source, "grade", what), what)], scale, findings, topics)
    if isinstance(source, list) and source and all(is_frame(table) for table in source):
        return judged([Sheet(table, f"{what} {number}") for number, table in enumerate(source, start=1)], scale, findings)
    return judged([Sheet(source, what)], scale, findings)


def _structure(table: Table, findings: Findings) -> Structure:
    sheet = Sheet(table, "structure")
    sheet.need("doc_id", "path", "start")
    start, length = sheet.passages()
    columns = {"doc_id": sheet.ids("doc_id"), "path": sheet.paths(), "start": start, "length": length}
    sheet.refuse("start", start.is_null(), "an integer of at least 0")
    sheet.refuse("path", columns["path"].is_null(), "a path that starts with /")
    elements = sheet.without_repeats(sheet.rows(columns), ("doc_id", "path"), "element")
    findings.rows += sheet.found
    return Structure(elements.select(list(STRUCTURE)))
