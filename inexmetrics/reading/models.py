"""What has been read, held against the models of its tables: the last look before it is handed out."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from inexmetrics.collection.assessments import Assessments
from inexmetrics.collection.runs import Runs
from inexmetrics.collection.soundness import Kind, sound, typed
from inexmetrics.collection.structure import Structure
from inexmetrics.foundation.errors import CollectionError, Problem

__all__ = ["breaches", "upheld"]


def upheld(assessments: Assessments | None = None, runs: Runs | None = None, structure: Structure | None = None) -> None:
    """Makes sure of every judgement, and of the columns and types of runs and structure, whose rows may be millions.

    Raises:
        CollectionError: A table breaks its model. The readers find what is wrong with a row by themselves, and say where
            it stands; this is their net.
    """
    unsound = [(kind, table) for kind, table in _of_assessments(assessments) if not sound(kind, table)]
    untyped = [(kind, table) for kind, table in _of_others(runs, structure) if not typed(kind, table)]
    if unsound or untyped:
        from inexmetrics.collection import tables

        for kind, table in unsound:
            tables.validated(tables.MODELS[kind], table)
        for kind, table in untyped:
            tables.conforming(tables.MODELS[kind], table)


def breaches(assessments: Assessments | None, runs: Runs | None, structure: Structure | None) -> list[Problem]:
    """Where any row of any table breaks its model."""
    from inexmetrics.collection import tables

    problems: list[Problem] = []
    for kind, table in (*_of_assessments(assessments), *_of_others(runs, structure)):
        try:
            tables.validated(tables.MODELS[kind], table)
        except CollectionError as error:
            problems += error.problems
    return problems


def _of_assessments(assessments: Assessments | None) -> Iterator[tuple[Kind, pl.DataFrame]]:
    if assessments is not None:
        held: tuple[tuple[Kind, pl.DataFrame | None], ...] = (
            ("elements", assessments.elements),
            ("documents", assessments.documents),
            ("passages", assessments.passages),
            ("grades", assessments.grades),
            ("assessors", assessments.assessors),
        )
        yield from ((kind, table) for kind, table in held if table is not None)
        for judge in assessments.judges.values():
            yield from _of_assessments(judge)


def _of_others(runs: Runs | None, structure: Structure | None) -> Iterator[tuple[Kind, pl.DataFrame]]:
    if runs is not None:
        yield "results", runs.results
    if structure is not None:
        yield "structure", structure.elements
