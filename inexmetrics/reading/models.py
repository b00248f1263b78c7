"""What has been read, held against the models of its tables: the last look before it is handed out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl

from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.runs import Runs
from inexmetrics.collection.structure import Structure
from inexmetrics.common.errors import CollectionError, Problem

if TYPE_CHECKING:
    import pandera.polars as pa

__all__ = ["breaches", "upheld"]


def upheld(assessments: Assessments | None = None, runs: Runs | None = None, structure: Structure | None = None) -> None:
    """Makes sure of every judgement, and of the columns and types of runs and structure, whose rows may be millions.

    Raises:
        CollectionError: A table breaks its model. The readers find what is wrong with a row by themselves, and say where
            it stands; this is their net.
    """
    from inexmetrics.collection import tables

    for model, table in _of_assessments(assessments):
        tables.validated(model, table)
    for model, table in _of_others(runs, structure):
        tables.conforming(model, table)


def breaches(assessments: Assessments | None, runs: Runs | None, structure: Structure | None) -> list[Problem]:
    """Where any row of any table breaks its model."""
    from inexmetrics.collection import tables

    problems: list[Problem] = []
    for model, table in (*_of_assessments(assessments), *_of_others(runs, structure)):
        try:
            tables.validated(model, table)
        except CollectionError as error:
            problems += error.problems
    return problems


def _of_assessments(assessments: Assessments | None) -> Iterator[tuple[type[pa.DataFrameModel], pl.DataFrame]]:
    from inexmetrics.collection import tables

    if assessments is not None:
        held = (
            (tables.Elements, assessments.elements),
            (tables.Documents, assessments.documents),
            (tables.Passages, assessments.passages),
            (tables.Grades, assessments.grades),
            (tables.Assessors, assessments.assessors),
        )
        yield from ((model, table) for model, table in held if table is not None)
        for judge in assessments.judges.values():
            yield from _of_assessments(judge)


def _of_others(runs: Runs | None, structure: Structure | None) -> Iterator[tuple[type[pa.DataFrameModel], pl.DataFrame]]:
    from inexmetrics.collection import tables

    if runs is not None:
        yield tables.Results, runs.table
    if structure is not None:
        yield tables.StructureTable, structure.elements
